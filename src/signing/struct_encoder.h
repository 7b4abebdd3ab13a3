// Hashes an EIP-712 struct member by member, in the order of its type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/address.h"
#include "base/assert.h"
#include "signing/hash.h"
#include "signing/uint256.h"

namespace svc::signing {

// Texts are borrowed until finish(), which hashes them side by side: most of a struct's cost is there.
class StructEncoder {
 public:
  explicit StructEncoder(const Hash32& type_hash) { word(type_hash); }

  // 32 bytes as they are: a nested struct's hash, an array's hash, bytes32.
  StructEncoder& word(const Hash32& bytes) {
    SVC_ASSERT(word_count_ < words_max);
    words_[word_count_++] = bytes;
    return *this;
  }
  StructEncoder& text(std::string_view value) {
    if (value.empty()) return word(hash_of_nothing());  // most members of an order are absent
    texts_[text_count_] = value;
    places_[text_count_++] = word_count_;
    return word({});
  }
  StructEncoder& integer(const Uint256& value) { return word(value.big_endian); }
  StructEncoder& boolean(bool value) { return integer(value ? 1u : 0u); }
  StructEncoder& address(const Address& value) {
    Hash32 padded{};
    std::copy(value.bytes.begin(), value.bytes.end(), padded.begin() + 12);
    return word(padded);
  }

  [[nodiscard]] Hash32 finish() {
    std::array<Hash32, words_max> hashed;
    keccak256_each(std::span(texts_).first(text_count_), std::span(hashed).first(text_count_));
    for (std::size_t i = 0; i < text_count_; ++i) words_[places_[i]] = hashed[i];
    Keccak256 hash;
    for (std::size_t i = 0; i < word_count_; ++i) hash.update(words_[i]);
    return hash.finish();
  }

 private:
  static constexpr std::size_t words_max = 16;  // an order has 14 members

  static const Hash32& hash_of_nothing() {
    static const Hash32 hash = keccak256(std::string_view{});
    return hash;
  }

  std::array<Hash32, words_max> words_;
  std::size_t word_count_ = 0;
  std::array<std::string_view, words_max> texts_;
  std::array<std::size_t, words_max> places_;  // of the texts' hashes among the words
  std::size_t text_count_ = 0;
};

}  // namespace svc::signing
