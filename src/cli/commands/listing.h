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

struct ListFlags {
  std::optional<std::uint64_t> limit;
  bool all = false;
  std::optional<std::string> market;
  std::optional<std::string> since;
  std::optional<std::string> until;
  SortFlag sort;

  void declare(Arguments& arguments, const RowKeys& keys);
  [[nodiscard]] bool filters() const { return market || since || until; }
};

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
    flags_.declare(arguments, keys());
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto id = market_id(market_);
    if (!id) return unexpected(Stop(id.error()));
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
  std::string market_;
  ListFlags flags_;
};

}  // namespace svc::cli
