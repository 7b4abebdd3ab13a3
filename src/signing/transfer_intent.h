// The structs by which an account's owner enrols for ordinary transfers, pays, and reads its
// transfers. Signed under the action domain; no API key or agent can stand in. (D-100)
//
// Each covers every field its operation acts on, the deployment text and a timestamp; the two writes
// also carry a nonce, strictly increasing per account.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/address.h"
#include "signing/hash.h"

namespace svc::signing {

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

}  // namespace svc::signing
