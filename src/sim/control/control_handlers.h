// The handler of each operation of the control surface; one bind function per area.
//
//   handlers.bind_all(fund);  // Answer<control::Fund> fund(const ControlledVenue&, const control::Grant&)
//
// A handler gets a decoded request, or the venue alone if nothing is asked, and returns the response record or an
// error.
#pragma once

#include <concepts>
#include <functional>

#include "api/contract/control.h"
#include "api/error_catalog.h"
#include "api/message_codec.h"
#include "base/result.h"
#include "sim/control/controlled_venue.h"
#include "sim/engine/market_spec.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {

namespace control = api::control;
using api::ApiError;
using api::DecimalText;
using api::ErrorCode;
using api::refused;

// Empty texts are checked by the handlers, who know their meaning.
inline constexpr api::DecodeOptions control_bodies{.allow_empty_optional_text = true};

class ControlHandlers {
 public:
  explicit ControlHandlers(ControlledVenue venue) : venue_(std::move(venue)) {}

  struct Reply {
    std::string body{};
    // Called without the turnstile; passes the body on instead, once, now or later.
    std::function<void(std::function<void(std::string body)>)> later{};
  };
  // Runs under the shared turnstile, unless the operation is answered alone: then the handler takes the turnstile.
  struct Handler {
    std::function<Result<Reply, api::ApiError>(const api::RequestParts&)> answer;
    // Whether the answer is sent once the streams have sent everything; empty: it never waits.
    std::function<bool(const api::RequestParts&)> waits{};
  };

  // Each operation is bound once.
  template <class Op, class Answering>
  void bind(Answering answer) {
    const auto decode_and_answer = [this, answer](const api::RequestParts& parts) -> Result<Reply, api::ApiError> {
      const auto request = SVC_TRY(api::decode_request<Op>(parts, control_bodies));
      const auto response = SVC_TRY([&]() -> Answer<Op> {
        if constexpr (std::invocable<Answering, const ControlledVenue&>)
          return answer(venue_);
        else
          return answer(venue_, request);
      }());
      return Reply{.body = api::to_json(response)};
    };
    Handler handler{.answer = decode_and_answer};
    if constexpr (requires(typename Op::Request request) { request.wait_streams; })
      handler.waits = [](const api::RequestParts& parts) {
        const auto request = api::decode_request<Op>(parts, control_bodies);
        return request && request->wait_streams.value_or(false);
      };
    add(Op::op, std::move(handler));
  }
  // Binds several such functions, each to the operation that its type names.
  template <class... Functions>
  void bind_all(Functions*... answers) {
    (bind<OperationOf<Functions>>(answers), ...);
  }
  void add(const api::Operation& operation, Handler handler) {
    SVC_ASSERT(by_operation_.emplace(&operation, std::move(handler)).second);
  }

  // Requires that it is bound.
  [[nodiscard]] const Handler& of(const api::Operation& operation) const { return by_operation_.at(&operation); }
  [[nodiscard]] const ControlledVenue& venue() const { return venue_; }

 private:
  ControlledVenue venue_;
  std::map<const api::Operation*, Handler> by_operation_;
};

void bind_control_clock(ControlHandlers& handlers);  // time, prices, play money, markets
void bind_control_faults(ControlHandlers& handlers);
void bind_control_flow(ControlHandlers& handlers);
void bind_control_money(ControlHandlers& handlers);      // the bridge's chain, the operator's actions
void bind_control_reports(ControlHandlers& handlers);    // the sandbox, its time, its requests, its invariants
void bind_control_requests(ControlHandlers& handlers);   // requests of development accounts
void bind_control_snapshots(ControlHandlers& handlers);  // recorded sessions as well
void bind_control_stream(ControlHandlers& handlers);
void bind_control_staging(ControlHandlers& handlers);  // trades, fills, liquidations, deleveragings

// Faults of the control surface and of a fault file: api::control::FaultTerms.

// The error is one sentence that says what was expected.
[[nodiscard]] Result<FaultRule, std::string> parse_fault(std::string_view json);

// One object per line, without blank lines; the error names the line. At most limits::fault_rules_max.
[[nodiscard]] Result<std::vector<FaultRule>, std::string> parse_fault_lines(std::string_view text);

// Shared by the handlers.

// Refuses a well-formed body with an invalid meaning.
[[nodiscard]] inline Unexpected<ApiError> bad_body(std::string why) {
  return refused(ErrorCode::invalid_json, std::move(why));
}
[[nodiscard]] inline Unexpected<ApiError> not_possible(std::string why) {
  return refused(ErrorCode::unprocessable, std::move(why));
}
[[nodiscard]] inline Unexpected<ApiError> not_found(std::string why) {
  return refused(ErrorCode::not_found, std::move(why));
}

// Refusals are errors.
[[nodiscard]] Result<Applied, api::ApiError> apply_control(const ControlledVenue& venue, UnitBody command);
// Likewise a command to the services.
template <class Command>
[[nodiscard]] Result<Served<Command>, api::ApiError> serve_control(const ControlledVenue& venue, Command command) {
  return served<Command>(SVC_TRY(apply_control(venue, ServiceCommand(std::move(command)))));
}
// MarketHalted unless the market is open: the engine ignores prices of a halted one without an error (rule 9.7).
[[nodiscard]] Result<void, api::ApiError> check_open(const ControlledVenue& venue, engine::MarketIndex market);
// Sets these prices and ends walks that move them; in the same commit, `first` comes before.
[[nodiscard]] Result<Applied, api::ApiError> set_by_hand(const ControlledVenue& venue, engine::OracleTick tick,
                                                         std::vector<Unit> first = {});
[[nodiscard]] engine::MarketFigures figures_of(const ControlledVenue& venue, engine::MarketIndex market);
[[nodiscard]] control::Moment moment_of(const Applied& applied);
[[nodiscard]] control::Moment moment_now(const ControlledVenue& venue);
[[nodiscard]] control::Time time_of(const ControlledVenue& venue);
[[nodiscard]] control::Switches switches_of(const ControlledVenue& venue);
[[nodiscard]] control::Faults faults_of(const ControlledVenue& venue);
// The time that a request gets now, where readers of the engine are given `lived_ms`: that stands still while turns of
// bots are due and cannot be logged. (D-1032)
[[nodiscard]] TimestampMs clock_now(const ControlledVenue& venue, TimestampMs lived_ms);
[[nodiscard]] control::ClockPace clock_of(const ControlledVenue& venue, TimestampMs now_ms);

// The body that a GET of the API answers, for this development account if there is one. It is no request: no budget is
// charged, no fault is met, nothing is logged. (D-833)
[[nodiscard]] Result<std::string, api::ApiError> read_as(const ControlledVenue& venue, const api::HttpRequest& request,
                                                         const std::optional<Address>& account);

// A price of the market, an amount of USDX; a refusal names what was expected.
[[nodiscard]] Result<Ticks, api::ApiError> price_of(const engine::MarketSpec& spec, const control::TypedDecimal& typed);
[[nodiscard]] Result<Usdx, api::ApiError> amount_of(const control::TypedDecimal& typed);

}  // namespace svc::sim
