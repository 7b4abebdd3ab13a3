// The meaning of a seed: which faults occur and how often, and the clients' commands and their times.
//
// Every step draws from its own stream, so that leaving one out does not change the others: that allows shrinking a
// failing plan.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace svc::vopr {

enum class Fault : std::uint8_t {
  connection_refused,  // no byte is sent
  request_lost,        // never arrives, and the client waits in vain
  request_cut,         // the connection breaks in the middle of it
  request_late,        // it arrives up to most of a minute later
  request_twice,       // a proxy sends it again
  answer_lost,         // half-open: the client waits in vain for a sent answer
  answer_cut,          // the connection breaks in the middle of it
  answer_false,        // a proxy answers instead of the exchange
  client_killed,       // at a file call or while it waits
  client_power,        // its machine loses its power
  client_disk_error,
  client_disk_full,
  client_pause,  // another process of the machine runs in between
  client_clock,  // jumps
  server_killed,
  server_power,
  server_disk_error,
  server_disk_full,
  server_damage,  // at rest, while the server is down
  server_clock,
  count,
};
inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::count);
[[nodiscard]] std::string_view to_string(Fault fault);

struct Step {
  enum class Kind : std::uint8_t {
    // Of a client.
    place,
    place_again,  // other terms with a used client id
    batch,
    cancel,
    cancel_all,
    amend,
    deposit,
    read,
    watch,  // follows the account's fills for a while
    list_outbox,
    resolve,
    // Of the environment.
    client_clock,
    client_power,
    client_disk_full,
    server_clock,
    server_kill,
    server_power,
    server_stop,
    server_disk_full,
    long_history,  // another client of the account places and ends thousands of orders
    count,
  };
  Kind kind = Kind::place;
  std::int64_t at_ms = 0;    // since the beginning, or later when the client is free
  std::size_t client = 0;    // which client
  std::uint64_t chance = 0;  // the seed for its draws
};
[[nodiscard]] std::string_view to_string(Step::Kind kind);
[[nodiscard]] bool is_of_a_client(Step::Kind kind);

inline constexpr std::size_t clients = 3;  // two on one machine with one key, and one elsewhere with another account

struct Plan {
  std::uint64_t seed = 0;
  std::array<std::uint32_t, fault_count> per_mille{};  // probability of each fault per occasion
  std::vector<Step> steps{};
  bool is_busy = false;  // many steps at once; no faults that use up a request budget

  [[nodiscard]] std::uint32_t of(Fault fault) const { return per_mille[static_cast<std::size_t>(fault)]; }
};

[[nodiscard]] Plan draw_plan(std::uint64_t seed);
// Describes what is switched on.
[[nodiscard]] std::string describe(const Plan& plan);

}  // namespace svc::vopr
