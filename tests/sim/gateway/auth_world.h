// A venue for authentication tests, and messages signed in every way.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "api/contract/admin.h"
#include "api/contract/agents.h"
#include "api/contract/auth.h"
#include "api/contract/funds.h"
#include "api/contract/margin.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/streams.h"
#include "api/contract/transfers.h"
#include "api/operation_list.h"
#include "base/limits.h"
#include "signing/action_request.h"
#include "signing/domain.h"
#include "sim/gateway/authenticator.h"
#include "sim/gateway/world.h"

namespace svc::sim {

namespace ops = api::ops;
using api::Headers;
using api::Operation;

constexpr TimestampMs now_ms = 1'700'000'000'000;
constexpr const char* order_body =
    R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})";

inline signing::PrivateKey key_of(char digit) {
  return *signing::PrivateKey::from_hex(std::string(64, digit));
}

struct Message {
  const Operation* operation = &ops::ListOrders::op;
  std::string path = "/orders";
  std::string query = {};
  std::string body = {};
  Headers headers = {};
  bool body_is_json = true;
  std::size_t order_count = 0;

  [[nodiscard]] signing::RequestParts parts() const {
    return {.method = api::to_string(operation->method), .path = path, .query = query, .body = body};
  }
};

inline Message read() {
  return {};
}
inline Message place() {
  return {.operation = &ops::PlaceOrder::op, .body = order_body};
}

inline NetworkSettings with_operator_secret() {
  NetworkSettings settings;
  settings.admin_secret = Secret("operator");
  return settings;
}

// One venue with an owner who has an API key, a session and an agent, and a stranger without any.
struct AuthTest : testing::Test {
  signing::PrivateKey owner = key_of('1');
  signing::PrivateKey agent = key_of('2');
  signing::PrivateKey stranger = key_of('3');
  Services services{ServiceTerms{}};
  AccountProbe has_money;
  NetworkSettings settings = with_operator_secret();
  MintedKey minted = mint(owner.address());
  Secret token = served(services, OpenSession{.account = owner.address()}, now_ms);

  void SetUp() override {
    (void)served(services,
                 RegisterAgent{.agent = agent.address(), .account = owner.address(), .expires_at_ms = now_ms + day_ms},
                 now_ms);
  }

  MintedKey mint(const Address& account) { return served(services, CreateKey{.account = account}, now_ms); }

  void revoke_agent() {
    (void)served(services, RevokeAgent{.account = owner.address(), .agent = agent.address()}, now_ms);
  }

  // With the nonces that the request would spend.
  Result<Authentication, AuthRefusal> checked(const Message& message, SpentNonces& spent, TimestampMs at_ms = now_ms) {
    const Authenticator authenticator(services, has_money, settings);
    return authenticator.authenticate({.operation = *message.operation,
                                       .parts = message.parts(),
                                       .headers = message.headers,
                                       .now_ms = at_ms,
                                       .body_is_json = message.body_is_json,
                                       .order_count = message.order_count},
                                      spent);
  }

  // Checks the request and spends its nonces, as the single writer does.
  Result<Authentication, AuthRefusal> authenticate(const Message& message, TimestampMs at_ms = now_ms) {
    SpentNonces spent;
    auto proven = checked(message, spent, at_ms);
    EXPECT_TRUE(services.spend(spent));
    return proven;
  }

  [[nodiscard]] std::optional<std::uint64_t> highest(const Address& signer) const {
    return services.look()->nonces.highest(NonceSequence::requests, signer);
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
    const auto action = api::action_at(message.parts(), {.account = terms.account.value_or(owner.address()),
                                                         .domain = terms.deployment,
                                                         .timestamp_ms = static_cast<std::uint64_t>(terms.timestamp_ms),
                                                         .nonce = terms.nonce});
    EXPECT_TRUE(action);
    const auto digest = signing::typed_data_digest(signing::separator(signing::action_domain(settings.domain_name)),
                                                   signing::struct_hash(*action));
    message.headers.add("x-action-signature", to_string(signer.sign(digest)));
    message.headers.add("x-action-timestamp", std::to_string(terms.timestamp_ms));
    message.headers.add("x-action-nonce", std::to_string(terms.nonce));
    if (terms.acting) message.headers.add("x-acting-account", to_string(*terms.acting));
    return message;
  }
};

inline Message without(Message message, std::string_view header) {
  message.headers.remove(header);
  return message;
}

inline Message replaced(Message message, std::string_view header, std::string value) {
  message.headers.set(header, std::move(value));
  return message;
}

inline Message repeated(Message message, const std::string& header) {
  message.headers.add(header, std::string(*message.headers.find(header)));
  return message;
}

}  // namespace svc::sim
