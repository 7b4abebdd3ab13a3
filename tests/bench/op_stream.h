// A deterministic stream of limit, cancel and IOC operations on one market, and what a price-time book
// must make of it. The same seed gives the same bytes everywhere: the randomness is integers only.
//
// The layout (64-byte header "OPSTRM01", 16-byte records) is shared with other drivers of order books,
// so streams and results can be exchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::bench {

enum class OpType : std::uint8_t { limit = 0, cancel = 1, ioc = 2 };

struct Op {
  std::uint32_t id = 0;    // limit and IOC: the next id, from 1; cancel: a live id
  std::uint32_t lots = 0;  // 0 for cancel
  std::int32_t ticks = 0;  // 0 for cancel; the limit of an IOC
  OpType type = OpType::limit;
  std::uint8_t side = 0;  // 0 buy, 1 sell
  std::uint16_t reserved = 0;
};
static_assert(sizeof(Op) == 16);

// What the stream must come to.
struct Expectation {
  std::uint64_t fills = 0;
  std::uint64_t lots = 0;
  std::uint64_t hash = 0;  // fold_fill over the fills in order
  std::uint64_t resting = 0;
  bool operator==(const Expectation&) const = default;
};

struct OpStream {
  std::uint64_t seed = 0;
  Expectation expected;
  std::vector<Op> ops;
};

// How far from the touch orders rest and how many stay.
struct Profile {
  std::string_view name;
  std::uint32_t limit_per_mille;
  std::uint32_t cancel_per_mille;  // the rest is IOC
  std::uint32_t mid_step_ops;      // the mid moves a tick every so many operations, on average
  std::size_t resting_floor;       // while fewer rest, a cancel becomes a limit
  bool cancels_young;              // 95 % of cancels hit one of the 256 youngest
  std::uint32_t nearness;          // of 256: chance to stop at each tick away from the mid
};

inline constexpr Profile profiles[] = {
    {"deep", 600, 300, 1024, 0, false, 26},
    {"steady", 500, 400, 256, 4000, false, 26},
    {"touch", 450, 450, 64, 500, true, 64},
};

[[nodiscard]] const Profile* find_profile(std::string_view name);
[[nodiscard]] OpStream generate(const Profile& profile, std::uint64_t seed, std::size_t count);

// Order-dependent: equal fills in equal order, and nothing else, give equal values.
[[nodiscard]] constexpr std::uint64_t fold_fill(std::uint64_t hash, std::uint64_t maker, std::uint64_t taker,
                                                std::uint64_t ticks, std::uint64_t lots) {
  hash ^= maker * 0x9e3779b97f4a7c15u + taker;
  hash *= 0xd6e8feb86659fd93u;
  return hash ^ (ticks << 32) ^ lots ^ (hash >> 29);
}

// nullopt if the file cannot be read or is not of this layout.
[[nodiscard]] std::optional<OpStream> load(const std::string& path);
[[nodiscard]] bool save(const OpStream& stream, const std::string& path);

}  // namespace svc::bench
