// The log on an etcd that fails on request: what append() promises, who leads, and what is found when it is opened.

#include "sim/etcd/etcd_log.h"

#include <gtest/gtest.h>

#include "base/archive.h"
#include "base/random.h"
#include "etcd/etcd_server_double.h"
#include "http/listening_peer.h"
#include "sim/etcd/etcd_state.h"

namespace svc::sim {
namespace SVC_FILE {

using Fault = EtcdServerDouble::Fault;

constexpr TimestampMs start = 1'700'000'000'000;
const LogFacts facts{.identity = {{"network", "local"}, {"seed", "1"}}, .opening = {{"balance", "100"}}};

Unit unit_of(int number, std::size_t bytes = 8) {
  Unit unit;
  unit.memories = {{.key = "key" + std::to_string(number), .value = std::string(bytes, 'x')}};
  return unit;
}

// A node with its log.
struct Node {
  explicit Node(EtcdServerDouble& server, const std::string& name = "a", const LogFacts& about = facts) {
    auto opened = EtcdState::open({.address = {.members = {{.host = "one", .port = 1}, {.host = "two", .port = 2}}},
                                   .node = name,
                                   .dial = server.dial()},
                                  machine);
    if (!opened) {
      problem = opened.error();
      return;
    }
    state = std::move(*opened);
    auto opened_log = state->open_log("local", about);
    if (!opened_log) {
      problem = opened_log.error();
      return;
    }
    log = std::move(*opened_log);
    if (auto begun = log->begin(); !begun) problem = begun.error();
  }
  // The process is killed: nothing is resigned. Its lease is what keeps others out.
  void leak() {
    static auto& killed = *new std::vector<std::unique_ptr<EtcdState>>;
    log.reset();
    killed.push_back(std::move(state));
  }

  bool append(std::initializer_list<int> numbers, std::size_t bytes = 8, std::optional<StateMark> mark = {}) {
    std::vector<Unit> units;
    for (const int number : numbers) units.push_back(unit_of(number, bytes));
    std::vector<const Unit*> pointers;
    for (const Unit& unit : units) pointers.push_back(&unit);
    return log->append(start + static_cast<int>(log->last_position()), pointers, mark).has_value();
  }
  // The keys of the entries' records from a position on; a question mark where the log could not be read.
  std::string entries(std::uint64_t from = 1) const {
    std::string text;
    std::uint64_t position = from;
    const auto read = log->read(from, [&](const LogEntry& entry) {
      EXPECT_EQ(entry.position, position++);
      text += entry.unit.memories.front().key.substr(3) + ' ';
      return true;
    });
    return read ? text : text + '?';
  }

