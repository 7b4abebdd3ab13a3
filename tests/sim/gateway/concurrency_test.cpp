// I/O threads share the gateway: charges are counted once, nonces are spent once.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "api/contract/orders.h"
#include "signing/hmac.h"
#include "signing/key.h"
#include "sim/gateway/gateway.h"
#include "sim/gateway/memory_venue.h"
#include "sim/services/serve.h"

namespace svc::sim {
namespace SVC_FILE {

namespace ops = api::ops;

constexpr TimestampMs now_ms = 1'700'000'000'000;
constexpr int threads = 4;
constexpr int requests_per_thread = 25;

struct ConcurrencyTest : testing::Test {
  ManualClock clock{now_ms};
  NetworkInstance network{NetworkSettings{}};
  MemoryVenue venue{network, clock};
  Gateway gateway{clock, GatewayOptions{}, {&network}};
  signing::PrivateKey owner = *signing::PrivateKey::from_hex(std::string(64, '1'));
  signing::PrivateKey agent = *signing::PrivateKey::from_hex(std::string(64, '2'));

  // Sends the request from every thread at once; returns how many got that status.
  int answered_with(int status, const api::HttpRequest& request) {
    std::atomic<int> count = 0;
    {
      std::vector<std::jthread> senders;
      for (int i = 0; i < threads; ++i) {
        senders.emplace_back([&] {
          for (int n = 0; n < requests_per_thread; ++n) {
            gateway.handle(api::HttpRequest(request), Peer{"127.0.0.1"}, [&](const api::HttpResponse& response) {
              if (response.status == status) ++count;
            });
          }
        });
      }
    }
    return count;
  }
};

TEST_F(ConcurrencyTest, ManyThreadsCannotExceedABudget) {
  const MintedKey minted = served(network.services, CreateKey{.account = owner.address()}, now_ms);
  const auto hmac = signing::HmacKey::from_hex(minted.secret.reveal());
  const std::string canonical =
      signing::hmac_canonical({.method = "GET", .path = "/orders", .query = {}, .body = {}}, now_ms);
  const api::HttpRequest request{
      "GET",
      "/orders",
      {{"X-API-Key", minted.id}, {"X-Timestamp", std::to_string(now_ms)}, {"X-Signature", hmac->sign_hex(canonical)}},
      {}};
  EXPECT_EQ(answered_with(501, request), 20);  // authenticated and charged; nothing is bound here
  EXPECT_EQ(gateway.log().since().size(), static_cast<std::size_t>(threads * requests_per_thread));
}

TEST_F(ConcurrencyTest, OnlyOneThreadCanSpendANonce) {
  (void)served(network.services,
               RegisterAgent{.agent = agent.address(), .account = owner.address(), .expires_at_ms = now_ms + day_ms},
               now_ms);
  const std::string canonical =
      signing::agent_canonical({.method = "DELETE", .path = "/orders", .query = {}, .body = {}}, now_ms, 7);
  const api::HttpRequest request{"DELETE",
                                 "/orders",
                                 {{"X-Agent", to_string(agent.address())},
                                  {"X-Timestamp", std::to_string(now_ms)},
                                  {"X-Nonce", "7"},
                                  {"X-Signature", to_string(agent.sign(signing::agent_request_digest(canonical)))}},
                                 {}};
  EXPECT_EQ(answered_with(501, request), 1);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
