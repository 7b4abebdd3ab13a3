#include "cli/config/running_sandbox.h"

#include "base/process.h"
#include "cli/files/private_file.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

enum class Stage : std::uint8_t { starting, ready };

std::vector<RunningSandbox> sandboxes_at(Stage stage, const Paths& paths) {
  constexpr std::string_view suffix = ".json";
  std::vector<RunningSandbox> found;
  for (const std::string& file : list_private(paths.sandboxes())) {
    if (!file.ends_with(suffix)) continue;
    const auto text = read_private(paths.sandboxes() / file);
    if (!text || !*text) continue;
    const auto report = parse_json(**text);
    if (!report) continue;
    const auto url = report->string_at("url");
    const auto pid = report->integer_at("pid");
    if (url.has_value() != (stage == Stage::ready) || !pid || *pid <= 0) continue;
    // One that was killed answers nobody, although its number is still there.
    if (process_state(static_cast<pid_t>(*pid)) != ProcessState::runs) continue;
    found.push_back({file.substr(0, file.size() - suffix.size()), std::string(url.value_or("")), *pid});
  }
  return found;
}

}  // namespace

std::vector<RunningSandbox> running_sandboxes(const Paths& paths) {
  return sandboxes_at(Stage::ready, paths);
}

std::vector<RunningSandbox> starting_sandboxes(const Paths& paths) {
  return sandboxes_at(Stage::starting, paths);
}

}  // namespace svc::cli
