#include "sim/scenario/session.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/assert.h"
#include "base/decimal.h"
#include "sim/scenario/expectations.h"
#include "sim/scenario/scenario_file.h"

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

// The accounts that a command's line names; an order is named by its label.
std::vector<Address> accounts_of(const Command& command) {
  return std::visit(
      [](const auto& body) -> std::vector<Address> {
        if constexpr (requires { body.from; }) return {body.from, body.to};
        if constexpr (
            requires { body.account; } && !requires { body.order; })
          return {body.account};
        return {};
      },
      command.body);
}

std::optional<MarketIndex> market_of(const Command& command) {
  return std::visit(
      [](const auto& body) -> std::optional<MarketIndex> {
        if constexpr (requires { body.params; }) return body.params.market;
        if constexpr (requires { std::optional<MarketIndex>{body.market}; }) return body.market;
        return std::nullopt;
      },
      command.body);
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

Session::Session(const Engine& engine, TimestampMs now_ms)
    : open_orders_max_(engine.open_orders_max()), venue_(engine.venue()), began_ms_(now_ms) {
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    specs_.push_back(engine.spec(market_at(i)));
    const Ticks mark = engine.market(market_at(i), now_ms).mark.value_or(Ticks{});
    marks_.prices.push_back({market_at(i), mark, std::nullopt});
  }
  for (const Address& account : engine.accounts()) {
    InitialAccount& initial = initial_accounts_.emplace_back(account, engine.account(account).balance);
    for (std::size_t i = 0; i < specs_.size(); ++i) initial.settings.push_back(engine.settings(account, market_at(i)));
  }
}

void Session::note(std::span<const Event> events) {
  chronicle_.note(events, 0);
  for (const Event& event : events)
    if (std::holds_alternative<LiquidationStarted>(event)) time_matters_ = true;
}

void Session::add(const Command& command, const Outcome& outcome, std::span<const Event> events) {
  if (spoiled_) return;
  if (std::holds_alternative<SetPriceMode>(command.body))
    return spoil("the bots took the prices back, and what they do is no story to tell");
  if (std::holds_alternative<PassTime>(command.body)) return pass(command.now_ms, events);
  note(events);
  const auto* batch = std::get_if<PlaceBatch>(&command.body);
  if (batch == nullptr) {
    const bool leaves_order = outcome.ok() && !outcome.orders.empty();
    return keep({command, outcome.reject, leaves_order ? outcome.orders.front().order : OrderRecord{}});
  }
  for (std::size_t i = 0; i < std::min(batch->orders.size(), outcome.orders.size()); ++i)
    keep({{command.now_ms, PlaceOrder{batch->account, batch->orders[i]}},
          outcome.orders[i].reject,
          outcome.orders[i].reject == Reject::none ? outcome.orders[i].order : OrderRecord{}});
}

void Session::pass(TimestampMs at_ms, std::span<const Event> events) {
  if (spoiled_) return;
  note(events);
  std::set<MarketIndex> paid;
  bool happened = false;
  for (const Event& event : events) {
    if (const auto* payment = std::get_if<FundingPaid>(&event)) paid.insert(payment->market);
    happened =
        happened || (!std::holds_alternative<FundingSampled>(event) && !std::holds_alternative<FundingSettled>(event));
  }
  if (!happened) return;
  time_matters_ = true;
  if (paid.empty()) return keep({.command = {at_ms, PassTime{}}});
  for (const Event& event : events)
    if (const auto* settled = std::get_if<FundingSettled>(&event); settled != nullptr && paid.contains(settled->market))
      keep({.command = {at_ms, InjectFunding{settled->market, settled->rate, settled->index}}});
}

void Session::end(const Engine& engine) {
  if (spoiled_) return;
  const StoryNames names = this->names();
  json final = chronicle_.ledger(names, engine, engine.now_ms());
  final["fee_treasury"] = format_usdx(engine.venue().fee_treasury - venue_.fee_treasury);
  for (auto& account : final["accounts"])
    for (auto& position : account["positions"])
      for (const char* since_ever : {"realized_pnl", "fees", "funding"}) position.erase(since_ever);
  json orders = json::object();
  for (const auto& [id, order] : names.orders)
    if (json row = chronicle_.order(names, id); !row.is_null()) orders[order.label] = std::move(row);
  facts_ = {{"trades", chronicle_.rows(names, true)},
            {"risk_events", chronicle_.rows(names, false)},
            {"orders", std::move(orders)},
            {"books", Chronicle::books(names, engine)},
            {"final", std::move(final)}};
}

