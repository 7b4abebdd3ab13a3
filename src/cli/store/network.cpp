#include "cli/store/network.h"

#include "base/process.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/json.h"

namespace svc::cli {
namespace {

constexpr std::string_view local_default_url = "http://localhost:9090";

Failure not_configured(std::string_view name) {
  if (name == "mainnet") {
    return {.exit = ExitCode::unavailable,
            .code = "network_unavailable",
            .message = "the mainnet host does not resolve yet, and no address is configured; nothing was sent",
            .actions = {"svc network add mainnet --rest https://HOST/v1"}};
  }
  return usage_error("the address of network ", name, " is not configured")
      .with_code("network_unknown")
      .to_try({concat("svc network add ", name, " --rest https://HOST/v1")});
}

struct HostAddress {
  std::string url;
  std::string source;
};

Result<HostAddress, Failure> local_address(const NetworkConfig& config, const Paths& paths,
                                           const Environment& environment) {
  if (const auto url = environment.variable("SVC_LOCAL_URL")) return HostAddress{*url, "SVC_LOCAL_URL"};
  if (config.rest) return HostAddress{*config.rest, "configuration"};
  const auto running = running_sandboxes(paths);
  if (running.size() > 1) {
    const auto place = [](const RunningSandbox& one) { return one.name + " at " + one.url; };
    Failure failure =
        usage_error("several sandboxes are running (", joined(running, place),
                    "); svc local env --name NAME says how to choose one, and SVC_LOCAL_URL is what it sets")
            .with_code("several_sandboxes");
    for (const RunningSandbox& one : running)
      failure.actions.push_back("eval \"$(svc local env --name " + one.name + ")\"");
    return unexpected(std::move(failure));
  }
  if (running.size() == 1) return HostAddress{running.front().url, "running sandbox " + running.front().name};
  return HostAddress{std::string(local_default_url), "built-in"};
}

}  // namespace

std::string_view to_string(Funds funds) {
  switch (funds) {
    case Funds::real: return "real";
    case Funds::play: return "play";
    case Funds::unknown: return "unknown";
  }
  return {};
}

std::string Network::origin() const {
  api::Url root = rest;
  root.prefix.clear();
  return api::to_string(root);
}

bool is_network_name(std::string_view text) {
  constexpr std::size_t chars_max = 32;
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= chars_max && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), allowed);
}

Funds funds_of(std::string_view name, const NetworkConfig& config) {
  if (name == "mainnet") return Funds::real;
  if (config.funds == "real") return Funds::real;
  if (config.funds == "play" || name == "local" || name == "testnet") return Funds::play;
  return Funds::unknown;
}

Result<void, Failure> check_privacy(std::string_view name, Funds funds, const api::Url& url) {
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

Result<NetworkName, Failure> choose_network(const std::optional<std::string>& flag, const Environment& environment,
                                            const std::optional<std::string>& of_profile) {
  const auto variable = environment.variable("SVC_NETWORK");
  if (!flag && !variable && !of_profile) {
    return unexpected(usage_error("no network is selected, and there is no default; add -n local, -n testnet or "
                                  "-n mainnet, or set SVC_NETWORK")
                          .with_code("no_network"));
  }
  const NetworkName name = flag       ? NetworkName{*flag, NamedBy::command_line}
                           : variable ? NetworkName{*variable, NamedBy::environment}
                                      : NetworkName{*of_profile, NamedBy::profile};
  if (is_network_name(name.text)) return name;
  return unexpected(usage_error("\"", name.text, "\" is not a network name: lower-case letters, digits and hyphens"));
}

Result<Network, Failure> find_network(const NetworkName& name, const Config& config, const Paths& paths,
                                      const Environment& environment) {
  Network network{.name = name.text, .by = name.by, .rest = {}, .rest_source = {}, .ws = {}, .config = {}};
  if (const auto known = config.networks.find(name.text); known != config.networks.end()) {
    network.config = known->second;
  }
  network.funds = funds_of(name.text, network.config);
  network.ws = network.config.ws;

  std::string url;
  if (network.is_local()) {
    const auto address = SVC_TRY(local_address(network.config, paths, environment));
    url = address.url;
    network.rest_source = address.source;
  } else {
    if (!network.config.rest) return unexpected(not_configured(name.text));
    url = *network.config.rest;
    network.rest_source = "configuration";
  }
  const auto parsed = api::parse_url(url);
  const bool http = parsed && (parsed->scheme == api::Scheme::http || parsed->scheme == api::Scheme::https);
  if (!http) {
    return unexpected(usage_error("the address of network ", name.text, " (", network.rest_source, ") ",
                                  parsed ? "must begin with http:// or https://" : "is unusable: " + parsed.error()));
  }
  network.rest = *parsed;
  return network;
}

namespace {

// As in Network::rest_source.
constexpr std::string_view sandbox_source = "running sandbox ";

// Whether the opened sandbox still runs; others may have been started meanwhile.
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
  const std::string what =
      is_sandbox ? opened.rest_source.substr(std::string_view("running ").size()) : "network " + opened.name;
  return unexpected(guard("shell_network_moved", "the ", what, " that this shell was opened on, at ", opened.origin(),
                          ", is gone or has moved; nothing was sent. Open another shell"));
}

namespace {

enum class Stage : std::uint8_t { starting, ready };

std::vector<RunningSandbox> sandboxes_at(Stage stage, const Paths& paths) {
  std::vector<RunningSandbox> found;
  for (std::string& name : list_documents(paths.sandboxes())) {
    const auto text = read_private(document_in(paths.sandboxes(), name));
    if (!text || !*text) continue;
    const auto report = parse_json(**text);
    if (!report) continue;
    const auto url = report->string_at("url");
    const auto pid = report->integer_at("pid");
    if (url.has_value() != (stage == Stage::ready) || !pid || *pid <= 0) continue;
    // A killed process may still have its process id, but does not answer.
    if (process_state(static_cast<pid_t>(*pid)) != ProcessState::runs) continue;
    found.push_back({std::move(name), std::string(url.value_or("")), *pid});
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
