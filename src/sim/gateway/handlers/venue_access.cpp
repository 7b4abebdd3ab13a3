#include "sim/gateway/handlers/venue_access.h"

#include <charconv>
#include <utility>

#include "sim/gateway/handlers/refusal_translation.h"

namespace svc::sim {
namespace {

constexpr char cursor_mark = 'b';  // "before"

// A write that was not recorded, in the words of its operation. Nothing happened.
api::ApiError not_recorded(WriteRefusal refusal, const api::Operation& operation) {
  using enum api::ErrorCode;
  for (const api::OperationError& error : operation.errors) {
    const bool says_so = error.code == isolated_margin_not_recorded || error.code == transfer_engine_unavailable;
    if (says_so) return api::ApiError(error.code);
  }
  return refusal_of(refusal);
}

}  // namespace

Result<engine::MarketIndex, api::ApiError> VenueAccess::market(const api::MarketId& id) const {
  const auto index = markets.find(id.text);
  if (!index) return unexpected(api::ApiError(api::ErrorCode::unknown_market, "no market " + id.text));
  return *index;
}

Result<std::optional<engine::MarketIndex>, api::ApiError> VenueAccess::market_if_named(
    const std::optional<api::MarketId>& id) const {
  if (!id) return std::optional<engine::MarketIndex>{};
  const auto index = SVC_TRY(market(*id));
  return std::optional(index);
}

Result<Applied, api::ApiError> VenueAccess::submit(RequestContext& context, CommandBody command) const {
  if (context.refuse_write) {
    context.records_if_applied.clear();
    return unexpected(not_recorded(WriteRefusal::not_logged, *context.operation));
  }
  auto applied = sequencer.submit(std::move(command), std::exchange(context.records, {}),
                                  std::exchange(context.records_if_applied, {}));
  if (!applied) return unexpected(not_recorded(applied.error(), *context.operation));
  if (!applied->outcome.ok() && applied->outcome.orders.empty()) return unexpected(refusal_of(applied->outcome.reject));
  return std::move(*applied);
}

std::string cursor_text(std::uint64_t before) {
  return cursor_mark + std::to_string(before);
}

std::optional<std::uint64_t> parse_cursor(const std::optional<std::string>& text) {
  if (!text || text->size() < 2 || text->front() != cursor_mark) return std::nullopt;
  std::uint64_t before = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data() + 1, end, before);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return before;
}

}  // namespace svc::sim
