// One bot: a house account in one market, with a strategy. It wakes up, looks at the market, sends orders and says
// when to wake it next. Its memory is logged at every wake-up, so that it continues after a restart. (D-393)
#pragma once

#include <memory>
#include <span>

#include "base/archive.h"
#include "sim/actors/scene.h"

namespace svc::sim {

// Wake-ups are rounded up to this, so that those of one instant share a commit.
inline constexpr std::int64_t actor_tick_ms = 100;

struct ActorTerms {
  std::string name;  // of its account and its stream of chance: "BTC-USDX-PERP quoter"
  engine::MarketIndex market;
  Usdx stake;              // initial deposit
  std::int64_t scale_ppm;  // of sizes and rates, by market
  std::size_t number;      // among bots of the same role
};

class Actor {
 public:
  explicit Actor(ActorTerms the_terms, std::uint64_t seed);
  virtual ~Actor() = default;

  const ActorTerms terms;
  const Address account;

  // Acts now; returns the milliseconds until the next wake-up.
  [[nodiscard]] virtual std::int64_t act(const Scene& scene, OrderSender& sender) = 0;
  // Its memory as text, and back. False: the text is of another kind of bot or invalid.
  [[nodiscard]] virtual std::string memories() const = 0;
  [[nodiscard]] virtual bool recall(std::string_view bytes) = 0;

 protected:
  [[nodiscard]] Usdx scaled(std::int64_t usdx) const {
    return {mul_div(usdx * usdx_one, terms.scale_ppm, ppm_one, Rounding::half_up)};
  }

  Chance chance_;
};

// A remembered price, in 1e-6 USDX; 0: none yet. Read from the log, so it is checked.
[[nodiscard]] constexpr bool is_remembered_price(std::int64_t price) {
  constexpr std::int64_t most = 10'000'000'000'000'000;
  return price >= 0 && price <= most;
}

template <class Memory>
class RememberingActor : public Actor {
 public:
  using Actor::Actor;

  [[nodiscard]] std::string memories() const override {
    ArchiveWriter writer;
    writer(chance_, memory_);
    return writer.take();
  }
  [[nodiscard]] bool recall(std::string_view bytes) override {
    Chance chance = chance_;
    Memory memory;
    ArchiveReader reader(bytes);
    reader(chance, memory);
    if (!reader.done() || !memory.is_valid()) return false;
    chance_ = chance;
    memory_ = memory;
    return true;
  }

 protected:
  Memory memory_{};
};

// The roles in every market: deposit and number of bots.
struct Role {
  std::string_view name;
  std::int64_t stake_usdx;
  std::size_t count;
  std::unique_ptr<Actor> (*make)(ActorTerms terms, std::uint64_t seed);
};
template <class Kind>
std::unique_ptr<Actor> make_actor(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Kind>(std::move(terms), seed);
}

// The makers: a tight quoter, a ladder behind it, and a backstop so that the book is never empty. (D-394)
[[nodiscard]] std::span<const Role> makers();
// The takers: a self-exciting flow of small orders, large orders in slices, traders with a view on the price, and
// small traders with high leverage. (D-395)
[[nodiscard]] std::span<const Role> takers();

// Whether it quotes both sides of the book.
[[nodiscard]] bool is_maker(const Actor& actor);

// All bots of one market, makers first.
[[nodiscard]] std::vector<std::unique_ptr<Actor>> cast_of_market(engine::MarketIndex market, std::string_view id,
                                                                 std::uint64_t seed);

}  // namespace svc::sim
