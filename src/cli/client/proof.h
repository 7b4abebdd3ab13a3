// How to find out what became of a write: one row per operation that changes something.
//
// A look reads the account's present state and compares it with the request. If the operation carries no id of ours,
// the state before the write is read first and kept with the entry.
#pragma once

#include <set>

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
  std::string row{};                  // id of the row that an accepted write made in a list
  std::optional<Failure> unusable{};  // accepted, but something that only the answer contained is lost
  TimestampMs looked_at_ms = 0;       // our clock, once the look was over
};

// A write as it was sent, with its body decoded.
struct SentWrite {
  const Entry& entry;
  const std::optional<Secret>& admin_secret;
  // Those of its client ids that an earlier order in the log has too.
  std::set<std::string, std::less<>> taken{};
  // Other writes that are looked up in the same way; only if there is a state before.
  std::vector<Rival> rivals{};
  std::string row{};  // the row that its answer named; empty: it is sought
};

struct Proof {
  const api::Operation* operation;
  std::string_view how;  // "open orders, order history and fills, by client id"
  Result<Finding> (*look)(Connection&, const SentWrite&);
  // Members of the answer that nothing else shows: null in the record of a write that was found.
  std::span<const std::string_view> lost{};
  Result<Json> (*before)(Connection&) = nullptr;
  std::string_view row_key{};  // the member by which answers name the row that the write made in the list
};

// Id of the row that an answer names; empty if it names none.
[[nodiscard]] std::string row_of(const Proof* proof, const Json& answer);

// Null for an operation whose effect cannot be looked up.
[[nodiscard]] const Proof* find_proof(std::string_view operation);

// An order that was or may have been sent.
struct SoughtOrder {
  std::string client_id;
  Json asked{};                               // its terms as sent; null: any terms match
  std::optional<TimestampMs> signed_at_ms{};  // nullopt: orders of any age match
  bool is_taken = false;                      // an earlier order had this client id already
  std::string account{};                      // empty if not known
};
// One finding per order: accepted (the record is the answer's: order and fills), rejected, not_seen or unknown. Lists
// are read back to `since_ms`; of a list that is too long, the part until `near_ms` is read as well.
struct Period {
  TimestampMs since_ms = 0;
  TimestampMs near_ms = 0;
};
Result<std::vector<Finding>> find_orders(Connection& connection, const Period& period,
                                         const std::vector<SoughtOrder>& sought);

// Null pointer if no row matches; the second, by the text of a member.
[[nodiscard]] const Json* find_row(const Json& rows, const std::function<bool(const Json&)>& matches);
[[nodiscard]] const Json* find_row(const Json& rows, std::string_view key, std::string_view text);

// False if a service that has orders shows none of their client ids, so that no order can be found by its own.
[[nodiscard]] bool are_client_ids_sent(const Json& open, const Json& ended);

}  // namespace svc::cli::outbox
