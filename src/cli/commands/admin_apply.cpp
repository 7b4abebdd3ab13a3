// admin tiers diff, apply
#include <array>

#include "cli/commands/given_text.h"
#include "cli/commands/groups.h"
#include "cli/commands/operator_desk.h"
#include "cli/commands/plan_confirmation.h"
#include "cli/commands/read.h"
#include "cli/commands/write_flags.h"
#include "cli/files/private_file.h"
#include "cli/progress_line.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t changes_default_max = 20;

View tier_plan_view() {
  return {{{"address", "address"}, {"action", "action"}, {"old", "old"}, {"new", "new"}, {"result", "result"}},
          Layout::rows};
}

// What both take, and the plan that comes of it.
struct PlanSource {
  std::optional<std::string> csv;
  std::optional<std::string> plan_file;
  std::optional<std::uint64_t> changes_max;
  bool prune = false;
  OperatorDesk desk;

  void declare(Arguments& arguments, bool applies) {
    arguments.text("-f,--file", csv, "CSV", "address,tier and maybe expect,note; - for standard input");
    arguments.flag("--prune", prune, "put accounts that the file does not name back to the default tier");
    arguments.integer("--max-changes", changes_max, "N", "refuse a plan with more changes (default 20)");
    arguments.text("--plan", plan_file, "FILE",
                   applies ? "go on only if the plan is still the one in this file" : "write the plan to a new file");
    desk.declare(arguments, applies);
  }

  Result<std::vector<TierChange>, Stop> plan(Context& context, Exchange& exchange) {
    if (!csv) return unexpected(Stop(usage_error("--file names the CSV; - is standard input")));
    const auto text = SVC_TRY(read_text(context, *csv, "the file of --file"));
    const auto wanted = SVC_TRY(parse_tiers(text));
    if (prune && wanted.empty() && !changes_max) {
      return unexpected(Stop(usage_error("the file names no account, so --prune would put every account back to the "
                                         "default tier; if that is meant, say how many with --max-changes N")));
    }
    const auto present = SVC_TRY(desk.present(context, exchange));
    auto changes = SVC_TRY(plan_tiers(wanted, present, prune));
    if (changes.size() > changes_max.value_or(changes_default_max)) {
      return unexpected(
          Stop(guard("too_many_changes",
                     "the plan has " + std::to_string(changes.size()) + " changes; --max-changes allows " +
                         std::to_string(changes_max.value_or(changes_default_max)) + ". Nothing was changed")));
    }
    return changes;
  }
};

class DiffTiers final : public Command {
 public:
  void declare(Arguments& arguments) override { source_.declare(arguments, false); }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(source_.plan(context, exchange));
    const Json plan = plan_document(exchange.network().name, changes);
    if (source_.plan_file) {
      SVC_TRY(write_new_given(*source_.plan_file, plan.dump() + "\n"));
    }
    return Answer{.data = *plan.find("changes"), .view = tier_plan_view()};
  }

 private:
  PlanSource source_;
};

// One after the other; what fails does not keep the others from it, unless it tells that nothing will work or that
// nobody knows what happened.
class ApplyTiers final : public Command {
 public:
  void declare(Arguments& arguments) override { source_.declare(arguments, true); }

  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    SVC_TRY(source_.desk.check_reason(exchange));
    const auto changes = SVC_TRY(source_.plan(context, exchange));
    const Json plan = plan_document(exchange.network().name, changes);
    SVC_TRY(compare(plan));
    Answer answer{.data = Json::array(), .view = tier_plan_view()};
    if (changes.empty()) return answer;
    for (const TierChange& change : changes) {
      context.say("plan: " + std::string(change.action()) + " " + to_string(change.address) + " " + change.old_tier +
                  " -> " + change.new_tier);
    }
    SVC_TRY(confirm_changes(context, changes.size()));
    return apply(context, exchange, changes, plan);
  }

 private:
  Result<void, Failure> compare(const Json& plan) const {
    if (!source_.plan_file) return {};
    const auto given =
        SVC_TRY(read_given(*source_.plan_file, "the file of --plan", limits::input_bytes_max, LooseMode::accept));
    const auto approved = parse_json(given.text);
    if (approved && approved->dump() == plan.dump()) return {};
    return unexpected(guard("plan_changed", "the plan is no longer the one in " + *source_.plan_file +
                                                "; nothing was changed. Look at it again with admin tiers diff"));
  }

  Result<Answer, Stop> apply(Context& context, Exchange& exchange, const std::vector<TierChange>& changes,
                             const Json& plan) {
    Answer answer{.data = Json::array(), .view = tier_plan_view()};
    std::size_t done = 0;
    std::optional<Failure> first;
    bool stopped = false;
    ProgressLine progress(context, "applying", "tiers");
    for (std::size_t i = 0; i < changes.size(); ++i) {
      Json row = plan.find("changes")->items()[i];
      if (stopped) {
        row.set("result", "not_sent");
        answer.data.push(std::move(row));
        continue;
      }
      auto reply = source_.desk.change(context, exchange, changes[i]);
      if (reply) {
        ++done;
        row.set("result", "done");
      } else {
        auto* failure = std::get_if<Failure>(&reply.error().why);
        if (failure == nullptr) return unexpected(reply.error());
        row.set("result", failure->code);
        stopped = failure->exit != ExitCode::not_found && failure->exit != ExitCode::invalid &&
                  failure->exit != ExitCode::conflict;
        if (!first || failure->exit == ExitCode::outcome_unknown) first = std::move(*failure);
      }
      answer.data.push(std::move(row));
      progress.at(i + 1, changes.size());
    }
    if (!first) return answer;
    answer.failure = std::move(first);
    if (done > 0 && answer.failure->exit != ExitCode::outcome_unknown) {
      answer.failure->exit = ExitCode::partial;
      answer.failure->message = std::to_string(done) + " of " + std::to_string(changes.size()) +
                                " tiers were changed: " + answer.failure->message;
    }
    answer.failure->details.set("done", done);
    answer.failure->details.set("left", changes.size() - done);
    answer.failure->actions = {command_line(context, "admin tiers diff -f " + *source_.csv)};
    return answer;
  }

  PlanSource source_;
};

constexpr std::array admin_apply_rows{
    CommandRow{"admin tiers diff", "-f CSV", "Show what would change to bring the tiers to a file", make<DiffTiers>, 1,
               Repeats::yes},
    CommandRow{"admin tiers apply", "-f CSV", "Bring the tiers to a file", make<ApplyTiers>},
};

}  // namespace

std::span<const CommandRow> admin_apply_commands() {
  return admin_apply_rows;
}

}  // namespace svc::cli
