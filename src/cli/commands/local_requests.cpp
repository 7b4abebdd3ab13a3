// local requests, fault, coverage, record

#include "api/router.h"
#include "base/text_condition.h"
#include "cli/client/outgoing.h"
#include "cli/client/redaction.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/control_call.h"
#include "cli/commands/operation_command.h"
#include "cli/commands/output_shape.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace {

std::string curl_lines(const Json& requests, const std::string& origin) {
  const auto line = [&](const Json& request) {
    const std::string url = quoted_word(origin + request.text_at("path"));
    return "curl " + escaped(curl_method(request.text_at("method"))) + " " + escaped(url) + "\n";
  };
  return joined(requests.items(), line, "");
}

// The path as fault rules name it: without the base that the client used.
std::string path_of_rules(const std::string& path) {
  const std::string logical = logical_path(path);
  return api::lies_under(logical, api::twin_prefix) ? logical.substr(api::twin_prefix.size()) : logical;
}

Result<Answer> list_requests(Context& context, bool failed, const std::optional<std::string>& route, bool follow,
                             bool curl) {
  auto exchange = SVC_TRY(Exchange::open(context));
  std::int64_t seen = 0;  // the number of the last one, shown or not
  const auto new_rows = [&](const std::optional<Json>& /*last*/) -> Result<std::vector<Json>> {
    const auto reply =
        SVC_TRY(exchange.call(call_of<control::ListRequests>({.after = static_cast<std::uint64_t>(seen)})));
    std::vector<Json> rows;
    for (const Json& request : reply.body.items_at("requests")) {
      const std::int64_t number = request.integer_at("number").value_or(0);
      if (seen > 0 && number > seen + 1)
        context.say(concat("note: ", number - seen - 1,
                           " requests are not shown: they were more at once than the sandbox keeps"));
      seen = number;
      const bool is_refused = request.string_at("rule") || request.integer_at("status") >= 400;
      if (failed && !is_refused) continue;
      const std::string path = request.text_at("path");
      if (!route || glob_fits(*route, path) || glob_fits(*route, path_of_rules(path)) ||
          glob_fits(*route, request.text_at("operation")))
        rows.push_back(request);
    }
    return rows;
  };
  if (follow) return follow_rows(context, {shown_columns(context.command())}, new_rows);
  Answer answer{.data = Json::array(SVC_TRY(new_rows({})))};
  if (curl) answer.text = curl_lines(answer.data, exchange.network().origin());
  return answer;
}

std::string list_text(const Json& row, std::string_view name) {
  return joined(row.items_at(name), &Json::text, ",");
}

std::string statuses_of(const Json& row) {
  const Json statuses = row.value_at("statuses");
  const auto text = [](const auto& status) { return concat(status.first, ":", status.second.text()); };
  return joined(statuses.members(), text, ",");
}

// Whether the operation was never answered with success.
bool is_missed(const Json& row) {
  return !row.truth_at("met");
}

// A missed operation fails; errors of it that were not met are only named.
std::string coverage_junit(const Json& coverage) {
  const auto& operations = coverage.items_at("operations");
  std::string out =
      concat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"coverage\" tests=\"",
             operations.size(), "\" failures=\"", std::ranges::count_if(operations, is_missed), "\">\n");
  for (const Json& row : operations) {
    const auto text = [&](std::string_view name) { return xml_text(row.text_at(name)); };
    out +=
        "    <testcase classname=\"" + text("operation") + "\" name=\"" + text("method") + " " + text("path") + "\">\n";
    if (is_missed(row)) out += "      <failure message=\"never answered with success\"/>\n";
    out += "      <system-out>statuses " + xml_text(statuses_of(row)) +
           "; codes never met: " + xml_text(list_text(row, "codes_missing")) + "</system-out>\n    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string coverage_summary(const Json& data) {
  const auto part = [&](std::string_view what) {
    return concat(data.integer_at(concat("met.", what)).value_or(0), " of ",
                  data.integer_at(concat("of.", what)).value_or(0), " ", what);
  };
  return "met: " + joined(std::array{"operations", "successes", "errors", "codes"}, part);
}

// What the requests so far covered: a row per operation and twin.
Result<Answer> show_coverage(Context& context, bool missing, const std::optional<std::string>& tag,
                             const std::optional<std::string>& from, const std::optional<std::string>& junit) {
  auto exchange = SVC_TRY(Exchange::open(context));
  // The report covers the time before the tag.
  auto reply = SVC_TRY(exchange.call(call_of<control::GetCoverage>({.from = from})));
  if (tag) SVC_TRY(exchange.call(call_of<control::TagCoverage>({.tag = *tag})));
  if (junit) SVC_TRY(write_junit(*junit, coverage_junit(reply.body)));
  const View view{columns("+operation +method +path hit=+requests +met statuses() codes_seen() codes_missing()",
                          {{"statuses", statuses_of},
                           {"codes_seen", [](const Json& row) { return list_text(row, "codes_met"); }},
                           {"codes_missing", [](const Json& row) { return list_text(row, "codes_missing"); }}})};
  Answer answer = answer_of(std::move(reply), view);
  std::vector<Json> operations = answer.data.items_at("operations");
  if (missing)
    std::erase_if(operations,
                  [](const Json& row) { return !is_missed(row) && list_text(row, "codes_missing").empty(); });
  answer.rows = Json::array(operations);
  answer.data.set("operations", Json::array(std::move(operations)));
  context.say(coverage_summary(answer.data));
  return answer;
}

