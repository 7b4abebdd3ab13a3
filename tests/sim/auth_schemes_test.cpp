// Each way to prove who calls: what is accepted, and everything that is not.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "api/ops/admin.h"
#include "api/ops/agents.h"
#include "api/ops/auth.h"
#include "api/ops/funds.h"
#include "api/ops/margin.h"
#include "api/ops/markets.h"
#include "api/ops/orders.h"
#include "api/ops/streams.h"
#include "api/ops/transfers.h"
#include "base/limits.h"
#include "signing/action_request.h"
#include "sim/gateway/authenticator.h"

namespace svc::sim {
namespace {

RecordBatch records;  // what the stores would have the log keep

namespace ops = api::ops;
using api::Headers;
using api::Operation;

constexpr TimestampMs now_ms = 1'700'000'000'000;
constexpr const char* order_body =
    R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})";

signing::PrivateKey key_of(char digit) {
  return *signing::PrivateKey::from_hex(std::string(64, digit));
}

struct Message {
  const Operation* operation = &ops::ListOrders::op;
  std::string path = "/orders";
  std::string query = {};
  std::string body = {};
  Headers headers = {};
  bool body_is_json = true;

  [[nodiscard]] signing::RequestParts parts() const {
    return {.method = api::to_string(operation->method), .path = path, .query = query, .body = body};
  }
};

Message read() {
  return {};
}
Message place() {
  return {.operation = &ops::PlaceOrder::op, .body = order_body};
}

// One venue with an owner who has an API key, a session and an agent, and a stranger who has nothing.
struct AuthTest : testing::Test {
  signing::PrivateKey owner = key_of('1');
  signing::PrivateKey agent = key_of('2');
  signing::PrivateKey stranger = key_of('3');
  SessionStore sessions{Prng(1, "sessions")};
  ApiKeyStore keys{Prng(1, "keys"), api::NetworkId::local};
  AgentStore agents;
  NonceBook nonces;
  AuthSettings settings{.action_domain = signing::action_domain("Svc Exchange"),
                        .deployment = "svc-local",
                        .admin_secret = Secret("operator"),
                        .require_action = false};
  MintedKey minted = std::move(*keys.create(owner.address(), {}, 20, now_ms, records));
  Secret token = sessions.open(owner.address(), now_ms, records);

  void SetUp() override {
    ASSERT_TRUE(agents.add({.address = agent.address(),
                            .account = owner.address(),
                            .label = {},
                            .registered_at_ms = now_ms,
                            .expires_at_ms = now_ms + day_ms},
                           now_ms, records));
  }

  Result<Authentication, AuthRefusal> authenticate(const Message& message, TimestampMs at_ms = now_ms) {
    const Authenticator authenticator({sessions, keys, agents, nonces}, settings);
    return authenticator.authenticate({.operation = *message.operation,
                                       .parts = message.parts(),
                                       .headers = message.headers,
                                       .now_ms = at_ms,
                                       .body_is_json = message.body_is_json},
                                      records);
  }

  // The fault's name, or "ok".
  std::string verdict(const Message& message, TimestampMs at_ms = now_ms) {
    const auto result = authenticate(message, at_ms);
    return result ? "ok" : std::string(to_string(result.error().fault));
  }

  Message with_hmac(Message message, TimestampMs timestamp_ms = now_ms) const {
    const auto hmac = signing::HmacKey::from_hex(minted.secret.reveal());
    message.headers.add("x-api-key", minted.id);
    message.headers.add("x-timestamp", std::to_string(timestamp_ms));
    message.headers.add("x-signature", hmac->sign_hex(signing::hmac_canonical(message.parts(), timestamp_ms)));
    return message;
  }

