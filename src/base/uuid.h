// UUIDs formed from counters, so that a replayed engine hands out the same ids.
//
// Shape: KKKK0000-HHHH-4000-8000-LLLLLLLLLLLL with K the kind, H the high 16 and L the low 48 bits
// of the counter. Version 4 and variant bits are set, so any UUID parser takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

enum class UuidKind : std::uint16_t { order = 1, trade = 2, fill = 3, transfer = 4, deposit = 5 };

[[nodiscard]] std::string make_uuid(UuidKind kind, std::uint64_t counter);

// The counter of a UUID that make_uuid made for this kind; nullopt for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_uuid(UuidKind kind, std::string_view text);

}  // namespace svc
