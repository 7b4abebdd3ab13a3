#include "signing/register_agent.h"

#include "signing/struct_encoder.h"

namespace svc::signing {

Hash32 struct_hash(const RegisterAgent& registration) {
  static const Hash32 type_hash = keccak256(RegisterAgent::type);
  return StructEncoder(type_hash)
      .address(registration.agent)
      .integer(registration.expires_at_ms)
      .integer(registration.nonce)
      .finish();
}

}  // namespace svc::signing
