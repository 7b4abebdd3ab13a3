// Signed trading actions: EIP-712 structs that authorise one trade each.
//
// Members stand in the order in which they are signed; text is signed byte for byte, and an absent
// optional value is "". How a request becomes such a struct: action_request.h.
// (API: Signed trading actions)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/address.h"
#include "signing/domain.h"
#include "signing/hash.h"

namespace svc::signing {

// What every action says besides the trade: for whom, on which deployment, when, and once.
struct ActionContext {
  Address account;     // whose trade it is; the signer is it or its agent
  std::string domain;  // deployment text; not the network name, not the EIP-712 domain
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;  // strictly increasing per signer

  bool operator==(const ActionContext&) const = default;
};

struct OrderParams {
  std::string market_id{};
  std::string side{};
  std::string order_type{};
  std::string price{};
  std::string quantity{};
  std::string time_in_force{};
  bool reduce_only = false;
  std::string stop_price{};
  std::string trigger_price{};
  std::string trailing_offset_bps{};
  std::string limit_offset_bps{};
  std::string stp{};
  std::string client_id{};
  std::string max_slippage_bps{};

  bool operator==(const OrderParams&) const = default;
};

struct PlaceOrder {
  ActionContext context;
  OrderParams order;

  bool operator==(const PlaceOrder&) const = default;
};

struct PlaceOrders {
  ActionContext context;
  std::vector<OrderParams> orders;

  bool operator==(const PlaceOrders&) const = default;
};

struct AmendOrder {
  ActionContext context;
  std::string market_id;
  std::string order_id;
  std::string price;
  std::string size;

  bool operator==(const AmendOrder&) const = default;
};

struct CancelOrder {
  ActionContext context;
  std::string market_id;
  std::string order_id;

  bool operator==(const CancelOrder&) const = default;
};

struct CancelAllOrders {
  ActionContext context;
  std::string market_id;  // "" for all markets

  bool operator==(const CancelAllOrders&) const = default;
};

struct AdjustMargin {
  ActionContext context;
  std::string market_id;
  std::string amount;
  std::string direction;

  bool operator==(const AdjustMargin&) const = default;
};

struct SetMarginMode {
  ActionContext context;
  std::string market_id;
  std::string margin_mode;

  bool operator==(const SetMarginMode&) const = default;
};

struct SetLeverage {
  ActionContext context;
  std::string market_id;
  std::uint32_t leverage = 0;

  bool operator==(const SetLeverage&) const = default;
};

using ActionStruct = std::variant<PlaceOrder, PlaceOrders, AmendOrder, CancelOrder, CancelAllOrders, AdjustMargin,
                                  SetMarginMode, SetLeverage>;

// As hashed: the struct's type followed by those it refers to.
[[nodiscard]] std::string_view type_string(const ActionStruct& action);
[[nodiscard]] Hash32 struct_hash(const ActionStruct& action);
[[nodiscard]] const ActionContext& context_of(const ActionStruct& action);

}  // namespace svc::signing
