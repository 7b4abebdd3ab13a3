#include "sim/scenario/session.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/assert.h"
#include "base/decimal.h"
#include "sim/scenario/difference.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/session_text.h"
#include "sim/scenario/story.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

// In the order of the alphabet.
constexpr std::array people_names{"alice", "bob",   "carol",  "dave",    "erin",  "frank",  "grace", "heidi", "ivan",
                                  "judy",  "kim",   "leo",    "mallory", "nina",  "oscar",  "peggy", "quinn", "rupert",
                                  "sybil", "trent", "ursula", "victor",  "wendy", "xavier", "yara",  "zoe"};

std::string numbered(std::size_t place) {
  constexpr std::size_t digits = 6;  // so that names sort like their numbers
  const std::string number = std::to_string(place);
  return "account" + std::string(digits - std::min(digits, number.size()), '0') + number;
}

MarketIndex market_at(std::size_t place) {
  return {static_cast<std::uint16_t>(place)};
}

// The accounts that a command names.
std::vector<Address> accounts_of(const Command& command) {
  return std::visit(
      [](const auto& body) -> std::vector<Address> {
        if constexpr (requires { body.from; }) return {body.from, body.to};
        if constexpr (requires { body.account; }) return {body.account};
        return {};
      },
      command.body);
}

std::vector<MarketIndex> markets_of(const Command& command) {
  if (const auto* batch = std::get_if<PlaceBatch>(&command.body)) {
    std::vector<MarketIndex> markets;
    for (const OrderParams& order : batch->orders) markets.push_back(order.market);
    return markets;
  }
  return std::visit(
      [](const auto& body) -> std::vector<MarketIndex> {
        if constexpr (requires { body.params; }) return {body.params.market};
        if constexpr (requires { MarketIndex{body.market}; }) return {body.market};
        return {};
      },
      command.body);
}

std::vector<std::string> columns(const std::string& head, const std::vector<std::string>& keys, std::size_t values) {
  std::vector<std::string> lines{"  " + head};
  for (const std::string& key : keys) {
    std::string line = "  " + key;
    for (std::size_t i = 0; i < values; ++i) line += " ?";
    lines.push_back(line);
  }
  return lines;
}

// Of a text that another one should begin with; empty if it does.
std::string first_changed_line(std::string_view text, std::string_view other) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view there = other.substr(0, other.find('\n'));
    if (line != there)
      return "line " + std::to_string(number) + ": expected \"" + std::string(line) + "\", got \"" +
             std::string(there) + "\"";
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    other.remove_prefix(std::min(other.size(), there.size() + 1));
  }
  return {};
}

}  // namespace

std::optional<std::string> Session::obstacle(const Engine& engine, TimestampMs now_ms) {
  for (std::size_t i = 0; i < engine.market_count(); ++i)
    if (engine.market(market_at(i), now_ms).status != MarketStatus::active)
      return engine.spec(market_at(i)).id + " is not open";
  std::size_t holding = 0;
  for (const Address& account : engine.accounts()) {
    const AccountFigures figures = engine.account(account);
    if (figures.open_positions > 0 || figures.open_orders > 0) ++holding;
  }
  if (holding == 0) return std::nullopt;
  return std::to_string(holding) + (holding == 1 ? " account has" : " accounts have") +
         " positions or open orders already, which no story begins with";
}

Session::Session(const Engine& engine, TimestampMs now_ms) : venue_(engine.venue()), began_ms_(now_ms) {
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    specs_.push_back(engine.spec(market_at(i)));
    marks_.push_back(engine.market(market_at(i), now_ms).mark.value_or(Ticks{}));
    leverage_unset_.push_back(leverage_ceiling(specs_.back()));
  }
  for (const Address& account : engine.accounts()) {
    Begun begun{.account = account, .balance = engine.account(account).balance, .settings = {}};
    for (std::size_t i = 0; i < specs_.size(); ++i) begun.settings.push_back(engine.settings(account, market_at(i)));
    begun_.push_back(std::move(begun));
  }
}

