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
    for (const Act& act : scenario.acts) {
      const Record& step = scenario.steps[step_++];
      events_.clear();
      if (act.names_order)
        run_step(act_of(step, place_of(step_, scenario.lines), cast_), step);
      else
        run_step(act, step);
      // All of it where the story looks at it, and at its end; otherwise what the step changed.
      const bool is_looked_at = act.snapshot || step_ == scenario.steps.size();
      for (const std::string& violation : is_looked_at ? engine_.violations() : engine_.violations(events_.events()))
        violations_.push_back("invariant (" + place_of(step_, scenario.lines) + "): " + violation);
    }
  }

  // Of all members, or of those that are expected.
  [[nodiscard]] StoryResult result(const json* expected) const {
    StoryResult result{.outcome = json::object(), .violations = violations_};
    const auto tell = [&](const char* name, auto&& member) {
      if (expected == nullptr || expected->contains(name)) result.outcome[name] = member();
    };
    tell("trades", [&] { return chronicle_.rows(names_, true); });
    tell("rejects", [&] { return rejects_; });
    tell("orders", [&] {
      json orders = refused_;
      for (const auto& [label, order] : cast_.orders) orders[label] = chronicle_.order(names_, order.id);
      return orders;
    });
    tell("books", [&] { return Chronicle::books(names_, engine_); });
    tell("risk_events", [&] { return chronicle_.rows(names_, false); });
    tell("final", [&] { return ledger(); });
    tell("snapshots", [&] { return snapshots_; });
    return result;
  }

 private:
  void run_step(const Act& act, const Record& step) {
    if (act.snapshot) {
      snapshots_[*act.snapshot] = ledger();
      snapshots_[*act.snapshot]["books"] = Chronicle::books(names_, engine_);
      return;
    }
    now_ms_ += act.wait_ms;
    const Outcome& outcome = engine_.apply({now_ms_, act.body}, events_);
    chronicle_.note(events_.events(), step_);
    if (!outcome.ok()) rejects_.push_back({{"step", step_}, {"error", to_string(outcome.reject)}});
    if (act.label.empty()) return;
    const OrderOutcome& item = outcome.orders.front();
    if (item.reject == Reject::none) {
      cast_.orders[act.label] = item.order;
    } else if (std::holds_alternative<PlaceOrder>(act.body) && !cast_.orders.contains(act.label)) {
      Fields said(step, "");
      const Fields::Told told = said.at("price");
      const json price = Fields::is_given(told) ? json(format_decimal(said.get<Decimal>(told))) : json(nullptr);
      refused_[act.label] = {{"step", step_},
                             {"status", to_string(OrderStatus::rejected)},
                             {"filled", "0"},
                             {"quantity", format_decimal(said.get<Decimal>("quantity"))},
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

StoryResult run_story(const Scenario& scenario, Telling telling) {
  return Story(scenario).result(telling == Telling::all ? nullptr : &scenario.expect);
}

}  // namespace svc::sim::scenario
