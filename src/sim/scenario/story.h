// A scenario being told to an engine, and everything that came of it as one JSON document of the shape that
// `expect` has. Rows also say the step they are of.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/engine/engine.h"
#include "sim/scenario/scenario_file.h"

namespace svc::sim::scenario {

class Story {
 public:
  explicit Story(const Scenario& scenario);

  // Tells every step. Broken invariants are collected with the step after which they were found.
  void tell();

  [[nodiscard]] nlohmann::json outcome() const;
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  const engine::Outcome& apply(const decltype(engine::Command::body)& body);
  void note(const engine::Event& event);
  void tell(const DepositStep& step);
  void tell(const WithdrawStep& step);
  void tell(const FundInsuranceStep& step);
  void tell(const TransferStep& step);
  void tell(const SetMarksStep& step);
  void tell(const PlaceStep& step);
  void tell(const AmendStep& step);
  void tell(const CancelStep& step);
  void tell(const CancelAllStep& step);
  void tell(const DisconnectStep& step);
  void tell(const SetLeverageStep& step);
  void tell(const SetMarginModeStep& step);
  void tell(const MarginStep& step);
  void tell(const FundingStep& step);
  void tell(const AdvanceStep& step);
  void tell(const HaltStep& step);
  void tell(const SettleStep& step);
  void tell(const ResumeStep& step);
  void tell(const SnapshotStep& step);

  void note(const engine::OrderChanged& changed);
  void note(const engine::Trade& trade);
  void note(const engine::PositionChanged& changed);
  void note(const engine::InsuranceChanged& changed);
  void note(const engine::Deleveraged& event);
  void note(const engine::MarketStatusChanged& changed);
  template <class Other>
  void note(const Other&) {}

  void name_accounts(const Scenario& scenario);
  [[nodiscard]] Address address_of(const std::string& name) const { return addresses_.at(name); }
  [[nodiscard]] const std::string& name_of(const Address& address) const { return names_.at(address); }
  [[nodiscard]] engine::MarketIndex market_of(const std::string& id) const;
  [[nodiscard]] const engine::MarketSpec& spec(engine::MarketIndex market) const { return engine_.spec(market); }
  [[nodiscard]] engine::MarketIndex market_or_unknown(const std::string& id) const;
  void label(const std::string& label, const engine::OrderRecord& order);

  [[nodiscard]] nlohmann::json ledger() const;
  [[nodiscard]] nlohmann::json account(const Address& address) const;
  [[nodiscard]] nlohmann::json books() const;
  [[nodiscard]] nlohmann::json book(engine::MarketIndex market, engine::Side side) const;
  [[nodiscard]] nlohmann::json order(const std::string& label) const;

  const Scenario& scenario_;
  engine::Engine engine_;
  engine::EventLog events_;  // of the step being told
  TimestampMs now_ms_ = 1'700'000'000'000;
  std::size_t step_ = 0;

  std::map<std::string, Address> addresses_;
  std::map<Address, std::string> names_;
  struct Told {
    engine::OrderRecord order;
    std::size_t step;
  };
  std::map<std::string, engine::OrderRecord> labelled_;  // accepted orders, as they were then
  std::map<engine::OrderId, Told> orders_;               // as they were told last
  std::map<std::pair<Address, engine::MarketIndex>, engine::PositionChanged> positions_;
  nlohmann::json refused_ = nlohmann::json::object();  // orders by label
  nlohmann::json trades_ = nlohmann::json::array();
  nlohmann::json rejects_ = nlohmann::json::array();
  nlohmann::json risk_events_ = nlohmann::json::array();
  nlohmann::json snapshots_ = nlohmann::json::object();
  std::vector<std::string> violations_;
};

// Scenarios as people draw them: orders as they are said, books as pictures, ledgers as tables (docs/scenarios.md).

// True unless the text is the JSON form.
[[nodiscard]] bool is_story_text(std::string_view text);

// The same file in its JSON form; steps and expectations are for scenario_file.h to judge. The error names the line.
[[nodiscard]] Result<nlohmann::json, std::string> read_story_text(std::string_view text);

// The text of a story with its expectations replaced by what came of it.

// Refusals behind "->", pictures and tables are rewritten where they differ; steps, comments, columns, keys of rows and
// cells that are not looked at (".") stay, and so does every line that was right. The lists `trades` and `events` are
// written whole. The error is what run_scenarios would say of the file, or of one of its stories.
[[nodiscard]] Result<std::string, std::string> update_story_text(std::string_view text);

}  // namespace svc::sim::scenario
