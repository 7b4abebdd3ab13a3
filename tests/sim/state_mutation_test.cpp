// Foreign states with one changed byte and recomputed checksums: each is refused without any effect, or it is a
// usable state. Nothing sent to PUT /_svc/state ends the process, now or later. SVC_STATE_MUTATIONS sets the number
// of mutations. (docs/reliability.md)

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "api/operation_list.h"
#include "base/archive.h"
#include "base/random.h"
#include "sim/control/controlled_venue.h"
#include "sim/engine/state.h"
#include "sim/sandbox_exchange.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/services/service_commands.h"
#include "sim/streams/stream_topic.h"
#include "surroundings.h"

namespace svc::sim {
namespace SVC_FILE {

// The parts of one network's image.
struct Pieces {
  struct EngineImage {
    std::string magic{};
    std::uint32_t version = 0;
    std::uint64_t listing = 0;
    std::uint64_t checksum = 0;
    std::string body{};
  };
  EngineImage engine{};
  TimestampMs next_sample_ms = 0;
  TimestampMs next_settle_ms = 0;
  std::string services{};
  std::map<std::string, std::string> memories{};
  std::optional<ClockAnchor> clock{};
  TimestampMs last_ms = 0;
  std::string view{};
  std::string numbers{};  // of the streams

  static Pieces of(const std::string& image) {
    Pieces pieces;
    std::string held;
    std::string engine;
    ArchiveReader whole(image);
    StreamNumbers numbers;
    whole(held, pieces.view, numbers);
    pieces.numbers = to_archive(numbers);
    ArchiveReader parts(held);
    parts(engine, pieces.next_sample_ms, pieces.next_settle_ms, pieces.services, pieces.memories, pieces.clock,
          pieces.last_ms);
    const auto head = from_archive<EngineImage>(engine);
    EXPECT_TRUE(whole.done() && parts.done() && head);
    if (head) pieces.engine = *head;
    return pieces;
  }

