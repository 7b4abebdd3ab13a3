// What a restart costs: replaying commands from their bytes against giving and logging them the first time, and an
// image of the whole engine against the commands that led to it.
//
//   replay_bench [OPERATIONS] [PROFILE]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/archive.h"
#include "bench/op_stream.h"
#include "sim/engine/engine.h"

namespace svc::bench {
namespace {

using Clock = std::chrono::steady_clock;
using engine::Command;
using engine::Engine;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

engine::EngineConfig config() {
  engine::MarketSpec spec = engine::standard_markets().front();
  spec.min_notional = {};
  spec.open_interest_cap = {};
  spec.oracle_stale_after_ms = 0;
  spec.price_band = {1, 2};
  return {.markets = {spec}};
}

Address account_of(std::uint32_t id) {
  Address address;
  address.bytes[0] = static_cast<std::uint8_t>(1 + ((id * 0x9E3779B1u) >> 26));
  return address;
}

std::vector<Command> commands_of(const OpStream& stream) {
  std::vector<Command> commands;
  for (std::uint32_t i = 1; i <= 64; ++i) {
    Address address;
    address.bytes[0] = static_cast<std::uint8_t>(i);
    commands.push_back({1, engine::Deposit{address, {100'000'000'000'000}}});
  }
  commands.push_back({1, engine::OracleTick{{{{0}, {33'504}, std::nullopt}}}});
  for (const Op& op : stream.ops) {
    if (op.type == OpType::cancel) {
      engine::CancelOrder cancel{};
      cancel.account = account_of(op.id);
      cancel.order = {op.id};
      commands.push_back({1, cancel});
      continue;
    }
    engine::PlaceOrder place{};
    place.account = account_of(op.id);
    place.params.side = op.side == 0 ? engine::Side::buy : engine::Side::sell;
    place.params.time_in_force = op.type == OpType::ioc ? engine::TimeInForce::ioc : engine::TimeInForce::gtc;
    place.params.quantity = {{op.lots}, engine::Grid::on};
    place.params.price = {{op.ticks}, engine::Grid::on};
    commands.push_back({1, place});
  }
  return commands;
}

int run(std::size_t operations, const Profile& profile) {
  const std::vector<Command> commands = commands_of(generate(profile, 42, operations));
  std::vector<std::string> log;
  log.reserve(commands.size());
  double live = 0;
  double replay = 0;
  // The best of three: other work on the machine can only slow a run down.
  for (int round = 0; round < 3; ++round) {
    std::uint64_t events = 0;
    engine::EventLog told;
    Engine engine(config());
    log.clear();
    auto start = Clock::now();
    for (const Command& command : commands) {
      log.push_back(to_archive(command));
      engine.apply(command, told);
      events += told.events().size();
      told.clear();
    }
    const double live_ms = milliseconds_since(start);

    std::uint64_t events_again = 0;
    Engine again(config());
    start = Clock::now();
    for (const std::string& bytes : log) {
      again.apply(*from_archive<Command>(bytes), told);
      events_again += told.events().size();
      told.clear();
    }
    const double replay_ms = milliseconds_since(start);
    if (again.state_hash() != engine.state_hash() || events_again != events) {
      std::fprintf(stderr, "replay_bench: the replay ended in another state\n");
      return 1;
    }
    live = round == 0 ? live_ms : std::min(live, live_ms);
    replay = round == 0 ? replay_ms : std::min(replay, replay_ms);

    if (round < 2) continue;
    start = Clock::now();
    const std::string image = engine.image();
    const double image_ms = milliseconds_since(start);
    Engine restored(config());
    start = Clock::now();
    const bool done = restored.restore(image).has_value();
    const double restore_ms = milliseconds_since(start);
    if (!done || restored.state_hash() != engine.state_hash()) {
      std::fprintf(stderr, "replay_bench: the restored engine has another state\n");
      return 1;
    }
    const double command_ms = live / static_cast<double>(commands.size());
    std::printf("%s, %zu commands\n", std::string(profile.name).c_str(), commands.size());
    std::printf("  replay / whole command path   %.2f\n", live / replay);
    std::printf("  image of %llu orders: %zu bytes, takes as long as %.0f commands; restoring it %.0f\n",
                static_cast<unsigned long long>(engine.venue().open_orders), image.size(), image_ms / command_ms,
                restore_ms / command_ms);
    std::printf("  (%.1f ms and %.1f ms here)\n", image_ms, restore_ms);
  }
  return 0;
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  const std::size_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const char* name = argc > 2 ? argv[2] : "deep";
  const svc::bench::Profile* profile = svc::bench::find_profile(name);
  if (profile == nullptr || operations == 0) {
    std::fprintf(stderr, "usage: replay_bench [OPERATIONS] [PROFILE]\n");
    return 2;
  }
  return svc::bench::run(operations, *profile);
}
