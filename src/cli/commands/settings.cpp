// config, profile, alias
#include "api/network.h"
#include "cli/arguments/line_words.h"
#include "cli/client/signers.h"
#include "cli/commands/command_table.h"
#include "cli/commands/read.h"
#include "cli/store/guard_terms.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// The place of a guard: "guards.KEY" for all networks with real funds, "guards.NETWORK.KEY" for one.
struct Guard {
  std::string section, key;

  [[nodiscard]] std::string network() const {
    const auto dot = section.find('.');
    return dot == std::string::npos ? std::string() : section.substr(dot + 1);
  }
};
std::optional<Guard> guard_of(const std::string& key) {
  constexpr std::string_view prefix = "guards.";
  if (!key.starts_with(prefix)) return std::nullopt;
  const auto dot = key.rfind('.');
  return Guard{key.substr(0, dot), key.substr(dot + 1)};
}

Result<Explained> find_setting(Context& context, const std::string& key) {
  const auto guard = guard_of(key);
  if (guard) SVC_TRY(guards::check_guard(guard->key, "off"));
  const auto all =
      guard ? explained_guards(*SVC_TRY(context.config()), guard->network()) : std::vector(context.settings());
  const auto found = std::ranges::find(all, key, &Explained::key);
  if (found != all.end()) return *found;
  return usage_error("no setting is called \"" + key + "\"; there are " + joined(all, &Explained::key));
}

// With the guards of all networks with real funds, and those that are configured for one network.
Result<std::vector<Explained>> all_settings(Context& context) {
  auto all = std::vector(context.settings());
  const auto config = SVC_TRY(context.config());
  const auto add = [&](const std::string& network) {
    for (Explained& guard : explained_guards(*config, network))
      if (network.empty() || (!guard.layers.empty() && guard.layers.front().name == "user"))
        all.push_back(std::move(guard));
  };
  add("");
  for (const auto& [network, values] : config->guards)
    if (!network.empty()) add(network);
  return all;
}

// Who uses a proxy, and the password, are not shown, even if the rest of the value makes no sense.
std::string shown_value(std::string_view key, const std::string& value) {
  const auto host = value.rfind('@');
  if (key != "proxy" || host == std::string::npos) return value;
  const auto scheme = value.find("://");
  return value.substr(0, scheme < host ? scheme + 3 : 0) + "***" + value.substr(host);
}

Json in_effect(const Explained& one) {
  if (one.layers.empty()) return Json::object({{"key", one.key}, {"value", nullptr}, {"source", "not set"}});
  const Layer& wins = one.layers.front();
  return Json::object({{"key", one.key},
                       {"value", shown_value(one.key, wins.value)},
                       {"source", concat(wins.name, wins.place.empty() ? "" : " (" + wins.place + ")")}});
}

Result<Answer> get_setting(Context& context, const std::string& key) {
  return Answer{.data = in_effect(SVC_TRY(find_setting(context, key)))};
}

Result<Answer> list_settings(Context& context) {
  return Answer{.data = Json::list(SVC_TRY(all_settings(context)), in_effect)};
}

Result<Answer> explain_settings(Context& context, const std::optional<std::string>& key) {
  Answer answer{.data = Json::array()};
  const auto explained = key ? std::vector{SVC_TRY(find_setting(context, *key))} : SVC_TRY(all_settings(context));
  for (const Explained& one : explained) {
    const auto add = [&](const Layer& layer, Json place, bool wins) {
      answer.data.push(Json::object({{"key", one.key},
                                     {"value", shown_value(one.key, layer.value)},
                                     {"layer", layer.name},
                                     {"place", std::move(place)},
                                     {"wins", wins}}));
    };
    for (const Layer& layer : one.layers)
      add(layer, layer.place.empty() ? Json() : Json(layer.place), &layer == &one.layers.front());
    for (const Explained::Unusable& unusable : one.unusable) add(unusable.layer, unusable.layer.place, false);
  }
  return answer;
}

// Checks the value as the flag of that name does.
Result<void> check_value(const std::string& key, const std::optional<std::string>& value) {
  const auto setting = std::ranges::find(settings(), key, &Setting::key);
  if (setting == settings().end())
    return usage_error("\"", key, "\" is no setting that a file can hold; those are ",
                       joined(settings(), &Setting::key));
  if (const auto problem = value ? problem_of(*setting, *value) : std::nullopt) return usage_error(*problem);
  if (value && key == "proxy" && has_password(*value))
    return usage_error("proxy: a password does not belong in a file; SVC_PROXY may have one");
  if (value && key == "password_command" && value->starts_with('['))
    return usage_error(
        "password_command: here it is a line for /bin/sh, such as \"pass show svc/alice\"; a "
        "list of words is written into the file itself");
  return {};
}

