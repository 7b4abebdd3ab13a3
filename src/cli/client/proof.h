// How it is found out what became of a write: one row per operation that changes something.
//
// A look reads what the account shows now and compares it with what was asked. Where the operation leaves no
// mark of its own (an id of ours), what was there before is read first and kept with the entry.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/client/call.h"
#include "cli/store/outbox.h"
#include "cli/terminal/failure.h"

namespace svc::cli {
class Exchange;
}

namespace svc::cli::outbox {

enum class Verdict : std::uint8_t {
  accepted,      // it is there
  rejected,      // it arrived, and was refused or can have no effect any more
  not_accepted,  // it is not there, and cannot come: its signature has expired
  not_seen,      // it was not there when we looked
  unknown,       // what is there proves nothing
};
// Nothing that comes later can change it.
[[nodiscard]] constexpr bool is_final(Verdict verdict) {
  return verdict != Verdict::not_seen && verdict != Verdict::unknown;
}
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::not_seen;
  Json record{};                      // of an accepted write: stands in for the answer that was lost
  std::string evidence{};             // "order 17 is Open"
  std::optional<Failure> unusable{};  // accepted, but what only the answer held is lost
};

// What was asked, with its body understood.
struct SentWrite {
  const Entry& entry;
  const std::optional<Secret>& admin_secret;
  // Client ids of it that were an earlier order's already, as the log knows.
  std::set<std::string, std::less<>> taken{};
};

struct Proof {
  std::string_view operation;
  std::string_view how;  // "open orders, order history and fills, by client id"
  Result<Finding, Stop> (*look)(Exchange&, const SentWrite&);
  Result<Json, Stop> (*before)(Exchange&, const Call&) = nullptr;
};

// Null for an operation that nothing can be looked up for.
[[nodiscard]] const Proof* find_proof(std::string_view operation);

// Logging in, previewing, minting a stream token: nothing is lost with the answer, so nothing is looked for.
[[nodiscard]] bool leaves_no_trace(std::string_view operation);

// An order that was sent, or may have been.
struct SoughtOrder {
  std::string client_id;
  Json asked{};                               // its terms as they were sent; null: any will do
  std::optional<TimestampMs> signed_at_ms{};  // nullopt: of any age
  bool is_taken = false;                      // the client id was an earlier order's already
};
// One finding for each: accepted (the record is order and fills), rejected, not_seen or unknown. Lists are read from
// `since_ms`; orders that may have ended later than all others are sought up to `near_ms` where the lists are too long.
struct Period {
  TimestampMs since_ms = 0;
  TimestampMs near_ms = 0;
};
[[nodiscard]] Result<std::vector<Finding>, Stop> find_orders(Exchange& exchange, const Period& period,
                                                             const std::vector<SoughtOrder>& sought);

// One array per file of proofs.
[[nodiscard]] std::span<const Proof> order_proofs();
[[nodiscard]] std::span<const Proof> money_proofs();
[[nodiscard]] std::span<const Proof> setting_proofs();

}  // namespace svc::cli::outbox