  Message with_agent(Message message, std::uint64_t nonce, const signing::PrivateKey& signer,
                     TimestampMs timestamp_ms = now_ms) const {
    const auto canonical = signing::agent_canonical(message.parts(), timestamp_ms, nonce);
    message.headers.add("x-agent", to_string(agent.address()));
    message.headers.add("x-timestamp", std::to_string(timestamp_ms));
    message.headers.add("x-nonce", std::to_string(nonce));
    message.headers.add("x-signature", to_string(signer.sign(signing::agent_request_digest(canonical))));
    return message;
  }

  Message with_session(Message message) const {
    message.headers.add("Authorization", "Bearer " + std::string(token.reveal()));
    return message;
  }

  struct ActionTerms {
    std::uint64_t nonce = 1;
    std::optional<Address> account = {};  // signed for; the owner if absent
    std::optional<Address> acting = {};   // x-acting-account
    std::string deployment = "svc-local";
    TimestampMs timestamp_ms = now_ms;
  };

  Message with_action(Message message, const signing::PrivateKey& signer, const ActionTerms& terms) const {
    const auto action =
        signing::action_of(message.parts(), {.account = terms.account.value_or(owner.address()),
                                             .domain = terms.deployment,
                                             .timestamp_ms = static_cast<std::uint64_t>(terms.timestamp_ms),
                                             .nonce = terms.nonce});
    EXPECT_TRUE(action);
    const auto digest =
        signing::typed_data_digest(signing::separator(settings.action_domain), signing::struct_hash(*action));
    message.headers.add("x-action-signature", to_string(signer.sign(digest)));
    message.headers.add("x-action-timestamp", std::to_string(terms.timestamp_ms));
    message.headers.add("x-action-nonce", std::to_string(terms.nonce));
    if (terms.acting) message.headers.add("x-acting-account", to_string(*terms.acting));
    return message;
  }
};

Message without(Message message, std::string_view header) {
  message.headers.remove(header);
  return message;
}

Message replaced(Message message, std::string_view header, std::string value) {
  message.headers.set(header, std::move(value));
  return message;
}

Message repeated(Message message, const std::string& header) {
  message.headers.add(header, std::string(*message.headers.find(header)));
  return message;
}

TEST_F(AuthTest, PublicOperationsAskForNothingAndIgnoreWhatIsThere) {
  const Message tickers{.operation = &ops::ListTickers::op, .path = "/tickers"};
  EXPECT_EQ(verdict(tickers), "ok");
  const auto signed_read = authenticate(replaced(with_hmac(tickers), "x-signature", "nonsense"));
  ASSERT_TRUE(signed_read);
  EXPECT_FALSE(signed_read->caller);
}

TEST_F(AuthTest, AnApiKeyProvesItsOwner) {
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

TEST_F(AuthTest, HmacHeadersMustBeThereOnceAndWellFormed) {
  EXPECT_EQ(verdict(read()), "missing_credential");
  EXPECT_EQ(verdict(without(with_hmac(read()), "x-api-key")), "missing_credential");
  EXPECT_EQ(verdict(without(with_hmac(read()), "x-timestamp")), "missing_credential");
  EXPECT_EQ(verdict(without(with_hmac(read()), "x-signature")), "missing_credential");
  for (const char* header : {"x-api-key", "x-timestamp", "x-signature"}) {
    EXPECT_EQ(verdict(repeated(with_hmac(read()), header)), "repeated_or_empty_header") << header;
    EXPECT_EQ(verdict(replaced(with_hmac(read()), header, "")), "repeated_or_empty_header") << header;
  }
  EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-api-key", "svc_0000000000000000")), "unknown_key");
  for (const char* text : {"x", "-1", "1.7e12", "1700000000000 ", "+1700000000000", "99999999999999999999"})
    EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-timestamp", text)), "malformed_timestamp") << text;
  std::string upper(*with_hmac(read()).headers.find("x-signature"));
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-signature", upper)), "signature_mismatch");
  EXPECT_EQ(verdict(replaced(with_hmac(read()), "x-signature", "00")), "signature_mismatch");
}

TEST_F(AuthTest, ADeletedKeyIsUnknown) {
  const Message message = with_hmac(read());
  ASSERT_TRUE(keys.remove(owner.address(), minted.id, records));
  EXPECT_EQ(verdict(message), "unknown_key");
}

TEST_F(AuthTest, AnAgentProvesTheAccountItActsFor) {
  const auto proven = authenticate(with_agent(place(), 1, agent));
  ASSERT_TRUE(proven);
  EXPECT_STREQ(proven->credential, "agent");
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(proven->caller->agent, agent.address());
}

TEST_F(AuthTest, AgentAddressesComeInInAnyCase) {
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
  ASSERT_TRUE(agents.revoke(owner.address(), agent.address(), now_ms, records));
  EXPECT_EQ(verdict(with_agent(place(), 1, agent)), "unknown_agent");
}

TEST_F(AuthTest, AgentHeadersMustBeThereOnceAndWellFormed) {
  for (const char* header : {"x-timestamp", "x-nonce", "x-signature"}) {
    EXPECT_EQ(verdict(without(with_agent(place(), 1, agent), header)), "missing_credential") << header;
    EXPECT_EQ(verdict(repeated(with_agent(place(), 1, agent), header)), "repeated_or_empty_header") << header;
  }
  EXPECT_EQ(verdict(repeated(with_agent(place(), 1, agent), "x-agent")), "repeated_or_empty_header");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-nonce", "18446744073709551616")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-nonce", "-1")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(with_agent(place(), 1, agent), "x-signature", "0x00")), "malformed_signature");
}

