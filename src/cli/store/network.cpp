#include "cli/store/network.h"

#include <iterator>
#include <sstream>

#include "base/enumerators.h"
#include "base/process.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace {

constexpr std::string_view local_default_url = "http://localhost:9090";

Failure not_configured(std::string_view name) {
  if (name == "mainnet") {
    return failed("network_unavailable",
                  "the mainnet host does not resolve yet, and no address is configured; nothing was sent")
        .to_try({"svc network add mainnet --rest https://HOST/v1"});
  }
  return failed("network_unknown", "the address of network ", name, " is not configured")
      .to_try({concat("svc network add ", name, " --rest https://HOST/v1")});
}

// As in Network::rest_source.
constexpr std::string_view sandbox_source = "running sandbox ";

struct HostAddresses {
  std::vector<std::string> urls;
  std::string source;
};

Result<HostAddresses> local_addresses(const NetworkConfig& config, const Paths& paths, const Environment& environment) {
  if (const auto urls = environment.variable("SVC_LOCAL_URL")) {
    std::istringstream words(*urls);
    return HostAddresses{{std::istream_iterator<std::string>(words), {}}, "SVC_LOCAL_URL"};
  }
  if (!config.rest.empty()) return HostAddresses{config.rest, "configuration"};
  auto running = running_sandboxes(paths);
  // One that is testnet or mainnet is meant only if no other runs, for its control surface.
  if (std::ranges::any_of(running, &RunningSandbox::is_local))
    std::erase_if(running, std::not_fn(&RunningSandbox::is_local));
  if (running.size() > 1) {
    const auto place = [](const RunningSandbox& one) { return one.name + " at " + one.url; };
    Failure failure = failed("several_sandboxes", "several sandboxes are running (", joined(running, place),
                             "); svc local env --name NAME says how to choose one, and SVC_LOCAL_URL is what it sets");
    for (const RunningSandbox& one : running)
      failure.actions.push_back("eval \"$(svc local env --name " + one.name + ")\"");
    return unexpected(std::move(failure));
  }
  if (running.size() == 1) return HostAddresses{{running.front().url}, concat(sandbox_source, running.front().name)};
  return HostAddresses{{std::string(local_default_url)}, "built-in"};
}

// Whether the opened sandbox still runs; others may have been started meanwhile.
bool still_runs(const Network& opened, const Config& config, const Paths& paths) {
  if (!settings_of(config, opened.name).rest.empty()) return false;
  for (const RunningSandbox& one : running_sandboxes(paths)) {
    const auto url = api::parse_url(one.url);
    if (opened.rest_source == concat(sandbox_source, one.name) && url && *url == opened.rest) return true;
  }
  return false;
}

}  // namespace

std::string_view to_string(Funds funds) {
  return enumerator_names<Funds, Funds::unknown>[static_cast<std::size_t>(funds)];
}

std::string origin_of(api::Url url) {
  url.prefix.clear();
  return api::to_string(url);
}

const Base* Network::base_at(std::string_view origin) const {
  return found_in(bases, origin, [](const Base& one) { return origin_of(one.rest); });
}

const Base& Network::next_base() const {
  const auto now = std::ranges::find(bases, rest, &Base::rest);
  return now == bases.end() || now + 1 == bases.end() ? bases.front() : *(now + 1);
}

