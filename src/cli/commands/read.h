// Commands that read one thing and show it.
#pragma once

#include "api/contract/orders.h"
#include "api/values.h"
#include "base/limits.h"
#include "cli/arguments/spelling.h"
#include "cli/client/exchange.h"
#include "cli/commands/command.h"

namespace svc::cli {

[[nodiscard]] inline Answer answer_of(Reply reply, View view = {}) {
  return {.data = std::move(reply.body), .view = std::move(view), .raw = std::move(reply.raw)};
}

// The text of a string member, at a path such as "order.id"; `otherwise` if there is none.
[[nodiscard]] inline std::string text_in(const Json& record, std::string_view path, std::string_view otherwise) {
  return std::string(record.string_at(path).value_or(otherwise));
}

// Exit 5, listing the markets, if the service has no such market. A list that cannot be read is no failure.
Result<void> check_listed(Exchange& exchange, const api::MarketId& market);

// Short names of markets: "btc" and "BTC-USDX" mean BTC-USDX-PERP if no other market fits.

// The whole id of the market that a word means. A word of three segments is an id and nothing is read. Other words are
// looked up in the list of markets, which is cached for ten minutes. Exit 5 if none fits, exit 2 if several do. (D-746)
Result<std::string> whole_market_id(Context& context, const std::string& word);
// The same for all markets of a command line, in place.
Result<void> name_markets(Context& context, const Arguments& arguments);

// True if rows are printed: then it is worth reading what only a column needs.
[[nodiscard]] bool shows_columns(const Context& context);

// What only a column needs; null if it cannot be read: the rows are right without it.
template <class Op>
[[nodiscard]] Json read_for_column(Context& context) {
  auto exchange = Exchange::open(context);
  if (!exchange) return {};
  auto reply = exchange->call(call_of<Op>());
  return reply ? std::move(reply->body) : Json();
}

// The server's clock: ours corrected by the known skew, else the Date of its latest answer, else ours.
[[nodiscard]] TimestampMs server_now_ms(Context& context, Exchange& exchange);

// The bytes of a file that a flag names, or of standard input for "-". `what` names the file in messages.
Result<std::string> read_bytes(Context& context, const std::string& file, std::string_view what);
// The same without a byte order mark.
Result<std::string> read_text(Context& context, const std::string& file, std::string_view what,
                              std::size_t bytes_max = limits::input_bytes_max);

// Without their ends, "\n" or "\r\n".
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

template <class... Parts>
[[nodiscard]] Failure bad_line(std::size_t line, const Parts&... parts) {
  return usage_error("line ", line, ": ", parts...);
}

// What was read from that line; the error names the line.
template <class T>
Result<T> in_line(std::size_t line, Result<T> read) {
  if (!read) return bad_line(line, read.error().message);
  return read;
}

// Whether the lines of a stream are collected for one document at its end; --jq alone filters lines.
[[nodiscard]] bool is_one_document(const Context& context);
// Adds a line to that document. If it has too many, a notice says so once and calls them `what`.
void collect(Context& context, Json& lines, Json line, std::string_view what = "lines");

// How many orders are open; 0 and a notice if that cannot be read.
[[nodiscard]] std::size_t open_orders(Context& context, Exchange& exchange, const api::OrdersRequest& request);

// --wait of commands that read one thing: they ask again until it is as wanted.

struct WaitLimit {
  std::optional<std::string> seconds;

  void declare(Arguments& arguments);  // --wait-timeout
  // Exit 2 if --wait-timeout is given without --wait.
  Result<std::int64_t> timeout_ms(bool waits) const;
};

// True if the record's status is its last one, or if it has none.
[[nodiscard]] bool is_final(const Json& record);

}  // namespace svc::cli
