// Stream tokens, in the store and over the API.
#include <gtest/gtest.h>

#include <set>

#include "base/archive.h"
#include "base/limits.h"
#include "sim/sandbox_exchange.h"
#include "sim/services/credentials.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs now_ms = 1'700'000'000'000;
const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");
const Address bob = *parse_address("0x00000000000000000000000000000000000000b0");

TEST(StreamTokens, AreValidOnceForTheirAccount) {
  StreamTokenStore tokens{SecretStream(Prng(1))};
  const Secret token = tokens.mint({.account = alice}, std::nullopt, now_ms);
  EXPECT_EQ(token.reveal().size(), 48u);
  EXPECT_EQ(token.reveal().find_first_not_of("0123456789abcdef"), std::string_view::npos);
  EXPECT_EQ(tokens.redeem(token_hash(token.reveal()), now_ms), (StreamGrant{.account = alice}));
  EXPECT_FALSE(tokens.redeem(token_hash(token.reveal()), now_ms));
  EXPECT_FALSE(tokens.redeem(token_hash(""), now_ms));
}

TEST(StreamTokens, LiveForAMinute) {
  StreamTokenStore tokens{SecretStream(Prng(1))};
  const Secret first = tokens.mint({.account = alice}, std::nullopt, now_ms);
  const Secret second = tokens.mint({.account = alice}, std::nullopt, now_ms);
  EXPECT_TRUE(tokens.redeem(token_hash(first.reveal()), now_ms + limits::stream_token_lifetime_ms - 1));
  EXPECT_FALSE(tokens.redeem(token_hash(second.reveal()), now_ms + limits::stream_token_lifetime_ms));
}

TEST(StreamTokens, OfTheLegacyKindOpenOnlyPublicChannels) {
  StreamTokenStore tokens{SecretStream(Prng(1))};
  const Secret token = tokens.mint({.account = bob, .channels = StreamChannels::public_only}, std::nullopt, now_ms);
  EXPECT_EQ(tokens.redeem(token_hash(token.reveal()), now_ms)->channels, StreamChannels::public_only);
}

TEST(StreamTokens, AreDroppedWhenExpiredOrTooMany) {
  StreamTokenStore tokens{SecretStream(Prng(1))};
  const Secret first = tokens.mint({.account = alice}, std::nullopt, now_ms);
  for (std::size_t i = 0; i < limits::stream_tokens_max; ++i) (void)tokens.mint({.account = bob}, std::nullopt, now_ms);
  EXPECT_EQ(tokens.size(), limits::stream_tokens_max);
  EXPECT_FALSE(tokens.redeem(token_hash(first.reveal()), now_ms));
  (void)tokens.mint({.account = bob}, std::nullopt, now_ms + limits::stream_token_lifetime_ms);
  EXPECT_EQ(tokens.size(), 1u);
}

TEST(StreamTokens, AreEqualOnlyForEqualHistories) {
  const auto token = [](std::uint64_t seed, const Address& account, TimestampMs at_ms) {
    StreamTokenStore tokens{SecretStream(Prng(seed))};
    return std::string(tokens.mint({.account = account}, std::nullopt, at_ms).reveal());
  };
  EXPECT_EQ(token(1, alice, now_ms), token(1, alice, now_ms));
  EXPECT_EQ(
      (std::set{token(1, alice, now_ms), token(2, alice, now_ms), token(1, bob, now_ms), token(1, alice, now_ms + 1)}
           .size()),
      4u);
}

TEST(StreamTokens, OfTheSystemComeWithTheirHashAlone) {
  StreamTokenStore tokens{SecretStream(Prng(1))};
  EXPECT_TRUE(tokens.mint({.account = alice}, token_hash("drawn"), now_ms).empty());
  EXPECT_EQ(tokens.redeem(token_hash("drawn"), now_ms), (StreamGrant{.account = alice}));
}

