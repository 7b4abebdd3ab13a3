// Which network a command talks to, and its addresses.
//
// There is no default network: it is named by -n, SVC_NETWORK or a profile that the user chose. A host is never derived
// from a name; if the address of a network is not known, the command ends before anything is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/url.h"
#include "base/result.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

enum class Funds : std::uint8_t { real, play, unknown };
[[nodiscard]] std::string_view to_string(Funds funds);

enum class NamedBy : std::uint8_t { command_line, environment, profile };

struct NetworkName {
  std::string text;
  NamedBy by = NamedBy::command_line;
};

struct Network {
  std::string name;
  NamedBy by = NamedBy::command_line;
  Funds funds = Funds::unknown;
  api::Url rest;            // host root and prefix of the REST base
  std::string rest_source;  // "configuration", "SVC_LOCAL_URL", "running sandbox NAME", "built-in"
  std::optional<std::string> ws;
  NetworkConfig config;  // the user's configuration of it

  [[nodiscard]] bool is_local() const { return name == "local"; }
  // Unknown counts as real.
  [[nodiscard]] bool real_funds() const { return funds != Funds::play; }
  // "http://localhost:9090": the host root.
  [[nodiscard]] std::string origin() const;
};

// Lower-case letters, digits and hyphens, starting with a letter, at most 32 characters: it is part of file names.
[[nodiscard]] bool is_network_name(std::string_view text);

// The chosen name: from -n, else SVC_NETWORK, else the profile in use.
[[nodiscard]] Result<NetworkName, Failure> choose_network(const std::optional<std::string>& flag,
                                                          const Environment& environment,
                                                          const std::optional<std::string>& of_profile);

// What is known of the named network without asking a server. Without a configured address exit 10 for mainnet, exit 2
// for others. (API: Networks)
[[nodiscard]] Result<Network, Failure> find_network(const NetworkName& name, const Config& config, const Paths& paths,
                                                    const Environment& environment);

// Exit 14 for real funds over plain http or ws to another machine, where anyone on the path could read and change the
// traffic.
[[nodiscard]] Result<void, Failure> check_privacy(std::string_view name, Funds funds, const api::Url& url);

// By name and configuration; mainnet is real whatever the configuration says.
[[nodiscard]] Funds funds_of(std::string_view name, const NetworkConfig& config);

// The network of a shell that stays on it.

// What is known of it now; exit 14 if its address has gone or serves another network.
[[nodiscard]] Result<Network, Failure> find_again(const Network& opened, const Config& config, const Paths& paths,
                                                  const Environment& environment);

// The running sandboxes of this user, by their files in the runtime folder.

struct RunningSandbox {
  std::string name;
  std::string url;  // host root
  std::int64_t pid = 0;
};

// Only sandboxes that accept requests and whose process exists, sorted by name. Files left by a killed sandbox are
// ignored.
[[nodiscard]] std::vector<RunningSandbox> running_sandboxes(const Paths& paths);

// Sandboxes that have a name but no address yet; `url` is empty.
[[nodiscard]] std::vector<RunningSandbox> starting_sandboxes(const Paths& paths);

}  // namespace svc::cli
