// Full-screen pages, painted ten times a second from stream news and REST answers. `watch` shows these: tables of what
// REST says, the depth of a market, its trades.
#pragma once

#include <deque>

#include "api/stream/live_book.h"
#include "api/stream/stream_client.h"
#include "cli/client/context.h"
#include "cli/client/exchange_door.h"
#include "cli/terminal/canvas.h"

namespace svc::cli {

// A read that is repeated for a page.
struct PageRead {
  std::string name;
  std::int64_t every_ms = 0;  // 0: read once
  Call call;
  TimestampMs due_ms = 0;  // when it is read next; this and answered_ms are set while the page runs
  std::optional<TimestampMs> answered_ms{};
};

struct PageMoment {
  TimestampMs now_ms = 0;
  TimestampMs heard_ms = 0;  // of the stream; 0: never
};

class Page {
 public:
  virtual ~Page() = default;

  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual std::vector<api::StreamKey> channels() const { return {}; }
  virtual void take(const api::StreamNews&) {}
  [[nodiscard]] virtual std::vector<PageRead> reads() const { return {}; }
  virtual void answered(const std::string& /*name*/, const Json& /*body*/) {}
  // Paints lines 1 to height - 2; the first and the last belong to the frame.
  virtual void paint(Canvas& canvas, const PageMoment& moment) const = 0;
};

// What the user's locale can show.
[[nodiscard]] inline Glyphs glyphs_here(const Context& context) {
  return context.presentation().utf8 ? Glyphs::unicode : Glyphs::ascii;
}

struct PageTerms {
  bool full_screen = false;
  std::optional<std::int64_t> for_ms{};
  std::optional<std::uint64_t> frames{};  // plain text: ends after so many pictures
};

// Shows a page on the whole terminal until q is pressed, or as plain text.
Result<Answer> run_page(Context& context, ExchangeDoor& door, Page& page, const PageTerms& terms);

// A page of tables, read from REST again and again, and at once when the stream tells of a change.
class TablePage : public Page {
 public:
  // `account` is shown as the account's name; empty if it is not known.
  explicit TablePage(std::string account) : account_(std::move(account)) {}
  void answered(const std::string& name, const Json& body) override { answers_.set(name, body); }

 protected:
  void paint_money(Canvas& canvas, int y) const;

  std::string account_;
  Json answers_ = Json::object();  // by the names of their reads
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
  void add(const Json& trade);

  std::string market_;
  std::deque<Json> trades_;  // newest first; null: trades before it are missing
};

}  // namespace svc::cli
