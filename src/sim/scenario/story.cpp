// Runs a scenario on an engine, step by step.
#include "sim/scenario/chronicle.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

class Story {
 public:
  // Runs every step.
  explicit Story(const Scenario& scenario)
      : cast_{.markets = scenario.markets, .accounts = scenario.accounts},
        names_{.specs = scenario.markets, .markets = {}},
        engine_({.markets = scenario.markets, .open_orders_max = scenario.open_orders_max}) {
    for (const auto& [name, address] : scenario.accounts) names_.accounts[address] = name;
    // A story sets the index, and the mark follows. Injected marks would never go stale.
    for (std::size_t place = 0; place < scenario.markets.size(); ++place) {
      names_.markets.push_back(place);
      engine_.apply({now_ms_, SetPriceMode{{static_cast<std::uint16_t>(place)}, PriceMode::index_only}}, events_);
    }
    for (const json& step : scenario.steps) {
      const std::string place = place_of(++step_, scenario.lines);
      run_step(step, place);
      for (const std::string& violation : engine_.violations())
        violations_.push_back("invariant (" + place + "): " + violation);
    }
  }

  [[nodiscard]] StoryResult result() const {
    json orders = refused_;
    for (const auto& [label, order] : cast_.orders) orders[label] = chronicle_.order(names_, order.id);
    return {.outcome = {{"trades", chronicle_.rows(names_, true)},
                        {"rejects", rejects_},
                        {"orders", orders},
                        {"books", Chronicle::books(names_, engine_)},
                        {"risk_events", chronicle_.rows(names_, false)},
                        {"final", ledger()},
                        {"snapshots", snapshots_}},
            .violations = violations_};
  }

 private:
  void run_step(const json& step, const std::string& place) {
    const Act act = act_of(step, place, cast_);
    if (act.snapshot) {
      snapshots_[*act.snapshot] = ledger();
      snapshots_[*act.snapshot]["books"] = Chronicle::books(names_, engine_);
      return;
    }
    now_ms_ += act.wait_ms;
    events_.clear();
    const Outcome& outcome = engine_.apply({now_ms_, act.body}, events_);
    chronicle_.note(events_.events(), step_);
    if (!outcome.ok()) rejects_.push_back({{"step", step_}, {"error", to_string(outcome.reject)}});
    if (act.label.empty()) return;
    const OrderOutcome& item = outcome.orders.front();
    if (item.reject == Reject::none) {
      cast_.orders[act.label] = item.order;
    } else if (std::holds_alternative<PlaceOrder>(act.body) && !cast_.orders.contains(act.label)) {
      Fields said(step, place);
      const json price = said.given("price") ? json(Spelling::of(said.get<Decimal>("price"))) : json(nullptr);
      refused_[act.label] = {{"step", step_},
                             {"status", to_string(OrderStatus::rejected)},
                             {"filled", "0"},
                             {"quantity", Spelling::of(said.get<Decimal>("quantity"))},
                             {"reason", to_string(item.reject)},
                             {"price", price}};
    }
  }

  [[nodiscard]] json ledger() const {
    json ledger = chronicle_.ledger(names_, engine_, now_ms_);
    ledger["step"] = step_;
    return ledger;
  }

  Cast cast_;
  StoryNames names_;
  Engine engine_;
  EventLog events_;  // of the current step
  TimestampMs now_ms_ = story_begins_ms;
  std::size_t step_ = 0;

  Chronicle chronicle_;
  json refused_ = json::object();  // orders by label
  json rejects_ = json::array();
  json snapshots_ = json::object();
  std::vector<std::string> violations_;
};

}  // namespace

StoryResult run_story(const Scenario& scenario) {
  return Story(scenario).result();
}

}  // namespace svc::sim::scenario
