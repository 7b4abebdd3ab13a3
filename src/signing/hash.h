// Digests of 32 bytes: Keccak-256 (the Ethereum one, padding 0x01) and SHA-256.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace svc::signing {

using Hash32 = std::array<std::uint8_t, 32>;

[[nodiscard]] Hash32 keccak256(std::span<const std::uint8_t> bytes);
[[nodiscard]] Hash32 keccak256(std::string_view text);

// The digest of each text; several at once take about a third of the time. Sizes must agree.
void keccak256_each(std::span<const std::string_view> texts, std::span<Hash32> digests);

[[nodiscard]] Hash32 sha256(std::span<const std::uint8_t> bytes);
[[nodiscard]] Hash32 sha256(std::string_view text);

// Keccak-256 of pieces: update as often as wanted, then finish once.
class Keccak256 {
 public:
  void update(std::span<const std::uint8_t> bytes);
  // The object must not be used afterwards.
  [[nodiscard]] Hash32 finish();

 private:
  std::array<std::uint64_t, 25> state_{};
  std::size_t filled_ = 0;  // bytes of the current block already absorbed, always less than a block
};

using KeccakState = std::array<std::uint64_t, 25>;
// Word w of state i is words[w][i].
struct alignas(32) FourKeccakStates {
  std::array<std::array<std::uint64_t, 4>, 25> words{};
};

// Keccak-f[1600]: the permutation under Keccak-256, for one state and for four at once. The best code for the
// processor is chosen on first use: bit-manipulation instructions for one state, AVX2 or AVX-512 for four.
void permute(KeccakState& state);
void permute(FourKeccakStates& states);

}  // namespace svc::signing
