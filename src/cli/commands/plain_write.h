// The write flags of commands that place no order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/arguments.h"
#include "cli/client/call.h"
#include "cli/client/client_id.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"
#include "cli/commands/read.h"

namespace svc::cli {

// --wait and --wait-timeout: until the service's reads, which may lag behind its answer, show what was written.
class SeenFlag {
 public:
  void declare(Arguments& arguments);
  // With --wait it returns once a read shows the write; exit 17, with the answer in the details, if none does in time.
  // A write that cannot be looked up is refused before it is sent.
  [[nodiscard]] Result<Reply, Failure> send(Context& context, Exchange& exchange, const Call& call) const;

 private:
  bool given_ = false;
  WaitLimit limit_;
};

// Of operations that carry a signed action.
struct ActionFlag {
  std::optional<std::string> word;

  void declare(Arguments& arguments);
  [[nodiscard]] ActionChoice choice() const;
};

class PlainWrite {
 public:
  enum class Signed : std::uint8_t { not_at_all, in_body, beside };

  explicit PlainWrite(Signed how = Signed::not_at_all) : how_(how) {}
  void declare(Arguments& arguments);
  // Without --wait, which is refused with this sentence.
  void declare_answered(Arguments& arguments, std::string_view why);
  [[nodiscard]] Result<Reply, Failure> send(Context& context, Exchange& exchange, Call call) const {
    if (how_ == Signed::beside) call.action = action_.choice();
    return seen_.send(context, exchange, call);
  }

 private:
  void declare_action(Arguments& arguments);

  Signed how_;
  ActionFlag action_;  // of `beside` alone there is something to choose
  SeenFlag seen_;
};

// --wait and --wait-timeout are refused with this sentence.
void refuse_wait(Arguments& arguments, std::string_view why);
// Write flags for which only orders have a field.
void refuse_order_flags(Arguments& arguments);

// Of commands that place orders.
struct ClientIdFlag {
  std::optional<std::string> given;

  void declare(Arguments& arguments);
  // The id given, or a new one; exit 2 if the one given cannot be an id.
  [[nodiscard]] Result<std::string, Failure> take(Context& context) const;
};

// Before a plan of several changes is carried out: --yes, or on real funds --confirm, or a person's answer; exit 3
// otherwise.
[[nodiscard]] Result<void, Failure> confirm_changes(Context& context, std::size_t count);

// Sends a plan's changes one after the other and puts a "result" into each row. After a failure the next change is sent
// only if `goes_on` is true of it. A failure after some changes were made is exit 15, unless an outcome is unknown.
struct ChangeSteps {
  std::vector<Json> rows;  // one for each change
  std::string_view what;   // "changes"
  std::function<Result<void, Failure>(std::size_t change)> send;
  bool (*goes_on)(ExitCode failure);
  std::string look_again;  // the command that shows what is left
};
[[nodiscard]] Result<Answer, Failure> send_changes(ChangeSteps steps);

}  // namespace svc::cli
