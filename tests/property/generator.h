// Random commands, biased on purpose: each run draws its own weights, some of them zero, so that the runs together
// reach corners that an even mix never would.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/engine/commands.h"
#include "sim/engine/engine.h"

namespace svc::engine {

struct World {
  std::vector<MarketSpec> markets;
  std::vector<Address> people;
};

// What a run is about. The rules that few commands reach are reached by leaning everything towards them.
enum class Corner : std::uint8_t {
  none,
  halts,         // markets stop, resume and are settled while positions in several of them gap
  isolated_adl,  // positions are isolated, and gap beyond what the fund and the book can bear
  decrements,    // accounts meet their own orders, by fill-or-kill and decrementing
  deep_books,    // books of several levels, positions as large as they may be, prices that slide
};
inline constexpr Corner corners[] = {Corner::halts, Corner::isolated_adl, Corner::decrements, Corner::deep_books};

class Generator {
 public:
  explicit Generator(std::uint64_t seed, Corner corner = Corner::none);

  [[nodiscard]] const World& world() const { return world_; }
  // The next command, chosen with a look at the engine it is meant for.
  [[nodiscard]] Command next(const Engine& engine);

 private:
  struct Choice {
    int weight;
    Command (Generator::*make)(const Engine&);
  };

  void build_world();
  void draw_weights();
  void lean_weights();
  Command with_time(decltype(Command::body) body);
  [[nodiscard]] bool chance(std::uint64_t percent) { return prng_.below(100) < percent; }
  [[nodiscard]] const Address& somebody() { return world_.people[prng_.below(world_.people.size())]; }
  [[nodiscard]] MarketIndex some_market();
  [[nodiscard]] Ticks first_mark(std::uint16_t market) const;
  [[nodiscard]] Ticks kept_near(std::uint16_t market, std::int64_t ticks) const;
  [[nodiscard]] std::int64_t mark_of(const Engine& engine, MarketIndex market) const;
  [[nodiscard]] OrderParams some_order(const Engine& engine);
  [[nodiscard]] OrderId some_order_of(const Engine& engine, Address& account);

  Command deposit(const Engine&);
  Command withdraw(const Engine&);
  Command transfer(const Engine&);
  Command insure(const Engine&);
  Command place(const Engine&);
  Command batch(const Engine&);
  Command amend(const Engine&);
  Command cancel(const Engine&);
  Command cancel_all(const Engine&);
  Command leverage(const Engine&);
  Command mode(const Engine&);
  Command margin(const Engine&);
  Command tick(const Engine&);
  Command gap(const Engine&);
  Command price_mode(const Engine&);
  Command sample(const Engine&);
  Command settle_funding(const Engine&);
  Command inject_funding(const Engine&);
  Command pass(const Engine&);
  Command halt(const Engine&);
  Command resume(const Engine&);
  Command settle(const Engine&);
  // Only where the corner asks for them.
  Command ladder(const Engine&);
  Command plunge(const Engine&);
  Command slide(const Engine&);

  const Corner corner_;
  Prng prng_;
  World world_;
  std::vector<Choice> choices_;
  int total_ = 0;
  TimestampMs now_ms_ = 1'700'000'000'000;
  std::size_t step_ = 0;
  std::vector<decltype(Command::body)> next_;  // what belongs to the command before, last first
  std::uint64_t client_ids_ = 0;
  int gap_percent_ = 30;
  int size_max_ = 30;
};

// One line of words for a failing run.
[[nodiscard]] std::string describe(const Command& command);

}  // namespace svc::engine
