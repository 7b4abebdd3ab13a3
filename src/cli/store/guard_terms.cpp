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
  std::string_view on_real_funds;
};

constexpr std::array keys{
    Key{"order_notional_max", &Terms::order_notional_micro_usdx_max, Unit::usdx, "10000"},
    Key{"price_band_bps", &Terms::price_band_bps, Unit::count, "500"},
    Key{"daily_loss_max", &Terms::daily_loss_micro_usdx_max, Unit::usdx, "1000"},
    Key{"daily_orders_max", &Terms::daily_orders_max, Unit::count, "500"},
    Key{"duplicate_window", &Terms::duplicate_window_ms, Unit::time, "30s"},
    Key{"address_cooldown", &Terms::address_cooldown_ms, Unit::time, "24h"},
    Key{"shell_notional_max", &Terms::shell_notional_micro_usdx_max, Unit::usdx, "1000"},
};

Result<std::optional<std::int64_t>> value_of(const Key& key, const std::string& text) {
  using Value = std::optional<std::int64_t>;
  if (text == "off") return Value{};
  if (key.unit == Unit::time) return Value(SVC_TRY(parse_duration(concat("guards: ", key.name), text)));
  const auto number = parse_scaled(text, key.unit == Unit::usdx ? usdx_decimals : 0);
  if (number && *number >= 0) return Value(*number);
  return usage_error("guards: ", key.name, " must be ",
                     key.unit == Unit::usdx ? "USDX such as \"10000\"" : "a whole number", ", or \"off\", not \"", text,
                     "\"");
}

}  // namespace

std::span<const std::string_view> guard_keys() {
  static const auto names = [] {
    std::array<std::string_view, keys.size()> all;
    std::ranges::transform(keys, all.begin(), &Key::name);
    return all;
  }();
  return names;
}

Result<void> check_guard(std::string_view name, const std::string& value) {
  const Key* key = found_in(keys, name, &Key::name);
  if (key == nullptr) return usage_error("no guard is called \"", name, "\"; there are ", joined(keys, &Key::name));
  SVC_TRY(value_of(*key, value));
  return {};
}

std::vector<Placed> values_of(const Settings& settings, std::string_view network, bool real_funds,
                              std::string_view key) {
  std::vector<Placed> values;
  const auto add = [&](std::string_view section) {
    const PlacedValues* said = found_at(settings, section);
    const Placed* found = said == nullptr ? nullptr : found_at(*said, key);
    if (found != nullptr) values.push_back(*found);
  };
  if (!network.empty()) add(network);
  if (!real_funds) return values;
  add("");
  values.push_back({std::string(std::ranges::find(keys, key, &Key::name)->on_real_funds)});
  return values;
}

Result<Terms> terms_of(const Settings& settings, std::string_view network, bool real_funds) {
  Terms terms;
  for (const Key& key : keys) {
    const auto values = values_of(settings, network, real_funds, key.name);
    if (!values.empty()) terms.*key.member = SVC_TRY(value_of(key, values.front().value));
  }
  return terms;
}

}  // namespace svc::cli::guards
