// Lists: pages, sorting, and filters that the service does not offer.
#pragma once

#include "cli/arguments/durations.h"
#include "cli/commands/read.h"

namespace svc::cli {

// The typed time of --since by the local clock; a day ago without it.
Result<TimestampMs> since_or_day_ago(const Context& context, const std::optional<std::string>& typed);

// --sort of commands that show rows.
struct SortFlag {
  std::optional<std::string> by;

  void declare(Arguments& arguments);

  // Exit 2 names the command's columns. Checked before anything is read.
  Result<void> check(std::string_view command) const;

  // Sorts the rows and the records behind them. Numbers compare exactly, ages as ages; missing values come last.
  void apply(Answer& answer) const;
};

enum class Comes : std::uint8_t { in_pages, whole };

// The members of a row that hold its market and its time (empty: none), and the order of the service's rows. The first
// page holds the newest rows, whatever the order within it.
struct RowKeys {
  enum class Runs : std::uint8_t { newest_first, oldest_first };

  std::string_view market{};
  std::string_view time_ms{};
  Runs runs = Runs::newest_first;
  Comes comes = Comes::in_pages;
};

struct ListFlags {
  std::optional<std::uint64_t> limit;
  bool all = false;
  std::optional<std::string> market;
  std::optional<std::string> since;
  std::optional<std::string> until;
  SortFlag sort;

  // Filters for which the rows have no member are refused.
  void declare(Arguments& arguments, const RowKeys& keys);
};

// Rows not before `since_ms` and before `until_ms`, Unix milliseconds.
struct RowFilter {
  std::optional<api::MarketId> market{};
  std::optional<TimestampMs> since_ms{}, until_ms{};

  [[nodiscard]] bool by_time() const { return since_ms || until_ms; }
};

// Chooses the rows to show; the service may have applied the same filters, or not.
class RowCut {
 public:
  RowCut(const ListFlags& flags, const RowKeys& keys, RowFilter filter)
      : flags_(flags), keys_(keys), filter_(std::move(filter)) {}

  [[nodiscard]] const RowFilter& filter() const { return filter_; }
  [[nodiscard]] bool holds(const Json& row) const;
  // True of rows older than --since: the older pages have nothing to show.
  [[nodiscard]] bool is_before(const Json& row) const;
  // Exit 5 if there are no rows because the market does not exist.
  Result<void> check_market(Exchange& exchange, const Json& rows) const;
  // Sorts a complete list, then applies --limit.
  void finish(Answer& answer) const;

 private:
  ListFlags flags_;
  RowKeys keys_;
  RowFilter filter_;
};

struct OpenList {
  Exchange exchange;
  RowCut cut;
};
// Exit 2 names the wrong flag before anything is read. Typed times are by the server's clock; exit 2 if --since is
// after
// --until.
Result<OpenList> open_list(Context& context, const ListFlags& flags, const RowKeys& keys);

// A notice that a filter was applied here and not by the service.
void say_filtered_here(Context& context);

// Adds to the rows what the records do not have. It runs before sorting, so that every column can be sorted by.
using AddRows = std::function<void(Answer& answer)>;

// The rows of a call that answers with all of them.
Result<Answer> read_whole(Context& context, const ListFlags& flags, const RowKeys& keys, const Call& call, View view,
                          const AddRows& add_rows);

struct PageRequest {
  std::uint32_t rows = 0;
  const std::optional<std::string>& cursor;
  const RowFilter& filter;
};

// A list operation: the size of its pages, and the filters that it takes.
struct PageSource {
  std::uint32_t rows_max = 0;
  bool has_cursor = true;
  bool takes_market = false;
  bool takes_times = false;
  std::function<Call(const PageRequest&)> page;
};

// Reads pages until enough rows pass the filters. (D-745)
Result<Answer> read_pages(Context& context, const ListFlags& flags, const RowKeys& keys, const PageSource& source,
                          View view, const AddRows& add_rows = {});

// Fills in the parts of a page request for which the operation's request has members; `request` has the rest.
template <class Op>
[[nodiscard]] PageSource pages_of(typename Op::Request request) {
  using Request = typename Op::Request;
  constexpr bool market = requires {
    std::declval<Request&>().market_id = std::optional<api::MarketId>();
  };
  constexpr bool times = requires {
    std::declval<Request&>().start_time = std::declval<Request&>().end_time;
  };
  constexpr bool cursor = requires {
    std::declval<Request&>().cursor;
  };
  constexpr std::uint32_t rows_without_limit = 100;  // of a page whose request takes no number of rows
  constexpr std::uint32_t rows_max = page_rows_max<Request>();
  return {.rows_max = rows_max == 0 ? rows_without_limit : rows_max,
          .has_cursor = cursor,
          .takes_market = market,
          .takes_times = times,
          .page = [request = std::move(request)](const PageRequest& page) {
            Request asked = request;
            if constexpr (requires { asked.limit; }) asked.limit = page.rows;
            if constexpr (market) asked.market_id = page.filter.market;
            if constexpr (times) {
              asked.start_time = page.filter.since_ms;
              // An empty window is asked for as its first millisecond: the service refuses one that ends before it
              // begins.
              const TimestampMs since_ms = page.filter.since_ms.value_or(0);
              if (page.filter.until_ms) asked.end_time = std::max(*page.filter.until_ms - 1, since_ms);
            }
            if constexpr (requires { asked.cursor; }) asked.cursor = page.cursor;
            Call call = call_of<Op>(asked);
            // A cursor is followed even if the contract of the list promises none.
            if constexpr (!requires { asked.cursor; }) {
              if (page.cursor) call.query = query_at(call.query, *page.cursor);
            }
            return call;
          }};
}

}  // namespace svc::cli