TEST_F(AuthTest, NoncesOfWritesIncreaseAndReadsDoNotSpendThem) {
  EXPECT_EQ(verdict(with_agent(place(), 10, agent)), "ok");
  EXPECT_EQ(verdict(with_agent(place(), 10, agent)), "nonce_not_increasing");
  EXPECT_EQ(verdict(with_agent(place(), 9, agent)), "nonce_not_increasing");
  EXPECT_EQ(verdict(with_agent(read(), 3, agent)), "ok");
  EXPECT_EQ(verdict(with_agent(place(), 11, agent)), "ok");
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

TEST_F(AuthTest, ASessionMintsStreamTokensForOldClients) {
  EXPECT_EQ(verdict(with_session({.operation = &ops::MintStreamToken::op, .path = "/ws/token"})), "ok");
  EXPECT_EQ(verdict(with_session({.operation = &ops::MintPublicStreamToken::op, .path = "/ws-tokens"})),
            "unlisted_credential");
}

TEST_F(AuthTest, KeysAndSessionsThatAreNotListedProveNothingAndDisturbNothing) {
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

TEST_F(AuthTest, TheOperatorSecretIsAllThatCountsForAdmin) {
  const Message list{.operation = &ops::ListTiers::op, .path = "/admin/tiers"};
  EXPECT_EQ(verdict(list), "missing_credential");
  EXPECT_EQ(verdict(with_session(list)), "wrong_admin_secret");
  EXPECT_EQ(verdict(with_hmac(list)), "missing_credential");
  EXPECT_EQ(verdict(replaced(list, "Authorization", "Bearer operator")), "ok");
  EXPECT_EQ(verdict(replaced(list, "Authorization", "Bearer Operator")), "wrong_admin_secret");
  settings.admin_secret = Secret();
  EXPECT_EQ(verdict(replaced(list, "Authorization", "Bearer operator")), "wrong_admin_secret");
}

TEST_F(AuthTest, OwnerSignaturesAreReadAndKeysDoNotStandInForThem) {
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

TEST_F(AuthTest, AnActionMayBeSignedByTheAccountOrItsAgent) {
  for (const auto& signer : {owner, agent}) {
    const auto proven = authenticate(with_action(with_hmac(place()), signer, {.nonce = 1}));
    ASSERT_TRUE(proven);
    EXPECT_EQ(proven->action->account, owner.address());
    EXPECT_EQ(proven->action->signer, signer.address());
  }
  EXPECT_EQ(verdict(with_action(with_hmac(place()), stranger, {.nonce = 1})), "signer_not_entitled");
  ASSERT_TRUE(agents.revoke(owner.address(), agent.address(), now_ms, records));
  EXPECT_EQ(verdict(with_action(with_hmac(place()), agent, {.nonce = 2})), "signer_not_entitled");
}

TEST_F(AuthTest, AnActionForAnotherDeploymentOrTradeIsRefused) {
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.deployment = "prd-testnet"})), "signer_not_entitled");
  Message message = with_action(place(), owner, {});
  message.body.replace(message.body.find("50000"), 5, "50001");
  EXPECT_EQ(verdict(with_hmac(message)), "signer_not_entitled");
  settings.action_domain = signing::action_domain("Another Exchange");
  message = with_action(with_hmac(place()), owner, {});
  settings.action_domain = signing::action_domain("Svc Exchange");
  EXPECT_EQ(verdict(message), "signer_not_entitled");
}