// The value to store. A file or wallet that it names must exist. The path of a file is made absolute.
Result<std::string> stored_value(const Paths& paths, const std::string& key, const std::string& value) {
  std::error_code none;
  if (key == "ca" || (key == "password_file" && value != "-")) {
    if (std::filesystem::exists(value, none)) return std::filesystem::absolute(value, none).string();
    return usage_error(key + ": there is no file " + value);
  }
  if (key != "signer" || is_external_signer(value)) return value;
  for (const auto& folder : std::filesystem::directory_iterator(paths.keys(), none)) {
    if (find_wallet(paths, folder.path().filename().string(), value)) return value;
  }
  return usage_error("signer: no wallet is called \"", value, "\" on any network").to_try({"svc keystore list"});
}

Result<void> check_name(std::string_view what, const std::string& name) {
  if (is_network_name(name)) return {};
  return usage_error("\"", name, "\" is no name for ", what, ": lower-case letters, digits and hyphens");
}

// A limit of a network that is misspelt limits nothing.
Result<void> check_guarded(Context& context, const Guard& guard) {
  const std::string network = guard.network();
  if (network.empty()) return {};
  SVC_TRY(check_name("a network", network));
  const auto config = SVC_TRY(context.config());
  if (!config->networks.contains(network) && !api::parse<api::NetworkId>(network))
    context.notice("unknown_network",
                   "no network is called " + network + " yet; svc network list shows those that are");
  return {};
}

// Writes it; a dry run shows the plan instead.
template <class Store>
Result<Answer> write_or_tell(Context& context, std::string_view operation, Json data, Store store) {
  if (context.globals().dry_run) return planned(operation, data);
  SVC_TRY(store());
  return Answer{.data = std::move(data)};
}

Result<Answer> set_setting(Context& context, const std::string& key, std::optional<std::string> value, bool unset) {
  if (value.has_value() == unset) return usage_error("config set takes KEY and VALUE, or KEY and --unset");
  const auto guard = guard_of(key);
  SVC_TRY(!guard ? check_value(key, value) : guards::check_guard(guard->key, value.value_or("off")));
  if (guard && value) SVC_TRY(check_guarded(context, *guard));
  const auto config = SVC_TRY(context.config());
  if (value) value = SVC_TRY(stored_value(**context.paths(), key, *value));
  const auto& profile = context.globals().profile;
  if (guard && profile) return usage_error("guards hold for networks, not for profiles; leave out --profile");
  const std::string section = guard ? guard->section : profile ? "profiles." + *profile : "defaults";
  Json data = Json::object({{"key", key}, {"value", value}, {"section", section}, {"file", config->file.string()}});
  return write_or_tell(context, "config_set", std::move(data),
                       [&] { return store_entry(**context.paths(), section, guard ? guard->key : key, value); });
}

Result<Answer> show_paths(Context& context) {
  const auto config = SVC_TRY(context.config());
  const Paths& paths = **context.paths();
  Answer answer{.data = Json::array()};
  const auto add = [&](std::string_view what, const std::filesystem::path& path) {
    std::error_code none;
    answer.data.push(
        Json::object({{"what", what}, {"path", path.string()}, {"exists", std::filesystem::exists(path, none)}}));
  };
  add("configuration", paths.config_file());
  if (!config->project_file.empty()) add("project", config->project_file);
  add("keys", paths.keys());
  add("state", paths.state);
  add("cache", paths.cache);
  add("running sandboxes", paths.sandboxes());
  return answer;
}

Failure not_there(std::string_view what, const std::string& name) {
  return absent(concat(what, "_unknown"), "no ", what, " is called ", name).to_try({concat("svc ", what, " list")});
}

Result<Answer> list_profiles(Context& context) {
  const auto config = SVC_TRY(context.config());
  Answer answer{.data = Json::array()};
  const auto used = choose_profile(context.globals().profile, context.environment(), *config);
  for (const auto& [name, values] : config->profiles) {
    Json row = Json::object({{"name", name}, {"in_use", used && used->name == name}});
    for (const auto& [key, value] : values) row.set(key, shown_value(key, value.value));
    answer.data.push(std::move(row));
  }
  return answer;
}

