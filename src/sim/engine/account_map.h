// From addresses to account indexes: open addressing with linear probing. Accounts are never removed.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/address.h"
#include "sim/engine/ids.h"

namespace svc::engine {

class AccountMap {
 public:
  // What find gives for an address that is not there.
  static constexpr AccountIndex unknown{UINT32_MAX};

  [[nodiscard]] AccountIndex find(const Address& address) const {
    for (std::size_t at = home(address);; at = (at + 1) & mask_) {
      const Entry& entry = entries_[at];
      if (entry.account == unknown || same(entry.address, address)) return entry.account;
    }
  }

  // The address must be new.
  void insert(const Address& address, AccountIndex account) {
    if (2 * ++count_ > entries_.size()) grow();
    put({address, account});
  }

 private:
  struct Entry {
    Address address{};
    AccountIndex account = unknown;
  };

  static bool same(const Address& a, const Address& b) {
    return std::memcmp(a.bytes.data(), b.bytes.data(), 16) == 0 &&
           std::memcmp(a.bytes.data() + 16, b.bytes.data() + 16, 4) == 0;
  }
  // Addresses may be chosen by anybody, so all of their bytes are mixed.
  [[nodiscard]] std::size_t home(const Address& address) const {
    std::uint64_t words[2];
    std::uint32_t tail;
    std::memcpy(words, address.bytes.data(), sizeof words);
    std::memcpy(&tail, address.bytes.data() + sizeof words, sizeof tail);
    std::uint64_t hash = (words[0] ^ tail) * 0x9E3779B97F4A7C15;
    hash = ((hash ^ (hash >> 29)) + words[1]) * 0xBF58476D1CE4E5B9;
    return static_cast<std::size_t>(hash ^ (hash >> 32)) & mask_;
  }
  void put(const Entry& entry) {
    std::size_t at = home(entry.address);
    while (entries_[at].account != unknown) at = (at + 1) & mask_;
    entries_[at] = entry;
  }
  void grow() {
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(old.size() * 2, {});
    mask_ = entries_.size() - 1;
    for (const Entry& entry : old) {
      if (entry.account != unknown) put(entry);
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(256);
  std::size_t mask_ = 255;
  std::size_t count_ = 0;
};

}  // namespace svc::engine
