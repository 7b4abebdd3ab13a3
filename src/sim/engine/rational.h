// An exact fraction: margin rates such as 1/3 have no decimal form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::engine {

// num / den with den > 0.
struct Rational {
  std::int64_t num = 0;
  std::int64_t den = 1;
};

// "1/3" or "0.025", reduced to lowest terms; nullopt for anything else or what does not fit 64 bits.
[[nodiscard]] std::optional<Rational> parse_rational(std::string_view text);

[[nodiscard]] Rational reduced(Rational value);

}  // namespace svc::engine
