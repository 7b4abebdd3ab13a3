// The stores behind authentication and allowances: sessions, keys, agents, nonces, claims.
#include <gtest/gtest.h>

#include "base/archive.h"
#include "base/limits.h"
#include "sim/services/account_settings.h"
#include "sim/services/credentials.h"
#include "sim/services/payments.h"
#include "sim/services/serve.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs now_ms = 1'700'000'000'000;
const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");
const Address bob = *parse_address("0x00000000000000000000000000000000000000b0");
const Address agent = *parse_address("0x00000000000000000000000000000000000000c0");

SessionStore new_sessions(std::uint64_t seed = 1) {
  return SessionStore(SecretStream(Prng(seed, "sessions")));
}
ApiKeyStore new_keys(std::uint64_t seed = 1) {
  return ApiKeyStore(SecretStream(Prng(seed, "keys")));
}

Secret open(SessionStore& sessions, const Address& account, TimestampMs at_ms = now_ms) {
  return sessions.open(account, std::nullopt, at_ms);
}
std::optional<MintedKey> create(ApiKeyStore& keys, const Address& account, std::optional<std::string> label = {}) {
  return keys.create({.account = account, .label = std::move(label), .ceiling_per_second = 20}, std::nullopt, now_ms);
}

// Saves one store into another.
template <class Store>
void restore_from(const Store& before, Store& after) {
  const std::string bytes = to_archive(before);
  ASSERT_TRUE(restore(after, bytes));
  EXPECT_EQ(to_archive(after), bytes);
}

TEST(SessionStore, ATokenIsValidForExactlyTwentyFourHours) {
  SessionStore sessions = new_sessions();
  const Secret token = open(sessions, alice);
  EXPECT_EQ(token.reveal().size(), 64u);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms), alice);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms + day_ms - 1), alice);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms + day_ms), std::nullopt);
  EXPECT_EQ(sessions.next_end_ms(now_ms), now_ms + day_ms);
  EXPECT_EQ(sessions.next_end_ms(now_ms + day_ms), std::nullopt);
  EXPECT_EQ(sessions.find("", now_ms), std::nullopt);
  EXPECT_EQ(sessions.find(std::string(64, '0'), now_ms), std::nullopt);
}

TEST(SessionStore, BeyondItsBoundTheOldestSessionEnds) {
  SessionStore sessions = new_sessions();
  const Secret oldest = open(sessions, alice);
  const Secret second = open(sessions, alice);
  for (std::size_t i = 2; i < limits::sessions_max; ++i) (void)open(sessions, bob);
  EXPECT_EQ(sessions.find(oldest.reveal(), now_ms), alice);
  (void)open(sessions, bob);
  EXPECT_EQ(sessions.find(oldest.reveal(), now_ms), std::nullopt);
  EXPECT_EQ(sessions.find(second.reveal(), now_ms), alice);
  EXPECT_EQ(sessions.size(), limits::sessions_max);
}

TEST(SessionStore, ATokenOfTheSystemComesWithItsHashAlone) {
  SessionStore sessions = new_sessions();
  EXPECT_TRUE(sessions.open(alice, token_hash("drawn"), now_ms).empty());
  EXPECT_EQ(sessions.find("drawn", now_ms), alice);
  EXPECT_TRUE(sessions.open(bob, token_hash("drawn"), now_ms).empty());
  EXPECT_EQ(sessions.find("drawn", now_ms), alice) << "a session stays whose it is";
  EXPECT_EQ(sessions.size(), 1u);
  SessionStore untouched = new_sessions();
  EXPECT_EQ(open(sessions, alice).reveal(), open(untouched, alice).reveal()) << "it uses nothing of the stream";
}

