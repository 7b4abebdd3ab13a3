// Each authentication scheme: what is accepted, and everything that is refused.
#include "sim/gateway/auth_world.h"

namespace svc::sim {
namespace SVC_FILE {

TEST_F(AuthTest, PublicOperationsNeedNoCredentialAndIgnoreAnyGiven) {
  const Message tickers{.operation = &ops::ListTickers::op, .path = "/tickers"};
  EXPECT_EQ(verdict(tickers), "ok");
  const auto signed_read = authenticate(replaced(with_hmac(tickers), "x-signature", "nonsense"));
  ASSERT_TRUE(signed_read);
  EXPECT_FALSE(signed_read->caller);
}

TEST_F(AuthTest, AnApiKeyAuthenticatesItsOwner) {
  const auto proven = authenticate(with_hmac(place()));
  ASSERT_TRUE(proven);
  EXPECT_STREQ(proven->credential, "hmac");
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(proven->caller->key->id, minted.id);
  EXPECT_FALSE(proven->action);
}

TEST_F(AuthTest, TheWindowIsThirtySecondsBothWaysAndIncludesItsEdges) {
  EXPECT_EQ(verdict(with_hmac(read(), now_ms - 30'000)), "ok");
  EXPECT_EQ(verdict(with_hmac(read(), now_ms + 30'000)), "ok");
  EXPECT_EQ(verdict(with_hmac(read(), now_ms - 30'001)), "timestamp_outside_window");
  EXPECT_EQ(verdict(with_hmac(read(), now_ms + 30'001)), "timestamp_outside_window");
  EXPECT_EQ(verdict(with_agent(read(), 1, agent, now_ms - 30'001)), "timestamp_outside_window");
}

TEST_F(AuthTest, SkewIsCheckedBeforeKeyAndSignature) {
  const Message stale = with_hmac(read(), now_ms - 40'000);
  EXPECT_EQ(verdict(replaced(stale, "x-api-key", "svc_0000000000000000")), "timestamp_outside_window");
  EXPECT_EQ(verdict(replaced(stale, "x-signature", "zz")), "timestamp_outside_window");
}

TEST_F(AuthTest, AnyChangeToASignedRequestBreaksItsSignature) {
  Message message = with_hmac(place());
  message.query = "a=1";
  EXPECT_EQ(verdict(message), "signature_mismatch");
  message = with_hmac(place());
  message.path = "/api/v1/orders";
  EXPECT_EQ(verdict(message), "signature_mismatch");
  message = with_hmac(place());
  message.body += " ";
  EXPECT_EQ(verdict(message), "signature_mismatch");
  message = with_hmac(place());
  message.operation = &ops::CancelAllOrders::op;
  EXPECT_EQ(verdict(message), "signature_mismatch");
  EXPECT_EQ(verdict(replaced(with_hmac(place()), "x-timestamp", std::to_string(now_ms + 1))), "signature_mismatch");
}

TEST_F(AuthTest, HmacHeadersMustOccurOnceAndBeWellFormed) {
  EXPECT_EQ(verdict(read()), "missing_credential");
  EXPECT_EQ(verdict(without(with_hmac(read()), "x-api-key")), "missing_credential");
  EXPECT_EQ(verdict(without(with_hmac(read()), "x-timestamp")), "missing_credential");
  EXPECT_EQ(verdict(without(with_hmac(read()), "x-signature")), "missing_credential");
  for (const char* header : {"x-api-key", "x-timestamp", "x-signature"}) {
    EXPECT_EQ(verdict(repeated(with_hmac(read()), header)), "repeated_or_empty_header") << header;
    EXPECT_EQ(verdict(replaced(with_hmac(read()), header, "")), "repeated_or_empty_header") << header;
  }
  EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-api-key", "svc_0000000000000000")), "unknown_key");
  for (const char* text :
       {"x", "-1", "1.7e12", "1700000000000 ", "+1700000000000", "01700000000000", "99999999999999999999"})
    EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-timestamp", text)), "malformed_timestamp") << text;
  std::string upper(*with_hmac(read()).headers.find("x-signature"));
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-signature", upper)), "signature_mismatch");
  EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-signature", "00")), "signature_mismatch");
}

TEST_F(AuthTest, ADeletedKeyIsUnknown) {
  const Message message = with_hmac(read());
  (void)served(services, DeleteKey{.account = owner.address(), .id = minted.id}, now_ms);
  EXPECT_EQ(verdict(message), "unknown_key");
}

TEST_F(AuthTest, AnAgentAuthenticatesItsAccount) {
  const auto proven = authenticate(with_agent(place(), 1, agent));
  ASSERT_TRUE(proven);
  EXPECT_STREQ(proven->credential, "agent");
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(proven->caller->agent, agent.address());
}

TEST_F(AuthTest, AgentAddressesMayHaveAnyCase) {
  Message message = with_agent(read(), 1, agent);
  std::string upper = to_string(agent.address());
  for (std::size_t i = 2; i < upper.size(); ++i) upper[i] = static_cast<char>(std::toupper(upper[i]));
  EXPECT_EQ(verdict(replaced(message, "x-agent", upper)), "ok");
  EXPECT_EQ(verdict(replaced(message, "x-agent", upper.substr(2))), "malformed_agent");
}

TEST_F(AuthTest, AgentSignaturesOfOthersAreRefused) {
  EXPECT_EQ(verdict(with_agent(place(), 1, stranger)), "signature_mismatch");
  EXPECT_EQ(verdict(with_agent(place(), 1, owner)), "signature_mismatch");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, stranger), "x-agent", to_string(stranger.address()))),
            "unknown_agent");
  EXPECT_EQ(verdict(with_agent(read(), 1, agent, now_ms + day_ms), now_ms + day_ms), "unknown_agent");
  revoke_agent();
  EXPECT_EQ(verdict(with_agent(place(), 1, agent)), "unknown_agent");
}

TEST_F(AuthTest, AgentHeadersMustOccurOnceAndBeWellFormed) {
  for (const char* header : {"x-timestamp", "x-nonce", "x-signature"}) {
    EXPECT_EQ(verdict(without(with_agent(place(), 1, agent), header)), "missing_credential") << header;
    EXPECT_EQ(verdict(repeated(with_agent(place(), 1, agent), header)), "repeated_or_empty_header") << header;
  }
  EXPECT_EQ(verdict(repeated(with_agent(place(), 1, agent), "x-agent")), "repeated_or_empty_header");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-nonce", "18446744073709551616")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-nonce", "-1")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-nonce", "01")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-signature", "0x00")), "malformed_signature");
}

TEST_F(AuthTest, NoncesOfWritesIncreaseAndReadsDoNotSpendThem) {
  EXPECT_EQ(verdict(with_agent(place(), 10, agent)), "ok");
  EXPECT_EQ(verdict(with_agent(place(), 10, agent)), "nonce_not_increasing");
  EXPECT_EQ(verdict(with_agent(place(), 9, agent)), "nonce_not_increasing");
  EXPECT_EQ(verdict(with_agent(read(), 3, agent)), "ok");
  EXPECT_EQ(verdict(with_agent(place(), 11, agent)), "ok");
}

TEST_F(AuthTest, OfTwoRequestsWithOneNonceTheWriterTakesTheFirst) {
  SpentNonces first;
  SpentNonces second;
  EXPECT_TRUE(checked(with_agent(place(), 10, agent), first));
  EXPECT_TRUE(checked(with_agent(place(), 10, agent), second)) << "none of them is spent yet";
  EXPECT_TRUE(services.spend(first));
  EXPECT_FALSE(services.spend(second));
}

TEST_F(AuthTest, AForgedRequestSpendsNoNonce) {
  EXPECT_EQ(verdict(with_agent(place(), 99, stranger)), "signature_mismatch");
  EXPECT_EQ(verdict(with_agent(place(), 1, agent)), "ok");
}

TEST_F(AuthTest, ASessionManagesKeysAndNothingElse) {
  const Message list_keys{.operation = &ops::ListKeys::op, .path = "/keys"};
  const auto proven = authenticate(with_session(list_keys));
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(verdict(with_session(list_keys), now_ms + day_ms), "unknown_session");
  EXPECT_EQ(verdict(with_session(read())), "unlisted_credential");
  EXPECT_EQ(verdict(list_keys), "missing_credential");
  EXPECT_EQ(verdict(replaced(with_session(list_keys), "Authorization", "Bearer " + std::string(64, '0'))),
            "unknown_session");
  EXPECT_EQ(verdict(replaced(with_session(list_keys), "Authorization", "Bearer")), "missing_credential");
  EXPECT_EQ(verdict(replaced(with_session(list_keys), "Authorization", "Bearer  ")), "malformed_session_token");
  EXPECT_EQ(verdict(replaced(with_session(list_keys), "Authorization", "Bearer a b")), "malformed_session_token");
  EXPECT_EQ(verdict(replaced(with_session(list_keys), "Authorization", "Basic abc")), "missing_credential");
  EXPECT_EQ(verdict(replaced(with_session(list_keys), "Authorization", "bearer " + std::string(token.reveal()))), "ok");
  EXPECT_EQ(verdict(repeated(with_session(list_keys), "Authorization")), "repeated_or_empty_header");
}

TEST_F(AuthTest, ASessionMintsStreamTokensOnlyWhereOldContractsAreServed) {
  const Message mint = with_session({.operation = &ops::MintStreamToken::op, .path = "/ws/token"});
  EXPECT_EQ(verdict(mint), "unlisted_credential");
  settings.session_mints_stream_tokens = true;
  EXPECT_EQ(verdict(mint), "ok");
  EXPECT_EQ(verdict(with_session({.operation = &ops::MintPublicStreamToken::op, .path = "/ws-tokens"})),
            "unlisted_credential");
}

TEST_F(AuthTest, UnlistedKeysAndSessionsAreIgnored) {
  const Message list_keys{.operation = &ops::ListKeys::op, .path = "/keys"};
  EXPECT_EQ(verdict(with_session(read())), "unlisted_credential");
  EXPECT_EQ(verdict(with_hmac(list_keys)), "unlisted_credential");

  EXPECT_STREQ(authenticate(with_session(with_hmac(read())))->credential, "hmac");
  EXPECT_STREQ(authenticate(with_session(with_agent(read(), 1, agent)))->credential, "agent");
  EXPECT_STREQ(authenticate(with_hmac(with_session(list_keys)))->credential, "bearer");
  EXPECT_STREQ(
      authenticate(with_session(with_hmac({.operation = &ops::MintStreamToken::op, .path = "/ws/token"})))->credential,
      "hmac");
  for (const char* ignored : {"Bearer a b", "Bearer unknown", ""})
    EXPECT_EQ(verdict(replaced(with_hmac(read()), "Authorization", ignored)), "ok") << ignored;
  EXPECT_EQ(verdict(replaced(with_hmac(with_session(list_keys)), "x-signature", "nonsense")), "ok");
  EXPECT_EQ(verdict(replaced(with_session(with_hmac(read())), "x-signature", "nonsense")), "signature_mismatch");
}

TEST_F(AuthTest, TwoListedCredentialsAtOnceAreRefused) {
  Message both = with_agent(read(), 1, agent);
  both.headers.add("x-api-key", minted.id);
  EXPECT_EQ(verdict(both), "ambiguous_credential");
}

TEST_F(AuthTest, AgentsAreRefusedWhereverTheyAreNotListedWithoutFallback) {
  const Message messages[] = {
      {.operation = &ops::ListAgents::op, .path = "/agents"},
      {.operation = &ops::SetMarginMode::op, .path = "/account/margin-mode", .body = "{}"},
      {.operation = &ops::ListDeposits::op, .path = "/deposits"},
      {.operation = &ops::ListKeys::op, .path = "/keys"},
      {.operation = &ops::Login::op, .path = "/auth/login", .body = "{}"},
      {.operation = &ops::SubmitWithdrawal::op, .path = "/withdrawals", .body = "{}"},
      {.operation = &ops::ListTransfers::op, .path = "/transfers"},
  };
  for (const Message& message : messages) {
    EXPECT_EQ(verdict(with_agent(message, 1, agent)), "unlisted_credential") << message.path;
  }
  Message with_both = with_hmac({.operation = &ops::ListAgents::op, .path = "/agents"});
  with_both.headers.add("x-agent", to_string(agent.address()));
  EXPECT_EQ(verdict(with_both), "unlisted_credential");
}

TEST_F(AuthTest, WalletSignedOperationsIgnoreKeysAndSessions) {
  const Message login{.operation = &ops::Login::op, .path = "/auth/login", .body = "{}"};
  EXPECT_EQ(verdict(login), "ok");
  EXPECT_EQ(verdict(with_session(login)), "ok");
  EXPECT_EQ(verdict(replaced(with_hmac(login), "x-signature", "nonsense")), "ok");
}

TEST_F(AuthTest, OnlyTheOperatorSecretCountsForAdmin) {
  const Message list{.operation = &ops::ListTiers::op, .path = "/admin/tiers"};
  EXPECT_EQ(verdict(list), "missing_credential");
  EXPECT_EQ(verdict(with_session(list)), "wrong_admin_secret");
  EXPECT_EQ(verdict(with_hmac(list)), "missing_credential");
  EXPECT_EQ(verdict(replaced(list, "Authorization", "Bearer operator")), "ok");
  EXPECT_EQ(verdict(replaced(list, "Authorization", "Bearer Operator")), "wrong_admin_secret");
  settings.admin_secret = Secret();
  EXPECT_EQ(verdict(replaced(list, "Authorization", "Bearer operator")), "wrong_admin_secret");
}

TEST_F(AuthTest, KeysDoNotReplaceOwnerSignatures) {
  Message list{.operation = &ops::ListTransfers::op, .path = "/transfers"};
  EXPECT_EQ(verdict(list), "missing_credential");
  EXPECT_EQ(verdict(with_session(list)), "missing_credential");
  EXPECT_EQ(verdict(with_hmac(list)), "malformed_signature");
  list.headers = {{"x-timestamp", std::to_string(now_ms)}, {"x-signature", to_string(owner.sign({}))}};
  const auto read_only = authenticate(list);
  ASSERT_TRUE(read_only);
  EXPECT_EQ(read_only->owner->timestamp_ms, now_ms);
  EXPECT_FALSE(read_only->owner->nonce);
  Message pay = list;
  pay.operation = &ops::SubmitTransfer::op;
  EXPECT_EQ(verdict(pay), "missing_credential");
  pay.headers.add("x-nonce", "7");
  EXPECT_EQ(authenticate(pay)->owner->nonce, 7u);
  EXPECT_EQ(verdict(replaced(pay, "x-timestamp", std::to_string(now_ms - 30'001))), "timestamp_outside_window");
}

TEST(Signers, KnowARepeatedRequestWithoutRecoveringAgain) {
  const auto key = *signing::PrivateKey::from_hex(std::string(64, '1'));
  const auto other = *signing::PrivateKey::from_hex(std::string(64, '2'));
  std::size_t recoveries = 0;
  Signers signers([&](const signing::Hash32& digest, const signing::Signature& signature) {
    ++recoveries;
    return signing::recover(digest, signature);
  });
  const signing::Hash32 digest{7};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(signers.of(digest, key.sign(digest)), key.address());
  EXPECT_EQ(recoveries, 1u);
  EXPECT_EQ(signers.of(digest, other.sign(digest)), other.address()) << "of the same text";
  EXPECT_EQ(signers.of({8}, key.sign(digest)), signing::recover({8}, key.sign(digest))) << "of another text";
  EXPECT_EQ(recoveries, 3u);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(signers.of(digest, signing::Signature{}), std::nullopt);
  EXPECT_EQ(recoveries, 5u) << "what is no signature is not remembered";
}

TEST(Signers, ForgetOldRequests) {
  std::size_t recoveries = 0;
  Signers signers([&](const signing::Hash32&, const signing::Signature&) {
    ++recoveries;
    return std::optional(Address{});
  });
  const auto ask = [&](std::size_t number) {
    signing::Hash32 digest{};
    std::memcpy(digest.data(), &number, sizeof number);
    EXPECT_TRUE(signers.of(digest, {}));
  };
  for (std::size_t i = 0; i <= limits::recent_signers_max; ++i) ask(i);
  ask(limits::recent_signers_max);
  EXPECT_EQ(recoveries, limits::recent_signers_max + 1);
  ask(0);
  EXPECT_EQ(recoveries, limits::recent_signers_max + 2);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
