#include "api/operation_table.h"

#include <algorithm>

#include "api/describe.h"

namespace svc::api {
namespace {

constexpr auto entries = entries_of(AllOps{} + LegacyOps{});

// How well a path fits a pattern: more for earlier fixed segments; nullopt if it does not.
std::optional<std::uint64_t> fit(std::string_view pattern, std::string_view path) {
  std::uint64_t score = 1;
  while (!pattern.empty() && !path.empty()) {
    if (pattern.front() != '/' || path.front() != '/') return std::nullopt;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    const std::string_view segment = path.substr(0, path.find('/'));
    const bool parameter = expected.starts_with('{');
    if (parameter ? segment.empty() : segment != expected) return std::nullopt;
    score = score * 2 + (parameter ? 0 : 1);
    pattern.remove_prefix(expected.size());
    path.remove_prefix(segment.size());
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return score;
}

std::optional<std::uint64_t> fit(const Operation& operation, std::string_view path) {
  const bool under_twin = operation.twin && path.starts_with(twin_prefix);
  return fit(operation.path, under_twin ? path.substr(twin_prefix.size()) : path);
}

// The path from where a pattern of so many segments would begin.
std::string_view tail_for(std::string_view pattern, std::string_view path) {
  std::size_t begin = path.size();
  for (auto left = std::ranges::count(pattern, '/'); left > 0 && begin != std::string_view::npos; --left)
    begin = begin == 0 ? std::string_view::npos : path.rfind('/', begin - 1);
  return begin == std::string_view::npos ? std::string_view() : path.substr(begin);
}

// The one of the method with the highest score; nullptr if none has any.
template <class Score>
const OperationEntry* best_fit(std::string_view method, const Score& score) {
  const OperationEntry* best = nullptr;
  std::uint64_t best_score = 0;
  for (const OperationEntry& entry : entries) {
    if (to_string(entry.operation->method) != method) continue;
    const std::optional<std::uint64_t> found = score(*entry.operation);
    if (!found || *found <= best_score) continue;
    best = &entry;
    best_score = *found;
  }
  return best;
}

}  // namespace

// Only the interface description has it; the tables instantiate the records of all operations.
template const TypeInfo& type_of<NetworkMap>();

std::span<const OperationEntry> all_operations() {
  return std::span(entries).first<AllOps::size>();
}
std::span<const OperationEntry> legacy_operations() {
  return std::span(entries).subspan<AllOps::size>();
}
std::span<const OperationEntry> every_operation() {
  return entries;
}

const OperationEntry* find_operation(std::string_view name) {
  const auto found =
      std::ranges::find(entries, name, [](const OperationEntry& entry) { return entry.operation->name; });
  return found == entries.end() ? nullptr : &*found;
}

const OperationEntry* match_operation(std::string_view method, std::string_view logical_path) {
  return best_fit(method, [&](const Operation& operation) { return fit(operation, logical_path); });
}

Result<signing::ActionStruct, std::string> action_at(const signing::RequestParts& request,
                                                     signing::ActionContext context) {
  const OperationEntry* best = best_fit(request.method, [&](const Operation& operation) {
    return operation.action == nullptr ? std::nullopt : fit(operation.path, tail_for(operation.path, request.path));
  });
  if (best == nullptr)
    return unexpected(std::string(request.method) + " " + std::string(request.path) + " is not a trading action");
  return best->operation->action->read(request, std::move(context));
}

}  // namespace svc::api