TEST_F(AuthTest, ActionHeadersComeAllOrNone) {
  const Message whole = with_action(with_hmac(place()), owner, {});
  for (const char* header : {"x-action-signature", "x-action-timestamp", "x-action-nonce"}) {
    EXPECT_EQ(verdict(without(whole, header)), "action_incomplete") << header;
    EXPECT_EQ(verdict(repeated(whole, header)), "repeated_or_empty_header") << header;
    EXPECT_EQ(verdict(replaced(whole, header, "")), "repeated_or_empty_header") << header;
  }
  EXPECT_EQ(verdict(replaced(whole, "x-action-signature", "0x12")), "malformed_signature");
  EXPECT_EQ(verdict(replaced(whole, "x-action-nonce", "1e3")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(whole, "x-action-timestamp", "soon")), "malformed_timestamp");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.timestamp_ms = now_ms - 30'001})),
            "timestamp_outside_window");
  Message lone = with_hmac(place());
  lone.headers.add("x-acting-account", to_string(owner.address()));
  EXPECT_EQ(verdict(lone), "action_incomplete");
}

TEST_F(AuthTest, ReadsAndPreviewsAreNotActions) {
  Message preview{.operation = &ops::PreviewOrder::op, .path = "/orders/preview", .body = order_body};
  preview = with_hmac(preview);
  preview.headers.add("x-action-signature", "nonsense");
  EXPECT_EQ(verdict(preview), "ok");
}

TEST_F(AuthTest, AnActionIsRequiredOnlyWhenSwitchedOn) {
  EXPECT_EQ(verdict(with_hmac(place())), "ok");
  settings.require_action = true;
  EXPECT_EQ(verdict(with_hmac(place())), "action_required");
  EXPECT_EQ(verdict(with_agent(place(), 5, agent)), "action_required");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {})), "ok");
  EXPECT_EQ(verdict(with_hmac(read())), "ok");
}

TEST_F(AuthTest, ActionNoncesAreSpentOnceTheirSignatureVerified) {
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.nonce = 5})), "ok");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.nonce = 5})), "nonce_not_increasing");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), stranger, {.nonce = 9})), "signer_not_entitled");
  EXPECT_EQ(nonces.highest(stranger.address()), std::nullopt);
  EXPECT_EQ(verdict(with_action(with_hmac(place()), agent, {.nonce = 2})), "ok");  // its own sequence
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.nonce = 6})), "ok");
}

TEST_F(AuthTest, ARequestAndItsActionMayCarryNoncesInAnyOrder) {
  EXPECT_EQ(verdict(with_action(with_agent(place(), 10, agent), agent, {.nonce = 10})), "ok");
  EXPECT_EQ(verdict(with_action(with_agent(place(), 12, agent), agent, {.nonce = 11})), "ok");
  EXPECT_EQ(nonces.highest(agent.address()), 12u);
  EXPECT_EQ(verdict(with_action(with_agent(place(), 13, agent), agent, {.nonce = 12})), "nonce_not_increasing");
  EXPECT_EQ(nonces.highest(agent.address()), 13u);
}

