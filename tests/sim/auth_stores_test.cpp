// What the venue remembers about who may act: sessions, keys, agents, nonces, allowances.
#include <gtest/gtest.h>

#include "base/limits.h"
#include "sim/services/agent_store.h"
#include "sim/services/api_key_store.h"
#include "sim/services/credit_ledger.h"
#include "sim/services/faucet_ledger.h"
#include "sim/services/nonce_book.h"
#include "sim/services/session_store.h"

namespace svc::sim {
namespace {

constexpr TimestampMs now_ms = 1'700'000'000'000;
const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");
const Address bob = *parse_address("0x00000000000000000000000000000000000000b0");
const Address agent = *parse_address("0x00000000000000000000000000000000000000c0");

TEST(SessionStore, ATokenStandsForItsAccountForExactlyTwentyFourHours) {
  SessionStore sessions(Prng(1, "sessions"));
  const Secret token = sessions.open(alice, now_ms);
  EXPECT_EQ(token.reveal().size(), 64u);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms), alice);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms + day_ms - 1), alice);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms + day_ms), std::nullopt);
  EXPECT_EQ(sessions.find("", now_ms), std::nullopt);
  EXPECT_EQ(sessions.find(std::string(64, '0'), now_ms), std::nullopt);
}

TEST(SessionStore, ASecondLoginLeavesTheFirstSessionAlone) {
  SessionStore sessions(Prng(1, "sessions"));
  const Secret first = sessions.open(alice, now_ms);
  const Secret second = sessions.open(alice, now_ms + 1);
  EXPECT_NE(first.reveal(), second.reveal());
  EXPECT_EQ(sessions.find(first.reveal(), now_ms), alice);
}

TEST(SessionStore, SessionsThatAreOverMakeRoom) {
  SessionStore sessions(Prng(1, "sessions"));
  for (int i = 0; i < 10; ++i) (void)sessions.open(alice, now_ms);
  (void)sessions.open(alice, now_ms + day_ms);
  EXPECT_EQ(sessions.size(), 1u);
}

TEST(SessionStore, SameSeedSameTokens) {
  SessionStore a(Prng(7, "sessions")), b(Prng(7, "sessions")), c(Prng(8, "sessions"));
  const Secret token = a.open(alice, now_ms);
  EXPECT_EQ(token.reveal(), b.open(bob, now_ms).reveal());
  EXPECT_NE(token.reveal(), c.open(alice, now_ms).reveal());
}

TEST(ApiKeyStore, MintsAnIdAndASecretOfThePromisedShape) {
  ApiKeyStore keys(Prng(1, "keys"));
  const auto minted = keys.create(alice, "desk", 20, now_ms);
  ASSERT_TRUE(minted);
  EXPECT_EQ(minted->id.size(), 4u + 16u);
  EXPECT_TRUE(minted->id.starts_with("svc_"));
  EXPECT_EQ(minted->secret.reveal().size(), 64u);
  const auto key = keys.find(minted->id);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->account, alice);
  EXPECT_EQ(key->label, "desk");
  EXPECT_EQ(key->ceiling_per_second, 20u);
  const auto hmac = signing::HmacKey::from_hex(minted->secret.reveal());
  EXPECT_EQ(hmac->sign("x"), key->hmac.sign("x"));
}

TEST(ApiKeyStore, OnlyTheOwnerRemovesAKey) {
  ApiKeyStore keys(Prng(1, "keys"));
  const std::string id = keys.create(alice, std::nullopt, 20, now_ms)->id;
  EXPECT_FALSE(keys.remove(bob, id));
  EXPECT_TRUE(keys.remove(alice, id));
  EXPECT_FALSE(keys.remove(alice, id));
  EXPECT_EQ(keys.find(id), nullptr);
  EXPECT_TRUE(keys.of(alice).empty());
}

TEST(ApiKeyStore, AnAccountHasABoundedNumberOfKeys) {
  ApiKeyStore keys(Prng(1, "keys"));
  for (std::size_t i = 0; i < limits::api_keys_per_account_max; ++i) ASSERT_TRUE(keys.create(alice, {}, 20, now_ms));
  EXPECT_FALSE(keys.create(alice, {}, 20, now_ms));
  EXPECT_TRUE(keys.create(bob, {}, 20, now_ms));
  ASSERT_TRUE(keys.remove(alice, keys.of(alice).front()->id));
  EXPECT_TRUE(keys.create(alice, {}, 20, now_ms));
}

Agent agent_of(const Address& account, const Address& address = agent) {
  return {.address = address,
          .account = account,
          .label = {},
          .registered_at_ms = now_ms,
          .expires_at_ms = now_ms + day_ms};
}

TEST(AgentStore, AnAddressIsTheAgentOfOneAccountUntilItExpires) {
  AgentStore agents;
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms));
  EXPECT_EQ(agents.find(agent, now_ms)->account, alice);
  EXPECT_EQ(agents.add(agent_of(alice), now_ms).error(), AgentRefusal::duplicate);
  EXPECT_EQ(agents.add(agent_of(bob), now_ms).error(), AgentRefusal::duplicate);
  EXPECT_TRUE(agents.find(agent, now_ms + day_ms - 1));
  EXPECT_FALSE(agents.find(agent, now_ms + day_ms));
  EXPECT_TRUE(agents.of(alice, now_ms + day_ms).empty());
  Agent again = agent_of(bob);
  again.expires_at_ms = now_ms + 2 * day_ms;
  ASSERT_TRUE(agents.add(again, now_ms + day_ms));
  EXPECT_EQ(agents.find(agent, now_ms + day_ms)->account, bob);
  EXPECT_TRUE(agents.of(alice, now_ms + day_ms).empty());
}

