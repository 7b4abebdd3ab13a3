// The write flags of commands that place no order.
#pragma once

#include "cli/client/call.h"
#include "cli/client/client_id.h"
#include "cli/commands/read.h"

namespace svc::cli {

// Of operations that carry a signed action.
struct ActionFlag {
  std::optional<std::string> word;

  void declare(Arguments& arguments);
  [[nodiscard]] ActionChoice choice() const;
};

// --action, --wait and --wait-timeout.
class PlainWrite {
 public:
  enum class Signed : std::uint8_t { not_at_all, in_body, beside };

  explicit PlainWrite(Signed how = Signed::not_at_all) : how_(how) {}
  // With a reason for it, --wait is refused.
  void declare(Arguments& arguments, std::string_view why_no_wait = {});
  // With --wait it returns once a read shows what was written; exit 17, with the answer in the details, if none does in
  // time: the service's reads may lag behind its answer. A write that cannot be looked up is refused before it is sent.
  Result<Reply> send(Context& context, Exchange& exchange, Call call) const;

 private:
  Signed how_;
  ActionFlag action_;  // declared for `beside` alone: there one may choose
  bool waits_ = false;
  WaitLimit limit_;
};

// --wait and --wait-timeout are refused with this sentence.
void refuse_wait(Arguments& arguments, std::string_view why);
// Write flags for which only orders have a field.
inline constexpr std::array no_order_flags{refused("--preview", "the service previews orders only"),
                                           no_field("--client-id")};

// Whether the guard that this runs under will not cancel the order with that id.
bool tell_if_outside_guard(Context& context, const std::string& client_id);

// A plan of several changes.
struct ChangePlan {
  struct Change {
    Json row;
    std::string words;  // "set BTC-USDX-PERP leverage: 40 -> 5"
    std::function<Result<Reply>()> send;
  };
  std::vector<Change> changes;
  std::string_view done;              // "changes were made"
  bool (*goes_on)(ExitCode failure);  // to the next change, after a failure
  std::string look_again;             // the command that shows what is left
};
// Tells the changes, and asks for --yes, or on real funds --confirm, or a person's answer; exit 3 otherwise. Then sends
// one after the other and puts a "result" into each row. A failure after some changes were made is exit 15, unless an
// outcome is unknown.
Result<Answer> carry_out(Context& context, ChangePlan plan);

}  // namespace svc::cli
