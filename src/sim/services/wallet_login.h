// Sign-in with a wallet: whoever signs the constant text as a personal message is its signer.
// (API: POST /auth/login)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/result.h"

namespace svc::sim {

// All are one opaque 401 on the wire.
enum class LoginRefusal : std::uint8_t { wrong_message, malformed_signature, unrecoverable_signature };
[[nodiscard]] std::string_view to_string(LoginRefusal refusal);

class WalletLogin {
 public:
  // `domain_name` is the display name of the network's signing domain.
  explicit WalletLogin(std::string_view domain_name);

  // The wallet that signed. The text must be the expected one, byte for byte.
  [[nodiscard]] Result<Address, LoginRefusal> signer(std::string_view message, std::string_view signature) const;

 private:
  std::string expected_message_;
};

}  // namespace svc::sim
