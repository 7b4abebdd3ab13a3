// One request on its way through the gateway: what is known of it, stage by stage, and what its handler
// adds to the answer. Lives on the stack of the thread that handles the request.
#pragma once

#include <cstdint>
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
#include "sim/gateway/authenticator.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/rate_limiter.h"
#include "sim/gateway/request_log.h"
#include "sim/gateway/router.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

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

  // What a fault of the sandbox's user does to it (fault_rule.h).
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
