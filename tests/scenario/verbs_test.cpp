// Every verb of a scenario, as a text and as JSON, well and badly said: what is read and what comes of it. And what a
// session writes of every command.
//
// Goldens hold what is said in lines that begin with "> ", and below it what came. SVC_UPDATE_GOLDEN=1 rewrites that.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "files.h"
#include "sim/scenario/expectations.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/session.h"
#include "sim/scenario/verbs.h"
#include "surroundings.h"

namespace svc::sim::scenario {
namespace SVC_FILE {

using nlohmann::json;

std::string golden(const std::string& name) {
  return file_text(test::source_folder() / "tests/golden/scenario" / name);
}

void expect_golden(const std::string& name, const std::string& text) {
  test::expect_generated("tests/golden/scenario/" + name, text);
}

// Says everything that the golden holds once more, in groups of lines.
template <class Say>
void expect_said(const std::string& name, Say say) {
  std::istringstream stream(golden(name));
  std::string text;
  std::string said;
  const auto answer = [&] {
    if (!said.empty()) text += say(said);
    said.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("> ")) {
      text += line + "\n";
      said += line.substr(2) + "\n";
    } else {
      answer();
      if (line.empty() || line.starts_with("#")) text += line + "\n";
    }
  }
  answer();
  expect_golden(name, text);
}

constexpr const char* beginning =
    "market X tick 0.5 lot 0.1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0 band 0.9\n"
    "market Y tick 1 lot 1 tiers 0:0.1:0.05\n"
    "= T a test\n"
    "deposit alice 1000\n"
    "deposit bob 1000\n"
    "deposit carol 5\n"
    "mark X 100 Y 50\n"
    "bob sells 3 @ 101 as ask\n"
    "bob buys 2 @ 99 as bid\n"
    "alice buys 1 @ 101 as mine\n"
    "alice buys 1 @ 90 as rest\n";
constexpr std::size_t steps_of_beginning = 8;

std::string told(const Vector& vector) {
  if (!vector.scenario) return "  wrong: " + vector.error + "\n";
  static const json before = [] {
    const auto file = parse_scenario_file(beginning);
    return run_story(*file->vectors.front().scenario).outcome;
  }();
  try {
    const StoryResult story = run_story(*vector.scenario);
    json outcome = story.outcome;
    std::string text;
    for (const json& reject : outcome["rejects"]) text += "  refused: " + reject["error"].get<std::string>() + "\n";
    outcome["rejects"] = before["rejects"];
    outcome["final"]["step"] = before["final"]["step"];
    for (const char* label : {"t", "u"})
      if (outcome["orders"].contains(label))
        text += "  " + std::string(label) + ": " + outcome["orders"][label].dump() + "\n";
    // What follows from the rest is left out.
    for (const std::string& change : differences(before, outcome))
      if (std::ranges::none_of(std::array{".equity ", ".available_margin ", ".step "},
                               [&](const char* name) { return change.find(name) != change.npos; }))
        text += "  " + change + "\n";
    for (const std::string& violation : story.violations) text += "  " + violation + "\n";
    for (const std::string& wrong : differences(vector.scenario->expect, story.outcome, vector.scenario->lines))
      text += "  not as expected: " + wrong + "\n";
    return text;
  } catch (const Unreadable& error) {
    return "  wrong: " + error.text + "\n";
  }
}

json json_of(const std::optional<Record>& record) {
  json object = json::object();
  for (const auto& [name, said] : record->fields())
    object[name] = std::visit([](const auto& value) { return json(value); }, said);
  return object;
}

TEST(ScenarioVerbs, LinesAreReadAsTheyWere) {
  expect_said("lines.txt", [](const std::string& said) {
    const auto file = read_story_text(beginning + said);
    if (!file) return "  wrong: " + file.error() + "\n";
    std::string text;
    const UncheckedScenario& scenario = file->scenarios.back();
    for (std::size_t i = steps_of_beginning; i < scenario.steps.size(); ++i)
      text += "  " + json_of(scenario.steps[i]).dump() + "\n";
    json expect = scenario.expect;
    if (expect["rejects"].empty()) expect.erase("rejects");
    if (!expect.empty()) text += "  expects " + expect.dump() + "\n";
    return text + told(parse_scenario_file(beginning + said)->vectors.back());
  });
}

TEST(ScenarioVerbs, FilesAreReadAsTheyWere) {
  expect_said("files.txt", [](const std::string& said) {
    const auto file = parse_scenario_file(said);
    if (!file) return "  wrong: " + file.error() + "\n";
    std::string text = file->topic.empty() ? "" : "  topic " + file->topic + "\n";
    for (const Vector& vector : file->vectors) {
      text += "  " + vector.id + ", " + vector.title + "\n";
      if (!vector.error.empty()) text += "  wrong: " + vector.error + "\n";
      if (!vector.scenario) continue;
      for (const engine::MarketSpec& m : vector.scenario->markets)
        text += "  " + m.id + " of " + m.base_asset + ", price_max " + format_price(m, m.price_max) + ", sizes " +
                format_lots(m, m.min_order_size) + " to " + format_lots(m, m.max_order_size) + ", stale " +
                std::to_string(m.oracle_stale_after_ms) + "\n";
    }
    return text;
  });
}

TEST(ScenarioVerbs, StepsInJsonAreReadAsTheyWere) {
  expect_said("steps.txt", [](const std::string& said) {
    const UncheckedScenario before = read_story_text(beginning)->scenarios.front();
    json markets, steps;
    for (const auto& market : before.markets) markets.push_back(json_of(market));
    for (const auto& step : before.steps) steps.push_back(json_of(step));
    steps.push_back(json::parse(said));
    const json vector = {{"id", before.id},
                         {"title", before.title},
                         {"given", {{"markets", markets}, {"steps", steps}}},
                         {"expect", before.expect}};
    return told(parse_scenario_file(json{{"vectors", {vector}}}.dump())->vectors.back());
  });
}

TEST(ScenarioVerbs, UpdatesAreWrittenAsTheyWere) {
  expect_said("updates.txt", [](const std::string& said) {
    const auto text = update_story_text(beginning + said);
    if (!text) return "  wrong: " + text.error() + "\n";
    std::istringstream stream(text->substr(std::string(beginning).size()));
    std::string indented;
    for (std::string line; std::getline(stream, line);) indented += "  | " + line + "\n";
    return indented;
  });
}

TEST(ScenarioVerbs, TheDocumentHasTheTables) {
  const std::string document = file_text(test::source_folder() / "docs/scenarios.md");
  for (const std::string& table : {verbs_in_markdown(), expectations_in_markdown()})
    EXPECT_NE(document.find("\n\n" + table + "\n"), document.npos) << table;
}

using namespace engine;

// What a session writes of commands to the markets of the sandbox.
class Recorder {
 public:
  Recorder() {
    apply(OracleTick{{{{0}, Ticks{120'000}, Ticks{120'000}}, {{1}, Ticks{300'000}, Ticks{300'000}}}});
    apply(Deposit{address(1), {100'000'000'000}});
    apply(SetLeverage{address(1), {0}, 20});
    apply(SetMarginMode{address(1), {1}, MarginMode::isolated});
    apply(FundInsurance{{1'000'000}});
    session_.emplace(engine_, now_ms_);
  }

  static Address address(std::uint8_t number) {
    Address address;
    address.bytes.back() = number;
    return address;
  }

  const Outcome& apply(const decltype(Command::body)& body, TimestampMs wait_ms = 0) {
    now_ms_ += wait_ms;
    events_.clear();
    const Command command{now_ms_, body};
    const Outcome& outcome = engine_.apply(command, events_);
    if (session_) session_->add(command, outcome, events_.events());
    return outcome;
  }

  // What the clock sends.
  void pass(const decltype(Command::body)& body, TimestampMs wait_ms) {
    now_ms_ += wait_ms;
    events_.clear();
    engine_.apply({now_ms_, body}, events_);
    session_->pass(now_ms_, events_.events());
  }

  OrderId place(std::uint8_t account, const OrderParams& params, TimestampMs wait_ms = 0) {
    return apply(PlaceOrder{address(account), params}, wait_ms).orders.front().order.id;
  }

  std::string text() {
    session_->end(engine_);
    const auto told = session_->to_story_text("every command");
    std::string text = told.text;
    for (const std::string& difference : told.differences) text += "difference: " + difference + "\n";
    return text;
  }

 private:
  Engine engine_{{.markets = standard_markets()}};
  EventLog events_;
  TimestampMs now_ms_ = 1'700'000'000'000;
  std::optional<Session> session_;
};

OrderParams limit(Side side, std::int64_t lots, std::int64_t ticks) {
  OrderParams params;
  params.side = side;
  params.quantity = {Lots{lots}, Grid::on};
  params.price = {Ticks{ticks}, Grid::on};
  params.stp = StpMode::cancel_oldest;
  return params;
}

OrderParams of_type(OrderType type, OrderParams params) {
  params.type = type;
  if (is_market_family(type)) params.time_in_force = TimeInForce::ioc;
  return params;
}

TEST(ScenarioVerbs, ASessionWritesEveryCommand) {
  Recorder r;
  const auto who = Recorder::address;
  r.apply(Deposit{who(2), {50'000'500'000}});
  r.apply(Deposit{who(3), {0}});
  r.apply(Deposit{who(4), {20'000'000'000}});
  r.apply(Withdraw{who(2), {500'000}});
  r.apply(Withdraw{who(3), {1}});
  r.apply(Transfer{who(2), who(3), {1'000'000'000}});
  r.apply(FundInsurance{{2'500'000}});
  const OrderId first = r.place(1, limit(Side::buy, 100, 119'000));
  const OrderId second = r.place(2, limit(Side::sell, 200, 121'000));
  OrderParams order = limit(Side::buy, 50, 119'500);
  order.time_in_force = TimeInForce::post_only;
  order.reduce_only = true;
  r.place(2, order);
  order = limit(Side::buy, 10, 121'000);
  order.time_in_force = TimeInForce::fok;
  order.stp = StpMode::none;
  r.place(1, order);
  order = of_type(OrderType::market, limit(Side::buy, 20, 0));
  order.max_slippage_bps = 100;
  order.price = {};
  r.place(1, order);
  order.time_in_force = TimeInForce::gtc;
  r.place(1, order);
  order = of_type(OrderType::stop_limit, limit(Side::sell, 5, 110'000));
  order.trigger = {Ticks{111'000}, Grid::on};
  r.place(1, order);
  order = of_type(OrderType::stop_market, order);
  order.stp = StpMode::decrement_and_cancel;
  r.place(1, order);
  order.trigger = {};
  r.place(1, order);
  order = of_type(OrderType::take_profit_market, limit(Side::sell, 5, 0));
  order.trigger = {Ticks{140'000}, Grid::on};
  r.place(1, order);
  r.place(1, of_type(OrderType::take_profit_limit, limit(Side::sell, 5, 130'000)));
  order = of_type(OrderType::trailing_stop, limit(Side::sell, 5, 0));
  order.reduce_only = true;
  r.place(1, order);
  order.trailing_offset_bps = 300;
  r.place(1, order);
  order = of_type(OrderType::trailing_limit, order);
  order.reduce_only = false;
  order.time_in_force = TimeInForce::gtc;
  r.place(1, order);
  order.limit_offset_bps = 20;
  r.place(1, order);
  order = limit(Side::buy, 10, 118'000);
  order.client_id = *ClientId::from("mine");
  r.place(1, order);
  r.place(1, order);
  order.client_id = *ClientId::from("once");
  order.price = {};
  r.place(1, order);
  order.price = {Ticks{1}, Grid::off};
  r.place(1, order);
  order = limit(Side::buy, 10, 118'000);
  order.quantity.grid = Grid::beyond;
  r.place(4, order);
  order = limit(Side::sell, 1'000, 310'000);
  order.market = {1};
  const OrderId other = r.place(4, order);
  order.price = {Ticks{900'000}, Grid::on};
  r.apply(PlaceBatch{who(4), {limit(Side::sell, 7, 122'000), order}});
  r.apply(AmendOrder{who(1), first, {Ticks{118'500}, Grid::on}, {Lots{90}, Grid::on}});
  r.apply(AmendOrder{who(4), other, {Ticks{311'000}, Grid::on}, {}});
  r.apply(AmendOrder{who(2), second, {}, {Lots{150}, Grid::on}});
  r.apply(AmendOrder{who(2), second, {}, {Lots{150}, Grid::on}});
  r.apply(AmendOrder{who(2), {99}, {}, {}});
  r.apply(AmendOrder{who(2), {99}, {Ticks{1}, Grid::on}, {}});
  r.apply(CancelOrder{who(2), second});
  r.apply(CancelOrder{who(2), {99}});
  r.apply(SetLeverage{who(2), {0}, 10});
  r.apply(SetLeverage{who(2), {1}, 0});
  r.apply(SetMarginMode{who(3), {0}, MarginMode::isolated});
  r.apply(SetMarginMode{who(3), {1}, MarginMode::cross});
  r.apply(AdjustMargin{who(3), {0}, {5'000'000}, MarginDirection::add});
  r.apply(AdjustMargin{who(3), {1}, {5'000'000}, MarginDirection::remove});
  r.apply(OracleTick{{{{0}, Ticks{120'100}, std::nullopt}, {{2}, Ticks{100'000}, std::nullopt}}});
  r.apply(OracleTick{{{{2}, Ticks{100'000}, std::nullopt}}});
  r.apply(InjectFunding{{0}, {100'000}, Ticks{120'000}});
  r.apply(InjectFunding{{1}, {-1'500'000}, Ticks{300'000}});
  r.apply(CancelAll{who(1), std::nullopt, CancelScope::resting_orders, CancelReason::cancel_on_disconnect});
  r.apply(CancelAll{who(4), MarketIndex{1}});
  r.apply(CancelAll{who(4)});
  r.apply(HaltMarket{{1}, "a look"});
  r.apply(ResumeMarket{{1}, {}});
  r.apply(HaltMarket{{1}, "again"});
  r.apply(ResumeMarket{{1}, {3'000'000}});
  r.apply(ResumeMarket{{1}, {}});
  r.apply(HaltMarket{{1}, ""});
  r.apply(SettleMarket{{1}, Ticks{299'000}});
  r.pass(SampleFunding{}, 5);
  expect_golden("session.txt", r.text());
}

// Funding by the clock, a liquidation and its cool-down are told with the time that passed.
TEST(ScenarioVerbs, ASessionWritesTimeWhereItMatters) {
  Recorder r;
  const auto who = Recorder::address;
  r.apply(Deposit{who(2), {4'000'000'000'000}}, 10);
  r.apply(Deposit{who(3), {4'000'000'000'000}}, 20);
  r.place(2, limit(Side::sell, 30'000, 120'000), 30);
  r.place(1, limit(Side::buy, 30'000, 120'000), 40);
  r.place(3, limit(Side::buy, 40'000, 114'000));
  r.apply(OracleTick{{{{0}, Ticks{114'000}, Ticks{114'000}}}}, 500);
  r.apply(PassTime{}, 40'000);
  r.pass(SampleFunding{}, 3'600'000);
  r.pass(SettleFunding{}, 5);
  r.place(3, limit(Side::sell, 1'000, 115'000), 7);
  expect_golden("session_time.txt", r.text());
}

// The commands of a story, recorded from when nothing stands in the way, come to the same as the story that is written
// of them.
std::string retold(const Scenario& scenario) {
  Cast cast{.markets = scenario.markets, .accounts = scenario.accounts};
  Engine engine({.markets = scenario.markets});
  EventLog events;
  TimestampMs now_ms = 1'700'000'000'000;
  for (std::uint16_t i = 0; i < scenario.markets.size(); ++i)
    engine.apply({now_ms, SetPriceMode{{i}, PriceMode::index_only}}, events);
  std::optional<Session> session;
  for (const Record& step : scenario.steps) {
    const Act act = act_of(step, "a step", cast);
    const bool marked = [&] {
      for (std::uint16_t i = 0; i < scenario.markets.size(); ++i)
        if (!engine.market({i}, now_ms).mark) return false;
      return true;
    }();
    if (!session && marked && !Session::obstacle(engine, now_ms)) session.emplace(engine, now_ms);
    now_ms += act.wait_ms;
    events.clear();
    const Outcome& outcome = engine.apply({now_ms, act.body}, events);
    // The gateway refuses markets that nobody knows.
    const bool reaches_engine = !act.snapshot && outcome.reject != Reject::unknown_market;
    if (session && reaches_engine) session->add({now_ms, act.body}, outcome, events.events());
    if (!act.label.empty() && outcome.ok()) cast.orders[act.label] = outcome.orders.front().order;
  }
  if (!session) return "";
  session->end(engine);
  const auto told = session->to_story_text("once more");
  std::string wrong;
  for (const std::string& difference : told.differences) wrong += difference + "\n";
  const auto again = update_story_text(told.text);
  if (!again || *again != told.text) wrong += "an update changes it\n";
  return wrong.empty() ? "" : wrong + told.text;
}

TEST(ScenarioVerbs, EveryStoryComesToTheSameAsTheSessionOfIt) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / "tests/scenario")) {
    if (entry.path().extension() != ".json" && entry.path().extension() != ".scenario") continue;
    const auto file = parse_scenario_file(file_text(entry.path()));
    ASSERT_TRUE(file) << entry.path();
    for (const Vector& vector : file->vectors) {
      // In a session prices stand, and never go stale.
      if (!vector.scenario || vector.scenario->markets.front().oracle_stale_after_ms != 0) continue;
      EXPECT_EQ(retold(*vector.scenario), "") << entry.path() << " " << vector.id;
      ++count;
    }
  }
  EXPECT_GT(count, 100u);
}

TEST(ScenarioVerbs, WhoOnlyAsksForAnUnknownOrderIsNobodyInTheStory) {
  Recorder r;
  r.apply(FundInsurance{{1}});
  r.apply(CancelOrder{Recorder::address(9), {99}});
  const std::string text = r.text();
  EXPECT_NE(text.find("\ncancel unknown -> OrderNotFound\n"), text.npos) << text;
  EXPECT_EQ(text.find("difference"), text.npos) << text;
}

TEST(ScenarioVerbs, ASessionThatTheBotsTookOverIsNoStory) {
  Recorder r;
  r.apply(SetPriceMode{{0}, PriceMode::median});
  r.apply(FundInsurance{{1}});
  const std::string text = r.text();
  EXPECT_TRUE(text.ends_with("difference: the bots took the prices back, and what they do is no story to tell\n"))
      << text;
}

}  // namespace SVC_FILE
}  // namespace svc::sim::scenario
