// The stores behind authentication and allowances: sessions, keys, agents, nonces, claims.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/archive.h"
#include "base/limits.h"
#include "sim/services/agent_store.h"
#include "sim/services/api_key_store.h"
#include "sim/services/faucet_ledger.h"
#include "sim/services/nonce_book.h"
#include "sim/services/session_store.h"
#include "sim/services/account_settings.h"

namespace svc::sim {
namespace SVC_FILE {

RecordBatch records;  // changes that the stores want logged

constexpr TimestampMs now_ms = 1'700'000'000'000;
const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");
const Address bob = *parse_address("0x00000000000000000000000000000000000000b0");
const Address agent = *parse_address("0x00000000000000000000000000000000000000c0");

TEST(SessionStore, ATokenIsValidForExactlyTwentyFourHours) {
  SessionStore sessions(Prng(1, "sessions"));
  const Secret token = sessions.open(alice, now_ms, records);
  EXPECT_EQ(token.reveal().size(), 64u);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms), alice);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms + day_ms - 1), alice);
  EXPECT_EQ(sessions.find(token.reveal(), now_ms + day_ms), std::nullopt);
  EXPECT_EQ(sessions.find("", now_ms), std::nullopt);
  EXPECT_EQ(sessions.find(std::string(64, '0'), now_ms), std::nullopt);
}

TEST(SessionStore, TokensFollowFromTheSeedUnlessTheyComeFromTheSystem) {
  const auto first_of = [](SecretSource source) {
    SessionStore sessions(SecretStream(Prng(1, "sessions"), source));
    return std::string(sessions.open(alice, now_ms, records).reveal());
  };
  EXPECT_EQ(first_of(SecretSource::seed), first_of(SecretSource::seed));
  EXPECT_NE(first_of(SecretSource::system), first_of(SecretSource::seed));
  EXPECT_NE(first_of(SecretSource::system), first_of(SecretSource::system));
}

TEST(ApiKeyStore, SystemSecretsDoNotFollowFromTheSeed) {
  const auto first_of = [](SecretSource source) {
    ApiKeyStore keys(SecretStream(Prng(1, "keys"), source), api::NetworkId::local);
    const auto minted = keys.create(alice, std::nullopt, 0, now_ms, records);
    return minted->id + ' ' + std::string(minted->secret.reveal());
  };
  EXPECT_EQ(first_of(SecretSource::seed), first_of(SecretSource::seed));
  EXPECT_NE(first_of(SecretSource::system), first_of(SecretSource::seed));
  EXPECT_NE(first_of(SecretSource::system), first_of(SecretSource::system));
}

TEST(SessionStore, ASecondLoginLeavesTheFirstSessionAlone) {
  SessionStore sessions(Prng(1, "sessions"));
  const Secret first = sessions.open(alice, now_ms, records);
  const Secret second = sessions.open(alice, now_ms + 1, records);
  EXPECT_NE(first.reveal(), second.reveal());
  EXPECT_EQ(sessions.find(first.reveal(), now_ms), alice);
}

TEST(SessionStore, ExpiredSessionsMakeRoom) {
  SessionStore sessions(Prng(1, "sessions"));
  for (int i = 0; i < 10; ++i) (void)sessions.open(alice, now_ms, records);
  (void)sessions.open(alice, now_ms + day_ms, records);
  EXPECT_EQ(sessions.size(), 1u);
}

TEST(SessionStore, TheSameSeedGivesTheSameTokens) {
  SessionStore a(Prng(7, "sessions")), b(Prng(7, "sessions")), c(Prng(8, "sessions"));
  const Secret token = a.open(alice, now_ms, records);
  EXPECT_EQ(token.reveal(), b.open(bob, now_ms, records).reveal());
  EXPECT_NE(token.reveal(), c.open(alice, now_ms, records).reveal());
}

