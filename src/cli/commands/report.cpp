#include "cli/commands/report.h"

#include "cli/commands/output_shape.h"
#include "cli/machine/programs.h"
#include "cli/terminal/canvas.h"

namespace svc::cli {

int print(Environment& environment, std::string_view text, ExitCode exit) {
  const NoPipeSignal none;  // a reader that went away is an exit code, not the end by a signal
  switch (environment.out(text)) {
    case Written::whole: return code_of(exit);
    case Written::reader_gone: return code_of(ExitCode::broken_pipe);
    case Written::failed: break;
  }
  if (run_is_ending != 0) return code_of(exit_of_signal(run_is_ending));
  const std::string_view done = exit == ExitCode::success ? "; the command itself succeeded" : "";
  environment.err("svc: standard output cannot be written; the result is incomplete" + std::string(done) + "\n");
  return code_of(ExitCode::internal);
}

namespace {

bool shows_utf8(const Environment& environment) {
  const auto value = [&](std::string_view name) { return environment.variable(name).value_or(""); };
  return glyphs_of(value("LC_ALL"), value("LC_CTYPE"), value("LANG")) == Glyphs::unicode;
}

// The filter of --jq; nothing but a signal ends an expression without an end. (D-1126)
Result<JqFilter> filter_of(const std::string& expression) {
  return JqFilter([filter = SVC_TRY(compile_jq(expression))](std::string_view document) {
    const NotedSignalsEnd signals;
    return filter(document);
  });
}

// Each line is a document; JSON output has one.
Result<std::string, std::string> filtered(const JqFilter& filter, std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    auto shown = filter(take_line(lines));
    if (!shown) return shown;
    out += *shown;
  }
  return out;
}

// The JSON documents of an answer, one per line, as the filter shows them if there is one. Of a failure it shows
// nothing that it does not select.
int print_documents(Environment& environment, const std::string& lines, const Answer& answer, const JqFilter& filter) {
  const ExitCode exit = answer.exit_code();
  // An escape of a text in JSON is that text still.
  if (filter == nullptr) return print(environment, environment.for_out(lines), exit);
  // The picked part may not show that the command failed.
  if (answer.failure) environment.err(render_failure(*answer.failure));
  const auto shown = filtered(filter, lines);
  if (shown && answer.failure && *shown == "null\n")
    return code_of(exit);  // the expression asks for a member of a success
  if (shown) return print(environment, environment.for_out(*shown), exit);
  environment.err("svc: --jq: " + escaped(shown.error()) +
                  (answer.failure ? "\n" : "; the command itself succeeded\n"));
  return code_of(answer.failure ? exit : ExitCode::internal);
}

bool is_document(Format format) {
  return format == Format::json || format == Format::ndjson;
}

int print_document(Environment& environment, const Answer& answer, const EnvelopeFacts& facts, Format format,
                   const JqFilter& filter) {
  // A filter takes documents line by line, and prints what it makes of them in its own way.
  const bool for_people = environment.out_is_terminal && filter == nullptr;
  return print_documents(environment, render_document(answer, facts, format, for_people ? Lines::many : Lines::one),
                         answer, filter);
}

int print_document(Context& context, const Answer& answer, const Presentation& presentation) {
  Environment& environment = context.environment();
  const JqFilter& filter = presentation.filter;
  if (!presentation.more_follow)
    return print_document(environment, answer, context.facts(), presentation.format, filter);
  if (answer.failure && filter == nullptr) environment.err(render_failure(*answer.failure));
  return print_documents(environment, render_records(answer), answer, filter);
}

// With the names that the table of outputs has for the rows.
Presentation with_names(std::string_view command, const Answer& answer, Presentation presentation) {
  if (!presentation.fields.empty()) presentation.known = output_columns(command);
  const Json& data = answer.shown();
  const bool is_empty = data.is(Json::Kind::array) && data.items().empty();
  const Json& first = data.is(Json::Kind::array) && !is_empty ? data.items().front() : data;
  if (answer.view.columns.empty() && (is_empty || first.is(Json::Kind::object)))
    presentation.members = output_members(command, first);
  return presentation;
}

// The plan is that of the first request. It gets the others, and what all of them cost of its bucket.
void add_followers(Json& plan, std::span<const Json> requests) {
  const std::string bucket = plan.text_at("cost.bucket");
  std::int64_t weight = 0;
  for (const Json& request : requests)
    if (request.string_at("cost.bucket") == bucket) weight += request.integer_at("cost.weight").value_or(0);
  plan.set("requests", requests.size());
  plan.set("cost", Json::object({{"bucket", bucket}, {"weight", weight}}));
  plan.set("then", Json::list(requests.subspan(1)));
}

constexpr std::string_view clear_line = "\r\x1b[K";
constexpr std::int64_t progress_after_ms = 1'000;
constexpr std::int64_t progress_every_ms = 200;

std::string bar(std::uint64_t done, std::uint64_t total) {
  constexpr std::uint64_t cells = 20;
  const std::uint64_t filled = total == 0 ? 0 : std::min(cells, done * cells / total);
  return "[" + std::string(filled, '#') + std::string(cells - filled, '.') + "] ";
}

}  // namespace

