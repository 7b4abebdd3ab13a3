#include "cli/config/config.h"

#include <algorithm>
#include <array>

#include "cli/config/toml.h"
#include "cli/files/private_file.h"
#include "cli/globals.h"
#include "cli/guards/guard_terms.h"

namespace svc::cli {
namespace {

constexpr std::string_view config_version = "1";
constexpr std::string_view networks_prefix = "networks.";
constexpr std::string_view guards_section = "guards";
constexpr std::string_view guards_prefix = "guards.";

struct NetworkKey {
  std::string_view key;
  std::optional<std::string> NetworkConfig::*member;
};
constexpr std::array network_keys{
    NetworkKey{"rest", &NetworkConfig::rest},         NetworkKey{"ws", &NetworkConfig::ws},
    NetworkKey{"funds", &NetworkConfig::funds},       NetworkKey{"domain_name", &NetworkConfig::domain_name},
    NetworkKey{"chain_id", &NetworkConfig::chain_id}, NetworkKey{"deployment", &NetworkConfig::deployment},
};

// False if nothing is known by that name.
bool take(const TomlEntry& entry, Config& config) {
  if (entry.section == "defaults") {
    const auto known = settings();
    const bool found = std::any_of(known.begin(), known.end(), [&](const Setting& s) { return s.key == entry.key; });
    if (found) config.defaults[entry.key] = entry.value;
    return found;
  }
  if (entry.section == guards_section || entry.section.starts_with(guards_prefix)) {
    const bool general = entry.section == guards_section;
    const std::string network = general ? "" : entry.section.substr(guards_prefix.size());
    if (guards::is_guard_key(entry.key)) config.guards[network][entry.key] = entry.value;
    return guards::is_guard_key(entry.key);
  }
  if (!entry.section.starts_with(networks_prefix)) return false;
  NetworkConfig& network = config.networks[entry.section.substr(networks_prefix.size())];
  for (const NetworkKey& known : network_keys) {
    if (known.key != entry.key) continue;
    network.*known.member = entry.value;
    return true;
  }
  return false;
}

Result<std::string, Failure> read_text(const Paths& paths) {
  auto text = read_private(paths.config_file());
  if (!text) return unexpected(text.error());
  return text->value_or("");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> NetworkConfig::entries() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const NetworkKey& known : network_keys) {
    if (const auto& value = this->*known.member) result.emplace_back(known.key, *value);
  }
  return result;
}

Result<Config, Failure> load_config(const Paths& paths) {
  const auto text = read_text(paths);
  if (!text) return unexpected(text.error());
  const std::string file = paths.config_file().string();
  const auto entries = parse_toml(*text);
  if (!entries) return unexpected(usage_error(file + ": " + entries.error()));
  Config config;
  for (const TomlEntry& entry : *entries) {
    if (entry.section.empty() && entry.key == "version") {
      if (entry.value != config_version) {
        return unexpected(usage_error(file + " has version " + entry.value + "; this program reads version " +
                                      std::string(config_version)));
      }
      continue;
    }
    if (!take(entry, config)) {
      config.warnings.push_back(file + ", line " + std::to_string(entry.line) + ": unknown key " + entry.key);
    }
  }
  return config;
}

Result<void, Failure> store_network(const Paths& paths, std::string_view name,
                                    const std::optional<NetworkConfig>& network) {
  auto text = read_text(paths);
  if (!text) return unexpected(text.error());
  if (text->empty()) *text = "version = " + std::string(config_version) + "\n";
  const auto entries = network ? network->entries() : std::vector<std::pair<std::string, std::string>>{};
  return write_private(paths.config_file(),
                       replace_section(*text, std::string(networks_prefix) + std::string(name), entries));
}

}  // namespace svc::cli