StoryNames Session::names() const {
  StoryNames names{.specs = specs_, .markets = {}};
  std::set<Address> people;
  std::set<std::size_t> markets;
  for (const Step& step : steps_) {
    for (const Address& account : accounts_of(step.command)) people.insert(account);
    if (const auto market = market_of(step.command); market && market->value < specs_.size())
      markets.insert(market->value);
    if (const auto* place = std::get_if<PlaceOrder>(&step.command.body); place != nullptr)
      ++names.client_ids[{place->account, std::string(place->params.client_id.text())}];
    if (step.order.id.exists())
      names.orders.try_emplace(step.order.id, "o" + std::to_string(names.orders.size() + 1), step.order.market);
  }
  if (markets.empty()) markets.insert(0);
  names.markets.assign(markets.begin(), markets.end());
  for (const Address& account : people) {
    const std::size_t place = names.accounts.size();
    names.accounts[account] = people.size() <= people_names.size() ? people_names.at(place) : numbered(place + 1);
  }
  return names;
}

std::vector<Act> Session::beginning(const StoryNames& names) const {
  std::vector<Act> acts;
  const auto known = [&](const InitialAccount& initial) { return names.accounts.contains(initial.account); };
  for (const InitialAccount& initial : initial_accounts_)
    if (known(initial) && initial.balance > Usdx{}) acts.push_back({Deposit{initial.account, initial.balance}});
  if (venue_.insurance_fund > Usdx{}) acts.push_back({FundInsurance{venue_.insurance_fund}});
  acts.push_back({marks_});
  for (const InitialAccount& initial : initial_accounts_) {
    if (!known(initial)) continue;
    for (const std::size_t market : names.markets) {
      const MarginTerms& settings = initial.settings[market];
      // An account without a setting has the ceiling.
      if (settings.leverage != leverage_ceiling(specs_[market]))
        acts.push_back({SetLeverage{initial.account, market_at(market), settings.leverage}});
      if (settings.mode == MarginMode::isolated)
        acts.push_back({SetMarginMode{initial.account, market_at(market), settings.mode}});
    }
  }
  return acts;
}

std::string Session::story(const std::string& title, const StoryNames& names) const {
  std::string text = "topic recorded\n";
  for (const std::size_t market : names.markets) text += market_line(specs_[market]) + "\n";
  if (std::ranges::find(steps_, Reject::too_many_open_orders, &Step::reject) != steps_.end())
    text += open_orders_word + (" " + std::to_string(open_orders_max_)) + "\n";
  text += "\n= SESSION " + title + "\n";
  for (const auto& [account, name] : names.accounts) text += "# " + name + " is " + to_string(account) + "\n";
  const auto add = [&](const Act& act, Reject reject = Reject::none) {
    if (const std::string line = line_of(act, reject, names); !line.empty()) text += line + "\n";
  };
  for (const Act& act : beginning(names)) add(act);
  TimestampMs told_ms = began_ms_;
  for (const auto& [command, reject, order] : steps_) {
    const bool is_timer = std::holds_alternative<PassTime>(command.body);
    if (time_matters_ && (is_timer || command.now_ms > told_ms))
      add({.body = PassTime{}, .wait_ms = std::max<std::int64_t>(0, command.now_ms - told_ms)});
    told_ms = std::max(told_ms, command.now_ms);
    const std::string label = order.id.exists() ? names.orders.at(order.id).label : "";
    if (!is_timer) add({.body = command.body, .label = label}, reject);
  }
  return text + "\n";
}

Session::WrittenSession Session::to_story_text(const std::string& title) const {
  const StoryNames names = this->names();
  const std::string steps = story(title, names);
  WrittenSession told{.text = steps, .names = {}, .differences = {}};
  for (const auto& [account, name] : names.accounts) told.names[name] = account;
  const auto is_no_story = [&](const std::string& why) {
    told.differences.push_back(why);
    return told;
  };
  if (spoiled_) return is_no_story(*spoiled_);
  ExpectedNames expected;
  for (const auto& [account, name] : names.accounts) expected.accounts.push_back(name);
  for (const auto& [id, order] : names.orders) expected.labels.push_back(order.label);
  for (const std::size_t market : names.markets) expected.markets.push_back(specs_[market].id);
  const auto written = update_story_text(steps + open_expectations(expected, !facts_.at("trades").empty()));
  if (!written) return is_no_story("it cannot be told: " + written.error());
  told.text = *written;
  // The update filled in the results, including refusals; here they are expectations.
  const auto file = parse_scenario_file(steps);
  SVC_ASSERT(file.has_value() && file->vectors.size() == 1 && file->vectors.front().scenario);
  const Scenario& scenario = *file->vectors.front().scenario;
  json facts = scenario.expect;
  facts.update(facts_);
  told.differences = differences(facts, run_story(scenario).outcome, scenario.lines);
  return told;
}

}  // namespace svc::sim::scenario