int print_early(Environment& environment, const std::vector<std::string>& words, const Answer& answer,
                std::string schema) {
  const GlobalWords typed = usable_globals(words);
  JqFilter filter;
  if (typed.globals.jq)
    if (auto compiled = filter_of(*typed.globals.jq)) filter = std::move(*compiled);
  Format format = wanted_format(typed, environment.variable("SVC_OUTPUT"));
  if (filter && format != Format::ndjson) format = Format::json;
  EnvelopeFacts facts;
  facts.schema = std::move(schema);
  facts.network = typed.globals.network;
  if (is_document(format)) return print_document(environment, answer, facts, format, filter);
  if (!answer.failure) return print(environment, *answer.text, ExitCode::success);
  environment.err(render_failure(*answer.failure));
  return code_of(answer.failure->exit);
}

bool wants_color(const Globals& globals, const Environment& environment) {
  return globals.color == "always" || (globals.color != "never" && environment.prefers_color());
}

Result<Presentation> presentation_of(const Globals& globals, const Environment& environment,
                                     const ShellSession* shell_session) {
  Presentation presentation;
  presentation.format = globals.format.value_or(environment.out_is_terminal ? Format::table : Format::tsv);
  presentation.header = !globals.no_header;
  presentation.color = wants_color(globals, environment);
  presentation.fields = globals.fields;
  if (environment.out_is_terminal && !globals.wide) presentation.width = environment.out_columns();
  presentation.utf8 = shows_utf8(environment);
  if (shell_session != nullptr) {
    presentation.expanded = shell_session->expanded;
    presentation.numbers_orders = shell_session->numbers_orders && environment.out_is_terminal;
  }
  if (globals.time_zone) {
    auto zone = DisplayZone::find(*globals.time_zone, environment.variable("TZ"));
    if (!zone) return usage_error("--tz: " + zone.error());
    presentation.zone = std::move(*zone);
  }
  if (globals.text_template) {
    auto text = TextTemplate::parse(*globals.text_template);
    if (!text) return usage_error("--template: " + text.error());
    presentation.text_template = std::move(*text);
  }
  if (globals.jq) presentation.filter = SVC_TRY(filter_of(*globals.jq));
  return presentation;
}

Result<void> check_names(std::string_view command, const Globals& globals, const Presentation& presentation) {
  // A shell shows nothing itself: its lines are checked one by one.
  if (globals.dry_run || command == "shell") return {};
  for (const std::string& field : presentation.fields) SVC_TRY(check_field(command, field));
  if (!presentation.text_template) return {};
  for (const TextTemplate::Part& part : presentation.text_template->parts)
    if (part.place) SVC_TRY(check_place(command, part.text));
  return {};
}

