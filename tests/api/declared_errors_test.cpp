// The general errors of an operation.
#include "api/operation_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace svc::api {
namespace SVC_FILE {

// The status at which an operation declares a code; 0 if it does not.
int declared(std::string_view operation, ErrorCode code) {
  const OperationEntry* entry = find_operation(operation);
  if (entry == nullptr) return -1;
  const auto errors = declared_errors(*entry);
  const auto found = std::ranges::find(errors, code, &OperationError::code);
  return found == errors.end() ? 0 : found->status;
}

TEST(DeclaredErrors, FollowFromHowTheOperationIsCalled) {
  struct Row {
    const char* operation;
    ErrorCode code;
    int status;
  };
  using enum ErrorCode;
  for (const Row& row : std::initializer_list<Row>{
           {"list_markets", unauthorized, 0},
           {"list_orders", unauthorized, 401},
           {"submit_withdrawal", unauthorized, 401},
           {"account_stream", unauthorized, 401},
           {"list_tiers", unauthorized, 0},
           {"list_tiers", forbidden, 403},
           {"get_metadata", api_version_unsupported, 0},
           {"list_markets", api_version_unsupported, 426},
           {"get_rate_limit", rate_limit_exceeded, 429},
           {"get_rate_limit", restricted_jurisdiction, 403},
           {"list_markets", uri_too_long, 414},
           {"list_markets", header_too_large, 431},
           {"public_stream", bad_request, 400},
           {"list_markets", bad_request, 0},
           {"list_markets", rate_limit_exceeded, 429},
           {"place_order", body_too_large, 413},
           {"place_order", invalid_json, 400},
           {"place_order", invalid_market_id, 400},
           {"place_order", invalid_parameter, 400},
           {"cancel_order", invalid_json, 0},
           {"get_ticker", invalid_market_id, 400},
           {"list_fills", invalid_parameter, 400},
           {"list_orders", invalid_parameter, 400},
           {"get_order", invalid_parameter, 400},
           {"cancel_order", invalid_parameter, 400},
           {"get_portfolio_history", invalid_window, 400},
           {"set_margin_mode", unprocessable, 422},
           {"set_margin_mode", invalid_json, 400},
           {"submit_withdrawal", bad_wallet, 400},
           {"create_bridge_withdrawal", invalid_parameter, 400},
           {"create_bridge_withdrawal", insufficient_balance, 403},
           {"amend_order", market_halted, 409},
           {"claim_faucet", not_found, 404},
       })
    EXPECT_EQ(declared(row.operation, row.code), row.status) << row.operation << ' ' << spelling(row.code);
}

TEST(DeclaredErrors, AreListedOnceByStatus) {
  for (const OperationEntry& entry : every_operation()) {
    const auto errors = declared_errors(entry);
    EXPECT_TRUE(std::ranges::is_sorted(errors, {}, &OperationError::status)) << entry.operation->name;
    for (std::size_t i = 1; i < errors.size(); ++i)
      EXPECT_TRUE(errors[i - 1].code != errors[i].code || errors[i - 1].status != errors[i].status);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::api
