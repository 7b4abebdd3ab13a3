// Chance from the operating system. The edges of the program call this and hand the bytes on;
// everything else takes them as an argument.
#pragma once

#include <cstdint>
#include <span>

#include "signing/sealed_box.h"

namespace svc::signing {

// Cryptographically strong; aborts if the system has none to give.
void fill_random(std::span<std::uint8_t> bytes);

[[nodiscard]] SealEntropy fresh_seal_entropy();

}  // namespace svc::signing
