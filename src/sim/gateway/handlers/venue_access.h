// What handlers see of the exchange behind them.
#pragma once

#include <optional>
#include <string>

#include "api/error_catalog.h"
#include "api/market_id.h"
#include "base/result.h"
#include "sim/gateway/request_context.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/market_table.h"
#include "sim/views/views.h"

namespace svc::sim {

// All of it outlives the handlers.
struct VenueAccess {
  Sequencer& sequencer;
  const Views& views;
  const MarketTable& markets;
  TimestampMs started_ms = 0;  // since when everything that happened is known

  // f(MarketIndex, const MarketSpec&) for each market that is listed: all but the delisted ones. (D-719)
  template <class F>
  void each_listed(const VenueView& view, F&& f) const {
    markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
      if (view.market(index).status() != engine::MarketStatus::delisted) f(index, spec);
    });
  }

  // Refused with UnknownMarket.
  [[nodiscard]] Result<engine::MarketIndex, api::ApiError> market(const api::MarketId& id) const;

  // The market that a query narrows to; none if it names none. Refused likewise.
  [[nodiscard]] Result<std::optional<engine::MarketIndex>, api::ApiError> market_if_named(
      const std::optional<api::MarketId>& id) const;

  // Applies a command for the request, whose answer will not overtake the journal. Refusals of orders
  // are in their outcomes; any other refusal by the engine is an error here.
  [[nodiscard]] Result<Applied, api::ApiError> submit(RequestContext& context, CommandBody command) const;
};

// Pages go on before a row's number. What is no cursor of ours reads as none: the first page.
[[nodiscard]] std::string cursor_text(std::uint64_t before);
[[nodiscard]] std::optional<std::uint64_t> parse_cursor(const std::optional<std::string>& text);

}  // namespace svc::sim