TEST(DrawnSecrets, AreUnpredictableAndOfTheSameFormat) {
  const DrawnKey first = *key_drawn_before(SecretSource::system);
  const DrawnKey second = *key_drawn_before(SecretSource::system);
  EXPECT_NE(first.id, second.id);
  EXPECT_NE(first.secret, second.secret);
  EXPECT_TRUE(first.id.starts_with("svc_"));
  EXPECT_EQ(first.id.size(), 4u + 16u);
  EXPECT_EQ(first.secret.size(), 64u);
  const auto token = [] { return drawn_before(SecretSource::system, session_token_bytes); };
  EXPECT_NE(token()->reveal(), token()->reveal());
  EXPECT_EQ(token()->reveal().size(), 64u);
  EXPECT_FALSE(drawn_before(SecretSource::seed, session_token_bytes)) << "the writer draws them";
  EXPECT_FALSE(key_drawn_before(SecretSource::seed));
}

TEST(SessionStore, ASecondLoginLeavesTheFirstSessionAlone) {
  SessionStore sessions = new_sessions();
  const Secret first = open(sessions, alice);
  const Secret second = open(sessions, alice, now_ms + 1);
  EXPECT_NE(first.reveal(), second.reveal());
  EXPECT_EQ(sessions.find(first.reveal(), now_ms), alice);
}

TEST(SessionStore, ExpiredSessionsMakeRoom) {
  SessionStore sessions = new_sessions();
  for (int i = 0; i < 10; ++i) (void)open(sessions, alice);
  (void)open(sessions, alice, now_ms + day_ms);
  EXPECT_EQ(sessions.size(), 1u);
}

TEST(SessionStore, TheSameSeedGivesAnAccountTheSameTokens) {
  SessionStore a = new_sessions(7), b = new_sessions(7), c = new_sessions(8), d = new_sessions(7);
  const Secret token = open(a, alice);
  EXPECT_EQ(token.reveal(), open(b, alice).reveal());
  EXPECT_NE(token.reveal(), open(c, alice).reveal());
  EXPECT_NE(token.reveal(), open(d, bob).reveal()) << "a client that mistakes one sandbox for another must not be bob";
}

TEST(ApiKeyStore, MintsAnIdAndASecretOfTheDocumentedFormat) {
  ApiKeyStore keys = new_keys();
  const auto minted = create(keys, alice, "desk");
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

TEST(ApiKeyStore, TheSameSeedGivesTheSameKeys) {
  ApiKeyStore a = new_keys(7), b = new_keys(7), c = new_keys(8);
  const auto key = create(a, alice);
  const auto same = create(b, alice);
  EXPECT_EQ(key->id, same->id);
  EXPECT_EQ(key->secret.reveal(), same->secret.reveal());
  EXPECT_NE(key->id, create(c, alice)->id);
}

TEST(ApiKeyStore, AKeyOfTheSystemIsUsedAsItWasDrawn) {
  ApiKeyStore keys = new_keys();
  const DrawnKey drawn = *key_drawn_before(SecretSource::system);
  const auto minted = keys.create({.account = alice}, drawn, now_ms);
  EXPECT_EQ(minted->id, drawn.id);
  EXPECT_EQ(keys.find(drawn.id)->secret.reveal(), drawn.secret);
  const auto second = keys.create({.account = bob}, drawn, now_ms);
  EXPECT_NE(second->id, drawn.id) << "the id is in use";
  EXPECT_EQ(keys.find(drawn.id)->account, alice);
  EXPECT_EQ(keys.find(second->id)->secret.reveal(), drawn.secret);
}

TEST(ApiKeyStore, OnlyTheOwnerRemovesAKey) {
  ApiKeyStore keys = new_keys();
  const std::string id = create(keys, alice)->id;
  EXPECT_FALSE(keys.remove(bob, id));
  EXPECT_TRUE(keys.remove(alice, id));
  EXPECT_FALSE(keys.remove(alice, id));
  EXPECT_EQ(keys.find(id), nullptr);
  EXPECT_TRUE(keys.of(alice).empty());
}

TEST(ApiKeyStore, AnAccountHasABoundedNumberOfKeys) {
  ApiKeyStore keys = new_keys();
  for (std::size_t i = 0; i < limits::api_keys_per_account_max; ++i) ASSERT_TRUE(create(keys, alice));
  EXPECT_FALSE(create(keys, alice));
  EXPECT_TRUE(create(keys, bob));
  ASSERT_TRUE(keys.remove(alice, keys.of(alice).front()->id));
  EXPECT_TRUE(create(keys, alice));
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
  EXPECT_EQ(agents.next_end_ms(now_ms), now_ms + day_ms);
  EXPECT_EQ(agents.add(agent_of(alice), now_ms).error(), api::ErrorCode::duplicate_agent);
  EXPECT_EQ(agents.add(agent_of(bob), now_ms).error(), api::ErrorCode::duplicate_agent);
  EXPECT_TRUE(agents.find(agent, now_ms + day_ms - 1));
  EXPECT_FALSE(agents.find(agent, now_ms + day_ms));
  EXPECT_FALSE(agents.next_end_ms(now_ms + day_ms));
  EXPECT_TRUE(agents.of(alice, now_ms + day_ms).empty());
  Agent again = agent_of(bob);
  again.expires_at_ms = now_ms + 2 * day_ms;
  ASSERT_TRUE(agents.add(again, now_ms + day_ms));
  EXPECT_EQ(agents.find(agent, now_ms + day_ms)->account, bob);
  EXPECT_TRUE(agents.of(alice, now_ms + day_ms).empty());
}

TEST(AgentStore, OnlyTheAccountAndTheAgentItselfRevokeIt) {
  AgentStore agents;
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms));
  EXPECT_FALSE(agents.revoke(bob, agent, now_ms));
  EXPECT_TRUE(agents.revoke(alice, agent, now_ms));
  EXPECT_FALSE(agents.find(agent, now_ms));
  EXPECT_FALSE(agents.revoke(alice, agent, now_ms));
  EXPECT_FALSE(agents.revoke(agent, agent, now_ms));
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms));
  EXPECT_TRUE(agents.revoke(agent, agent, now_ms));
  EXPECT_FALSE(agents.find(agent, now_ms));
}

