#include "cli/store/layers.h"

namespace svc::cli {
namespace {

std::string line_of(const std::filesystem::path& file, const Placed& value) {
  return concat(file.string(), ", line ", value.line);
}

const Placed* find_in(const PlacedValues& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

void add_layers(std::vector<Layer>& layers, std::string_view key, std::string_view variable,
                const Environment& environment, const Config* config, const ChosenProfile& profile) {
  if (const auto value = variable.empty() ? std::nullopt : environment.variable(variable))
    layers.push_back({"environment", std::string(variable), *value});
  if (config == nullptr) return;
  if (const Placed* value = profile.find(key)) {
    layers.push_back({"profile", "profile " + profile.name + ", " + line_of(config->file, *value), value->value});
  }
  if (const Placed* value = find_in(config->project, key)) {
    layers.push_back({"project", line_of(config->project_file, *value), value->value});
  }
  if (const Placed* value = find_in(config->defaults, key)) {
    layers.push_back({"user", line_of(config->file, *value), value->value});
  }
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

const Placed* ChosenProfile::find(std::string_view key) const {
  return values == nullptr ? nullptr : find_in(*values, key);
}

Result<ChosenProfile, Failure> choose_profile(const std::optional<std::string>& typed_name,
                                              const Environment& environment, const Config& config) {
  std::optional<std::string> name = typed_name ? typed_name : environment.variable("SVC_PROFILE");
  const bool chosen_before = !name && config.profile.has_value();
  if (chosen_before) name = config.profile->value;
  if (!name) return ChosenProfile{};
  const auto found = config.profiles.find(*name);
  if (found == config.profiles.end()) {
    return unexpected(usage_error("no profile is called \"", *name, "\"",
                                  chosen_before ? " (" + line_of(config.file, *config.profile) + ")"
                                  : typed_name  ? ""
                                                : " (SVC_PROFILE)")
                          .to_try({"svc profile list"}));
  }
  return ChosenProfile{*name, &found->second};
}

std::vector<Explained> fill_in(GlobalWords& words, const Environment& environment, const Config* config,
                               const ChosenProfile& profile) {
  std::vector<Explained> all;
  for (const Setting& setting : settings()) {
    Explained one{.key = setting.key, .layers = {}};
    const auto flag = typed(setting, words);
    if (flag) one.layers.push_back(*flag);
    std::vector<Layer> below;
    add_layers(below, setting.key, setting.variable, environment, config, profile);
    for (Layer& layer : below) {
      auto problem = problem_of(setting, layer.value);
      if (problem) {
        one.unusable.push_back({std::move(layer), std::move(*problem)});
      } else {
        one.layers.push_back(std::move(layer));
      }
    }
    if (!flag && !one.layers.empty()) setting.word(words) = one.layers.front().value;
    if (!setting.built_in.empty()) one.layers.push_back({"built-in", "", std::string(setting.built_in)});
    all.push_back(std::move(one));
  }
  // These two come only from a flag, a variable or a profile.
  const auto network_and_account = [&](std::string_view key, std::string_view variable,
                                       const std::optional<std::string>& flag) {
    Explained one{.key = key, .layers = {}};
    if (flag) one.layers.push_back({"flag", "command line", *flag});
    add_layers(one.layers, key, variable, environment, config, profile);
    all.push_back(std::move(one));
  };
  network_and_account(profile_network_key, "SVC_NETWORK", words.globals.network);
  network_and_account(profile_account_key, "", words.account);
  return all;
}

}  // namespace svc::cli
