#include "cli/arguments/globals.h"

#include "api/http/dialler.h"
#include "api/version.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/terminal/display_zone.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array output_names{"table"sv, "json"sv, "ndjson"sv, "csv"sv, "tsv"sv, "raw"sv};
constexpr std::array auth_names{"auto"sv, "hmac"sv, "agent"sv, "owner"sv, "admin"sv, "none"sv};
constexpr std::array rate_names{"wait"sv, "fail"sv, "off"sv};
constexpr std::array surface_names{"v1"sv, "direct"sv};
constexpr std::string_view idle_lock_default = "15m";
constexpr std::array color_names{"auto"sv, "never"sv, "always"sv};

// The enumerators have the order of their names. Flags were checked during parsing, but words from the environment and
// the configuration were not.
template <class Enum, std::size_t N, class Target>
Result<void> choose(std::string_view flag, const std::array<std::string_view, N>& names,
                    const std::optional<std::string>& word, Target& into) {
  if (!word) return {};
  const auto found = std::ranges::find(names, *word);
  if (found == names.end()) return usage_error(flag, " must be one of ", joined(names), ", not \"", *word, "\"");
  into = static_cast<Enum>(found - names.begin());
  return {};
}

// A number with at most that many decimals, in units of the last of them.
struct Bounds {
  std::int64_t min, max;
  int decimals = 0;
};
Result<std::int64_t> number_within(const Bounds& bounds, std::string_view must_be, const std::string& text,
                                   std::string_view digits) {
  const auto number = parse_scaled(digits, bounds.decimals);
  if (number && *number >= bounds.min && *number <= bounds.max) return *number;
  return usage_error(must_be, ", not \"", text, "\"");
}

}  // namespace

LineFlags::LineFlags() {
  Globals& g = words.globals;
  arguments.add(g.network, {"-n,--network", "network: local, testnet, mainnet, or one you added", "NAME"});
  arguments.add(g.profile, {"-P,--profile", "use the settings of this profile", "NAME"});
  arguments.add(words.account,
                {"-a,--account", "act on this account: its address, or a wallet of yours", "ADDR|WALLET"});
  arguments.add(
      g.signer,
      {"--signer", "wallet whose session and key are used; or exec:CMD, or http://HOST of a JSON-RPC wallet", "NAME"});
  arguments.add(words.auth, {"--auth", "credential to use", {}, auth_names});
  arguments.add(words.output, {"-o,--output", "output format", {}, output_names});
  arguments.add(words.json, {"--json", "same as -o json"});
  arguments.add(g.jq, {"--jq", "show what this jq expression makes of the JSON document", "EXPR"});
  arguments.add(g.text_template, {"--template", "show each record as this text, {COLUMN} filled in", "T"});
  arguments.add(words.fields, {"--fields", "columns of table, csv and tsv", "A,B"});
  arguments.add(g.no_header, {"--no-header", "leave out the header line"});
  arguments.add(g.wide, {"--wide", "shorten and leave out nothing to fit the terminal"});
  arguments.add(g.time_zone, {"--tz", "time zone of the times shown, such as Europe/Berlin or local", "ZONE"});
  arguments.add(g.quiet, {"-q,--quiet", "nothing on standard error but failures"});
  arguments.add(g.verbose, {"-v,--verbose", "say on standard error where requests go, and what came back"});
  arguments.add(g.debug_http, {"--debug-http", "show requests and answers, secrets redacted"});
  arguments.add(g.curl, {"--curl", "print the request as a curl command instead of sending it"});
  arguments.add(g.print_canonical, {"--print-canonical", "show what is signed, and under which domain"});
  arguments.add(g.dry_run, {"--dry-run", "show what would be sent; no network at all"});
  arguments.add(g.yes, {"--yes", "answer yes to questions (never enough for real funds)"});
  arguments.add(g.confirm, {"--confirm", "confirm a write on real funds by naming the network", "NETWORK"});
  arguments.add(g.no_input, {"--no-input", "never ask; implied without a terminal"});
  arguments.add(words.timeout, {"--timeout", "seconds to wait for an answer", "S"});
  arguments.add(words.retries, {"--retries", "how often a read is sent again", "N"});
  arguments.add(words.rate, {"--rate", "on a rate limit: wait, or fail; off: never look at it", {}, rate_names});
  arguments.add(words.rate_share, {"--rate-share", "use at most this part of the budget that processes share", "N%"});
  arguments.add(g.allow_duplicate,
                {"--allow-duplicate", "send once more what was sent a moment ago, or whose answer was lost"});
  arguments.add(g.no_reconcile, {"--no-reconcile", "do not look for a write whose answer was lost"});
  arguments.add(g.api_version, {"--api-version", "version to announce to the server", "V"});
  arguments.add(words.surface, {"--surface", "root paths, or their /api/v1 twins", {}, surface_names});
  arguments.add(g.proxy, {"--proxy", "http, socks5 or socks5h proxy; none to ignore the environment", "URL"});
  arguments.add(g.ca, {"--ca", "certificate authorities: a file or a hashed directory", "PATH"});
  arguments.add(g.config_file, {"--config", "configuration file in place of the user's own", "FILE"});
  arguments.add(g.record_file, {"--record", "append requests and answers to this file, secrets redacted", "FILE"});
  arguments.add(g.color, {"--color", "colour in tables", {}, color_names});
  arguments.add(g.password_file,
                {"--password-file", "file with the password of the key (mode 0600; - for stdin)", "FILE"});
  arguments.add(g.password_fd, {"--password-fd", "descriptor to read the password from", "N"});
}