TEST(AgentStore, AnAccountHasABoundedNumberOfAgentsAndExpiredOnesDoNotCount) {
  AgentStore agents;
  for (std::size_t i = 0; i < limits::agents_per_account_max; ++i) {
    Address address = agent;
    address.bytes[0] = static_cast<std::uint8_t>(i + 1);
    ASSERT_TRUE(agents.add(agent_of(alice, address), now_ms));
  }
  EXPECT_EQ(agents.add(agent_of(alice), now_ms).error(), api::ErrorCode::too_many_agents);
  EXPECT_TRUE(agents.add(agent_of(bob), now_ms));
  Agent later = agent_of(alice, bob);
  later.expires_at_ms = now_ms + 2 * day_ms;
  EXPECT_TRUE(agents.add(later, now_ms + day_ms));
  EXPECT_EQ(agents.of(alice, now_ms + day_ms).size(), 1u);
}

// The nonces of one request of the signer.
bool spend(NonceBook& nonces, const Address& signer, const std::vector<std::uint64_t>& of_request) {
  SpentNonces spent;
  for (const std::uint64_t nonce : of_request) spent.push_back({NonceSequence::requests, signer, nonce});
  return nonces.spend(spent);
}

TEST(NonceBook, EachSignerHasOneStrictlyIncreasingSequence) {
  NonceBook nonces;
  EXPECT_TRUE(spend(nonces, alice, {0}));
  EXPECT_FALSE(spend(nonces, alice, {0}));
  EXPECT_TRUE(spend(nonces, alice, {5}));
  EXPECT_FALSE(spend(nonces, alice, {4}));
  EXPECT_EQ(nonces.highest(NonceSequence::requests, alice), 5u) << "an old one changes nothing";
  EXPECT_TRUE(spend(nonces, bob, {4}));
  EXPECT_TRUE(spend(nonces, alice, {UINT64_MAX}));
  EXPECT_FALSE(spend(nonces, alice, {UINT64_MAX}));
}

