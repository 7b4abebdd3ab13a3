// config.toml: networks, profiles, aliases and defaults, never secrets; and the layers of settings above it.
#pragma once

#include <filesystem>
#include <map>

#include "cli/arguments/globals.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/guard_terms.h"
#include "cli/store/toml.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// The members of [networks.NAME], all optional.
struct NetworkConfig {
  std::vector<std::string> rest;           // http(s)://host[:port][/v1], the bases of one deployment
  std::vector<std::string> ws;             // ws(s)://host[:port][/v1], one for all bases or one for each
  std::optional<std::string> funds;        // "real" or "play"
  std::optional<std::string> domain_name;  // of the EIP-712 domain and the login message
  std::optional<std::string> chain_id;     // of registrations; decimal digits
  std::optional<std::string> deployment;   // the `domain` text of signed actions

  // Key and value of each member that is set, in the order above.
  [[nodiscard]] TomlMembers entries() const;
  // Takes over the members that are set in `said`.
  void adopt(const NetworkConfig& said);
};

struct Config {
  std::filesystem::path file{};
  std::map<std::string, NetworkConfig, std::less<>> networks{};
  PlacedValues defaults{};
  std::map<std::string, PlacedValues, std::less<>> profiles{};
  std::optional<Placed> profile{};  // the one in use if none is named
  PlacedValues aliases{};
  guards::Settings guards{};

  std::filesystem::path project_file{};  // empty: none
  PlacedValues project{};                // the settings of the project file

  std::vector<std::string> warnings{};  // unknown keys, with their lines
};

// The keys that a profile may have besides settings().
inline constexpr std::string_view profile_network_key = "network";
inline constexpr std::string_view profile_account_key = "account";

// A missing file is an empty configuration, but a file named by --config must exist.
Result<Config> load_config(const Paths& paths);

// The readable part of a damaged configuration: enough for the way out, aliases and completion.
[[nodiscard]] std::optional<Config> load_usable_config(const Paths& paths);

// Reads .svc.toml of the nearest folder from `from` upwards. Exit 14 for a file that others can write, and for one that
// sets what only its user may: networks, accounts, signers, credentials, routes.
Result<void> load_project(Config& config, const std::filesystem::path& from);

// Each of these reads, changes and writes the file under its lock, so that concurrent changes are never lost.

// Sets members of one network; its others and the rest of the file, with comments, stay. nullopt removes the network.
// `check`, if given, sees the file as it is under the lock.
using CheckConfig = std::function<Result<void>(const Config&)>;
// The settings of a network; empty ones if the configuration does not name it.
[[nodiscard]] NetworkConfig settings_of(const Config& config, std::string_view network);

Result<void> store_network(const Paths& paths, std::string_view name, const std::optional<NetworkConfig>& said,
                           const CheckConfig& check = {});

// Replaces [profiles.NAME]; nullopt removes it, and it is then no longer the profile in use.
Result<void> store_profile(const Paths& paths, std::string_view name,
                           const std::optional<std::vector<std::pair<std::string, std::string>>>& entries);

// Sets one entry, or removes it; an empty section means the top of the file.
Result<void> store_entry(const Paths& paths, std::string_view section, std::string_view key,
                         const std::optional<std::string>& value);

// Where a setting comes from, by precedence: flag, environment, profile, project, user's configuration, built-in.

struct Layer {
  std::string_view name;  // "flag", "environment", "profile", "project", "user", "built-in"
  std::string place;      // "SVC_OUTPUT", "profile bot, /home/ada/.config/svc/config.toml, line 7"
  std::string value;
};

// The profile in use: -P, else SVC_PROFILE, else what `profile use` wrote. Exit 2 if it is not configured.
struct ChosenProfile {
  std::string name;  // empty: none
  const PlacedValues* values = nullptr;

  [[nodiscard]] const Placed* find(std::string_view key) const;
};
Result<ChosenProfile> choose_profile(const std::optional<std::string>& typed, const Environment& environment,
                                     const Config& config);

struct Explained {
  std::string key;
  std::vector<Layer> layers;  // all that set it, the effective one first; empty only if there is no default either
  // A layer's invalid value: it is ignored, and `problem` tells what was expected.
  struct Unusable {
    Layer layer;
    std::string problem;
  };
  std::vector<Unusable> unusable{};

  // On the command line.
  [[nodiscard]] bool is_typed() const { return !layers.empty() && layers.front().name == "flag"; }
};

// Fills in every setting that no flag gave, and tells where each setting comes from.
[[nodiscard]] std::vector<Explained> fill_in(GlobalWords& words, const Environment& environment, const Config* config,
                                             const ChosenProfile& profile);

// The guards of a network, as "guards.NETWORK.KEY"; with an empty name those of all networks with real funds, as
// "guards.KEY". One without a layer is off.
[[nodiscard]] std::vector<Explained> explained_guards(const Config& config, const std::string& network);

}  // namespace svc::cli
