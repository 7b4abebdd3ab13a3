// A request's way from bytes to its answer: every operation passes the same stages, in the order of the array in
// gateway.cpp. A stage passes the request on, answers it, or refuses it with an error of the catalogue; in any case the
// answer gets its headers and the request log its line. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "base/random.h"
#include "sim/gateway/coverage.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/request_context.h"
#include "sim/gateway/version_gate.h"

namespace svc::sim {

// Calls `then` after that much real time, on any thread.
using HoldBack = std::function<void(std::int64_t ms, std::function<void()> then)>;

enum class UnknownFields : std::uint8_t { refuse, accept };  // accept: they are ignored and logged

struct GatewayOptions {
  VersionTerms versions = {};
  std::string client_ip_header = {};  // names the client's address; empty: the peer's address is used
  UnknownFields unknown_fields = UnknownFields::refuse;
  bool strict_query = false;  // query parameters that an operation does not take are refused
  bool bare_streams = false;  // local serves /ws and /stream at its root as well as under /v1, for older clients
  std::size_t body_bytes_max = limits::http_body_bytes_max;
  HoldBack after_ms = {};  // for answers that a fault delays; absent: no delays
  std::uint64_t seed = 1;  // of whatever is drawn: of faults here, of everything in a sandbox
  AnswerLatency latency = {};
};

class Gateway {
 public:
  // `clock` and the networks must outlive this. Hosts of the networks must differ.
  Gateway(const Clock& clock, GatewayOptions options, std::vector<NetworkInstance*> networks);

  // Calls `reply` once: before returning, or later if a fault delays the answer. By then the request's writes are
  // durable.
  void handle(api::HttpRequest&& request, const Peer& peer, const SendReply& reply) {
    pass(request, nullptr, peer, reply, {});
  }

  // As handle(), for a request to upgrade the connection: accepted if its handler opens a stream.
  void upgrade(api::HttpRequest&& request, const std::string& head, const Peer& peer, const Upgrade& upgrade) {
    pass(request, &head, peer, upgrade.refuse, upgrade.accept);
  }

  // The catalogue's answer when the bytes are not a valid request.
  [[nodiscard]] static api::HttpResponse refuse(TransportRefusal refusal);

  [[nodiscard]] const RequestLog& log() const { return log_; }
  [[nodiscard]] Coverage& coverage() { return coverage_; }
  [[nodiscard]] FaultBook& faults() { return faults_; }

 private:
  struct Passage;

  void send(api::HttpResponse&& response, const SendReply& reply, std::int64_t late_ms) const;

  // `head` is that of an upgrade; nullptr: an ordinary request.
  void pass(const api::HttpRequest& request, const std::string* head, const Peer& peer, const SendReply& reply,
            const std::function<void(StreamOpened)>& accept);
  void write_log(RequestContext& context);
  [[nodiscard]] NetworkInstance* network_of(std::string_view host) const;
  [[nodiscard]] std::int64_t draw_latency_ms();

  const Clock& clock_;
  const GatewayOptions options_;
  const std::vector<NetworkInstance*> networks_;
  RequestLog log_;
  Coverage coverage_;
  mutable FaultBook faults_;  // counts hits; thread-safe
  Ranked<LockRank::counter> latency_mutex_;
  Prng latency_chance_;  // guarded by latency_mutex_
};

}  // namespace svc::sim