TEST(NonceBook, OwnersHaveASequenceOfTheirOwn) {
  NonceBook nonces;
  EXPECT_TRUE(nonces.spend({{NonceSequence::requests, alice, 5}}));
  EXPECT_TRUE(nonces.is_fresh({NonceSequence::owners, alice, 1}));
  EXPECT_TRUE(nonces.spend({{NonceSequence::owners, alice, 1}}));
  EXPECT_FALSE(nonces.is_fresh({NonceSequence::owners, alice, 1}));
  EXPECT_EQ(nonces.highest(NonceSequence::requests, alice), 5u);
  EXPECT_EQ(nonces.highest(NonceSequence::owners, alice), 1u);
  EXPECT_EQ(nonces.highest(NonceSequence::owners, bob), std::nullopt);
}

TEST(NonceBook, NoncesOfOneRequestAreComparedWithTheValueBeforeIt) {
  NonceBook nonces;
  EXPECT_TRUE(spend(nonces, alice, {10}));
  EXPECT_TRUE(spend(nonces, alice, {12, 11}));  // 11 does not conflict with 12
  EXPECT_EQ(nonces.highest(NonceSequence::requests, alice), 12u);
  EXPECT_TRUE(spend(nonces, alice, {13, 13}));
  EXPECT_FALSE(spend(nonces, alice, {20, 13}));  // one is too old: refused, and the other one is spent
  EXPECT_EQ(nonces.highest(NonceSequence::requests, alice), 20u);
}

// Takes what is offered.
Result<FaucetClaim, std::optional<TimestampMs>> claim(FaucetLedger& faucet, const Address& account, TimestampMs at_ms) {
  auto offer = faucet.offer(account, at_ms);
  if (offer) faucet.note(account, *offer);
  return offer;
}
Result<Credit, api::ApiError> claim(CreditLedger& credits, const Address& account, std::optional<Usdx> amount,
                                    TimestampMs at_ms) {
  auto offer = credits.offer(account, amount, at_ms);
  if (offer) credits.note(account, *offer, at_ms);
  return offer;
}

TEST(FaucetLedger, PaysOnceADayUntilTheTotalIsReached) {
  FaucetLedger faucet;
  const auto first = claim(faucet, alice, now_ms);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->amount, Usdx{1'000 * usdx_one});
  EXPECT_EQ(first->available_at_ms, now_ms + day_ms);
  EXPECT_EQ(claim(faucet, alice, now_ms + day_ms - 1).error(), now_ms + day_ms);
  EXPECT_TRUE(claim(faucet, bob, now_ms));
  for (int day = 1; day < 100; ++day) EXPECT_TRUE(claim(faucet, alice, now_ms + day * day_ms)) << day;
  EXPECT_EQ(claim(faucet, alice, now_ms + 109 * day_ms).error(), std::nullopt);
}

TEST(FaucetLedger, AnOfferThatWasNotCreditedDoesNotCount) {
  FaucetLedger faucet;
  EXPECT_TRUE(faucet.offer(alice, now_ms));
  EXPECT_TRUE(faucet.offer(alice, now_ms));
}

TEST(CreditLedger, EachAccountHasAnAllowancePerUtcDay) {
  CreditLedger credits;
  const auto part = claim(credits, alice, Usdx{200 * usdx_one}, now_ms);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->credited_today, Usdx{200 * usdx_one});
  EXPECT_EQ(part->daily_limit, Usdx{500 * usdx_one});
  const auto too_much = claim(credits, alice, Usdx{301 * usdx_one}, now_ms);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, api::ErrorCode::daily_limit_exceeded);
  EXPECT_EQ(too_much.error().members, R"("credited_today":")" + format_usdx(Usdx{200 * usdx_one}) +
                                          R"(","daily_limit":")" + format_usdx(Usdx{500 * usdx_one}) + '"');
  EXPECT_EQ(claim(credits, alice, std::nullopt, now_ms)->amount, Usdx{300 * usdx_one});
  EXPECT_FALSE(claim(credits, alice, std::nullopt, now_ms));
  EXPECT_TRUE(claim(credits, bob, std::nullopt, now_ms));
  const TimestampMs midnight = (now_ms / day_ms + 1) * day_ms;
  EXPECT_FALSE(claim(credits, alice, std::nullopt, midnight - 1));
  EXPECT_EQ(claim(credits, alice, std::nullopt, midnight)->amount, Usdx{500 * usdx_one});
}

