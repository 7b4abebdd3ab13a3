// The whole gateway in one process, with a manual clock: no sockets, no engine. Every operation can be
// given a handler that answers with an empty record, so that what the gateway promises for all of them
// is tested on all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_message.h"
#include "api/operation_list.h"
#include "base/clock.h"
#include "contract/signing_client.h"
#include "sim/gateway/gateway.h"
#include "sim/gateway/memory_venue.h"
#include "sim/gateway/network_instance.h"

namespace svc::contract {

inline constexpr TimestampMs start_ms = 1'700'000'000'000;
inline constexpr std::string_view admin_secret = "operator-secret";

enum class Handlers : bool { none, answer_empty };

class Venue {
 public:
  explicit Venue(Handlers handlers = Handlers::answer_empty, sim::NetworkSettings settings = {},
                 sim::GatewayOptions options = {});

  // As if received under the given base: "/v1" and a target of "/orders" is a request for /v1/orders.
  [[nodiscard]] api::HttpResponse send(api::HttpRequest request, std::string_view base = {},
                                       std::string_view peer = "127.0.0.1");

  // Signed by the first listed scheme of the operation, if any.
  [[nodiscard]] api::HttpRequest authorised(const api::Operation& operation, api::HttpRequest request);

  // A wallet with a key, an agent and a session.
  [[nodiscard]] Participant admit(char wallet_digit, char agent_digit);

  // The latest line of the request log.
  [[nodiscard]] sim::RequestLogEntry last_logged() const { return gateway.log().since().back(); }

  std::uint64_t next_nonce() { return ++nonce_; }

  ManualClock clock{start_ms};
  sim::NetworkInstance network;
  sim::MemoryVenue writer{network, clock};
  sim::Gateway gateway;
  SigningClient client{clock};
  Participant trader;

 private:
  Handlers handlers_;
  std::uint64_t nonce_ = 0;
};

// Every operation, legacy ones included.
[[nodiscard]] std::vector<api::OperationEntry> every_operation();

// A handler per operation that answers with a default-constructed record.
void bind_empty_answers(sim::HandlerTable& handlers);

}  // namespace svc::contract
