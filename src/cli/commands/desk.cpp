// diff, apply: the set-up of an account from a file
#include <array>

#include "cli/commands/desk_plan.h"
#include "cli/commands/given_text.h"
#include "cli/commands/groups.h"
#include "cli/commands/plan_confirmation.h"
#include "cli/commands/read.h"
#include "cli/commands/write_flags.h"

namespace svc::cli {
namespace {

View plan_view() {
  return {{{"item", "item"}, {"action", "action"}, {"current", "current"}, {"wanted", "wanted"}}, Layout::rows};
}

View applied_view() {
  View view = plan_view();
  view.columns.push_back({"result", "result"});
  return view;
}

Json row_of(const DeskChange& change) {
  return Json::object({{"item", change.item},
                       {"action", change.action},
                       {"current", change.current == "-" ? Json() : Json(change.current)},
                       {"wanted", change.wanted}});
}

struct DeskSource {
  std::optional<std::string> file;
  bool prune = false;

  void declare(Arguments& arguments) {
    arguments.text("-f,--file", file, "FILE", "how the account should be set up; - for standard input");
    arguments.flag("--prune", prune, "revoke agents that the file does not name");
  }
  Result<WantedDesk, Failure> read(Context& context) const {
    if (!file) return unexpected(usage_error("--file names the set-up, such as desk.toml; - is standard input"));
    const auto text = SVC_TRY(read_text(context, *file, "the file of --file"));
    return parse_desk(text);
  }
};

class DiffDesk final : public Command {
 public:
  void declare(Arguments& arguments) override {
    source_.declare(arguments);
    arguments.flag("--exit-code", exit_code_, "exit 6 if anything differs, 0 if nothing does");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto wanted = SVC_TRY(source_.read(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(plan_desk(context, exchange, wanted, source_.prune, ActionChoice::when_unlocked));
    Answer answer{.data = Json::array(), .view = plan_view()};
    for (const DeskChange& change : changes) answer.data.push(row_of(change));
    if (exit_code_ && !changes.empty()) answer.exit = ExitCode::conflict;
    return answer;
  }

 private:
  DeskSource source_;
  bool exit_code_ = false;
};

// One after the other. One that is refused does not keep the others from it; a lost answer, or a failure that the next
// one would meet as well, ends the run.
class ApplyDesk final : public Command {
 public:
  void declare(Arguments& arguments) override {
    source_.declare(arguments);
    action_.declare(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    const auto wanted = SVC_TRY(source_.read(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(plan_desk(context, exchange, wanted, source_.prune, action_.choice()));
    Answer answer{.data = Json::array(), .view = plan_view()};
    if (changes.empty()) return answer;
    for (const DeskChange& change : changes) {
      context.say("plan: " + change.action + " " + change.item + ": " + change.current + " -> " + change.wanted);
    }
    answer.view = applied_view();
    SVC_TRY(confirm_changes(context, changes.size()));

    std::size_t done = 0;
    bool stopped = false;
    for (const DeskChange& change : changes) {
      Json row = row_of(change);
      if (stopped) {
        row.set("result", "not_sent");
      } else if (const auto applied = change.apply(context, exchange); applied) {
        ++done;
        row.set("result", "done");
      } else {
        const auto* failure = std::get_if<Failure>(&applied.error().why);
        if (failure == nullptr) return unexpected(applied.error());
        row.set("result", failure->code);
        stopped = failure->exit == ExitCode::outcome_unknown || failure->exit == ExitCode::unavailable ||
                  failure->exit == ExitCode::authentication || failure->exit == ExitCode::rate_limited ||
                  failure->exit == ExitCode::confirmation;
        if (!answer.failure || failure->exit == ExitCode::outcome_unknown) answer.failure = *failure;
      }
      answer.data.push(std::move(row));
    }
    if (!answer.failure) return answer;
    if (done > 0 && answer.failure->exit != ExitCode::outcome_unknown) {
      answer.failure->exit = ExitCode::partial;
      answer.failure->message = std::to_string(done) + " of " + std::to_string(changes.size()) +
                                " changes were made: " + answer.failure->message;
    }
    answer.failure->details.set("done", done);
    answer.failure->details.set("left", changes.size() - done);
    answer.failure->actions = {command_line(context, "diff -f " + *source_.file)};
    return answer;
  }

 private:
  DeskSource source_;
  ActionFlag action_;
};

constexpr std::array desk_rows{
    CommandRow{"diff", "-f FILE", "Show what differs between an account and a file", make<DiffDesk>, 1, Repeats::yes},
    CommandRow{"apply", "-f FILE", "Set an account up as a file says", make<ApplyDesk>},
};

}  // namespace

std::span<const CommandRow> desk_commands() {
  return desk_rows;
}

}  // namespace svc::cli
