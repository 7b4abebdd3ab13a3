// config get, set, list, path, explain
#include <algorithm>
#include <array>

#include "cli/arguments/arguments.h"
#include "cli/arguments/line_words.h"
#include "cli/client/context.h"
#include "cli/client/signers.h"
#include "cli/commands/command.h"
#include "cli/commands/command_table.h"
#include "cli/store/guard_terms.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

const Explained* find_setting(const Context& context, std::string_view key) {
  const auto& all = context.settings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Explained& one) { return one.key == key; });
  return found == all.end() ? nullptr : &*found;
}

Failure no_setting(const Context& context, const std::string& key) {
  std::string valid;
  for (const Explained& one : context.settings()) valid += (valid.empty() ? "" : ", ") + std::string(one.key);
  return usage_error("no setting is called \"" + key + "\"; there are " + valid);
}

std::string source_of(const Layer& layer) {
  return std::string(layer.name) + (layer.place.empty() ? "" : " (" + layer.place + ")");
}

Json in_effect(const Explained& one) {
  const bool said = !one.layers.empty();
  return Json::object({{"key", one.key},
                       {"value", said ? Json(one.layers.front().value) : Json()},
                       {"source", said ? Json(source_of(one.layers.front())) : Json("not set")}});
}

class GetSetting final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("KEY", key_, "setting"); }
  Result<Answer, Stop> run(Context& context) override {
    const Explained* found = find_setting(context, key_);
    if (found == nullptr) return unexpected(Stop(no_setting(context, key_)));
    return Answer{.data = in_effect(*found)};
  }

 private:
  std::string key_;
};

class ListSettings final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    Answer answer{.data = Json::array()};
    for (const Explained& one : context.settings()) answer.data.push(in_effect(one));
    return answer;
  }
};

class ExplainSettings final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("KEY", key_, "setting (default: all)"); }
  Result<Answer, Stop> run(Context& context) override {
    if (key_ && find_setting(context, *key_) == nullptr) return unexpected(Stop(no_setting(context, *key_)));
    Answer answer{.data = Json::array()};
    for (const Explained& one : context.settings()) {
      if (key_ && one.key != *key_) continue;
      for (const Layer& layer : one.layers) {
        answer.data.push(Json::object({{"key", one.key},
                                       {"value", layer.value},
                                       {"layer", layer.name},
                                       {"place", layer.place.empty() ? Json() : Json(layer.place)},
                                       {"wins", &layer == &one.layers.front()}}));
      }
      for (const Explained::Unusable& unusable : one.unusable) {
        answer.data.push(Json::object({{"key", one.key},
                                       {"value", unusable.layer.value},
                                       {"layer", unusable.layer.name},
                                       {"place", unusable.layer.place},
                                       {"wins", false}}));
      }
    }
    return answer;
  }

 private:
  std::optional<std::string> key_;
};

// The value as the flag of that name would take it.
Result<void, Failure> check_value(const std::string& key, const std::optional<std::string>& value) {
  for (const Setting& setting : settings()) {
    if (setting.key != key) continue;
    const auto problem = value ? problem_of(setting, *value) : std::nullopt;
    return problem ? Result<void, Failure>(unexpected(usage_error(*problem))) : Result<void, Failure>();
  }
  std::string valid;
  for (const Setting& one : settings()) valid += (valid.empty() ? "" : ", ") + std::string(one.key);
  return unexpected(usage_error("\"" + key + "\" is no setting that a file can hold; those are " + valid));
}

// What the value names must be there when it is set.
Result<void, Failure> check_is_there(const Paths& paths, const std::string& key, const std::string& value) {
  std::error_code none;
  if ((key == "ca" || key == "password_file") && !std::filesystem::exists(value, none))
    return unexpected(usage_error(key + ": there is no file " + value));
  if (key != "signer" || is_external_signer(value)) return {};
  for (const auto& folder : std::filesystem::directory_iterator(paths.keys(), none)) {
    if (find_wallet(paths, folder.path().filename().string(), value)) return {};
  }
  Failure failure = usage_error("signer: no wallet is called \"" + value + "\" on any network");
  failure.actions = {"svc keystore list"};
  return unexpected(std::move(failure));
}

