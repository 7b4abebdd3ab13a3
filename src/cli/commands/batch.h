#pragma once

#include "api/contract/orders.h"
#include "cli/client/exchange.h"
#include "cli/client/order_waiter.h"

// The orders of `orders batch` under the wire's names: one JSON object per line, one JSON array, or CSV with the
// names as its header.

namespace svc::cli {

enum class BatchFormat : std::uint8_t { ndjson, csv, json };

struct BatchLine {
  std::size_t line = 0;  // in the input, from 1; in a JSON array the place
  api::OrderRequest order;
  bool names_client_id = false;  // in the input; otherwise the caller sets one
};

// 39 orders cost one token, 40 cost two (API: Limits).
inline constexpr std::uint64_t chunk_default = 39;
// The orders of one request; exit 2 for a --chunk that no request holds.
Result<std::uint64_t> chunk_of(const std::optional<std::uint64_t>& typed);

// All lines, or an error that names the first bad one and what was expected. Without a format it is guessed from the
// text. The default time in force is IOC for market types, else GTC.
Result<std::vector<BatchLine>> parse_batch(std::string_view text, std::optional<BatchFormat> format);

// Checks a whole batch before any of it is sent: each market is known and not halted, prices are on ticks, sizes in
// lots and within bounds, no client id occurs twice. Two reads. Margin is not checked: it depends on what the first
// orders do. The failure lists every bad line.
Result<void> check_batch(Exchange& exchange, const std::vector<BatchLine>& lines);

// What is wrong with one order by the rows of `markets list`, and by those of the summaries whether its market is
// halted; empty if nothing is. Rules that the server does not publish are not checked.
[[nodiscard]] std::string problem_of_order(const api::OrderRequest& order, const Json& markets,
                                           const Json& summaries = {});

// --wait of a batch: waits for the orders of `rows` ({"order", "fills", ...}; rows without an order are skipped) and
// updates them. The failure: exit 17 when the time ran out, 6 for an order that ended otherwise, 130 if interrupted.
[[nodiscard]] std::optional<Failure> wait_for_rows(Context& context, Exchange& exchange, const WaitFlags::Wait& wait,
                                                   Json& rows);

// The cells of one line of comma-separated text (RFC 4180, without line breaks inside cells); the error has its number.
Result<std::vector<std::string>> split_csv(std::size_t number, std::string_view line);

}  // namespace svc::cli
