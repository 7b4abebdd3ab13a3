#include "cli/store/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/arguments/line_words.h"
#include "cli/machine/private_file.h"
#include "cli/store/network.h"

namespace svc::cli {
namespace {

constexpr std::string_view config_version = "1";
constexpr std::string_view networks_prefix = "networks.";
constexpr std::string_view guards_section = "guards";
constexpr std::string_view guards_prefix = "guards.";
constexpr std::string_view profiles_prefix = "profiles.";
constexpr std::string_view profile_key = "profile";  // at the top: the profile in use if none is named

template <class Member>
struct NetworkKey {
  std::string_view key;
  Member NetworkConfig::*member;
};
constexpr std::array address_keys{NetworkKey{"rest", &NetworkConfig::rest}, NetworkKey{"ws", &NetworkConfig::ws}};
constexpr std::array network_keys{
    NetworkKey{"funds", &NetworkConfig::funds},
    NetworkKey{"domain_name", &NetworkConfig::domain_name},
    NetworkKey{"chain_id", &NetworkConfig::chain_id},
    NetworkKey{"deployment", &NetworkConfig::deployment},
};

bool is_setting(std::string_view key) {
  return is_among(key, settings(), &Setting::key);
}

bool take_network(const TomlEntry& entry, NetworkConfig& network) {
  for (const auto& [key, member] : address_keys) {
    if (key != entry.key) continue;
    network.*member = entry.is_list ? entry.items : std::vector{entry.value};
    return true;
  }
  for (const auto& [key, member] : network_keys) {
    if (key != entry.key || entry.is_list) continue;
    network.*member = entry.value;
    return true;
  }
  return false;
}

// False if the key is unknown.
bool take(const TomlEntry& entry, Config& config) {
  if (entry.section.starts_with(networks_prefix))
    return take_network(entry, config.networks[entry.section.substr(networks_prefix.size())]);
  if (entry.is_list) {
    const bool is_command = entry.key == "password_command";
    if (entry.section.empty() || entry.section == "aliases" || (is_command && entry.items.empty())) return false;
    TomlEntry line = entry;
    line.is_list = false;
    // A shell splits a command into the same words. Any other key says itself what it must be.
    line.value = is_command ? joined(entry.items, quoted_word, " ") : "[" + joined(entry.items) + "]";
    return take(line, config);
  }
  const Placed placed{entry.value, entry.line};
  if (entry.section.empty() && entry.key == profile_key) {
    config.profile = placed;
    return true;
  }
  const auto put = [&](PlacedValues& values, bool is_known) {
    if (is_known) values[entry.key] = placed;
    return is_known;
  };
  if (entry.section == "aliases") return put(config.aliases, true);
  if (entry.section == "defaults") return put(config.defaults, is_setting(entry.key));
  if (entry.section.starts_with(profiles_prefix)) {
    const bool is_known = entry.key == profile_network_key || entry.key == profile_account_key || is_setting(entry.key);
    return put(config.profiles[entry.section.substr(profiles_prefix.size())], is_known);
  }
  const bool is_general = entry.section == guards_section;
  const bool is_guard = is_general || entry.section.starts_with(guards_prefix);
  if (!is_guard || !is_among(entry.key, guards::guard_keys())) return false;
  return put(config.guards[is_general ? "" : entry.section.substr(guards_prefix.size())], true);
}

// A settings file in any folder; nullopt if there is none. Exit 14 if somebody else owns it or may write it, because it
// could be there to steer this program.
Result<std::optional<std::string>> read_settings(const std::filesystem::path& file) {
  constexpr std::size_t bytes_max = 256 * 1024;
  const Descriptor handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!handle) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>{};
    return usage_error("cannot read ", file.string(), ": ", std::strerror(errno));
  }
  struct stat status {};
  const bool own = ::fstat(handle.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                   (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & 022) == 0;
  if (own) return std::optional(SVC_TRY(read_descriptor(handle.get(), file.string(), bytes_max)));
  return guard("file_mode", file.string(), " belongs to somebody else or can be written by others")
      .to_try({join_words({"chmod", "go-w", file.string()})});
}

// A folder on the way may be closed to this user; a file in it is nobody's project then.
bool is_hidden(const std::filesystem::path& file) {
  std::error_code error;
  static_cast<void>(std::filesystem::status(file, error));
  return error == std::errc::permission_denied;
}

struct ProjectFile {
  std::filesystem::path file;
  std::string text;
};

// .svc.toml in `from` or the nearest folder above it.
Result<std::optional<ProjectFile>> find_project(const std::filesystem::path& from) {
  for (std::filesystem::path folder = from;; folder = folder.parent_path()) {
    const std::filesystem::path file = folder / ".svc.toml";
    auto text = is_hidden(file) ? std::optional<std::string>() : SVC_TRY(read_settings(file));
    if (text) return std::optional(ProjectFile{file, std::move(*text)});
    if (folder == folder.parent_path()) return std::optional<ProjectFile>{};
  }
}

Result<std::string> read_text(const Paths& paths) {
  const bool named = !paths.named_config.empty();
  auto text = SVC_TRY(named ? read_settings(paths.named_config) : read_private(paths.config_file()));
  if (!text && named) return usage_error("there is no file ", paths.named_config.string());
  return text.value_or("");
}

std::string place(const std::filesystem::path& file, std::size_t line) {
  return concat(file.string(), ", line ", line);
}

// The written text must read back as intended: a section in another of TOML's forms is not edited here. The section
// must then hold exactly what is expected; with a key, only that key is compared.
Result<void> store(const Paths& paths, const std::string& text, std::string_view section, const TomlMembers& expected,
                   std::string_view key = {}) {
  const auto entries = parse_toml(text);
  std::size_t found = 0, others = 0;
  for (const TomlEntry& entry : entries ? *entries : std::vector<TomlEntry>{}) {
    if (entry.section != section || (!key.empty() && entry.key != key)) continue;
    const TomlValue value = entry.is_list ? TomlValue(entry.items) : TomlValue(entry.value);
    const bool is_expected = std::ranges::any_of(
        expected, [&](const auto& wanted) { return entry.key == wanted.first && value == wanted.second; });
    ++(is_expected ? found : others);
  }
  if (!entries || found != expected.size() || others > 0) {
    const std::string_view line = expected.empty() ? key : std::string_view(expected.front().first);
    return usage_error(paths.config_file().string(), " is written in a form that only a person can edit: ",
                       section.empty() ? concat("the line of ", line, " must stand before the first section")
                                       : concat("[", section, "] must be a section of its own"));
  }
  return write_private(paths.config_file(), text);
}

// The text of the file, locked from before it is read until it is written.
struct Draft {
  FileLock lock;
  std::string text;
};

Result<Draft> begin_change(const Paths& paths) {
  auto lock = SVC_TRY(lock_beside(paths.config_file()));
  auto text = SVC_TRY(read_text(paths));
  if (text.empty()) text = "version = " + std::string(config_version) + "\n";
  return Draft{std::move(lock), std::move(text)};
}

// The entries that the text already has. None if it cannot be read; it is not written then either.
std::vector<TomlEntry> entries_of(std::string_view text) {
  auto entries = parse_toml(text);
  return entries ? std::move(*entries) : std::vector<TomlEntry>{};
}

void take_all(const std::vector<TomlEntry>& entries, Config& config) {
  for (const TomlEntry& entry : entries) {
    if (entry.section.empty() && entry.key == "version") continue;
    if (!take(entry, config)) config.warnings.push_back(place(config.file, entry.line) + ": unknown key " + entry.key);
  }
}

void add_layers(std::vector<Layer>& layers, std::string_view key, std::string_view variable,
                const Environment& environment, const Config* config, const ChosenProfile& profile) {
  if (const auto value = variable.empty() ? std::nullopt : environment.variable(variable))
    layers.push_back({"environment", std::string(variable), *value});
  if (config == nullptr) return;
  const auto add = [&](std::string_view layer, const Placed* value, std::string_view of, const auto& file) {
    if (value != nullptr) layers.push_back({layer, concat(of, place(file, value->line)), value->value});
  };
  add("profile", profile.find(key), concat("profile ", profile.name, ", "), config->file);
  add("project", found_at(config->project, key), "", config->project_file);
  add("user", found_at(config->defaults, key), "", config->file);
}

// A flag that means the same replaces the setting.
std::optional<Layer> typed(const Setting& setting, GlobalWords& words) {
  if (const auto& word = setting.word(words)) return Layer{"flag", "command line", *word};
  const Globals& globals = words.globals;
  if (setting.key == "output") {
    if (words.json) return Layer{"flag", "--json", "json"};
    if (globals.jq) return Layer{"flag", "--jq", "json"};
    if (globals.text_template) return Layer{"flag", "--template", "template"};
  }
  if (setting.key == "password_file" && globals.password_fd) {
    return Layer{"flag", "--password-fd", std::to_string(*globals.password_fd)};
  }
  return std::nullopt;
}

}  // namespace

