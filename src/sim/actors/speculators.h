// Those with an opinion: trend followers, value traders, the arbitrageur who earns the funding, and the noise of small
// orders that come and go. (D-395)
#pragma once

#include <memory>

#include "sim/actors/actor.h"

namespace svc::sim {

// Crossing of two averages of the mark, looked at every 37 seconds.
[[nodiscard]] std::unique_ptr<Actor> make_momentum(ActorTerms terms, std::uint64_t seed);
// Buys what is cheap against a slow average of its own, noisy making.
[[nodiscard]] std::unique_ptr<Actor> make_value(ActorTerms terms, std::uint64_t seed);
// Leans against a premium of more than 5 basis points.
[[nodiscard]] std::unique_ptr<Actor> make_arbitrageur(ActorTerms terms, std::uint64_t seed);
// Small orders a little away from the price; most are cancelled.
[[nodiscard]] std::unique_ptr<Actor> make_noise(ActorTerms terms, std::uint64_t seed);

}  // namespace svc::sim
