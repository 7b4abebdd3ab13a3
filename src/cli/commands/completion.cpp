#include "cli/commands/help.h"

#include <memory>

#include "api/contract/admin.h"
#include "api/error_catalog.h"
#include "api/header_names.h"
#include "api/stream/stream_message.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"
#include "cli/commands/output_shape.h"
#include "cli/store/config.h"
#include "cli/store/network.h"
#include "cli/terminal/render.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// A flag, or a placeholder whose values are known. What NAME means depends on the command; it is a positional.
struct KnownValue {
  std::string_view name;  // "--network" or "MARKET"
  ValueKind kind;
  std::string_view command{};  // its first words; empty: any
};
constexpr KnownValue known_values[] = {
    {"MARKET", ValueKind::market},
    {"ORDER_ID", ValueKind::order},
    {"ORDER", ValueKind::order},
    {"KEY_ID", ValueKind::key},
    {"NETWORK", ValueKind::network},
    {"WALLET", ValueKind::wallet},
    {"AGENT", ValueKind::agent},
    {"LABEL", ValueKind::address},
    {"ADDR|LABEL", ValueKind::address},
    {"--network", ValueKind::network},
    {"--profile", ValueKind::profile},
    {"--signer", ValueKind::wallet},
    {"--wallet", ValueKind::wallet},
    {"--account", ValueKind::account},
    {"--client-id", ValueKind::client_id},
    {"NAME", ValueKind::network, "network"},
    {"NAME", ValueKind::profile, "profile"},
    {"NAME", ValueKind::alias, "alias"},
    {"NAME", ValueKind::wallet, "keystore show"},
    {"NAME", ValueKind::wallet, "keystore export"},
    {"NAME", ValueKind::wallet, "keystore rename"},
    {"NAME", ValueKind::wallet, "keystore delete"},
    {"NAME", ValueKind::wallet, "keystore passwd"},
    {"NAME", ValueKind::wallet, "keystore unlock"},
    {"NAME", ValueKind::wallet, "keystore lock"},
    {"--name", ValueKind::sandbox, "local"},
};

// Placeholders whose words are always the same, or some of whose words are.
constexpr std::pair<std::string_view, std::string_view> fixed_words[] = {{"SHELL", "bash zsh fish"},
                                                                         {"METHOD", "GET POST PUT PATCH DELETE"},
                                                                         {"MODE", "cross isolated"},
                                                                         {"I", "1s 1m 5m 1h"},
                                                                         {"ZONE", "utc local"}};

std::optional<ValueKind> kind_of(const Declared& one, std::string_view command) {
  const std::string_view value = one.positional || one.value != "NAME" ? one.placeholder() : "";
  for (const KnownValue& known : known_values) {
    const bool is_it = known.name == value || (!one.positional && known.name == long_name(one.names));
    if (is_it && command.starts_with(known.command)) return known.kind;
  }
  return std::nullopt;
}

void add_codes(std::vector<Candidate>& out) {
  for (const ExitMeaning& one : exit_meanings)
    out.push_back({std::to_string(code_of(one.code)), std::string(one.meaning)});
  for (const api::ErrorInfo& one : api::error_catalog())
    out.push_back({std::string(one.spelling), std::string(one.meaning)});
  for (const LocalCode& one : local_codes) out.push_back({std::string(one.code), std::string(one.meaning)});
  for (const api::HeaderInfo& one : api::header_table) out.push_back({std::string(one.name), std::string(one.meaning)});
}