// Where a key belongs: "guards.KEY" for all networks with real funds, "guards.NETWORK.KEY" for one.
struct Guard {
  std::string section, key;
};
std::optional<Guard> guard_of(const std::string& key) {
  constexpr std::string_view prefix = "guards.";
  if (!key.starts_with(prefix)) return std::nullopt;
  const auto dot = key.rfind('.');
  return Guard{key.substr(0, dot), key.substr(dot + 1)};
}

class SetSetting final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("KEY", key_, "setting, guards.GUARD, or guards.NETWORK.GUARD");
    arguments.positional("VALUE", value_, "its value from now on");
    arguments.flag("--unset", unset_, "take it out again");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (value_.has_value() == unset_) {
      return unexpected(Stop(usage_error("config set takes KEY and VALUE, or KEY and --unset")));
    }
    const auto guard = guard_of(key_);
    const auto valid = !guard ? check_value(key_, value_) : guards::check_guard(guard->key, value_.value_or("off"));
    if (!valid) return unexpected(Stop(valid.error()));
    const auto config = SVC_TRY(context.config());
    SVC_TRY(value_ ? check_is_there(**context.paths(), key_, *value_) : valid);
    if (guard && context.globals().profile) {
      return unexpected(Stop(usage_error("guards hold for networks, not for profiles; leave out --profile")));
    }
    const std::string section = guard                       ? guard->section
                                : context.globals().profile ? "profiles." + *context.globals().profile
                                                            : std::string("defaults");
    const std::string file = config->file.string();
    Json data = Json::object({{"key", key_}, {"value", value_}, {"section", section}, {"file", file}});
    if (context.globals().dry_run) {
      Json plan = Json::object({{"dry_run", true}, {"operation", "config_set"}});
      for (std::size_t i = 0; i < data.keys().size(); ++i) plan.set(data.keys()[i], data.items()[i]);
      return unexpected(dry_run(std::move(plan)));
    }
    SVC_TRY(store_entry(**context.paths(), section, guard ? guard->key : key_, value_));
    return Answer{.data = std::move(data)};
  }

 private:
  std::string key_;
  std::optional<std::string> value_;
  bool unset_ = false;
};

class ShowPaths final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
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
};

// profile list, add, use, remove; alias, alias list, set, remove

using Entries = std::vector<std::pair<std::string, std::string>>;

// What would be written, in a dry run; otherwise the outcome of writing it.
template <class Store>
Result<Answer, Stop> write_or_tell(Context& context, std::string_view operation, Json data, Store store) {
  if (context.globals().dry_run) {
    Json plan = Json::object({{"dry_run", true}, {"operation", operation}});
    for (std::size_t i = 0; i < data.keys().size(); ++i) plan.set(data.keys()[i], data.items()[i]);
    return unexpected(dry_run(std::move(plan)));
  }
  const Result<void, Failure> stored = store();
  if (!stored) return unexpected(Stop(stored.error()));
  return Answer{.data = std::move(data)};
}

Result<void, Failure> check_name(std::string_view what, const std::string& name) {
  if (is_network_name(name)) return {};
  return unexpected(
      usage_error("\"" + name + "\" is no name for " + std::string(what) + ": lower-case letters, digits and hyphens"));
}

Failure not_there(std::string_view what, const std::string& name) {
  return {.exit = ExitCode::not_found,
          .code = std::string(what) + "_unknown",
          .message = "no " + std::string(what) + " is called " + name,
          .actions = {"svc " + std::string(what) + " list"}};
}

