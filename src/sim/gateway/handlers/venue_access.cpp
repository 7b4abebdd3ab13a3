#include "sim/gateway/handlers/venue_access.h"

#include <charconv>

#include "sim/gateway/handlers/refusal_translation.h"

namespace svc::sim {
namespace {

constexpr char cursor_mark = 'b';  // "before"

}  // namespace

Result<engine::MarketIndex, api::ApiError> VenueAccess::market(const api::MarketId& id) const {
  const auto index = markets.find(id.text);
  if (!index) return unexpected(api::ApiError(api::ErrorCode::unknown_market, "no market " + id.text));
  return *index;
}

Result<Applied, api::ApiError> VenueAccess::submit(RequestContext& context, CommandBody command) const {
  auto applied = sequencer.submit(std::move(command));
  if (!applied) return unexpected(refusal_of(applied.error()));
  context.durable_after = applied->log_position;
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
