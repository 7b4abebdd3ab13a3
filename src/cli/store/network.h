// Which network a command talks to, and its addresses.
//
// There is no default network: it is named by -n, SVC_NETWORK or a profile that the user chose. A host is never derived
// from a name; if the address of a network is not known, the command ends before anything is sent.
//
// A network may have several REST bases. They lead to one deployment: sessions, keys, nonces and budgets belong to the
// network, whichever base is in use. (D-860)
#pragma once

#include "api/http/url.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/terminal/failure.h"

namespace svc::limits {
inline constexpr std::size_t rest_bases_max = 8;  // of one network
}  // namespace svc::limits

namespace svc::cli {

enum class Funds : std::uint8_t { real, play, unknown };
[[nodiscard]] std::string_view to_string(Funds funds);

enum class NamedBy : std::uint8_t { command_line, environment, profile };

struct NetworkName {
  std::string text;
  NamedBy by = NamedBy::command_line;
};

// One of the ways to a deployment.
struct Base {
  api::Url rest;                    // host root and prefix
  std::optional<std::string> ws{};  // of the streams, if it is configured

  bool operator==(const Base&) const = default;
};

// The host root of an address.
[[nodiscard]] std::string origin_of(api::Url url);

struct Network {
  std::string name;
  NamedBy by = NamedBy::command_line;
  Funds funds = Funds::unknown;
  api::Url rest;                  // of the base in use
  std::string rest_source;        // "configuration", "SVC_LOCAL_URL", "running sandbox NAME", "built-in"
  std::optional<std::string> ws;  // of the base in use
  NetworkConfig config;           // the user's configuration of it
  std::vector<Base> bases;        // in the user's order, each on another host or port; at least one

  [[nodiscard]] bool is_local() const { return name == "local"; }
  // Unknown counts as real.
  [[nodiscard]] bool real_funds() const { return funds != Funds::play; }
  // "http://localhost:9090": the host root of the base in use.
  [[nodiscard]] std::string origin() const { return origin_of(rest); }

  void use(const Base& base) {
    rest = base.rest;
    ws = base.ws;
  }
  // The base with that origin; null if there is none.
  [[nodiscard]] const Base* base_at(std::string_view origin) const;
  // The one after the base in use, and after the last the first.
  [[nodiscard]] const Base& next_base() const;
};

// Lower-case letters, digits and hyphens, starting with a letter, at most 32 characters: it is part of file names.
[[nodiscard]] bool is_network_name(std::string_view text);
Result<void> check_network_name(std::string_view text);

// The chosen name: from -n, else SVC_NETWORK, else the profile in use.
Result<NetworkName> choose_network(const std::optional<std::string>& flag, const Environment& environment,
                                   const std::optional<std::string>& of_profile);

// The bases of a network's addresses. Exit 2 for an unusable address, for more than limits::rest_bases_max bases, for
// two on one host and port, and for a number of stream addresses that is neither one nor that of the bases. `of` tells
// whose they are: "network team (configuration)".
Result<std::vector<Base>> bases_of(const std::vector<std::string>& rest, const std::vector<std::string>& ws,
                                   std::string_view of);

// What is known of the named network without asking a server, its first base in use. Without a configured address exit
// 10 for mainnet, exit 2 for others. (API: Networks)
Result<Network> find_network(const NetworkName& name, const Config& config, const Paths& paths,
                             const Environment& environment);

// Exit 14 for real funds over plain http or ws to another machine: anyone on the path could change the traffic.
Result<void> check_privacy(std::string_view name, Funds funds, const api::Url& url);

// By name and configuration; mainnet is real whatever the configuration says.
[[nodiscard]] Funds funds_of(std::string_view name, const NetworkConfig& config);

// The network of a shell that stays on it.

// What is known of it now; exit 14 if its address has gone or serves another network.
Result<Network> find_again(const Network& opened, const Config& config, const Paths& paths,
                           const Environment& environment);

// The running sandboxes of this user, by their files in the runtime folder.

// Whether the sandbox of that ready line serves network local, alone or among several.
[[nodiscard]] bool serves_local(const Json& ready_line);

struct RunningSandbox {
  std::string name;
  std::string url;  // host root
  std::int64_t pid = 0;
  std::uint64_t start = 0;  // of its process (process.h); 0: not known
  bool is_local = true;     // serves network local, under localhost
};

// Those whose process exists, sorted by name; files of killed ones are ignored. `ready` ones accept requests;
// `starting` ones have no `url` yet.
enum class SandboxStage : std::uint8_t { starting, ready };
[[nodiscard]] std::vector<RunningSandbox> running_sandboxes(const Paths& paths,
                                                            SandboxStage stage = SandboxStage::ready);

}  // namespace svc::cli
