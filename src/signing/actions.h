// Signed trading actions: EIP-712 structs that authorise one trade each.
//
// Members stand in the order in which they are signed; text is signed byte for byte, and an absent
// optional value is "". How a request becomes such a struct: action_request.h.
// (API: Signed trading actions)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/address.h"
#include "base/assert.h"
#include "signing/domain.h"
#include "signing/hash.h"
#include "signing/uint256.h"

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

// Hashes an EIP-712 struct member by member, in the order of its type.

// Texts are borrowed until finish(), which hashes them side by side: most of a struct's cost is there.
class StructEncoder {
 public:
  explicit StructEncoder(const Hash32& type_hash) { word(type_hash); }

  // 32 bytes as they are: a nested struct's hash, an array's hash, bytes32.
  StructEncoder& word(const Hash32& bytes) {
    SVC_ASSERT(word_count_ < words_max);
    words_[word_count_++] = bytes;
    return *this;
  }
  StructEncoder& text(std::string_view value) {
    if (value.empty()) return word(hash_of_nothing());  // most members of an order are absent
    texts_[text_count_] = value;
    places_[text_count_++] = word_count_;
    return word({});
  }
  StructEncoder& integer(const Uint256& value) { return word(value.big_endian); }
  StructEncoder& boolean(bool value) { return integer(value ? 1u : 0u); }
  StructEncoder& address(const Address& value) {
    Hash32 padded{};
    std::copy(value.bytes.begin(), value.bytes.end(), padded.begin() + 12);
    return word(padded);
  }

  [[nodiscard]] Hash32 finish() {
    std::array<Hash32, words_max> hashed;
    keccak256_each(std::span(texts_).first(text_count_), std::span(hashed).first(text_count_));
    for (std::size_t i = 0; i < text_count_; ++i) words_[places_[i]] = hashed[i];
    Keccak256 hash;
    for (std::size_t i = 0; i < word_count_; ++i) hash.update(words_[i]);
    return hash.finish();
  }

 private:
  static constexpr std::size_t words_max = 16;  // an order has 14 members

  static const Hash32& hash_of_nothing() {
    static const Hash32 hash = keccak256(std::string_view{});
    return hash;
  }

  std::array<Hash32, words_max> words_;
  std::size_t word_count_ = 0;
  std::array<std::string_view, words_max> texts_;
  std::array<std::size_t, words_max> places_;  // of the texts' hashes among the words
  std::size_t text_count_ = 0;
};

// The struct by which an account's owner makes a key its agent (POST /agents/register). Signed under a
// registration domain; see domain.h.

struct RegisterAgent {
  static constexpr std::string_view type = "RegisterAgent(address agent,uint64 expiresAt,uint64 nonce)";

  Address agent;
  std::uint64_t expires_at_ms = 0;
  std::uint64_t nonce = 0;
};

[[nodiscard]] Hash32 struct_hash(const RegisterAgent& registration);

// The structs by which an account's owner enrols for ordinary transfers, pays, and reads its
// transfers. Signed under the action domain; no API key or agent can stand in. (D-100)
//
// Each covers every field its operation acts on, the deployment text and a timestamp; the two writes
// also carry a nonce, strictly increasing per account.

// POST /transfers/enroll
struct EnrollTransferAccount {
  static constexpr std::string_view type =
      "EnrollTransferAccount(address account,string domain,uint64 timestampMs,uint64 nonce)";

  Address account;
  std::string domain;
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;
};

// POST /transfers
struct TransferIntent {
  static constexpr std::string_view type =
      "TransferIntent(address account,string domain,address recipient,string amount,string clientTransferId,"
      "uint64 timestampMs,uint64 nonce)";

  Address account;
  std::string domain;
  Address recipient;
  std::string amount;  // decimal USDX, the text of the body
  std::string client_transfer_id;
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;
};

// GET /transfers
struct ListTransfers {
  static constexpr std::string_view type =
      "ListTransfers(address account,string domain,string limit,string cursor,uint64 timestampMs)";

  Address account;
  std::string domain;
  std::string limit;   // the query's decoded text, "" if absent
  std::string cursor;  // likewise
  std::uint64_t timestamp_ms = 0;
};

// GET /transfers/{id}
struct ReadTransfer {
  static constexpr std::string_view type =
      "ReadTransfer(address account,string domain,string transferId,uint64 timestampMs)";

  Address account;
  std::string domain;
  std::string transfer_id;
  std::uint64_t timestamp_ms = 0;
};

[[nodiscard]] Hash32 struct_hash(const EnrollTransferAccount& enrolment);
[[nodiscard]] Hash32 struct_hash(const TransferIntent& intent);
[[nodiscard]] Hash32 struct_hash(const ListTransfers& request);
[[nodiscard]] Hash32 struct_hash(const ReadTransfer& request);

// The struct by which an account's owner withdraws (POST /withdrawals). Signed under the action domain.

// Stands for USDX where an asset address is asked for: 20 bytes of 0xcc.
inline constexpr Address usdx_asset{{0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
                                     0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc}};

struct WithdrawIntent {
  static constexpr std::string_view type = "WithdrawIntent(uint256 amount,address asset,uint64 nonce)";

  Uint256 amount;  // 1e-6 USDX
  Address asset = usdx_asset;
  std::uint64_t nonce = 0;
};

[[nodiscard]] Hash32 struct_hash(const WithdrawIntent& intent);

}  // namespace svc::signing