TEST(CreditLedger, AnOfferThatWasNotCreditedDoesNotCount) {
  CreditLedger credits;
  EXPECT_EQ(credits.offer(alice, std::nullopt, now_ms)->credited_today, Usdx{500 * usdx_one});
  EXPECT_EQ(credits.offer(alice, std::nullopt, now_ms)->credited_today, Usdx{500 * usdx_one});
}

TEST(RestoredStores, SessionsStayValidAndNoTokenIsDrawnTwice) {
  SessionStore before = new_sessions();
  const Secret first = open(before, alice);
  SessionStore after = new_sessions();
  restore_from(before, after);
  EXPECT_EQ(after.find(first.reveal(), now_ms), alice);
  EXPECT_FALSE(after.find(first.reveal(), now_ms + day_ms));
  const Secret second = open(after, bob);
  EXPECT_NE(second.reveal(), first.reveal());
  EXPECT_EQ(second.reveal(), open(before, bob).reveal());
  EXPECT_EQ(to_archive(before).find(first.reveal()), std::string::npos) << "hashes only";
}

TEST(RestoredStores, KeysKeepTheirOrderAndNoneIsDrawnTwice) {
  ApiKeyStore before = new_keys();
  std::vector<MintedKey> minted;
  for (int i = 0; i < 5; ++i) minted.push_back(std::move(*create(before, alice, "desk")));
  ASSERT_TRUE(before.remove(alice, minted[1].id));
  ApiKeyStore after = new_keys();
  restore_from(before, after);
  const auto keys = after.of(alice);
  ASSERT_EQ(keys.size(), 4u);
  for (std::size_t i = 1; i < keys.size(); ++i) EXPECT_LT(keys[i - 1]->number, keys[i]->number);
  const auto hmac = signing::HmacKey::from_hex(minted[0].secret.reveal());
  EXPECT_EQ(after.find(minted[0].id)->hmac.sign_hex("text"), hmac->sign_hex("text"));
  EXPECT_EQ(after.find(minted[0].id)->label, "desk");
  EXPECT_EQ(after.find(minted[1].id), nullptr);
  const auto next = create(after, bob);
  for (const MintedKey& key : minted) EXPECT_NE(next->id, key.id);
  EXPECT_EQ(next->id, create(before, bob)->id);
}

TEST(RestoredStores, AKeyThatSignsNothingIsRefused) {
  struct Row {
    std::string id = "svc_1";
    Address account = alice;
    std::optional<std::string> label{};
    std::uint32_t ceiling_per_second = 20;
    TimestampMs created_at_ms = 0;
    std::string secret = std::string(64, 'a');
    std::uint64_t number = 1;
  };
  const auto taken = [](const std::vector<Row>& rows) {
    ApiKeyStore keys = new_keys();
    return restore(keys, bytes_of(SecretStream(Prng(1)), std::uint64_t{5}, rows));
  };
  EXPECT_TRUE(taken({Row{}}));
  EXPECT_FALSE(taken({Row{.secret = "zz"}}));
  EXPECT_FALSE(taken({Row{.id = "a b"}}));
  EXPECT_FALSE(taken({Row{.label = "\xff"}}));
  EXPECT_FALSE(taken({Row{.created_at_ms = -1}}));
  EXPECT_FALSE(taken({Row{.number = 0}}));
  EXPECT_FALSE(taken({Row{}, Row{.number = 2}})) << "one id twice";
}