// Values of a flag or positional; none if they are unknown.
Candidates values_of(const Declared& one, std::string_view command, const ValueSource& values) {
  Candidates result;
  for (const std::string_view choice : one.choices) result.all.push_back({std::string(choice)});
  if (const auto kind = kind_of(one, command)) result.all = values(*kind);
  const std::string_view value = one.placeholder();
  if (value == "CODE" && command == "explain") add_codes(result.all);
  if (value.starts_with("CHANNEL")) {
    for (const api::StreamChannelInfo& channel : api::stream_channels())
      result.all.push_back({std::string(channel.name), std::string(channel.doc)});
    result.all.push_back({"account", "orders, fills, positions, balances and liquidations"});
    result.all.push_back({"top", "a page of everything"});
    for (Candidate& market : values(ValueKind::market)) result.all.push_back(std::move(market));
  }
  if (value == "COLUMN" || value == "A,B")
    for (std::string& column : output_columns(command)) result.all.push_back({std::move(column)});
  if (value == "KEY" && command.starts_with("config "))
    for (const Setting& setting : settings()) result.all.push_back({std::string(setting.key)});
  for (const auto& [placeholder, words] : fixed_words)
    if (value == placeholder)
      for (const std::string_view word : pieces_of(words, " ")) result.all.push_back({std::string(word)});
  // Of "real|manual|xN" the words that are typed as they stand.
  if (result.all.empty() && value.find('|') != std::string_view::npos)
    for (const std::string_view word : pieces_of(value, "|"))
      if (std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; }))
        result.all.push_back({std::string(word)});
  if (command == "local flow" && value == "WHAT") {
    result.all = {{"bots", "who trade by themselves"}, {"none", "nobody trades by himself"}};
    for (const auto& [name, summary] : sim::drill_summaries())
      result.all.push_back({std::string(name), std::string(summary)});
  }
  if (value == "TIER")
    for (const std::string_view tier : api::tier_texts) result.all.push_back({std::string(tier)});
  constexpr std::array files{"FILE"sv, "PATH"sv, "DIR"sv, "FILE..."sv, "CSV"sv, "BEFORE"sv, "AFTER"sv};
  result.files = is_among(value, files);
  return result;
}

// Next words of the commands that begin with these.
std::vector<Candidate> next_words(const std::vector<std::string>& name) {
  std::string start;
  for (const std::string& word : name) start += word + " ";
  std::vector<Candidate> out;
  for (const CommandRow& row : command_rows()) {
    if (!row.path.starts_with(start)) continue;
    const std::string_view rest = row.path.substr(start.size());
    const auto blank = rest.find(' ');
    const std::string word(rest.substr(0, blank));
    if (is_among(word, out, &Candidate::text)) continue;
    out.push_back({word, blank == std::string_view::npos ? std::string(row.summary) : "..."});
  }
  // The description of a noun is the list of its verbs.
  for (Candidate& one : out) {
    if (one.about != "...") continue;
    auto deeper = name;
    deeper.push_back(one.text);
    std::vector<std::string> verbs;
    for (Candidate& verb : next_words(deeper)) verbs.push_back(std::move(verb.text));
    one.about = joined(verbs);
  }
  return out;
}

// The command line before the word that is being typed.
struct Place {
  std::shared_ptr<LineFlags> line = std::make_shared<LineFlags>();  // with the flags of the command, once it is known
  std::vector<std::string> name{};                                  // and what follows it
  const CommandRow* row = nullptr;                                  // the longest name counts
  std::size_t positionals = 0;                                      // given already
  const Declared* awaits_value = nullptr;                           // the flag before the word
  bool flags_are_over = false;                                      // "--" was typed
};

Place place_after(const std::vector<std::string>& words) {
  Place place;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      place.flags_are_over = true;
    } else if (!place.flags_are_over && word.size() > 1 && word.front() == '-') {
      const Arguments& flags = place.line->arguments;
      if (!takes_next_word(flags, word)) continue;
      if (i + 2 == words.size()) place.awaits_value = flags.flag_at_end(word);
      ++i;
    } else {
      place.name.push_back(word);
      const auto found = find_command(place.name);
      if (found && found->words == place.name.size()) {
        place.row = found->row;
        place.line = std::make_shared<CommandFlags>(*found->row);
      } else if (place.row != nullptr) {
        ++place.positionals;
      }
    }
  }
  return place;
}

// Empty if no network is selected.
std::string network_of(const std::vector<std::string>& words, const Environment& environment, const Config& config) {
  const auto profile = choose_profile(std::nullopt, environment, config);
  const Placed* of_profile = profile ? profile->find(profile_network_key) : nullptr;
  const auto name = choose_network(usable_globals(words).globals.network, environment,
                                   of_profile == nullptr ? std::nullopt : std::optional(of_profile->value));
  return name ? name->text : std::string();
}

