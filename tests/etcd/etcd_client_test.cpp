// What the client of etcd promises, before an etcd that fails on request.

#include "sim/etcd/etcd_client.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "etcd/etcd_server_double.h"

namespace svc::sim {
namespace SVC_FILE {

using Fault = EtcdServerDouble::Fault;
using Kind = EtcdError::Kind;

const std::vector<api::HostPort> two_members{{.host = "one", .port = 1}, {.host = "two", .port = 2}};

EtcdTransaction put(const std::string& key, const std::string& value) {
  return {.compares = {{.key = key, .kind = EtcdCompare::Kind::absent}}, .puts = {{.key = key, .value = value}}};
}

struct EtcdClientTest : testing::Test {
  EtcdServerDouble server;
  EtcdClient client{two_members, server.dial()};
};

TEST_F(EtcdClientTest, PassesBytesAndNumbersOf64BitsExactly) {
  const std::string value("\0\xff{\"quoted\"}\n", 13);
  const auto lease = client.grant_lease(5);
  ASSERT_TRUE(lease);
  EXPECT_GT(*lease, 7'000'000'000'000'000'000);
  const auto done = client.commit({.puts = {{.key = std::string("k\0y", 3), .value = value, .lease = *lease}}});
  ASSERT_TRUE(done && done->succeeded);
  const auto row = client.read_one(std::string("k\0y", 3));
  ASSERT_TRUE(row && *row);
  EXPECT_EQ((*row)->value, value);
  EXPECT_EQ((*row)->lease, *lease);
  EXPECT_EQ((*row)->create_revision, done->revision);
}

TEST_F(EtcdClientTest, CommitsOnlyIfEveryComparisonHolds) {
  EXPECT_TRUE(client.commit(put("a", "1"))->succeeded);
  EXPECT_FALSE(client.commit(put("a", "2"))->succeeded);
  EXPECT_EQ((*client.read_one("a"))->value, "1");
}

TEST_F(EtcdClientTest, ReadsPageByPage) {
  for (const char* key : {"p/1", "p/2", "p/3", "q"}) server.put(key, "v");
  auto page = client.read(keys_below("p/"), 2);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), 2u);
  EXPECT_TRUE(page->has_more);
  EXPECT_EQ(client.read(keys_below("p/"), 3)->rows.size(), 3u);
  EXPECT_FALSE(client.read(keys_below("p/"), 3)->has_more);
}

TEST_F(EtcdClientTest, AWriteGoesOnToTheNextMemberOnlyWhileNothingWasSent) {
  server.fail("txn", Fault::connection_refused);
  EXPECT_TRUE(client.commit(put("a", "1"))->succeeded);
  server.fail("txn", Fault::connection_refused, 2);
  EXPECT_EQ(client.commit(put("b", "1")).error().kind, Kind::not_sent);
  const int sent = server.requests("txn");
  server.fail("txn", Fault::lost_before);
  EXPECT_EQ(client.commit(put("c", "1")).error().kind, Kind::unknown);
  EXPECT_EQ(server.requests("txn"), sent + 1);
}

TEST_F(EtcdClientTest, AReadGoesOnToTheNextMember) {
  server.put("a", "1");
  for (const Fault fault : {Fault::connection_refused, Fault::lost_before, Fault::no_quorum}) {
    server.fail("range", fault);
    EXPECT_TRUE(client.read_one("a").has_value());
  }
  server.fail("range", Fault::no_quorum, 2);
  EXPECT_EQ(client.read_one("a").error().kind, Kind::no_quorum);
}

TEST_F(EtcdClientTest, TellsWhetherAWriteMayHaveHappened) {
  struct Case {
    Fault fault;
    Kind kind;
    bool nothing_happened;
  };
  const Case cases[] = {{Fault::lost_before, Kind::unknown, false},
                        {Fault::no_quorum, Kind::no_quorum, false},
                        {Fault::full, Kind::quota_full, false},
                        {Fault::filled, Kind::quota_full, false},
                        {Fault::slow_refusal, Kind::refused, true}};
  for (const Case& one : cases) {
    server.fail("txn", one.fault);
    const auto done = client.commit({.puts = {{.key = "a", .value = "1"}}});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, one.kind) << done.error().reason;
    EXPECT_EQ(done.error().nothing_happened(), one.nothing_happened) << done.error().reason;
  }
}

TEST_F(EtcdClientTest, RefusalsHaveEtcdsText) {
  const auto revoked = client.revoke_lease(12);
  ASSERT_FALSE(revoked);
  EXPECT_EQ(revoked.error().kind, Kind::refused);
  EXPECT_EQ(revoked.error().reason, "etcd: etcdserver: requested lease not found");
  EXPECT_EQ(*client.keep_lease(12), 0);
}

// Notes which member is asked.
class NotedWay final : public api::Transport {
 public:
  NotedWay(EtcdServerDouble& server, std::string host, std::vector<std::string>& asked)
      : server_(server), host_(std::move(host)), asked_(asked) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    asked_.push_back(host_);
    return server_.answer(request);
  }

 private:
  EtcdServerDouble& server_;
  const std::string host_;
  std::vector<std::string>& asked_;
};

TEST(EtcdLeader, IsAskedOnceItIsKnownAndOnlyThen) {
  EtcdServerDouble server;
  std::vector<std::string> asked;
  EtcdClient client(two_members, [&](const api::HostPort& member) -> std::unique_ptr<api::Transport> {
    return std::make_unique<NotedWay>(server, member.host, asked);
  });
  server.fail("member/list", Fault::no_quorum);
  client.prefer_leader();
  EXPECT_TRUE(client.commit(put("a", "1"))->succeeded);
  EXPECT_EQ(asked.back(), "one") << "who leads is not known";
  client.prefer_leader();
  EXPECT_EQ(std::ranges::count(asked, "two"), 0) << "a member that hangs would hold up the write";
  EXPECT_TRUE(client.commit(put("b", "1"))->succeeded);
  EXPECT_EQ(asked.back(), "two");
}

TEST(EtcdAddress, IsMembersAndAName) {
  const auto address = parse_etcd_address("etcd://127.0.0.1:2379,localhost,[::1]:99/team-a");
  ASSERT_TRUE(address) << address.error();
  EXPECT_EQ(to_string(*address), "etcd://127.0.0.1:2379,localhost:2379,[::1]:99/team-a");
  EXPECT_EQ(parse_etcd_address("etcd://h:1")->name, "svc");
  for (const char* text : {"etcd://", "etcd://a,", "etcd://a:b", "etcd://a/", "etcd://a/b/c", "etcd://a/b c"})
    EXPECT_FALSE(parse_etcd_address(text)) << text;
  const auto with_password = parse_etcd_address("etcd://user:hidden@a:1");
  ASSERT_FALSE(with_password);
  EXPECT_EQ(with_password.error().find("hidden"), std::string::npos) << with_password.error();
  std::string many = "etcd://a";
  for (std::size_t i = 1; i < limits::etcd_members_max; ++i) many += ",a";
  EXPECT_TRUE(parse_etcd_address(many));
  EXPECT_FALSE(parse_etcd_address(many + ",a"));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
