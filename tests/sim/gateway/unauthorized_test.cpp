// Every 401 is the same answer, header for header: it does not reveal which signature was genuine. (API: Errors)
#include <gtest/gtest.h>

#include <map>

#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

// Everything a client sees; the order of header fields does not matter.
using Seen = std::pair<std::multimap<std::string, std::string>, std::string>;

Seen seen(const Reply& reply) {
  std::multimap<std::string, std::string> fields;
  for (const api::Header& field : reply.headers) fields.emplace(field.name, field.value);
  return {fields, reply.body.dump()};
}

struct UnauthorizedTest : testing::Test {
  UnauthorizedTest() {
    SandboxOptions options = test_options();
    options.limits = {.multiplier = 1};
    exchange.emplace(options);
    trader.emplace(*exchange, std::size_t{0});
    owner.emplace(*exchange, 0);
    plain = seen(exchange->send("GET", "/v1/orders", ""));
  }
  void expect_plain(const Reply& reply) const {
    EXPECT_EQ(reply.status, 401) << reply.body;
    EXPECT_EQ(seen(reply), plain);
  }

  std::optional<TestExchange> exchange;
  std::optional<Trader> trader;
  std::optional<Owner> owner;
  Seen plain;
};

TEST_F(UnauthorizedTest, IsTheSameForASpentNonceAndAForgeryOfAWithdrawalOrTransfer) {
  const auto stranger = *signing::PrivateKey::from_hex(std::string(64, '7'));
  ASSERT_EQ(owner->withdraw("1", {.nonce = 5}).status, 200);
  ASSERT_EQ(owner->enroll({.nonce = 6}).status, 200);
  expect_plain(owner->withdraw("1", {.nonce = 5}));
  expect_plain(owner->withdraw("1", {.nonce = 7, .signer = stranger}));
  expect_plain(owner->enroll({.nonce = 6}));
  expect_plain(owner->enroll({.nonce = 7, .signer = stranger}));
  expect_plain(owner->enroll({.nonce = 7, .deployment = "elsewhere"}));
  expect_plain(owner->list("", "", {.signer = stranger}));
  expect_plain(owner->pay(Owner(*exchange, 1).account(), "1", "a", {.nonce = 6}));
}

TEST_F(UnauthorizedTest, IsTheSameForSessionsKeysAndActions) {
  expect_plain(exchange->post("/v1/auth/login", {{"message", "Sign in to Svc Exchange"}, {"signature", "0x00"}}));
  expect_plain(exchange->send("GET", "/v1/keys", "", {{"Authorization", "Bearer " + std::string(64, '0')}}));
  expect_plain(exchange->send("POST", "/v1/ws/token", "", {{"Authorization", "Bearer " + trader->session()}}));
  expect_plain(trader->post_with("/orders", limit_order("Buy", "0.1", "59000"), {{"X-Action-Nonce", "1"}}));
}

TEST_F(UnauthorizedTest, IsTheSameFromAFault) {
  for (const Json& rule : {Json{{"status", 401}, {"count", 1}}, Json{{"code", "unauthorized"}, {"count", 1}},
                           Json{{"code", "RATE_LIMIT_EXCEEDED"}, {"status", 401}, {"count", 1}}}) {
    ASSERT_EQ(exchange->control("/faults", rule).status, 200) << rule;
    expect_plain(trader->get("/orders"));
    EXPECT_EQ(trader->get("/orders").status, 200);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
