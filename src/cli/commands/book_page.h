// The depth of one market as a ladder: asks above, bids below, the best in the middle.
#pragma once

#include <deque>

#include "api/stream/live_book.h"
#include "cli/commands/run_page.h"

namespace svc::cli {

class BookPage final : public Page {
 public:
  explicit BookPage(std::string market) : market_(std::move(market)), book_(market_) {}

  std::string title() const override { return "book " + market_; }
  std::vector<api::StreamKey> channels() const override {
    return {{.channel = api::StreamChannel::book, .market = market_, .interval = {}}};
  }
  void take(const api::StreamNews& news) override { book_.take(news); }
  // Shows no level of a book that is in doubt, but why.
  void paint(Canvas& canvas, const PageMoment& moment) const override;

 private:
  std::string market_;
  api::LiveBook book_;
};

// The tape of one market, newest first.

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
    bool hole = false;  // events before it are missing
  };
  void add(const Json& trade);

  std::string market_;
  std::deque<TradeLine> lines_;  // newest first
};

}  // namespace svc::cli