Result<Globals> understand(GlobalWords words) {
  Globals globals = std::move(words.globals);
  SVC_TRY(choose<AuthChoice>("--auth", auth_names, words.auth, globals.auth));
  SVC_TRY(choose<Format>("--output", output_names, words.output, globals.format));
  if (globals.jq && globals.text_template) return usage_error("--jq and --template exclude each other");
  globals.jq_alone = globals.jq && !globals.format && !words.json;
  if (globals.jq && !globals.format) globals.format = Format::json;
  if (globals.jq && *globals.format != Format::json && *globals.format != Format::ndjson) {
    return usage_error("--jq reads JSON; it goes with -o json or ndjson, not " + *words.output);
  }
  if (globals.text_template && (globals.format || words.json || words.fields)) {
    return usage_error("--template is a format of its own; leave out ", words.fields ? "--fields"
                                                                        : words.json ? "--json"
                                                                                     : "--output");
  }
  if (words.json) {
    if (globals.format && *globals.format != Format::json) {
      return usage_error("--json and -o " + *words.output + " exclude each other");
    }
    globals.format = Format::json;
  }
  int index_of_color = 0;
  SVC_TRY(choose<int>("--color", color_names, globals.color, index_of_color));
  SVC_TRY(choose<RateMode>("--rate", rate_names, words.rate, globals.rate));
  SVC_TRY(choose<Surface>("--surface", surface_names, words.surface, globals.surface));

  if (words.account) {
    globals.account = parse_address(*words.account);
    if (!globals.account) globals.account_wallet = *words.account;
  }
  if (words.rate_share) {
    const std::string& text = *words.rate_share;
    const std::string digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
    globals.rate_share_percent = static_cast<std::uint32_t>(
        SVC_TRY(number_within({1, 100}, "--rate-share must be a part from 1% to 100%", text, digits)));
  }
  globals.timeout_ms = limits::request_timeout_ms_default;
  if (words.timeout) {
    constexpr Bounds bounds{1, limits::request_timeout_ms_max, 3};
    const std::string must_be = concat("--timeout must be seconds from 0.001 to ", bounds.max / 1000);
    globals.timeout_ms = SVC_TRY(number_within(bounds, must_be, *words.timeout, *words.timeout));
  }
  globals.retries = limits::read_retries_default;
  if (words.retries) {
    constexpr Bounds bounds{0, limits::read_retries_max};
    const std::string must_be = concat("--retries must be a number from 0 to ", bounds.max);
    globals.retries = static_cast<int>(SVC_TRY(number_within(bounds, must_be, *words.retries, *words.retries)));
  }
  const std::string idle_lock = words.idle_lock.value_or(std::string(idle_lock_default));
  if (idle_lock != "off") globals.idle_lock_ms = SVC_TRY(parse_duration("idle_lock", idle_lock));
  if (words.fields) {
    std::string_view rest = *words.fields;
    while (!rest.empty()) globals.fields.emplace_back(take_line(rest, ','));
    const bool by_column = !globals.format || *globals.format == Format::table || *globals.format == Format::csv ||
                           *globals.format == Format::tsv;
    if (!by_column) return usage_error("--fields chooses columns of table, csv and tsv output");
  }
  if (globals.password_file && globals.password_fd) {
    return usage_error("--password-file and --password-fd exclude each other");
  }
  if (globals.proxy && *globals.proxy != "none") {
    if (const auto proxy = api::parse_proxy(*globals.proxy); !proxy) return usage_error("--proxy: " + proxy.error());
  }
  if (globals.curl) globals.dry_run = true;
  return globals;
}

