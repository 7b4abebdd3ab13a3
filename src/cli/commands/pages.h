// What `watch` shows as pages: tables of what REST says, the depth of a market, its trades.
#pragma once

#include <deque>
#include <map>

#include "api/stream/live_book.h"
#include "cli/commands/run_page.h"

namespace svc::cli {

// A page of tables, read from REST again and again, and at once when the stream tells of a change.
class TablePage : public Page {
 public:
  // `account` is shown as the account's name; empty if it is not known.
  explicit TablePage(std::string account) : account_(std::move(account)) {}
  void answered(const std::string& name, const Json& body) override { answers_[name] = body; }

 protected:
  // The rows of an answer; none before it came.
  [[nodiscard]] const std::vector<Json>& rows_of(const std::string& name) const;
  void paint_money(Canvas& canvas, int y) const;

  std::string account_;
  std::map<std::string, Json> answers_;
};

// Open positions and the account's money.
class PositionsPage final : public TablePage {
 public:
  explicit PositionsPage(std::string account = {}) : TablePage(std::move(account)) {}

  std::string title() const override { return "positions"; }
  std::vector<api::StreamKey> channels() const override;
  std::vector<PageRead> reads() const override;
  void paint(Canvas& canvas, const PageMoment& moment) const override;
};

// Equity, rate limits, positions, open orders, markets and the latest fills.
class TopPage final : public TablePage {
 public:
  // Without a credential there are only the markets.
  explicit TopPage(bool with_account, std::string account = {})
      : TablePage(std::move(account)), with_account_(with_account) {}

  std::string title() const override { return "top"; }
  std::vector<PageRead> reads() const override;
  void paint(Canvas& canvas, const PageMoment& moment) const override;

 private:
  void paint_budgets(Canvas& canvas, int y) const;

  bool with_account_;
};

// The depth of one market as a ladder: asks above, bids below, the best in the middle.
class BookPage final : public Page {
 public:
  explicit BookPage(std::string market) : market_(std::move(market)), book_(market_) {}

  std::string title() const override { return "book " + market_; }
  std::vector<api::StreamKey> channels() const override {
    return {{.channel = api::StreamChannel::book, .market = market_, .interval = {}}};
  }
  void take(const api::StreamNews& news) override { book_.take(news); }
  // Of a book that is in doubt it shows the reason and no level.
  void paint(Canvas& canvas, const PageMoment& moment) const override;

 private:
  std::string market_;
  api::LiveBook book_;
};

// The trades of one market, newest first.
class TradesPage final : public Page {
 public:
  explicit TradesPage(std::string market) : market_(std::move(market)) {}

  std::string title() const override { return "trades " + market_; }
  std::vector<api::StreamKey> channels() const override {
    return {{.channel = api::StreamChannel::trades, .market = market_, .interval = {}}};
  }
  void take(const api::StreamNews& news) override;
  std::vector<PageRead> reads() const override;
  void answered(const std::string& name, const Json& body) override;
  void paint(Canvas& canvas, const PageMoment& moment) const override;

 private:
  struct TradeLine {
    std::string id;
    std::int64_t at_ms = 0;
    std::string side;
    std::string price;
    std::string size;
    bool hole = false;  // trades before it are missing
  };
  void add(const Json& trade);

  std::string market_;
  std::deque<TradeLine> lines_;  // newest first
};

}  // namespace svc::cli