void Session::spoil(std::string why) {
  if (!spoiled_) spoiled_ = std::move(why);
}

void Session::keep(SessionStep step) {
  if (spoiled_) return;
  if (steps_.size() >= session_steps_max)
    return spoil("more than " + std::to_string(session_steps_max) + " commands came, and no more are kept");
  steps_.push_back(std::move(step));
}

void Session::watch(std::span<const Event> events) {
  for (const Event& event : events) {
    if (const auto* changed = std::get_if<OrderChanged>(&event)) orders_[changed->order.id] = changed->order;
    if (const auto* trade = std::get_if<Trade>(&event)) trades_.push_back(*trade);
    if (std::holds_alternative<LiquidationStarted>(event)) time_matters_ = true;
  }
}

void Session::add(const Command& command, const Outcome& outcome, std::span<const Event> events) {
  if (spoiled_) return;
  if (std::holds_alternative<SetPriceMode>(command.body))
    return spoil("the bots took the prices back, and what they do is no story to tell");
  if (std::holds_alternative<PassTime>(command.body)) return pass(command.now_ms, events);
  watch(events);
  keep({command, outcome.reject, outcome.orders});
}

void Session::pass(TimestampMs at_ms, std::span<const Event> events) {
  if (spoiled_) return;
  watch(events);
  std::set<MarketIndex> paid;
  bool happened = false;
  for (const Event& event : events) {
    if (const auto* payment = std::get_if<FundingPaid>(&event)) paid.insert(payment->market);
    happened =
        happened || (!std::holds_alternative<FundingSampled>(event) && !std::holds_alternative<FundingSettled>(event));
  }
  if (!happened) return;
  time_matters_ = true;
  if (paid.empty()) return keep({.command = {at_ms, PassTime{}}, .orders = {}});
  for (const Event& event : events)
    if (const auto* settled = std::get_if<FundingSettled>(&event); settled != nullptr && paid.contains(settled->market))
      keep({.command = {at_ms, InjectFunding{settled->market, settled->rate, settled->index}}, .orders = {}});
}

void Session::end(const Engine& engine) {
  for (const Address& account : people()) {
    ended_.figures[account] = engine.account(account);
    ended_.positions[account] = engine.positions(account);
  }
  for (std::size_t i = 0; i < specs_.size(); ++i)
    ended_.books.emplace_back(engine.resting_orders(market_at(i), Side::buy),
                              engine.resting_orders(market_at(i), Side::sell));
  ended_.venue = engine.venue();
}

// Sorted by address.
std::vector<Address> Session::people() const {
  std::set<Address> people;
  for (const SessionStep& step : steps_)
    for (const Address& account : accounts_of(step.command)) people.insert(account);
  return {people.begin(), people.end()};
}

std::vector<std::size_t> Session::markets_used() const {
  std::set<std::size_t> used;
  for (const SessionStep& step : steps_)
    for (const MarketIndex market : markets_of(step.command))
      if (market.value < specs_.size()) used.insert(market.value);
  if (used.empty()) used.insert(0);
  return {used.begin(), used.end()};
}

SessionNames Session::names(const std::vector<std::size_t>& markets) const {
  SessionNames names{.specs = specs_, .first_market = markets.front(), .accounts = {}, .labels = {}, .client_ids = {}};
  const std::vector<Address> all = people();
  for (std::size_t i = 0; i < all.size(); ++i)
    names.accounts[all[i]] = all.size() <= people_names.size() ? people_names.at(i) : numbered(i + 1);
  const auto count = [&](const Address& account, const OrderParams& order) {
    if (!order.client_id.empty()) ++names.client_ids[{account, std::string(order.client_id.text())}];
  };
  for (const SessionStep& step : steps_) {
    if (const auto* place = std::get_if<PlaceOrder>(&step.command.body)) count(place->account, place->params);
    if (const auto* batch = std::get_if<PlaceBatch>(&step.command.body))
      for (const OrderParams& order : batch->orders) count(batch->account, order);
    for (const OrderOutcome& one : step.orders)
      if (one.reject == Reject::none && one.order.id.exists())
        names.labels.try_emplace(one.order.id, "o" + std::to_string(names.labels.size() + 1), one.order.market);
  }
  return names;
}

