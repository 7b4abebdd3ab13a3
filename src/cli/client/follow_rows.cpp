#include "cli/client/follow_rows.h"

#include "cli/client/watch_loop.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

Answer ended(ExitCode exit) {
  Answer answer{.printed = true};
  answer.failure =
      Failure{.exit = exit, .code = std::string(meaning_of(exit).category), .message = "stopped by a signal"};
  return answer;
}

// As the formats of lists do it, but row by row: one header, and no end.
Result<Written, Failure> show_row(Context& context, const View& view, const Json& row, bool first) {
  const auto& format = context.globals().format;
  if (context.presentation().filter || format == Format::ndjson || format == Format::raw)
    return print_stream_line(context, row);
  Presentation presentation = context.presentation();
  presentation.format = format.value_or(Format::tsv);
  presentation.header = first && presentation.header;
  presentation.width = 0;
  presentation.expanded = presentation.numbers_orders = false;
  const auto text = SVC_TRY(render_rows({.data = Json::array({row}), .view = view}, presentation));
  return context.environment().out(text);
}

}  // namespace

Result<Answer, Stop> follow_rows(Context& context, const View& view, const RowsAfter& rows_after) {
  if (context.globals().format == Format::json && !context.globals().jq_alone) {
    return unexpected(Stop(usage_error("--follow and one JSON document exclude each other; use -o ndjson")));
  }
  const StopSignals signals(context.environment());
  Environment& environment = context.environment();
  std::optional<Json> last;
  bool first = true;
  for (bool asked = false;; asked = true) {
    const auto rows = rows_after(last);
    if (!rows) {
      const auto* failure = std::get_if<Failure>(&rows.error().why);
      if (!asked || failure == nullptr || !failure->retryable) return unexpected(rows.error());
      context.say("note: " + failure->message + "; trying again");
    } else {
      for (const Json& row : *rows) {
        const auto shown = SVC_TRY(show_row(context, view, row, std::exchange(first, false)));
        if (shown != Written::whole) return ended(ExitCode::broken_pipe);
        last = row;
      }
    }
    for (std::int64_t left_ms = watch_limits::poll_ms; left_ms > 0; left_ms -= watch_limits::look_ms) {
      if (const auto signal = signals.came()) return ended(*signal);
      if (environment.interrupted()) return ended(ExitCode::interrupted);
      environment.sleep_ms(watch_limits::look_ms);
    }
  }
}

bool prints_stream_lines(Context& context) {
  const Globals& globals = context.globals();
  if (globals.jq_alone) return true;
  const bool piped = !context.environment().out_is_terminal;
  return globals.format == Format::ndjson || globals.format == Format::raw || (!globals.format && piped);
}

Result<void, Failure> check_stream_format(const Context& context, std::string_view what) {
  const auto& format = context.globals().format;
  if (format != Format::csv && format != Format::tsv) return {};
  return unexpected(usage_error("-o " + std::string(format == Format::csv ? "csv" : "tsv") + ": " + std::string(what) +
                                " has no columns; -o ndjson prints a JSON line for each, and --jq picks from it"));
}

Written print_stream_line(Context& context, const Json& line) {
  Environment& environment = context.environment();
  const std::string text = line.dump(LargeIntegers::as_text);
  const auto& filter = context.presentation().filter;
  if (filter == nullptr) return environment.out(text + "\n");
  const auto shown = filter->apply(text);
  if (!shown) {
    environment.err("svc: --jq: " + escaped(shown.error()) + "\n");
    return Written::whole;
  }
  // An expression for events finds nothing in lines that tell of the stream itself.
  if (shown->empty() || (*shown == "null\n" && line.string_at("type") != "event")) return Written::whole;
  return environment.out(environment.out_is_terminal ? escaped(*shown, "\n\t") : *shown);
}

}  // namespace svc::cli