TEST(StreamTokens, StayValidAfterARestoreAndNoneIsDrawnTwice) {
  StreamTokenStore before{SecretStream(Prng(1))};
  const Secret used = before.mint({.account = alice}, std::nullopt, now_ms);
  const Secret open = before.mint({.account = alice}, std::nullopt, now_ms);
  EXPECT_TRUE(before.redeem(token_hash(used.reveal()), now_ms));
  const std::string bytes = to_archive(before);
  EXPECT_EQ(bytes.find(open.reveal()), std::string::npos) << "hashes only";
  StreamTokenStore after{SecretStream(Prng(1))};
  ArchiveReader reader(bytes);
  reader(after);
  ASSERT_TRUE(reader.done());
  EXPECT_FALSE(after.redeem(token_hash(used.reveal()), now_ms));
  EXPECT_EQ(after.redeem(token_hash(open.reveal()), now_ms), (StreamGrant{.account = alice}));
  const Secret next = after.mint({.account = alice}, std::nullopt, now_ms);
  EXPECT_NE(next.reveal(), open.reveal());
  EXPECT_EQ(next.reveal(), before.mint({.account = alice}, std::nullopt, now_ms).reveal());
}

TEST(StreamTokens, ARefusedOneStaysUntilItsTurn) {
  StreamTokenStore tokens{SecretStream(Prng(1))};
  const Secret token = tokens.mint({.account = alice}, std::nullopt, now_ms);
  const std::string before = to_archive(tokens);
  EXPECT_FALSE(tokens.redeem(token_hash(token.reveal()), now_ms + limits::stream_token_lifetime_ms));
  EXPECT_EQ(to_archive(tokens), before);
}

TEST(StreamTokens, HaveOneTurnEachToBeDropped) {
  struct Entry {
    StreamGrant grant{};
    TimestampMs ends_at_ms = 0;
  };
  const auto a = token_hash("a");
  const auto b = token_hash("b");
  const auto is_taken = [&](std::deque<signing::Hash32> turns) {
    ArchiveWriter writer;
    const Entry entry{.grant = {.account = alice}, .ends_at_ms = now_ms};
    writer(std::uint64_t{2}, std::map<signing::Hash32, Entry>{{a, entry}, {b, entry}}, turns);
    const std::string bytes = writer.take();
    StreamTokenStore tokens{SecretStream(Prng(1))};
    ArchiveReader reader(bytes);
    reader(tokens);
    return reader.done();
  };
  EXPECT_TRUE(is_taken({a, b}));
  EXPECT_TRUE(is_taken({token_hash("redeemed"), a, b}));
  EXPECT_FALSE(is_taken({a, a})) << "b has none";
  EXPECT_FALSE(is_taken({a, b, a}));
  EXPECT_FALSE(is_taken({a}));
}

TEST(StreamTokens, AreMintedByKeyAndByASessionOnlyIfOldContractsAreServed) {
  for (const bool old_contract : {false, true}) {
    SandboxOptions options = test_options();
    options.session_mints_stream_tokens = old_contract;
    TestExchange exchange(options);
    const Trader trader(exchange, 0);
    EXPECT_EQ(trader.post("/ws/token").body["token"].get<std::string>().size(), 48u);
    EXPECT_EQ(trader.post("/ws-tokens").body["token"].get<std::string>().size(), 48u);
    const api::Headers session{{"Authorization", "Bearer " + trader.session()}};
    EXPECT_EQ(exchange.send("POST", "/v1/ws/token", "", session).status, old_contract ? 200 : 401);
    EXPECT_EQ(exchange.send("POST", "/v1/ws-tokens", "", session).status, 401);
    EXPECT_EQ(exchange.send("POST", "/v1/ws/token", "").status, 401);
  }
}

TEST(Streams, RequireAnUpgrade) {
  TestExchange exchange;
  for (const char* path : {"/v1/stream", "/v1/ws?token=x"}) {
    const Reply reply = exchange.get(path);
    EXPECT_EQ(reply.status, 426);
    EXPECT_EQ(reply.code(), "upgrade_required");
    EXPECT_EQ(reply.headers.find("Upgrade"), "websocket");
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