// What the rule does, in short.
std::string effect_of(const Json& fault) {
  const auto word = [&](std::string_view name) { return fault.find(name) != nullptr; };
  std::string effect;
  if (const auto code = fault.string_at("code")) effect = concat(fault.integer_at("status").value_or(0), " ", *code);
  if (word("drop_before")) effect = "drop before";
  if (word("drop_after_send")) effect = "drop after send";
  if (const auto skew = fault.integer_at("skew_ms")) effect = concat("skew ", *skew, " ms");
  if (const auto stream = fault.string_at("ws")) effect = concat("ws ", *stream);
  if (const auto latency = fault.integer_at("latency_ms"))
    effect += concat(effect.empty() ? "" : ", ", "latency ", *latency, " ms");
  return effect;
}

// Which requests the rule applies to.
std::string rule_of(const Json& fault) {
  std::string rule;
  for (const std::string_view name : {"method", "route", "operation", "account"}) {
    if (const auto text = fault.string_at(name)) rule += concat(rule.empty() ? "" : " ", *text);
  }
  if (const auto when = fault.string_at("when")) rule += concat(rule.empty() ? "when " : " when ", *when);
  return rule.empty() ? "every request" : rule;
}

void show_faults(Context&, Answer& answer) {
  answer.data = Json::array(answer.data.items_at("faults"));
  answer.raw.reset();
}

// "250", "250ms" or "-2s".
Result<std::string> read_milliseconds(std::string_view name, const std::string& typed) {
  std::string_view digits = typed;
  std::int64_t unit_ms = 1;
  if (digits.ends_with("ms")) {
    digits.remove_suffix(2);
  } else if (digits.ends_with('s')) {
    digits.remove_suffix(1);
    unit_ms = second_ms;
  }
  const auto number = parse_scaled(digits, 0);
  constexpr std::int64_t number_max = 1'000'000'000'000;
  if (number && *number <= number_max && *number >= -number_max) return std::to_string(*number * unit_ms);
  return usage_error(name, " must be such as 250, 250ms or 2s, not \"", typed, "\"");
}

Result<Answer> clear_faults(Context& context, const std::optional<std::string>& id) {
  if (!id) return answer_of(SVC_TRY(ask_sandbox<control::ClearFaults>(context)));
  const auto number = parse_integer<std::uint64_t>(*id);
  if (!number) return usage_error("ID is the number of a rule, not \"" + *id + "\"");
  return answer_of(SVC_TRY(ask_sandbox<control::RemoveFault>(context, {.id = *number})));
}

// The text is kept, to be looked at; under another name, because it tells something else than the session.
Failure not_reproduced(Context& context, const std::optional<std::string>& file, const Json& differences,
                       const std::string& text) {
  Failure failure =
      failed("not_reproduced", "told to a fresh engine the session is another: ", differences.items().front().text())
          .with_details(Json::object({{"differences", differences}, {"scenario", text}}));
  if (!file) {
    context.say(text);
    return failure;
  }
  const std::string kept = *file + ".failed";
  if (write_new_given(kept, text))
    failure.message += "; its text is in " + kept;
  else
    context.say(text);
  return failure;
}

// The recording has ended, so this is the only text of the session. Its empty file would block the name.
Failure not_kept(Context& context, const std::string& file, Failure failure, const std::string& text) {
  (void)remove_private(file);
  context.say(text);
  failure.message += "; the session's text is on standard error";
  return std::move(failure).with_details(Json::object({{"scenario", text}}));
}

Result<Answer> stop_recording(Context& context, const std::optional<std::string>& file,
                              const std::optional<std::string>& title) {
  // Stopping loses the session, so the file is created first.
  if (file && !context.globals().dry_run) SVC_TRY(write_new_given(*file, ""));
  auto reply = ask_sandbox<control::StopRecording>(context, {.title = title});
  const Json differences = reply ? Json::array(reply->body.items_at("differences")) : Json();
  const bool differs = !differences.items().empty();
  if ((!reply || differs) && file && !context.globals().dry_run) (void)remove_private(*file);
  SVC_TRY(reply);
  const std::string text = reply->body.text_at("scenario");
  if (differs) return not_reproduced(context, file, differences, text);
  if (file)
    if (const auto written = replace_given(*file, text); !written)
      return not_kept(context, *file, written.error(), text);
  Answer answer{.data = Json::object({{"file", file}})};
  copy_members(reply->body, {"steps", "accounts", "scenario"}, answer.data);
  if (!file) answer.text = context.environment().for_out(text);
  return answer;
}