  static inline ManualClock machine{start};
  std::unique_ptr<EtcdState> state;
  std::unique_ptr<DurableLog> log;
  std::string problem;
};

struct EtcdLogTest : testing::Test {
  EtcdServerDouble server;
  const std::string leader_key = "svc/leader";
  const std::string first_key = "svc/local/log/0000000000000001";
};

TEST_F(EtcdLogTest, KeepsEntriesMarksSnapshotsAndHowItBegan) {
  {
    Node node(server);
    ASSERT_EQ(node.problem, "");
    ASSERT_TRUE(node.append({1, 2}));
    ASSERT_TRUE(node.append({3}, 8, StateMark{.position = 2, .state_hash = 77}));
    ASSERT_TRUE(node.log->put_snapshot({.position = 3, .image = "image"}));
    EXPECT_EQ(node.entries(), "1 2 3 ");
    EXPECT_EQ(node.entries(2), "2 3 ");
    EXPECT_EQ(node.entries(5), "?");
  }
  Node again(server, "a", {.identity = facts.identity, .opening = {{"balance", "other"}}});
  ASSERT_EQ(again.problem, "");
  EXPECT_EQ(again.entries(), "1 2 3 ");
  EXPECT_EQ(again.log->marks(1), (std::vector<StateMark>{{.position = 2, .state_hash = 77}}));
  EXPECT_EQ(again.log->latest_snapshot().value()->image, "image");
  EXPECT_EQ(again.log->opening(), facts.opening);
  EXPECT_TRUE(again.append({4}));
  EXPECT_EQ(again.entries(4), "4 ");
}

TEST_F(EtcdLogTest, RefusesToBeAboutSomethingElseOrOfAnotherFormat) {
  { Node node(server); }
  EXPECT_NE(Node(server, "a", {.identity = {{"network", "local"}, {"seed", "2"}}, .opening = {}})
                .problem.find("is about seed 1, not 2"),
            std::string::npos);
  auto bytes = server.rows().at("svc/local/facts").value;
  bytes[0] = 120;  // the number of the format
  server.put("svc/local/facts", bytes);
  EXPECT_NE(Node(server).problem.find("its format is 60"), std::string::npos) << Node(server).problem;
  server.put("svc/local/facts", "no archive");
  EXPECT_NE(Node(server).problem.find("not a log of svc"), std::string::npos);
}

// Whatever becomes of an append's first try, what append() says is what a restart finds.
TEST_F(EtcdLogTest, WhatAppendSaysIsWhatIsThere) {
  struct Case {
    Fault fault;
    int count;
    bool written;
  };
  const Case cases[] = {
      {Fault::connection_refused, 2, false},  // both members
      {Fault::lost_before, 1, true},          // it is asked for, and tried again
      {Fault::lost_after, 1, true},
      {Fault::late, 1, true},
      {Fault::no_quorum, 3, true},
      {Fault::full, 1, false},
      {Fault::filled, 1, true},
      {Fault::slow_refusal, 1, false},
  };
  Node node(server);
  std::string expected;
  int number = 0;
  for (const Case& one : cases) {
    server.fail("txn", one.fault, one.count);
    ++number;
    EXPECT_EQ(node.append({number}), one.written) << number;
    server.deliver_late();
    if (one.written) expected += std::to_string(number) + ' ';
    EXPECT_EQ(node.entries(), expected) << number;
    EXPECT_EQ(node.log->problem().empty(), one.written) << number << node.log->problem();
  }
  node.leak();
  server.end_lease_of(leader_key);
  EXPECT_EQ(Node(server, "b").entries(), expected);
}

TEST_F(EtcdLogTest, ALostAnswerIsSettledByReadingItsPosition) {
  Node node(server);
  const int sent = server.requests("txn");
  server.fail("txn", Fault::lost_after);
  ASSERT_TRUE(node.append({1}));
  EXPECT_EQ(server.requests("txn"), sent + 1);  // it was found, not sent again
}

TEST_F(EtcdLogTest, IsStuckWhileAnAnswerIsOpenAndTheFirstTryComesTooLate) {
  const ManualClock machine(start);
  const std::vector<api::HostPort> members{{.host = "one", .port = 1}};
  Leadership leadership(EtcdClient(members, server.dial()), leader_key, "a", machine);
  ASSERT_TRUE(leadership.campaign());
  EtcdLog* log = nullptr;
  int pauses = 0;
  auto opened = EtcdLog::open({.members = members,
                               .dial = server.dial(),
                               .place = "here",
                               .prefix = "svc/local/",
                               .facts = facts,
                               .pause =
                                   [&](std::int64_t) {
                                     pauses += log->is_stuck() ? 1 : 0;
                                     // Another node may have it already.
                                     EXPECT_EQ(log->position_under_way(), 1u);
                                     EXPECT_EQ(log->last_position(), 0u);
                                   }},
                              leadership);
  ASSERT_TRUE(opened) << opened.error();
  log = opened->get();
  ASSERT_TRUE(log->begin());
  int told = 0;
  log->when_stuck([&, reads = server.requests("range")] {
    ++told;
    EXPECT_TRUE(log->is_stuck());
    EXPECT_EQ(server.requests("range"), reads) << "before it asks for the position, which may take as long";
  });
  server.fail("txn", Fault::late);
  server.fail("range", Fault::no_quorum, 2);
  server.fail("txn", Fault::no_quorum);
  const Unit unit = unit_of(1);
  const std::vector<const Unit*> units{&unit};
  EXPECT_TRUE(log->append(start, units, {}));
  EXPECT_EQ(pauses, 2);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(log->is_stuck());
  server.deliver_late();
  EXPECT_EQ(server.keys("svc/local/log/"), std::vector{first_key});
  EXPECT_EQ(server.rows().at(first_key).mod_revision, server.rows().at(first_key).create_revision);
  server.fail("txn", Fault::connection_refused);
  EXPECT_FALSE(log->append(start, units, {}));
  EXPECT_EQ(log->position_under_way(), 1u);
}

TEST_F(EtcdLogTest, ADeposedLeaderIsRefusedByEtcdWhateverItBelieves) {
  Node a(server, "a");
  ASSERT_TRUE(a.append({1}));
  server.end_lease_of(leader_key);
  Node b(server, "b");
  ASSERT_EQ(b.problem, "");
  EXPECT_NE(a.state->leadership().epoch(), 0);  // nobody told it
  EXPECT_FALSE(a.append({2}));
  EXPECT_EQ(a.state->leadership().epoch(), 0);
  EXPECT_NE(a.log->problem(), "");
  ASSERT_TRUE(b.append({3}));
  EXPECT_EQ(b.entries(), "1 3 ");
  // Leading again does not help it: another node wrote.
  b.log.reset();
  b.state.reset();
  a.state->leadership().keep();
  EXPECT_NE(a.state->leadership().epoch(), 0);
  EXPECT_FALSE(a.append({4}));
  EXPECT_NE(a.log->problem().find("another node wrote"), std::string::npos);
}

TEST_F(EtcdLogTest, AnOpenAnswerOfADeposedLeaderIsSettledToo) {
  Node a(server, "a");
  server.fail("txn", Fault::late);
  server.fail("range", Fault::no_quorum, 2);
  // While it asks, its lease ends and another leads.
  server.end_lease_of(leader_key);
  EXPECT_FALSE(a.append({1}));
  Node b(server, "b");
  server.deliver_late();
  EXPECT_EQ(b.entries(), "");
  EXPECT_TRUE(b.append({2}));
  EXPECT_EQ(b.entries(), "2 ");
}

TEST_F(EtcdLogTest, LosesAndRegainsTheLeadWithoutLosingItsPlace) {
  Node node(server);
  ASSERT_TRUE(node.append({1}));
  server.end_lease_of(leader_key);
  EXPECT_FALSE(node.append({2}));
  node.state->leadership().keep();
  EXPECT_TRUE(node.append({3}));
  EXPECT_EQ(node.entries(), "1 3 ");
}

TEST_F(EtcdLogTest, LargeBatchesGoInPiecesBeforeTheBatchThatNamesThem) {
  Node node(server);
  ASSERT_TRUE(node.append({1, 2}, limits::etcd_batch_bytes_max));
  EXPECT_EQ(server.keys("svc/local/piece/").size(), 3u);
  EXPECT_LT(server.rows()[first_key].value.size(), 200u);
  ASSERT_TRUE(node.append({3}, limits::etcd_batch_bytes_max - 100));
  EXPECT_EQ(server.keys("svc/local/piece/").size(), 3u);  // this one fits
  // Without a piece there is no batch.
  server.fail("txn", Fault::none);
  server.fail("txn", Fault::connection_refused, 2);
  EXPECT_FALSE(node.append({4, 5}, limits::etcd_batch_bytes_max));
  EXPECT_EQ(node.log->last_position(), 3u);
  server.fail("txn", Fault::lost_after);
  EXPECT_TRUE(node.append({6}, limits::etcd_batch_bytes_max));
  EXPECT_EQ(node.entries(), "1 2 3 6 ");
  node.leak();
  server.end_lease_of(leader_key);
  EXPECT_EQ(Node(server, "b").entries(), "1 2 3 6 ");
  server.remove(server.keys("svc/local/piece/").front());
  EXPECT_NE(Node(server, "c").problem.find("entries 1 to 2 are damaged"), std::string::npos);
}

TEST_F(EtcdLogTest, AnotherNodeTakesInTheRowsOfAnAppend) {
  Node node(server);
  auto& leader = static_cast<EtcdLog&>(*node.log);
  Leadership none(EtcdClient({{.host = "one", .port = 1}}, server.dial()), leader_key, "b", Node::machine);
  const auto follower = EtcdLog::open(
      {.members = {{.host = "one", .port = 1}}, .dial = server.dial(), .prefix = "svc/local/", .facts = facts}, none);
  ASSERT_TRUE(follower) << follower.error();
  std::string taken;
  const auto take = [&](const EtcdKeyValue& row) {
    return (*follower)->take(row, [&](LogEntry&& entry) { taken += entry.unit.memories.front().key.substr(3) + ' '; });
  };
  ASSERT_TRUE(node.append({1, 2}));
  const auto first = leader.take_appended();
  ASSERT_TRUE(node.append({3}, 8, StateMark{.position = 2, .state_hash = 77}));
  const auto second = leader.take_appended();
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ((*follower)->mark_of(second[0]), (StateMark{.position = 2, .state_hash = 77}));
  EXPECT_FALSE((*follower)->mark_of(second[1]));
  const auto too_early = take(second[1]);
  ASSERT_FALSE(too_early);
  EXPECT_EQ(too_early.error(), LogError::gap);
  for (const EtcdKeyValue& row : {first[0], second[1], first[0], second[1]}) EXPECT_TRUE(take(row));
  EXPECT_EQ(taken, "1 2 3 ");
  EXPECT_TRUE(leader.take_appended().empty());
  server.fail("txn", Fault::connection_refused, 2);
  EXPECT_FALSE(node.append({4}));
  EXPECT_TRUE(leader.take_appended().empty());
}

TEST_F(EtcdLogTest, ALogWhoseLastBatchIsGoneIsDamaged) {
  Node node(server);
  ASSERT_TRUE(node.append({1, 2}));
  ASSERT_TRUE(node.append({3}));
  auto& log = static_cast<EtcdLog&>(*node.log);
  const auto nothing = [](LogEntry&&) { ADD_FAILURE() << "nothing new is there"; };
  EXPECT_TRUE(log.catch_up(nothing));
  server.remove("svc/local/log/0000000000000003");
  const auto lost = log.catch_up(nothing);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error(), LogError::unreadable);
  EXPECT_NE(log.problem().find("lost or replaced"), std::string::npos) << log.problem();
}

// Without a leader etcd's comparison with no epoch would hold.
TEST_F(EtcdLogTest, ANodeThatDoesNotLeadWritesNothing) {
  Node node(server);
  ASSERT_TRUE(node.append({1}));
  server.end_lease_of(leader_key);
  node.state->leadership().note_loss(node.state->leadership().epoch());
  const auto before = server.revision();
  EXPECT_FALSE(node.log->put_snapshot({.position = 1, .image = "image"}));
  EXPECT_FALSE(node.log->put_mark({.position = 1, .state_hash = 5}));
  EXPECT_FALSE(node.append({2}));
  EtcdServerDouble empty;
  Leadership none(EtcdClient({{.host = "one", .port = 1}}, empty.dial()), leader_key, "b", Node::machine);
  const auto log = EtcdLog::open(
      {.members = {{.host = "one", .port = 1}}, .dial = empty.dial(), .prefix = "svc/local/", .facts = facts}, none);
  ASSERT_TRUE(log) << log.error();
  EXPECT_FALSE((*log)->begin());
  EXPECT_EQ(server.revision(), before);
  EXPECT_TRUE(empty.rows().empty());
}

// Lets something happen on the log before a request reaches it.
class BusyLine final : public api::Transport {
 public:
  BusyLine(EtcdServerDouble& server, std::function<void()> before) : server_(server), before_(std::move(before)) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    before_();
    return server_.answer(request);
  }