std::optional<std::string> problem_of(const Setting& setting, const std::string& value,
                                      const std::optional<std::string>& local_zone) {
  GlobalWords words;
  setting.word(words) = value;
  const auto understood = understand(std::move(words));
  if (!understood) {
    const std::string& message = understood.error().message;
    return message.starts_with("--") ? message.substr(2) : message;
  }
  // A setting applies to every command, and the other values fit only a few.
  if (setting.key == "auth" && value != "auto" && value != "hmac" && value != "agent")
    return "auth must be one of auto, hmac, agent, not \"" + value + "\"";
  if (setting.key == "api_version" && !api::parse_version(value))
    return "api_version must be a version such as " + std::string(api::client_version) + ", not \"" + value + "\"";
  if (setting.key == "signer" && !is_external_signer(value) && !check_wallet_name(value))
    return "signer must be the name of a wallet, exec:CMD or an http URL, not \"" + value + "\"";
  if (setting.key != "tz") return std::nullopt;
  const auto zone = DisplayZone::find(value, local_zone);
  return zone ? std::nullopt : std::optional("tz: " + zone.error());
}

std::span<const Setting> settings() {
  using Word = std::optional<std::string>;
  using W = GlobalWords;
  static constexpr Setting all[] = {
      {"output", "SVC_OUTPUT", [](W& w) -> Word& { return w.output; }, true, "table on a terminal, tsv in a pipe"},
      {"color", "SVC_COLOR", [](W& w) -> Word& { return w.globals.color; }, true, "auto"},
      {"tz", "SVC_TZ", [](W& w) -> Word& { return w.globals.time_zone; }, true, "utc"},
      {"timeout", "SVC_TIMEOUT", [](W& w) -> Word& { return w.timeout; }, true, "30"},
      {"retries", "SVC_RETRIES", [](W& w) -> Word& { return w.retries; }, true, "2"},
      {"rate", "SVC_RATE", [](W& w) -> Word& { return w.rate; }, true, "wait"},
      {"surface", "SVC_SURFACE", [](W& w) -> Word& { return w.surface; }, true, "v1"},
      {"api_version", "SVC_API_VERSION", [](W& w) -> Word& { return w.globals.api_version; }, true,
       api::client_version},
      {"idle_lock", "SVC_IDLE_LOCK", [](W& w) -> Word& { return w.idle_lock; }, false, idle_lock_default},
      {"auth", "SVC_AUTH", [](W& w) -> Word& { return w.auth; }, false, "auto"},
      {"proxy", "SVC_PROXY", [](W& w) -> Word& { return w.globals.proxy; }},
      {"ca", "SVC_CA", [](W& w) -> Word& { return w.globals.ca; }},
      {"signer", "SVC_SIGNER", [](W& w) -> Word& { return w.globals.signer; }},
      {"password_command", "SVC_PASSWORD_COMMAND", [](W& w) -> Word& { return w.globals.password_command; }},
      {"password_file", "SVC_PASSWORD_FILE", [](W& w) -> Word& { return w.globals.password_file; }},
  };
  return all;
}

Result<void> check_wallet_name(std::string_view name) {
  constexpr std::size_t chars_max = 64;
  if (!is_plain_word(name, chars_max) || name.front() == '-') {
    return usage_error("\"", name, "\" is not a usable name: 1 to ", chars_max,
                       " letters, digits, - and _, no - first");
  }
  return {};
}

bool is_external_signer(std::string_view name) {
  return name.starts_with("exec:") || name.starts_with("http://") || name.starts_with("https://");
}

bool takes_next_word(const Arguments& globals, std::string_view word) {
  const Declared* flag = globals.flag_at_end(word);
  return flag != nullptr && flag->takes_next_word();
}

std::vector<std::string> words_beside_flags(const std::vector<std::string>& words) {
  LineFlags line;
  static_cast<void>(line.arguments.parse(words));
  std::vector<std::string> others;
  for (const std::size_t place : line.arguments.argument_places()) others.push_back(words[place]);
  return others;
}

bool has_password(std::string_view proxy) {
  const auto parsed = api::parse_proxy(proxy);
  return parsed && !parsed->password.reveal().empty();
}

std::string_view to_string(Format format) {
  return output_names[static_cast<std::size_t>(format)];
}

GlobalWords usable_globals(const std::vector<std::string>& words) {
  LineFlags line;
  static_cast<void>(line.arguments.parse(words));
  return std::move(line.words);
}

Format wanted_format(const GlobalWords& words, const std::optional<std::string>& variable) {
  if (words.json) return Format::json;  // it wins over every other format
  const auto found = std::ranges::find(output_names, words.output ? *words.output : variable.value_or(""));
  return found == output_names.end() ? Format::table : static_cast<Format>(found - output_names.begin());
}

}  // namespace svc::cli
