// One network, to read from and to write to: a connection that guards, records and looks up its writes.
//
// Promises
//   - A write is in the log, on disk, before its first byte is sent.
//   - A write whose answer is lost is looked up before its outcome is reported as unknown.
#pragma once

#include "cli/client/confirmation.h"
#include "cli/client/connection.h"
#include "cli/client/reconcile.h"
#include "cli/store/outbox.h"

namespace svc::cli {

class Exchange : public Connection {
 public:
  // Resolves the network. Connects only when something is sent.
  static Result<Exchange> open(Context& context);

  // The reply of a successful call; anything else is a failure.
  Result<Reply> call(const Call& call);

  // The orders that follow were made from prices that are too old from then on (machine uptime): exit 14 `stale_book`
  // instead of sending them, if a rate limit or a budget has taken that long. A question does not count: it shows them.
  void prices_hold_until(std::int64_t uptime_ms) {
    prices_hold_until_ms_ = std::min(prices_hold_until_ms_.value_or(uptime_ms), uptime_ms);
  }

  // The number of writes so far that settle_later() still has to look for.
  [[nodiscard]] std::size_t unsettled() const { return unsettled_.size(); }
  // Looks for each write that was lost, or was refused and may have been accepted all the same
  // (Call::is_settled_later). Their outcomes, in the order of the calls.
  [[nodiscard]] std::vector<Result<Reply>> settle_later();

 private:
  using Connection::Connection;

  Result<Confirmed> confirm(const Call& call);
  // In a shell that nobody used for a while a write needs the wallet's password; the way out does not.
  Result<void> unlock_shell(const Credential& credential);
  // Sends a write that has passed the guards.
  Result<Reply> write(const Call& call, const Credential& credential);
  // Signs, records and sends it once, and interprets the answer.
  Result<Reply> attempt(const Call& call, const Credential& credential);
  // In the log, on disk; a way out that cannot be written down is known to this run alone.
  Result<void> write_down(const Call& call, const Credential& credential, const Outgoing& outgoing);
  void conclude(outbox::Outcome outcome);  // its time is now
  // For an accepted write. If its repeat would be a second write, its entry stays open until the answer was printed: a
  // run that is killed before leaves it to the next one, which looks for it and refuses the repeat. (D-924)
  void conclude_once_told(const Call& call, outbox::Outcome outcome);
  // The outcome that could not be written down, if there is one.
  Result<void> write_missing_outcome();
  // From now on a signal that ends this process reports the write on its way and how to look it up.
  void say_in_flight(const Call& call);
  // From now on it reports the write as accepted.
  void note_answered(const Call& call);
  // Looks up a write whose answer was lost.
  Result<Reply> look_up_outcome(const Call& call, Failure lost);
  // For a refusal that may have followed acceptance: returns the write if it is found, else the refusal. (D-800)
  Result<Reply> look_up_after_refusal(const Call& call, const Failure& refused, outbox::Patience patience);

  // The refusal is final: nothing happened.
  void close_doubted(const Failure& refused);
  // What a look-up after that answer found. The write is no longer in flight; if nothing proves its outcome, its entry
  // stays open, and `unknown` is returned.
  Result<Reply> settle(const Call& call, const Result<outbox::Finding>& found, const std::string& answer,
                       Failure unknown);

  bool confirmed_ = false;
  std::optional<std::int64_t> prices_hold_until_ms_;  // machine uptime
  // Writes of earlier runs whose outcome is not known; nullopt before they were looked for.
  std::optional<std::vector<outbox::Entry>> unknown_earlier_;

  // Of the write in flight.
  std::optional<outbox::OpenEntry> entry_;
  std::optional<std::pair<outbox::OpenEntry, outbox::Outcome>> unwritten_outcome_;
  std::uint32_t sendings_ = 0;
  std::optional<TimestampMs> first_signed_at_ms_;
  std::optional<Failure> lost_;        // of a sending that may have arrived
  std::optional<int> doubted_status_;  // of a refusal that may have followed acceptance
  // The outcome of the entry once an order that is sent again has one of its own: so one is open at any time.
  std::optional<outbox::Outcome> refused_before_;
  bool absence_seen_ = false;  // by the look after a refusal
  Json before_;

  struct Unsettled {
    Call call;
    Failure failure;
    std::optional<outbox::OpenEntry> entry;
    std::optional<int> doubted_status;  // none: the answer was lost
  };
  std::vector<Unsettled> unsettled_;
};

}  // namespace svc::cli
