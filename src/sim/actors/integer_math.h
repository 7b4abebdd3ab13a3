// Exponentials, logarithms and roots without floating point: the same digits on every platform.
//
// Rates, logarithms and standard deviations are whole billionths (ppb). Tables are made at compile time.
#pragma once

#include "base/decimal.h"

namespace svc::sim {

// e^x, x and the result in ppb; x is limited to plus or minus 20. Relative error below 1e-8 for |x| <= 3.
[[nodiscard]] std::int64_t exp_ppb(std::int64_t x_ppb);

// -ln(u / 2^32) in ppb for u in 1 .. 2^32. Absolute error below 1e-8.
[[nodiscard]] std::int64_t neg_log_ppb(std::uint64_t u);

// ln(1 + x) in ppb, x in ppb and not negative.
[[nodiscard]] std::int64_t log1p_ppb(std::int64_t x_ppb);

// The largest whole number whose square is at most n; n is not negative.
[[nodiscard]] std::int64_t root(i128 n);

}  // namespace svc::sim
