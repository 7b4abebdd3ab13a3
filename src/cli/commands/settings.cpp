// config get, set, list, path, explain
#include <algorithm>
#include <array>

#include "cli/arguments.h"
#include "cli/commands/groups.h"
#include "cli/context.h"
#include "cli/guards/guard_terms.h"
#include "cli/secrets/signer.h"
#include "cli/secrets/wallet_store.h"

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

View setting_view() {
  return {{{"key", "key"}, {"value", "value"}, {"source", "source"}}, Layout::rows};
}

class GetSetting final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("KEY", key_, "setting"); }
  Result<Answer, Stop> run(Context& context) override {
    const Explained* found = find_setting(context, key_);
    if (found == nullptr) return unexpected(Stop(no_setting(context, key_)));
    return Answer{.data = in_effect(*found), .view = setting_view()};
  }

 private:
  std::string key_;
};

class ListSettings final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    Answer answer{.data = Json::array(), .view = setting_view()};
    for (const Explained& one : context.settings()) answer.data.push(in_effect(one));
    return answer;
  }
};

class ExplainSettings final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("KEY", key_, "setting (default: all)"); }
  Result<Answer, Stop> run(Context& context) override {
    if (key_ && find_setting(context, *key_) == nullptr) return unexpected(Stop(no_setting(context, *key_)));
    Answer answer{
        .data = Json::array(),
        .view = {{{"key", "key"}, {"value", "value"}, {"layer", "layer"}, {"place", "place"}, {"wins", "wins"}},
                 Layout::rows}};
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
      return unexpected(Stop(DryRun{std::move(plan)}));
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
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    const auto config = SVC_TRY(context.config());
    const Paths& paths = **context.paths();
    Answer answer{.data = Json::array(),
                  .view = {{{"what", "what"}, {"path", "path"}, {"exists", "exists"}}, Layout::rows}};
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

constexpr std::array settings_rows{
    CommandRow{"config get", "KEY", "Show a setting that is in effect", make<GetSetting>},
    CommandRow{"config set", "KEY VALUE", "Write a setting to the configuration file, or to a profile (-P)",
               make<SetSetting>},
    CommandRow{"config list", "", "List the settings in effect", make<ListSettings>, 1, Repeats::yes},
    CommandRow{"config path", "", "Show where files are kept", make<ShowPaths>},
    CommandRow{"config explain", "[KEY]", "Show what every layer says of a setting, the winner first",
               make<ExplainSettings>},
};

}  // namespace

std::span<const CommandRow> settings_commands() {
  return settings_rows;
}

}  // namespace svc::cli
