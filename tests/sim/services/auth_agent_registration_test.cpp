// Who may register an agent of an account, and on which terms.
#include <gtest/gtest.h>

#include "api/contract/agents.h"
#include "base/limits.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/services/credentials.h"

namespace svc::sim {
namespace SVC_FILE {

using api::RegisterAgentRequest;
using enum RegistrationRefusal;

constexpr TimestampMs now_ms = 1'700'000'000'000;
constexpr TimestampMs in_a_week_ms = now_ms + 7 * day_ms;

struct RegistrationTest : testing::Test {
  signing::PrivateKey owner = *signing::PrivateKey::from_hex(std::string(64, '1'));
  signing::PrivateKey stranger = *signing::PrivateKey::from_hex(std::string(64, '3'));
  Address agent = *parse_address("0x00000000000000000000000000000000000000a9");
  AgentRegistrar registrar{.domain_name = "Svc Exchange", .network = "testnet"};

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
    const auto verified = registrar.verified(registration, at_ms);
    return verified ? std::nullopt : std::optional(verified.error());
  }
};

TEST_F(RegistrationTest, TheOwnersSignatureRegistersAnAgentInEitherDomain) {
  const auto verified = registrar.verified(signed_for(owner, salted("testnet"), 1), now_ms);
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->address, agent);
  EXPECT_EQ(verified->account, owner.address());
  EXPECT_EQ(verified->registered_at_ms, now_ms);
  EXPECT_EQ(verified->expires_at_ms, in_a_week_ms);
  EXPECT_EQ(verified->label, "bot");
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
  AgentRegistrar strict{.domain_name = "Svc Exchange", .network = "testnet", .takes_unsalted = false};
  const auto plain = signing::plain_registration_domain("Svc Exchange", signing::action_chain_id);
  EXPECT_EQ(strict.verified(signed_for(owner, plain, 1), now_ms).error(), other_networks_name);
  EXPECT_EQ(strict.verified(signed_for(stranger, plain, 1), now_ms).error(), signature_mismatch);
  EXPECT_TRUE(strict.verified(signed_for(owner, salted("testnet"), 1), now_ms));
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
  }
  const auto standard = registrar.verified(signed_for(owner, salted("testnet"), ++nonce, std::nullopt), now_ms);
  EXPECT_EQ(standard->expires_at_ms, now_ms + 30 * day_ms);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
