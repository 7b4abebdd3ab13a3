// How to find out what became of a write: one row per operation that changes something.
//
// A look reads the account's present state and compares it with the request. If the operation carries no id of ours,
// the state before the write is read first and kept with the entry.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/client/connection.h"
#include "cli/store/outbox.h"
#include "cli/terminal/failure.h"

namespace svc::cli::outbox {

enum class Verdict : std::uint8_t {
  accepted,      // it took effect
  rejected,      // it arrived, and was refused or can have no effect any more
  not_accepted,  // it did not arrive, and cannot any more: its signature has expired
  not_seen,      // no trace of it yet
  unknown,       // the account's state proves nothing
};
// True if nothing later can change the verdict.
[[nodiscard]] constexpr bool is_final(Verdict verdict) {
  return verdict != Verdict::not_seen && verdict != Verdict::unknown;
}
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::not_seen;
  Json record{};                      // of an accepted write: replaces the lost answer
  std::string evidence{};             // "order 17 is Open"
  std::optional<Failure> unusable{};  // accepted, but something that only the answer contained is lost
};

// A write as it was sent, with its body decoded.
struct SentWrite {
  const Entry& entry;
  const std::optional<Secret>& admin_secret;
  // Those of its client ids that an earlier order in the log has too.
  std::set<std::string, std::less<>> taken{};
};

struct Proof {
  const api::Operation* operation;
  std::string_view how;  // "open orders, order history and fills, by client id"
  Result<Finding, Failure> (*look)(Connection&, const SentWrite&);
  Result<Json, Failure> (*before)(Connection&, const Call&) = nullptr;
};

// Null for an operation whose effect cannot be looked up.
[[nodiscard]] const Proof* find_proof(std::string_view operation);

// An order that was or may have been sent.
struct SoughtOrder {
  std::string client_id;
  Json asked{};                               // its terms as sent; null: any terms match
  std::optional<TimestampMs> signed_at_ms{};  // nullopt: orders of any age match
  bool is_taken = false;                      // an earlier order had this client id already
};
// One finding per order: accepted (the record is order and fills), rejected, not_seen or unknown. Lists are read back
// to `since_ms`; of a list that is too long, the part until `near_ms` is read as well.
struct Period {
  TimestampMs since_ms = 0;
  TimestampMs near_ms = 0;
};
[[nodiscard]] Result<std::vector<Finding>, Failure> find_orders(Connection& connection, const Period& period,
                                                                const std::vector<SoughtOrder>& sought);

// One array per file of proofs.
[[nodiscard]] std::span<const Proof> order_proofs();
[[nodiscard]] std::span<const Proof> money_proofs();
[[nodiscard]] std::span<const Proof> setting_proofs();

}  // namespace svc::cli::outbox