void say_what_ends_a_recording(Context& context, Answer&) {
  context.say("note: it is lost when the sandbox ends: svc local record stop FILE comes first");
}

}  // namespace

std::vector<CommandRow> local_request_commands() {
  return {
      {"local requests", "", "List the latest requests and what refused them",
       "# what was asked, and what was answered",
       Output{"[] number:integer received_at_ms:integer network? method path operation? credential? account? "
              "status:integer code? rule? note? bucket? cost:integer",
              "time@received_at_ms method path auth=credential status code bucket cost reason=rule note"},
       calls(list_requests,
             {{"--failed", "only those that were refused"},
              {"--route", "only paths such as '/orders*', or operations such as place_order", "GLOB"},
              {"--follow", "go on with those to come, until Ctrl-C"},
              hiding_global(
                  {"--curl", "print each as a curl command, without its credentials and body, which are not kept"})}),
       Repeats::yes}};
}

std::vector<CommandRow> local_fault_commands() {
  using control::Fault, control::FaultTerms;
  const auto fault_columns =
      columns<Fault>("id rule() effect() rate count hits", {{"rule", rule_of}, {"effect", effect_of}});
  return {
      {"local fault add", "", "Make requests fail, wait or get lost",
       "--route '/fills*' --status 503 --count 1  # make the next request fail\n"
       "--operation place_order --when 'body.side=Sell && body.price>=70000' --status 503  # only some requests",
       operation<control::AddFault>(
           {.arguments =
                {flag<&FaultTerms::route>("--route", "GLOB", "paths it is for, such as '/orders*' (default: all)"),
                 flag<&FaultTerms::operation>("--operation", "NAME", "operation it is for, such as place_order"),
                 flag<&FaultTerms::method>("--method", "", "method it is for"),
                 flag<&FaultTerms::status>("--status", "N", "answer with this status"),
                 flag<&FaultTerms::code>("--code", "CODE", "answer with this error; docs/errors.md lists them"),
                 flag<&FaultTerms::latency_ms>("--latency", "MS", "hold the answer back so long (real time)",
                                               read_milliseconds),
                 flag<&FaultTerms::drop_before>("--drop-before", "", "lose the request before it is handled"),
                 flag<&FaultTerms::drop_after_send>("--drop-after-send", "", "handle it and lose the answer"),
                 flag<&FaultTerms::ws>("--ws", "", "what happens to events of a stream"),
                 flag<&FaultTerms::skew_ms>("--skew", "MS",
                                            "how far the server's clock is ahead when it judges credentials",
                                            read_milliseconds),
                 hiding_global(
                     flag<&FaultTerms::rate>("--rate", "FRACTION", "share of the requests that it hits, such as 0.1")),
                 flag<&FaultTerms::count>("--count", "N", "hit so many times, then rest"),
                 flag<&FaultTerms::when>("--when", "EXPR",
                                         "only requests such as 'body.side=Buy && body.price>=60000'; of method, path, "
                                         "operation, account, query.NAME "
                                         "and body.NAME"),
                 acting_account<&FaultTerms::account>()},
            .columns = fault_columns})},
      {"local fault list", "", "List the faults that are set, with their hits", "# faults that are set",
       operation<control::ListFaults>({.columns = fault_columns, .shape = "[] add_fault", .finish = show_faults})},
      {"local fault clear", "[ID]", "Lift one fault, or all", "# none any more", Output{"clear_faults", "removed"},
       calls(clear_faults, {{"ID", "rule to lift (default: all)"}})},
      {"local coverage", "", "Show which operations, statuses and errors were met",
       "--tag suite  # operations and codes met so far; and a tag for what comes\n"
       "--from suite --missing  # what nobody asked since",
       Output{"get_coverage", "operation method path hit met statuses codes_seen codes_missing", "", As::list},
       calls(show_coverage, {{"--missing", "only operations of which something was never met"},
                             {"--tag", "set a tag here and now, for --from", "NAME"},
                             {"--from", "only what was asked since that tag was set", "TAG"},
                             {"--junit", "write a JUnit report to this file as well", "FILE"}}),
       Repeats::yes},
  };
}

std::vector<CommandRow> local_record_commands() {
  const auto recording_columns = columns<control::Recording>("recording steps spoiled now@now_ms sequence");
  return {
      {"local record start", "", "Write down what happens from now on, to be told as a scenario",
       "# write down a session by hand",
       operation<control::StartRecording>({.columns = recording_columns, .finish = say_what_ends_a_recording})},
      {"local record show", "", "Show whether a session is being written down", "# is one being written down",
       operation<control::GetRecording>({.columns = recording_columns})},
      {"local record stop", "[FILE]", "End the session and write its scenario",
       "~/session.scenario --title 'a first trade'  # the session as a scenario that passes",
       Output{"file? steps:integer accounts:list scenario", "file steps"},
       calls(stop_recording, {{"FILE", "a new file for the scenario; none: print it"},
                              {"--title", "what the story is about", "TEXT"}})},
  };
}

}  // namespace svc::cli
