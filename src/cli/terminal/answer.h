// What a command has to say: one document, and how to show it as rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// A column of table, csv and tsv output. The name is ours; the path is the wire's.
struct Column {
  std::string_view name;
  std::string_view path{};                         // "order.id"; empty: the whole row
  std::string (*text)(const Json& row) = nullptr;  // for what is not one field; empty result shows as "-"
  // Of a table that is too wide for the terminal `if_it_fits` goes first and `core` last. A column `if_any` stands in
  // tables only where some row has it; csv and tsv have the same columns every time.
  enum class Need : std::uint8_t { core, always, if_it_fits, if_any } need = Need::always;
  bool is_time = false;  // the member is in Unix milliseconds and shown as RFC 3339
};

enum class Layout : std::uint8_t {
  rows,   // one line per record under a header
  sheet,  // one line per field
};

struct View {
  std::vector<Column> columns{};  // none: the members of the record, as they come
  Layout layout = Layout::rows;
};

struct Answer {
  Json data{};  // the wire's records; what JSON output shows
  View view{};
  std::optional<Json> rows{};          // what rows show instead, where the record is not a row as it stands
  std::optional<std::string> text{};   // what all formats but json, ndjson and raw show instead of rows
  std::optional<std::string> raw{};    // the server's bytes, for -o raw
  bool printed = false;                // the command wrote its output as it ran: nothing is left to show
  ExitCode exit = ExitCode::success;   // without a failure: of what the command ran for the user
  std::optional<Failure> failure{};    // a batch that succeeded in part has both
  std::function<void()> once_shown{};  // runs when all of it was written; not if that fails
};

}  // namespace svc::cli
