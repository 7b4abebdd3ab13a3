#include "cli/config/running_sandbox.h"

#include <signal.h>

#include <cerrno>

#include "cli/files/private_file.h"
#include "cli/json.h"

namespace svc::cli {

std::vector<RunningSandbox> running_sandboxes(const Paths& paths) {
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
    if (!url || !pid || *pid <= 0) continue;
    const bool gone = ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
    if (gone) continue;
    found.push_back({file.substr(0, file.size() - suffix.size()), std::string(*url), *pid});
  }
  return found;
}

}  // namespace svc::cli
