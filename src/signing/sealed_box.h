// A secret at rest: the "crypto" object of a Web3 v3 keystore file, for any bytes.
//
// AES-128-CTR under the first half of a 32-byte key; keccak256(second half, ciphertext) tells a wrong
// key from a right one before anything is decrypted. The key comes from a password, or is given.
// Chance comes in as an argument (SealEntropy): the same inputs give the same text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "signing/scrypt.h"

namespace svc::signing {

enum class SealError : std::uint8_t {
  malformed,          // not JSON, or members missing or of the wrong shape
  unsupported,        // another version, cipher, key derivation or pseudo-random function
  kdf_out_of_bounds,  // parameters that are invalid, or cost more than limits.h allows
  wrong_key,          // the MAC does not match: wrong password, wrong key, or a damaged file
  password_needed,    // sealed under a password, opened with a key
  key_needed,         // sealed under a key, opened with a password
};

[[nodiscard]] const char* to_string(SealError error);

// Fresh random bytes for each seal; never used twice.
struct SealEntropy {
  std::array<std::uint8_t, 32> salt{};
  std::array<std::uint8_t, 16> iv{};
  std::array<std::uint8_t, 16> id{};  // becomes the file's UUID
};

// Wiped when dropped.
struct SealKey : std::array<std::uint8_t, 32> {
  SealKey() : array{} {}
  explicit SealKey(const std::array<std::uint8_t, 32>& bytes) : array(bytes) {}
  SealKey(const SealKey&) = default;
  SealKey& operator=(const SealKey&) = default;
  ~SealKey() { wipe(data(), size()); }
};

// JSON text {"crypto":{...},"id":"...","version":3}. Whoever stores it may add members of its own:
// opening ignores those it does not know. The cost must be acceptable (scrypt.h).
[[nodiscard]] std::string seal(std::span<const std::uint8_t> plain, const Secret& password, const ScryptCost& cost,
                               const SealEntropy& entropy);
// The same under a random key instead of a password ("kdf":"none"; ours, other tools cannot open it).
[[nodiscard]] std::string seal(std::span<const std::uint8_t> plain, const SealKey& key, const SealEntropy& entropy);

// The bytes that were sealed.
[[nodiscard]] Result<Secret, SealError> open(std::string_view text, const Secret& password);
[[nodiscard]] Result<Secret, SealError> open(std::string_view text, const SealKey& key);

// What a box says of itself; needs no password.
struct SealInfo {
  std::string kdf;         // "scrypt", "pbkdf2" or "none"
  std::uint64_t cost = 0;  // scrypt n or pbkdf2 c; 0 for none
  std::optional<ScryptCost> scrypt{};
};

[[nodiscard]] Result<SealInfo, SealError> inspect_seal(std::string_view text);

}  // namespace svc::signing
