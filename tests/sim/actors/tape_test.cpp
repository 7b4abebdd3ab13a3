// Foreign tapes: an impossible tape is refused with the number of the line before anything is played.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "base/encoding.h"
#include "base/random.h"
#include "sim/actors/tape.h"
#include "sim/sandbox_exchange.h"
#include "sim/temporary_folder.h"

namespace svc::sim {
namespace SVC_FILE {

class TapeFromOutside : public ::testing::Test {
 protected:
  // One line: a command, as bytes.
  [[nodiscard]] std::string written(const std::string& command) const {
    nlohmann::ordered_json ids = nlohmann::ordered_json::array();
    for (const engine::MarketSpec& market : engine::standard_markets()) ids.push_back(market.id);
    const nlohmann::ordered_json header{
        {"format", "svc-tape"}, {"version", 2}, {"markets", ids}, {"began_ms", test_start_ms}};
    const auto path = folder.path / "outside.tape";
    std::ofstream(path) << header.dump() << "\n1000\t" << to_base64(command) << "\t1\n";
    return path;
  }
  static CommandBody order() {
    engine::PlaceOrder place;
    place.account.bytes[3] = 7;
    place.params.quantity = {Lots{100}, engine::Grid::on};
    place.params.price = {Ticks{120'000}, engine::Grid::on};
    return place;
  }

  TemporaryFolder folder;
};

TEST_F(TapeFromOutside, WithAnUnknownEnumeratorIsRefusedWithItsLine) {
  ASSERT_TRUE(Tape::load(written(to_archive(order())), engine::standard_markets()));
  CommandBody wrong = order();
  std::get<engine::PlaceOrder>(wrong).params.type = static_cast<engine::OrderType>(99);
  CommandBody nobodys = engine::SetPriceMode{.market = {0}, .mode = static_cast<engine::PriceMode>(3)};
  CommandBody unreadable = engine::HaltMarket{.market = {0}, .reason = "\xff"};
  for (const CommandBody& command : {wrong, nobodys, unreadable}) {
    const auto tape = Tape::load(written(to_archive(command)), engine::standard_markets());
    ASSERT_FALSE(tape);
    EXPECT_NE(tape.error().find("line 2"), std::string::npos) << tape.error();
  }
}

TEST_F(TapeFromOutside, WithAWrongHeaderIsRefused) {
  const auto path = folder.path / "outside.tape";
  for (const char* head : {"", "[]", "5", R"({"format":5})", R"({"format":"svc-tape","began_ms":-1})"}) {
    std::ofstream(path) << head << '\n';
    EXPECT_FALSE(Tape::load(path, engine::standard_markets())) << head;
  }
}

// A tape that decodes is played; the engine may refuse its commands.
TEST_F(TapeFromOutside, WithAnyByteChangedIsRefusedOrPlayed) {
  Prng chance(1, "tapes");
  const CommandBody commands[] = {
      order(),
      engine::PlaceBatch{.account = {}, .orders = {std::get<engine::PlaceOrder>(order()).params}},
      engine::Deposit{.account = {}, .amount = Usdx{5}},
      engine::Transfer{.from = {}, .to = {}, .amount = Usdx{5}},
      engine::FundInsurance{.amount = Usdx{5}},
      engine::SetLeverage{.account = {}, .market = {0}, .leverage = 5},
      engine::AdjustMargin{.account = {}, .market = {0}, .amount = Usdx{5}},
      engine::OracleTick{.prices = {{.market = {0}, .index = Ticks{120'000}, .mark = Ticks{120'000}}}},
      engine::InjectFunding{.market = {0}, .rate = Ppb{1'000}, .index = Ticks{120'000}},
      engine::ResumeMarket{.market = {0}, .inject = Usdx{5}},
      engine::SettleMarket{.market = {0}, .price = Ticks{120'000}},
      engine::CancelAll{.account = {}, .market = engine::MarketIndex{0}},
  };
  int played = 0;
  for (const CommandBody& command : commands) {
    const std::string bytes = to_archive(command);
    for (int i = 0; i < 12; ++i) {
      std::string changed = bytes;
      changed[chance.below(changed.size())] = static_cast<char>(chance.below(256));
      SandboxOptions options = test_options();
      options.flow = FlowKind::tape;
      options.tape_file = written(changed);
      if (!Tape::load(options.tape_file, engine::standard_markets())) continue;
      TestExchange exchange(options);
      exchange.control("/time", {{"advance_ms", 2'000}});
      EXPECT_EQ(exchange.violations(), Json::array());
      ++played;
    }
  }
  EXPECT_GT(played, 20);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
