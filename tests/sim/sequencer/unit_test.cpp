// The bytes of units are a format: later versions must read these journals. A changed line here means a new version
// of the format (docs/journal_format.md).

#include "sim/sequencer/unit.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "sim/account_of.h"

namespace svc::sim {
namespace SVC_FILE {

using namespace engine;

std::string hex_of(const Unit& unit) {
  ArchiveWriter writer;
  writer(unit);
  std::string text;
  for (const char byte : writer.bytes()) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

OrderParams params() {
  return {.market = {2},
          .side = Side::sell,
          .type = OrderType::stop_limit,
          .time_in_force = TimeInForce::post_only,
          .stp = StpMode::cancel_oldest,
          .reduce_only = true,
          .quantity = {Lots{300}, Grid::on},
          .price = {Ticks{5}, Grid::on},
          .trigger = {Ticks{6}, Grid::off},
          .trailing_offset_bps = 7,
          .limit_offset_bps = std::nullopt,
          .max_slippage_bps = -1,
          .client_id = *ClientId::from("ab"),
          .expires_at_ms = 1};
}

struct Row {
  const char* name;
  CommandBody command;
  std::string bytes;  // of the command, its number first
};

const std::string alice = "0000000000000000000000000000000000000001";
const std::string bob = "0000000000000000000000000000000000000002";
const std::string order =
    "02010203"
    "0201"
    "d80401"
    "0a01"
    "0c02"
    "010e"
    "00"
    "0101"
    "026162"
    "02";

std::vector<Row> rows() {
  return {
      {"deposit", Deposit{account_of(1), Usdx{100}, FundsKind::faucet}, "00" + alice + "c80101"},
      {"withdraw", Withdraw{account_of(1), Usdx{1}, FundsKind::withdrawal}, "01" + alice + "020500"},
      {"transfer", engine::Transfer{account_of(1), account_of(2), Usdx{1}}, "02" + alice + bob + "0200"},
      {"fund insurance", FundInsurance{Usdx{1}}, "0302"},
      {"place", PlaceOrder{account_of(1), params()}, "04" + alice + order},
      {"batch", PlaceBatch{account_of(1), {params(), params()}}, "05" + alice + "02" + order + order},
      {"amend", AmendOrder{account_of(1), {9}, {Ticks{5}, Grid::on}, {}},
       "06" + alice +
           "09"
           "0a01"
           "0000"},
      {"cancel", CancelOrder{account_of(1), {9}}, "07" + alice + "09"},
      {"cancel all", CancelAll{account_of(1), MarketIndex{1}, CancelScope::resting_orders, CancelReason::user},
       "08" + alice +
           "0101"
           "01"
           "01"},
      {"leverage", SetLeverage{account_of(1), {1}, 5}, "09" + alice + "010a"},
      {"margin mode", SetMarginMode{account_of(1), {1}, MarginMode::isolated}, "0a" + alice + "0101"},
      {"margin", AdjustMargin{account_of(1), {1}, Usdx{1}, MarginDirection::remove}, "0b" + alice + "010201"},
      {"oracle", OracleTick{{{.market = {1}, .index = Ticks{2}, .mark = Ticks{3}}}},
       "0c01"
       "0104"
       "0106"},
      {"price mode", SetPriceMode{{1}, PriceMode::manual}, "0d0102"},
      {"sample", SampleFunding{}, "0e"},
      {"settle funding", SettleFunding{}, "0f"},
      {"inject funding", InjectFunding{{1}, Ppb{-1}, Ticks{1}}, "10010102"},
      {"pass time", PassTime{}, "11"},
      {"halt", HaltMarket{{1}, "x"}, "12010178"},
      {"resume", ResumeMarket{{1}, Usdx{1}}, "130102"},
      {"settle market", SettleMarket{{1}, Ticks{1}}, "140102"},
  };
}

TEST(UnitBytes, OfEveryCommandAreStable) {
  const auto all = rows();
  EXPECT_EQ(all.size(), std::variant_size_v<CommandBody::variant>);
  for (const Row& row : all) {
    const Unit unit{.body = row.command};
    EXPECT_EQ(hex_of(unit), "0001" + row.bytes + "00") << row.name;
  }
}

TEST(UnitBytes, RoundTrip) {
  for (const Row& row : rows()) {
    const Unit unit{.nonces = {{NonceSequence::owners, Address{}, 7}},
                    .body = row.command,
                    .memories = {{.key = "key", .value = "value"}}};
    ArchiveWriter writer;
    writer(unit);
    const auto again = from_archive<Unit>(writer.bytes());
    ASSERT_TRUE(again) << row.name;
    EXPECT_EQ(hex_of(*again), hex_of(unit)) << row.name;
    EXPECT_FALSE(from_archive<Unit>(writer.bytes() + "x")) << row.name;
    EXPECT_FALSE(from_archive<Unit>(std::string_view(writer.bytes()).substr(0, writer.bytes().size() - 1))) << row.name;
  }
}

// The numbers of the commands to the services are part of the format.
TEST(UnitBytes, OfServiceCommandsAreStable) {
  const Address account{{0xa1}};
  const std::string address = "a1" + std::string(38, '0');
  const std::pair<ServiceCommand, std::string> rows[] = {
      {OpenSession{.account = account}, "00" + address + "00"},
      {DeleteKey{.account = account, .id = "k"}, "02" + address + "016b"},
      {AssignTier{.account = account, .tier = api::Tier::market_maker}, "07" + address + "01"},
      {NoteStreamsLost{}, "0b00"},
      {ClaimFaucet{account}, "0d" + address},
      {WithdrawOverBridge{.account = account, .amount = Usdx{1}, .idempotency_key = "k"}, "10" + address + "02016b"},
      {FailMovement{{.kind = MovementKind::bridge_deposit, .number = 300}}, "1a02ac02"},
      {NoteRestart{}, "1b"},
  };
  for (const auto& [command, bytes] : rows) EXPECT_EQ(hex_of(Unit{.body = command}), "0002" + bytes + "00");
  EXPECT_EQ(std::variant_size_v<ServiceCommand::variant>, 28u);
}

TEST(UnitBytes, OfTheRestAreStable) {
  EXPECT_EQ(hex_of(Unit{}), "000000");
  EXPECT_EQ(hex_of(Unit{.body = ActorOrder{"o"}}), "0003016f00");
  EXPECT_EQ(hex_of(Unit{.body = Image{"i"}}), "0005016900");
  EXPECT_EQ(hex_of(Unit{.nonces = {{NonceSequence::owners, Address{}, 300}}}),
            "0101" + std::string(40, '0') + "ac020000");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