TEST(ApiKeyStore, MintsAnIdAndASecretOfTheDocumentedFormat) {
  ApiKeyStore keys(Prng(1, "keys"), api::NetworkId::local);
  const auto minted = keys.create(alice, "desk", 20, now_ms, records);
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
  ApiKeyStore keys(Prng(1, "keys"), api::NetworkId::local);
  const std::string id = keys.create(alice, std::nullopt, 20, now_ms, records)->id;
  EXPECT_FALSE(keys.remove(bob, id, records));
  EXPECT_TRUE(keys.remove(alice, id, records));
  EXPECT_FALSE(keys.remove(alice, id, records));
  EXPECT_EQ(keys.find(id), nullptr);
  EXPECT_TRUE(keys.of(alice).empty());
}

TEST(ApiKeyStore, AnAccountHasABoundedNumberOfKeys) {
  ApiKeyStore keys(Prng(1, "keys"), api::NetworkId::local);
  for (std::size_t i = 0; i < limits::api_keys_per_account_max; ++i)
    ASSERT_TRUE(keys.create(alice, {}, 20, now_ms, records));
  EXPECT_FALSE(keys.create(alice, {}, 20, now_ms, records));
  EXPECT_TRUE(keys.create(bob, {}, 20, now_ms, records));
  ASSERT_TRUE(keys.remove(alice, keys.of(alice).front()->id, records));
  EXPECT_TRUE(keys.create(alice, {}, 20, now_ms, records));
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
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms, records));
  EXPECT_EQ(agents.find(agent, now_ms)->account, alice);
  EXPECT_EQ(agents.add(agent_of(alice), now_ms, records).error(), AgentRefusal::duplicate);
  EXPECT_EQ(agents.add(agent_of(bob), now_ms, records).error(), AgentRefusal::duplicate);
  EXPECT_TRUE(agents.find(agent, now_ms + day_ms - 1));
  EXPECT_FALSE(agents.find(agent, now_ms + day_ms));
  EXPECT_TRUE(agents.of(alice, now_ms + day_ms).empty());
  Agent again = agent_of(bob);
  again.expires_at_ms = now_ms + 2 * day_ms;
  ASSERT_TRUE(agents.add(again, now_ms + day_ms, records));
  EXPECT_EQ(agents.find(agent, now_ms + day_ms)->account, bob);
  EXPECT_TRUE(agents.of(alice, now_ms + day_ms).empty());
}

TEST(AgentStore, OnlyTheAccountRevokesItsAgent) {
  AgentStore agents;
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms, records));
  EXPECT_FALSE(agents.revoke(bob, agent, now_ms, records));
  EXPECT_TRUE(agents.revoke(alice, agent, now_ms, records));
  EXPECT_FALSE(agents.find(agent, now_ms));
  EXPECT_FALSE(agents.revoke(alice, agent, now_ms, records));
}

TEST(AgentStore, AnAccountHasABoundedNumberOfAgentsAndExpiredOnesDoNotCount) {
  AgentStore agents;
  for (std::size_t i = 0; i < limits::agents_per_account_max; ++i) {
    Address address = agent;
    address.bytes[0] = static_cast<std::uint8_t>(i + 1);
    ASSERT_TRUE(agents.add(agent_of(alice, address), now_ms, records));
  }
  EXPECT_EQ(agents.add(agent_of(alice), now_ms, records).error(), AgentRefusal::too_many);
  EXPECT_TRUE(agents.add(agent_of(bob), now_ms, records));
  Agent later = agent_of(alice, bob);
  later.expires_at_ms = now_ms + 2 * day_ms;
  EXPECT_TRUE(agents.add(later, now_ms + day_ms, records));
  EXPECT_EQ(agents.of(alice, now_ms + day_ms).size(), 1u);
}

TEST(NonceBook, EachSignerHasOneStrictlyIncreasingSequence) {
  NonceBook nonces;
  EXPECT_TRUE(nonces.spend(alice, {0}, records));
  EXPECT_FALSE(nonces.spend(alice, {0}, records));
  EXPECT_TRUE(nonces.spend(alice, {5}, records));
  EXPECT_FALSE(nonces.spend(alice, {4}, records));
  EXPECT_TRUE(nonces.spend(bob, {4}, records));
  EXPECT_TRUE(nonces.spend(alice, {UINT64_MAX}, records));
  EXPECT_FALSE(nonces.spend(alice, {UINT64_MAX}, records));
}

