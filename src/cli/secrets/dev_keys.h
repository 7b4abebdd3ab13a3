// Keys that everybody knows: the accounts of the development mnemonic. They sign on local only.
#pragma once

#include <string_view>

#include "base/address.h"
#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

// One of the first twenty accounts of the phrase that development tools share.
[[nodiscard]] bool is_dev_address(const Address& address);

// Exit 14 for such an address on any network but local.
[[nodiscard]] Result<void, Failure> refuse_dev_key(const Address& address, std::string_view network);

}  // namespace svc::cli