// Flags that a profile cannot hold, and that do nothing here.
Result<void> refuse_passing(const std::vector<std::string>& words) {
  constexpr std::array passing{"--rate-share"sv, "--allow-duplicate"sv, "--no-reconcile"sv,    "--record"sv,
                               "--confirm"sv,    "--password-fd"sv,     "--print-canonical"sv, "--debug-http"sv,
                               "--jq"sv,         "--template"sv,        "--fields"sv,          "--wide"sv,
                               "--no-header"sv,  "--quiet"sv,           "--verbose"sv,         "--no-input"sv,
                               "--yes"sv};
  LineFlags line;
  static_cast<void>(line.arguments.parse(words));
  const auto first = std::ranges::find_first_of(passing, line.arguments.given());
  if (first != passing.end()) return usage_error(*first, ": a profile cannot hold it");
  return {};
}

// The profile holds the flags of this line.
Result<Answer> add_profile(Context& context, const std::string& name) {
  SVC_TRY(check_name("a profile", name));
  SVC_TRY(refuse_passing(context.line().words));
  const auto paths = SVC_TRY(context.paths());
  std::vector<std::pair<std::string, std::string>> entries;
  Json data = Json::object({{"name", name}});
  for (const Explained& one : context.settings()) {
    if (!one.is_typed()) continue;
    // A wallet's name is kept as the address that it has now.
    const auto& account = context.globals().account;
    const bool is_account = one.key == profile_account_key && account;
    const std::string& given = one.layers.front().value;
    const std::string value = is_account ? to_string(*account) : SVC_TRY(stored_value(*paths, one.key, given));
    entries.emplace_back(one.key, value);
    data.set(one.key, value);
  }
  if (entries.empty())
    return usage_error("a profile holds the flags given beside it, such as -n testnet --signer NAME");
  if (const auto& network = context.globals().network; network && !is_network_name(*network))
    return usage_error("\"" + *network + "\" is not a network name");
  return write_or_tell(context, "profile_add", std::move(data), [&] { return store_profile(*paths, name, entries); });
}

Result<Answer> use_profile(Context& context, const std::optional<std::string>& name, bool none) {
  if (name.has_value() == none) return usage_error("profile use takes NAME or --none");
  const auto config = SVC_TRY(context.config());
  if (name && !config->profiles.contains(*name)) return not_there("profile", *name);
  return write_or_tell(context, "profile_use", Json::object({{"profile", name}}),
                       [&] { return store_entry(**context.paths(), "", "profile", name); });
}

Result<Answer> remove_profile(Context& context, const std::string& name) {
  const auto config = SVC_TRY(context.config());
  if (!config->profiles.contains(name)) return not_there("profile", name);
  return write_or_tell(context, "profile_remove", Json::object({{"name", name}, {"removed", true}}),
                       [&] { return store_profile(**context.paths(), name, std::nullopt); });
}

Json alias_row(const std::string& name, const std::string& command) {
  return Json::object({{"name", name}, {"command", command}});
}

// The alias of that name, or all.
Result<Answer> list_aliases(Context& context, const std::optional<std::string>& wanted) {
  const auto config = SVC_TRY(context.config());
  Answer answer{.data = Json::array()};
  for (const auto& [name, words] : config->aliases)
    if (!wanted || name == *wanted) answer.data.push(alias_row(name, words.value));
  if (wanted && answer.data.items().empty()) return not_there("alias", *wanted);
  return answer;
}

Result<Answer> list_all_aliases(Context& context) {
  return list_aliases(context, std::nullopt);
}

Result<Answer> set_alias(Context& context, const std::string& name, const std::string& command) {
  SVC_TRY(check_name("an alias", name));
  if (find_command({name}) || begins_command({name})) return usage_error("\"" + name + "\" is a command already");
  const auto line = SVC_TRY(split_line(command));
  if (line.pipe || line.words.empty() || !find_command(line.words))
    return usage_error("the command of an alias begins with the name of a command, such as 'orders list', not \"" +
                       command + "\"");
  SVC_TRY(check_kept(line.words, "an alias"));
  if (context.globals().profile)
    return usage_error("the profile of an alias belongs into its command: '", command, " --profile ",
                       *context.globals().profile, "'");
  const auto paths = SVC_TRY(context.paths());
  return write_or_tell(context, "alias_set", alias_row(name, command),
                       [&] { return store_entry(*paths, "aliases", name, command); });
}

