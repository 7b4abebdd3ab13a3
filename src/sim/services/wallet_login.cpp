#include "sim/services/wallet_login.h"

#include "base/assert.h"
#include "signing/key.h"
#include "signing/personal_message.h"

namespace svc::sim {

std::string_view to_string(LoginRefusal refusal) {
  switch (refusal) {
    case LoginRefusal::wrong_message: return "wrong_message";
    case LoginRefusal::malformed_signature: return "malformed_signature";
    case LoginRefusal::unrecoverable_signature: return "unrecoverable_signature";
  }
  SVC_ASSERT(false);
}

WalletLogin::WalletLogin(std::string_view domain_name) : expected_message_(signing::login_message(domain_name)) {}

Result<Address, LoginRefusal> WalletLogin::signer(std::string_view message, std::string_view signature) const {
  if (message != expected_message_) return unexpected(LoginRefusal::wrong_message);
  const auto parsed = signing::parse_signature(signature);
  if (!parsed) return unexpected(LoginRefusal::malformed_signature);
  const auto signer = signing::recover(signing::personal_message_digest(message), *parsed);
  if (!signer) return unexpected(LoginRefusal::unrecoverable_signature);
  return *signer;
}

}  // namespace svc::sim
