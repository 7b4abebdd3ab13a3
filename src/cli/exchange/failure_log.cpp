#include "cli/exchange/failure_log.h"

#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

constexpr std::string_view log_suffix = ".json";

}  // namespace

Result<void, Failure> FailureLog::keep(const Json& record) const {
  const std::string name = std::string(record.string_at("id").value_or("")) + std::string(log_suffix);
  if (const auto written = write_private(folder_ / name, record.dump() + "\n"); !written) return written;
  const auto names = list_private(folder_);
  for (std::size_t i = 0; i + failures_kept < names.size(); ++i) {
    SVC_TRY(remove_private(folder_ / names[i]));
  }
  return {};
}

Result<std::optional<Json>, Failure> FailureLog::find(const std::optional<std::string>& id) const {
  const auto names = list_private(folder_);
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!name->ends_with(log_suffix) || (id && *name != *id + std::string(log_suffix))) continue;
    const auto text = SVC_TRY(read_private(folder_ / *name));
    auto record = parse_json(text.value_or(""));
    if (record) return std::optional(std::move(*record));
  }
  return std::optional<Json>{};
}

}  // namespace svc::cli