 private:
  EtcdServerDouble& server_;
  const std::function<void()> before_;
};

TEST_F(EtcdLogTest, IsOpenedWhileItsLeaderAppends) {
  Node node(server);
  ASSERT_TRUE(node.append({1}));
  const auto append_two = [&] {
    for (const int number : {2, 3})
      EXPECT_TRUE(node.append({number}, 8, StateMark{.position = node.log->last_position(), .state_hash = 5}));
  };
  Leadership none(EtcdClient({{.host = "one", .port = 1}}, server.dial()), leader_key, "b", Node::machine);
  const EtcdDial dial = [&](const api::HostPort&) { return std::make_unique<BusyLine>(server, append_two); };
  const auto log = EtcdLog::open(
      {.members = {{.host = "one", .port = 1}}, .dial = dial, .prefix = "svc/local/", .facts = facts}, none);
  EXPECT_TRUE(log) << log.error();
}

// A log that another node leads, read while the leader goes on.
struct LogReadMeanwhile : EtcdLogTest {
  LogReadMeanwhile() { append(60); }  // more than etcd is asked for at once

  void append(int count) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(leader.append({++number}));
  }
  // Removes what only older snapshots need, and has etcd forget it.
  void take_two_snapshots() {
    for (int i = 0; i < 2; ++i) {
      append(1);
      EXPECT_TRUE(leader.log->put_snapshot({.position = leader.log->last_position(), .image = "image"}));
    }
  }
  // Something happens before that request of the reader.
  Result<std::unique_ptr<EtcdLog>, std::string> open(int request, std::function<void()> act) {
    const auto before = [left = std::make_shared<int>(request), act = std::move(act)] {
      if (--*left == 0) act();
    };
    return EtcdLog::open(
        {.members = {{.host = "one", .port = 1}},
         .dial = [=, this](const api::HostPort&) { return std::make_unique<BusyLine>(server, before); },
         .prefix = "svc/local/",
         .facts = facts},
        none);
  }
  std::string entries_of(const EtcdLog& log, std::uint64_t from) const {
    std::string text;
    const auto read = log.read(from, [&](const LogEntry& entry) {
      text += entry.unit.memories.front().key.substr(3) + ' ';
      return true;
    });
    return read ? text : "gone";
  }

  Node leader{server};
  Leadership none{EtcdClient({{.host = "one", .port = 1}}, server.dial()), leader_key, "b", Node::machine};
  int number = 0;
};

