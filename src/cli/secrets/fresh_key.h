// A new private key, and what guessing its password should cost.
#pragma once

#include <string_view>

#include "cli/environment.h"
#include "signing/key.h"
#include "signing/keystore.h"

namespace svc::cli {

[[nodiscard]] signing::PrivateKey fresh_key(const Environment& environment);

// Cheap on local, half a second elsewhere.
[[nodiscard]] signing::ScryptCost default_cost(std::string_view network);

}  // namespace svc::cli