TomlMembers NetworkConfig::entries() const {
  TomlMembers result;
  for (const auto& [key, member] : address_keys) {
    const auto& addresses = this->*member;
    if (addresses.size() == 1) result.emplace_back(key, addresses.front());
    if (addresses.size() > 1) result.emplace_back(key, addresses);
  }
  for (const auto& [key, member] : network_keys)
    if (const auto& value = this->*member) result.emplace_back(key, *value);
  return result;
}

void NetworkConfig::adopt(const NetworkConfig& said) {
  for (const auto& [key, member] : address_keys)
    if (!(said.*member).empty()) this->*member = said.*member;
  for (const auto& [key, member] : network_keys)
    if (said.*member) this->*member = said.*member;
}

Result<Config> load_config(const Paths& paths) {
  const auto text = SVC_TRY(read_text(paths));
  Config config;
  config.file = paths.config_file();
  const auto entries = parse_toml(text);
  if (!entries) return usage_error(config.file.string(), ": ", entries.error());
  for (const TomlEntry& entry : *entries)
    if (entry.section.empty() && entry.key == "version" && entry.value != config_version)
      return usage_error(config.file.string(), " has version ", entry.value, "; this program reads version ",
                         config_version);
  take_all(*entries, config);
  return config;
}

std::optional<Config> load_usable_config(const Paths& paths) {
  const auto text = read_text(paths);
  if (!text) return std::nullopt;
  Config config;
  config.file = paths.config_file();
  take_all(parse_usable_toml(*text), config);
  return config;
}