std::vector<std::string> Session::beginning(const SessionNames& names, const std::vector<std::size_t>& markets) const {
  std::vector<std::string> lines;
  for (const auto& [account, name] : names.accounts) lines.push_back("# " + name + " is " + to_string(account));
  for (const Begun& begun : begun_) {
    const auto name = names.accounts.find(begun.account);
    if (name == names.accounts.end()) continue;
    if (begun.balance > Usdx{}) lines.push_back("deposit " + name->second + " " + format_usdx(begun.balance));
  }
  if (venue_.insurance_fund > Usdx{}) lines.push_back("insure " + format_usdx(venue_.insurance_fund));
  std::string marks;
  for (const std::size_t market : markets)
    marks += " " + specs_[market].id + " " + format_price(specs_[market], marks_[market]);
  lines.push_back("mark" + marks);
  for (const Begun& begun : begun_) {
    const auto name = names.accounts.find(begun.account);
    if (name == names.accounts.end()) continue;
    for (const std::size_t market : markets) {
      const std::string in = market == names.first_market ? "" : " in " + specs_[market].id;
      if (begun.settings[market].leverage != leverage_unset_[market])
        lines.push_back("leverage " + name->second + " " + format_scaled(begun.settings[market].leverage, 0) + in);
      if (begun.settings[market].mode == MarginMode::isolated)
        lines.push_back("mode " + name->second + " isolated" + in);
    }
  }
  return lines;
}

std::string Session::story(const std::string& title, const SessionNames& names,
                           const std::vector<std::size_t>& markets) const {
  std::string text = "topic recorded\n";
  for (const std::size_t market : markets) text += market_line(specs_[market]) + "\n";
  text += "\n= SESSION " + title + "\n";
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += line + "\n";
  };
  add(beginning(names, markets));
  TimestampMs told_ms = began_ms_;
  for (const SessionStep& step : steps_) {
    const bool is_timer = std::holds_alternative<PassTime>(step.command.body);
    if (time_matters_ && (is_timer || step.command.now_ms > told_ms))
      add({"wait " + std::to_string(std::max<std::int64_t>(0, step.command.now_ms - told_ms))});
    told_ms = std::max(told_ms, step.command.now_ms);
    add(step_lines(step, names, markets));
  }
  return text + "\n";
}

std::string Session::expectations(const SessionNames& names, const std::vector<std::size_t>& markets) const {
  std::string text;
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += line + "\n";
  };
  std::vector<std::string> people;
  for (const auto& [account, name] : names.accounts) people.push_back(name);
  std::vector<std::string> labels;
  for (const auto& [id, order] : names.labels) labels.push_back(order.label);
  if (!labels.empty()) {
    add({"orders"});
    add(columns("label status filled quantity reason price", labels, 5));
  }
  add({"trades"});
  if (!trades_.empty())
    add({std::string("  taker_side quantity price taker maker") + (markets.size() > 1 ? " market" : "")});
  add({"events"});
  if (!people.empty()) {
    add({"accounts"});
    add(columns("name balance equity available_margin", people, 3));
  }
  for (const std::size_t market : markets) {
    if (!people.empty()) {
      add({"positions " + specs_[market].id});
      add(columns("name size open_notional realized_pnl fees funding unrealized_pnl", people, 6));
    }
    add({"book " + specs_[market].id, "    --------"});
  }
  add({"venue", "  insurance_fund fee_treasury", "  ? ?", "markets"});
  std::vector<std::string> ids;
  for (const std::size_t market : markets) ids.push_back(specs_[market].id);
  add(columns("id status halt_reason", ids, 2));
  return text;
}