TEST_F(LogReadMeanwhile, IsOpenedWhileItsLeaderRemovesOldEntries) {
  for (int request = 1; request <= 8; ++request) {
    const auto log = open(request, [this] { take_two_snapshots(); });
    ASSERT_TRUE(log) << request << log.error();
    EXPECT_EQ((*log)->dropped_snapshots(), std::vector<std::uint64_t>{}) << request;
    append(50);
  }
}

TEST_F(LogReadMeanwhile, TellsThatEntriesAreGoneAndFindsTheNewerSnapshot) {
  const auto log = open(0, [] {});
  ASSERT_TRUE(log) << log.error();
  EXPECT_NE(entries_of(**log, 1), "gone");
  EXPECT_EQ((*log)->look_again().value(), false);
  take_two_snapshots();
  EXPECT_EQ(entries_of(**log, 1), "gone");
  EXPECT_EQ((*log)->look_again().value(), true);
  EXPECT_EQ((*log)->latest_snapshot().value()->position, 62u);
  append(2);
  EXPECT_EQ((*log)->look_again().value(), false);
  EXPECT_EQ(entries_of(**log, 63), "63 64 ");
}

// Silence is no damage: whoever replays tries again.
TEST_F(LogReadMeanwhile, ASilentEtcdIsNoMissingSnapshot) {
  take_two_snapshots();
  const auto log = open(0, [] {});
  ASSERT_TRUE(log) << log.error();
  server.fail("range", Fault::no_quorum, 100);
  EXPECT_EQ((*log)->latest_snapshot().error(), LogError::unreachable);
  EXPECT_EQ((*log)->look_again().error(), LogError::unreachable);
  server.heal();
  EXPECT_EQ((*log)->latest_snapshot().value()->image, "image");
  EXPECT_EQ((*log)->dropped_snapshots(), std::vector<std::uint64_t>{});
}

