// Holds unlocked keys for a limited time and signs with them. The keys never leave it.
//
// One JSON object per line, and one per answer:
//   {"op":"hold","network","wallet","ttl_ms","uses"} and the key  -> {"left_ms","uses_left"}
//   {"op":"sign","network","wallet","digest"}                     -> {"signature","uses_left"}
//   {"op":"ring","network","wallet"}                              -> {"ring"}; counts as no use
//   {"op":"show","network","wallet"}                              -> {"address"}; counts as no use
//   {"op":"list"}                                                 -> {"held":[{"network","wallet","address",...}]}
//   {"op":"lock"}, with "network" and "wallet" for one            -> {"locked":N}
// or {"error"}. A key is dropped when its time is over or its last use was made. The time is that of a clock that
// nobody can set and that runs while the machine sleeps: setting back the date must not extend a key's life.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"
#include "cli/terminal/json.h"
#include "signing/key.h"

namespace svc::cli::unlock {

inline constexpr std::int64_t ttl_ms_default = 15 * minute_ms;
inline constexpr std::int64_t ttl_ms_max = day_ms;
inline constexpr std::size_t keys_max = 64;
inline constexpr std::size_t line_bytes_max = 4'096;  // of a request
inline constexpr std::size_t key_bytes_max = 80;
inline constexpr std::size_t answer_bytes_max = 64 * 1024;

class UnlockAgent {
 public:
  // The key, 64 hex digits after an optional 0x, is never part of the line, which is not wiped.
  [[nodiscard]] std::string answer(std::string_view line, std::string_view key, std::int64_t now_ms);
  // Drops expired keys.
  void pass_time(std::int64_t now_ms);
  [[nodiscard]] bool empty() const { return held_.empty(); }

 private:
  struct Held {
    std::string network;
    std::string wallet;
    signing::PrivateKey key;  // its pages are locked in memory, so a list, which never moves its elements
    std::int64_t until_ms = 0;
    std::optional<std::int64_t> uses_left{};

    Held(const Json& question, const signing::PrivateKey& private_key, std::int64_t until);
    Held(Held&&) = delete;

    [[nodiscard]] bool is_meant_by(const Json& question) const {
      return question.string_at("network") == network && question.string_at("wallet") == wallet;
    }
  };

  [[nodiscard]] Json hold(const Json& question, std::string_view key, std::int64_t now_ms);
  [[nodiscard]] Json sign(Held& held, const Json& question);
  [[nodiscard]] Json list(std::int64_t now_ms) const;
  [[nodiscard]] Json lock(const Json& question);
  [[nodiscard]] Held* find(const Json& question);

  std::list<Held> held_;
};

// The agent as a process, reached through a socket in the runtime folder that only its owner can use.
//
// A request is two lines: JSON, and a key (empty except for "hold"). The answer is one line. Each side asks the kernel
// who the other one is. The agent holds a lock beside the socket as long as it lives, so that there is only one.

// Sends one request. nullopt if nobody of this user listens there; empty if the agent does not answer.
[[nodiscard]] std::optional<std::string> ask(const std::filesystem::path& socket, const std::string& line,
                                             const Secret& key);

// Starts the agent if none listens, and returns when it does. The agent is excluded from core dumps and ends when it
// holds no more keys. It is a copy of this process: start it before a secret is read. The error is one line.
Result<void, std::string> start(const std::filesystem::path& socket);

// True if the process at the other end belongs to that user.
[[nodiscard]] bool is_of_user(int descriptor, uid_t user);

// Disables core dumps and tracing by other processes of the same user.
void keep_out_of_dumps();

}  // namespace svc::cli::unlock
