// The orders of `orders batch`: one per line, JSON under the wire's names, or CSV with those names as
// its header.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/records/orders.h"
#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

enum class BatchFormat : std::uint8_t { ndjson, csv };

struct BatchLine {
  std::size_t line = 0;  // in the input, from 1
  api::OrderRequest order;
};

// Every line or none: the error names the first line that is no order, and what was expected. Orders
// without a client id get one from `make_client_id`; without a time in force IOC for market types,
// else GTC.
[[nodiscard]] Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format,
                                                                  const std::function<std::string()>& make_client_id);

}  // namespace svc::cli
