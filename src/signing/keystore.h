// Private keys at rest: Web3 secret storage, version 3 (the files of geth, cast, ethers).
//
// Reads scrypt and pbkdf2 files, with "crypto" or "Crypto", with or without "address", 0x or not.
// Writes scrypt. The password is taken byte for byte; ethers applies NFKC first, which differs only
// for text that is not ASCII.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/result.h"
#include "base/secret.h"
#include "signing/key.h"
#include "signing/sealed_box.h"

namespace svc::signing {

enum class KeystoreError : std::uint8_t {
  malformed,
  unsupported,
  kdf_out_of_bounds,
  wrong_password,    // or a damaged file: the two cannot be told apart
  key_needed,        // sealed under a key, not a password
  not_a_key,         // opened, but what it holds is not a private key
  address_mismatch,  // the key it holds belongs to another address than the file says
};

[[nodiscard]] const char* to_string(KeystoreError error);

// JSON text with "address" (40 hex digits, no 0x) beside the sealed key.
[[nodiscard]] std::string write_keystore(const PrivateKey& key, const Secret& password, const ScryptCost& cost,
                                         const SealEntropy& entropy);

[[nodiscard]] Result<PrivateKey, KeystoreError> read_keystore(std::string_view text, const Secret& password);

// What a file says of itself, without a password. Not yet proven: read_keystore checks the address.
struct KeystoreInfo {
  std::optional<Address> address;
  SealInfo seal;
  std::string id;  // "" if the file has none
};

[[nodiscard]] Result<KeystoreInfo, KeystoreError> inspect_keystore(std::string_view text);

}  // namespace svc::signing
