// Leases to read: who may answer from its own copy, and until when.
#include "sim/cluster/read_leases.h"

#include <gtest/gtest.h>

#include <vector>

#include "cluster/machines.h"
#include "cluster/trader.h"
#include "sim/sandbox_options.h"
#include "sim/temporary_folder.h"
#include "surroundings.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start_ms = 1'000'000;
constexpr std::int64_t epoch = 7;
constexpr std::uint64_t node_b = 2;
constexpr std::uint64_t node_c = 3;
constexpr std::int64_t ended_ms = limits::read_lease_ms + limits::read_lease_margin_ms;

const GrantedLeases::AskBack asks_nobody = [](std::uint64_t, const ReadLease&, const std::function<void()>&) {
  FAIL() << "somebody is asked";
};

// A leader that has led for long.
struct Leader {
  ManualClock clock{start_ms};
  GrantedLeases leases{clock};

  Leader() {
    leases.begin(epoch);
    clock.advance(ended_ms);
  }
  // Two nodes hold a lease, and node_c does not answer.
  void write_past_a_silent_node() {
    (void)leases.grant(node_b);
    (void)leases.grant(node_c);
    leases.end_all([&](std::uint64_t holder, const ReadLease&, const auto& given_back) {
      if (holder == node_b) return given_back();
      clock.advance(ended_ms);
    });
  }
};

TEST(HeldLease, CoversACopyThatHasAppliedTheLeadersLogUntilItEnds) {
  ManualClock clock(start_ms);
  HeldLease lease(clock);
  EXPECT_FALSE(lease.covers(10));
  clock.advance(30);  // the answer took as long
  lease.take({.epoch = epoch, .number = 1}, 10, start_ms);
  EXPECT_FALSE(lease.covers(9));
  EXPECT_TRUE(lease.covers(10));
  clock.set(start_ms + limits::read_lease_ms - 1);
  EXPECT_TRUE(lease.covers(10));
  clock.advance(1);
  EXPECT_FALSE(lease.covers(10));
}

TEST(HeldLease, IsNotTakenWhenItWasGivenBackBeforeItCame) {
  ManualClock clock(start_ms);
  HeldLease lease(clock);
  lease.give_back({.epoch = epoch, .number = 2});
  lease.take({.epoch = epoch, .number = 2}, 10, start_ms);
  lease.take({.epoch = epoch - 1, .number = 9}, 10, start_ms);
  EXPECT_FALSE(lease.covers(10));
  lease.take({.epoch = epoch, .number = 3}, 10, start_ms);
  EXPECT_TRUE(lease.covers(10));
  lease.give_back({.epoch = epoch, .number = 3});
  EXPECT_FALSE(lease.covers(10));
}

TEST(HeldLease, OfACopyThatGaveUpIsNeverTaken) {
  ManualClock clock(start_ms);
  HeldLease lease(clock);
  lease.give_up();
  lease.take({.epoch = epoch, .number = 1}, 10, start_ms);
  EXPECT_FALSE(lease.covers(10));
}

TEST(GrantedLeases, AreNotGrantedWhileSomethingIsWrittenAndShortlyAfter) {
  Leader leader;
  EXPECT_EQ(leader.leases.grant(node_b), (ReadLease{.epoch = epoch, .number = 1}));
  leader.leases.end_all([](auto, const auto&, const auto& given_back) { given_back(); });
  EXPECT_EQ(leader.leases.grant(node_b), ReadLease{});
  leader.leases.allow();
  leader.clock.advance(limits::read_lease_quiet_ms - 1);
  EXPECT_EQ(leader.leases.grant(node_b), ReadLease{});
  leader.clock.advance(1);
  EXPECT_EQ(leader.leases.grant(node_b), (ReadLease{.epoch = epoch, .number = 2}));
}