Result<void> load_project(Config& config, const std::filesystem::path& from) {
  if (from.empty()) return {};
  auto found = SVC_TRY(find_project(from));
  if (!found) return {};
  config.project_file = found->file;
  const auto entries = parse_toml(found->text);
  if (!entries) return usage_error(config.project_file.string(), ": ", entries.error());
  const auto known = settings();
  for (const TomlEntry& entry : *entries) {
    if (entry.section.empty() && entry.key == "version") continue;
    const Setting* setting = found_in(known, entry.key, &Setting::key);
    if (setting != nullptr && setting->in_project && entry.section == "defaults" && !entry.is_list) {
      config.project[entry.key] = {entry.value, entry.line};
      continue;
    }
    std::vector<std::string_view> allowed;
    for (const Setting& one : known)
      if (one.in_project) allowed.push_back(one.key);
    return guard("project_file", place(config.project_file, entry.line), ": a project may not set ", entry.section,
                 entry.section.empty() ? "" : ".", entry.key, "; it may set, under [defaults], ", joined(allowed));
  }
  return {};
}

Result<void> store_network(const Paths& paths, std::string_view name, const std::optional<NetworkConfig>& said,
                           const CheckConfig& check) {
  const auto draft = SVC_TRY(begin_change(paths));
  if (check) SVC_TRY(check(SVC_TRY(load_config(paths))));
  const std::string section = std::string(networks_prefix) + std::string(name);
  NetworkConfig network;
  for (const TomlEntry& entry : entries_of(draft.text))
    if (said && entry.section == section) take_network(entry, network);
  if (said) network.adopt(*said);
  const auto wanted = network.entries();
  return store(paths, replace_section(draft.text, section, wanted), section, wanted);
}

Result<void> store_profile(const Paths& paths, std::string_view name,
                           const std::optional<std::vector<std::pair<std::string, std::string>>>& entries) {
  const auto draft = SVC_TRY(begin_change(paths));
  std::string text = draft.text;
  for (const TomlEntry& entry : entries_of(text)) {
    const bool in_use = entry.section.empty() && entry.key == profile_key && entry.value == name;
    if (!entries && in_use) text = replace_entry(text, "", profile_key, std::nullopt);
  }
  const TomlMembers wanted = entries ? TomlMembers(entries->begin(), entries->end()) : TomlMembers();
  const std::string section = std::string(profiles_prefix) + std::string(name);
  return store(paths, replace_section(text, section, wanted), section, wanted);
}

