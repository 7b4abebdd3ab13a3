// The orders of `orders batch` under the wire's names: one JSON object per line, one JSON array, or CSV with the
// names as its header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/records/orders.h"
#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

inline constexpr std::size_t batch_file_orders_max = 100'000;  // in one file

enum class BatchFormat : std::uint8_t { ndjson, csv, json };

struct BatchLine {
  std::size_t line = 0;  // in the input, from 1; of a JSON array the place in it
  api::OrderRequest order;
  bool names_client_id = false;  // the input does; else the caller gives the order one
};

// What the text looks like, if nobody says.
[[nodiscard]] BatchFormat format_of(std::string_view text);

// Every line or none: the error names the first line that is no order, and what was expected. Without a time in force
// it is IOC for market types, else GTC.
[[nodiscard]] Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format);

// The order as it is sent.
[[nodiscard]] std::string terms_text(const api::OrderRequest& order);

// One order per line, ready to be sent again under the same client ids.
[[nodiscard]] std::string batch_text(const std::vector<const BatchLine*>& lines);

}  // namespace svc::cli
