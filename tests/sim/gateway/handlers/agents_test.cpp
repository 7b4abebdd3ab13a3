// Agent keys from outside: registered by the wallet, usable only for trading.
#include <gtest/gtest.h>

#include "api/operation_list.h"
#include "api/operation_table.h"
#include "base/limits.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/hmac.h"
#include "sim/sandbox_exchange.h"
#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

const Json opaque = Json::parse(R"({"code":"unauthorized"})");

signing::PrivateKey key_of(char digit) {
  return *signing::PrivateKey::from_hex(std::string(64, digit));
}

struct AgentsTest : testing::Test {
  TestExchange exchange;
  signing::PrivateKey wallet = *signing::PrivateKey::from_hex(exchange.sandbox.accounts().front().private_key);
  Trader owner{exchange, 0};
  signing::PrivateKey agent = key_of('7');
  TimestampMs expiry_ms = test_start_ms + day_ms;

  Json registration(std::uint64_t nonce, const signing::Domain& domain) const {
    Json body = agent_registration(wallet, agent, expiry_ms, nonce, domain);
    body["label"] = "bot";
    return body;
  }
  static signing::Domain salted(std::string_view network = "local") {
    return signing::registration_domain("Svc Exchange", signing::action_chain_id, network);
  }
  Reply enroll(const Json& body) { return exchange.post("/v1/agents/register", body); }

  Reply by_agent(std::string_view method, std::string_view path, const Json& body, std::uint64_t nonce) {
    const std::string text = body.is_null() ? "" : body.dump();
    const TimestampMs now_ms = exchange.sandbox.clock().now_ms();
    const auto digest = signing::agent_request_digest(
        signing::agent_canonical({.method = method, .path = path, .query = "", .body = text}, now_ms, nonce));
    return exchange.send(method, (path.starts_with("/api/") ? "" : "/v1") + std::string(path), text,
                         {{"X-Agent", to_string(agent.address())},
                          {"X-Timestamp", std::to_string(now_ms)},
                          {"X-Nonce", std::to_string(nonce)},
                          {"X-Signature", to_string(agent.sign(digest))}});
  }
};

TEST_F(AgentsTest, AreRegisteredListedUsedAndRevoked) {
  const Reply registered = enroll(registration(1, salted()));
  ASSERT_EQ(registered.status, 200) << registered.body;
  EXPECT_EQ(registered.body, (Json{{"agent_address", to_string(agent.address())}, {"expires_at", expiry_ms}}));
  EXPECT_EQ(owner.get("/agents").body, Json::array({Json{{"address", to_string(agent.address())},
                                                         {"expiresAt", expiry_ms},
                                                         {"registeredAt", test_start_ms},
                                                         {"label", "bot"}}}));
  EXPECT_EQ(by_agent("POST", "/orders", limit_order("Buy", "0.1", "59000"), 5).status, 201);
  EXPECT_EQ(owner.get("/orders").body.size(), 1u);

  EXPECT_EQ(Trader(exchange, 1).del("/agents/" + to_string(agent.address())).status, 404);
  const Reply revoked = owner.del("/agents/" + to_string(agent.address()));
  EXPECT_EQ(revoked.body, (Json{{"address", to_string(agent.address())}, {"revoked", true}}));
  EXPECT_EQ(owner.get("/agents").body, Json::array());
  EXPECT_EQ(owner.del("/agents/" + to_string(agent.address())).status, 404);
  EXPECT_EQ(by_agent("POST", "/orders", limit_order("Buy", "0.1", "59000"), 6).body, opaque);
}

TEST_F(AgentsTest, OldClientsRegisterUnderTheDomainWithoutSalt) {
  const auto plain = signing::plain_registration_domain("Svc Exchange", signing::action_chain_id);
  Json body = registration(1, plain);
  body["chain_id"] = signing::action_chain_id;
  EXPECT_EQ(enroll(body).status, 200);
}

TEST_F(AgentsTest, AreRefusedWithTheApisErrors) {
  Json other_chain = registration(1, salted());
  other_chain["chain_id"] = 1;
  Json own_agent = registration(1, salted());
  own_agent["agent"] = own_agent["wallet"];
  Json bad_agent = registration(1, salted());
  bad_agent["agent"] = "0x12";
  Json nobody = registration(1, salted());
  nobody["agent"] = "0x" + std::string(40, '0');
  Json long_label = registration(1, salted());
  long_label["label"] = std::string(limits::label_bytes_max + 1, 'x');
  Json bad_wallet = registration(1, salted());
  bad_wallet["wallet"] = "nobody";
  Json stranger = registration(1, salted());
  stranger["wallet"] = Trader(exchange, 1).account();
  Json too_soon = registration(1, salted());
  too_soon["expires_at"] = test_start_ms + day_ms - 1;
  Json too_late = registration(1, salted());
  too_late["expires_at"] = test_start_ms + 90 * day_ms + 1;
  const struct {
    Json body;
    int status;
    const char* code;
  } rows[] = {{registration(1, salted("testnet")), 401, "unauthorized"},
              {other_chain, 401, "unauthorized"},
              {stranger, 401, "unauthorized"},
              {own_agent, 400, "bad_agent"},
              {bad_agent, 400, "bad_agent"},
              {nobody, 400, "bad_agent"},
              {long_label, 400, "invalid_json"},
              {bad_wallet, 400, "bad_wallet"},
              {too_soon, 400, "expiry_out_of_range"},
              {too_late, 400, "expiry_out_of_range"}};
  for (const auto& row : rows) {
    const Reply refused = enroll(row.body);
    EXPECT_EQ(refused.status, row.status) << row.body;
    EXPECT_EQ(refused.code(), row.code) << row.body;
  }
  ASSERT_EQ(enroll(registration(2, salted())).status, 200);
  EXPECT_EQ(enroll(registration(2, salted())).body, opaque);  // the nonce is spent
  const Reply duplicate = enroll(registration(3, salted()));
  EXPECT_EQ(duplicate.code(), "duplicate_agent");
  EXPECT_TRUE(duplicate.headers.contains("X-RateLimit-Limit")) << "it is known who asks";
}