TEST(NonceBook, NoncesOfOneRequestAreComparedWithTheValueBeforeIt) {
  NonceBook nonces;
  EXPECT_TRUE(nonces.spend(alice, {10}, records));
  EXPECT_TRUE(nonces.spend(alice, {12, 11}, records));  // 11 does not conflict with 12
  EXPECT_EQ(nonces.highest(alice), 12u);
  EXPECT_TRUE(nonces.spend(alice, {13, 13}, records));
  EXPECT_FALSE(nonces.spend(alice, {20, 13}, records));  // one is too old: refused, and the other one is spent
  EXPECT_EQ(nonces.highest(alice), 20u);
}

TEST(FaucetLedger, PaysOnceADayUntilTheTotalIsReached) {
  FaucetLedger faucet({.amount{1'000 * usdx_one}, .cooldown_ms = day_ms, .lifetime_cap{2'500 * usdx_one}});
  const auto claim = faucet.claim(alice, now_ms, records);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->amount, Usdx{1'000 * usdx_one});
  EXPECT_EQ(claim->available_at_ms, now_ms + day_ms);
  EXPECT_EQ(faucet.claim(alice, now_ms + day_ms - 1, records).error().available_at_ms, now_ms + day_ms);
  EXPECT_TRUE(faucet.claim(bob, now_ms, records));
  EXPECT_TRUE(faucet.claim(alice, now_ms + day_ms, records));
  EXPECT_TRUE(faucet.claim(alice, now_ms + 9 * day_ms, records).error().capped);  // 500 left: less than a claim
}

TEST(FaucetLedger, AnUndoneClaimCanBeRepeated) {
  FaucetLedger faucet;
  const auto claim = faucet.claim(alice, now_ms, records);
  faucet.take_back(alice, *claim, records);
  EXPECT_TRUE(faucet.claim(alice, now_ms, records));
}

TEST(CreditLedger, EachAccountHasAnAllowancePerUtcDay) {
  CreditLedger credits;
  const auto part = credits.claim(alice, Usdx{200 * usdx_one}, now_ms, records);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->credited_today, Usdx{200 * usdx_one});
  EXPECT_EQ(part->daily_limit, Usdx{500 * usdx_one});
  const auto too_much = credits.claim(alice, Usdx{301 * usdx_one}, now_ms, records);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().credited_today, Usdx{200 * usdx_one});
  EXPECT_EQ(credits.claim(alice, std::nullopt, now_ms, records)->amount, Usdx{300 * usdx_one});
  EXPECT_FALSE(credits.claim(alice, std::nullopt, now_ms, records));
  EXPECT_TRUE(credits.claim(bob, std::nullopt, now_ms, records));
  const TimestampMs midnight = (now_ms / day_ms + 1) * day_ms;
  EXPECT_FALSE(credits.claim(alice, std::nullopt, midnight - 1, records));
  EXPECT_EQ(credits.claim(alice, std::nullopt, midnight, records)->amount, Usdx{500 * usdx_one});
}

TEST(CreditLedger, AnUndoneClaimDoesNotCount) {
  CreditLedger credits;
  const auto claim = credits.claim(alice, std::nullopt, now_ms, records);
  credits.take_back(alice, *claim, now_ms, records);
  EXPECT_EQ(credits.claim(alice, std::nullopt, now_ms, records)->credited_today, Usdx{500 * usdx_one});
}

// Restores the store from the rows that another one logged.
template <class Store>
void restore_into(Store& store, const RecordBatch& log) {
  for (const RecordChange& change : log) EXPECT_TRUE(store.restore(change));
}

