// Renders an answer as text. Pure: the same answer and presentation give the same bytes.
#pragma once

#include <map>

#include "cli/terminal/answer.h"
#include "cli/terminal/display_zone.h"
#include "cli/terminal/jq_filter.h"

namespace svc::cli {

enum class Format : std::uint8_t { table, json, ndjson, csv, tsv, raw };

// --template: a text with placeholders for a record's values: '{market} {size} @ {entry}'.
//
// A placeholder names a column, or a member by its path in the wire's names ("order.id"). {{ and }} are braces; \n, \t
// and \\ mean the same as in C.

struct TextTemplate {
  struct Part {
    std::string text;
    bool place = false;  // `text` is the name of the placeholder
  };
  std::vector<Part> parts;

  // The error tells what is wrong with the text, without the flag's name.
  static Result<TextTemplate, std::string> parse(std::string_view text);
};

struct Presentation {
  Format format = Format::table;
  bool header = true;
  bool color = false;
  std::vector<std::string> fields;     // names of columns; empty: all
  std::vector<std::string> known{};    // the command's possible columns: one that this answer lacks shows "-"
  std::vector<std::string> members{};  // the record's members, for answers without named columns; all are shown
  std::size_t width = 0;               // of the terminal that a table must fit; 0: nothing is shortened
  bool utf8 = false;                   // the terminal can show more than ASCII
  bool expanded = false;               // tables show a line per field
  bool numbers_orders = false;         // tables of orders have a column of row numbers
  bool more_follow = false;            // ndjson: one of several answers; only the last one has an end line
  std::optional<DisplayZone> zone{};
  std::optional<TextTemplate> text_template{};
  JqFilter filter{};  // for json and ndjson; empty: none
};

struct Warning {
  std::string code;
  std::string message;
};

// What surrounds the data in a JSON document; all keys are always present.
struct EnvelopeFacts {
  std::string schema;                  // "svc.orders.place/1"
  std::optional<std::string> network;  // the one selected, if any
  std::optional<std::string> account;  // the acting account, if any
  std::vector<Warning> warnings;
  Json meta = Json::object();
  std::map<std::string, std::uint64_t, std::less<>> costs{};  // by bucket; meta has the one of `cost_rank`
  int cost_rank = 0;
  bool has_sent_write = false;
};

// Table, csv, tsv, raw, or by template. Fails if a requested field is not a column of the answer.
Result<std::string> render_rows(const Answer& answer, const Presentation& presentation);

// One record per line, and the line {"type":"end",...} after the last one.
[[nodiscard]] std::string render_records(const Answer& answer);
[[nodiscard]] Json end_record(const std::optional<Failure>& failure, const EnvelopeFacts& facts);
[[nodiscard]] std::string render_end(const std::optional<Failure>& failure, const EnvelopeFacts& facts);
// These lines for ndjson, else one document: on one line for programs, indented for people.
enum class Lines : std::uint8_t { one, many };
[[nodiscard]] std::string render_document(const Answer& answer, const EnvelopeFacts& facts, Format format,
                                          Lines lines = Lines::one);

// The lines for standard error.
[[nodiscard]] std::string render_failure(const Failure& failure);

// RFC 3339 UTC with milliseconds: "2026-09-21T12:00:00.000Z"; outside of the years 1970 to 9999 the number itself.
[[nodiscard]] std::string rfc3339(std::int64_t unix_ms);

// A value as one cell; "-" if it is absent.
[[nodiscard]] std::string cell_text(const Json* value);
[[nodiscard]] std::string cell_of(const Column& column, const Json& record);

}  // namespace svc::cli