TEST_F(LogReadMeanwhile, CatchUpAsksToStartOverIfTheNextEntriesWereRemoved) {
  const auto log = open(6 + 2, [this] { take_two_snapshots(); });
  ASSERT_TRUE(log) << log.error();
  append(60);
  std::uint64_t taken = 0;
  const auto caught_up = (*log)->catch_up([&](LogEntry&& entry) { taken = entry.position; });
  ASSERT_FALSE(caught_up);
  EXPECT_EQ(caught_up.error(), LogError::gone);
  EXPECT_LT(taken, 120u);
  EXPECT_TRUE((*log)->start_over());
  EXPECT_EQ((*log)->last_position(), 122u);
}

TEST_F(EtcdLogTest, ADamagedMarkProvesNothing) {
  Node node(server);
  ASSERT_TRUE(node.append({1}));
  ASSERT_TRUE(node.append({2}, 8, StateMark{.position = 1, .state_hash = 77}));
  const std::string key = server.keys("svc/local/mark/").front();
  std::string changed = server.rows().at(key).value;
  changed.front() = static_cast<char>(changed.front() ^ 1);
  server.put(key, changed);
  EXPECT_TRUE(node.log->marks(1).empty());
}

TEST_F(EtcdLogTest, EveryDamageIsFound) {
  {
    Node node(server);
    for (int i = 1; i <= 4; ++i) ASSERT_TRUE(node.append({i, 10 + i}, 8, StateMark{.position = 2, .state_hash = 5}));
  }
  const auto whole = server.rows();
  int tried = 0;
  for (const auto& [key, row] : whole) {
    for (std::size_t at = 0; at < row.value.size(); ++at) {
      std::string flipped = row.value;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      server.put(key, flipped);
      Node node(server);
      const bool found = !node.problem.empty();
      EXPECT_TRUE(found) << key << " byte " << at;
      ++tried;
    }
    server.remove(key);
    Node node(server);
    const bool is_last = key == "svc/local/log/0000000000000007" || key.find("/mark/") != std::string::npos;
    EXPECT_EQ(node.problem.empty(), is_last) << key << ": " << node.problem;
    server.put(key, row.value);
  }
  EXPECT_GT(tried, 300);
  EXPECT_EQ(Node(server).entries(), "1 11 2 12 3 13 4 14 ");
}

