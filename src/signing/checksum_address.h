// An address whose letter case carries a checksum (EIP-55), as wallets show it.
#pragma once

#include <string>
#include <string_view>

#include "base/address.h"

namespace svc::signing {

// 0x and 40 hex digits, the letters in upper or lower case by the checksum.
[[nodiscard]] std::string checksum_address(const Address& address);

// True if the text (0x and 40 hex digits) is all of one case, and so carries no checksum, or carries the right one.
[[nodiscard]] bool checksum_holds(std::string_view text);

}  // namespace svc::signing
