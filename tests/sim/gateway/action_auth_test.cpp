// Signed actions: permitted signers, when they are required, when one alone is a credential, acting accounts.
#include "sim/gateway/auth_world.h"

namespace svc::sim {
namespace SVC_FILE {

TEST_F(AuthTest, AnActionMayBeSignedByTheAccountOrItsAgent) {
  for (const auto& signer : {owner, agent}) {
    const auto proven = authenticate(with_action(with_hmac(place()), signer, {.nonce = 1}));
    ASSERT_TRUE(proven);
    EXPECT_EQ(proven->action->account, owner.address());
    EXPECT_EQ(proven->action->signer, signer.address());
  }
  EXPECT_EQ(verdict(with_action(with_hmac(place()), stranger, {.nonce = 1})), "signer_not_entitled");
  revoke_agent();
  EXPECT_EQ(verdict(with_action(with_hmac(place()), agent, {.nonce = 2})), "signer_not_entitled");
}

TEST_F(AuthTest, AnActionForAnotherDeploymentOrTradeIsRefused) {
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.deployment = "prd-testnet"})), "signer_not_entitled");
  Message message = with_action(place(), owner, {});
  message.body.replace(message.body.find("50000"), 5, "50001");
  EXPECT_EQ(verdict(with_hmac(message)), "signer_not_entitled");
  settings.domain_name = "Another Exchange";
  message = with_action(with_hmac(place()), owner, {});
  settings.domain_name = "Svc Exchange";
  EXPECT_EQ(verdict(message), "signer_not_entitled");
}

TEST_F(AuthTest, ActionHeadersMustBeCompleteOrAbsent) {
  const Message whole = with_action(with_hmac(place()), owner, {});
  for (const char* header : {"x-action-signature", "x-action-timestamp", "x-action-nonce"}) {
    EXPECT_EQ(verdict(without(whole, header)), "action_incomplete") << header;
    EXPECT_EQ(verdict(repeated(whole, header)), "repeated_or_empty_header") << header;
    EXPECT_EQ(verdict(replaced(whole, header, "")), "repeated_or_empty_header") << header;
  }
  EXPECT_EQ(verdict(replaced(whole, "x-action-signature", "0x12")), "malformed_signature");
  EXPECT_EQ(verdict(replaced(whole, "x-action-nonce", "1e3")), "malformed_nonce");
  EXPECT_EQ(verdict(replaced(whole, "x-action-nonce", "01")), "malformed_nonce") << "one number, one spelling";
  EXPECT_EQ(verdict(replaced(whole, "x-action-timestamp", "soon")), "malformed_timestamp");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.timestamp_ms = now_ms - 30'001})),
            "timestamp_outside_window");
  Message lone = with_hmac(place());
  lone.headers.add("x-acting-account", to_string(owner.address()));
  EXPECT_EQ(verdict(lone), "action_incomplete");
}

TEST_F(AuthTest, ABatchOfTooManyOrdersIsHashedForNobody) {
  Message batch{
      .operation = &ops::PlaceOrders::op, .path = "/orders/batch", .body = "[" + std::string(order_body) + "]"};
  batch = with_action(batch, agent, {});
  Message alone = batch;
  alone.headers.add("x-agent", to_string(agent.address()));
  alone.order_count = 2'001;
  EXPECT_EQ(verdict(alone), "action_not_formed");
  batch.order_count = 2'001;
  const auto proven = authenticate(with_hmac(batch));
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->unformed_action->why, "a batch of 2001 orders is not hashed");
  alone.order_count = 2'000;
  EXPECT_EQ(verdict(alone), "ok");
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

TEST_F(AuthTest, ActionNoncesAreSpentOnceTheirSignatureIsVerified) {
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.nonce = 5})), "ok");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.nonce = 5})), "nonce_not_increasing");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), stranger, {.nonce = 9})), "signer_not_entitled");
  EXPECT_EQ(highest(stranger.address()), std::nullopt);
  EXPECT_EQ(verdict(with_action(with_hmac(place()), agent, {.nonce = 2})), "ok");  // its own sequence
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.nonce = 6})), "ok");
}

TEST_F(AuthTest, ARequestAndItsActionMayCarryNoncesInAnyOrder) {
  EXPECT_EQ(verdict(with_action(with_agent(place(), 10, agent), agent, {.nonce = 10})), "ok");
  EXPECT_EQ(verdict(with_action(with_agent(place(), 12, agent), agent, {.nonce = 11})), "ok");
  EXPECT_EQ(highest(agent.address()), 12u);
  EXPECT_EQ(verdict(with_action(with_agent(place(), 13, agent), agent, {.nonce = 12})), "nonce_not_increasing");
  EXPECT_EQ(highest(agent.address()), 13u);
}