TEST_F(EtcdLogTest, ADamagedSnapshotIsDroppedForAnOlderOne) {
  {
    Node node(server);
    ASSERT_TRUE(node.append({1}));
    ASSERT_TRUE(node.log->put_snapshot({.position = 1, .image = "first"}));
    ASSERT_TRUE(node.append({2}));
    ASSERT_TRUE(node.log->put_snapshot({.position = 2, .image = "second"}));
  }
  server.put(server.keys("svc/local/image/").back(), "secund");
  Node node(server);
  ASSERT_EQ(node.problem, "");
  EXPECT_EQ(node.log->latest_snapshot().value()->image, "first");
  EXPECT_EQ(node.log->dropped_snapshots(), std::vector<std::uint64_t>{2});
}

TEST_F(EtcdLogTest, ForgetsWhatIsBehindTheOldestSnapshotThatIsKept) {
  {
    Node node(server);
    int number = 0;
    for (int round = 1; round <= 4; ++round) {
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(node.append({++number}, 8, StateMark{.position = 1, .state_hash = 5}));
      EXPECT_FALSE(node.log->put_snapshot({.position = node.log->last_position() + 1, .image = "too far"}));
      ASSERT_TRUE(node.log->put_snapshot({.position = node.log->last_position(), .image = std::to_string(round)}));
    }
    EXPECT_EQ(server.keys("svc/local/snapshot/").size(), limits::snapshots_kept);
    EXPECT_EQ(server.keys("svc/local/image/").size(), limits::snapshots_kept);
    EXPECT_EQ(server.keys("svc/local/log/").size(), 4u);  // the batch that ends there, and those since
    EXPECT_EQ(server.keys("svc/local/mark/").size(), 0u);
    EXPECT_EQ(server.compacted(), server.revision());
    EXPECT_EQ(node.entries(10), "10 11 12 ");
    EXPECT_EQ(node.entries(8), "?");
    ASSERT_TRUE(node.append({13}));
  }
  Node again(server);
  ASSERT_EQ(again.problem, "");
  EXPECT_EQ(again.entries(10), "10 11 12 13 ");
  EXPECT_EQ(again.log->snapshot_before(12).value()->image, "3");
  EXPECT_TRUE(again.append({14}));
  // A log that begins where no snapshot ends lacks entries.
  server.remove("svc/local/log/0000000000000009");
  EXPECT_NE(Node(server, "b").problem.find("node a leads"), std::string::npos);
  again.leak();
  server.end_lease_of(leader_key);
  EXPECT_NE(Node(server, "b").problem.find("entry 1 is missing"), std::string::npos);
}

TEST_F(EtcdLogTest, WantsASnapshotByBytesLongBeforeTheQuota) {
  Node node(server);
  const std::size_t bytes = 4u << 20;
  for (std::size_t written = 0; written < limits::etcd_log_bytes_max; written += bytes) {
    EXPECT_FALSE(node.log->wants_snapshot());
    ASSERT_TRUE(node.append({1}, bytes));
  }
  EXPECT_TRUE(node.log->wants_snapshot());
  ASSERT_TRUE(node.log->put_snapshot({.position = node.log->last_position(), .image = std::string(3u << 20, 'i')}));
  EXPECT_FALSE(node.log->wants_snapshot());
  EXPECT_EQ(node.log->latest_snapshot().value()->image.size(), 3u << 20);
}

