// orders place, preview; buy, sell
#include <array>

#include "cli/commands/groups.h"
#include "cli/commands/market_names.h"
#include "cli/commands/order_placing.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array entry_sides{"buy"sv, "sell"sv};

// The service cancels no order by time: who needs that cancels, or uses IOC.
Result<void, Failure> refuse_ttl(const std::optional<std::string>& ttl) {
  if (!ttl) return {};
  return unexpected(usage_error("--ttl: the service has no field for a lifetime; use --tif ioc, or cancel the order"));
}

// "@ 64950", however many words it is.
Result<void, Failure> take_price(const std::vector<std::string>& at, OrderTerms& terms) {
  if (at.empty()) return {};
  std::string joined;
  for (const std::string& word : at) joined += word;
  if (!joined.starts_with('@') || joined.size() < 2)
    return unexpected(usage_error("after MARKET only @ PRICE may follow, such as @ 64950"));
  SVC_TRY(parse_price_term("@ PRICE", joined.substr(1)));
  if (terms.price) return unexpected(usage_error("@ PRICE and --price exclude each other"));
  terms.price = joined.substr(1);
  return {};
}

void declare_long(Arguments& arguments, OrderTerms& terms, std::vector<std::string>& at) {
  arguments.positional("MARKET", terms.market, "market, such as BTC-USDX-PERP");
  arguments.remaining("@", at, "limit price, same as --price: @ 64950, @ bid+1t");
  arguments.choice("--side", terms.side, entry_sides, "buy or sell");
  arguments.text("--size", terms.size, "N", "size in base units, or 500usdx, 50%pos, max@3x");
  arguments.text("--price", terms.price, "PRICE", "limit price, or mid-5bps, bid+1t, mark+0.1%");
  terms.declare(arguments);
}

class PlaceOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    declare_long(arguments, terms_, at_);
    flags_.declare(arguments);
    arguments.text("--ttl", ttl_, "D", "refused: the service has no field for a lifetime");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(refuse_ttl(ttl_));
    SVC_TRY(take_price(at_, terms_));
    return place_order(context, terms_, flags_);
  }

 private:
  OrderTerms terms_;
  std::vector<std::string> at_;
  PlacingFlags flags_;
  std::optional<std::string> ttl_;
};

class PreviewOrder final : public Command {
 public:
  void declare(Arguments& arguments) override {
    declare_long(arguments, terms_, at_);
    arguments.no_field("--ttl");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(take_price(at_, terms_));
    return preview_order(context, terms_);
  }

 private:
  OrderTerms terms_;
  std::vector<std::string> at_;
};

// svc buy SIZE MARKET [@ PRICE], or svc buy MARKET --notional USDX [@ PRICE]
class ShortOrder : public Command {
 public:
  explicit ShortOrder(std::string side) { terms_.side = std::move(side); }
  void declare(Arguments& arguments) override {
    arguments.positional("SIZE", size_, "size in base units, or 500usdx, 50%pos, max@3x; none with --notional");
    arguments.positional("MARKET", market_, "market, such as BTC-USDX-PERP");
    arguments.remaining("@", at_, "limit price: @ 64950, @ mid-5bps, @ bid+1t");
    arguments.text("--price", terms_.price, "PRICE", "limit price, same as @ PRICE");
    terms_.declare(arguments);
    flags_.declare(arguments);
    arguments.no_field("--ttl");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(understand());
    if (terms_.notional) {
      // It stood where SIZE does.
      auto whole = SVC_TRY(whole_market_id(context, terms_.market));
      terms_.market = std::move(whole);
    }
    return place_order(context, terms_, flags_);
  }

 private:
  Result<void, Failure> understand() {
    const auto size = parse_size_term("SIZE", size_);
    if (terms_.notional && size) return unexpected(usage_error("SIZE and --notional exclude each other"));
    if (terms_.notional) {
      // Without SIZE all words stand one place further to the left.
      if (market_) at_.insert(at_.begin(), *market_);
      market_ = size_;
    } else {
      if (!size) return unexpected(size.error());
      terms_.size = size_;
    }
    if (!market_) return unexpected(usage_error("missing MARKET"));
    terms_.market = *market_;
    return take_price(at_, terms_);
  }

  OrderTerms terms_;
  std::string size_;
  std::optional<std::string> market_;
  std::vector<std::string> at_;
  PlacingFlags flags_;
};

struct Buy final : ShortOrder {
  Buy() : ShortOrder("buy") {}
};
struct Sell final : ShortOrder {
  Sell() : ShortOrder("sell") {}
};

constexpr std::array order_entry_rows{
    CommandRow{"buy", "SIZE MARKET [@ PRICE]", "Buy: limit with a price, else at market", make<Buy>},
    CommandRow{"sell", "SIZE MARKET [@ PRICE]", "Sell: limit with a price, else at market", make<Sell>},
    CommandRow{"orders place", "MARKET --side buy|sell --size N [--price PRICE]", "Place an order", make<PlaceOrder>},
    CommandRow{"orders preview", "MARKET --side buy|sell --size N [--price PRICE]",
               "Ask what an order would do, without placing it", make<PreviewOrder>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> order_entry_commands() {
  return order_entry_rows;
}

}  // namespace svc::cli
