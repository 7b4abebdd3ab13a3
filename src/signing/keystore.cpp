#include "signing/keystore.h"

#include <nettle/aes.h>
#include <nettle/ctr.h>
#include <nettle/nettle-meta.h>
#include <nettle/pbkdf2.h>
#include <sodium/core.h>
#include <sodium/crypto_pwhash_scryptsalsa208sha256.h>
#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/text.h"
#include "signing/hash.h"
#include "signing/hmac.h"
#include "signing/json_document.h"

namespace svc::signing {
namespace {

using nlohmann::json;

// Reads keystore files as other tools write them: member names in any case, hex with or without 0x, numbers as JSON
// integers or decimal text.

// The member with that name in any case; nullptr if absent, or present in two spellings.
const json* loose_find(const json& object, std::string_view name) {
  const json* found = nullptr;
  for (const auto& [spelling, value] : object.items()) {
    if (lower_case(spelling) != name) continue;
    if (found) return nullptr;
    found = &value;
  }
  return found;
}

// Malformed if absent or of another type; so are the following ones.
Result<const json*, SealError> loose_object(const json& object, std::string_view name) {
  const json* value = loose_find(object, name);
  if (!value || !value->is_object()) return unexpected(SealError::malformed);
  return value;
}

Result<std::string, SealError> loose_text(const json& object, std::string_view name) {
  const json* value = loose_find(object, name);
  if (!value || !value->is_string()) return unexpected(SealError::malformed);
  return value->get<std::string>();
}

Result<std::uint64_t, SealError> loose_uint(const json& object, std::string_view name) {
  const json* value = loose_find(object, name);
  if (value && value->is_number_unsigned()) return value->get<std::uint64_t>();
  const auto text = SVC_TRY(loose_text(object, name));
  const auto number = parse_integer<std::uint64_t>(text);
  if (!number) return unexpected(SealError::malformed);
  return *number;
}

// `read` is from_hex or from_hex_exact.
template <class Read, class Value = typename std::invoke_result_t<Read, std::string_view>::value_type>
Result<Value, SealError> loose_bytes(const json& object, std::string_view name, Read read) {
  const auto text = SVC_TRY(loose_text(object, name));
  auto bytes = read(strip_0x(text));
  if (!bytes) return unexpected(SealError::malformed);
  return std::move(*bytes);
}

// A file's checked "crypto" object: what is needed to open it besides the password.
struct Box : SealInfo {
  Bytes salt;
  std::array<std::uint8_t, 16> iv{};
  Bytes ciphertext;
  Hash32 mac{};
};

void pbkdf2(const Secret& password, const Box& box, SealKey& key) {
  const auto text = as_bytes(password.reveal());
  pbkdf2_hmac_sha256(text.size(), text.data(), static_cast<unsigned>(box.cost), box.salt.size(), box.salt.data(),
                     key.size(), key.data());
}

// Hashed, so that both halves, and with them the MAC, depend on every byte of the given key.
SealKey derived(const SealKey& key) {
  return SealKey(keccak256(key));
}

// Encryption and decryption are the same in counter mode.
std::string crypt(const SealKey& key, std::span<const std::uint8_t, 16> iv, std::span<const std::uint8_t> bytes) {
  Wiped<aes128_ctx> cipher;
  aes128_set_encrypt_key(&cipher, key.data());
  std::array<std::uint8_t, AES_BLOCK_SIZE> counter;
  std::copy(iv.begin(), iv.end(), counter.begin());
  std::string out(bytes.size(), '\0');
  ctr_crypt(&cipher, nettle_aes128.encrypt, counter.size(), counter.data(), out.size(),
            reinterpret_cast<std::uint8_t*>(out.data()), bytes.data());
  return out;
}

Hash32 mac_of(const SealKey& key, std::span<const std::uint8_t> ciphertext) {
  Keccak256 hash;
  hash.update(std::span(key).subspan<16>());
  hash.update(ciphertext);
  return hash.finish();
}

std::string uuid_of(std::array<std::uint8_t, 16> id) {
  id[6] = static_cast<std::uint8_t>((id[6] & 0x0f) | 0x40);  // version 4: random
  id[8] = static_cast<std::uint8_t>((id[8] & 0x3f) | 0x80);
  const std::string hex = to_hex(id);
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

json sealed(std::span<const std::uint8_t> plain, const SealKey& key, const char* kdf, json kdf_parameters,
            const SealEntropy& entropy) {
  SVC_ASSERT(plain.size() <= limits::sealed_bytes_max);
  const std::string ciphertext = crypt(key, entropy.iv, plain);
  return {
      {"version", 3},
      {"id", uuid_of(entropy.id)},
      {"crypto",
       {{"cipher", "aes-128-ctr"},
        {"cipherparams", {{"iv", to_hex(entropy.iv)}}},
        {"ciphertext", to_hex(as_bytes(ciphertext))},
        {"kdf", kdf},
        {"kdfparams", std::move(kdf_parameters)},
        {"mac", to_hex(mac_of(key, as_bytes(ciphertext)))}}},
  };
}

json sealed(std::span<const std::uint8_t> plain, const Secret& password, const ScryptCost& cost,
            const SealEntropy& entropy) {
  SVC_ASSERT(is_acceptable(cost));
  SealKey key;
  SVC_ASSERT(scrypt(password, entropy.salt, cost, key));
  return sealed(plain, key, "scrypt",
                {{"n", cost.n}, {"r", cost.r}, {"p", cost.p}, {"dklen", 32}, {"salt", to_hex(entropy.salt)}}, entropy);
}

Result<void, SealError> read_scrypt(const json& parameters, Box& box) {
  const auto n = SVC_TRY(loose_uint(parameters, "n"));
  const auto r = SVC_TRY(loose_uint(parameters, "r"));
  const auto p = SVC_TRY(loose_uint(parameters, "p"));
  if (r > UINT32_MAX || p > UINT32_MAX) return unexpected(SealError::kdf_out_of_bounds);
  box.cost = n;
  box.scrypt = {n, static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(p)};
  if (!is_acceptable(*box.scrypt)) return unexpected(SealError::kdf_out_of_bounds);
  return {};
}

Result<void, SealError> read_pbkdf2(const json& parameters, Box& box) {
  box.cost = SVC_TRY(loose_uint(parameters, "c"));
  if (SVC_TRY(loose_text(parameters, "prf")) != "hmac-sha256") return unexpected(SealError::unsupported);
  if (box.cost == 0 || box.cost > limits::pbkdf2_iterations_max) return unexpected(SealError::kdf_out_of_bounds);
  return {};
}

Result<void, SealError> read_kdf(const json& crypto, Box& box) {
  box.kdf = SVC_TRY(loose_text(crypto, "kdf"));
  if (box.kdf == "none") return {};
  if (box.kdf != "scrypt" && box.kdf != "pbkdf2") return unexpected(SealError::unsupported);
  const json& parameters = *SVC_TRY(loose_object(crypto, "kdfparams"));
  box.salt = SVC_TRY(loose_bytes(parameters, "salt", from_hex));
  // The first 32 bytes do not depend on the requested length, and no more are used.
  if (SVC_TRY(loose_uint(parameters, "dklen")) < 32) return unexpected(SealError::unsupported);
  return box.kdf == "scrypt" ? read_scrypt(parameters, box) : read_pbkdf2(parameters, box);
}

Result<json, SealError> document_of(std::string_view text) {
  if (text.size() > limits::keystore_bytes_max) return unexpected(SealError::malformed);
  auto document = parse_json_document(text);
  if (!document || !document->is_object()) return unexpected(SealError::malformed);
  return std::move(*document);
}

Result<Box, SealError> read(const json& document) {
  if (SVC_TRY(loose_uint(document, "version")) != 3) return unexpected(SealError::unsupported);
  const json& crypto = *SVC_TRY(loose_object(document, "crypto"));

  Box box;
  if (SVC_TRY(loose_text(crypto, "cipher")) != "aes-128-ctr") return unexpected(SealError::unsupported);
  SVC_TRY(read_kdf(crypto, box));
  const json& cipher_parameters = *SVC_TRY(loose_object(crypto, "cipherparams"));
  box.iv = SVC_TRY(loose_bytes(cipher_parameters, "iv", from_hex_exact<16>));
  box.mac = SVC_TRY(loose_bytes(crypto, "mac", from_hex_exact<32>));
  box.ciphertext = SVC_TRY(loose_bytes(crypto, "ciphertext", from_hex));
  if (box.ciphertext.size() > limits::sealed_bytes_max) return unexpected(SealError::malformed);
  return box;
}

Result<Secret, SealError> open(const Box& box, const SealKey& key) {
  if (!equal_constant_time(mac_of(key, box.ciphertext), box.mac)) return unexpected(SealError::wrong_key);
  return Secret(crypt(key, box.iv, box.ciphertext));
}

}  // namespace

const char* keystore_text(SealError error) {
  if (error == SealError::malformed) return "not a Web3 keystore file of version 3";
  return error == SealError::wrong_key ? "wrong password, or a damaged file" : to_string(error);
}

std::string write_keystore(const PrivateKey& key, const Secret& password, const ScryptCost& cost,
                           const SealEntropy& entropy) {
  json document = sealed(key.reveal(), password, cost, entropy);
  document["address"] = to_hex(key.address().bytes);
  return document.dump();
}

Result<KeystoreInfo, SealError> inspect_keystore(std::string_view text) {
  const json document = SVC_TRY(document_of(text));
  KeystoreInfo info{.address = std::nullopt, .seal = SealInfo(SVC_TRY(read(document))), .id = {}};
  if (auto id = loose_text(document, "id")) info.id = std::move(*id);
  // Tools that hide the owner omit the address or leave it empty.
  const json* address = loose_find(document, "address");
  if (address && !address->is_null() && *address != "") {
    if (!address->is_string()) return unexpected(SealError::malformed);
    info.address = parse_address_lenient(address->get_ref<const std::string&>());
    if (!info.address) return unexpected(SealError::malformed);
  }
  return info;
}

Result<PrivateKey, SealError> read_keystore(std::string_view text, const Secret& password) {
  const auto info = SVC_TRY(inspect_keystore(text));
  const auto bytes = SVC_TRY(open(text, password));
  auto key = PrivateKey::from_bytes(as_bytes(bytes.reveal()));
  if (!key) return unexpected(SealError::not_a_key);
  if (info.address && *info.address != key->address()) return unexpected(SealError::address_mismatch);
  return std::move(*key);
}

const char* to_string(SealError error) {
  switch (error) {
    case SealError::malformed: return "not a sealed file of version 3";
    case SealError::unsupported:
      return "sealed in a way that is not supported (expected aes-128-ctr with scrypt or pbkdf2)";
    case SealError::kdf_out_of_bounds: return "the key derivation parameters are invalid or cost more than is accepted";
    case SealError::wrong_key: return "wrong password or key, or a damaged file";
    case SealError::password_needed: return "sealed under a password, not a key";
    case SealError::key_needed: return "sealed under a key, not a password";
    case SealError::not_a_key: return "the file opens, but does not hold a private key";
    case SealError::address_mismatch: return "the file holds the key of another address than it says";
  }
  return "";
}

std::string seal(std::span<const std::uint8_t> plain, const Secret& password, const ScryptCost& cost,
                 const SealEntropy& entropy) {
  return sealed(plain, password, cost, entropy).dump();
}

std::string seal(std::span<const std::uint8_t> plain, const SealKey& key, const SealEntropy& entropy) {
  return sealed(plain, derived(key), "none", json::object(), entropy).dump();
}

Result<Secret, SealError> open(std::string_view text, const Secret& password) {
  const auto box = SVC_TRY(read(SVC_TRY(document_of(text))));
  if (box.kdf == "none") return unexpected(SealError::key_needed);
  SealKey key;
  if (box.kdf == "pbkdf2")
    pbkdf2(password, box, key);
  else if (!scrypt(password, box.salt, *box.scrypt, key))
    return unexpected(SealError::kdf_out_of_bounds);  // the machine lacks the memory
  return open(box, key);
}

Result<Secret, SealError> open(std::string_view text, const SealKey& key) {
  const auto box = SVC_TRY(read(SVC_TRY(document_of(text))));
  if (box.kdf != "none") return unexpected(SealError::password_needed);
  return open(box, derived(key));
}

Result<SealInfo, SealError> inspect_seal(std::string_view text) {
  return SealInfo(SVC_TRY(read(SVC_TRY(document_of(text)))));
}

bool is_acceptable(const ScryptCost& cost) {
  constexpr std::uint64_t work_max = limits::scrypt_work_max;
  constexpr std::uint64_t blocks_max = limits::scrypt_memory_bytes_max / 128;
  if (cost.n < 2 || !std::has_single_bit(cost.n) || cost.r == 0 || cost.p == 0) return false;
  // Each one alone first, so that no product below overflows.
  if (cost.n > work_max || cost.r > work_max || cost.p > work_max) return false;
  if (cost.n * cost.r > blocks_max) return false;  // the work bound limits the lanes' r * p as well
  return cost.n * cost.r * cost.p <= work_max;
}

ScryptCost raised(const ScryptCost& cost, const ScryptCost& least) {
  const ScryptCost both{.n = std::max(cost.n, least.n), .r = std::max(cost.r, least.r), .p = std::max(cost.p, least.p)};
  return is_acceptable(both) ? both : least;
}

bool scrypt(const Secret& password, std::span<const std::uint8_t> salt, const ScryptCost& cost,
            std::span<std::uint8_t> key) {
  SVC_ASSERT(is_acceptable(cost));
  // Before its initialisation, libsodium does not use vector instructions.
  static const bool initialised = sodium_init() >= 0;
  SVC_ASSERT(initialised);
  const auto text = as_bytes(password.reveal());
  return crypto_pwhash_scryptsalsa208sha256_ll(text.data(), text.size(), salt.data(), salt.size(), cost.n, cost.r,
                                               cost.p, key.data(), key.size()) == 0;
}

SealEntropy fresh_seal_entropy() {
  SealEntropy entropy;
  fill_random(entropy.salt);
  fill_random(entropy.iv);
  fill_random(entropy.id);
  return entropy;
}

// A pseudo-random function of the wallet's key that is computed nowhere else: signatures are over digests, and this
// is a MAC of a text of our own.
SealKey ring_seal_of(const PrivateKey& key, std::string_view network) {
  return SealKey(HmacKey(key.reveal()).sign("svc ring key, version 1\n" + std::string(network)));
}

}  // namespace svc::signing