class ListProfiles final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    const auto config = SVC_TRY(context.config());
    Answer answer{.data = Json::array()};
    const auto used = choose_profile(context.globals().profile, context.environment(), *config);
    for (const auto& [name, values] : config->profiles) {
      Json row = Json::object({{"name", name}, {"in_use", used && used->name == name}});
      for (const auto& [key, value] : values) row.set(key, value.value);
      answer.data.push(std::move(row));
    }
    return answer;
  }
};

// Holds the flags given beside it.
class AddProfile final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "profile to make or replace"); }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check_name("a profile", name_));
    SVC_TRY(refuse_passing(context.globals()));
    const auto paths = SVC_TRY(context.paths());
    Entries entries;
    Json data = Json::object({{"name", name_}});
    for (const Explained& one : context.settings()) {
      const std::string place = one.layers.empty() ? std::string() : one.layers.front().place;
      const bool typed = place == "command line" || place == "--json";
      if (!typed) continue;
      // A wallet's name is kept as the address that it has now.
      const auto& account = context.globals().account;
      const bool is_account = one.key == profile_account_key && account;
      const std::string value = is_account ? to_string(*account) : one.layers.front().value;
      entries.emplace_back(one.key, value);
      data.set(one.key, value);
    }
    if (entries.empty()) {
      return unexpected(
          Stop(usage_error("a profile holds the flags given beside it, such as -n testnet --signer NAME")));
    }
    if (const auto& network = context.globals().network; network && !is_network_name(*network)) {
      return unexpected(Stop(usage_error("\"" + *network + "\" is not a network name")));
    }
    return write_or_tell(context, "profile_add", std::move(data),
                         [&] { return store_profile(*paths, name_, entries); });
  }

 private:
  // What neither a profile can hold nor this command does.
  static Result<void, Failure> refuse_passing(const Globals& globals) {
    const std::array given{std::pair{globals.rate_share_percent.has_value(), "--rate-share"},
                           std::pair{globals.allow_duplicate, "--allow-duplicate"},
                           std::pair{globals.no_reconcile, "--no-reconcile"},
                           std::pair{globals.record_file.has_value(), "--record"},
                           std::pair{globals.confirm.has_value(), "--confirm"},
                           std::pair{globals.password_fd.has_value(), "--password-fd"},
                           std::pair{globals.print_canonical, "--print-canonical"},
                           std::pair{globals.debug_http, "--debug-http"},
                           std::pair{globals.text_template.has_value(), "--template"},
                           std::pair{!globals.fields.empty(), "--fields"},
                           std::pair{globals.wide, "--wide"},
                           std::pair{globals.no_header, "--no-header"},
                           std::pair{globals.yes, "--yes"}};
    for (const auto& [is_given, flag] : given)
      if (is_given) return unexpected(usage_error(std::string(flag) + ": a profile cannot hold it"));
    return {};
  }

  std::string name_;
};

class UseProfile final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "profile for commands that name none");
    arguments.flag("--none", none_, "none from now on");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (name_.has_value() == none_) return unexpected(Stop(usage_error("profile use takes NAME or --none")));
    const auto config = SVC_TRY(context.config());
    if (name_ && !config->profiles.contains(*name_)) return unexpected(Stop(not_there("profile", *name_)));
    return write_or_tell(context, "profile_use", Json::object({{"profile", name_}}),
                         [&] { return store_entry(**context.paths(), "", "profile", name_); });
  }

 private:
  std::optional<std::string> name_;
  bool none_ = false;
};

class RemoveProfile final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "profile to forget"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto config = SVC_TRY(context.config());
    if (!config->profiles.contains(name_)) return unexpected(Stop(not_there("profile", name_)));
    return write_or_tell(context, "profile_remove", Json::object({{"name", name_}, {"removed", true}}),
                         [&] { return store_profile(**context.paths(), name_, std::nullopt); });
  }

 private:
  std::string name_;
};

Json alias_row(const std::string& name, const std::string& command) {
  return Json::object({{"name", name}, {"command", command}});
}

