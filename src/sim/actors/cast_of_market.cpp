#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "sim/actors/actor.h"
#include "sim/actors/makers.h"
#include "sim/actors/retail.h"
#include "sim/actors/speculators.h"
#include "sim/actors/takers.h"
#include "sim/views/house_accounts.h"

namespace svc::sim {
namespace {

// Who is in every market, with what stake, and how many of them.
struct Role {
  std::string_view name;
  std::int64_t stake_usdx;
  std::size_t count;
  std::unique_ptr<Actor> (*make)(ActorTerms terms, std::uint64_t seed);
};
constexpr std::array roles{
    Role{"quoter", 20'000'000, 1, make_quoter},     Role{"ladder", 20'000'000, 1, make_ladder},
    Role{"backstop", 20'000'000, 1, make_backstop}, Role{"flow", 20'000'000, 1, make_flow_taker},
    Role{"slicer", 10'000'000, 1, make_slicer},     Role{"momentum", 2'000'000, 1, make_momentum},
    Role{"value", 4'000'000, 2, make_value},        Role{"arbitrageur", 5'000'000, 1, make_arbitrageur},
    Role{"noise", 1'000'000, 1, make_noise},        Role{"retail", 2'000, 8, make_retail},
};

constexpr std::size_t makers = 3;  // of them

// Less happens in the markets that are listed later.
constexpr std::array<std::int64_t, 3> scales_ppm{1'000'000, 700'000, 450'000};

}  // namespace

Actor::Actor(ActorTerms the_terms, std::uint64_t seed)
    : terms(std::move(the_terms)), account(house_account(terms.name)), chance_(seed, terms.name) {}

bool is_maker(const Actor& actor) {
  const std::string_view name = actor.terms.name;
  return std::ranges::any_of(std::span(roles).first(makers),
                             [&](const Role& role) { return name.ends_with(role.name); });
}

std::vector<std::unique_ptr<Actor>> cast_of_market(engine::MarketIndex market, std::string_view id,
                                                   std::uint64_t seed) {
  std::vector<std::unique_ptr<Actor>> cast;
  for (const Role& role : roles) {
    for (std::size_t number = 0; number < role.count; ++number) {
      std::string name = std::string(id) + " " + std::string(role.name);
      if (role.count > 1) name += " " + std::to_string(number + 1);
      cast.push_back(role.make({.name = std::move(name),
                                .market = market,
                                .stake = {role.stake_usdx * usdx_one},
                                .scale_ppm = scales_ppm[std::min<std::size_t>(market.value, scales_ppm.size() - 1)],
                                .number = number},
                               seed));
    }
  }
  return cast;
}

}  // namespace svc::sim
