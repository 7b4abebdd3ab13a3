// config.toml: networks and defaults. Never secrets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli {

// What [networks.NAME] may say. Every member is optional: what is absent is not known from here.
struct NetworkConfig {
  std::optional<std::string> rest;         // http(s)://host[:port][/v1]
  std::optional<std::string> ws;           // ws(s)://host[:port][/v1]
  std::optional<std::string> funds;        // "real" or "play"
  std::optional<std::string> domain_name;  // of the EIP-712 domain and the login message
  std::optional<std::string> chain_id;     // of registrations; decimal digits
  std::optional<std::string> deployment;   // the `domain` text of signed actions

  // Key and value of each member that is set, in the order written.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries() const;
};

struct Config {
  std::map<std::string, NetworkConfig, std::less<>> networks;
  std::map<std::string, std::string, std::less<>> defaults;
  // Of [guards.NETWORK], and of [guards] under the empty name.
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> guards;
  std::vector<std::string> warnings;  // unknown keys, with their lines
};

// An absent file is an empty configuration.
[[nodiscard]] Result<Config, Failure> load_config(const Paths& paths);

// Replaces the entry of one network and leaves the rest of the file, comments included, as it is.
// nullopt takes the network out.
[[nodiscard]] Result<void, Failure> store_network(const Paths& paths, std::string_view name,
                                                  const std::optional<NetworkConfig>& network);

}  // namespace svc::cli