TEST(RestoredStores, AgentsNoncesTiersAndClaimsAreKept) {
  AgentStore agents_before, agents;
  ASSERT_TRUE(agents_before.add(agent_of(alice), now_ms));
  restore_from(agents_before, agents);
  EXPECT_EQ(agents.find(agent, now_ms)->account, alice);
  EXPECT_EQ(agents.of(alice, now_ms).size(), 1u);

  NonceBook nonces_before, nonces;
  EXPECT_TRUE(spend(nonces_before, alice, {5}));
  EXPECT_FALSE(spend(nonces_before, alice, {4}));
  restore_from(nonces_before, nonces);
  EXPECT_EQ(nonces.highest(NonceSequence::requests, alice), 5u);
  EXPECT_FALSE(nonces.highest(NonceSequence::owners, alice));
  EXPECT_FALSE(spend(nonces, alice, {5}));

  TierStore tiers_before, tiers;
  tiers_before.assign(alice, api::Tier::market_maker);
  tiers_before.assign(bob, api::Tier::unlimited);
  EXPECT_TRUE(tiers_before.reset(bob));
  restore_from(tiers_before, tiers);
  EXPECT_EQ(tiers.of(alice), api::Tier::market_maker);
  EXPECT_EQ(tiers.of(bob), api::Tier::pro);

  FaucetLedger faucet_before, faucet;
  ASSERT_TRUE(claim(faucet_before, alice, now_ms));
  restore_from(faucet_before, faucet);
  EXPECT_EQ(claim(faucet, alice, now_ms).error(), now_ms + day_ms);

  CreditLedger credits_before, credits;
  ASSERT_TRUE(claim(credits_before, alice, Usdx{200 * usdx_one}, now_ms));
  restore_from(credits_before, credits);
  EXPECT_FALSE(claim(credits, alice, Usdx{301 * usdx_one}, now_ms));
  EXPECT_TRUE(claim(credits, alice, Usdx{300 * usdx_one}, now_ms));
}

TEST(RestoredStores, WhatWasRevokedStaysRevoked) {
  AgentStore before, after;
  ASSERT_TRUE(before.add(agent_of(alice), now_ms));
  ASSERT_TRUE(before.revoke(alice, agent, now_ms));
  restore_from(before, after);
  EXPECT_FALSE(after.find(agent, now_ms));
}

TEST(RestoredStores, RowsThatCannotBeAreRefused) {
  const auto agents_taken = [](const Address& key, const Agent& row) {
    AgentStore agents;
    return restore(agents, bytes_of(std::map<Address, Agent>{{key, row}}));
  };
  EXPECT_TRUE(agents_taken(agent, agent_of(alice)));
  EXPECT_FALSE(agents_taken(bob, agent_of(alice))) << "another address";
  Agent timeless = agent_of(alice);
  timeless.expires_at_ms = -1;
  EXPECT_FALSE(agents_taken(agent, timeless));

  struct Claims {
    Usdx total{};
    TimestampMs available_at_ms = 0;
  };
  const auto claims_taken = [](const Claims& row) {
    FaucetLedger faucet;
    return restore(faucet, bytes_of(std::map<Address, Claims>{{alice, row}}));
  };
  EXPECT_TRUE(claims_taken({Usdx{1}, now_ms}));
  EXPECT_FALSE(claims_taken({Usdx{-1}, now_ms}));
  EXPECT_FALSE(claims_taken({Usdx{1}, INT64_MAX}));

  const auto credits_taken = [](std::int64_t day, Usdx taken) {
    CreditLedger credits;
    return restore(credits, bytes_of(day, std::map<Address, Usdx>{{alice, taken}}));
  };
  EXPECT_TRUE(credits_taken(now_ms / day_ms, Usdx{500 * usdx_one}));
  EXPECT_FALSE(credits_taken(now_ms / day_ms, Usdx{501 * usdx_one})) << "more than a day's allowance";
  EXPECT_FALSE(credits_taken(-1, Usdx{1}));

  TierStore tiers;
  EXPECT_FALSE(restore(tiers, bytes_of(std::map<Address, std::uint8_t>{{alice, std::uint8_t{9}}})));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
