// Keccak-f[1600]: the permutation under Keccak-256, for one state and for four at once.
//
// The best code for the processor is chosen on first use: bit-manipulation instructions for one state,
// AVX2 or AVX-512 for four. All give the same result.
#pragma once

#include <array>
#include <cstdint>

namespace svc::signing {

using KeccakState = std::array<std::uint64_t, 25>;

// Word w of state i is words[w][i].
struct alignas(32) FourKeccakStates {
  std::array<std::array<std::uint64_t, 4>, 25> words{};
};

void permute(KeccakState& state);
void permute(FourKeccakStates& states);

}  // namespace svc::signing
