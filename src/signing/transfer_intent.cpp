#include "signing/transfer_intent.h"

#include "signing/struct_encoder.h"

namespace svc::signing {

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

}  // namespace svc::signing
