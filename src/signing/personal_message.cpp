#include "signing/personal_message.h"

#include "base/hex.h"

namespace svc::signing {

Hash32 personal_message_digest(std::string_view text) {
  Keccak256 hash;
  hash.update(
      as_bytes("\x19"
               "Ethereum Signed Message:\n"));
  hash.update(as_bytes(std::to_string(text.size())));
  hash.update(as_bytes(text));
  return hash.finish();
}

std::string login_message(std::string_view domain_name) {
  return "Sign in to " + std::string(domain_name);
}

}  // namespace svc::signing
