// EIP-712 structs that authorise one thing each: trading actions and actions of owners.
//
// signed_struct.h explains how a struct follows from its list of members. Text is signed byte for byte, and an
// absent optional value is "". (API: Signed trading actions; D-1140)
#pragma once

#include <variant>

#include "signing/hash.h"
#include "signing/signed_struct.h"
#include "signing/uint256.h"

namespace svc::signing {

SVC_SIGNED(OrderParams,
    (std::string, market_id, "marketId", From::body)
    (std::string, side, "side", From::body)
    (std::string, order_type, "orderType", From::body)
    (std::string, price, "price", From::body_if_any)
    (std::string, quantity, "quantity", From::body)
    (std::string, time_in_force, "timeInForce", From::body)
    (bool, reduce_only, "reduceOnly", From::flag_if_any)
    (std::string, stop_price, "stopPrice", From::body_if_any)
    (std::string, trigger_price, "triggerPrice", From::body_if_any)
    (std::string, trailing_offset_bps, "trailingOffsetBps", From::digits_if_any)
    (std::string, limit_offset_bps, "limitOffsetBps", From::digits_if_any)
    (std::string, stp, "stp", From::body_if_any)
    (std::string, client_id, "clientId", From::body_if_any)
    (std::string, max_slippage_bps, "maxSlippageBps", From::digits_if_any));

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
    return std::tuple(Member<Action, Address>{&Action::account, "account"}, Text{&Action::domain, "domain"}, own...,
                      Number{&Action::timestamp_ms, "timestampMs"}, Number{&Action::nonce, "nonce"});
  }
};

#define SVC_ACTION(Struct, rows)                                                        \
  struct Struct : ActionContext {                                                       \
    SVC_SIGNED_MEMBERS(Struct, rows)                                                    \
    static constexpr auto members() { return around(SVC_ROWS(SVC_FIRST_SIGNED rows)); } \
  }

SVC_ACTION(PlaceOrder, (OrderParams, order, "order", From::whole_body));

SVC_ACTION(PlaceOrders, (std::vector<OrderParams>, orders, "orders", From::whole_body));

SVC_ACTION(AmendOrder,
    (std::string, market_id, "marketId", From::query)
    (std::string, order_id, "orderId", From::path)
    (std::string, price, "price", From::body_if_any)
    (std::string, size, "size", From::body_if_any));

SVC_ACTION(CancelOrder,
    (std::string, market_id, "marketId", From::query)
    (std::string, order_id, "orderId", From::path));

SVC_ACTION(CancelAllOrders, (std::string, market_id, "marketId", From::query));  // "" for all markets

SVC_ACTION(AdjustMargin,
    (std::string, market_id, "marketId", From::body)
    (std::string, amount, "amount", From::body)
    (std::string, direction, "direction", From::body));

SVC_ACTION(SetMarginMode,
    (std::string, market_id, "marketId", From::body)
    (std::string, margin_mode, "marginMode", From::body));

SVC_ACTION(SetLeverage,
    (std::string, market_id, "marketId", From::body)
    (std::uint32_t, leverage, "leverage", From::number));

using ActionStruct = std::variant<PlaceOrder, PlaceOrders, AmendOrder, CancelOrder, CancelAllOrders, AdjustMargin,
                                  SetMarginMode, SetLeverage>;

// The struct by which an account's owner makes a key its agent (POST /agents/register). Signed under a
// registration domain; see domain.h.
SVC_SIGNED(RegisterAgent,
    (Address, agent, "agent")
    (std::uint64_t, expires_at_ms, "expiresAt")
    (std::uint64_t, nonce, "nonce"));

// The structs by which an account's owner enrols for ordinary transfers, pays, and reads its
// transfers. Signed under the action domain; no API key or agent can stand in. (D-100)
//
// Each covers every field its operation acts on, the deployment text and a timestamp; the two writes
// also carry a nonce, strictly increasing per account.

// POST /transfers/enroll
SVC_SIGNED(EnrollTransferAccount,
    (Address, account, "account", From::body_as_it_is)
    (std::string, domain, "domain", From::body_as_it_is)
    (std::uint64_t, timestamp_ms, "timestampMs")
    (std::uint64_t, nonce, "nonce"));

// POST /transfers
SVC_SIGNED(TransferIntent,
    (Address, account, "account", From::body_as_it_is)
    (std::string, domain, "domain", From::body_as_it_is)
    (Address, recipient, "recipient", From::body_as_it_is)
    (std::string, amount, "amount", From::body_as_it_is)  // decimal USDX
    (std::string, client_transfer_id, "clientTransferId", From::body_as_it_is)
    (std::uint64_t, timestamp_ms, "timestampMs")
    (std::uint64_t, nonce, "nonce"));

// GET /transfers
SVC_SIGNED(ListTransfers,
    (Address, account, "account", From::query_as_it_is)
    (std::string, domain, "domain", From::query_as_it_is)
    (std::string, limit, "limit", From::query_as_it_is)
    (std::string, cursor, "cursor", From::query_as_it_is)
    (std::uint64_t, timestamp_ms, "timestampMs"));

// GET /transfers/{id}
SVC_SIGNED(ReadTransfer,
    (Address, account, "account", From::query_as_it_is)
    (std::string, domain, "domain", From::query_as_it_is)
    (std::string, transfer_id, "transferId", From::path)
    (std::uint64_t, timestamp_ms, "timestampMs"));

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
    return std::tuple(Member{&S::amount, "amount"}, Member{&S::asset, "asset"}, Member{&S::nonce, "nonce"});
  }
};

using OwnerStructs =
    std::tuple<RegisterAgent, EnrollTransferAccount, TransferIntent, ListTransfers, ReadTransfer, WithdrawIntent>;

// As hashed; see signed_struct.h.
[[nodiscard]] inline std::string_view type_string(const ActionStruct& action) {
  return std::visit([]<class Action>(const Action&) -> std::string_view { return type_string<Action>(); }, action);
}
[[nodiscard]] inline Hash32 struct_hash(const ActionStruct& action) {
  return std::visit([](const auto& one) { return struct_hash(one); }, action);
}

}  // namespace svc::signing
