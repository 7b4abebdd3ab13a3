// What holds for every operation of the table and for its twin.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "api/tiers.h"
#include "base/limits.h"
#include "contract/sample_request.h"
#include "contract/venue.h"

namespace svc::contract {
namespace SVC_FILE {

using api::Auth;
using api::HttpRequest;
using api::HttpResponse;
using api::Operation;

constexpr const char* opaque_401 = R"({"code":"unauthorized"})";

sim::NetworkSettings testnet() {
  sim::NetworkSettings settings;
  settings.id = api::NetworkId::testnet;
  settings.faucet = true;
  return settings;
}

sim::NetworkSettings local_with_faucet() {
  sim::NetworkSettings settings;
  settings.faucet = true;
  return settings;
}

sim::NetworkSettings unmetered() {
  sim::NetworkSettings settings = local_with_faucet();
  settings.limits.multiplier = 0;
  return settings;
}

// Proven by the gateway itself, hence answered with the opaque refusal when it is not.
bool needs_credential(const Operation& operation) {
  return !operation.auth.is_public() && !operation.auth.has(Auth::wallet_signature) &&
         !operation.auth.has(Auth::ws_token);
}

int refusal_status(const Operation& operation) {
  return operation.auth.has(Auth::admin) ? 403 : 401;
}

void expect_refused(const HttpResponse& response, const Operation& operation) {
  EXPECT_EQ(response.status, refusal_status(operation));
  if (response.status == 401) {
    EXPECT_EQ(response.body, opaque_401);
  } else {
    EXPECT_NE(response.body.find("\"forbidden\""), std::string::npos) << response.body;
  }
}

// Calls f(entry, is_twin) for each of the 123 routes and the legacy ones, with the route in every failure.
template <class F>
void for_each_route(F f) {
  for (const api::OperationEntry& entry : every_operation()) {
    for (const bool twin : {false, true}) {
      if (twin && !entry.operation->twin) continue;
      SCOPED_TRACE(std::string(entry.operation->name) + (twin ? " (twin)" : ""));
      f(entry, twin);
    }
  }
}

TEST(EveryOperation, AnswersItsSuccessStatusToAWellFormedAuthorisedRequest) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    const HttpResponse response = venue.send(venue.authorised(operation, sample_request(entry, twin)));
    EXPECT_EQ(response.status, operation.success) << response.body << " " << venue.last_logged().note.value_or("");
    EXPECT_EQ(response.headers.contains("Content-Type"), !operation.opens_stream());
    EXPECT_EQ(venue.last_logged().operation, operation.name);
    EXPECT_EQ(venue.last_logged().rule, std::nullopt);
  });
}

TEST(EveryOperation, WithoutHandlerSaysSoOnlyToThoseWhoMayAsk) {
  Venue venue(Handlers::none, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    const HttpRequest request = sample_request(entry, twin);
    const HttpResponse answer = venue.send(venue.authorised(operation, request));
    EXPECT_EQ(answer.status, 501);
    EXPECT_NE(answer.body.find("\"not_implemented\""), std::string::npos);
    if (needs_credential(operation)) expect_refused(venue.send(request), operation);
  });
}

TEST(EveryOperation, RefusesWhoeverBringsNoCredential) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    const HttpResponse response = venue.send(sample_request(entry, twin));
    if (!needs_credential(operation)) {
      EXPECT_EQ(response.status, operation.success) << response.body;
      return;
    }
    expect_refused(response, operation);
    EXPECT_EQ(venue.last_logged().rule, "missing_credential");
    EXPECT_EQ(venue.last_logged().account, std::nullopt);
  });
}