TEST_F(AuthTest, ARequestWhoseActionFailsHasStillSpentItsOwnNonce) {
  EXPECT_EQ(verdict(with_action(with_agent(place(), 20, agent), stranger, {.nonce = 1})), "signer_not_entitled");
  EXPECT_EQ(nonces.highest(agent.address()), 20u);
}

TEST_F(AuthTest, AnAgentsActionAloneIsACredential) {
  Message message = with_action(place(), agent, {.nonce = 3});
  message.headers.add("x-agent", to_string(agent.address()));
  const auto proven = authenticate(message);
  ASSERT_TRUE(proven);
  EXPECT_STREQ(proven->credential, "action");
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(proven->caller->agent, agent.address());
  EXPECT_EQ(verdict(message), "nonce_not_increasing");
}

TEST_F(AuthTest, AnActionAloneMustBeSignedByTheAgentItNames) {
  Message message = with_action(place(), owner, {.nonce = 3});
  message.headers.add("x-agent", to_string(agent.address()));
  EXPECT_EQ(verdict(message), "signature_mismatch");
  message = with_action(place(), stranger, {.nonce = 3});
  message.headers.add("x-agent", to_string(stranger.address()));
  EXPECT_EQ(verdict(message), "unknown_agent");
}

TEST_F(AuthTest, AnActionAloneIsNoCredentialForReadsPreviewsAndMarginMode) {
  Message message = read();
  message.headers = {{"x-agent", to_string(agent.address())},
                     {"x-action-signature", to_string(agent.sign({}))},
                     {"x-action-timestamp", std::to_string(now_ms)},
                     {"x-action-nonce", "1"}};
  EXPECT_EQ(verdict(message), "missing_credential");
  message.operation = &ops::PreviewOrder::op;
  EXPECT_EQ(verdict(message), "missing_credential");
  message.operation = &ops::SetMarginMode::op;
  EXPECT_EQ(verdict(message), "unlisted_credential");
}

TEST_F(AuthTest, AnActingAccountIsVouchedForByItsOwnSignature) {
  const Address other = stranger.address();
  const auto proven = authenticate(with_action(with_hmac(place()), stranger, {.account = other, .acting = other}));
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(proven->action->account, other);
  // The caller's own key cannot speak for it, nor can the caller's agent.
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.account = other, .acting = other})),
            "signer_not_entitled");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), agent, {.account = other, .acting = other})),
            "signer_not_entitled");
}

TEST_F(AuthTest, ActingAccountsAreAddressesWithOrWithoutPrefix) {
  const Message message = with_action(with_hmac(place()), owner, {.acting = owner.address()});
  EXPECT_EQ(verdict(replaced(message, "x-acting-account", to_string(owner.address()).substr(2))), "ok");
  EXPECT_EQ(verdict(replaced(message, "x-acting-account", "0x12")), "malformed_acting_account");
}

TEST_F(AuthTest, ABodyThatGivesNoActionIsTheCallersMistakeIfTheCallerIsKnown) {
  Message message = with_action(place(), owner, {});
  message.body = "{";
  message.body_is_json = false;
  const auto proven = authenticate(with_hmac(message));
  ASSERT_TRUE(proven);
  EXPECT_TRUE(proven->unformed_action);
  EXPECT_FALSE(proven->action);
  message.headers.add("x-agent", to_string(agent.address()));
  EXPECT_EQ(verdict(message), "action_not_formed");
}

TEST_F(AuthTest, AnExplicitlyEmptyMarketGivesNoAction) {
  Message cancel{.operation = &ops::CancelAllOrders::op};
  cancel = with_action(cancel, owner, {});
  cancel.query = "market_id=";
  const auto proven = authenticate(with_hmac(cancel));
  ASSERT_TRUE(proven);
  EXPECT_TRUE(proven->unformed_action);
}

}  // namespace
}  // namespace svc::sim
