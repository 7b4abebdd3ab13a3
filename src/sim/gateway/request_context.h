// One request in the gateway: what each stage found out about it, and what its handler adds to the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/error_catalog.h"
#include "api/http/http_message.h"
#include "api/message_codec.h"
#include "api/operation.h"
#include "api/router.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "base/text.h"
#include "sim/gateway/authenticator.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/rate_limiter.h"
#include "sim/services/credentials.h"

namespace svc::sim {

// A header field that counts only if it occurs once: two values of a credential header are two claims about the
// caller, and refused. (D-227)
struct SingleHeader {
  enum class State : std::uint8_t { absent, present, unusable /* empty, or more than once */ };

  State state = State::absent;
  std::string_view value;  // if present; borrowed from the headers
};

[[nodiscard]] SingleHeader single_header(const api::Headers& headers, std::string_view name);

// One spelling per address: IPv4 dotted, also when mapped into IPv6; IPv6 as inet_ntop writes it. nullopt: no address.
[[nodiscard]] std::optional<std::string> normal_address(std::string_view text);

// The peer at this address, which is normalised here, once; empty if it is none.
[[nodiscard]] inline Peer peer_at(std::string_view address) {
  return {normal_address(address).value_or("")};
}

// 127.0.0.0/8, also when mapped into IPv6, and ::1. The name localhost is none.
[[nodiscard]] bool is_loopback_address(std::string_view text);

// The peer's address or, with `header_name`, the single address that header holds; nullopt: unresolved.
// `peer_address`: of a Peer, so normalised.
[[nodiscard]] std::optional<std::string> client_address(const api::Headers& headers, std::string_view peer_address,
                                                        std::string_view header_name);

// The name in the Host field: lower case, without port or trailing dot; "[::1]" keeps its brackets. Empty if the
// field is absent or occurs twice.
[[nodiscard]] std::string host_name(const api::Headers& headers);

// Name and port as sent, for URLs that lead the caller back here; the default local authority if unusable in a URL.
[[nodiscard]] std::string request_authority(const api::Headers& headers);

// A path of this server as the full URL by which the caller reaches it; a URL is unchanged.
[[nodiscard]] std::string public_url(const std::string& path_or_url, const api::Headers& headers);

// What the gateway did with a request, including the true reason of a refusal. Holds no secrets: neither headers nor
// bodies nor queries. Every request makes one, so its words are borrowed: method and path from the request, the others
// from tables and networks, which outlive the log. Empty: none.
struct RequestNote {
  TimestampMs received_at_ms = 0;
  std::string_view network{};
  std::string_view method{};
  std::string_view path{};
  std::string_view operation{};
  std::string_view credential{};
  std::optional<Address> account{};
  int status = 0;
  std::string_view code{};
  std::string_view rule{};
  std::string note{};
  std::string_view bucket{};
  std::uint64_t cost = 0;
};

// The same for its readers. (GET /_svc/requests)
using RequestLogEntry = api::control::RequestEntry;

// The latest requests. Thread-safe: one lock, held for one entry, or to copy them.
class RequestLog {
 public:
  explicit RequestLog(std::size_t capacity = limits::request_log_max) : capacity_(capacity) {}

  // Numbers the request and keeps it; drops the oldest if there are too many.
  void add(const RequestNote& request);

  // Entries numbered above `after`, oldest first.
  [[nodiscard]] std::vector<RequestLogEntry> since(std::uint64_t after = 0) const;

  // The number of the newest entry; 0: none yet.
  [[nodiscard]] std::uint64_t last() const { return copy_under(mutex_, last_number_); }

 private:
  struct Kept {
    RequestNote request{};  // without method and path
    std::string method{};
    std::string path{};
  };

  const std::size_t capacity_;
  mutable Ranked<LockRank::counter> mutex_;
  std::uint64_t last_number_ = 0;
  std::vector<Kept> kept_;  // each where its number says; a new one has the memory of the one that it replaces
};

enum class LogStyle : std::uint8_t { none, pretty, json, failed };  // failed: pretty, refusals only

// An entry for the terminal:
// "12:00:00.000 401 GET /orders hmac: unauthorized, timestamp_outside_window (31000 ms behind the server)"
[[nodiscard]] std::string pretty_line(const RequestLogEntry& entry);

// Reads a request log incrementally. Not thread-safe.
class RequestFollower {
 public:
  RequestFollower(const RequestLog& log, LogStyle style) : log_(log), style_(style) {}

  // The lines added since the last call, each with its line feed; reports how many were lost in between.
  [[nodiscard]] std::string new_lines();

