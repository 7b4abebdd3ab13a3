// The client, the log and a sandbox with a real etcd, which is killed, paused and filled.

#include <gtest/gtest.h>

#include "base/archive.h"
#include "etcd/served_sandbox.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/etcd/etcd_state.h"

namespace svc::sim {
namespace SVC_FILE {

using Json = nlohmann::json;

const SystemClock machine;
const LogFacts facts{.identity = {{"network", "local"}}, .opening = {}};

std::unique_ptr<EtcdState> lead(const EtcdProcess& etcd, bool as_node = false) {
  auto state = EtcdState::open({.address = etcd.address(), .node = "a", .may_follow = as_node}, machine);
  EXPECT_TRUE(state.has_value()) << (state ? "" : state.error());
  return state ? std::move(*state) : nullptr;
}

std::unique_ptr<DurableLog> log_of(EtcdState& state) {
  auto log = state.open_log("local", facts);
  EXPECT_TRUE(log.has_value()) << (log ? "" : log.error());
  EXPECT_TRUE((*log)->begin());
  return std::move(*log);
}

bool append(DurableLog& log, int number, std::size_t bytes = 8) {
  Unit unit;
  unit.memories = {{.key = std::to_string(number), .value = std::string(bytes, 'x')}};
  const Unit* const units[] = {&unit};
  return log.append(1'700'000'000'000 + number, units, {}).has_value();
}

std::string entries_of(const DurableLog& log) {
  std::string text;
  const auto read = log.read(1, [&](const LogEntry& entry) {
    text += entry.unit.memories.front().key + ' ';
    return true;
  });
  return read ? text : text + '?';
}

TEST(RealEtcd, TakesWhatTheClientSays) {
  const EtcdProcess etcd;
  EtcdClient client({etcd.member()}, dial_by_http());
  const std::string value("\0\xff\"\n", 4);
  const auto lease = client.grant_lease(60);
  ASSERT_TRUE(lease) << lease.error().reason;
  const EtcdTransaction put{.compares = {{.key = "k", .kind = EtcdCompare::Kind::absent}},
                            .puts = {{.key = "k", .value = value, .lease = *lease}, {.key = "l", .value = "1"}}};
  const auto done = client.commit(put);
  ASSERT_TRUE(done) << done.error().reason;
  EXPECT_TRUE(done->succeeded);
  EXPECT_FALSE(client.commit(put)->succeeded);
  const auto row = client.read_one("k");
  ASSERT_TRUE(row && *row);
  EXPECT_EQ((*row)->value, value);
  EXPECT_EQ((*row)->lease, *lease);
  EXPECT_EQ((*row)->create_revision, done->revision);
  const EtcdTransaction replace{
      .compares = {{.key = "k", .kind = EtcdCompare::Kind::created_at, .create_revision = done->revision},
                   {.key = "l", .kind = EtcdCompare::Kind::present}},
      .puts = {{.key = "l", .value = "2"}},
      .removals = {keys_below("m")}};
  const auto replaced = client.commit(replace);
  ASSERT_TRUE(replaced && replaced->succeeded);
  EXPECT_EQ(client.read(keys_below("l"), 9)->rows.front().value, "2");
  EXPECT_EQ(*client.keep_lease(*lease), 60);
  EXPECT_TRUE(client.revoke_lease(*lease));
  EXPECT_EQ(*client.keep_lease(*lease), 0);
  EXPECT_FALSE(*client.read_one("k"));
  EXPECT_FALSE(client.commit({.puts = {{.key = "k", .value = "", .lease = *lease}}}));
  EXPECT_EQ(client.read(keys_below("l"), 9, done->revision)->rows.front().value, "1");
  EXPECT_TRUE(client.compact(replaced->revision));
  EXPECT_EQ(client.compact(replaced->revision).error().kind, EtcdError::Kind::compacted);
  EXPECT_EQ(client.read(keys_below("l"), 9, done->revision).error().kind, EtcdError::Kind::compacted);
  EXPECT_EQ(client.read(keys_below("l"), 9, replaced->revision)->rows.front().value, "2");
  EXPECT_GT(client.status(0)->bytes_in_use, 0);
  EXPECT_TRUE(client.defragment(0));
}

TEST(RealEtcd, HasEveryAcknowledgedEntryAfterItWasKilled) {
  EtcdProcess etcd;
  const auto state = lead(etcd);
  const auto log = log_of(*state);
  std::string expected;
  const auto write = [&](int number) {
    if (append(*log, number)) expected += std::to_string(number) + ' ';
  };
  for (int i = 1; i <= 50; ++i) write(i);
  etcd.kill();
  EXPECT_FALSE(append(*log, 51));  // nothing was sent
  etcd.start();
  for (int i = 52; i <= 60; ++i) write(i);
  EXPECT_EQ(log->last_position(), 59u);
  EXPECT_EQ(entries_of(*log), expected);
}

TEST(RealEtcd, AnAnswerThatAPausedMemberOwesIsWaitedFor) {
  const EtcdProcess etcd;
  const auto state = lead(etcd);
  const auto log = log_of(*state);
  ASSERT_TRUE(append(*log, 1));
  etcd.pause();
  std::atomic<bool> is_written{false};
  std::atomic<bool> has_ended{false};
  {
    const std::jthread writer([&] {
      is_written = append(*log, 2);
      has_ended = true;
    });
    // A member may still answer in the moment in which it is paused.
    while (!log->is_stuck() && !has_ended) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    etcd.go_on();
  }
  // The lease may have ended meanwhile: then the entry was refused, and is not there.
  EXPECT_EQ(entries_of(*log), is_written ? "1 2 " : "1 ");
}

TEST(RealEtcd, LargeBatchesAreReadInPages) {
  const EtcdProcess etcd;
  std::string expected;
  {
    const auto state = lead(etcd);
    const auto log = log_of(*state);
    for (int i = 1; i <= 40; ++i) {
      ASSERT_TRUE(append(*log, i, i % 10 == 0 ? 1'300'000 : i > 20 ? 500'000 : 8)) << log->problem();
      expected += std::to_string(i) + ' ';
    }
    ASSERT_TRUE(log->put_snapshot({.position = 40, .image = std::string(3'000'000, 'i')}));
  }
  const auto state = lead(etcd);
  const auto log = log_of(*state);
  EXPECT_EQ(entries_of(*log), expected);
  EXPECT_EQ(log->latest_snapshot().value()->image.size(), 3'000'000u);
}

TEST(RealEtcd, AFullQuotaStopsWritesAndTheNextStartMakesRoom) {
  const EtcdProcess etcd({"--quota-backend-bytes=8000000"});
  std::string expected;
  {
    EtcdClient client({etcd.member()}, dial_by_http());
    // Half of the quota at most: etcd's file grows by more than what is put, and how much depends on its timing.
    for (int i = 0; i < 4; ++i) {
      const auto put = client.commit({.puts = {{.key = "other", .value = std::string(500'000, 'o')}}});
      ASSERT_TRUE(put) << put.error().reason;
    }
    const auto state = lead(etcd);
    const auto log = log_of(*state);
    int number = 0;
    while (append(*log, ++number, 400'000)) {
      expected += std::to_string(number) + ' ';
      ASSERT_LT(number, 100);
    }
    EXPECT_NE(log->problem().find("space exceeded"), std::string::npos) << log->problem();
    EXPECT_FALSE(append(*log, number, 8));
    EXPECT_EQ(entries_of(*log), expected);
  }
  // What was replaced has its room until etcd forgets it. The name of a node needs room before anything else.
  const auto state = lead(etcd, true);
  EXPECT_EQ(entries_of(*log_of(*state)), expected);
}

// A sandbox.

struct SandboxOnEtcd : testing::Test {
  void begin() {
    sandbox.options.start_at_ms = 1'700'000'000'000;
    go_on();
    sandbox.options.start_at_ms.reset();
  }
  void go_on() {
    sandbox.start();
    ASSERT_NE(sandbox.url(), "") << sandbox.error();
  }
  [[nodiscard]] Json picture() const {
    const Json status = sandbox.status();
    return {status["sequence"], status["state_hash"], sandbox.ask("GET", "/markets"), sandbox.now()};
  }

  EtcdProcess etcd;
  ServedSandbox sandbox{etcd, "a", FlowKind::bots, ClockMode::manual};
};

TEST_F(SandboxOnEtcd, GoesOnWhereItWasAfterAnOrderlyEndAndAfterAKill) {
  begin();
  EXPECT_TRUE(sandbox.let_time_pass());
  Json before = picture();
  EXPECT_EQ(sandbox.end(SIGTERM), 0);
  go_on();
  EXPECT_EQ(picture(), before);
  EXPECT_TRUE(sandbox.let_time_pass());
  before = picture();
  sandbox.end(SIGKILL);
  go_on();  // waits for the lease of the killed one
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(sandbox.ask("POST", "/_svc/reset", "{}")["status_code"], 200);
  before = picture();
  EXPECT_EQ(sandbox.end(SIGTERM), 0);
  go_on();
  EXPECT_EQ(picture(), before);
}

// A leader that does not answer at an address has ended, or is about to begin.
TEST_F(SandboxOnEtcd, ALeaderWithoutAnAddressIsNotFollowed) {
  const auto state = lead(etcd);
  sandbox.options.name = "b";
  const auto refused = Sandbox::open(sandbox.options, machine);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("node a leads on " + to_string(etcd.address())), std::string::npos) << refused.error();
}

TEST_F(SandboxOnEtcd, RefusesWritesWhileEtcdIsDownAndServesReads) {
  begin();
  EXPECT_TRUE(sandbox.let_time_pass());
  const Json before = picture();
  etcd.kill();
  EXPECT_EQ(sandbox.ask("POST", "/_svc/time", R"({"advance_ms":60000})")["status_code"], 503);
  EXPECT_EQ(picture(), before);
  etcd.start();
  EXPECT_TRUE(sandbox.let_time_pass());
  EXPECT_NE(picture(), before);
  EXPECT_EQ(sandbox.end(SIGTERM), 0);
}

// Nothing of them was sent, so whoever sent them may send them again.
TEST_F(SandboxOnEtcd, WritesBehindAnAppendThatEtcdDoesNotAnswerAreRefusedWhileItWaits) {
  begin();
  etcd.pause();
  std::atomic<int> refused{0};
  std::vector<std::jthread> writers;
  for (const char digit : std::string_view("1234")) {
    writers.emplace_back([&, digit] {
      const auto wallet = *signing::PrivateKey::from_hex(std::string(64, digit));
      const std::string message = signing::login_message(sandbox.domain_name());
      const Json login{{"message", message},
                       {"signature", to_string(wallet.sign(signing::personal_message_digest(message)))}};
      refused += sandbox.ask("POST", "/v1/auth/login", login.dump())["status_code"] == 503 ? 1 : 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  // The first one is in the append. Its client gives up after 30 s.
  for (int tries = 0; tries < 1'000 && refused < 3; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(refused, 3);
  etcd.go_on();
}

TEST_F(SandboxOnEtcd, EndsWithItsDumpWhileAWriteWaitsForEtcd) {
  const TemporaryFolder folder;
  sandbox.options.dump_file = folder.path / "dump";
  begin();
  etcd.pause();
  const std::jthread writer([&] { static_cast<void>(sandbox.let_time_pass()); });
  while (sandbox.status()["cluster"]["takes_writes"] == true) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(sandbox.end(SIGTERM), 0);
  EXPECT_TRUE(std::filesystem::exists(sandbox.options.dump_file));
  etcd.go_on();
}

}  // namespace SVC_FILE
}  // namespace svc::sim
