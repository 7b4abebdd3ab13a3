#include "cli/shell/print_settings.h"

#include <algorithm>
#include <array>

#include "cli/arguments.h"
#include "cli/command_table.h"
#include "cli/globals.h"
#include "cli/outputs.h"
#include "cli/report.h"
#include "cli/shell/line_words.h"
#include "cli/shell/shell.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// Flags of every command that are about showing and nothing else.
constexpr std::array print_flags{"color"sv, "fields"sv, "output"sv, "template"sv, "tz"sv};
constexpr std::array print_switches{"no-header"sv, "quiet"sv, "verbose"sv, "wide"sv};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

auto find_setting(std::vector<FlagWords>& settings, std::string_view flag) {
  return std::find_if(settings.begin(), settings.end(), [&](const FlagWords& one) { return one.front() == flag; });
}

void say_setting(Shell& shell, const FlagWords& setting, bool on) {
  shell.say(setting.front().substr(2) + (setting.size() > 1 ? " " + setting[1] : "") + (on ? " is on\n" : " is off\n"));
}

// That every line can be shown so.
Result<void, Failure> check_settings(Shell& shell, const std::vector<FlagWords>& settings) {
  Arguments arguments;
  GlobalWords words;
  declare_globals(arguments, words);
  std::vector<std::string> flags;
  for (const FlagWords& setting : settings) flags.insert(flags.end(), setting.begin(), setting.end());
  SVC_TRY(arguments.parse(flags));
  const auto globals = SVC_TRY(understand(std::move(words)));
  SVC_TRY(presentation_of(globals, shell.environment()));
  for (const std::string& field : globals.fields) {
    const auto has_it = [&](const CommandRow& row) { return check_field(row, field).has_value(); };
    const auto groups = command_groups();
    if (std::any_of(groups.begin(), groups.end(), [&](const auto& group) {
          return std::any_of(group.begin(), group.end(), has_it);
        }))
      continue;
    return unexpected(usage_error("no command has a column \"" + field + "\""));
  }
  return {};
}

Result<int, Failure> put(Shell& shell, FlagWords setting) {
  std::vector<FlagWords> settings = shell.state().print_settings;
  const auto found = find_setting(settings, setting.front());
  if (found == settings.end()) {
    settings.push_back(setting);
  } else {
    *found = setting;
  }
  if (const auto usable = check_settings(shell, settings); !usable) {
    Failure failure = usable.error();
    if (failure.message.starts_with("--")) failure.message = "\\pset " + failure.message.substr(2);
    return unexpected(std::move(failure));
  }
  say_setting(shell, setting, true);
  shell.state().print_settings = std::move(settings);
  return 0;
}

// True if it was there.
bool drop(Shell& shell, std::string_view flag) {
  auto& settings = shell.state().print_settings;
  const auto found = find_setting(settings, flag);
  if (found == settings.end()) return false;
  say_setting(shell, *found, false);
  settings.erase(found);
  return true;
}

Result<int, Failure> toggle_flag(Shell& shell, std::string_view flag) {
  return drop(shell, flag) ? Result<int, Failure>(0) : put(shell, {std::string(flag)});
}

}  // namespace

Result<int, Failure> set_print(Shell& shell, const std::vector<std::string>& words) {
  if (words.empty()) {
    for (const FlagWords& setting : shell.state().print_settings) shell.out(join_words(setting).substr(2) + "\n");
    return 0;
  }
  const bool takes_value = is_one_of(print_flags, words[0]);
  if (!takes_value && !is_one_of(print_switches, words[0])) {
    return unexpected(usage_error("\\pset knows color, fields, output, template, tz, no-header, quiet, verbose, wide"));
  }
  if (words.size() > (takes_value ? 2U : 1U)) return unexpected(usage_error("\\pset " + words[0] + " takes less"));
  const std::string flag = "--" + words[0];
  if (takes_value && words.size() == 2) return put(shell, {flag, words[1]});
  if (!takes_value) return toggle_flag(shell, flag);
  drop(shell, flag);
  return 0;
}

Result<int, Failure> toggle_output(Shell& shell, std::string_view format) {
  const auto& settings = shell.state().print_settings;
  const FlagWords wanted{"--output", std::string(format)};
  if (std::find(settings.begin(), settings.end(), wanted) != settings.end()) {
    drop(shell, "--output");
    return 0;
  }
  return put(shell, wanted);
}

}  // namespace svc::cli
