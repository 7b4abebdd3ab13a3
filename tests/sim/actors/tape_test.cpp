// Foreign tapes: an impossible tape is refused with the number of the line before anything is played.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "base/encoding.h"
#include "base/random.h"
#include "sim/actors/tape.h"
#include "sim/sandbox_exchange.h"
#include "sim/sequencer/full_disk.h"
#include "sim/temporary_folder.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr const char* somebody = "0x1111111111111111111111111111111111111111";

class TapeFromOutside : public ::testing::Test {
 protected:
  // One line: a command, as bytes.
  [[nodiscard]] std::string written(const std::string& command) const {
    nlohmann::ordered_json ids = nlohmann::ordered_json::array();
    for (const engine::MarketSpec& market : engine::standard_markets()) ids.push_back(market.id);
    const nlohmann::ordered_json header{
        {"format", "svc-tape"}, {"version", 5}, {"markets", ids}, {"began_ms", test_start_ms}, {"oracle_ages", true}};
    const auto path = folder.path / "outside.tape";
    const std::string line = "1000\t" + to_base64(command) + "\t1";
    const std::uint64_t checksum = (hash64(header.dump()) ^ hash64(line)) * 0x9E3779B97F4A7C15u;
    std::ofstream(path) << header.dump() << '\n' << line << '\t' << checksum << '\n';
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

TEST_F(TapeFromOutside, WithALineThatIsMissingChangedOrMovedIsRefused) {
  const auto path = folder.path / "run.tape";
  {
    SandboxOptions options = test_options();
    options.record_file = path;
    TestExchange exchange(options);
    for (int i = 0; i < 4; ++i) exchange.control("/fund", {{"account", somebody}, {"amount", std::to_string(i + 1)}});
  }
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_GE(lines.size(), 5u);
  const auto loads = [&](const std::vector<std::string>& some) {
    std::ofstream stream(path);
    for (const std::string& line : some) stream << line << '\n';
    stream.close();
    return Tape::load(path, engine::standard_markets()).has_value();
  };
  EXPECT_TRUE(loads(lines));
  auto shorter = lines;
  shorter.pop_back();
  EXPECT_TRUE(loads(shorter)) << "the run was killed before it";
  auto missing = lines;
  missing.erase(missing.begin() + 2);
  EXPECT_FALSE(loads(missing));
  auto moved = lines;
  std::swap(moved[2], moved[3]);
  EXPECT_FALSE(loads(moved));
  auto changed = lines;
  changed[2][changed[2].find('\t') + 5] ^= 1;
  EXPECT_FALSE(loads(changed));
}

TEST(TapeRecording, EndsBeforeTheSandboxBecomesAnotherState) {
  const TemporaryFolder folder;
  SandboxOptions options = test_options();
  options.record_file = folder.path / "run.tape";
  TestExchange exchange(options);
  exchange.control("/snapshots", {{"name", "a"}});
  exchange.control("/fund", {{"account", somebody}, {"amount", "1"}});
  const auto recorded = [&] { return exchange.get("/_svc/flow").body["record"]; };
  EXPECT_EQ(recorded()["failed"], false);
  const auto lines = recorded()["lines"];
  exchange.control("/snapshots/a/revert", Json::object());
  exchange.control("/fund", {{"account", somebody}, {"amount", "1"}});
  EXPECT_EQ(recorded()["failed"], true);
  EXPECT_EQ(recorded()["lines"], lines);
  EXPECT_TRUE(Tape::load(options.record_file, engine::standard_markets()));
}

// A command that half fits is taken back, and not written again at the end.
TEST(TapeRecording, OfADiskThatWasFullForAMomentIsPlayedUpToThen) {
  const TemporaryFolder folder;
  SandboxOptions options = test_options();
  options.record_file = folder.path / "run.tape";
  {
    TestExchange exchange(options);
    const auto fund = [&] { exchange.control("/fund", {{"account", somebody}, {"amount", "1"}}); };
    const auto recorded = [&] { return exchange.get("/_svc/flow").body["record"]; };
    fund();
    const auto lines = recorded()["lines"];
    const auto bytes = std::filesystem::file_size(options.record_file);
    {
      const FullDisk full(bytes + 5);
      fund();
    }
    fund();
    EXPECT_EQ(recorded()["failed"], true);
    EXPECT_EQ(recorded()["lines"], lines);
    EXPECT_EQ(std::filesystem::file_size(options.record_file), bytes);
  }
  const auto tape = Tape::load(options.record_file, engine::standard_markets());
  EXPECT_TRUE(tape) << tape.error();
}

// A tape that decodes is played; the engine may refuse its commands.
TEST_F(TapeFromOutside, WithAnyByteOfACommandChangedIsRefusedOrPlayed) {
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