TEST(EveryOperation, RefusesEverySchemeItDoesNotList) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    const HttpRequest request = sample_request(entry, twin);
    const bool asks = needs_credential(operation);

    const HttpResponse by_key = venue.send(venue.client.with_key(request, venue.trader));
    if (asks && !operation.auth.has(Auth::hmac)) {
      expect_refused(by_key, operation);
    } else {
      EXPECT_EQ(by_key.status, operation.success) << by_key.body;
    }

    const HttpResponse by_session = venue.send(venue.client.with_bearer(request, venue.trader.session));
    if (asks && !operation.auth.has(Auth::bearer)) {
      expect_refused(by_session, operation);
    } else {
      EXPECT_EQ(by_session.status, operation.success) << by_session.body;
    }

    const HttpResponse by_agent = venue.send(venue.client.with_agent(request, venue.trader, venue.next_nonce()));
    const bool ignores_agents = operation.auth.is_public() || operation.auth.has(Auth::ws_token);
    if (!ignores_agents && !operation.auth.has(Auth::agent)) {
      expect_refused(by_agent, operation);
    } else {
      EXPECT_EQ(by_agent.status, operation.success) << by_agent.body;
    }

    const HttpResponse by_secret = venue.send(venue.client.with_bearer(request, admin_secret));
    if (asks && !operation.auth.has(Auth::admin)) {
      expect_refused(by_secret, operation);
    } else {
      EXPECT_EQ(by_secret.status, operation.success) << by_secret.body;
    }
  });
}

TEST(EveryOperation, RefusesAStaleTimestampInEverySchemeThatHasOne) {
  Venue venue(Handlers::answer_empty, unmetered());
  venue.client.skew_ms = -30'001;
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    const HttpRequest request = sample_request(entry, twin);
    if (operation.auth.has(Auth::hmac))
      expect_refused(venue.send(venue.client.with_key(request, venue.trader)), operation);
    if (operation.auth.has(Auth::agent))
      expect_refused(venue.send(venue.client.with_agent(request, venue.trader, venue.next_nonce())), operation);
    if (operation.auth.has(Auth::owner_signature))
      expect_refused(venue.send(venue.client.with_owner_signature(request, venue.next_nonce())), operation);
    if (operation.auth.has(Auth::hmac) || operation.auth.has(Auth::owner_signature)) {
      EXPECT_EQ(venue.last_logged().rule, "timestamp_outside_window");
    }
  });
}

TEST(EveryOperation, RefusesASignatureOverTheOtherTwinsPath) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    if (!entry.operation->twin || !entry.operation->auth.has(Auth::hmac)) return;
    HttpRequest request = venue.client.with_key(sample_request(entry, !twin), venue.trader);
    request.target = sample_request(entry, twin).target;
    expect_refused(venue.send(request), *entry.operation);
    EXPECT_EQ(venue.last_logged().rule, "signature_mismatch");
  });
}

struct Exhausted {
  const char* bucket;
  std::uint32_t limit;
};

// The operator with the right secret pays nothing.
bool is_metered(const Operation& operation) {
  return operation.weight.base != 0 && !operation.auth.has(Auth::admin);
}

// Which budget pays for the operation when the caller has a Pro account and an API key.
Exhausted expected_budget(const Operation& operation) {
  if (operation.rate == api::RateClass::login) return {"login", 5};
  if (operation.auth.is_public() || operation.auth.has(Auth::ws_token) || operation.auth.has(Auth::wallet_signature) ||
      operation.auth.has(Auth::owner_signature))
    return {"ip", 50};
  if (operation.rate == api::RateClass::order) return {"order", 20};
  if (operation.rate == api::RateClass::cancel) return {"cancel", 20};
  return {operation.auth.has(Auth::hmac) ? "key" : "owner", 20};
}

