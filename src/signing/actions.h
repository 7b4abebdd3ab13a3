// EIP-712 structs that authorise one thing each: trading actions and actions of owners.
//
// signed_struct.h explains how a struct follows from its list of members. Text is signed byte for byte, and an
// absent optional value is "". (API: Signed trading actions)
#pragma once

#include <variant>

#include "signing/hash.h"
#include "signing/signed_struct.h"
#include "signing/uint256.h"

namespace svc::signing {

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
  static constexpr std::string_view name = "OrderParams";
  static constexpr auto members() {
    using S = OrderParams;
    return std::tuple(Member{"marketId", &S::market_id, From::body}, Member{"side", &S::side, From::body},
                      Member{"orderType", &S::order_type, From::body}, Member{"price", &S::price, From::body_if_any},
                      Member{"quantity", &S::quantity, From::body},
                      Member{"timeInForce", &S::time_in_force, From::body},
                      Member{"reduceOnly", &S::reduce_only, From::flag_if_any},
                      Member{"stopPrice", &S::stop_price, From::body_if_any},
                      Member{"triggerPrice", &S::trigger_price, From::body_if_any},
                      Member{"trailingOffsetBps", &S::trailing_offset_bps, From::digits_if_any},
                      Member{"limitOffsetBps", &S::limit_offset_bps, From::digits_if_any},
                      Member{"stp", &S::stp, From::body_if_any}, Member{"clientId", &S::client_id, From::body_if_any},
                      Member{"maxSlippageBps", &S::max_slippage_bps, From::digits_if_any});
  }
};

// The part common to all actions: account, deployment, time and nonce.
struct ActionContext {
  Address account;     // the trading account; signed by it or its agent
  std::string domain;  // deployment text; not the network name, not the EIP-712 domain
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;  // strictly increasing per signer

  bool operator==(const ActionContext&) const = default;

 protected:
  // The members of an action: the trade is in the middle of its context.
  template <class Action, class... Value>
  static constexpr auto around(Member<Action, Value>... own) {
    using Text = Member<Action, std::string>;
    using Number = Member<Action, std::uint64_t>;
    return std::tuple(Member<Action, Address>{"account", &Action::account}, Text{"domain", &Action::domain}, own...,
                      Number{"timestampMs", &Action::timestamp_ms}, Number{"nonce", &Action::nonce});
  }
};

struct PlaceOrder : ActionContext {
  OrderParams order;

  bool operator==(const PlaceOrder&) const = default;
  static constexpr std::string_view name = "PlaceOrder";
  static constexpr auto members() { return around(Member{"order", &PlaceOrder::order, From::whole_body}); }
};

struct PlaceOrders : ActionContext {
  std::vector<OrderParams> orders;

  bool operator==(const PlaceOrders&) const = default;
  static constexpr std::string_view name = "PlaceOrders";
  static constexpr auto members() { return around(Member{"orders", &PlaceOrders::orders, From::whole_body}); }
};

struct AmendOrder : ActionContext {
  std::string market_id;
  std::string order_id;
  std::string price;
  std::string size;

  bool operator==(const AmendOrder&) const = default;
  static constexpr std::string_view name = "AmendOrder";
  static constexpr auto members() {
    using S = AmendOrder;
    return around(Member{"marketId", &S::market_id, From::query}, Member{"orderId", &S::order_id, From::path},
                  Member{"price", &S::price, From::body_if_any}, Member{"size", &S::size, From::body_if_any});
  }
};

struct CancelOrder : ActionContext {
  std::string market_id;
  std::string order_id;

  bool operator==(const CancelOrder&) const = default;
  static constexpr std::string_view name = "CancelOrder";
  static constexpr auto members() {
    using S = CancelOrder;
    return around(Member{"marketId", &S::market_id, From::query}, Member{"orderId", &S::order_id, From::path});
  }
};

struct CancelAllOrders : ActionContext {
  std::string market_id;  // "" for all markets

  bool operator==(const CancelAllOrders&) const = default;
  static constexpr std::string_view name = "CancelAllOrders";
  static constexpr auto members() { return around(Member{"marketId", &CancelAllOrders::market_id, From::query}); }
};

struct AdjustMargin : ActionContext {
  std::string market_id;
  std::string amount;
  std::string direction;

  bool operator==(const AdjustMargin&) const = default;
  static constexpr std::string_view name = "AdjustMargin";
  static constexpr auto members() {
    using S = AdjustMargin;
    return around(Member{"marketId", &S::market_id, From::body}, Member{"amount", &S::amount, From::body},
                  Member{"direction", &S::direction, From::body});
  }
};

struct SetMarginMode : ActionContext {
  std::string market_id;
  std::string margin_mode;

  bool operator==(const SetMarginMode&) const = default;
  static constexpr std::string_view name = "SetMarginMode";
  static constexpr auto members() {
    using S = SetMarginMode;
    return around(Member{"marketId", &S::market_id, From::body}, Member{"marginMode", &S::margin_mode, From::body});
  }
};