TEST_F(EtcdLogTest, AFullQuotaStopsWritesAndSaysSo) {
  Node node(server);
  server.fail("txn", Fault::full, 3);
  const auto& log = static_cast<const EtcdLog&>(*node.log);
  EXPECT_EQ(log.refusal(), "");
  EXPECT_FALSE(node.append({1}));
  EXPECT_EQ(log.refusal(), "etcd's quota is full: give it a larger one, or make room on it");
  EXPECT_NE(node.log->problem().find("space exceeded"), std::string::npos) << node.log->problem();
  EXPECT_FALSE(node.log->put_mark({.position = 1, .state_hash = 1}));
  EXPECT_FALSE(node.append({2}));
  EXPECT_TRUE(node.append({3}));
  EXPECT_EQ(log.refusal(), "");
  EXPECT_EQ(node.entries(), "3 ");
}

TEST_F(EtcdLogTest, SaysWhyEtcdRefusesWrites) {
  Node node(server);
  server.fail("txn", Fault::slow_refusal);
  const auto& log = static_cast<const EtcdLog&>(*node.log);
  EXPECT_FALSE(node.append({1}));
  EXPECT_EQ(log.refusal(), "etcd refuses writes (etcd: etcdserver: too many requests)");
  EXPECT_TRUE(node.append({2}));
  EXPECT_EQ(log.refusal(), "");
}

// Goes to the double until it hangs: then to a place that takes connections and never answers.
class WayThatHangs final : public api::Transport {
 public:
  WayThatHangs(EtcdServerDouble& server, std::uint16_t silent_port, const std::atomic<bool>& hangs)
      : server_(server), silent_(dial_by_http()({.host = "127.0.0.1", .port = silent_port})), hangs_(hangs) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    return hangs_ ? silent_->send(request) : server_.answer(request);
  }

 private:
  EtcdServerDouble& server_;
  const std::unique_ptr<api::Transport> silent_;
  const std::atomic<bool>& hangs_;
};

TEST_F(EtcdLogTest, NoThreadWaitsForASilentEtcdOnceTheProcessHasEndedForTwoSeconds) {
  test::Listener silent;
  std::atomic<bool> hangs = false;
  ManualClock clock(start);
  auto state = EtcdState::open(
      {.address = {.members = {{.host = "one", .port = 1}, {.host = "two", .port = 2}, {.host = "three", .port = 3}}},
       .node = "a",
       .dial = [&](const api::HostPort&) { return std::make_unique<WayThatHangs>(server, silent.port(), hangs); }},
      clock);
  ASSERT_TRUE(state) << state.error();
  auto log = (*state)->open_log("local", facts);
  ASSERT_TRUE(log) << log.error();
  hangs = true;
  std::jthread follower([&] {
    const auto taken = static_cast<EtcdLog&>(**log).catch_up([](LogEntry&&) {});
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error(), LogError::unreachable);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  (*state)->give_up();
  clock.advance(limits::etcd_end_ms);
  const TimestampMs began_ms = uptime_ms();
  follower.join();
  log->reset();
  state->reset();                                             // lets the others know that it has ended, if etcd answers
  EXPECT_LT(uptime_ms() - began_ms, limits::etcd_answer_ms);  // of one member; three are asked, with smaller pages
}

// Any faults, anywhere, with leaders that end: acknowledged entries are there, once and in order; refused ones are not.
TEST_F(EtcdLogTest, KeepsItsPromisesUnderRandomFaults) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Prng random(seed, "etcd log");
    EtcdServerDouble etcd;
    std::string expected;
    auto node = std::make_unique<Node>(etcd);
    ASSERT_EQ(node->problem, "");
    for (int number = 1; number <= 60; ++number) {
      for (const char* path : {"txn", "range", "keepalive", "grant"})
        if (random.below(3) == 0)
          etcd.fail(path, static_cast<Fault>(random.below(9)), static_cast<int>(random.between(1, 2)));
      if (random.below(8) == 0) node->state->leadership().keep();
      if (random.below(10) == 0 && etcd.rows().contains(leader_key)) etcd.end_lease_of(leader_key);
      if (random.below(6) == 0) etcd.deliver_late();
      const std::size_t bytes = random.below(40) == 0 ? limits::etcd_batch_bytes_max : 8;
      if (node->append({number}, bytes)) expected += std::to_string(number) + ' ';
      if (random.below(9) == 0 && node->log->last_position() > 0)
        (void)node->log->put_snapshot({.position = node->log->last_position(), .image = "i"});
      if (random.below(15) != 0) continue;
      // It is killed, and started again when etcd answers.
      node->leak();
      etcd.deliver_late();
      for (int tries = 0; tries < 50; ++tries) {
        if (etcd.rows().contains(leader_key)) etcd.end_lease_of(leader_key);
        node = std::make_unique<Node>(etcd, "b");
        if (node->problem.empty()) break;
      }
      ASSERT_EQ(node->problem, "") << "seed " << seed;
    }
    etcd.heal();
    etcd.deliver_late();
    node->leak();
    if (etcd.rows().contains(leader_key)) etcd.end_lease_of(leader_key);
    const Node last(etcd, "c");
    ASSERT_EQ(last.problem, "") << "seed " << seed;
    const std::string found =
        last.entries(last.log->latest_snapshot().value() ? last.log->latest_snapshot().value()->position + 1 : 1);
    EXPECT_TRUE(expected.ends_with(found)) << "seed " << seed << ": " << expected << "| " << found;
    EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(expected, ' ')), last.log->last_position()) << seed;
  }
}

