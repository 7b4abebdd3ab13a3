// Who may register an agent of an account, and on which terms.
#include <gtest/gtest.h>

#include "api/contract/agents.h"
#include "base/limits.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/services/agent_store.h"

namespace svc::sim {
namespace SVC_FILE {

RecordBatch records;  // changes that the stores want logged

using api::RegisterAgentRequest;
using enum RegistrationRefusal;

constexpr TimestampMs now_ms = 1'700'000'000'000;
constexpr TimestampMs in_a_week_ms = now_ms + 7 * day_ms;

struct RegistrationTest : testing::Test {
  signing::PrivateKey owner = *signing::PrivateKey::from_hex(std::string(64, '1'));
  signing::PrivateKey stranger = *signing::PrivateKey::from_hex(std::string(64, '3'));
  Address agent = *parse_address("0x00000000000000000000000000000000000000a9");
  AgentStore agents;
  NonceBook nonces;
  AgentRegistrar registrar{{.domain_name = "Svc Exchange", .network = "testnet"}, agents, nonces};

  // Signed by `signer` under `domain`; the registration equals the signed struct.
  RegisterAgentRequest signed_for(const signing::PrivateKey& signer, const signing::Domain& domain, std::uint64_t nonce,
                                  std::optional<TimestampMs> expires_at_ms = in_a_week_ms) {
    const auto hash = signing::struct_hash(signing::RegisterAgent{
        .agent = agent, .expires_at_ms = static_cast<std::uint64_t>(expires_at_ms.value_or(0)), .nonce = nonce});
    return {.wallet = owner.address(),
            .agent = agent,
            .nonce = nonce,
            .signature = to_string(signer.sign(signing::typed_data_digest(signing::separator(domain), hash))),
            .expires_at = expires_at_ms,
            .label = "bot",
            .chain_id = {}};
  }

  static signing::Domain salted(std::string_view network) {
    return signing::registration_domain("Svc Exchange", signing::action_chain_id, network);
  }

  std::optional<RegistrationRefusal> refusal(const RegisterAgentRequest& registration, TimestampMs at_ms = now_ms) {
    const auto added = registrar.add(registration, at_ms, records);
    return added ? std::nullopt : std::optional(added.error());
  }
};

TEST_F(RegistrationTest, TheOwnersSignatureRegistersAnAgentInEitherDomain) {
  const auto added = registrar.add(signed_for(owner, salted("testnet"), 1), now_ms, records);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->account, owner.address());
  EXPECT_EQ(added->expires_at_ms, in_a_week_ms);
  EXPECT_EQ(added->label, "bot");
  EXPECT_EQ(agents.find(agent, now_ms)->account, owner.address());
  ASSERT_TRUE(agents.revoke(owner.address(), agent, now_ms, records));
  EXPECT_EQ(refusal(signed_for(owner, signing::plain_registration_domain("Svc Exchange", signing::action_chain_id), 2)),
            std::nullopt);
}

TEST_F(RegistrationTest, SignaturesForAnotherNetworkNameOrChainAreRefused) {
  EXPECT_EQ(refusal(signed_for(owner, salted("mainnet"), 1)), signature_mismatch);
  EXPECT_EQ(refusal(signed_for(owner, signing::plain_registration_domain("Other", signing::action_chain_id), 1)),
            signature_mismatch);
  RegisterAgentRequest registration = signed_for(owner, signing::registration_domain("Svc Exchange", 1, "testnet"), 1);
  registration.chain_id = 1;
  EXPECT_EQ(refusal(registration), signature_mismatch);
}

TEST_F(RegistrationTest, AnUnsaltedOneIsRefusedIfAnotherNetworkOwnsTheName) {
  AgentRegistrar strict{{.domain_name = "Svc Exchange", .network = "testnet", .takes_unsalted = false}, agents, nonces};
  const auto plain = signing::plain_registration_domain("Svc Exchange", signing::action_chain_id);
  EXPECT_EQ(strict.add(signed_for(owner, plain, 1), now_ms, records).error(), other_networks_name);
  EXPECT_EQ(strict.add(signed_for(stranger, plain, 1), now_ms, records).error(), signature_mismatch);
  EXPECT_TRUE(strict.add(signed_for(owner, salted("testnet"), 1), now_ms, records));
}

TEST_F(RegistrationTest, OnlyTheOwnerMayDelegateAndNotToItself) {
  EXPECT_EQ(refusal(signed_for(stranger, salted("testnet"), 1)), signature_mismatch);
  RegisterAgentRequest registration = signed_for(owner, salted("testnet"), 1);
  registration.signature = "0x12";
  EXPECT_EQ(refusal(registration), malformed_signature);
  agent = owner.address();
  EXPECT_EQ(refusal(signed_for(owner, salted("testnet"), 1)), bad_agent);
}

TEST_F(RegistrationTest, AgentsLiveFromOneToNinetyDays) {
  struct Row {
    TimestampMs expires_at_ms;
    bool accepted;
  };
  std::uint64_t nonce = 0;
  for (const Row& row :
       {Row{now_ms + day_ms - 1, false}, Row{now_ms + day_ms, true}, Row{now_ms + 90 * day_ms, true},
        Row{now_ms + 90 * day_ms + 1, false}, Row{0, false}, Row{INT64_MIN, false}, Row{INT64_MAX, false}}) {
    const auto refused = refusal(signed_for(owner, salted("testnet"), ++nonce, row.expires_at_ms));
    EXPECT_EQ(refused, row.accepted ? std::nullopt : std::optional(expiry_out_of_range)) << row.expires_at_ms;
    (void)agents.revoke(owner.address(), agent, now_ms, records);
  }
  const auto standard = registrar.add(signed_for(owner, salted("testnet"), ++nonce, std::nullopt), now_ms, records);
  EXPECT_EQ(standard->expires_at_ms, now_ms + 30 * day_ms);
}

TEST_F(RegistrationTest, ARegistrationWorksOnce) {
  const RegisterAgentRequest registration = signed_for(owner, salted("testnet"), 5);
  EXPECT_EQ(refusal(registration), std::nullopt);
  EXPECT_EQ(refusal(registration), nonce_not_increasing);
  ASSERT_TRUE(agents.revoke(owner.address(), agent, now_ms, records));
  EXPECT_EQ(refusal(registration), nonce_not_increasing);
  EXPECT_FALSE(agents.find(agent, now_ms));
  EXPECT_EQ(refusal(signed_for(owner, salted("testnet"), 6)), std::nullopt);
  EXPECT_EQ(refusal(signed_for(owner, salted("testnet"), 7)), duplicate_agent);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
