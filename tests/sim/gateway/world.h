// A gateway in front of its own networks, and requests to it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/contract/admin.h"
#include "api/contract/auth.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/venue.h"
#include "base/limits.h"
#include "signing/hmac.h"
#include "sim/gateway/gateway.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/services/serve.h"

namespace svc::sim {

namespace ops = api::ops;
using api::HttpRequest;
using api::HttpResponse;
using api::NetworkId;

constexpr TimestampMs start_ms = 1'700'000'000'000;
inline const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");

// A new key with the ceiling of the account's tier: 20 requests a second under Pro.
inline MintedKey mint(NetworkInstance& network, const Address& account = alice) {
  return served(network.services, CreateKey{.account = account}, start_ms);
}

inline HttpRequest get(std::string target, api::Headers headers = {}) {
  return {"GET", std::move(target), std::move(headers), {}};
}

inline NetworkSettings network_settings(NetworkId id, std::vector<std::string> hosts = {}) {
  NetworkSettings settings;
  settings.id = id;
  settings.hosts = std::move(hosts);
  return settings;
}

inline Handler document(std::string body, std::string type) {
  return [body = std::move(body), type = std::move(type)](RequestContext& context) -> Result<void, api::ApiError> {
    context.response.headers.set("Content-Type", type);
    context.response.body = body;
    return {};
  };
}

struct GatewayTest : testing::Test {
  ManualClock clock{start_ms};
  NetworkInstance local{network_settings(NetworkId::local, {"localhost", "127.0.0.1", "[::1]"})};
  NetworkInstance testnet{network_settings(NetworkId::testnet, {"testnet.localhost"})};
  GatewayOptions options;
  std::vector<NetworkInstance*> networks{&local, &testnet};
  std::unique_ptr<Gateway> gateway;

  void SetUp() override {
    for (NetworkInstance* network : networks) {
      network->handlers.bind<ops::ListTickers>([](RequestContext&, const api::Empty&) -> Answer<ops::ListTickers> {
        return ResponseOf<ops::ListTickers>{};
      });
      network->handlers.bind<ops::ListOrders>(
          [](RequestContext&, const ops::ListOrders::Request&) -> Answer<ops::ListOrders> {
            return ResponseOf<ops::ListOrders>{};
          });
      network->handlers.bind<ops::GetMetadata>(
          [](RequestContext&, const api::Empty&) -> Answer<ops::GetMetadata> { return ops::GetMetadata::Response{}; });
    }
    rebuild();
  }

  void rebuild() { gateway = std::make_unique<Gateway>(clock, options, networks); }

  HttpResponse send(HttpRequest request, const std::string& peer = "127.0.0.1") {
    if (!request.headers.contains("Host")) request.headers.add("Host", "localhost:9090");
    HttpResponse response;
    gateway->handle(std::move(request), Peer{peer}, [&](HttpResponse answer) { response = std::move(answer); });
    return response;
  }

  int status_at(const std::string& host, const std::string& path) { return send(get(path, {{"Host", host}})).status; }

  RequestLogEntry last() { return gateway->log().since().back(); }

  HttpRequest signed_request(NetworkInstance& network, const MintedKey& key, const char* method, const char* path,
                             std::string body = {}) {
    HttpRequest request{method, path, {{"Host", network.settings.hosts.front()}}, std::move(body)};
    const auto hmac = signing::HmacKey::from_hex(key.secret.reveal());
    const std::string canonical = signing::hmac_canonical(
        {.method = method, .path = request.path(), .query = request.query(), .body = request.body}, clock.now_ms());
    request.headers.add("X-API-Key", key.id);
    request.headers.add("X-Timestamp", std::to_string(clock.now_ms()));
    request.headers.add("X-Signature", hmac->sign_hex(canonical));
    return request;
  }

  HttpRequest signed_read(NetworkInstance& network, const MintedKey& key) {
    return signed_request(network, key, "GET", "/orders");
  }
};

}  // namespace svc::sim