// Who leads.

struct LeadershipTest : testing::Test {
  EtcdServerDouble server;
  ManualClock machine{start};
  const std::vector<api::HostPort> members{{.host = "one", .port = 1}};
  Leadership a{EtcdClient(members, server.dial()), "leader", "a", machine};
  Leadership b{EtcdClient(members, server.dial()), "leader", "b", machine};
};

TEST_F(LeadershipTest, OneLeadsAndTheOthersLearnItsName) {
  ASSERT_TRUE(a.campaign());
  EXPECT_GT(a.epoch(), 0);
  const auto refused = b.campaign();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().leader, "a");
  EXPECT_EQ(b.epoch(), 0);
  a.resign();
  EXPECT_EQ(a.epoch(), 0);
  EXPECT_TRUE(b.campaign());
  a.keep();  // who resigned does not come back
  EXPECT_EQ(a.epoch(), 0);
}

TEST_F(LeadershipTest, AnEpochNeverComesBack) {
  ASSERT_TRUE(a.campaign());
  const std::int64_t first = a.epoch();
  server.end_lease_of("leader");
  a.keep();
  EXPECT_GT(a.epoch(), first);
}

TEST_F(LeadershipTest, ALeaseThatWasNotKeptIsOldByOurOwnClock) {
  EXPECT_FALSE(a.is_lease_fresh());
  ASSERT_TRUE(a.campaign());
  EXPECT_TRUE(a.is_lease_fresh());
  machine.advance(limits::etcd_lease_s * second_ms - 1);
  EXPECT_TRUE(a.is_lease_fresh());
  a.keep();
  machine.advance(limits::etcd_lease_s * second_ms - 1);
  EXPECT_TRUE(a.is_lease_fresh());
  server.fail("keepalive", Fault::no_quorum);
  a.keep();
  machine.advance(1);
  EXPECT_FALSE(a.is_lease_fresh());
  EXPECT_GT(a.epoch(), 0);  // a comparison decides
}

TEST_F(LeadershipTest, ALostAnswerMakesNoSecondLeader) {
  for (const Fault fault : {Fault::lost_before, Fault::lost_after, Fault::late, Fault::no_quorum}) {
    server.fail("txn", fault);
    const bool leads = a.campaign().has_value();
    server.deliver_late();
    const std::int64_t epoch = a.epoch();
    EXPECT_EQ(leads, epoch != 0);
    EXPECT_EQ(leads, server.rows().contains("leader"));
    a.note_loss(a.epoch());
    if (!leads) continue;
    EXPECT_EQ(server.rows().at("leader").create_revision, epoch);
    server.end_lease_of("leader");
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
