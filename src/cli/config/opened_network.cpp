#include "cli/config/opened_network.h"

#include "cli/config/running_sandbox.h"

namespace svc::cli {
namespace {

// As Network::rest_source names it.
constexpr std::string_view sandbox_source = "running sandbox ";

// Beside the one that was opened others may run by now.
bool still_runs(const Network& opened, const Config& config, const Paths& paths) {
  const auto known = config.networks.find(opened.name);
  if (known != config.networks.end() && known->second.rest) return false;
  for (const RunningSandbox& one : running_sandboxes(paths)) {
    const auto url = api::parse_url(one.url);
    if (opened.rest_source == std::string(sandbox_source) + one.name && url && *url == opened.rest) return true;
  }
  return false;
}

}  // namespace

Result<Network, Failure> find_again(const Network& opened, const Config& config, const Paths& paths,
                                    const Environment& environment) {
  auto now = find_network({opened.name, opened.by}, config, paths, environment);
  const bool is_sandbox = opened.rest_source.starts_with(sandbox_source);
  const bool same = now && now->rest == opened.rest && now->ws == opened.ws &&
                    (!is_sandbox || now->rest_source == opened.rest_source);
  if (same) return now;
  if (still_runs(opened, config, paths)) return opened;
  const std::string what = is_sandbox ? opened.rest_source.substr(std::string_view("running ").size())
                                      : "network " + opened.name;
  return unexpected(guard("shell_network_moved", "the " + what + " that this shell was opened on, at " +
                                                     opened.origin() +
                                                     ", is gone or has moved; nothing was sent. Open another shell"));
}

}  // namespace svc::cli
