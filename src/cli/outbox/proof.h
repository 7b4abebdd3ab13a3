// How it is found out what became of a write: one row per operation that changes something.
//
// A look reads what the account shows now and compares it with what was asked. Where the operation leaves no
// mark of its own (an id of ours), what was there before is read first and kept with the entry.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/exchange/call.h"
#include "cli/failure.h"
#include "cli/outbox/outbox.h"

namespace svc::cli {
class Exchange;
}

namespace svc::cli::outbox {

enum class Verdict : std::uint8_t {
  accepted,      // it is there
  rejected,      // it arrived, and was refused or can have no effect any more
  not_accepted,  // it is not there, and cannot come: its signature has expired
  not_seen,      // it was not there when we looked
};
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::not_seen;
  Json record{};                      // of an accepted write: stands in for the answer that was lost
  std::string evidence{};             // "order 17 is Open"
  std::optional<Failure> unusable{};  // accepted, but what only the answer held is lost
};

// What was asked, with its body understood.
struct Wish {
  const Entry& entry;
  const std::optional<Secret>& admin_secret;
};

struct Proof {
  std::string_view operation;
  std::string_view how;  // "open orders, order history and fills, by client id"
  Result<Finding, Stop> (*look)(Exchange&, const Wish&);
  Result<Json, Stop> (*before)(Exchange&, const Call&) = nullptr;
};

// Null for an operation that nothing can be looked up for.
[[nodiscard]] const Proof* find_proof(std::string_view operation);

// Logging in, previewing, minting a stream token: nothing is lost with the answer, so nothing is looked for.
[[nodiscard]] bool leaves_no_trace(std::string_view operation);

// One array per file of proofs.
[[nodiscard]] std::span<const Proof> order_proofs();
[[nodiscard]] std::span<const Proof> money_proofs();
[[nodiscard]] std::span<const Proof> setting_proofs();

}  // namespace svc::cli::outbox
