#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

signing::PrivateKey key_of(char digit) {
  return *signing::PrivateKey::from_hex(std::string(64, digit));
}

// Two enrolled development accounts.
struct Pair {
  explicit Pair(TestExchange& exchange) : alice(exchange, 0), bob(exchange, 1) {
    EXPECT_EQ(alice.enroll().status, 200);
    EXPECT_EQ(bob.enroll().status, 200);
  }
  Owner alice;
  Owner bob;
};

std::string balance_of(TestExchange& exchange, std::size_t index) {
  return Trader(exchange, index).get("/account").body["balance"];
}

struct Transfers : testing::Test {
  TestExchange exchange;
};

TEST_F(Transfers, EnrollingAgainChangesNothing) {
  Owner alice(exchange, 0);
  const Json enrolled{{"account", alice.account()}, {"enrolled", true}, {"enrolled_at", test_start_ms}};
  EXPECT_EQ(alice.enroll().body, enrolled);
  exchange.control("/time", {{"advance_ms", 1'000}});
  EXPECT_EQ(alice.enroll().body, enrolled);
}

TEST_F(Transfers, AnEnrolmentThatTheEngineRefusesIsUndone) {
  Owner alice(exchange, 0);
  exchange.control("/faults", {{"code", "TRANSFER_ENGINE_UNAVAILABLE"}, {"count", 1}});
  const Reply refused = alice.enroll();
  EXPECT_EQ(refused.status, 502) << refused.body;
  EXPECT_EQ(refused.code(), "TRANSFER_ENGINE_UNAVAILABLE");
  EXPECT_EQ(alice.list().status, 403) << "not enrolled";
  EXPECT_EQ(alice.enroll().status, 200);
}

TEST_F(Transfers, MoveMoneyAndLeaveAReceiptForBoth) {
  Pair pair(exchange);
  const Reply paid = pair.alice.pay(pair.bob.account(), "25.50", "rent-1");
  ASSERT_EQ(paid.status, 200) << paid.body;
  EXPECT_EQ(paid.body, (Json{{"id", "00040000-0000-4000-8000-000000000001"},
                             {"client_transfer_id", "rent-1"},
                             {"sender", pair.alice.account()},
                             {"recipient", pair.bob.account()},
                             {"amount", "25.5"},
                             {"asset", "USDX"},
                             {"status", "committed"},
                             {"committed_at", test_start_ms}}));
  EXPECT_EQ(balance_of(exchange, 0), "99974.5");
  EXPECT_EQ(balance_of(exchange, 1), "100025.5");
  const std::string id = paid.body["id"];
  EXPECT_EQ(pair.alice.read(id).body, paid.body);
  EXPECT_EQ(pair.bob.read(id).body, paid.body);
  EXPECT_EQ(pair.alice.list().body, Json::array({paid.body}));
  EXPECT_EQ(pair.bob.list().body, Json::array({paid.body}));
  for (const std::size_t account : {std::size_t{0}, std::size_t{1}})
    EXPECT_EQ(Trader(exchange, account).get("/account/activity").body[0]["reference"], id);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST_F(Transfers, AnIdPaysOnceAndConflictsWithAnotherIntent) {
  Pair pair(exchange);
  const Reply first = pair.alice.pay(pair.bob.account(), "10", "once");
  exchange.control("/time", {{"advance_ms", 5'000}});
  const Reply again = pair.alice.pay(pair.bob.account(), "10.0", "once");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, first.body);
  Owner carol(exchange, 2);
  ASSERT_EQ(carol.enroll().status, 200);
  for (const Reply& other :
       {pair.alice.pay(pair.bob.account(), "11", "once"), pair.alice.pay(carol.account(), "10", "once")}) {
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.code(), "TRANSFER_ID_CONFLICT");
  }
  // Ids are per sender.
  EXPECT_EQ(pair.bob.pay(pair.alice.account(), "3", "once").status, 200);
  EXPECT_EQ(balance_of(exchange, 0), "99993");
}

TEST_F(Transfers, ConcurrentRepeatsPayOnce) {
  Pair pair(exchange);
  // Signed beforehand, each with its own nonce; if a later one arrives first, the earlier ones become invalid.
  std::vector<Reply> replies(8);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    threads.emplace_back([&, i] {
      Owner alice(exchange, 0);
      replies[i] = alice.pay(pair.bob.account(), "10", "racing", {.nonce = 100 + i});
    });
  }
  threads.clear();
  std::string id;
  for (const Reply& reply : replies) {
    ASSERT_TRUE(reply.status == 200 || reply.status == 401) << reply.body;
    if (reply.status != 200) continue;
    if (id.empty()) id = reply.body["id"];
    EXPECT_EQ(reply.body["id"], id);
  }
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(balance_of(exchange, 0), "99990");
  EXPECT_EQ(pair.alice.list("", "", {}).body.size(), 1u);
}

TEST_F(Transfers, OnlyEnrolledOrdinaryAndDistinctAccountsCanTransfer) {
  Owner alice(exchange, 0);
  Owner bob(exchange, 1);
  const auto expect_ineligible = [](const Reply& reply, const char* what) {
    EXPECT_EQ(reply.status, 403) << what;
    EXPECT_EQ(reply.code(), "TRANSFER_ACCOUNT_INELIGIBLE") << what;
  };
  expect_ineligible(alice.pay(bob.account(), "1", "a"), "the sender is not enrolled");
  expect_ineligible(alice.list(), "whoever is not enrolled has nothing to list");
  ASSERT_EQ(alice.enroll().status, 200);
  expect_ineligible(alice.pay(bob.account(), "1", "a"), "the recipient is not enrolled");
  expect_ineligible(alice.pay(alice.account(), "1", "a"), "one and the same");
  const Reply stranger = alice.pay("0x" + std::string(40, '5'), "1", "a");
  EXPECT_EQ(stranger.status, 404);
  EXPECT_EQ(stranger.code(), "not_found");
  EXPECT_EQ(balance_of(exchange, 0), "100000");
}

TEST_F(Transfers, ASourceWithPositionsOrdersOrAFreezeIsBlocked) {
  Pair pair(exchange);
  const Trader alice(exchange, std::size_t{0});
  const auto expect_blocked = [&](const char* what) {
    const Reply reply = pair.alice.pay(pair.bob.account(), "1", "blocked");
    EXPECT_EQ(reply.status, 403) << what;
    EXPECT_EQ(reply.code(), "TRANSFER_OUTFLOW_BLOCKED") << what;
  };
  const Json order = alice.limit("Buy", "0.1", "50000");
  expect_blocked("a resting order");
  EXPECT_EQ(pair.bob.pay(pair.alice.account(), "1", "inward").status, 200) << "what comes in does not matter";
  ASSERT_EQ(alice.del("/orders/" + order["id"].get<std::string>()).status, 200);
  ASSERT_EQ(exchange.control("/accounts/" + pair.alice.account() + "/freeze", Json::object()).status, 200);
  expect_blocked("a freeze");
  ASSERT_EQ(exchange.control("/accounts/" + pair.alice.account() + "/unfreeze", Json::object()).status, 200);
  // A refused request does not use up its id.
  EXPECT_EQ(pair.alice.pay(pair.bob.account(), "1", "blocked").status, 200);

  (void)Trader(exchange, 2).limit("Sell", "0.1", "60000");
  (void)alice.limit("Buy", "0.1", "60000");
  const Reply held = pair.alice.pay(pair.bob.account(), "1", "held");
  EXPECT_EQ(held.code(), "TRANSFER_OUTFLOW_BLOCKED") << "a position";
}

TEST_F(Transfers, NobodyCanPayMoreThanTheBalance) {
  Pair pair(exchange);
  const Reply poor = pair.alice.pay(pair.bob.account(), "100000.000001", "all");
  EXPECT_EQ(poor.status, 403);
  EXPECT_EQ(poor.code(), "InsufficientBalance");
  for (const char* amount : {"0", "-1", "0.0000001"})
    EXPECT_EQ(pair.alice.pay(pair.bob.account(), amount, "all").code(), "InvalidAmount") << amount;
  EXPECT_EQ(pair.alice.pay(pair.bob.account(), "100000", "all").status, 200);
}

TEST_F(Transfers, AnIdHas1To64Bytes) {
  Pair pair(exchange);
  EXPECT_EQ(pair.alice.pay(pair.bob.account(), "1", "").status, 400);
  EXPECT_EQ(pair.alice.pay(pair.bob.account(), "1", std::string(65, 'x')).status, 400);
  EXPECT_EQ(pair.alice.pay(pair.bob.account(), "1", std::string(64, 'x')).status, 200);
}

TEST_F(Transfers, ASignatureNotForThisExchangeIsRefusedOpaquely) {
  Pair pair(exchange);
  ASSERT_EQ(pair.alice.pay(pair.bob.account(), "1", "paid", {.nonce = 50}).status, 200);
  const std::string paid = pair.alice.list().body[0]["id"];
  const OwnerTerms rows[] = {
      {.nonce = 60, .signer = key_of('7')},
      {.nonce = 60, .deployment = "prd-testnet"},
      {.nonce = 60, .domain_name = "Other Exchange"},
      {.nonce = 60, .skew_ms = 30'001},
      {.nonce = 60, .skew_ms = -30'001},
  };
  for (const OwnerTerms& terms : rows) {
    for (const Reply& refused : {pair.alice.enroll(terms), pair.alice.pay(pair.bob.account(), "1", "more", terms),
                                 pair.alice.list("", "", terms), pair.alice.read(paid, terms)}) {
      EXPECT_EQ(refused.status, 401) << terms.deployment << terms.domain_name << terms.skew_ms;
      EXPECT_EQ(refused.body, (Json{{"code", "unauthorized"}}));
    }
  }
  for (const std::uint64_t spent : {50u, 49u})
    EXPECT_EQ(pair.alice.pay(pair.bob.account(), "1", "more", {.nonce = spent}).status, 401);
  EXPECT_EQ(pair.alice.pay(pair.bob.account(), "1", "more", {.nonce = 60, .skew_ms = 30'000}).status, 200);
}

TEST_F(Transfers, KeysAndSessionsDoNotReplaceTheOwnersSignature) {
  Pair pair(exchange);
  const Trader alice(exchange, std::size_t{0});
  const std::string reader = "?account=" + alice.account() + "&domain=svc-local";
  EXPECT_EQ(alice.get("/transfers" + reader).status, 401);
  EXPECT_EQ(alice.get("/transfers/1" + reader).status, 401);
  EXPECT_EQ(alice.post("/transfers/enroll", {{"account", alice.account()}, {"domain", "svc-local"}}).status, 401);
}

TEST_F(Transfers, AreVisibleOnlyToSenderAndRecipientAndPaged) {
  Pair pair(exchange);
  Owner carol(exchange, 2);
  ASSERT_EQ(carol.enroll().status, 200);
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(pair.alice.pay(pair.bob.account(), "1", "id " + std::to_string(i)).body["id"]);
  EXPECT_EQ(carol.read(ids[0]).status, 404);
  EXPECT_EQ(carol.list().body, Json::array());
  EXPECT_EQ(pair.alice.read("00040000-0000-4000-8000-000000000099").status, 404);
  EXPECT_EQ(pair.alice.read("nonsense").status, 404);

  std::vector<std::string> seen;
  std::string cursor;
  for (int page = 0; page < 3; ++page) {
    const Reply listed = pair.bob.list("2", cursor);
    ASSERT_EQ(listed.status, 200) << listed.body;
    for (const Json& row : listed.body) seen.push_back(row["id"]);
    cursor = listed.headers.find("X-Next-Cursor").value_or("");
    EXPECT_EQ(cursor.empty(), page == 2);
  }
  std::reverse(ids.begin(), ids.end());
  EXPECT_EQ(seen, ids);
  // An invalid cursor reads as none.
  EXPECT_EQ(pair.bob.list("2", "no such cursor").body[0]["id"], ids[0]);
}

TEST_F(Transfers, AreUnavailableToSignersWhenSwitchedOff) {
  Pair pair(exchange);
  ASSERT_EQ(exchange.control("/switches", {{"transfers", false}}).status, 200);
  for (const Reply& refused : {pair.alice.enroll(), pair.alice.pay(pair.bob.account(), "1", "x"), pair.alice.list(),
                               pair.alice.read("nonsense")}) {
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.code(), "TRANSFERS_UNAVAILABLE");
  }
  EXPECT_EQ(pair.alice.list("", "", {.signer = key_of('7')}).status, 401);
  ASSERT_EQ(exchange.control("/switches", {{"transfers", true}}).status, 200);
  EXPECT_EQ(pair.alice.list().status, 200);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