struct SetLeverage : ActionContext {
  std::string market_id;
  std::uint32_t leverage = 0;

  bool operator==(const SetLeverage&) const = default;
  static constexpr std::string_view name = "SetLeverage";
  static constexpr auto members() {
    using S = SetLeverage;
    return around(Member{"marketId", &S::market_id, From::body}, Member{"leverage", &S::leverage, From::number});
  }
};

using ActionStruct = std::variant<PlaceOrder, PlaceOrders, AmendOrder, CancelOrder, CancelAllOrders, AdjustMargin,
                                  SetMarginMode, SetLeverage>;

// The struct by which an account's owner makes a key its agent (POST /agents/register). Signed under a
// registration domain; see domain.h.
struct RegisterAgent {
  Address agent;
  std::uint64_t expires_at_ms = 0;
  std::uint64_t nonce = 0;

  static constexpr std::string_view name = "RegisterAgent";
  static constexpr auto members() {
    using S = RegisterAgent;
    return std::tuple(Member{"agent", &S::agent}, Member{"expiresAt", &S::expires_at_ms}, Member{"nonce", &S::nonce});
  }
};

// The structs by which an account's owner enrols for ordinary transfers, pays, and reads its
// transfers. Signed under the action domain; no API key or agent can stand in. (D-100)
//
// Each covers every field its operation acts on, the deployment text and a timestamp; the two writes
// also carry a nonce, strictly increasing per account.

// POST /transfers/enroll
struct EnrollTransferAccount {
  Address account;
  std::string domain;
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;

  static constexpr std::string_view name = "EnrollTransferAccount";
  static constexpr auto members() {
    using S = EnrollTransferAccount;
    return std::tuple(Member{"account", &S::account}, Member{"domain", &S::domain},
                      Member{"timestampMs", &S::timestamp_ms}, Member{"nonce", &S::nonce});
  }
};

// POST /transfers
struct TransferIntent {
  Address account;
  std::string domain;
  Address recipient;
  std::string amount;  // decimal USDX, the text of the body
  std::string client_transfer_id;
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;

  static constexpr std::string_view name = "TransferIntent";
  static constexpr auto members() {
    using S = TransferIntent;
    return std::tuple(Member{"account", &S::account}, Member{"domain", &S::domain}, Member{"recipient", &S::recipient},
                      Member{"amount", &S::amount}, Member{"clientTransferId", &S::client_transfer_id},
                      Member{"timestampMs", &S::timestamp_ms}, Member{"nonce", &S::nonce});
  }
};

// GET /transfers
struct ListTransfers {
  Address account;
  std::string domain;
  std::string limit;   // the query's decoded text, "" if absent
  std::string cursor;  // likewise
  std::uint64_t timestamp_ms = 0;

  static constexpr std::string_view name = "ListTransfers";
  static constexpr auto members() {
    using S = ListTransfers;
    return std::tuple(Member{"account", &S::account}, Member{"domain", &S::domain}, Member{"limit", &S::limit},
                      Member{"cursor", &S::cursor}, Member{"timestampMs", &S::timestamp_ms});
  }
};

// GET /transfers/{id}
struct ReadTransfer {
  Address account;
  std::string domain;
  std::string transfer_id;
  std::uint64_t timestamp_ms = 0;

  static constexpr std::string_view name = "ReadTransfer";
  static constexpr auto members() {
    using S = ReadTransfer;
    return std::tuple(Member{"account", &S::account}, Member{"domain", &S::domain},
                      Member{"transferId", &S::transfer_id}, Member{"timestampMs", &S::timestamp_ms});
  }
};

// The asset address that represents USDX: 20 bytes of 0xcc.
inline constexpr Address usdx_asset{{0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
                                     0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc}};

// The struct by which an account's owner withdraws (POST /withdrawals). Signed under the action domain.
struct WithdrawIntent {
  Uint256 amount;  // 1e-6 USDX
  Address asset = usdx_asset;
  std::uint64_t nonce = 0;

  static constexpr std::string_view name = "WithdrawIntent";
  static constexpr auto members() {
    using S = WithdrawIntent;
    return std::tuple(Member{"amount", &S::amount}, Member{"asset", &S::asset}, Member{"nonce", &S::nonce});
  }
};

// As hashed; see signed_struct.h.
[[nodiscard]] inline std::string_view type_string(const ActionStruct& action) {
  return std::visit([]<class Action>(const Action&) -> std::string_view { return type_string<Action>(); }, action);
}
[[nodiscard]] inline Hash32 struct_hash(const ActionStruct& action) {
  return std::visit([](const auto& one) { return struct_hash(one); }, action);
}
[[nodiscard]] inline const ActionContext& context_of(const ActionStruct& action) {
  return std::visit([](const auto& one) -> const ActionContext& { return one; }, action);
}

}  // namespace svc::signing
