#include "signing/withdraw_intent.h"

#include "signing/struct_encoder.h"

namespace svc::signing {

Hash32 struct_hash(const WithdrawIntent& intent) {
  static const Hash32 type_hash = keccak256(WithdrawIntent::type);
  return StructEncoder(type_hash).integer(intent.amount).address(intent.asset).integer(intent.nonce).finish();
}

}  // namespace svc::signing
