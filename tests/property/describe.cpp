#include <sstream>

#include "generator.h"

namespace svc::engine {
namespace {

const char* word(Side side) {
  return side == Side::buy ? "buy" : "sell";
}

std::string who(const Address& address) {
  return "#" + std::to_string(address.bytes[0]);
}

const char* word(OrderType type) {
  const char* const words[] = {"limit",    "market",    "stop-limit",    "stop-market",
                               "tp-limit", "tp-market", "trailing-stop", "trailing-limit"};
  return words[static_cast<int>(type)];
}

const char* word(TimeInForce tif) {
  const char* const words[] = {"gtc", "ioc", "fok", "post-only"};
  return words[static_cast<int>(tif)];
}

struct Describe {
  std::ostringstream out{};

  void order(const OrderParams& p) {
    const char* const stp[] = {"", " stp-newest", " stp-oldest", " stp-decrement"};
    out << word(p.side) << " " << p.quantity.value.value << " @ " << p.price.value.value << " " << word(p.type) << " "
        << word(p.time_in_force) << " m" << p.market.value << (p.reduce_only ? " reduce-only" : "")
        << stp[static_cast<int>(p.stp)] << " trigger " << p.trigger.value.value;
    if (p.trailing_offset_bps) out << " trailing " << *p.trailing_offset_bps;
    if (p.max_slippage_bps) out << " slippage " << *p.max_slippage_bps;
    if (p.expires_at_ms != 0) out << " expires " << p.expires_at_ms;
    if (p.price.grid != Grid::on || p.quantity.grid != Grid::on || p.trigger.grid != Grid::on) out << " off-grid";
  }
  void operator()(const Deposit& c) { out << "deposit " << who(c.account) << " " << format_usdx(c.amount); }
  void operator()(const Withdraw& c) { out << "withdraw " << who(c.account) << " " << format_usdx(c.amount); }
  void operator()(const Transfer& c) {
    out << "transfer " << who(c.from) << " to " << who(c.to) << " " << format_usdx(c.amount);
  }
  void operator()(const FundInsurance& c) { out << "insure " << format_usdx(c.amount); }
  void operator()(const PlaceOrder& c) {
    out << who(c.account) << " ";
    order(c.params);
  }
  void operator()(const PlaceBatch& c) {
    out << who(c.account) << " batch";
    for (const OrderParams& params : c.orders) {
      out << " | ";
      order(params);
    }
  }
  void operator()(const AmendOrder& c) {
    out << who(c.account) << " amend " << c.order.value << " price " << c.price.value.value << " size "
        << c.size.value.value;
  }
  void operator()(const CancelOrder& c) { out << who(c.account) << " cancel " << c.order.value; }
  void operator()(const CancelAll& c) { out << who(c.account) << " cancel all"; }
  void operator()(const SetLeverage& c) {
    out << who(c.account) << " leverage m" << c.market.value << " " << c.leverage;
  }
  void operator()(const SetMarginMode& c) {
    out << who(c.account) << " mode m" << c.market.value << (c.mode == MarginMode::isolated ? " isolated" : " cross");
  }
  void operator()(const AdjustMargin& c) {
    out << who(c.account) << (c.direction == MarginDirection::add ? " add" : " remove") << " margin m" << c.market.value
        << " " << format_usdx(c.amount);
  }
  void operator()(const OracleTick& c) {
    out << "tick";
    for (const auto& price : c.prices)
      out << " m" << price.market.value << "=" << price.index.value << (price.mark ? "!" : "");
  }
  void operator()(const SetPriceMode& c) { out << "price mode m" << c.market.value << " " << static_cast<int>(c.mode); }
  void operator()(const SampleFunding&) { out << "sample"; }
  void operator()(const SettleFunding&) { out << "settle funding"; }
  void operator()(const InjectFunding& c) {
    out << "funding m" << c.market.value << " " << c.rate.value << " at " << c.index.value;
  }
  void operator()(const PassTime&) { out << "pass"; }
  void operator()(const HaltMarket& c) { out << "halt m" << c.market.value; }
  void operator()(const ResumeMarket& c) { out << "resume m" << c.market.value << " with " << format_usdx(c.inject); }
  void operator()(const SettleMarket& c) { out << "settle m" << c.market.value << " at " << c.price.value; }
};

}  // namespace

std::string describe(const Command& command) {
  Describe describe;
  std::visit(describe, command.body);
  return std::to_string(command.now_ms) + " " + describe.out.str();
}

}  // namespace svc::engine