TEST(EveryOperation, IsRefusedOnceItsBudgetIsSpentAndPassesASecondLater) {
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    Venue venue(Handlers::answer_empty, local_with_faucet());
    const auto request = [&] { return venue.authorised(operation, sample_request(entry, twin)); };
    if (!is_metered(operation)) {
      for (int i = 0; i < 100; ++i) EXPECT_EQ(venue.send(request()).status, operation.success);
      return;
    }
    const auto [bucket, limit] = expected_budget(operation);
    for (std::uint32_t i = 0; i < limit / operation.weight.base; ++i)
      ASSERT_EQ(venue.send(request()).status, operation.success);

    const HttpResponse refused = venue.send(request());
    ASSERT_EQ(refused.status, 429);
    EXPECT_NE(refused.body.find(R"({"code":"RATE_LIMIT_EXCEEDED","message":")"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find(R"("bucket":")" + std::string(bucket) + R"(","tier":"Pro"})"), std::string::npos)
        << refused.body;
    EXPECT_EQ(refused.headers.find("x-ratelimit-bucket"), bucket);
    EXPECT_EQ(refused.headers.find("x-ratelimit-limit"), std::to_string(limit));
    EXPECT_EQ(refused.headers.find("x-ratelimit-remaining"), "0");
    EXPECT_EQ(refused.headers.find("x-ratelimit-reset"), std::to_string(start_ms / 1000 + 1));
    EXPECT_EQ(refused.headers.find("retry-after"), "1");
    EXPECT_EQ(venue.last_logged().bucket, bucket);

    venue.clock.advance(second_ms);
    EXPECT_EQ(venue.send(request()).status, operation.success);
  });
}

TEST(EveryOperation, ReportsItsBudgetToThoseItKnows) {
  Venue venue(Handlers::answer_empty, local_with_faucet());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    venue.clock.advance(second_ms);
    const HttpResponse response = venue.send(venue.authorised(operation, sample_request(entry, twin)));
    ASSERT_EQ(response.status, operation.success);
    const bool known = needs_credential(operation) && !operation.auth.has(Auth::owner_signature);
    EXPECT_EQ(response.headers.contains("x-ratelimit-limit"), known);
    EXPECT_FALSE(response.headers.contains("x-ratelimit-reset"));
    EXPECT_FALSE(response.headers.contains("retry-after"));
    if (!known) return;
    // The operator is told of the bucket of the address, and pays nothing into it.
    const bool is_operator = operation.auth.has(Auth::admin);
    const std::uint32_t limit = is_operator ? limits::client_reads_per_second : expected_budget(operation).limit;
    const std::uint32_t paid = is_operator ? 0 : operation.weight.base;
    EXPECT_EQ(response.headers.find("x-ratelimit-limit"), std::to_string(limit));
    EXPECT_EQ(response.headers.find("x-ratelimit-remaining"), std::to_string(limit - paid));
  });
}

TEST(EveryOperation, RefusesOtherMethodsAndSaysWhichItTakes) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    HttpRequest request = sample_request(entry, twin);
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "get", ""}) {
      request.method = method;
      const HttpResponse response = venue.send(request);
      if (response.status != 405) continue;  // another operation of the same path
      EXPECT_NE(response.body.find("method_not_allowed"), std::string::npos);
      const auto allow = response.headers.find("Allow");
      ASSERT_TRUE(allow);
      EXPECT_NE(allow->find(api::to_string(entry.operation->method)), std::string::npos) << *allow;
    }
    request.method = "TRACE";
    EXPECT_EQ(venue.send(request).status, 405);
  });
}

TEST(EveryOperation, NamesAnUnknownFieldOfItsBody) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    if (!takes_object(entry)) return;
    const Operation& operation = *entry.operation;
    HttpRequest request = sample_request(entry, twin);
    if (request.body.size() <= 2)
      request.body = R"({"surprise":1})";
    else
      request.body.insert(1, R"("surprise":1,)");
    const HttpResponse response = venue.send(venue.authorised(operation, request));
    EXPECT_EQ(response.status, operation.name == "set_margin_mode" ? 422 : 400) << response.body;
    EXPECT_NE(response.body.find("surprise"), std::string::npos) << response.body;
    EXPECT_EQ(venue.last_logged().rule, "operation");
  });
}

