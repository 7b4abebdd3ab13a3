// commands, schema, version, explain, completion, shell: commands about the program itself.

#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/error_catalog.h"
#include "api/header_names.h"
#include "api/http/http_message.h"
#include "api/version.h"
#include "cli/client/refusal.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/read.h"
#include "trade/words.h"

namespace svc::cli {
namespace {

Json described_flag(const Declared& one) {
  return Json::object({{"names", Json::list(pieces_of(one.names, ","))},
                       {"value", one.value.empty() ? Json() : Json(one.value)},
                       {"value_is_optional", one.otherwise.has_value()},
                       {"positional", one.positional},
                       {"required", one.required},
                       {"choices", one.choices.empty() ? Json() : Json::list(one.choices)},
                       {"doc", one.doc}});
}

Json described_command(const CommandRow& row) {
  return Json::object({{"command", row.path},
                       {"usage", row.usage},
                       {"summary", row.summary},
                       {"schema", schema_name(row)},
                       {"arguments", Json::list(own_arguments(row), described_flag)},
                       {"examples", Json::list(examples_of(row), &Example::line)}});
}

Result<Answer> list_commands(Context&, bool global) {
  if (!global) return Answer{.data = Json::list(command_rows(), described_command)};
  return Answer{.data = Json::list(global_flags(), described_flag),
                .view = {{{"names", "names"}, {"value", "value"}, {"doc", "doc"}}, Layout::rows}};
}

Result<Answer> show_schema(Context&, const std::vector<std::string>& typed) {
  const std::string shown = joined(typed, {}, " ");
  // A script may pass 'orders list' as one word.
  std::vector<std::string> words;
  for (std::string_view rest = shown; !rest.empty();) words.emplace_back(take_line(rest, ' '));
  const auto found = words.empty() ? std::nullopt : find_command(words);
  if (!found || found->words != words.size())
    return usage_error(shown.empty() ? "schema needs the name of a command" : "unknown command \"" + shown + "\"")
        .to_try({"svc commands"});
  Json schema = output_schema(*found->row);
  const std::string text = schema.dump() + "\n";
  return Answer{.data = std::move(schema), .text = text, .raw = text};
}

Result<Answer> show_version(Context&) {
  return Answer{
      .data = Json::object({{"program", "svc"}, {"version", program_version}, {"api_version", api::client_version}})};
}

// What to do about an error of this kind.
std::string_view advice(api::Category category, api::Retry retry) {
  const bool is_for_good = retry == api::Retry::never;
  if (category == api::Category::unavailable && is_for_good)
    return "nothing happened; this deployment does not offer it";
  switch (category) {
    case api::Category::auth: return "svc why tells what the server does not; svc whoami shows who signs";
    case api::Category::not_found: return "list what there is; what belongs to others is not found either";
    case api::Category::conflict: return "read what the service has, then decide again";
    case api::Category::invalid:
      return is_for_good ? "mend the request; svc markets list shows ticks and lots"
                         : "wait until that has changed, or send another request";
    case api::Category::forbidden: return "do not send it again; the account or the network may not do this";
    case api::Category::rate_limited:
      return is_for_good ? "do not repeat it; svc limits shows the budgets"
                         : "wait as retry_after_ms says; svc limits shows the budgets";
    case api::Category::unavailable: return "nothing happened; send it again after a pause";
    case api::Category::ambiguous:
      return "look for it first; a repeat is safe only with the same client id or Idempotency-Key";
    case api::Category::insufficient: return "svc account show tells what is free";
    case api::Category::halted: return "svc markets status MARKET tells when it trades again";
    case api::Category::version: return "upgrade svc, or call the path that took its place";
    case api::Category::internal: return "the service failed; svc venue health shows its parts";
  }
  return {};
}

constexpr std::string_view advice_on_open_writes =
    "repeat a read after a pause; a write may have been carried out (exit 11): look for it before you send it again";

// An error code: of the API, of a status without one, or ours. Ours have no status.
Json explained_code(std::string_view code, std::optional<int> status, ExitCode exit, std::string_view retry,
                    std::string_view meaning, std::string_view what_to_do) {
  return Json::object({{"code", code},
                       {"http", status},
                       {"category", meaning_of(exit).category},
                       {"exit", code_of(exit)},
                       {"retry", retry},
                       {"meaning", meaning},
                       {"what_to_do", what_to_do}});
}

// Explains an exit code, if the text is a number, else a code, a header or a cancel reason; null if it is none.
Json explanation_of(const std::string& code) {
  if (const auto number = parse_integer<int>(code)) {
    const auto meaning =
        std::ranges::find(exit_meanings, *number, [](const ExitMeaning& one) { return code_of(one.code); });
    if (meaning == std::end(exit_meanings)) return {};
    return Json::object({{"exit", *number},
                         {"category", meaning->category},
                         {"meaning", meaning->meaning},
                         {"may_retry", meaning->may_retry}});
  }
  if (const auto known = api::find_error(code)) {
    const api::ErrorInfo& info = api::info(*known);
    return explained_code(info.spelling, info.status, exit_of(info.category), api::to_string(info.retry), info.meaning,
                          may_leave_write_open(*known) ? advice_on_open_writes : advice(info.category, info.retry));
  }
  for (const api::HeaderInfo& header : api::header_table) {
    if (!api::same_header_name(header.name, code)) continue;
    return Json::object({{"header", header.name},
                         {"sent_by", header.by == api::SentBy::client ? "client" : "server"},
                         {"meaning", header.meaning}});
  }
  constexpr std::string_view of_status = "http_";
  const auto status = code.starts_with(of_status) ? parse_integer<int>(code.substr(of_status.size())) : std::nullopt;
  if (status && *status >= 400 && *status <= 599) {
    const api::Category category = api::category_of_status(*status);
    const bool leaves_open = *status >= 500 || *status == 408;
    return explained_code(code, *status, exit_of(category), meaning_of(exit_of(category)).may_retry,
                          "an answer with this status whose body has no error code of the API; exit 10 if it is no "
                          "JSON, such as the page of a proxy",
                          leaves_open ? advice_on_open_writes : advice(category, api::Retry::never));
  }
  if (const auto reason = trade::parse<trade::CancelReason>(code))
    return Json::object({{"reason", code}, {"meaning", trade::meaning_of(*reason)}});
  const LocalCode* ours = find_local_code(code);
  if (ours == nullptr) return {};
  return explained_code(ours->code, std::nullopt, ours->exit,
                        ours->retry.empty() ? meaning_of(ours->exit).may_retry : ours->retry, ours->meaning,
                        ours->what_to_do);
}

Result<Answer> explain_code(Context&, const std::string& code) {
  Json data = explanation_of(code);
  if (!data.is(Json::Kind::null)) return Answer{.data = std::move(data), .view = {{}, Layout::sheet}};
  return absent("code_unknown", "\"", code, "\" is no error, warning, exit code, header or cancel reason");
}

// Started by completion as a process of its own: reads what completion needs next time.
Result<Answer> refresh_completion(Context& context) {
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto read = [&](const Call& call) {
    auto reply = exchange.call(call);
    return reply ? std::move(reply->body) : Json();
  };
  const Json markets = read(call_of<api::ops::ListMarkets>());
  const Json orders = read(call_of<api::ops::ListOrders>());
  SVC_TRY(keep_for_completion(**context.paths(), exchange.network().name, markets, orders, context.now_ms(),
                              account_flags(context.line().words)));
  return Answer{};
}

Result<Answer> run_shell(Context& context, const std::vector<std::string>& lines,
                         const std::optional<std::string>& file, const std::optional<std::string>& rc,
                         bool keep_going) {
  return context.entry_points().shell(context, {.lines = lines, .file = file, .rc = rc, .keep_going = keep_going});
}

}  // namespace

std::vector<CommandRow> introspection_commands() {
  return {
      {"commands", "", "List every command with its flags", "--json  # the whole tree, for programs",
       Output{"[] command usage summary schema arguments:[argument] examples:[text] | names:[text] value? "
              "value_is_optional:boolean positional:boolean required:boolean choices:[text]? doc",
              "command usage summary schema names value doc"},
       calls(list_commands, {{"--global", "the flags of every command instead"}})},
      {"schema", "COMMAND...", "Show the JSON Schema of what a command prints with --json",
       "orders place  # the JSON Schema of a command's output",
       Output{"*", "-", "The JSON Schema (2020-12) of another command, or of its lines."},
       calls(show_schema, {{"COMMAND", "command, such as orders list"}})},
  };
}

std::vector<CommandRow> hidden_commands() {
  return {{"__refresh", "", "Read what completion needs", "", Output{"*"}, calls(refresh_completion)}};
}

std::vector<CommandRow> shell_commands() {
  return {{"shell", "", "Open a shell on one network", "-c 'markets list'  # the shell, for one line",
           Output{"*", "",
                  "Each command typed prints what it prints by itself; with -o json or ndjson one document or its "
                  "lines for each.",
                  As::lines},
           calls(run_shell, {{"-c,--command", "run this line and leave; may be given again", "LINE"},
                             {"-f,--file", "run the lines of a file and leave", "FILE"},
                             {"--rc", "run these lines first, instead of those of shellrc", "FILE"},
                             {"--keep-going", "go on after a line that failed"}})}};
}

std::vector<CommandRow> completion_commands() {
  return {
      {"completion", "SHELL", "Print what makes a shell complete svc commands", "bash  # completions for a shell",
       Output{"shell script"}, calls(show_completion, {{"SHELL", "bash, zsh or fish"}})},
      {"man", "[PAGE]", "Print a manual page", "orders  # the manual page of a group",
       Output{"page section:integer source | [] page section:integer summary", "page section summary"},
       calls(show_manual,
             {{"PAGE", "orders, exit-codes, networks, sandbox, ... (default: svc)"}, {"--list", "list the pages"}})},
      {"explain", "CODE", "Explain an error, warning, exit code, header or cancel reason",
       "InsufficientMargin  # what an error code means\n"
       "11  # what an exit code means\n"
       "Retry-After  # what a header means\n"
       "MarginBreach  # why an order was cancelled",
       Output{"code http:integer? category exit:integer retry meaning what_to_do | exit:integer category meaning "
              "may_retry | header sent_by meaning | reason meaning"},
       calls(explain_code,
             {{"CODE", "code of an error or a warning, exit code, header, or reason of a cancelled order"}})},
      {"version", "", "Show the versions of program and API", "# versions of program and API",
       Output{"program version api_version"}, calls(show_version)},
  };
}

}  // namespace svc::cli