// Those of that name, or all.
Result<Answer, Stop> list_aliases(Context& context, const std::optional<std::string>& wanted) {
  const auto config = SVC_TRY(context.config());
  Answer answer{.data = Json::array()};
  for (const auto& [name, words] : config->aliases) {
    if (!wanted || name == *wanted) answer.data.push(alias_row(name, words.value));
  }
  if (wanted && answer.data.items().empty()) return unexpected(Stop(not_there("alias", *wanted)));
  return answer;
}

class ListAliases final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override { return list_aliases(context, std::nullopt); }
};

Result<Answer, Stop> set_alias(Context& context, const std::string& name, const std::string& command) {
  SVC_TRY(check_name("an alias", name));
  if (find_command({name}) || begins_command({name})) {
    return unexpected(Stop(usage_error("\"" + name + "\" is a command already")));
  }
  const auto line = SVC_TRY(split_line(command, [](std::string_view) { return std::nullopt; }));
  if (line.pipe || line.words.empty() || !find_command(line.words)) {
    return unexpected(Stop(usage_error(
        "the command of an alias begins with the name of a command, such as 'orders list', not \"" + command + "\"")));
  }
  const auto paths = SVC_TRY(context.paths());
  return write_or_tell(context, "alias_set", alias_row(name, command),
                       [&] { return store_entry(*paths, "aliases", name, command); });
}

// As in a shell: all of them, one, or a new one.
class Alias final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "show this one, or make it if COMMAND follows (default: list all)");
    arguments.positional("COMMAND", command_, "what it stands for, in quotes: 'orders list --all'");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (!command_) return list_aliases(context, name_);
    auto made = set_alias(context, *name_, *command_);
    if (!made) return made;
    made->data = Json::array({made->data});
    return made;
  }

 private:
  std::optional<std::string> name_, command_;
};

class SetAlias final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "word to type after svc");
    arguments.positional("COMMAND", command_, "what it stands for, in quotes: 'orders list --all'");
  }
  Result<Answer, Stop> run(Context& context) override { return set_alias(context, name_, command_); }

 private:
  std::string name_;
  std::string command_;
};

class RemoveAlias final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "alias to forget"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto config = SVC_TRY(context.config());
    if (!config->aliases.contains(name_)) return unexpected(Stop(not_there("alias", name_)));
    return write_or_tell(context, "alias_remove", Json::object({{"name", name_}, {"removed", true}}),
                         [&] { return store_entry(**context.paths(), "aliases", name_, std::nullopt); });
  }

 private:
  std::string name_;
};

}  // namespace

std::span<const CommandRow> settings_commands() {
  static const CommandRow rows[]{
      {"profile list", "", "List profiles", make<ListProfiles>, Repeats::yes},
      {"profile add", "NAME", "Keep the flags given beside it under a name", make<AddProfile>},
      {"profile use", "NAME", "Use a profile for commands that name none", make<UseProfile>},
      {"profile remove", "NAME", "Forget a profile", make<RemoveProfile>},
      {"alias", "[NAME [COMMAND]]", "List words of your own for commands, show or make one", make<Alias>},
      {"alias list", "", "List words of your own for commands", make<ListAliases>, Repeats::yes},
      {"alias set", "NAME COMMAND", "Make a word of your own for a command", make<SetAlias>},
      {"alias remove", "NAME", "Forget a word of your own", make<RemoveAlias>},
      {"config get", "KEY", "Show a setting that is in effect", make<GetSetting>},
      {"config set", "KEY VALUE", "Write a setting to the configuration file, or to a profile (-P)", make<SetSetting>},
      {"config list", "", "List the settings in effect", make<ListSettings>, Repeats::yes},
      {"config path", "", "Show where files are kept", make<ShowPaths>},
      {"config explain", "[KEY]", "Show what every layer says of a setting, the winner first", make<ExplainSettings>},
  };
  return rows;
}

}  // namespace svc::cli
