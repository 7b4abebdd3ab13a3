// Identifiers inside the engine. Ids are counters without gaps; indexes are dense.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"

namespace svc::engine {

// A counter that starts at 1; 0 means "none". Two kinds do not mix.
template <class Tag>
struct Counter {
  std::uint64_t value = 0;

  constexpr auto operator<=>(const Counter&) const = default;
  [[nodiscard]] constexpr bool exists() const { return value != 0; }
};

using OrderId = Counter<struct OrderIdTag>;
using TradeId = Counter<struct TradeIdTag>;
using FillId = Counter<struct FillIdTag>;      // two per trade, the taker's first
using Sequence = Counter<struct SequenceTag>;  // one per command applied

// Position of a market in EngineConfig::markets.
struct MarketIndex {
  std::uint16_t value = 0;
  constexpr auto operator<=>(const MarketIndex&) const = default;
};

// Accounts are numbered in the order of their first appearance. Outside, an account is its Address; ties between
// accounts are broken by Address, never by this number.
struct AccountIndex {
  std::uint32_t value = 0;
  constexpr auto operator<=>(const AccountIndex&) const = default;
};

// The client's own id for an order, at most limits::client_id_chars_max bytes; empty = none.
class ClientId {
 public:
  constexpr ClientId() = default;
  // nullopt if the text is too long.
  [[nodiscard]] static constexpr std::optional<ClientId> from(std::string_view text) {
    if (text.size() > limits::client_id_chars_max) return std::nullopt;
    ClientId id;
    id.size_ = static_cast<std::uint8_t>(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) id.text_[i] = text[i];
    return id;
  }
  [[nodiscard]] constexpr std::string_view text() const { return {text_.data(), size_}; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  constexpr bool operator==(const ClientId& other) const { return text() == other.text(); }

  template <class Archive>
  void archive(Archive& archive) {
    std::string kept(text());
    archive(kept);
    if constexpr (Archive::reading) {
      const auto id = from(kept);
      if (!id) return archive.fail();
      *this = *id;
    }
  }

 private:
  std::array<char, limits::client_id_chars_max> text_{};
  std::uint8_t size_ = 0;
};

}  // namespace svc::engine