// As in a shell: lists all, shows one, or makes one.
Result<Answer> show_or_set_alias(Context& context, const std::optional<std::string>& name,
                                 const std::optional<std::string>& command) {
  if (!command) return list_aliases(context, name);
  auto made = set_alias(context, *name, *command);
  if (made) made->data = Json::array({made->data});
  return made;
}

Result<Answer> remove_alias(Context& context, const std::string& name) {
  const auto config = SVC_TRY(context.config());
  if (!config->aliases.contains(name)) return not_there("alias", name);
  return write_or_tell(context, "alias_remove", Json::object({{"name", name}, {"removed", true}}),
                       [&] { return store_entry(**context.paths(), "aliases", name, std::nullopt); });
}

constexpr Output removed_output{"name removed:boolean"};

}  // namespace

std::vector<CommandRow> settings_commands() {
  return {
      {"profile list", "", "List profiles", "# profiles",
       Output{"[] name in_use:boolean -network -account -auth -output -color -tz -timeout -retries -rate -surface "
              "-api_version -idle_lock -proxy -ca -signer -password_command -password_file",
              "name network account signer auth output in_use"},
       calls(list_profiles), Repeats::yes},
      {"profile add", "NAME", "Keep the flags given beside it under a name",
       "desk -n local --signer alice -o csv  # keep flags under a name",
       Output{"name -network -account -auth -output -color -tz -timeout -retries -rate -surface -api_version "
              "-idle_lock -proxy -ca -signer -password_command -password_file"},
       calls(add_profile, {{"NAME", "profile to make or replace"}})},
      {"profile use", "NAME", "Use a profile for commands that name none", "desk  # use one from now on",
       Output{"profile?"},
       calls(use_profile, {{"NAME", "profile for commands that name none"}, {"--none", "none from now on"}})},
      {"profile remove", "NAME", "Forget a profile", "desk  # forget it", removed_output,
       calls(remove_profile, {{"NAME", "profile to forget"}})},
      {"alias", "[NAME [COMMAND]]", "List words of your own for commands, show or make one",
       "resting 'orders list --sort price'  # make a word of your own\n"
       "# and see which there are",
       Output{"[] name command"},
       calls(show_or_set_alias, {{"NAME", "show this one, or make it if COMMAND follows (default: list all)"},
                                 {"COMMAND", "what it stands for, in quotes: 'orders list --all'"}})},
      {"alias list", "", "List words of your own for commands", "# words of your own", Output{"[] name command"},
       calls(list_all_aliases), Repeats::yes},
      {"alias set", "NAME COMMAND", "Make a word of your own for a command",
       "mine 'orders list --market BTC-USDX-PERP'  # a word of your own", Output{"name command"},
       calls(set_alias,
             {{"NAME", "word to type after svc"}, {"COMMAND", "what it stands for, in quotes: 'orders list --all'"}})},
      {"alias remove", "NAME", "Forget a word of your own", "mine  # forget one", removed_output,
       calls(remove_alias, {{"NAME", "alias to forget"}})},
      {"config get", "KEY", "Show a setting that is in effect", "output  # what holds", Output{"key value? source"},
       calls(get_setting, {{"KEY", "setting"}})},
      {"config set", "KEY VALUE", "Write a setting to the configuration file, or to a profile (-P)",
       "output json  # a default of your own", Output{"key value? section file"},
       calls(set_setting, {{"KEY", "setting, guards.GUARD, or guards.NETWORK.GUARD"},
                           {"VALUE", "its value from now on"},
                           {"--unset", "take it out again"}})},
      {"config list", "", "List the settings in effect", "# all settings", Output{"[] key value? source"},
       calls(list_settings), Repeats::yes},
      {"config path", "", "Show where files are kept", "# where files are", Output{"[] what path exists:boolean"},
       calls(show_paths)},
      {"config explain", "[KEY]", "Show what every layer says of a setting, the winner first",
       "output  # which layer said what", Output{"[] key value layer place? wins:boolean"},
       calls(explain_settings, {{"KEY", "setting (default: all)"}})},
  };
}

}  // namespace svc::cli
