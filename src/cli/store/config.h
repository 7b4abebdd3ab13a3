// config.toml: networks, profiles, aliases and defaults. Never secrets.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/machine/paths.h"
#include "cli/store/guard_terms.h"
#include "cli/terminal/failure.h"

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
  // Takes over what is set in `said`; the rest stays.
  void adopt(const NetworkConfig& said);
};

struct Placed {
  std::string value;
  std::size_t line = 0;  // of its file
};
using PlacedValues = std::map<std::string, Placed, std::less<>>;

struct Config {
  std::filesystem::path file{};
  std::map<std::string, NetworkConfig, std::less<>> networks{};
  PlacedValues defaults{};
  std::map<std::string, PlacedValues, std::less<>> profiles{};
  std::optional<Placed> profile{};  // the one that holds when none is named
  PlacedValues aliases{};
  guards::Settings guards{};

  std::filesystem::path project_file{};  // empty: there is none
  PlacedValues project{};                // what the folder one works in asks for

  std::vector<std::string> warnings{};  // unknown keys, with their lines
};

// What a profile may hold beyond settings().
inline constexpr std::string_view profile_network_key = "network";
inline constexpr std::string_view profile_account_key = "account";

[[nodiscard]] bool is_profile_key(std::string_view key);

// An absent file is an empty configuration; one named by --config must be there.
[[nodiscard]] Result<Config, Failure> load_config(const Paths& paths);

// What can be read of it, whatever is wrong with the rest: enough to find the network of who wants to leave.
[[nodiscard]] std::optional<Config> load_usable_config(const Paths& paths);

// Takes .svc.toml of the nearest folder from `from` upwards that has one. Exit 14 for a file that others could
// write, and for one that sets what only its user may: networks, accounts, signers, credentials, routes.
[[nodiscard]] Result<void, Failure> load_project(Config& config, const std::filesystem::path& from);

// Each of these reads the file, changes it and writes it again under its lock: what several processes change at once
// all stands in the end.

// Sets what is said of one network and leaves the rest of the file, comments included, as it is; what is not said of
// the network stays. nullopt takes it out.
[[nodiscard]] Result<void, Failure> store_network(const Paths& paths, std::string_view name,
                                                  const std::optional<NetworkConfig>& said);

// Replaces [profiles.NAME]; nullopt takes it out, and is then no longer the profile in use.
[[nodiscard]] Result<void, Failure> store_profile(
    const Paths& paths, std::string_view name,
    const std::optional<std::vector<std::pair<std::string, std::string>>>& entries);

// Sets one entry, or takes it out; an empty section is the top of the file.
[[nodiscard]] Result<void, Failure> store_entry(const Paths& paths, std::string_view section, std::string_view key,
                                                const std::optional<std::string>& value);

// Files of settings that may lie anywhere: readable by all, writable by their user alone. What others can
// write could have been put there to steer this program.

inline constexpr std::size_t settings_file_bytes_max = 256 * 1024;

// nullopt if there is no such file; exit 14 for one that somebody else owns or may write.
[[nodiscard]] Result<std::optional<std::string>, Failure> read_settings(const std::filesystem::path& file);

struct ProjectFile {
  std::filesystem::path file;
  std::string text;
};

// .svc.toml in `from` or the nearest folder above it, as a version control system finds its own files.
[[nodiscard]] Result<std::optional<ProjectFile>, Failure> find_project(const std::filesystem::path& from);

}  // namespace svc::cli
