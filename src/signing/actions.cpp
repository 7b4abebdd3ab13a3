#include "signing/actions.h"

namespace svc::signing {
namespace {

// The types are written once; C++ cannot join string literals held in constants, so macros do.
#define SVC_CONTEXT_BEGIN "address account,string domain"
#define SVC_CONTEXT_END "uint64 timestampMs,uint64 nonce"
#define SVC_ORDER_PARAMS                                                                              \
  "OrderParams(string marketId,string side,string orderType,string price,string quantity,"            \
  "string timeInForce,bool reduceOnly,string stopPrice,string triggerPrice,string trailingOffsetBps," \
  "string limitOffsetBps,string stp,string clientId,string maxSlippageBps)"

constexpr std::string_view order_params_type = SVC_ORDER_PARAMS;

template <class Action>
struct TypeOf;
template <>
struct TypeOf<PlaceOrder> {
  static constexpr std::string_view text =
      "PlaceOrder(" SVC_CONTEXT_BEGIN ",OrderParams order," SVC_CONTEXT_END ")" SVC_ORDER_PARAMS;
};
template <>
struct TypeOf<PlaceOrders> {
  static constexpr std::string_view text =
      "PlaceOrders(" SVC_CONTEXT_BEGIN ",OrderParams[] orders," SVC_CONTEXT_END ")" SVC_ORDER_PARAMS;
};
template <>
struct TypeOf<AmendOrder> {
  static constexpr std::string_view text =
      "AmendOrder(" SVC_CONTEXT_BEGIN ",string marketId,string orderId,string price,string size," SVC_CONTEXT_END ")";
};
template <>
struct TypeOf<CancelOrder> {
  static constexpr std::string_view text =
      "CancelOrder(" SVC_CONTEXT_BEGIN ",string marketId,string orderId," SVC_CONTEXT_END ")";
};
template <>
struct TypeOf<CancelAllOrders> {
  static constexpr std::string_view text = "CancelAllOrders(" SVC_CONTEXT_BEGIN ",string marketId," SVC_CONTEXT_END ")";
};
template <>
struct TypeOf<AdjustMargin> {
  static constexpr std::string_view text =
      "AdjustMargin(" SVC_CONTEXT_BEGIN ",string marketId,string amount,string direction," SVC_CONTEXT_END ")";
};
template <>
struct TypeOf<SetMarginMode> {
  static constexpr std::string_view text =
      "SetMarginMode(" SVC_CONTEXT_BEGIN ",string marketId,string marginMode," SVC_CONTEXT_END ")";
};
template <>
struct TypeOf<SetLeverage> {
  static constexpr std::string_view text =
      "SetLeverage(" SVC_CONTEXT_BEGIN ",string marketId,uint32 leverage," SVC_CONTEXT_END ")";
};

#undef SVC_ORDER_PARAMS
#undef SVC_CONTEXT_END
#undef SVC_CONTEXT_BEGIN

Hash32 order_hash(const OrderParams& order) {
  static const Hash32 type_hash = keccak256(order_params_type);
  return StructEncoder(type_hash)
      .text(order.market_id)
      .text(order.side)
      .text(order.order_type)
      .text(order.price)
      .text(order.quantity)
      .text(order.time_in_force)
      .boolean(order.reduce_only)
      .text(order.stop_price)
      .text(order.trigger_price)
      .text(order.trailing_offset_bps)
      .text(order.limit_offset_bps)
      .text(order.stp)
      .text(order.client_id)
      .text(order.max_slippage_bps)
      .finish();
}

void add_members(StructEncoder& encoder, const PlaceOrder& action) {
  encoder.word(order_hash(action.order));
}

void add_members(StructEncoder& encoder, const PlaceOrders& action) {
  Keccak256 hashes;
  for (const OrderParams& order : action.orders) hashes.update(order_hash(order));
  encoder.word(hashes.finish());
}

void add_members(StructEncoder& encoder, const AmendOrder& action) {
  encoder.text(action.market_id).text(action.order_id).text(action.price).text(action.size);
}

void add_members(StructEncoder& encoder, const CancelOrder& action) {
  encoder.text(action.market_id).text(action.order_id);
}

void add_members(StructEncoder& encoder, const CancelAllOrders& action) {
  encoder.text(action.market_id);
}

void add_members(StructEncoder& encoder, const AdjustMargin& action) {
  encoder.text(action.market_id).text(action.amount).text(action.direction);
}

void add_members(StructEncoder& encoder, const SetMarginMode& action) {
  encoder.text(action.market_id).text(action.margin_mode);
}

void add_members(StructEncoder& encoder, const SetLeverage& action) {
  encoder.text(action.market_id).integer(action.leverage);
}

template <class Action>
Hash32 hash_of(const Action& action) {
  static const Hash32 type_hash = keccak256(TypeOf<Action>::text);
  StructEncoder encoder(type_hash);
  encoder.address(action.context.account).text(action.context.domain);
  add_members(encoder, action);
  return encoder.integer(action.context.timestamp_ms).integer(action.context.nonce).finish();
}

}  // namespace

std::string_view type_string(const ActionStruct& action) {
  return std::visit([]<class Action>(const Action&) { return TypeOf<Action>::text; }, action);
}

Hash32 struct_hash(const ActionStruct& action) {
  return std::visit([](const auto& alternative) { return hash_of(alternative); }, action);
}

const ActionContext& context_of(const ActionStruct& action) {
  return std::visit([](const auto& alternative) -> const ActionContext& { return alternative.context; }, action);
}

Hash32 struct_hash(const RegisterAgent& registration) {
  static const Hash32 type_hash = keccak256(RegisterAgent::type);
  return StructEncoder(type_hash)
      .address(registration.agent)
      .integer(registration.expires_at_ms)
      .integer(registration.nonce)
      .finish();
}

Hash32 struct_hash(const EnrollTransferAccount& enrolment) {
  static const Hash32 type_hash = keccak256(EnrollTransferAccount::type);
  return StructEncoder(type_hash)
      .address(enrolment.account)
      .text(enrolment.domain)
      .integer(enrolment.timestamp_ms)
      .integer(enrolment.nonce)
      .finish();
}

Hash32 struct_hash(const TransferIntent& intent) {
  static const Hash32 type_hash = keccak256(TransferIntent::type);
  return StructEncoder(type_hash)
      .address(intent.account)
      .text(intent.domain)
      .address(intent.recipient)
      .text(intent.amount)
      .text(intent.client_transfer_id)
      .integer(intent.timestamp_ms)
      .integer(intent.nonce)
      .finish();
}

Hash32 struct_hash(const ListTransfers& request) {
  static const Hash32 type_hash = keccak256(ListTransfers::type);
  return StructEncoder(type_hash)
      .address(request.account)
      .text(request.domain)
      .text(request.limit)
      .text(request.cursor)
      .integer(request.timestamp_ms)
      .finish();
}

Hash32 struct_hash(const ReadTransfer& request) {
  static const Hash32 type_hash = keccak256(ReadTransfer::type);
  return StructEncoder(type_hash)
      .address(request.account)
      .text(request.domain)
      .text(request.transfer_id)
      .integer(request.timestamp_ms)
      .finish();
}

Hash32 struct_hash(const WithdrawIntent& intent) {
  static const Hash32 type_hash = keccak256(WithdrawIntent::type);
  return StructEncoder(type_hash).integer(intent.amount).address(intent.asset).integer(intent.nonce).finish();
}

}  // namespace svc::signing
