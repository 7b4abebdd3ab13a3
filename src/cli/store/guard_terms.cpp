#include "cli/store/guard_terms.h"

#include "base/clock.h"
#include "base/decimal.h"
#include "cli/arguments/durations.h"

namespace svc::cli::guards {
namespace {

enum class Unit : std::uint8_t { usdx, count, time };

struct Key {
  std::string_view name;
  std::optional<std::int64_t> Terms::*member;
  Unit unit;
  std::int64_t on_real_funds;
};

constexpr std::int64_t usdx = 1'000'000;

constexpr std::array keys{
    Key{"order_notional_max", &Terms::order_notional_micro_usdx_max, Unit::usdx, 10'000 * usdx},
    Key{"price_band_bps", &Terms::price_band_bps, Unit::count, 500},
    Key{"daily_loss_max", &Terms::daily_loss_micro_usdx_max, Unit::usdx, 1'000 * usdx},
    Key{"daily_orders_max", &Terms::daily_orders_max, Unit::count, 500},
    Key{"duplicate_window", &Terms::duplicate_window_ms, Unit::time, 30 * second_ms},
    Key{"address_cooldown", &Terms::address_cooldown_ms, Unit::time, day_ms},
    Key{"shell_notional_max", &Terms::shell_notional_micro_usdx_max, Unit::usdx, 1'000 * usdx},
};

Result<std::optional<std::int64_t>, Failure> value_of(const Key& key, const std::string& text) {
  using Value = std::optional<std::int64_t>;
  if (text == "off") return Value{};
  if (key.unit == Unit::time) return Value(SVC_TRY(parse_duration(concat("guards: ", key.name), text)));
  const auto number = parse_scaled(text, key.unit == Unit::usdx ? usdx_decimals : 0);
  if (number && *number >= 0) return Value(*number);
  return unexpected(usage_error("guards: ", key.name, " must be ",
                                key.unit == Unit::usdx ? "USDX such as \"10000\"" : "a whole number",
                                ", or \"off\", not \"", text, "\""));
}

}  // namespace

bool is_guard_key(std::string_view name) {
  return std::ranges::find(keys, name, &Key::name) != keys.end();
}

Result<void, Failure> check_guard(std::string_view name, const std::string& value) {
  const auto key = std::ranges::find(keys, name, &Key::name);
  if (key == keys.end())
    return unexpected(usage_error("no guard is called \"", name, "\"; there are ", joined(keys, &Key::name)));
  SVC_TRY(value_of(*key, value));
  return {};
}

Result<Terms, Failure> terms_of(const Settings& settings, std::string_view network, bool real_funds) {
  const auto find = [&](std::string_view section, const Key& key) -> const std::string* {
    const auto values = settings.find(section);
    if (values == settings.end()) return nullptr;
    const auto found = values->second.find(key.name);
    return found == values->second.end() ? nullptr : &found->second;
  };
  Terms terms;
  for (const Key& key : keys) {
    const std::string* text = find(network, key);
    if (text == nullptr && real_funds) text = find("", key);
    if (text != nullptr)
      terms.*key.member = SVC_TRY(value_of(key, *text));
    else if (real_funds)
      terms.*key.member = key.on_real_funds;
  }
  return terms;
}

}  // namespace svc::cli::guards
