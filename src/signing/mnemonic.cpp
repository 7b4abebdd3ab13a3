#include "signing/mnemonic.h"

#include <nettle/hmac.h>
#include <nettle/pbkdf2.h>
#include <utility>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/text.h"
#include "signing/hash.h"

namespace svc::signing {
namespace {

constexpr std::size_t bits_per_word = 11;
constexpr std::size_t words_min = 12;
constexpr std::size_t words_max = 24;
constexpr int seed_iterations = 2048;

// The words in lower case with single spaces between them, as hashed into the seed.
Secret normalise(std::string_view phrase) {
  std::string text;
  text.reserve(phrase.size());  // growing would leave copies of the words in memory
  bool pending_space = false;
  for (const char c : phrase) {
    if (is_blank(c)) {
      pending_space = !text.empty();
      continue;
    }
    if (pending_space) text.push_back(' ');
    pending_space = false;
    text.push_back(lower_letter(c));
  }
  return Secret(std::move(text));
}

std::optional<std::size_t> number_of(std::string_view word) {
  const auto at = std::ranges::lower_bound(mnemonic_words, word, {}, &MnemonicWord::text);
  if (at == mnemonic_words.end() || at->text() != word) return std::nullopt;
  return static_cast<std::size_t>(at - mnemonic_words.begin());
}

struct WordNumbers {
  Wiped<std::array<std::size_t, words_max>> of;
  std::size_t count = 0;
};

Result<WordNumbers, MnemonicError> look_up(std::string_view normalised) {
  const auto spaces = static_cast<std::size_t>(std::count(normalised.begin(), normalised.end(), ' '));
  const std::size_t word_count = normalised.empty() ? 0 : spaces + 1;
  if (word_count < words_min || word_count > words_max || word_count % 3 != 0)
    return unexpected(MnemonicError::word_count);
  WordNumbers numbers;
  while (numbers.count < word_count) {
    const auto number = number_of(take_line(normalised, ' '));
    if (!number) return unexpected(MnemonicError::unknown_word);
    numbers.of[numbers.count++] = *number;
  }
  return numbers;
}

bool checksum_matches(const WordNumbers& numbers, const Secret& normalised) {
  Wiped<std::array<std::uint8_t, 33>> bytes;  // the entropy, then up to 8 bits of checksum
  for (std::size_t i = 0; i < numbers.count * bits_per_word; ++i) {
    const std::size_t bit = numbers.of[i / bits_per_word] >> (bits_per_word - 1 - i % bits_per_word) & 1u;
    bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | bit << (7 - i % 8));
  }
  const std::size_t entropy_size = numbers.count / 3 * 4;
  return equal_constant_time(mnemonic_of(std::span(bytes).first(entropy_size)).reveal(), normalised.reveal());
}

// I_L and I_R of the standard: the key's part and the chain code.
struct Halves {
  Wiped<std::array<std::uint8_t, 64>> bytes;

  Halves(std::span<const std::uint8_t> key, std::span<const std::uint8_t> message) {
    Wiped<hmac_sha512_ctx> hash;
    hmac_sha512_set_key(&hash, key.size(), key.data());
    hmac_sha512_update(&hash, message.size(), message.data());
    hmac_sha512_digest(&hash, bytes.size(), bytes.data());
  }