TEST(RestoredStores, SessionsStayValidAndNoTokenIsDrawnTwice) {
  RecordBatch log;
  SessionStore before(Prng(7, "sessions"));
  const Secret first = before.open(alice, now_ms, log);
  SessionStore after(Prng(7, "sessions"));
  restore_into(after, log);
  EXPECT_EQ(after.find(first.reveal(), now_ms), alice);
  EXPECT_FALSE(after.find(first.reveal(), now_ms + day_ms));
  const Secret second = after.open(bob, now_ms, log);
  EXPECT_NE(second.reveal(), first.reveal());
  EXPECT_EQ(second.reveal(), before.open(bob, now_ms, records).reveal());
  for (const RecordChange& change : log)
    EXPECT_EQ(change.value.value_or("").find(first.reveal()), std::string::npos);  // hashes only
}

TEST(RestoredStores, KeysKeepTheirOrderAndNoneIsDrawnTwice) {
  RecordBatch log;
  ApiKeyStore before(Prng(1, "keys"), api::NetworkId::local);
  std::vector<MintedKey> minted;
  for (int i = 0; i < 5; ++i) minted.push_back(std::move(*before.create(alice, "desk", 20, now_ms, log)));
  ASSERT_TRUE(before.remove(alice, minted[1].id, log));
  std::reverse(log.begin(), log.end());  // rows of a snapshot are sorted by key; any order works
  std::erase_if(log, [&](const RecordChange& change) { return change.key == minted[1].id && change.value; });
  const auto latest = std::max_element(log.begin(), log.end(), [](const RecordChange& a, const RecordChange& b) {
    return (a.table == RecordTable::api_key_stream ? a.ticket : 0) <
           (b.table == RecordTable::api_key_stream ? b.ticket : 0);
  });
  const RecordChange stream = *latest;
  log.push_back(stream);
  ApiKeyStore after(Prng(1, "keys"), api::NetworkId::local);
  restore_into(after, log);
  const auto keys = after.of(alice);
  ASSERT_EQ(keys.size(), 4u);
  for (std::size_t i = 1; i < keys.size(); ++i) EXPECT_LT(keys[i - 1]->number, keys[i]->number);
  const auto hmac = signing::HmacKey::from_hex(minted[0].secret.reveal());
  EXPECT_EQ(after.find(minted[0].id)->hmac.sign_hex("text"), hmac->sign_hex("text"));
  EXPECT_EQ(after.find(minted[0].id)->label, "desk");
  EXPECT_EQ(after.find(minted[1].id), nullptr);
  const auto next = after.create(bob, {}, 20, now_ms, records);
  for (const MintedKey& key : minted) EXPECT_NE(next->id, key.id);
}

// (API: API keys are bound to one network)
TEST(RestoredStores, AKeyOfAnotherNetworkIsUnknownAndAnUnstampedOneIsAdoptedExceptByMainnet) {
  struct Row {
    Address account{};
    std::optional<std::string> label{};
    std::uint32_t ceiling_per_second = 20;
    TimestampMs created_at_ms = 0;
    std::string secret = std::string(64, 'a');
    std::uint64_t number = 1;
    std::optional<std::string> network{};
  };
  struct Case {
    std::optional<std::string> stamp;
    api::NetworkId network;
    bool valid;
  };
  using enum api::NetworkId;
  const Case cases[] = {{std::nullopt, local, true}, {std::nullopt, testnet, true}, {std::nullopt, mainnet, false},
                        {"testnet", testnet, true},  {"testnet", local, false},     {"testnet", mainnet, false},
                        {"mainnet", mainnet, true},  {"local", testnet, false}};
  for (const Case& row : cases) {
    ApiKeyStore keys(Prng(1, "keys"), row.network);
    restore_into(keys, {{RecordTable::api_keys, "svc_1", to_archive(Row{.account = alice, .network = row.stamp})}});
    EXPECT_EQ(keys.find("svc_1") != nullptr, row.valid)
        << row.stamp.value_or("unstamped") << " on " << api::to_string(row.network);
  }
}

