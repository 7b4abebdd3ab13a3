// The depth of one market as a ladder: asks above, bids below, the best in the middle.
#pragma once

#include "api/live_book.h"
#include "cli/screens/page.h"

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

}  // namespace svc::cli