  [[nodiscard]] std::span<const std::uint8_t, 32> left() const { return std::span(bytes).first<32>(); }
  [[nodiscard]] std::span<const std::uint8_t, 32> right() const { return std::span(bytes).last<32>(); }
};

// The data for deriving a child: 0x00 and the key if hardened, else the compressed point; then the index.
Wiped<std::array<std::uint8_t, 37>> child_message(const PrivateKey& key, std::uint32_t number) {
  Wiped<std::array<std::uint8_t, 37>> message;
  if (number >= hardened) {
    std::copy(key.reveal().begin(), key.reveal().end(), message.begin() + 1);
  } else {
    const auto point = key.compressed_public_key();
    std::copy(point.begin(), point.end(), message.begin());
  }
  for (std::size_t i = 0; i < 4; ++i) message[33 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return message;
}

}  // namespace

const char* to_string(MnemonicError error) {
  switch (error) {
    case MnemonicError::word_count: return "a mnemonic has 12, 15, 18, 21 or 24 words";
    case MnemonicError::unknown_word: return "a word is not of the English BIP-39 list";
    case MnemonicError::checksum: return "the checksum of the mnemonic does not match: a word is wrong or out of place";
    case MnemonicError::underivable: return "this mnemonic has no key at that index";
  }
  return "";
}

// The bits of the words are those of the entropy, then one bit of its hash for each four bytes.
Secret mnemonic_of(std::span<const std::uint8_t> entropy) {
  SVC_ASSERT(entropy.size() >= 16 && entropy.size() <= 32 && entropy.size() % 4 == 0);
  const Hash32 hash = sha256(entropy);
  const std::size_t bit_count = entropy.size() * 8 + entropy.size() / 4;
  const auto bit = [&](std::size_t i) {
    const std::uint8_t byte = i < entropy.size() * 8 ? entropy[i / 8] : hash[i / 8 - entropy.size()];
    return byte >> (7 - i % 8) & 1u;
  };
  std::string text;
  text.reserve(bit_count / bits_per_word * (MnemonicWord{}.letters.size() + 1));
  for (std::size_t at = 0; at < bit_count; at += bits_per_word) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < bits_per_word; ++i) number = number * 2 + bit(at + i);
    if (at != 0) text.push_back(' ');
    text += mnemonic_words[number].text();
  }
  return Secret(std::move(text));
}

Result<Secret, MnemonicError> mnemonic_seed(std::string_view phrase, std::string_view passphrase) {
  const Secret normalised = normalise(phrase);
  const auto numbers = SVC_TRY(look_up(normalised.reveal()));
  if (!checksum_matches(numbers, normalised)) return unexpected(MnemonicError::checksum);
  const std::string_view password = normalised.reveal();
  std::string salt = "mnemonic";
  salt += passphrase;
  std::string seed(64, '\0');
  pbkdf2_hmac_sha512(password.size(), as_bytes(password).data(), seed_iterations, salt.size(), as_bytes(salt).data(),
                     seed.size(), reinterpret_cast<std::uint8_t*>(seed.data()));
  wipe(salt.data(), salt.size());
  return Secret(std::move(seed));
}

Result<HdKey, MnemonicError> account_keys(const Secret& seed) {
  auto key = HdKey::from_seed(as_bytes(seed.reveal()));
  for (const std::uint32_t number : {44 | hardened, 60 | hardened, 0 | hardened, 0u})
    if (key) key = key->child(number);
  if (!key) return unexpected(MnemonicError::underivable);
  return std::move(*key);
}

Result<PrivateKey, MnemonicError> derive_account(const Secret& seed, std::uint32_t index) {
  SVC_ASSERT(index < hardened);
  const HdKey keys = SVC_TRY(account_keys(seed));
  const auto account = keys.child(index);
  if (!account) return unexpected(MnemonicError::underivable);
  return account->key();
}

HdKey::HdKey(PrivateKey key, std::span<const std::uint8_t> chain_code) : key_(std::move(key)) {
  std::copy(chain_code.begin(), chain_code.end(), chain_code_.begin());
}

std::optional<HdKey> HdKey::from_seed(std::span<const std::uint8_t> seed) {
  const Halves halves(as_bytes("Bitcoin seed"), seed);
  auto key = PrivateKey::from_bytes(halves.left());
  if (!key) return std::nullopt;
  return HdKey(std::move(*key), halves.right());
}

std::optional<HdKey> HdKey::child(std::uint32_t number) const {
  const Halves halves(chain_code_, child_message(key_, number));
  auto key = key_.tweaked(halves.left());
  if (!key) return std::nullopt;
  return HdKey(std::move(*key), halves.right());
}

}  // namespace svc::signing
