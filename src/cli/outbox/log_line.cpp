#include "cli/outbox/log_line.h"

#include "base/hex.h"
#include "signing/hash.h"

namespace svc::cli::outbox {
namespace {

constexpr std::string_view type_before = R"({"version":2,"type":")";
constexpr std::string_view id_before = R"(","id":")";
constexpr std::string_view sum_before = R"(,"sum":")";
constexpr std::size_t sum_digits = 8;
constexpr std::string_view line_end = "\"}";

std::string sum_of(std::string_view text) {
  return to_hex(signing::sha256(text)).substr(0, sum_digits);
}

// Takes what stands before the next quotation mark.
std::string_view take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('"'));
  rest.remove_prefix(text.size());
  return text;
}

}  // namespace

std::string log_line(const Json& record) {
  Json line = Json::object({{"version", log_version}});
  for (const std::string_view key : {"type", "id"}) line.set(key, record.string_at(key));
  for (std::size_t i = 0; i < record.keys().size(); ++i) line.set(record.keys()[i], record.items()[i]);
  std::string text = line.dump();
  text.pop_back();  // the brace
  const std::string sum = sum_of(text);
  return text.append(sum_before).append(sum).append(line_end);
}

std::optional<Json> read_log_line(std::string_view line) {
  constexpr std::size_t tail = sum_before.size() + sum_digits + line_end.size();
  if (!line.starts_with(type_before)) {
    auto document = parse_json(line);
    if (!document || document->integer_at("version") != 1) return std::nullopt;
    return std::move(*document);
  }
  if (line.size() < tail) return std::nullopt;
  const std::string_view text = line.substr(0, line.size() - tail);
  const std::string_view end = line.substr(text.size());
  if (!end.starts_with(sum_before) || !end.ends_with(line_end)) return std::nullopt;
  if (end.substr(sum_before.size(), sum_digits) != sum_of(text)) return std::nullopt;
  auto document = parse_json(std::string(text) + "}");
  if (!document) return std::nullopt;
  return std::move(*document);
}

LineHead head_of(std::string_view line) {
  if (!line.starts_with(type_before)) return {};
  line.remove_prefix(type_before.size());
  const std::string_view type = take_text(line);
  if (!line.starts_with(id_before)) return {};
  line.remove_prefix(id_before.size());
  return {.type = type, .id = take_text(line)};
}

}  // namespace svc::cli::outbox
