// Views that are tables of what REST says, asked again and again, and at once when the stream tells of a change.
#pragma once

#include <map>

#include "cli/commands/run_page.h"

namespace svc::cli {

// Open positions and the account's money.
class PositionsPage final : public Page {
 public:
  // `account` is how the account is called; empty if that is not known.
  explicit PositionsPage(std::string account = {}) : account_(std::move(account)) {}

  std::string title() const override { return "positions"; }
  std::vector<api::StreamKey> channels() const override;
  std::vector<PageRead> reads() const override;
  void answered(const std::string& name, const Json& body) override { answers_[name] = body; }
  void paint(Canvas& canvas, const PageMoment& moment) const override;

 private:
  std::string account_;
  std::map<std::string, Json> answers_;
};

// The venue and the account on one page: equity, what is left of the rate limits, positions, open orders, markets, the
// latest fills.
class TopPage final : public Page {
 public:
  // Without a credential there are only the markets.
  explicit TopPage(bool with_account, std::string account = {})
      : with_account_(with_account), account_(std::move(account)) {}

  std::string title() const override { return "top"; }
  std::vector<PageRead> reads() const override;
  void answered(const std::string& name, const Json& body) override { answers_[name] = body; }
  void paint(Canvas& canvas, const PageMoment& moment) const override;

 private:
  bool with_account_;
  std::string account_;
  std::map<std::string, Json> answers_;
};

}  // namespace svc::cli
