// why
#include <algorithm>
#include <array>

#include "cli/commands/groups.h"
#include "cli/commands/hypothesis.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"
#include "cli/store/journal_reader.h"

namespace svc::cli {
namespace {

class Why final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("REQUEST_ID", id_, "a failed request (default: the latest)");
    arguments.flag("--last", last_, "the latest, which is the default");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (id_ && last_) return unexpected(Stop(usage_error("REQUEST_ID and --last exclude each other")));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto found = SVC_TRY(FailureLog(**context.paths(), exchange.network().name).find(id_));
    if (!found) {
      return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                     .code = "no_failure",
                                     .message = "no failed request of network " + exchange.network().name +
                                                (id_ ? " with id " + *id_ : "") + " is on record"}));
    }
    const Json& record = *found;
    context.say(std::string(record.string_at("method").value_or("")) + " " +
                std::string(record.string_at("target").value_or("")) + ": " +
                std::string(record.string_at("code").value_or("")) + ", " + time_at(record, "at_ms"));
    std::vector<why::Hypothesis> hypotheses;
    for (const why::Test& test : why::tests()) {
      auto answer = test({.context = context, .exchange = exchange, .record = record});
      if (answer) hypotheses.push_back(std::move(*answer));
    }
    std::stable_sort(hypotheses.begin(), hypotheses.end(),
                     [](const auto& a, const auto& b) { return a.verdict < b.verdict; });
    Answer answer{.data = record,
                  .view = {{{"hypothesis", "hypothesis"}, {"verdict", "verdict"}, {"evidence", "evidence"}}}};
    Json rows = Json::array();
    for (const why::Hypothesis& one : hypotheses) {
      rows.push(Json::object(
          {{"hypothesis", one.name}, {"verdict", why::to_string(one.verdict)}, {"evidence", one.evidence}}));
    }
    answer.data.set("hypotheses", rows);
    answer.rows = std::move(rows);
    return answer;
  }

 private:
  std::optional<std::string> id_;
  bool last_ = false;
};

constexpr std::array why_rows{
    CommandRow{"why", "[REQUEST_ID]", "Find out why the last request was refused", make<Why>},
};

}  // namespace

std::span<const CommandRow> why_commands() {
  return why_rows;
}

}  // namespace svc::cli
