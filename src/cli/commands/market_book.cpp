// markets book
#include <algorithm>
#include <array>

#include "api/ops/markets.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/groups.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

struct Level {
  Decimal price;
  Decimal size;
};
using Levels = std::vector<Level>;

// nullopt if a number of the server is none that can be added exactly.
std::optional<Levels> levels_of(const Json* side) {
  Levels levels;
  if (side == nullptr) return levels;
  for (const Json& level : side->items()) {
    if (level.items().size() < 2) return std::nullopt;
    const auto price = parse_decimal(level.items()[0].text());
    const auto size = parse_decimal(level.items()[1].text());
    if (!price || !size) return std::nullopt;
    levels.push_back({*price, *size});
  }
  return levels;
}

// Levels within one step become one, at the step that is worse for the taker.
std::optional<Levels> grouped(const Levels& levels, const Decimal& step, Rounding rounding) {
  Levels out;
  for (const Level& level : levels) {
    const auto price = to_step(level.price, step, rounding);
    if (!price) return std::nullopt;
    if (out.empty() || out.back().price != *price) {
      out.push_back({*price, level.size});
      continue;
    }
    const auto sum = plus(out.back().size, level.size);
    if (!sum) return std::nullopt;
    out.back().size = *sum;
  }
  return out;
}

// The distance of the best prices in hundredths of a per cent of their middle, to a hundredth; empty without both.
std::string spread_bps(const Levels& bids, const Levels& asks) {
  if (bids.empty() || asks.empty()) return {};
  const Decimal bid{-bids.front().price.coefficient, bids.front().price.scale};
  const auto distance = plus(asks.front().price, bid);
  const auto both = plus(asks.front().price, bids.front().price);
  const auto scaled = distance ? times(*distance, {2'000'000, 0}) : std::nullopt;  // 2 x 10000 x 100
  if (!scaled || !both || both->coefficient <= 0) return {};
  // scaled / both, both over one scale.
  i128 numerator = scaled->coefficient;
  i128 denominator = both->coefficient;
  for (int i = scaled->scale; i < both->scale; ++i)
    if (__builtin_mul_overflow(numerator, i128{10}, &numerator)) return {};
  for (int i = both->scale; i < scaled->scale; ++i)
    if (__builtin_mul_overflow(denominator, i128{10}, &denominator)) return {};
  return format_decimal({div_round(numerator, denominator, Rounding::half_up), 2});
}

class ShowBook final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.integer("--depth", depth_, "N", "levels to show");
    arguments.decimal("--group", group_, "STEP", "put levels together in steps of this price");
    arguments.flag("--cum", cumulated_, "show what stands up to each level");
  }

 protected:
  Result<Call, Failure> call() override {
    const auto id = SVC_TRY(market_id(market_));
    if (depth_ == 0u) return unexpected(usage_error("--depth must be at least 1"));
    return call_of<api::ops::GetOrderBook>({.market_id = id});
  }

  // Bids and asks side by side, the best first.
  Answer render(Context& context, Reply reply) override {
    Answer answer = answer_of(std::move(reply), view());
    auto bids = levels_of(answer.data.find("bids"));
    auto asks = levels_of(answer.data.find("asks"));
    const std::string spread = bids && asks ? spread_bps(*bids, *asks) : std::string();
    if (group_ && bids && asks) {
      const Decimal step = *parse_decimal(*group_);
      bids = grouped(*bids, step, Rounding::down);
      asks = grouped(*asks, step, Rounding::up);
    }
    answer.rows = Json::array();
    if (!bids || !asks) {
      context.notice("inexact", "the server's numbers cannot be computed with exactly; -o json shows them");
      return answer;
    }
    const std::size_t levels = std::max(bids->size(), asks->size());
    Decimal bid_sum{}, ask_sum{};
    for (std::size_t i = 0; i < levels && (!depth_ || i < *depth_); ++i) {
      Json row = Json::object();
      put(row, *bids, i, "bid", bid_sum);
      put(row, *asks, i, "ask", ask_sum);
      if (i == 0 && !spread.empty()) row.set("spread_bps", spread);
      answer.rows->push(std::move(row));
    }
    return answer;
  }

 private:
  View view() const {
    View view{{{"bid_size", "bid_size"}, {"bid", "bid"}, {"ask", "ask"}, {"ask_size", "ask_size"}}};
    if (cumulated_) {
      view.columns.insert(view.columns.begin(), Column{"bid_cum", "bid_cum"});
      view.columns.push_back({"ask_cum", "ask_cum"});
    }
    view.columns.push_back({"spread_bps", "spread_bps"});
    return view;
  }

  static void put(Json& row, const Levels& side, std::size_t level, const std::string& name, Decimal& sum) {
    if (level >= side.size()) return;
    row.set(name, format_decimal(side[level].price));
    row.set(name + "_size", format_decimal(side[level].size));
    const auto total = plus(sum, side[level].size);
    if (!total) return;
    sum = *total;
    row.set(name + "_cum", format_decimal(sum));
  }

  std::string market_;
  std::optional<std::uint64_t> depth_;
  std::optional<std::string> group_;
  bool cumulated_ = false;
};

constexpr std::array market_book_rows{
    CommandRow{"markets book", "MARKET", "Show the order book of a market", make<ShowBook>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> market_book_commands() {
  return market_book_rows;
}

}  // namespace svc::cli
