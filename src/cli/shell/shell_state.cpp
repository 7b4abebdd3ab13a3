#include "cli/shell/shell_state.h"

#include "cli/terminal/render.h"

namespace svc::cli {

std::optional<std::string> ShellState::value_of(std::string_view name) const {
  if (const auto set = variables.find(name); set != variables.end()) return set->second;
  if (name == "market") return market;
  constexpr std::string_view last_prefix = "last.";
  if (!name.starts_with(last_prefix)) return std::nullopt;
  const std::string_view path = name.substr(last_prefix.size());
  const bool one_row = last.is(Json::Kind::array) && !last.items().empty();
  const Json* found = (one_row ? last.items().front() : last).at(path);
  if (found == nullptr || found->is(Json::Kind::null)) return std::nullopt;
  return cell_text(found);
}

}  // namespace svc::cli