// An agent takes no part in transfers: a stranger must not be able to shut anybody out of them.
TEST_F(AgentsTest, AnAccountIsMadeNobodysAgent) {
  auto made_agent = [&, nonce = std::uint64_t{0}](const signing::PrivateKey& key) mutable {
    agent = key;
    return enroll(registration(++nonce, salted()));
  };
  const Reply with_money = made_agent(*signing::PrivateKey::from_hex(exchange.sandbox.accounts()[1].private_key));
  EXPECT_EQ(with_money.status, 400);
  EXPECT_EQ(with_money.code(), "bad_agent");
  const Trader with_a_key(exchange, key_of('5'));
  EXPECT_EQ(made_agent(key_of('5')).code(), "bad_agent");
  EXPECT_EQ(made_agent(key_of('6')).status, 200);
}

// Whoever came first may have registered the address of a wallet that had nothing here yet.
TEST_F(AgentsTest, AnAgentMayEndItsOwnRegistration) {
  ASSERT_EQ(enroll(registration(1, salted())).status, 200);
  Owner own(exchange, agent);
  EXPECT_EQ(own.enroll().code(), "TRANSFER_ACCOUNT_INELIGIBLE");
  const Trader itself(exchange, agent);
  EXPECT_EQ(itself.del("/agents/" + own.account()).status, 200);
  EXPECT_EQ(owner.get("/agents").body, Json::array());
  EXPECT_EQ(own.enroll().status, 200);
  EXPECT_EQ(enroll(registration(2, salted())).code(), "bad_agent");
}

TEST_F(AgentsTest, AreRegisteredOnceBySignature) {
  const Json signed_once = registration(5, salted());
  ASSERT_EQ(enroll(signed_once).status, 200);
  ASSERT_EQ(owner.del("/agents/" + to_string(agent.address())).status, 200);
  EXPECT_EQ(enroll(signed_once).body, opaque);
  EXPECT_EQ(owner.get("/agents").body, Json::array());
  EXPECT_EQ(enroll(registration(6, salted())).status, 200);
}

TEST_F(AgentsTest, ExpireAndMakeRoom) {
  ASSERT_EQ(enroll(registration(1, salted())).status, 200);
  exchange.control("/time", {{"advance_ms", day_ms}});
  EXPECT_EQ(by_agent("GET", "/orders", nullptr, 1).body, opaque);
  EXPECT_EQ(owner.get("/agents").body, Json::array());
  expiry_ms += day_ms;
  EXPECT_EQ(enroll(registration(2, salted())).status, 200);
}

TEST_F(AgentsTest, MayCallOnlyOperationsThatListThem) {
  ASSERT_EQ(enroll(registration(1, salted())).status, 200);
  std::uint64_t nonce = 0;
  for (const api::OperationEntry& entry : api::every_operation()) {
    const api::Operation& operation = *entry.operation;
    if (operation.auth.is_public() || operation.auth.has(api::Auth::ws_token)) continue;
    if (operation.networks != api::NetworkSet::all) continue;  // not served here
    for (const bool twin : {false, true}) {
      if (twin && !operation.twin) continue;
      std::string path = std::string(twin ? api::twin_prefix : "") + std::string(operation.path);
      if (const auto brace = path.find('{'); brace != std::string::npos)
        path.replace(brace, path.find('}') + 1 - brace, "0x71c7656ec7ab88b098defb751b7401b5f6d8976f");
      const Reply reply = by_agent(api::to_string(operation.method), path, nullptr, ++nonce);
      const int refused = operation.auth.has(api::Auth::admin) ? 403 : 401;
      EXPECT_EQ(reply.status != refused, operation.auth.has(api::Auth::agent)) << path << " " << reply.body;
    }
  }
}

TEST_F(AgentsTest, SpendEachNonceOfAWriteOnce) {
  ASSERT_EQ(enroll(registration(1, salted())).status, 200);
  const Json order = limit_order("Buy", "0.1", "59000");
  EXPECT_EQ(by_agent("POST", "/orders", order, 9).status, 201);
  EXPECT_EQ(by_agent("POST", "/orders", order, 9).body, opaque);
  EXPECT_EQ(by_agent("POST", "/orders", order, 8).body, opaque);
  EXPECT_EQ(by_agent("GET", "/orders", nullptr, 1).status, 200);  // reads spend none
  EXPECT_EQ(by_agent("POST", "/api/v1/orders", order, 10).status, 201);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
