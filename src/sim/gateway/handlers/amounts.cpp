#include "sim/gateway/handlers/amounts.h"

#include "base/assert.h"
#include "base/decimal.h"

namespace svc::sim {
namespace {

constexpr i128 power_of_ten(int exponent) {
  i128 power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

}  // namespace

std::string decimal_text(i128 coefficient, int scale) {
  while (scale > 0 && coefficient % 10 == 0) {
    coefficient /= 10;
    --scale;
  }
  return format_decimal({coefficient, scale});
}

api::DecimalText usdx_text(Usdx amount) {
  return api::DecimalText(format_usdx(amount));
}
api::DecimalText usdx_text(i128 amount) {
  return api::DecimalText(decimal_text(amount, usdx_decimals));
}

api::DecimalText price_text(const engine::MarketSpec& spec, Ticks price) {
  return api::DecimalText(engine::format_price(spec, price));
}

api::DecimalText lots_text(const engine::MarketSpec& spec, Lots quantity) {
  return api::DecimalText(engine::format_lots(spec, quantity));
}

api::DecimalText ppb_text(Ppb rate) {
  return api::DecimalText(format_scaled(rate.value, 9));
}

api::DecimalText rate_text(const engine::Rational& rate) {
  return api::DecimalText(decimal_text(div_round(static_cast<i128>(rate.num) * ppb_one, rate.den, Rounding::up), 9));
}

api::DecimalText average_price_text(const engine::MarketSpec& spec, Usdx quote, Lots lots) {
  SVC_ASSERT(lots != Lots{});
  const i128 base = static_cast<i128>(lots.value) * spec.lot_size.coefficient;  // in 10^-scale base units
  const i128 price =
      div_round(static_cast<i128>(quote.value) * power_of_ten(spec.lot_size.scale), base, Rounding::half_up);
  return usdx_text(price);
}

std::string ratio_text(Usdx numerator, Usdx denominator) {
  SVC_ASSERT(denominator != Usdx{});
  return decimal_text(
      div_round(static_cast<i128>(numerator.value) * 1'000'000, denominator.value, Rounding::toward_zero), 6);
}

Result<Usdx, api::ApiError> positive_amount(const api::DecimalText& text) {
  const auto amount = parse_scaled(text.text, usdx_decimals);
  if (!amount && amount.error() == DecimalError::too_fine)
    return unexpected(
        api::ApiError(api::ErrorCode::invalid_amount,
                      "amount " + text.text + " has more than " + std::to_string(usdx_decimals) + " decimal places"));
  if (amount && *amount <= 0)
    return unexpected(api::ApiError(api::ErrorCode::invalid_amount, "amount must be positive, not " + text.text));
  if (!amount)
    return unexpected(api::ApiError(api::ErrorCode::invalid_amount, "amount " + text.text + " is too large"));
  return Usdx{*amount};
}

}  // namespace svc::sim
