// A wallet as English words (BIP-39) and the Ethereum keys derived from it (BIP-32, BIP-44).
//
// Words are ASCII. A passphrase is used byte for byte; BIP-39 requires NFKD first, which differs only for text that
// is not ASCII.
#pragma once

#include <algorithm>
#include <array>

#include "base/result.h"
#include "signing/key.h"

namespace svc::signing {

// A word as its letters: pointers would have to be relocated at every start of the program.
struct MnemonicWord {
  std::array<char, 8> letters{};  // the rest is zeros

  [[nodiscard]] constexpr std::string_view text() const {
    return {letters.data(), static_cast<std::size_t>(std::ranges::find(letters, '\0') - letters.begin())};
  }
};
// The English word list: sorted, the first four letters distinct.
extern const std::array<MnemonicWord, 2048> mnemonic_words;

enum class MnemonicError : std::uint8_t {
  word_count,    // not 12, 15, 18, 21 or 24 words
  unknown_word,  // not of the English list
  checksum,      // known words, but with a wrong checksum
  underivable,   // no key at that path (odds of one in 2^127)
};

[[nodiscard]] const char* to_string(MnemonicError error);

// Words for 16, 20, 24, 28 or 32 random bytes (asserted).
[[nodiscard]] Secret mnemonic_of(std::span<const std::uint8_t> entropy);

// The 64-byte seed. Case and extra blanks between words do not matter.
[[nodiscard]] Result<Secret, MnemonicError> mnemonic_seed(std::string_view phrase, std::string_view passphrase = {});

// Added to a child's index to make it hardened.
inline constexpr std::uint32_t hardened = 0x8000'0000u;

// Hierarchical keys (BIP-32), private side only.
class HdKey {
 public:
  // nullopt if the seed gives no key (odds of one in 2^127).
  [[nodiscard]] static std::optional<HdKey> from_seed(std::span<const std::uint8_t> seed);

  [[nodiscard]] std::optional<HdKey> child(std::uint32_t number) const;
  [[nodiscard]] const PrivateKey& key() const { return key_; }

 private:
  HdKey(PrivateKey key, std::span<const std::uint8_t> chain_code);

  PrivateKey key_;
  Wiped<std::array<std::uint8_t, 32>> chain_code_;
};

// The key at m/44'/60'/0'/0; its child number `index` is what wallets call account number `index`.
[[nodiscard]] Result<HdKey, MnemonicError> account_keys(const Secret& seed);

// That child. index < 2^31 (asserted).
[[nodiscard]] Result<PrivateKey, MnemonicError> derive_account(const Secret& seed, std::uint32_t index);

}  // namespace svc::signing
