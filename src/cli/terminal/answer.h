// The result of a command: one document, and how to show it as rows.
#pragma once

#include "cli/terminal/failure.h"

namespace svc::cli {

// A column of table, csv and tsv output. The name is ours; the path uses the wire's names.
struct Column {
  std::string_view name;
  std::string_view path{};                         // "order.id"; empty: the whole row
  std::string (*text)(const Json& row) = nullptr;  // for values that are not one field; an empty result is shown as "-"
  // When a table is too wide for the terminal, `if_it_fits` columns are dropped first, `core` columns late and `vital`
  // ones last. Tables show an `if_any` column only if some row has a value; csv and tsv always have the same columns.
  enum class Need : std::uint8_t { vital, core, always, if_it_fits, if_any } need = Need::always;
  bool is_time = false;  // the member is in Unix milliseconds and shown as RFC 3339
};

enum class Layout : std::uint8_t {
  rows,   // one line per record under a header
  sheet,  // one line per field
};

struct View {
  std::vector<Column> columns{};  // none: the record's members in their order
  Layout layout = Layout::rows;
};

// Of a command that failed altogether it has the failure alone.
struct Answer {
  Json data{};  // the wire's records, as JSON output shows them
  View view{};
  std::optional<Json> rows{};         // the rows to show, if they are not the records themselves
  std::optional<std::string> text{};  // shown instead of rows by all formats but json, ndjson and raw
  std::optional<std::string> raw{};   // the server's bytes, for -o raw
  bool printed = false;               // the command has already printed its output
  ExitCode exit = ExitCode::success;  // if there is no failure: the exit code of what the command ran for the user
  std::optional<Failure> failure{};   // a partly successful batch has rows and a failure

  [[nodiscard]] ExitCode exit_code() const { return failure ? failure->exit : exit; }
  [[nodiscard]] const Json& shown() const { return rows ? *rows : data; }
};

}  // namespace svc::cli
