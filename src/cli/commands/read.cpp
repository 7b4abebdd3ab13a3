#include "cli/commands/read.h"

#include "api/error_catalog.h"
#include "api/ops/markets.h"

namespace svc::cli {

Result<api::MarketId, Failure> market_id(const std::string& text) {
  if (api::is_market_id(text)) return api::MarketId{text};
  Failure failure = usage_error("\"" + text +
                                "\" is not a market id: upper-case segments joined by single hyphens, "
                                "such as BTC-USDX-PERP");
  failure.code = "invalid_market_id";
  return unexpected(failure);
}

Result<void, Stop> check_listed(Exchange& exchange, const api::MarketId& market) {
  const auto listed = exchange.call(call_of<api::ops::ListMarkets>());
  if (!listed) return {};
  std::string known;
  for (const Json& row : listed->body.items()) {
    const auto id = row.string_at("market_id").value_or("");
    if (id == market.text) return {};
    known += (known.empty() ? "" : ", ") + std::string(id);
  }
  return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                 .code = std::string(api::spelling(api::ErrorCode::unknown_market)),
                                 .message = "there is no market " + market.text + "; there are " + known}));
}

bool shows_columns(const Context& context) {
  const Format format = context.presentation().format;
  return format != Format::json && format != Format::ndjson && format != Format::raw;
}

TimestampMs server_now_ms(Context& context, Exchange& exchange) {
  const auto facts = context.may_read() ? exchange.facts() : Result<const ServerFacts*, Stop>(nullptr);
  if (facts && *facts != nullptr) return context.now_ms() + correction_ms(**facts);
  return exchange.server_date_ms().value_or(context.now_ms());
}

}  // namespace svc::cli
