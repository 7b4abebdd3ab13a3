#include "sim/actors/gap_cast.h"

#include <algorithm>
#include <string>

#include "sim/actors/scene.h"
#include "sim/views/house_accounts.h"

namespace svc::sim {
namespace {

using engine::Side;

constexpr std::int64_t first_position_usdx = 60'000'000;
constexpr std::int64_t second_position_usdx = 90'000'000;
constexpr std::int64_t long_stake_usdx = 2'000'000;
constexpr std::int64_t middle_stake_usdx = 7'000'000;
constexpr std::int64_t short_stake_usdx = 40'000'000;

// In as many orders as the market's largest one asks for.
template <class Send>
void in_pieces(const Scene& scene, std::int64_t usdx, Ticks price, Send send) {
  const i128 lot = scene.value_of(Lots{1}, price).value;
  Lots left{narrow(static_cast<i128>(usdx) * usdx_one / lot)};
  while (left > Lots{}) {
    const Lots piece = std::min(left, scene.spec.max_order_size);
    send(piece);
    left -= piece;
  }
}

}  // namespace

std::vector<Unit> gap_step(std::size_t step, std::uint64_t run, const engine::Engine& engine, TimestampMs now_ms) {
  const auto named = [&](const char* who) {
    return house_account("two-market-gap " + std::to_string(run) + " " + who);
  };
  const Address buyer = named("long");
  const Address middle = named("middle");
  const Address seller = named("short");
  const Mood mood;
  const Scene first(engine, {0}, now_ms, mood);
  const Scene second(engine, {1}, now_ms, mood);
  std::vector<Unit> units;
  const auto trade = [&](const Scene& scene, const Address& account, Side side, std::int64_t usdx, bool rests) {
    Desk desk(scene, account, units);
    const Ticks price = *scene.figures.index;
    in_pieces(scene, usdx, price,
              [&](Lots lots) { rests ? desk.rest(side, price, lots) : desk.take(side, price, lots); });
  };
  switch (step) {
    case 0:
      Desk(first, buyer, units).deposit({long_stake_usdx * usdx_one});
      Desk(first, middle, units).deposit({middle_stake_usdx * usdx_one});
      Desk(second, seller, units).deposit({short_stake_usdx * usdx_one});
      break;
    case 1:
      trade(first, middle, Side::sell, first_position_usdx, true);
      trade(second, seller, Side::sell, second_position_usdx, true);
      break;
    default:
      // What the index did in a second is inside the spread that they allow each other.
      for (const auto& [scene, account, usdx] :
           {std::tuple{&first, buyer, first_position_usdx}, std::tuple{&second, middle, second_position_usdx}}) {
        Desk desk(*scene, account, units);
        const Ticks price = scene->ticks_of(moved(scene->index(), 100 * bp_ppb), Side::buy);
        in_pieces(*scene, usdx, *scene->figures.index, [&](Lots lots) { desk.take(Side::buy, price, lots); });
      }
      for (const Address& account : {middle, seller}) Desk(first, account, units).cancel_all();
      Desk(second, seller, units).cancel_all();
      break;
  }
  return units;
}

}  // namespace svc::sim