bool is_network_name(std::string_view text) {
  constexpr std::size_t chars_max = 32;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= chars_max && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

Result<void> check_network_name(std::string_view text) {
  if (is_network_name(text)) return {};
  return usage_error("\"", text, "\" is not a network name: lower-case letters, digits and hyphens");
}

Funds funds_of(std::string_view name, const NetworkConfig& config) {
  if (name == "mainnet") return Funds::real;
  if (config.funds == "real") return Funds::real;
  if (config.funds == "play" || name == "local" || name == "testnet") return Funds::play;
  return Funds::unknown;
}

Result<void> check_privacy(std::string_view name, Funds funds, const api::Url& url) {
  if (funds == Funds::play || api::is_tls(url.scheme) || api::is_loopback(url.host)) return {};
  const bool unknown = funds == Funds::unknown;
  const bool stream = url.scheme == api::Scheme::ws;
  Failure failure =
      guard("plain_http", "network ", name, " holds ",
            unknown ? "funds of unknown kind, which count as real" : "real funds", ", and ", api::to_string(url),
            " is not encrypted: others can read and change what goes there")
          .to_try({concat("svc network add ", name, stream ? " --ws wss://HOST/v1" : " --rest https://HOST/v1")});
  if (unknown) failure.actions.push_back(concat("svc network add ", name, " --funds play"));
  return unexpected(std::move(failure));
}

Result<NetworkName> choose_network(const std::optional<std::string>& flag, const Environment& environment,
                                   const std::optional<std::string>& of_profile) {
  const auto variable = environment.variable("SVC_NETWORK");
  if (!flag && !variable && !of_profile) {
    return failed("no_network",
                  "no network is selected, and there is no default; add -n local, -n testnet or "
                  "-n mainnet, or set SVC_NETWORK");
  }
  const NetworkName name = flag       ? NetworkName{*flag, NamedBy::command_line}
                           : variable ? NetworkName{*variable, NamedBy::environment}
                                      : NetworkName{*of_profile, NamedBy::profile};
  SVC_TRY(check_network_name(name.text));
  return name;
}

Result<std::vector<Base>> bases_of(const std::vector<std::string>& rest, const std::vector<std::string>& ws,
                                   std::string_view of) {
  if (rest.empty() || rest.size() > limits::rest_bases_max)
    return usage_error("a network has 1 to ", limits::rest_bases_max, " bases; ", of, " has ", rest.size());
  // One address may serve the streams of all, such as that of a balancer.
  if (ws.size() > 1 && ws.size() != rest.size()) {
    return usage_error(of, " has ", ws.size(), " stream addresses for ", rest.size(),
                       " bases: give one for all of them, or one for each in the same order");
  }
  std::vector<Base> bases;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto url = api::parse_url(rest[i]);
    const bool http = url && (url->scheme == api::Scheme::http || url->scheme == api::Scheme::https);
    if (!http) {
      return usage_error("the address of ", of, " ",
                         url ? "must begin with http:// or https://" : "is unusable: " + url.error());
    }
    const auto same = [&](const Base& one) { return one.rest.host == url->host && one.rest.port == url->port; };
    if (std::ranges::any_of(bases, same))
      return usage_error("two bases of ", of, " are at ", api::authority(*url), "; each needs its own");
    bases.push_back({.rest = *url, .ws = {}});
    if (!ws.empty()) bases.back().ws = ws[ws.size() == 1 ? 0 : i];
  }
  return bases;
}

Result<Network> find_network(const NetworkName& name, const Config& config, const Paths& paths,
                             const Environment& environment) {
  Network network{.name = name.text,
                  .by = name.by,
                  .rest = {},
                  .rest_source = {},
                  .ws = {},
                  .config = settings_of(config, name.text),
                  .bases = {}};
  network.funds = funds_of(name.text, network.config);
  if (network.config.rest.empty() && !network.is_local()) return not_configured(name.text);
  const HostAddresses found = network.is_local() ? SVC_TRY(local_addresses(network.config, paths, environment))
                                                 : HostAddresses{network.config.rest, "configuration"};
  network.rest_source = found.source;
  network.bases =
      SVC_TRY(bases_of(found.urls, network.config.ws, concat("network ", name.text, " (", network.rest_source, ")")));
  network.use(network.bases.front());
  return network;
}

Result<Network> find_again(const Network& opened, const Config& config, const Paths& paths,
                           const Environment& environment) {
  auto now = find_network({opened.name, opened.by}, config, paths, environment);
  const bool is_sandbox = opened.rest_source.starts_with(sandbox_source);
  const bool same = now && now->bases == opened.bases && (!is_sandbox || now->rest_source == opened.rest_source);
  if (same) return now;
  if (still_runs(opened, config, paths)) return opened;
  const std::string what =
      is_sandbox ? opened.rest_source.substr(std::string_view("running ").size()) : "network " + opened.name;
  return guard("shell_network_moved", "the ", what, " that this shell was opened on, at ", opened.origin(),
               ", is gone or has moved; nothing was sent. Open another shell");
}

bool serves_local(const Json& ready_line) {
  const Json* networks = ready_line.find("networks");
  const auto is_local = [](const Json& one) { return one.string_at("network") == "local"; };
  return networks == nullptr ? is_local(ready_line) : std::ranges::any_of(networks->items(), is_local);
}

std::vector<RunningSandbox> running_sandboxes(const Paths& paths, SandboxStage stage) {
  std::vector<RunningSandbox> found;
  auto names = list_documents(paths.sandboxes());
  if (!names) return found;  // a sandbox that cannot be seen is not there
  for (std::string& name : *names) {
    const auto text = read_private(document_in(paths.sandboxes(), name));
    if (!text || !*text) continue;
    const Json report = json_or_null(**text);
    const auto url = report.string_at("url");
    const auto pid = report.integer_at("pid");
    if (url.has_value() != (stage == SandboxStage::ready) || !pid || *pid <= 0) continue;
    // A killed process may still have its process id, but does not answer; later another process has it.
    const auto start = static_cast<std::uint64_t>(report.integer_at("start_ticks").value_or(0));
    if (process_state(static_cast<pid_t>(*pid), start) != ProcessState::runs) continue;
    found.push_back({std::move(name), std::string(url.value_or("")), *pid, start, serves_local(report)});
  }
  return found;
}

}  // namespace svc::cli
