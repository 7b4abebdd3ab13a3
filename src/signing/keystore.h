// Private keys at rest: Web3 secret storage, version 3 (the files of geth, cast, ethers).
//
// Reads scrypt and pbkdf2 files, with "crypto" or "Crypto", with or without "address" and 0x. Writes scrypt. The
// password is used byte for byte; ethers applies NFKC first, which differs only for text that is not ASCII.
#pragma once

#include "base/result.h"
#include "signing/key.h"

namespace svc::signing {

// scrypt (RFC 7914): a key from a password, at a cost in memory and time. Memory is 128 * r * n bytes.
//
// Uses libsodium: OpenSSL refuses an n of 2^(16 r) and above, which some keystore files have, including the
// published example. (D-008)
struct ScryptCost {
  std::uint64_t n = 1 << 17;
  std::uint32_t r = 8;
  std::uint32_t p = 1;
};

inline constexpr ScryptCost scrypt_real_money{};              // about half a second, 128 MiB
inline constexpr ScryptCost scrypt_local_only{.n = 1 << 13};  // about 30 ms, 8 MiB

// n a power of two above 1, r and p not zero, memory and n * r * p within limits.h.
[[nodiscard]] bool is_acceptable(const ScryptCost& cost);

// Each parameter raised to at least that of `least`; if that exceeds the limits, `least`.
[[nodiscard]] ScryptCost raised(const ScryptCost& cost, const ScryptCost& least);

// Fills `key`. The cost must be acceptable. False if the machine lacks the memory.
[[nodiscard]] bool scrypt(const Secret& password, std::span<const std::uint8_t> salt, const ScryptCost& cost,
                          std::span<std::uint8_t> key);

enum class SealError : std::uint8_t {
  malformed,          // not JSON, or members missing or of the wrong shape
  unsupported,        // another version, cipher, key derivation or pseudo-random function
  kdf_out_of_bounds,  // parameters that are invalid, or cost more than limits.h allows
  wrong_key,          // the MAC does not match: wrong password, wrong key, or a damaged file
  password_needed,    // sealed under a password, opened with a key
  key_needed,         // sealed under a key, opened with a password
  not_a_key,          // of a keystore file: opened, but the content is not a private key
  address_mismatch,   // of a keystore file: the key belongs to another address than the file says
};

[[nodiscard]] const char* to_string(SealError error);
// In the words of a keystore file.
[[nodiscard]] const char* keystore_text(SealError error);

// Fresh random bytes for each seal; never used twice.
struct SealEntropy {
  std::array<std::uint8_t, 32> salt{};
  std::array<std::uint8_t, 16> iv{};
  std::array<std::uint8_t, 16> id{};  // becomes the file's UUID
};

using SealKey = Wiped<std::array<std::uint8_t, 32>>;

// A secret at rest, any bytes: JSON text {"crypto":{...},"id":"...","version":3}, as of a Web3 v3 keystore file. The
// caller may add members before storing it: opening ignores unknown ones. The cost must be acceptable.
//
// AES-128-CTR under the first half of a 32-byte key; keccak256(second half, ciphertext) detects a wrong key before
// anything is decrypted. Randomness is an argument: the same inputs give the same text.
[[nodiscard]] std::string seal(std::span<const std::uint8_t> plain, const Secret& password, const ScryptCost& cost,
                               const SealEntropy& entropy);
// The same under a random key instead of a password ("kdf":"none"; ours, other tools cannot open it).
[[nodiscard]] std::string seal(std::span<const std::uint8_t> plain, const SealKey& key, const SealEntropy& entropy);

// The bytes that were sealed.
[[nodiscard]] Result<Secret, SealError> open(std::string_view text, const Secret& password);
[[nodiscard]] Result<Secret, SealError> open(std::string_view text, const SealKey& key);

// What a box says about itself; needs no password.
struct SealInfo {
  std::string kdf;         // "scrypt", "pbkdf2" or "none"
  std::uint64_t cost = 0;  // scrypt n or pbkdf2 c; 0 for none
  std::optional<ScryptCost> scrypt{};
};

[[nodiscard]] Result<SealInfo, SealError> inspect_seal(std::string_view text);

// JSON text with "address" (40 hex digits, no 0x) beside the sealed key.
[[nodiscard]] std::string write_keystore(const PrivateKey& key, const Secret& password, const ScryptCost& cost,
                                         const SealEntropy& entropy);

[[nodiscard]] Result<PrivateKey, SealError> read_keystore(std::string_view text, const Secret& password);

// What a file says about itself, without a password. Not verified yet: read_keystore checks the address.
struct KeystoreInfo {
  std::optional<Address> address;
  SealInfo seal;
  std::string id;  // "" if the file has none
};

[[nodiscard]] Result<KeystoreInfo, SealError> inspect_keystore(std::string_view text);

// Drawn with fill_random().
[[nodiscard]] SealEntropy fresh_seal_entropy();

// The key that seals a wallet's ring key of that network: derived from the wallet's private key, so it is the same
// wherever that key is.
[[nodiscard]] SealKey ring_seal_of(const PrivateKey& key, std::string_view network);

}  // namespace svc::signing