Result<void> store_entry(const Paths& paths, std::string_view section, std::string_view key,
                         const std::optional<std::string>& value) {
  const auto draft = SVC_TRY(begin_change(paths));
  TomlMembers wanted;
  if (value) wanted.emplace_back(key, *value);
  return store(paths, replace_entry(draft.text, section, key, value), section, wanted, key);
}

const Placed* ChosenProfile::find(std::string_view key) const {
  return values == nullptr ? nullptr : found_at(*values, key);
}

Result<ChosenProfile> choose_profile(const std::optional<std::string>& typed_name, const Environment& environment,
                                     const Config& config) {
  std::optional<std::string> name = typed_name ? typed_name : environment.variable("SVC_PROFILE");
  const bool chosen_before = !name && config.profile.has_value();
  if (chosen_before) name = config.profile->value;
  if (!name) return ChosenProfile{};
  if (const PlacedValues* values = found_at(config.profiles, *name)) return ChosenProfile{*name, values};
  return usage_error("no profile is called \"", *name, "\"",
                     chosen_before ? " (" + place(config.file, config.profile->line) + ")"
                     : typed_name  ? ""
                                   : " (SVC_PROFILE)")
      .to_try({"svc profile list"});
}

std::vector<Explained> fill_in(GlobalWords& words, const Environment& environment, const Config* config,
                               const ChosenProfile& profile) {
  std::vector<Explained> all;
  for (const Setting& setting : settings()) {
    Explained one{.key = std::string(setting.key), .layers = {}};
    const auto flag = typed(setting, words);
    if (flag) one.layers.push_back(*flag);
    std::vector<Layer> below;
    add_layers(below, setting.key, setting.variable, environment, config, profile);
    for (Layer& layer : below) {
      auto problem = problem_of(setting, layer.value, environment.variable("TZ"));
      // What is typed chooses columns. (D-1128)
      const bool has_columns = layer.value == "table" || layer.value == "csv" || layer.value == "tsv";
      if (!problem && setting.key == "output" && words.fields && !has_columns)
        problem = concat(layer.value, " has no columns for --fields");
      if (problem)
        one.unusable.push_back({std::move(layer), std::move(*problem)});
      else
        one.layers.push_back(std::move(layer));
    }
    if (!flag && !one.layers.empty()) setting.word(words) = one.layers.front().value;
    if (!setting.built_in.empty()) one.layers.push_back({"built-in", "", std::string(setting.built_in)});
    all.push_back(std::move(one));
  }
  // These two come only from a flag, a variable or a profile.
  const auto network_and_account = [&](std::string_view key, std::string_view variable,
                                       const std::optional<std::string>& flag) {
    Explained one{.key = std::string(key), .layers = {}};
    if (flag) one.layers.push_back({"flag", "command line", *flag});
    add_layers(one.layers, key, variable, environment, config, profile);
    all.push_back(std::move(one));
  };
  network_and_account(profile_network_key, "SVC_NETWORK", words.globals.network);
  network_and_account(profile_account_key, "SVC_ACCOUNT", words.account);
  return all;
}

NetworkConfig settings_of(const Config& config, std::string_view network) {
  return value_in(config.networks, network).value_or(NetworkConfig{});
}

std::vector<Explained> explained_guards(const Config& config, const std::string& network) {
  const bool real = network.empty() || funds_of(network, settings_of(config, network)) != Funds::play;
  std::vector<Explained> all;
  for (const std::string_view key : guards::guard_keys()) {
    Explained& one = all.emplace_back();
    one.key.append(guards_prefix).append(network).append(network.empty() ? "" : ".").append(key);
    for (const Placed& value : guards::values_of(config.guards, network, real, key))
      one.layers.push_back({value.line == 0 ? "built-in" : "user",
                            value.line == 0 ? std::string() : place(config.file, value.line), value.value});
  }
  return all;
}

}  // namespace svc::cli
