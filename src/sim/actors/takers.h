// Those who take from the book: a flow of small orders that excites itself, and large orders in slices. (D-395)
#pragma once

#include <memory>

#include "sim/actors/actor.h"

namespace svc::sim {

// A Hawkes process per side: 0.25 orders a second of its own accord, each order calls up 0.6 more of its side within
// a second or two. Sizes are log-normal around 500 USDX, one in fifty is a whale.
[[nodiscard]] std::unique_ptr<Actor> make_flow_taker(ActorTerms terms, std::uint64_t seed);
// Now and then one large order, sliced over one to ten minutes.
[[nodiscard]] std::unique_ptr<Actor> make_slicer(ActorTerms terms, std::uint64_t seed);

// Small traders with much leverage: they open, sometimes with a stop, hold on, and close, unless they are liquidated
// first. Who has lost everything leaves, and after a while somebody else comes with a stake of his own. (D-395)

[[nodiscard]] std::unique_ptr<Actor> make_retail(ActorTerms terms, std::uint64_t seed);

// Those with an opinion: trend followers, value traders, the arbitrageur who earns the funding, and the noise of small
// orders that come and go. (D-395)

// Crossing of two averages of the mark, looked at every 37 seconds.
[[nodiscard]] std::unique_ptr<Actor> make_momentum(ActorTerms terms, std::uint64_t seed);
// Buys what is cheap against a slow average of its own, noisy making.
[[nodiscard]] std::unique_ptr<Actor> make_value(ActorTerms terms, std::uint64_t seed);
// Leans against a premium of more than 5 basis points.
[[nodiscard]] std::unique_ptr<Actor> make_arbitrageur(ActorTerms terms, std::uint64_t seed);
// Small orders a little away from the price; most are cancelled.
[[nodiscard]] std::unique_ptr<Actor> make_noise(ActorTerms terms, std::uint64_t seed);

}  // namespace svc::sim