TEST(RestoredStores, AgentsNoncesTiersAndClaimsAreKept) {
  RecordBatch log;
  {
    AgentStore agents;
    ASSERT_TRUE(agents.add(agent_of(alice), now_ms, log));
    NonceBook nonces;
    EXPECT_TRUE(nonces.spend(alice, {5}, log));
    EXPECT_FALSE(nonces.spend(alice, {4}, log));
    TierStore tiers;
    tiers.assign(alice, api::Tier::market_maker, log);
    tiers.assign(bob, api::Tier::unlimited, log);
    EXPECT_TRUE(tiers.reset(bob, log));
    FaucetLedger faucet;
    ASSERT_TRUE(faucet.claim(alice, now_ms, log));
    CreditLedger credits;
    ASSERT_TRUE(credits.claim(alice, Usdx{200 * usdx_one}, now_ms, log));
  }
  AgentStore agents;
  NonceBook nonces;
  NonceBook owner_nonces(RecordTable::owner_nonces);
  TierStore tiers;
  FaucetLedger faucet;
  CreditLedger credits;
  for (const RecordChange& change : log) {
    EXPECT_TRUE(agents.restore(change));
    EXPECT_TRUE(nonces.restore(change));
    EXPECT_TRUE(owner_nonces.restore(change));
    EXPECT_TRUE(tiers.restore(change));
    EXPECT_TRUE(faucet.restore(change));
    EXPECT_TRUE(credits.restore(change));
  }
  EXPECT_EQ(agents.find(agent, now_ms)->account, alice);
  EXPECT_EQ(agents.of(alice, now_ms).size(), 1u);
  EXPECT_EQ(nonces.highest(alice), 5u);
  EXPECT_FALSE(nonces.spend(alice, {5}, log));
  EXPECT_FALSE(owner_nonces.highest(alice));
  EXPECT_EQ(tiers.of(alice), api::Tier::market_maker);
  EXPECT_EQ(tiers.of(bob), api::Tier::pro);
  EXPECT_EQ(faucet.claim(alice, now_ms, log).error().available_at_ms, now_ms + day_ms);
  EXPECT_FALSE(credits.claim(alice, Usdx{301 * usdx_one}, now_ms, log));
  EXPECT_TRUE(credits.claim(alice, Usdx{300 * usdx_one}, now_ms, log));
}

TEST(RestoredStores, WhatWasRevokedStaysRevoked) {
  RecordBatch log;
  AgentStore agents;
  ASSERT_TRUE(agents.add(agent_of(alice), now_ms, log));
  ASSERT_TRUE(agents.revoke(alice, agent, now_ms, log));
  AgentStore after;
  restore_into(after, log);
  EXPECT_FALSE(after.find(agent, now_ms));
}

TEST(RestoredStores, AnUndoneClaimDoesNotCount) {
  RecordBatch log;
  CreditLedger credits;
  const auto claim = credits.claim(alice, Usdx{500 * usdx_one}, now_ms, log);
  credits.take_back(alice, *claim, now_ms, log);
  CreditLedger after;
  restore_into(after, log);
  EXPECT_TRUE(after.claim(alice, Usdx{500 * usdx_one}, now_ms, log));
}

// Allowances used to belong to API keys: an old folder can still be opened, and its rows of the day count for
// nobody.
TEST(RestoredStores, AcceptOldCreditRowsUnderTheIdOfAKey) {
  struct Taken {
    std::int64_t day;
    Usdx amount;
  };
  CreditLedger credits;
  EXPECT_TRUE(credits.restore({.table = RecordTable::credit_claims,
                               .key = "svc_0123456789abcdef",
                               .value = to_archive(Taken{now_ms / day_ms, Usdx{500 * usdx_one}})}));
  RecordBatch log;
  EXPECT_EQ(credits.claim(alice, std::nullopt, now_ms, log)->amount, Usdx{500 * usdx_one});
}

}  // namespace SVC_FILE
}  // namespace svc::sim
