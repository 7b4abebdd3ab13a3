// The handlers' access to the exchange.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "api/contract/orders.h"
#include "api/error_catalog.h"
#include "api/values.h"
#include "base/clock.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/request_context.h"
#include "sim/gateway/version_gate.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/views.h"

namespace svc::sim {

// All of it outlives the handlers.
struct VenueAccess {
  Sequencer& sequencer;
  const Views& views;
  const MarketTable& markets;
  TimestampMs started_ms = 0;  // everything since then is known

  // f(MarketIndex, const MarketSpec&) for each listed market: all but the delisted ones. (D-719)
  template <class F>
  void each_listed(const VenueView& view, F&& f) const {
    markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
      if (view.market(index).status() != engine::MarketStatus::delisted) f(index, spec);
    });
  }

  // Refused with UnknownMarket.
  [[nodiscard]] Result<engine::MarketIndex, api::ApiError> market(const api::MarketId& id) const;

  // The market that a query names; none if it names none. Refused likewise.
  [[nodiscard]] Result<std::optional<engine::MarketIndex>, api::ApiError> market_if_named(
      const std::optional<api::MarketId>& id) const;

  // Applies a command for the request, whose answer waits for the journal. Refusals of orders are in their
  // outcomes; any other refusal by the engine is an error here.
  [[nodiscard]] Result<Applied, api::ApiError> submit(RequestContext& context, CommandBody command) const;
};

// Pages continue before a row's number. An invalid cursor reads as none: the first page.
[[nodiscard]] std::string cursor_text(std::uint64_t before);
[[nodiscard]] std::optional<std::uint64_t> parse_cursor(const std::optional<std::string>& text);

// Refusals of the engine and of the sequencer as errors of the API.

[[nodiscard]] api::ErrorCode error_code_of(engine::Reject reject);

// With the catalogue's text.
[[nodiscard]] api::ApiError refusal_of(engine::Reject reject);
[[nodiscard]] api::ApiError refusal_of(WriteRefusal refusal);

// With a text that names what was sent and what was expected, where useful.
[[nodiscard]] api::ApiError order_refusal(engine::Reject reject, const engine::MarketSpec& spec,
                                          const api::OrderRequest& request);
[[nodiscard]] api::ApiError amend_refusal(engine::Reject reject, const engine::MarketSpec& spec,
                                          const api::AmendOrderRequest& request);

// The time range of a list.

struct TimeRange {
  TimestampMs from_ms = std::numeric_limits<TimestampMs>::min();
  TimestampMs until_ms = std::numeric_limits<TimestampMs>::max();

  // Both ends are included.
  [[nodiscard]] bool contains(TimestampMs at_ms) const { return from_ms <= at_ms && at_ms <= until_ms; }
};

// startTime and endTime of a query; refused with invalid_window if the first is after the second. (D-283)
[[nodiscard]] Result<TimeRange, api::ApiError> time_range(std::optional<TimestampMs> start,
                                                          std::optional<TimestampMs> end);

// The operations of this venue: one function per area, named like the areas of api/contract. An operation that no
// area binds answers 501.

void bind_auth(NetworkInstance& network);
void bind_orders(NetworkInstance& network, const VenueAccess& venue);
void bind_positions(NetworkInstance& network, const VenueAccess& venue);
void bind_account(NetworkInstance& network, const VenueAccess& venue);
void bind_account_history(NetworkInstance& network, const VenueAccess& venue);
void bind_account_settings(NetworkInstance& network, const VenueAccess& venue);
void bind_funding(NetworkInstance& network, const VenueAccess& venue);
void bind_margin(NetworkInstance& network, const VenueAccess& venue);
void bind_funds(NetworkInstance& network, const VenueAccess& venue);
void bind_withdrawals(NetworkInstance& network, const VenueAccess& venue);
void bind_transfers(NetworkInstance& network, const VenueAccess& venue);
void bind_bridge(NetworkInstance& network, const VenueAccess& venue);
void bind_bridge_legacy(NetworkInstance& network);  // called by bind_bridge
void bind_markets(NetworkInstance& network, const VenueAccess& venue);
void bind_venue(NetworkInstance& network, const VenueAccess& venue);
void bind_admin(NetworkInstance& network, const VenueAccess& venue);
void bind_agents(NetworkInstance& network);
void bind_stream_tokens(NetworkInstance& network);

// Metadata and the documents. `served` are all networks of this server, this one included; they outlive it.
void bind_discovery(NetworkInstance& network, const VersionTerms& versions,
                    const std::vector<const NetworkSettings*>& served);

}  // namespace svc::sim
