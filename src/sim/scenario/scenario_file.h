// A scenario file: small stories about trading with what must come of them (docs/scenarios.md).
//
// The file is a text of its own (story.h) or JSON: {"topic", "vectors": [{"id", "title", "given": {"markets",
// "steps"}, "expect"}]}. A vector without steps describes a formula and is not run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/decimal.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"

namespace svc::sim::scenario {

// One line of a story. Names are those of the story; they become addresses and order ids when it is run.
struct DepositStep {
  std::string account;
  Usdx amount;
};
struct WithdrawStep {
  std::string account;
  Usdx amount;
};
struct FundInsuranceStep {
  Usdx amount;
};
struct TransferStep {
  std::string account, to;
  Usdx amount;
};
struct SetMarksStep {
  std::vector<std::pair<std::string, engine::Rational>> marks;  // rounded to a tick when they are told (rule 1.2)
};
struct PlaceStep {
  std::string account, market;
  engine::Side side = engine::Side::buy;
  engine::OrderType type = engine::OrderType::limit;
  engine::TimeInForce time_in_force = engine::TimeInForce::gtc;
  engine::StpMode stp = engine::StpMode::cancel_oldest;
  bool reduce_only = false;
  Decimal quantity;
  std::optional<Decimal> price, trigger;
  std::optional<std::int32_t> trailing_offset_bps, limit_offset_bps, max_slippage_bps;
  std::string client_id, label;
};
struct AmendStep {
  std::string order;
  std::optional<Decimal> price, size;
  std::string label;
};
struct CancelStep {
  std::string order;
};
struct CancelAllStep {
  std::string account;
  std::optional<std::string> market;
};
// What a lost connection does: conditionals stay (rule 3.14).
struct DisconnectStep {
  std::string account;
};
struct SetLeverageStep {
  std::string account, market;
  std::int64_t leverage = 0;
};
struct SetMarginModeStep {
  std::string account, market;
  engine::MarginMode mode = engine::MarginMode::cross;
};
struct MarginStep {
  std::string account, market;
  Usdx amount;
  engine::MarginDirection direction = engine::MarginDirection::add;
};
struct FundingStep {
  std::string market;
  Ppb rate;
  engine::Rational index;
};
struct AdvanceStep {
  std::int64_t ms = 0;
};
struct HaltStep {
  std::string market;
};
struct SettleStep {
  std::string market;
  engine::Rational price;
};
struct ResumeStep {
  std::string market;
  Usdx inject;
};
struct SnapshotStep {
  std::string name;
};

using Step = std::variant<DepositStep, WithdrawStep, FundInsuranceStep, TransferStep, SetMarksStep, PlaceStep, AmendStep,
                          CancelStep, CancelAllStep, DisconnectStep, SetLeverageStep, SetMarginModeStep, MarginStep,
                          FundingStep, AdvanceStep, HaltStep, SettleStep, ResumeStep, SnapshotStep>;

struct Scenario {
  std::vector<engine::MarketSpec> markets;
  std::vector<Step> steps;
  std::vector<std::size_t> lines;  // of the steps, if the file is a text; else empty
  nlohmann::json expect;
};

// One vector of a file. `scenario` is absent for a formula; `error` says what is wrong with the text.
struct Vector {
  std::string id;
  std::string title;
  std::optional<Scenario> scenario;
  std::string error;
};

struct ScenarioFile {
  std::string topic;
  std::vector<Vector> vectors;
};

// A mark or an index as the market holds it: the nearest tick, half up (rule 1.2).
[[nodiscard]] Ticks nearest_tick(const engine::MarketSpec& spec, const engine::Rational& price);

// The error names what was expected and where.
[[nodiscard]] Result<ScenarioFile, std::string> parse_scenario_file(std::string_view text);

// Runs scenario files against an engine of their own, in process.

enum class Verdict : std::uint8_t { passed, failed, skipped };

struct ScenarioResult {
  std::string id;
  std::string title;
  Verdict verdict = Verdict::skipped;
  std::vector<std::string> differences;  // why it failed, one line each
};

struct ScenarioReport {
  std::string topic;
  std::vector<ScenarioResult> results;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

// The report, or what is wrong with the file as a whole. A vector without steps is reported as skipped.
[[nodiscard]] Result<ScenarioReport, std::string> run_scenarios(std::string_view text);
[[nodiscard]] Result<ScenarioReport, std::string> run_scenario_file(const std::string& path);

// Reading an object field by field, strictly: what is not asked for is an error, and so is the wrong type. An optional
// field that is null is absent.

class Fields {
 public:
  // `where` names the object in errors.
  Fields(const nlohmann::json& object, std::string where);

  std::string text(const char* name);
  std::string text(const char* name, const std::string& otherwise);
  std::optional<std::string> text_or_null(const char* name, std::optional<std::string> otherwise);
  Decimal decimal(const char* name);
  std::optional<Decimal> decimal_if_given(const char* name);
  Usdx amount(const char* name);
  Usdx amount(const char* name, Usdx otherwise);
  engine::Rational rational(const char* name);
  engine::Rational rational(const char* name, engine::Rational otherwise);
  std::int64_t integer(const char* name);
  std::int64_t integer(const char* name, std::int64_t otherwise);
  std::optional<std::int32_t> small_integer_if_given(const char* name);
  bool flag(const char* name);
  const nlohmann::json* raw(const char* name);  // nullptr if absent; may be null

  // Throws if a field was not asked for. Errors are thrown as FieldError and end at parse_scenario_file.
  void finish() const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const nlohmann::json* find(const char* name);  // nullptr if absent or null
  std::string number_text(const char* name);

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

struct FieldError {
  std::string text;
};

}  // namespace svc::sim::scenario