TEST(AgentStore, OnlyTheAccountRevokesItsAgent) {
  AgentStore agents;
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms));
  EXPECT_FALSE(agents.revoke(bob, agent, now_ms));
  EXPECT_TRUE(agents.revoke(alice, agent, now_ms));
  EXPECT_FALSE(agents.find(agent, now_ms));
  EXPECT_FALSE(agents.revoke(alice, agent, now_ms));
}

TEST(AgentStore, AnAccountHasABoundedNumberOfAgentsAndExpiredOnesDoNotCount) {
  AgentStore agents;
  for (std::size_t i = 0; i < limits::agents_per_account_max; ++i) {
    Address address = agent;
    address.bytes[0] = static_cast<std::uint8_t>(i + 1);
    ASSERT_TRUE(agents.add(agent_of(alice, address), now_ms));
  }
  EXPECT_EQ(agents.add(agent_of(alice), now_ms).error(), AgentRefusal::too_many);
  EXPECT_TRUE(agents.add(agent_of(bob), now_ms));
  Agent later = agent_of(alice, bob);
  later.expires_at_ms = now_ms + 2 * day_ms;
  EXPECT_TRUE(agents.add(later, now_ms + day_ms));
  EXPECT_EQ(agents.of(alice, now_ms + day_ms).size(), 1u);
}

TEST(NonceBook, EachSignerHasOneStrictlyIncreasingSequence) {
  NonceBook nonces;
  EXPECT_TRUE(nonces.spend(alice, {0}));
  EXPECT_FALSE(nonces.spend(alice, {0}));
  EXPECT_TRUE(nonces.spend(alice, {5}));
  EXPECT_FALSE(nonces.spend(alice, {4}));
  EXPECT_TRUE(nonces.spend(bob, {4}));
  EXPECT_TRUE(nonces.spend(alice, {UINT64_MAX}));
  EXPECT_FALSE(nonces.spend(alice, {UINT64_MAX}));
}

TEST(NonceBook, NoncesOfOneRequestAreComparedWithTheValueBeforeIt) {
  NonceBook nonces;
  EXPECT_TRUE(nonces.spend(alice, {10}));
  EXPECT_TRUE(nonces.spend(alice, {12, 11}));  // 11 is not held against 12
  EXPECT_EQ(nonces.highest(alice), 12u);
  EXPECT_TRUE(nonces.spend(alice, {13, 13}));
  EXPECT_FALSE(nonces.spend(alice, {20, 13}));  // one is old: refused, and the other is spent
  EXPECT_EQ(nonces.highest(alice), 20u);
}

TEST(FaucetLedger, GivesOnceADayUntilTheTotalIsReached) {
  FaucetLedger faucet({.amount{1'000 * usdx_one}, .cooldown_ms = day_ms, .lifetime_cap{2'500 * usdx_one}});
  const auto claim = faucet.claim(alice, now_ms);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->amount, Usdx{1'000 * usdx_one});
  EXPECT_EQ(claim->available_at_ms, now_ms + day_ms);
  EXPECT_EQ(faucet.claim(alice, now_ms + day_ms - 1).error().available_at_ms, now_ms + day_ms);
  EXPECT_TRUE(faucet.claim(bob, now_ms));
  EXPECT_TRUE(faucet.claim(alice, now_ms + day_ms));
  EXPECT_TRUE(faucet.claim(alice, now_ms + 9 * day_ms).error().capped);  // 500 left is less than a claim
}

TEST(FaucetLedger, AClaimTakenBackCanBeMadeAgain) {
  FaucetLedger faucet;
  const auto claim = faucet.claim(alice, now_ms);
  faucet.take_back(alice, *claim);
  EXPECT_TRUE(faucet.claim(alice, now_ms));
}

TEST(CreditLedger, EachKeyHasAnAllowancePerUtcDay) {
  CreditLedger credits;
  const auto part = credits.claim("k1", Usdx{200 * usdx_one}, now_ms);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->credited_today, Usdx{200 * usdx_one});
  EXPECT_EQ(part->daily_limit, Usdx{500 * usdx_one});
  const auto too_much = credits.claim("k1", Usdx{301 * usdx_one}, now_ms);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().credited_today, Usdx{200 * usdx_one});
  EXPECT_EQ(credits.claim("k1", std::nullopt, now_ms)->amount, Usdx{300 * usdx_one});
  EXPECT_FALSE(credits.claim("k1", std::nullopt, now_ms));
  EXPECT_TRUE(credits.claim("k2", std::nullopt, now_ms));
  const TimestampMs midnight = (now_ms / day_ms + 1) * day_ms;
  EXPECT_FALSE(credits.claim("k1", std::nullopt, midnight - 1));
  EXPECT_EQ(credits.claim("k1", std::nullopt, midnight)->amount, Usdx{500 * usdx_one});
}

TEST(CreditLedger, AClaimTakenBackCountsNoMore) {
  CreditLedger credits;
  const auto claim = credits.claim("k1", std::nullopt, now_ms);
  credits.take_back("k1", *claim, now_ms);
  EXPECT_EQ(credits.claim("k1", std::nullopt, now_ms)->credited_today, Usdx{500 * usdx_one});
}

}  // namespace
}  // namespace svc::sim
