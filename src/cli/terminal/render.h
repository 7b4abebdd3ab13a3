// An answer as text. Pure: the same answer and presentation give the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/display_zone.h"
#include "cli/terminal/jq_filter.h"

namespace svc::cli {

enum class Format : std::uint8_t { table, json, ndjson, csv, tsv, raw };

// --template: a text with places for what a record holds: '{market} {size} @ {entry}'.
//
// A place names a column, or a member by its path under the wire's names ("order.id"). {{ and }} are
// braces; \n, \t and \\ are what they are in C.

class TextTemplate {
 public:
  struct Part {
    std::string text;
    bool place = false;  // `text` is the name of what comes here
  };

  // The error says what is wrong with the text, without the flag's name.
  [[nodiscard]] static Result<TextTemplate, std::string> parse(std::string_view text);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

struct Presentation {
  Format format = Format::table;
  bool header = true;
  bool color = false;
  std::vector<std::string> fields;  // names of columns; empty: all
  std::vector<std::string> known{};  // columns that the command may have: one that an answer lacks shows "-"
  std::vector<std::string> members{};  // of the record, where the answer names no columns; all are shown
  std::size_t width = 0;            // of the terminal that a table has to fit into; 0: nothing is shortened
  bool utf8 = false;                // the terminal shows more than ASCII
  bool expanded = false;            // tables show a line per field
  bool numbers_orders = false;      // tables of orders have a column of row numbers
  bool goes_on = false;             // ndjson: one of several answers, of which only the last has an end
  std::optional<DisplayZone> zone{};
  std::optional<TextTemplate> text_template{};
  std::shared_ptr<const JqFilter> filter{};  // of json and ndjson
};

struct Warning {
  std::string code;
  std::string message;
};

// What surrounds the data of a JSON document; every key is always present.
struct EnvelopeFacts {
  std::string schema;                  // "svc.orders.place/1"
  std::optional<std::string> network;  // the one selected, if any
  std::optional<std::string> account;  // the one acted for, if any
  std::vector<Warning> warnings;
  Json meta = Json::object();
};

// Table, csv, tsv, raw or by template. Fails if a field asked for is none of the answer's columns.
[[nodiscard]] Result<std::string, Failure> render_rows(const Answer& answer, const Presentation& presentation);

// One record per line; and the line {"type":"end",...} after the last.
[[nodiscard]] std::string render_records(const Answer& answer);
[[nodiscard]] std::string render_end(const Failure* failure, const EnvelopeFacts& facts);
[[nodiscard]] std::string render_ndjson(const Answer* answer, const Failure* failure, const EnvelopeFacts& facts);

// One document, success or not: on one line for programs, indented for people.
enum class Lines : std::uint8_t { one, many };
[[nodiscard]] std::string render_envelope(const Answer* answer, const Failure* failure, const EnvelopeFacts& facts,
                                          Lines lines = Lines::one);

// The lines on standard error.
[[nodiscard]] std::string render_failure(const Failure& failure);

// RFC 3339 UTC with milliseconds: "2026-09-21T12:00:00.000Z"; outside the years 1970 to 9999 the number.
[[nodiscard]] std::string rfc3339(std::int64_t unix_ms);

// A value as one cell, as it is: "-" for what is absent.
// `escaped` makes it fit for a terminal: \n, \r, \t, and \xNN for other control characters.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view kept = {});
[[nodiscard]] std::string cell_text(const Json* value);
[[nodiscard]] std::string cell_of(const Column& column, const Json& record);

}  // namespace svc::cli