// Whatever may stand in the place of the last word.
Candidates possible(const std::vector<std::string>& words, const std::string& typed, const ValueSource& values) {
  const Place place = place_after(words);
  const Arguments& arguments = place.line->arguments;
  const std::string_view command = place.row == nullptr ? std::string_view{} : place.row->path;
  const std::vector<Declared>& declared = arguments.declared();
  Candidates result;
  if (place.awaits_value != nullptr) return values_of(*place.awaits_value, command, values);
  if (!place.flags_are_over && typed.starts_with('-')) {
    const auto equals = typed.find('=');
    const Declared* flag = equals == std::string::npos ? nullptr : arguments.find_flag(typed.substr(0, equals));
    if (flag != nullptr) {
      result = values_of(*flag, command, values);
      for (Candidate& one : result.all) one.text.insert(0, typed.substr(0, equals + 1));
      return result;
    }
    for (const Declared& one : declared)
      if (!one.positional) result.all.push_back({std::string(long_name(one.names)), one.doc});
    result.all.push_back({"--help", "show usage and flags"});
    return result;
  }
  if (place.row == nullptr) {
    // "schema", "help" and "man" take the name of a command as well.
    std::vector<std::string> name = place.name;
    if (!name.empty() && name.front() == "help") name.erase(name.begin());
    result.all = next_words(name);
    if (name.empty()) {
      for (Candidate& one : values(ValueKind::alias)) result.all.push_back(std::move(one));
      if (place.name.empty()) result.all.push_back({"help", "show usage and flags of a command"});
    }
    return result;
  }
  if (command == "schema" || command == "man") {
    const auto given = static_cast<std::ptrdiff_t>(place.positionals);
    result.all = next_words({words.end() - 1 - given, words.end() - 1});
    if (command == "schema") return result;
    if (given > 0) return {};
    for (const char* page : {"exit-codes", "networks", "sandbox"}) result.all.push_back({page});
    return result;
  }
  std::vector<const Declared*> positionals;
  for (const Declared& one : declared)
    if (one.positional) positionals.push_back(&one);
  if (place.positionals < positionals.size()) return values_of(*positionals[place.positionals], command, values);
  if (!positionals.empty() && positionals.back()->repeats) return values_of(*positionals.back(), command, values);
  return result;
}

}  // namespace

Candidates candidates(const std::vector<std::string>& words, const ValueSource& values) {
  const std::string typed = words.empty() ? std::string() : words.back();
  Candidates result = possible(words, typed, values);
  std::erase_if(result.all, [&](const Candidate& one) { return !one.text.starts_with(typed); });
  return result;
}

int complete(const std::vector<std::string>& words, Environment& environment) {
  std::vector<std::string> typed(words.begin() + 1, words.end());
  if (!typed.empty() && typed.front() == "--") typed.erase(typed.begin());
  const auto paths = find_paths(environment, usable_globals(typed).globals.config_file);
  auto config = paths ? load_usable_config(*paths) : std::nullopt;
  if (!config) config = Config{};
  const ValueSource nothing = [](ValueKind) { return std::vector<Candidate>(); };
  const ValueSource values =
      paths ? cached_values(environment, *paths, *config, network_of(typed, environment, *config),
                            account_flags(std::vector(typed.begin(), typed.empty() ? typed.end() : typed.end() - 1)))
            : nothing;
  const Candidates found = candidates(typed, values);
  std::string out;
  for (const Candidate& one : found.all)
    out += escaped(one.text) + (one.about.empty() ? "" : "\t" + escaped(one.about)) + "\n";
  if (found.files) out += ":files\n";
  return environment.out(out) == Written::whole ? 0 : static_cast<int>(ExitCode::broken_pipe);
}

Result<Answer> show_completion(Context&, const std::string& shell) {
  const std::string text(embedded_text("completions/svc." + shell));
  if (text.empty()) return usage_error("completion is there for bash, zsh and fish, not \"" + shell + "\"");
  return Answer{.data = Json::object({{"shell", shell}, {"script", text}}), .text = text, .raw = text};
}

}  // namespace svc::cli
