#include "cli/watch/stream_lines.h"

#include "cli/render.h"

namespace svc::cli {

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
