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

}  // namespace svc::sim