TEST(EveryOperation, AuthenticatesAndChargesABrokenBodyBeforeRefusingIt) {
  Venue venue(Handlers::answer_empty, local_with_faucet());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    if (operation.method == api::Method::get || operation.method == api::Method::del) return;
    venue.clock.advance(second_ms);
    HttpRequest request = sample_request(entry, twin);
    for (const char* body : {"{", "{} x", "nonsense", "{\"a\":01}", "[1,]", "\"\xff\""}) {
      request.body = body;
      if (needs_credential(operation)) expect_refused(venue.send(request), operation);
      const HttpResponse response = venue.send(venue.authorised(operation, request));
      EXPECT_EQ(response.status, 400);
      EXPECT_NE(response.body.find("invalid_json"), std::string::npos) << response.body;
      EXPECT_EQ(venue.last_logged().cost, operation.auth.has(Auth::admin) ? 0u : 1u);
      venue.clock.advance(second_ms);
    }
  });
}

TEST(EveryOperation, IgnoresWhatABodylessMethodBrings) {
  Venue venue(Handlers::answer_empty, unmetered());
  for_each_route([&](const api::OperationEntry& entry, bool twin) {
    const Operation& operation = *entry.operation;
    if (operation.method != api::Method::get && operation.method != api::Method::del) return;
    HttpRequest request = sample_request(entry, twin);
    request.body = "not json";
    EXPECT_EQ(venue.send(venue.authorised(operation, request)).status, operation.success);
  });
}

TEST(EveryOperation, ExistsOnItsNetworksOnly) {
  struct Row {
    sim::NetworkSettings settings;
    bool faucet;
  };
  sim::NetworkSettings mainnet;
  mainnet.id = api::NetworkId::mainnet;
  for (const Row& row : {Row{sim::NetworkSettings{}, false}, Row{local_with_faucet(), true}, Row{testnet(), true},
                         Row{mainnet, false}}) {
    sim::NetworkSettings settings = row.settings;
    settings.limits.multiplier = 0;
    Venue venue(Handlers::answer_empty, settings);
    for_each_route([&](const api::OperationEntry& entry, bool twin) {
      const Operation& operation = *entry.operation;
      const bool host_root = twin || operation.base == api::PathBase::host_root;
      const HttpResponse response =
          venue.send(venue.authorised(operation, sample_request(entry, twin)), host_root ? "" : "/v1");
      const bool exists = operation.networks == api::NetworkSet::all || row.faucet;
      EXPECT_EQ(response.status, exists ? operation.success : 404) << api::to_string(settings.id);
    });
  }
}

TEST(EveryOperation, IsServedUnderTheBasesOfItsNetworkAndSignedWithoutThem) {
  struct Base {
    const char* prefix;
    bool local, testnet, mainnet;                 // for operations whose logical path is /x
    bool twin_local, twin_testnet, twin_mainnet;  // for those at /api/v1/x
  };
  const Base bases[] = {{"", true, false, false, true, true, true},
                        {"/v1", true, true, true, true, true, false},
                        {"/indexer", false, true, false, false, true, false},
                        {"/v1/v1", false, false, false, false, false, false},
                        {"/v1/indexer", false, false, false, false, false, false},
                        {"/v2", false, false, false, false, false, false}};
  for (const api::NetworkId id : {api::NetworkId::local, api::NetworkId::testnet, api::NetworkId::mainnet}) {
    sim::NetworkSettings settings = unmetered();
    settings.id = id;
    Venue venue(Handlers::answer_empty, settings);
    for_each_route([&](const api::OperationEntry& entry, bool twin) {
      const Operation& operation = *entry.operation;
      const bool api_v1 = twin || operation.base == api::PathBase::host_root;
      for (const Base& base : bases) {
        const bool plain[] = {base.testnet, base.mainnet, base.local};  // in the order of NetworkId
        const bool twins[] = {base.twin_testnet, base.twin_mainnet, base.twin_local};
        bool served = (api_v1 ? twins : plain)[static_cast<std::size_t>(id)];
        if (operation.base == api::PathBase::edge && *base.prefix == '\0') served = true;
        const HttpResponse response = venue.send(venue.authorised(operation, sample_request(entry, twin)), base.prefix);
        EXPECT_EQ(response.status, served ? operation.success : 404) << api::to_string(id) << " " << base.prefix;
      }
    });
  }
}

}  // namespace SVC_FILE
}  // namespace svc::contract