  [[nodiscard]] std::string image() const {
    EngineImage sealed = engine;
    sealed.checksum = engine::digest_of(sealed.body);
    ArchiveWriter held;
    held(to_archive(sealed), next_sample_ms, next_settle_ms, services, memories, clock, last_ms);
    ArchiveWriter whole;
    whole(held.bytes(), view);
    return whole.take() + numbers;
  }
};

// Something in every store that the story does not touch.
void use_services(Pieces& pieces, const Address& account, const Address& other) {
  Services services{ServiceTerms{}};
  auto state = services.state_of(pieces.services, pieces.last_ms);
  ASSERT_TRUE(state);
  services.become(std::move(*state));
  engine::Engine engine{engine::EngineConfig{}};
  engine::EventLog events;
  const std::function<engine::Outcome(CommandBody)> to_engine = [&](CommandBody body) {
    return engine.apply({.now_ms = pieces.last_ms, .body = std::move(body)}, events);
  };
  const Services::Turn turn{.now_ms = pieces.last_ms, .engine = engine, .command = to_engine};
  const Usdx amount{5 * usdx_one};
  const signing::Hash32 drawn{7};
  const ServiceCommand commands[] = {
      OpenSession{.account = account},
      CreateKey{.account = account, .label = "bot"},
      RegisterAgent{
          .agent = Address{{9}}, .account = account, .label = "bot", .expires_at_ms = pieces.last_ms + day_ms},
      MintStreamToken{.grant = {.account = account}, .drawn = drawn},
      AssignTier{.account = account, .tier = api::Tier::market_maker},
      SetCancelOnDisconnect{.account = account, .enabled = true},
      NotePresence{.account = other, .connected = true},
      PayIn{.account = account, .amount = Usdx{100 * usdx_one}},
      ClaimFaucet{account},
      ClaimCredit{account},
      WithdrawToWallet{.account = account, .amount = amount},
      WithdrawOverBridge{.account = account, .amount = amount, .idempotency_key = "key-1"},
      EnrollForTransfers{account},
      OpenDepositAddress{account},
      IssueWalletChallenge{.account = account, .wallet = other},
      TurnSwitches{{{Switchable::credits, true}}},
      FreezeAccount{other},
      PayDepositAddress{.account = account, .amount = amount, .asset = "USDC"},
  };
  for (const ServiceCommand& command : commands) EXPECT_TRUE(services.apply(command, turn)) << command.index();
  EXPECT_TRUE(services.spend({{NonceSequence::requests, account, 7}, {NonceSequence::owners, account, 7}}));
  EXPECT_EQ(services.look()->find({MovementKind::bridge_withdrawal, 1})->account, account);
  pieces.services = services.image();
}

class MutatedState : public ::testing::Test {
 protected:
  MutatedState() {
    alice.limit("Buy", "0.5", "59990");
    bob.limit("Sell", "0.2", "59990");
    bob.limit("Sell", "0.3", "60100");
    alice.limit("Buy", "2", "2990", "ETH-USDX-PERP");
    alice.post("/orders", {{"market_id", "BTC-USDX-PERP"},
                           {"side", "Sell"},
                           {"order_type", "StopMarket"},
                           {"quantity", "0.1"},
                           {"trigger_price", "58000"},
                           {"client_id", "stop-1"},
                           {"reduce_only", true}});
    exchange.control("/time", {{"advance_ms", hour_ms}});
    exchange.control("/prices", {{"ETH-USDX-PERP", "3050"}});
    exchange.control("/flow", {{"bots", true}});
    exchange.control("/time", {{"advance_ms", 5'000}});
    VenueImage image = read();
    original = Pieces::of(image.networks.at("local"));
    use_services(original, exchange.sandbox.accounts()[0].address, exchange.sandbox.accounts()[1].address);
    const Reply whole = put(original);
    EXPECT_EQ(whole.status, 200) << whole.body;
    image = read();
    at_ms = image.at_ms;
    original = Pieces::of(image.networks.at("local"));
  }

  VenueImage read() {
    const auto image = parse_document(exchange.get("/_svc/state").body.dump());
    EXPECT_TRUE(image);
    return image ? *image : VenueImage{};
  }

  Reply put(const Pieces& pieces) {
    VenueImage image{.at_ms = at_ms == 0 ? pieces.last_ms : at_ms};
    image.networks.emplace("local", pieces.image());
    return exchange.send("PUT", "/_svc/state", to_document(image));
  }

  // Uses the state: reads everything, trades, lets time pass.
  void live() {
    for (const api::OperationEntry& entry : api::all_operations()) {
      const api::Operation& operation = *entry.operation;
      std::string target(operation.path);
      if (operation.method != api::Method::get || operation.group == "streams") continue;
      for (const auto& [name, value] : {std::pair<std::string, std::string>{"{market_id}", "BTC-USDX-PERP"},
                                        std::pair<std::string, std::string>{"{address}", alice.account()}})
        if (const auto at = target.find(name); at != std::string::npos) target.replace(at, name.size(), value);
      if (target.find('{') != std::string::npos) continue;
      for (const Trader* trader : {&alice, &bob}) (void)trader->get(target);
    }
    for (const char* path : {"/_svc/invariants", "/_svc/status", "/_svc/flow", "/_svc/state"}) (void)exchange.get(path);
    alice.post("/orders", limit_order("Buy", "0.1", "60200"));
    bob.post("/orders", limit_order("Sell", "0.1", "59900"));
    alice.post("/transfers/enroll");
    for (const char* id : {"wdl_0000000000000001", "dep_0000000000000001", "wd_0000000000000001"})
      exchange.control(std::string("/bridge/") + id + "/fail", Json::object());
    exchange.control("/time", {{"advance_ms", 2'000}});
    exchange.control("/flow", {{"bots", false}});
    exchange.control("/prices", {{"BTC-USDX-PERP", "57000"}});
    exchange.control("/time", {{"advance_ms", hour_ms}});
    exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "enough"}});
    exchange.control("/markets/BTC-USDX-PERP/settle", {{"price", "57000"}});
  }

  // True if it was accepted.
  bool try_out(const Pieces& mutated) {
    const std::string before = exchange.get("/_svc/status").body["state_hash"];
    const Reply answer = put(mutated);
    if (answer.status != 200) {
      EXPECT_TRUE(answer.status == 400 || answer.status == 422) << answer.status << answer.body;
      EXPECT_EQ(exchange.get("/_svc/status").body["state_hash"], before);
      return false;
    }
    EXPECT_EQ(exchange.violations(), Json::array());
    live();
    const Reply back = put(original);
    EXPECT_EQ(back.status, 200) << back.body;
    return true;
  }

  // Changes the byte at that place.
  void change(std::string& bytes, std::size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + chance.below(255)));
  }

  // Tries out that many states: mutate(a copy of the original, the number of the try, of how many).
  template <class Mutate>
  void try_mutated(std::size_t usually, Mutate mutate) {
    const std::size_t tries = test::setting("SVC_STATE_MUTATIONS", usually);
    for (std::size_t i = 0; i < tries; ++i) {
      Pieces mutated = original;
      mutate(mutated, i, tries);
      taken += try_out(mutated);
    }
    RecordProperty("taken", static_cast<int>(taken));
  }
  // A byte of that piece is changed each time, the next one if there are enough tries for all.
  template <class PieceOf>
  void try_changed_bytes(std::size_t usually, PieceOf piece_of) {
    try_mutated(usually, [&](Pieces& mutated, std::size_t i, std::size_t tries) {
      std::string& bytes = piece_of(mutated);
      change(bytes, tries < bytes.size() ? chance.below(bytes.size()) : i % bytes.size());
    });
  }

  static SandboxOptions options() {
    SandboxOptions options = test_options();
    options.faucet = true;
    return options;
  }

  TestExchange exchange{options()};
  Trader alice{exchange, 0};
  Trader bob{exchange, 1};
  TimestampMs at_ms = 0;
  Pieces original;
  Prng chance{1, "mutations"};
  std::size_t taken = 0;
};

TEST_F(MutatedState, OfTheEngineIsRefusedOrUsable) {
  try_changed_bytes(
      60, [](Pieces & pieces) -> auto& { return pieces.engine.body; });
}

TEST_F(MutatedState, OfTheServicesIsRefusedOrUsable) {
  try_changed_bytes(
      120, [](Pieces & pieces) -> auto& { return pieces.services; });
}

TEST_F(MutatedState, OfTheMemoriesIsRefusedOrUsable) {
  EXPECT_GE(original.memories.size(), 3u);
  try_mutated(40, [&](Pieces& mutated, std::size_t, std::size_t) {
    auto memory = mutated.memories.extract(
        std::next(mutated.memories.begin(), static_cast<std::ptrdiff_t>(chance.below(mutated.memories.size()))));
    const bool in_key = chance.below(4) == 0;
    std::string& bytes = in_key ? memory.key() : memory.mapped();
    if (!bytes.empty()) change(bytes, chance.below(bytes.size()));
    mutated.memories.insert(std::move(memory));
  });
}

TEST_F(MutatedState, OfTheViewsIsRefusedOrUsable) {
  try_changed_bytes(
      60, [](Pieces & pieces) -> auto& { return pieces.view; });
}

TEST_F(MutatedState, OfTheStreamNumbersIsRefusedOrUsable) {
  try_changed_bytes(
      40, [](Pieces & pieces) -> auto& { return pieces.numbers; });
}

TEST_F(MutatedState, OfTheTimesIsRefusedOrUsable) {
  const std::int64_t others[] = {-1, 0, 1, 59'999, std::int64_t{1} << 40, std::int64_t{1} << 62, INT64_MAX, INT64_MIN};
  for (const std::int64_t other : others) {
    for (TimestampMs Pieces::*time : {&Pieces::next_sample_ms, &Pieces::next_settle_ms, &Pieces::last_ms}) {
      Pieces mutated = original;
      mutated.*time = other;
      EXPECT_FALSE(try_out(mutated)) << other;
    }
    VenueImage image{.at_ms = other};
    image.networks.emplace("local", original.image());
    (void)exchange.send("PUT", "/_svc/state", to_document(image));
    EXPECT_EQ(put(original).status, 200);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