json Session::facts(const SessionNames& names, const std::vector<std::size_t>& markets) const {
  json expect = {{"trades", json::array()}, {"orders", json::object()}};
  for (const Trade& trade : trades_) {
    const MarketSpec& market = specs_.at(trade.market.value);
    expect["trades"].push_back({{"market", market.id},
                                {"price", format_price(market, trade.price)},
                                {"quantity", format_lots(market, trade.quantity)},
                                {"taker", names.accounts.at(trade.taker)},
                                {"maker", names.accounts.at(trade.maker)},
                                {"is_liquidation", trade.is_liquidation}});
  }
  for (const auto& [id, named] : names.labels) {
    const auto order = orders_.find(id);
    if (order == orders_.end()) continue;
    expect["orders"][named.label] = {{"status", to_string(order->second.status)},
                                     {"filled", format_lots(specs_[named.market.value], order->second.filled)},
                                     {"quantity", format_lots(specs_[named.market.value], order->second.quantity)}};
  }
  json& final = expect["final"];
  for (const auto& [account, name] : names.accounts) {
    const AccountFigures& figures = ended_.figures.at(account);
    json& row = final["accounts"][name];
    row = {{"balance", format_usdx(figures.balance)},
           {"equity", format_usdx(figures.equity)},
           {"available_margin", format_usdx(figures.available)}};
    for (const std::size_t market : markets) {
      Lots size{};
      for (const PositionRow& position : ended_.positions.at(account))
        if (position.market.value == market) size = position.size;
      row["positions"][specs_[market].id] = {{"size", format_lots(specs_[market], size)}};
    }
  }
  final["insurance_fund"] = format_usdx(ended_.venue.insurance_fund);
  final["fee_treasury"] = format_usdx(ended_.venue.fee_treasury - venue_.fee_treasury);
  for (const std::size_t market : markets) {
    const auto side = [&](const std::vector<OrderRecord>& orders) {
      json rows = json::array();
      for (const OrderRecord& order : orders)
        rows.push_back({{"price", format_price(specs_[market], order.price)},
                        {"remaining", format_lots(specs_[market], order.remaining())},
                        {"account", names.accounts.at(order.account)}});
      return rows;
    };
    expect["books"][specs_[market].id] = {{"bids", side(ended_.books[market].first)},
                                          {"asks", side(ended_.books[market].second)}};
  }
  return expect;
}

Result<Session::Told, std::string> Session::tell(const std::string& title) const {
  if (spoiled_) return unexpected(*spoiled_);
  const std::vector<std::size_t> markets = markets_used();
  const SessionNames names = this->names(markets);
  const std::string steps = story(title, names, markets);
  auto written = update_story_text(steps + expectations(names, markets));
  if (!written) return unexpected("it cannot be told: " + written.error());
  const auto file = parse_scenario_file(*written);
  SVC_ASSERT(file.has_value() && file->vectors.size() == 1);
  if (!file->vectors.front().scenario) return unexpected("it cannot be told: " + file->vectors.front().error);
  Told told{.text = std::move(*written), .names = {}, .differences = {}};
  for (const auto& [account, name] : names.accounts) told.names[name] = account;
  // The update wrote refusals as well; here they are facts.
  if (const std::string changed = first_changed_line(steps, told.text); !changed.empty())
    told.differences.push_back(changed);
  try {
    Story story(*file->vectors.front().scenario);
    story.tell();
    for (std::string& one : differences(facts(names, markets), story.outcome(), file->vectors.front().scenario->lines))
      told.differences.push_back(std::move(one));
  } catch (const FieldError& error) {
    return unexpected("it cannot be told: " + error.text);
  }
  return told;
}

}  // namespace svc::sim::scenario