int report_failure(Context& context, const Failure& failure, const Presentation& presentation) {
  Environment& environment = context.environment();
  if (is_document(presentation.format) && !presentation.more_follow)
    return print_document(context, {.failure = failure}, presentation);
  environment.err(render_failure(failure));
  // If the server's bytes are the result, so are the bytes of a refusal.
  const bool as_received = presentation.format == Format::raw || context.command() == "api";
  if (failure.raw && as_received) return print(environment, environment.for_out(*failure.raw), failure.exit);
  return code_of(failure.exit);
}

int report_answer(Context& context, const Answer& answer, const Presentation& presentation) {
  Environment& environment = context.environment();
  const ExitCode exit = answer.exit_code();
  environment.answered(answer);
  if (answer.printed) return code_of(exit);
  if (is_document(presentation.format)) return print_document(context, answer, presentation);
  const auto text = render_rows(answer, with_names(context.command(), answer, presentation));
  if (!text) {
    // Not exit 2, which would mean that nothing was done.
    environment.err("svc: --fields: " + text.error().message + "; the command itself succeeded\n");
    return code_of(answer.failure ? exit : ExitCode::internal);
  }
  if (answer.failure) environment.err(render_failure(*answer.failure));
  return print(environment, presentation.format == Format::raw ? environment.for_out(*text) : *text, exit);
}

int report_end(Context& context, const std::optional<Failure>& failure, ExitCode exit,
               const Presentation& presentation) {
  if (presentation.format != Format::ndjson) return code_of(exit);
  return print_documents(context.environment(), render_end(failure, context.facts()), {.exit = exit},
                         presentation.filter);
}

int report_dry_run(Context& context, Json plan, const Presentation& presentation) {
  Environment& environment = context.environment();
  if (plan.find("dry_run") == nullptr) plan.set("dry_run", true);
  Answer answer{.data = std::move(plan), .view = {.columns = {}, .layout = Layout::sheet}};
  // A plan of local changes has no request.
  if (const std::span<const Json> requests = context.planned(); !requests.empty()) {
    answer.rows = Json::array({answer.data});
    for (const Json& request : requests.subspan(1)) answer.rows->push(request);
    add_followers(answer.data, requests);
    const auto curl = [](const Json& request) { return request.text_at("curl"); };
    if (context.globals().curl) answer.text = joined(requests, curl, "\n") + "\n";
  }
  environment.answered(answer);
  if (is_document(presentation.format)) return print_document(context, answer, presentation);
  // A plan has other columns than the command.
  const auto text = render_rows(answer, presentation);
  if (text) return print(environment, *text, ExitCode::success);
  return report_failure(context, usage_error("--fields, of a dry run: " + text.error().message), presentation);
}

ProgressLine::ProgressLine(Context& context, std::string what, std::string units)
    : context_(context),
      what_(std::move(what)),
      units_(std::move(units)),
      wanted_(context.environment().err_is_terminal && !context.globals().quiet),
      started_at_ms_(context.now_ms()) {}

ProgressLine::~ProgressLine() {
  if (shown_) context_.environment().err(clear_line);
}

void ProgressLine::at(std::uint64_t done, std::optional<std::uint64_t> total) {
  if (!wanted_) return;
  const TimestampMs now_ms = context_.now_ms();
  const bool early = now_ms - started_at_ms_ < progress_after_ms;
  const bool again_so_soon = shown_ && now_ms - shown_at_ms_ < progress_every_ms;
  if (early || again_so_soon) return;
  std::string line = what_ + " ";
  if (total) line += bar(done, *total);
  line += std::to_string(done) + (total ? " of " + std::to_string(*total) : "") + " " + units_;
  context_.environment().err(std::string(clear_line) + line);
  shown_ = true;
  shown_at_ms_ = now_ms;
}

}  // namespace svc::cli
