// Holds unlocked keys for a while and signs with them. The keys never leave it.
//
// One JSON object per line, one per answer:
//   {"op":"hold","network","wallet","ttl_ms","uses"} and the key  -> {"left_ms","uses_left"}
//   {"op":"sign","network","wallet","digest"}                     -> {"signature","uses_left"}
//   {"op":"ring","network","wallet"}                              -> {"ring"}; counts as no use
//   {"op":"show","network","wallet"}                              -> {"address"}; counts as no use
//   {"op":"list"}                                                 -> {"held":[{"network","wallet","address",...}]}
//   {"op":"lock"}, with "network" and "wallet" for one            -> {"locked":N}
// or {"error"}. A key goes when its time is over or its last use was made. Time is that of a clock that nobody sets and
// that goes on while the machine sleeps: whoever sets the date back must not make a key last.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/client/signer.h"
#include "cli/terminal/json.h"
#include "signing/key.h"

namespace svc::cli::unlock {

inline constexpr std::int64_t ttl_ms_default = 15 * minute_ms;
inline constexpr std::int64_t ttl_ms_max = day_ms;
inline constexpr std::size_t keys_max = 64;
inline constexpr std::size_t line_bytes_max = 4'096;  // of a question
inline constexpr std::size_t answer_bytes_max = 64 * 1024;

class UnlockAgent {
 public:
  // The key is apart from the line, so that it passes through no text that is not wiped: 64 hex digits, 0x optional.
  [[nodiscard]] std::string answer(std::string_view line, std::string_view key, std::int64_t now_ms);
  // Drops what has expired.
  void pass_time(std::int64_t now_ms);
  [[nodiscard]] bool empty() const { return held_.empty(); }

 private:
  struct Held {
    std::string network;
    std::string wallet;
    signing::PrivateKey key;  // its pages are locked: a list moves nothing
    std::int64_t until_ms = 0;
    std::optional<std::int64_t> uses_left{};

    Held(const Json& question, const signing::PrivateKey& private_key, std::int64_t until);
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
  };

  [[nodiscard]] Json hold(const Json& question, std::string_view key, std::int64_t now_ms);
  [[nodiscard]] Json sign(Held& held, const Json& question);
  [[nodiscard]] Json list(std::int64_t now_ms) const;
  [[nodiscard]] Json lock(const Json& question);
  [[nodiscard]] Held* find(const Json& question);

  std::list<Held> held_;
};

// The unlock agent as commands use it.

[[nodiscard]] bool holds(Context& context, std::string_view network, std::string_view wallet);

// Exit 4 if it does not hold the wallet (any more).
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open(Context& context, std::string_view network,
                                                            const std::string& wallet);

struct Lease {
  std::int64_t ttl_ms = 0;
  std::optional<std::uint64_t> uses{};
};
// The agent, if there is none yet: before the password is asked for, because it is a copy of this process.
[[nodiscard]] Result<void, Failure> start(Context& context);
// Until when, and for how many uses: unlocked_until_ms, uses_left.
[[nodiscard]] Result<Json, Failure> hold(Context& context, std::string_view network, const std::string& wallet,
                                         const signing::PrivateKey& key, const Lease& lease);

// Rows of what is held; nullopt without an agent.
[[nodiscard]] std::optional<Json> list(Context& context);
// How many keys were dropped; all of them without a wallet.
std::int64_t lock(Context& context, std::string_view network, const std::optional<std::string>& wallet);

}  // namespace svc::cli::unlock