TEST_F(AuthTest, ARequestWhoseActionFailsHasStillSpentItsOwnNonce) {
  EXPECT_EQ(verdict(with_action(with_agent(place(), 20, agent), stranger, {.nonce = 1})), "signer_not_entitled");
  EXPECT_EQ(highest(agent.address()), 20u);
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

TEST_F(AuthTest, AnActingAccountNeedsItsOwnSignature) {
  const Address other = stranger.address();
  has_money = [&](const Address& account) { return account == other; };
  const auto proven = authenticate(with_action(with_hmac(place()), stranger, {.account = other, .acting = other}));
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->caller->account, owner.address());
  EXPECT_EQ(proven->action->account, other);
  // Neither the caller's own key nor the caller's agent can sign for it.
  EXPECT_EQ(verdict(with_action(with_hmac(place()), owner, {.account = other, .acting = other})),
            "signer_not_entitled");
  EXPECT_EQ(verdict(with_action(with_hmac(place()), agent, {.account = other, .acting = other})),
            "signer_not_entitled");
}

TEST_F(AuthTest, AnUnknownAccountCannotBeActedForAndSpendsNoNonce) {
  const Address other = stranger.address();
  const auto acting = [&](std::uint64_t nonce) {
    return verdict(with_action(with_hmac(place()), stranger, {.nonce = nonce, .account = other, .acting = other}));
  };
  EXPECT_EQ(acting(1), "signer_not_entitled");
  EXPECT_EQ(highest(other), std::nullopt);
  (void)mint(other);
  EXPECT_EQ(acting(1), "ok");
  EXPECT_EQ(highest(other), 1u);
}

TEST_F(AuthTest, OnlyFailedSignatureRecoveriesAreCostly) {
  const auto is_costly = [&](const Message& message) { return authenticate(message).error().recovered; };
  EXPECT_TRUE(is_costly(with_agent(place(), 1, stranger)));
  EXPECT_TRUE(is_costly(replaced(with_agent(place(), 1, stranger), "x-agent", to_string(stranger.address()))));
  EXPECT_TRUE(is_costly(with_action(with_hmac(place()), stranger, {})));
  EXPECT_FALSE(is_costly(with_agent(place(), 1, stranger, now_ms - 30'001)));
  EXPECT_FALSE(is_costly(replaced(with_agent(place(), 1, agent), "x-signature", "0x12")));
  EXPECT_FALSE(is_costly(replaced(with_hmac(place()), "x-signature", "00")));
  ASSERT_EQ(verdict(with_agent(place(), 5, agent)), "ok");
  EXPECT_FALSE(is_costly(with_agent(place(), 5, agent))) << "its signature was good";
}

TEST_F(AuthTest, ActingAccountsAreAddressesWithOrWithoutPrefix) {
  const Message message = with_action(with_hmac(place()), owner, {.acting = owner.address()});
  EXPECT_EQ(verdict(replaced(message, "x-acting-account", to_string(owner.address()).substr(2))), "ok");
  EXPECT_EQ(verdict(replaced(message, "x-acting-account", "0x12")), "malformed_acting_account");
}

TEST_F(AuthTest, ABodyThatFormsNoActionIsExplainedOnlyToAKnownCaller) {
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

TEST_F(AuthTest, ABodyThatFormsNoActionIsToldFromTheTargetWhateverItSays) {
  Message message = with_action(place(), owner, {});
  message.body = R"({"a of the query b":1,"a of the query b":2})";
  const auto proven = authenticate(with_hmac(message));
  ASSERT_TRUE(proven);
  ASSERT_TRUE(proven->unformed_action);
  EXPECT_EQ(proven->unformed_action->why, "member `a of the query b` occurs twice");
  EXPECT_FALSE(proven->unformed_action->of_target);
}

TEST_F(AuthTest, AnExplicitlyEmptyMarketFormsNoAction) {
  Message cancel{.operation = &ops::CancelAllOrders::op};
  cancel = with_action(cancel, owner, {});
  cancel.query = "market_id=";
  const auto proven = authenticate(with_hmac(cancel));
  ASSERT_TRUE(proven);
  ASSERT_TRUE(proven->unformed_action);
  EXPECT_TRUE(proven->unformed_action->of_target);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