TEST(GrantedLeases, AreAskedBackFromEveryHolderBeforeAWrite) {
  Leader leader;
  (void)leader.leases.grant(node_b);
  (void)leader.leases.grant(node_c);
  (void)leader.leases.grant(node_b);
  std::vector<std::uint64_t> asked;
  leader.leases.end_all([&](std::uint64_t holder, const ReadLease& lease, const auto& given_back) {
    asked.push_back(holder);
    EXPECT_EQ(lease, (ReadLease{.epoch = epoch, .number = 3}));
    given_back();
  });
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{node_b, node_c}));
  leader.leases.end_all(asks_nobody);
}

TEST(GrantedLeases, OfAHolderThatDoesNotAnswerHoldUpAWriteUntilTheyEnd) {
  Leader leader;
  leader.write_past_a_silent_node();
  leader.leases.end_all(asks_nobody);
}

TEST(GrantedLeases, AreRefusedForAWhileToAHolderForWhichAWriteWaited) {
  Leader leader;
  leader.write_past_a_silent_node();
  leader.leases.allow();
  leader.clock.advance(limits::read_lease_refused_ms - 1);
  EXPECT_EQ(leader.leases.grant(node_c).number, 0u);
  EXPECT_NE(leader.leases.grant(node_b).number, 0u);
  leader.clock.advance(1);
  EXPECT_NE(leader.leases.grant(node_c).number, 0u);
}

TEST(GrantedLeases, OfTheLeaderBeforeHoldUpTheFirstWriteUntilTheyEnd) {
  // Looked at three times: when the node begins to lead, when it begins to write, and when it waits.
  struct Looks final : Clock {
    mutable std::vector<TimestampMs> left{start_ms + ended_ms, start_ms, start_ms};
    [[nodiscard]] TimestampMs now_ms() const override {
      const TimestampMs now = left.back();
      left.pop_back();
      return now;
    }
  } const clock;
  GrantedLeases leases(clock);
  leases.begin(epoch);
  leases.end_all(asks_nobody);
  EXPECT_TRUE(clock.left.empty());
}

// Few enough writes for leases between them.
TEST(NodesWithLeases, ShowAWriteAsSoonAsAnyNodeHasAnsweredIt) {
  constexpr int writes = 40;
  constexpr int reads_before = 60;  // of each node: longer than read_lease_quiet_ms
  const TemporaryFolder folder;
  auto machines = cluster::Machines::start(
      {.svc = test::svc_program(), .folder = folder.path, .flags = {"--flow", "none", "--limits", "off"}});
  ASSERT_TRUE(machines) << machines.error();
  std::vector<api::Url> nodes;
  for (std::size_t node = 0; node < (*machines)->node_count(); ++node) nodes.push_back((*machines)->url(node));
  cluster::Lines lines(nodes);
  const auto account = dev_accounts(1, Usdx{}).front();
  const auto trader = cluster::Trader::sign_in(lines, 0, *signing::PrivateKey::from_hex(account.private_key));
  ASSERT_TRUE(trader) << trader.error();
  for (int i = 0; i < writes; ++i) {
    for (int reads = 0; reads < reads_before; ++reads)
      for (std::size_t node = 0; node < nodes.size(); ++node)
        ASSERT_EQ(trader->ask(lines, node, "GET", "/account/fees").status, 200);
    const std::size_t writer = static_cast<std::size_t>(i) % nodes.size();
    const auto placed = trader->ask(lines, writer, "POST", "/orders",
                                    R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit",)"
                                    R"("quantity":"0.001","price":"30000","time_in_force":"GTC"})");
    ASSERT_EQ(placed.status, 201) << placed.text;
    const std::string id = placed.body()["order"]["id"];
    for (std::size_t other = 1; other < nodes.size(); ++other) {
      const auto read =
          trader->ask(lines, (writer + other) % nodes.size(), "GET", "/orders/" + id + "?market_id=BTC-USDX-PERP");
      EXPECT_EQ(read.status, 200) << "order " << i << ": " << read.text;
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
