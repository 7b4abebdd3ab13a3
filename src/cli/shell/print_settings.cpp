#include "cli/shell/print_settings.h"

#include <algorithm>
#include <array>

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

void put(Shell& shell, FlagWords setting) {
  auto& settings = shell.state().print_settings;
  const auto found = find_setting(settings, setting.front());
  say_setting(shell, setting, true);
  if (found == settings.end()) {
    settings.push_back(std::move(setting));
  } else {
    *found = std::move(setting);
  }
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
  if (!drop(shell, flag)) put(shell, {std::string(flag)});
  return 0;
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
  if (takes_value && words.size() == 2) {
    put(shell, {flag, words[1]});
  } else if (takes_value) {
    drop(shell, flag);
  } else {
    return toggle_flag(shell, flag);
  }
  return 0;
}

Result<int, Failure> toggle_output(Shell& shell, std::string_view format) {
  const auto& settings = shell.state().print_settings;
  const FlagWords wanted{"--output", std::string(format)};
  if (std::find(settings.begin(), settings.end(), wanted) != settings.end()) {
    drop(shell, "--output");
  } else {
    put(shell, wanted);
  }
  return 0;
}

}  // namespace svc::cli
