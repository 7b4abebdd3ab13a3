// Lists that come in pages, and the filters that the service does not offer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/limits.h"
#include "cli/commands/read.h"
#include "cli/commands/row_sorting.h"

namespace svc::cli {

// What the rows call their market and their time; empty if they have none.
struct RowKeys {
  std::string_view market;
  std::string_view time_ms;
};

enum class Comes : std::uint8_t { in_pages, whole };

struct ListFlags {
  std::optional<std::uint64_t> limit;
  bool all = false;
  std::optional<std::string> market;
  std::optional<std::string> since;
  std::optional<std::string> until;
  SortFlag sort;

  // Filters for which the rows have no member are refused.
  void declare(Arguments& arguments, const RowKeys& keys, Comes comes = Comes::in_pages);
  void declare_market(Arguments& arguments, const RowKeys& keys);
  void declare_rest(Arguments& arguments, const RowKeys& keys, Comes comes);
  [[nodiscard]] bool filters() const { return market || since || until; }
};

// What of the rows is shown, where the service does not choose them itself.
class RowCut {
 public:
  // Before anything is asked for: exit 2 names the flag that is wrong.
  [[nodiscard]] static Result<RowCut, Failure> of(const ListFlags& flags, const RowKeys& keys, const View& view);

  [[nodiscard]] bool holds(const Json& row) const;
  // Of rows that are all there: their order, then their number, and a note if any were filtered.
  void finish(Context& context, Answer& answer) const;

 private:
  RowCut(const ListFlags& flags, const RowKeys& keys) : flags_(flags), keys_(keys) {}

  ListFlags flags_;
  RowKeys keys_;
  std::optional<TimestampMs> since_ms_, until_ms_;
};

// The query with its cursor replaced, or added.
[[nodiscard]] std::string query_at(std::string_view query, std::string_view cursor);
// Where the page after this one begins; nullopt if it is the last.
[[nodiscard]] std::optional<std::string> next_cursor(const Reply& page, const std::optional<std::string>& cursor);

// The rows of a call that answers with all of them at once.
[[nodiscard]] Result<Answer, Stop> read_whole(Context& context, const ListFlags& flags, const RowKeys& keys,
                                              const Call& call, View view);

// The rows read, filtered here. A page is asked for by rows wanted and cursor.
using NextPage = std::function<Call(std::uint32_t rows, const std::optional<std::string>& cursor)>;
[[nodiscard]] Result<Answer, Stop> read_pages(Context& context, const ListFlags& flags, const RowKeys& keys,
                                              std::uint32_t page_rows_max, const NextPage& next_page, View view);

// RFC 3339 in UTC ("2026-01-31T12:00:00Z", seconds and fraction optional) or Unix milliseconds.
[[nodiscard]] Result<TimestampMs, Failure> parse_time(std::string_view flag, const std::string& text);

// The largest page of an operation, as its request record says.
template <class Request>
[[nodiscard]] constexpr std::uint32_t page_rows_max() {
  for (const api::FieldInfo& field : Request::fields) {
    if (field.name == "limit") return field.maximum;
  }
  return 0;
}

// Of an operation without parameters, whose rows come all at once.
template <class Op, View (*view)(), RowKeys (*keys)()>
class WholeList final : public Command {
 public:
  void declare(Arguments& arguments) override { flags_.declare(arguments, keys(), Comes::whole); }
  Result<Answer, Stop> run(Context& context) override {
    return read_whole(context, flags_, keys(), call_of<Op>(), view());
  }

 private:
  ListFlags flags_;
};

template <class Op, View (*view)(), RowKeys (*keys)()>
class ListCommand final : public Command {
 public:
  void declare(Arguments& arguments) override { flags_.declare(arguments, keys()); }
  Result<Answer, Stop> run(Context& context) override {
    return read_pages(
        context, flags_, keys(), page_rows_max<typename Op::Request>(),
        [](std::uint32_t rows, const std::optional<std::string>& cursor) {
          typename Op::Request request;
          request.limit = rows;
          if constexpr (requires { request.cursor; }) request.cursor = cursor;
          return call_of<Op>(request);
        },
        view());
  }

 private:
  ListFlags flags_;
};

// A list of one market.
template <class Op, View (*view)(), RowKeys (*keys)()>
class MarketList final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.text("--market", flags_.market, "MARKET", "same as MARKET");
    flags_.declare_rest(arguments, keys(), Comes::in_pages);
  }
  Result<Answer, Stop> run(Context& context) override {
    if (market_.has_value() == flags_.market.has_value())
      return unexpected(Stop(usage_error(market_ ? "MARKET and --market exclude each other" : "missing MARKET")));
    const auto id = market_id(market_ ? *market_ : *flags_.market);
    if (!id) return unexpected(Stop(id.error()));
    flags_.market.reset();  // the service narrows to it
    return read_pages(
        context, flags_, keys(), page_rows_max<typename Op::Request>(),
        [&](std::uint32_t rows, const std::optional<std::string>& cursor) {
          typename Op::Request request;
          request.market_id = *id;
          request.limit = rows;
          if constexpr (requires { request.cursor; }) request.cursor = cursor;
          return call_of<Op>(request);
        },
        view());
  }

 private:
  std::optional<std::string> market_;
  ListFlags flags_;
};

}  // namespace svc::cli
