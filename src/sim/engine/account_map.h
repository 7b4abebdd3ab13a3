// From addresses to account indexes: open addressing with linear probing. Accounts are never removed.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/address.h"
#include "sim/engine/ids.h"

namespace svc::engine {

class AccountMap {
 public:
  [[nodiscard]] std::optional<AccountIndex> find(const Address& address) const {
    for (std::size_t at = home(address);; at = (at + 1) & mask_) {
      const Entry& entry = entries_[at];
      if (entry.account == empty) return std::nullopt;
      if (entry.address == address) return AccountIndex{entry.account};
    }
  }

  // The address must be new.
  void insert(const Address& address, AccountIndex account) {
    if (2 * ++count_ > entries_.size()) grow();
    put({address, account.value});
  }

 private:
  static constexpr std::uint32_t empty = UINT32_MAX;
  struct Entry {
    Address address{};
    std::uint32_t account = empty;
  };

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
    while (entries_[at].account != empty) at = (at + 1) & mask_;
    entries_[at] = entry;
  }
  void grow() {
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(old.size() * 2, {});
    mask_ = entries_.size() - 1;
    for (const Entry& entry : old) {
      if (entry.account != empty) put(entry);
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(256);
  std::size_t mask_ = 255;
  std::size_t count_ = 0;
};

}  // namespace svc::engine
