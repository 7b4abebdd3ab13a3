#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/orders.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/client/exchange.h"
#include "cli/client/order_waiter.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

// The orders of `orders batch` under the wire's names: one JSON object per line, one JSON array, or CSV with the
// names as its header.

namespace svc::cli {

inline constexpr std::size_t batch_file_orders_max = 100'000;  // in one file

enum class BatchFormat : std::uint8_t { ndjson, csv, json };

struct BatchLine {
  std::size_t line = 0;  // in the input, from 1; of a JSON array the place in it
  api::OrderRequest order;
  bool names_client_id = false;  // the input does; else the caller gives the order one
};

// What the text looks like, if nobody says.
[[nodiscard]] BatchFormat format_of(std::string_view text);

// Every line or none: the error names the first line that is no order, and what was expected. Without a time in force
// it is IOC for market types, else GTC.
[[nodiscard]] Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format);

// The order as it is sent.
[[nodiscard]] std::string terms_text(const api::OrderRequest& order);

// One order per line, ready to be sent again under the same client ids.
[[nodiscard]] std::string batch_text(const std::vector<const BatchLine*>& lines);

// Looks at a whole batch before any of it is sent.

// Every order against the rules of its market: known, not halted, price on a tick, size in lots and within bounds; and
// no client id twice. Two reads. Margin is not looked at: it depends on what the first orders do. The failure lists
// every line that would be refused.
[[nodiscard]] Result<void, Stop> check_batch(Exchange& exchange, const std::vector<BatchLine>& lines);

// The same rules but the halt, for one order and the rows of `markets list`: what is wrong with it, empty if nothing
// is.
[[nodiscard]] std::string problem_of_order(const api::OrderRequest& order, const Json& markets);

// Runs of `orders batch`: a file that is started again before its run has ended goes on with it. (D-626)
//
// The client ids of a run's orders follow from its id. So a run that was killed finds in the service what it had
// placed, and one that begins anew cannot meet the ids of another.

// A run that nobody went on with for so long is over, ended or not.
inline constexpr std::int64_t batch_run_ms_max = 12 * hour_ms;
inline constexpr std::size_t batch_runs_kept_max = 1'000;  // the latest ones

struct BatchRun {
  std::string id;
  // Of the run of the same file before this one, if this one is new.
  struct Earlier {
    TimestampMs at_ms = 0;
    bool ended = false;  // each of its orders was accepted, and that was shown
  };
  std::optional<Earlier> earlier{};
};

enum class BatchStart : std::uint8_t { go_on, anew };

// What is ordered from where: on one network, for one account, a file by its path or standard input by its text.
struct BatchSource {
  std::string network, account, file;
};

// The run to go on with, or a new one, noted down.
[[nodiscard]] Result<BatchRun, Failure> start_batch_run(const Environment& environment, const Paths& paths,
                                                        const BatchSource& source, BatchStart start);
// The same without noting anything down.
[[nodiscard]] Result<BatchRun, Failure> peek_batch_run(const Environment& environment, const Paths& paths,
                                                       const BatchSource& source, BatchStart start);
// The next start of that file begins a new run.
[[nodiscard]] Result<void, Failure> end_batch_run(const Paths& paths, const BatchRun& run);

// --wait of a batch: many orders at once, by asking for all that are open.

// Waits for the orders of `rows` ({"order", "fills", ...}; rows without an order are passed over) and puts what became
// of them there. The failure, if any: exit 17 when the time ran out, 6 for an order that ended otherwise, 130.
[[nodiscard]] std::optional<Failure> wait_for_rows(Context& context, Exchange& exchange, const WaitFlags::Wait& wait,
                                                   Json& rows);

// One line of comma-separated text (RFC 4180, without line breaks inside cells).

// A cell in double quotes may hold commas and doubled quotes.
[[nodiscard]] Result<std::vector<std::string>, std::string> split_csv(std::string_view line);

}  // namespace svc::cli