 private:
  const RequestLog& log_;
  LogStyle style_;
  std::uint64_t seen_ = 0;
};

struct RequestContext;

// Whoever follows what the gateway and the streams do for one network. Called on the thread of the request or, for
// faults of streams, of the writer; must return quickly.
class RequestWitness {
 public:
  virtual ~RequestWitness() = default;
  // Its answer is complete, but not sent yet.
  virtual void request_ended(const RequestContext& context) = 0;
  virtual void stream_fault(const FaultSubject& subject, StreamFault fault, TimestampMs now_ms) = 0;
};

class NetworkInstance;
struct VenueAccess;

[[nodiscard]] std::vector<std::string_view> query_parameters(const api::Operation& operation);

struct RequestContext {
  RequestContext(const api::HttpRequest& received, TimestampMs at_ms) : request(received), now_ms(at_ms) {}

  // Set before the first stage.
  const api::HttpRequest& request;
  const TimestampMs now_ms;                   // the clock is read once per request
  std::optional<std::string> client_address;  // nullopt: unresolved

  // Set by the stages, in this order.
  NetworkInstance* network = nullptr;
  std::string_view logical_path;  // as signed
  const api::Operation* operation = nullptr;
  api::PathParameters path_parameters;
  bool version_deprecated = false;  // the client's version is deprecated
  bool body_is_json = true;         // or the body is empty
  std::string broken_body;          // otherwise what is wrong with it
  std::uint64_t order_count = 0;    // of a batch, for its weight
  Authentication authentication;
  std::optional<Meter> meter;              // of the bucket that was charged
  std::optional<api::Tier> token_tier;     // of the account of its stream token
  std::optional<TimestampMs> retry_at_ms;  // of a 429 that no budget caused, if its handler knows it

  // Status and body are those of the operation's success unless a stage refuses.
  api::HttpResponse response;
  api::DecodeOptions decode_options;
  api::DecodeReport decoded;            // ignored fields, if the options allow any
  std::string unknown_parameters = {};  // unused query parameters, for log and header

  // Verified nonces: spent with the next command that the request submits, or alone at its end.
  SpentNonces nonces;

  // Effects of the sandbox user's faults (fault_book.h).
  bool is_twin = false;                 // requested under /api/v1
  std::int64_t clock_skew_ms = 0;       // the clock for credentials is ahead by this much
  bool refuse_write = false;            // whatever the handler submits is refused as not logged
  std::optional<SetFault> denied_by;    // a completed operation is denied with this error
  std::int64_t answer_late_ms = 0;      // real time by which the answer is delayed
  std::vector<std::string> faults_met;  // "fault 1: lost before it was handled"

  // For an upgrade request: its head as read, and what takes over the connection if its handler opened a stream.
  const std::string* upgrade_head = nullptr;  // nullptr: an ordinary request
  StreamOpened opened = {};

  RequestNote log;

  // What the request record is decoded from.
  [[nodiscard]] api::RequestParts parts() const { return api::parts_of(request, path_parameters); }

  // Notes query parameters that the operation does not take or that are repeated.
  void note_query();

  // The exchange. Requires bound operations (bind_operations).
  [[nodiscard]] const VenueAccess& venue() const;
  // For handlers. Both require an operation that lists hmac, agent or bearer.
  [[nodiscard]] const Caller& caller() const {
    SVC_ASSERT(authentication.caller);
    return *authentication.caller;
  }
  // The account that the operation acts on: the caller's, or the one named by its signed action.
  [[nodiscard]] const Address& account() const {
    return authentication.action ? authentication.action->account : caller().account;
  }

  // For handlers that verify a signature themselves: the opaque refusal, with the true reason for the log.
  [[nodiscard]] api::ApiError refuse_credential(AuthFault fault, std::string note = {}) {
    log.rule = to_string(fault);
    log.note = std::move(note);
    return api::ErrorCode::unauthorized;
  }
  // Likewise, for a signature under a domain name that another network owns. (D-646)
  [[nodiscard]] api::ApiError refuse_shared_name();
  // Likewise, if somebody else signed.
  [[nodiscard]] api::ApiError refuse_signer(const std::optional<Address>& signer) {
    return refuse_credential(AuthFault::signature_mismatch, "signed by " + (signer ? to_string(*signer) : "nobody"));
  }
  // Likewise: records whose signature it was. Budget headers are only for callers whose identity is verified.
  void prove_signer(const Address& signer) {
    authentication.caller = Caller{.account = signer, .key = {}, .agent = {}};
  }
  // Likewise, of a struct with a nonce: one sequence for all structs signed by an owner, spent once the signature is
  // verified. (D-243)
  [[nodiscard]] Result<void, api::ApiError> spend_owner_nonce(const Address& owner, std::uint64_t nonce);
};

}  // namespace svc::sim
