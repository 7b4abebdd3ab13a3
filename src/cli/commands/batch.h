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
  std::size_t line = 0;  // in the input, from 1; in a JSON array the place
  api::OrderRequest order;
  bool names_client_id = false;  // in the input; otherwise the caller sets one
};

// 39 orders cost one token, 40 cost two (API: Limits).
inline constexpr std::uint64_t chunk_default = 39;
// The orders of one request; exit 2 for a --chunk that no request holds.
[[nodiscard]] Result<std::uint64_t, Failure> chunk_of(const std::optional<std::uint64_t>& typed);

// Guessed from the text.
[[nodiscard]] BatchFormat format_of(std::string_view text);

// All lines, or an error that names the first bad one and what was expected. The default time in force is IOC for
// market types, else GTC.
[[nodiscard]] Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format);

// The order as it is sent.
[[nodiscard]] std::string terms_text(const api::OrderRequest& order);

// One order per line, ready to be sent again under the same client ids.
[[nodiscard]] std::string batch_text(const std::vector<const BatchLine*>& lines);

// Checks a whole batch before any of it is sent: each market is known and not halted, prices are on ticks, sizes in
// lots and within bounds, no client id occurs twice. Two reads. Margin is not checked: it depends on what the first
// orders do. The failure lists every bad line.
[[nodiscard]] Result<void, Failure> check_batch(Exchange& exchange, const std::vector<BatchLine>& lines);

// The problem of one order by the rows of `markets list`, without the check for a halt; empty if there is none.
[[nodiscard]] std::string problem_of_order(const api::OrderRequest& order, const Json& markets);

// Runs of `orders batch`: a file that is started again before its run has ended continues that run. (D-626)
//
// The client ids of a run's orders derive from its id. So a run that was killed finds the orders it had placed, and a
// new run cannot meet the ids of another.

// A run that was not continued for so long is over.
inline constexpr std::int64_t batch_run_ms_max = 12 * hour_ms;
inline constexpr std::size_t batch_runs_kept_max = 1'000;  // the latest ones

struct BatchRun {
  std::string id;
  // The previous run of the same file, if this run is new.
  struct Earlier {
    TimestampMs at_ms = 0;
    bool ended = false;  // all orders were accepted, and that was shown
  };
  std::optional<Earlier> earlier{};
};

enum class BatchStart : std::uint8_t { go_on, anew };

// A file is named by its path, standard input or a pipe by the hash of its text.
struct BatchSource {
  std::string network, account, file;
};

// The run to continue, or a new one; recorded.
[[nodiscard]] Result<BatchRun, Failure> start_batch_run(const Environment& environment, const Paths& paths,
                                                        const BatchSource& source, BatchStart start);
// The same without recording it.
[[nodiscard]] Result<BatchRun, Failure> peek_batch_run(const Environment& environment, const Paths& paths,
                                                       const BatchSource& source, BatchStart start);
// The next start of that file begins a new run.
[[nodiscard]] Result<void, Failure> end_batch_run(const Paths& paths, const BatchRun& run);

// --wait of a batch: waits for the orders of `rows` ({"order", "fills", ...}; rows without an order are skipped) and
// updates them. The failure: exit 17 when the time ran out, 6 for an order that ended otherwise, 130 if interrupted.
[[nodiscard]] std::optional<Failure> wait_for_rows(Context& context, Exchange& exchange, const WaitFlags::Wait& wait,
                                                   Json& rows);

// The cells of one line of comma-separated text (RFC 4180, without line breaks inside cells).
[[nodiscard]] Result<std::vector<std::string>, std::string> split_csv(std::string_view line);

}  // namespace svc::cli
