// One request on its way through the gateway: what is known of it, stage by stage, and what its handler
// adds to the answer. Lives on the stack of the thread that handles the request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/error_catalog.h"
#include "api/http_message.h"
#include "api/message_codec.h"
#include "api/operation.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/gateway/authenticator.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/rate_limiter.h"
#include "sim/gateway/router.h"
#include "sim/sequencer/record.h"

// A header field that means something only if it stands there once.
//
// Two values of a credential header are two statements of who is calling: such a request is refused, not
// resolved. (D-227)

namespace svc::sim {

struct SingleHeader {
  enum class State : std::uint8_t { absent, present, unusable /* empty, or more than once */ };

  State state = State::absent;
  std::string_view value;  // if present; borrowed from the headers
};

[[nodiscard]] SingleHeader single_header(const api::Headers& headers, std::string_view name);

// Where a request comes from, as the address pools see it.

// One spelling per address: IPv4 in dotted form (also when mapped into IPv6), IPv6 as inet_ntop writes
// it. nullopt if the text is no address.
[[nodiscard]] std::optional<std::string> normal_address(std::string_view text);

// The peer's address, or, if `header_name` is given, the single address that header holds; nullopt
// (unresolved) if it is absent, sent twice or malformed.
[[nodiscard]] std::optional<std::string> client_address(const api::Headers& headers, std::string_view peer_address,
                                                        std::string_view header_name);

// Where a request says it is going: its Host field.

// The name alone, lower case, without port or trailing dot; "[::1]" keeps its brackets. Empty if the field
// is absent or stands there twice.
[[nodiscard]] std::string host_name(const api::Headers& headers);

// Name and port as sent, for URLs that lead the caller back here: a client behind a tunnel or a name of its
// own is told that name. The default local authority if the field says nothing that fits into a URL.
[[nodiscard]] std::string request_authority(const api::Headers& headers);

// A path of this server as the whole URL under which the caller reaches it; a URL stays as it is.
[[nodiscard]] std::string public_url(const std::string& path_or_url, const api::Headers& headers);

// What the gateway did with the latest requests, the true reason of each refusal included: the API tells
// a caller as little as it can, the sandbox's user everything. (GET /_svc/requests)
//
// Holds no secrets: neither headers nor bodies nor queries. Thread-safe: one lock, held for one entry.

struct RequestLogEntry {
  std::uint64_t number = 0;  // counts from 1, given by the log
  TimestampMs received_at_ms = 0;
  std::string network;  // empty: no network is served under that host
  std::string method;
  std::string path;        // as received, without query
  std::string operation;   // name in the operation table; empty: no route
  std::string credential;  // "hmac", "agent", "action", "bearer", "admin", "owner_signature", "none"
  std::string account;     // whom it proved; empty: nobody
  std::string rule;        // that refused it: "timestamp_outside_window"; empty: none did
  std::string note;        // particulars for a human: "31000 ms behind the server"
  int status = 0;
  std::string code;        // of the error body; empty on success
  std::string bucket;      // charged or exhausted; empty: none
  std::uint64_t cost = 0;  // tokens asked for
};

class RequestLog {
 public:
  explicit RequestLog(std::size_t capacity = limits::request_log_max) : capacity_(capacity) {}

  // Numbers the entry and keeps it; the oldest goes when there are too many.
  void add(RequestLogEntry entry);

  // Those numbered above `after`, oldest first.
  [[nodiscard]] std::vector<RequestLogEntry> since(std::uint64_t after = 0) const;

 private:
  const std::size_t capacity_;
  mutable Ranked<LockRank::counter> mutex_;
  std::uint64_t last_number_ = 0;
  std::deque<RequestLogEntry> entries_;
};

class NetworkInstance;

// Names the query parameters that were not understood.
inline constexpr std::string_view unknown_query_header = "X-Svc-Unknown-Query";

// Names of the query parameters that the operation takes.
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
  PathParameters path_parameters;
  bool version_deprecated = false;  // the client's version is announced to end
  bool body_is_json = true;         // or empty
  std::string broken_body;          // what is wrong with it otherwise
  std::uint64_t order_count = 0;    // of a batch, for its weight
  Authentication authentication;
  std::optional<Meter> meter;           // of the bucket that was charged
  std::optional<api::Tier> token_tier;  // of the account whose stream token it brought

  // The answer. Status and body are those of the operation's success unless a stage refuses.
  api::HttpResponse response;
  api::DecodeOptions decode_options;
  api::DecodeReport decoded;            // fields that were ignored, if the options allow any
  std::string unknown_parameters = {};  // names in the query that nobody reads, for log and header

  // What services changed on behalf of this request, for the journal: together with the next command that
  // the request submits, or alone at its end. The second batch counts only if that command is accepted.
  RecordBatch records;
  RecordBatch records_if_applied;

  // What a fault of the sandbox's user does to it (fault_book.h).
  bool is_twin = false;                 // asked for under /api/v1
  std::int64_t clock_skew_ms = 0;       // credentials are judged by a clock that is ahead by so much
  bool refuse_write = false;            // whatever the handler submits is refused as not logged
  std::optional<ErrorFault> denied_by;  // what happened is denied with this error
  std::int64_t answer_late_ms = 0;      // real time that the answer is held back

  // A request that may leave HTTP: its head as it was read, and what takes the connection over if its
  // handler opened a stream.
  const std::string* upgrade_head = nullptr;  // nullptr: an ordinary request
  StreamOpened opened = {};

  RequestLogEntry log;

  // What the request record is decoded from.
  [[nodiscard]] api::RequestParts parts() const;

  // Notes the query parameters that the operation does not take, or that are given again.
  void note_query();

  // For handlers that change services and submit no command: returns when the changes are safe. Refused: they
  // never will be, and the handler takes them back in memory.
  [[nodiscard]] Result<void, api::ApiError> keep();

  // For handlers. Both require an operation that lists hmac, agent or bearer.
  [[nodiscard]] const Caller& caller() const;
  // The account that the operation acts on: the caller's, or the one its signed action names.
  [[nodiscard]] const Address& account() const;

  // For handlers that verify a signature themselves: the opaque refusal, with its true reason for the log.
  [[nodiscard]] api::ApiError refuse_credential(AuthFault fault, std::string note = {});
  // Likewise, of what was signed under a domain name that is another network's. (D-646)
  [[nodiscard]] api::ApiError refuse_shared_name();
  // Likewise: whose signature it was. Budget headers are for those who proved who they are.
  void prove_signer(const Address& signer);
};

}  // namespace svc::sim
