// Text signed by a wallet as such: EIP-191 personal_sign.
#pragma once

#include <string>
#include <string_view>

#include "signing/hash.h"

namespace svc::signing {

// keccak256(0x19 "Ethereum Signed Message:" LF, byte length in decimal, text).
[[nodiscard]] Hash32 personal_message_digest(std::string_view text);

// The only text that POST /auth/login accepts: "Sign in to <domain name>".
[[nodiscard]] std::string login_message(std::string_view domain_name);

}  // namespace svc::signing
