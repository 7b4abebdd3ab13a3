#include "cli/shell/committing.h"

#include <algorithm>

#include "cli/exchange/refusal.h"
#include "cli/shell/staging.h"

namespace svc::cli {
namespace {

// What an entry came to. Only the first two may be staged again; `filed` ones are in a file already, which the command
// has named, and are not kept twice.
enum class Fate : std::uint8_t { not_sent, refused, filed, over, unknown };

// A refusal that sending it again cannot change is over: what was to be cancelled or amended is not there.
Fate fate_after(ExitCode exit) {
  switch (exit) {
    case ExitCode::success:
    case ExitCode::partial:
    case ExitCode::not_found:
    case ExitCode::conflict: return Fate::over;
    case ExitCode::outcome_unknown:
    case ExitCode::internal: return Fate::unknown;
    default: return Fate::refused;
  }
}

// A row of `orders batch`; without an answer of its own an order may stand in the book.
Fate fate_in(const Json& row) {
  if (row.string_at("outcome") == "ok") return Fate::over;
  const auto error = row.string_at("error");
  if (!error) return Fate::unknown;
  return exit_of_code(*error) == ExitCode::outcome_unknown ? Fate::unknown : Fate::refused;
}

std::vector<Fate> fates_of(const StagedCall& call, ExitCode exit, const Json& answer) {
  const bool has_rows = !call.input.empty() && answer.is(Json::Kind::array);
  std::vector<Fate> fates(call.entries.size(), has_rows ? Fate::unknown : fate_after(exit));
  if (!has_rows) return fates;
  for (const Json& row : answer.items()) {
    const auto line = row.integer_at("line").value_or(0);
    if (line < 1 || static_cast<std::size_t>(line) > fates.size()) continue;
    fates[static_cast<std::size_t>(line) - 1] = fate_in(row);
  }
  // Of a call that did something `orders batch` keeps what was refused.
  const bool nothing = std::all_of(fates.begin(), fates.end(), [](Fate fate) { return fate == Fate::refused; });
  if (!nothing) std::replace(fates.begin(), fates.end(), Fate::refused, Fate::filed);
  return fates;
}

class Committed {
 public:
  explicit Committed(const std::function<void(std::string_view)>& say) : say_(say) {}

  void take(const StagedCall& call, std::size_t entry, Fate fate) {
    const std::string& shown = call.shown[entry];
    switch (fate) {
      case Fate::over: return;
      case Fate::filed: say_("refused, kept in the file named above: " + shown + "\n"); return;
      case Fate::unknown: say_("outcome unknown, not kept: " + shown + "\n"); return;
      case Fate::not_sent: say_("not sent: " + shown + "\n"); break;
      case Fate::refused: say_("not placed: " + shown + "\n"); break;
    }
    kept_.push_back(call.entries[entry]);
  }
  void leave(const StagedCall& call) {
    for (std::size_t i = 0; i < call.entries.size(); ++i) take(call, i, Fate::not_sent);
  }

  std::optional<std::vector<Staged>> kept() {
    if (kept_.empty()) return std::nullopt;
    say_(std::to_string(kept_.size()) + (kept_.size() == 1 ? " entry stays staged" : " entries stay staged") +
         ", as nothing happened to " + (kept_.size() == 1 ? "it" : "them") +
         "; \\diff shows, \\commit sends again, \\rollback drops\n");
    return std::move(kept_);
  }

 private:
  const std::function<void(std::string_view)>& say_;
  std::vector<Staged> kept_;
};

}  // namespace

Result<int, Failure> commit_staged(ShellState& state, Runner& runner,
                                   const std::function<void(std::string_view)>& say) {
  if (!state.staged) return unexpected(usage_error("nothing is held back; \\begin starts"));
  const auto calls = SVC_TRY(plan_of(*state.staged, runner));
  // What becomes of a call is known before its entries may be staged again.
  state.staged.reset();
  Committed committed(say);
  int first_failure = 0;
  for (const StagedCall& call : calls) {
    if (runner.interrupted() || (first_failure != 0 && !call.cancels)) {
      committed.leave(call);
      continue;
    }
    state.last = Json();
    const int exit = runner.run(call.words, call.input);
    if (exit == 0) continue;
    if (first_failure == 0) first_failure = exit;
    const auto fates = fates_of(call, static_cast<ExitCode>(exit), state.last);
    for (std::size_t i = 0; i < fates.size(); ++i) committed.take(call, i, fates[i]);
  }
  state.staged = committed.kept();
  return first_failure;
}

}  // namespace svc::cli
