// status, doctor
#include <algorithm>
#include <array>

#include "cli/arguments.h"
#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/commands/health.h"

namespace svc::cli {
namespace {

View check_view(bool with_action) {
  View view{{{"check", "check"}, {"state", "state"}, {"detail", "detail"}}, Layout::rows};
  if (with_action) view.columns.push_back({"action", "action"});
  return view;
}

bool any(const std::vector<Check>& checks, Finding at_least) {
  return std::any_of(checks.begin(), checks.end(), [&](const Check& one) { return one.finding >= at_least; });
}

// Whether commands could send something now, for cron: files only, unless --verify.
class CheckStatus final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--expires-within", within_, "D", "warn of what ends within this time (default 1h)");
    arguments.flag("--exit-code", exit_code_, "exit 4 if there is a warning");
    arguments.flag("--verify", verify_, "ask the server as well (costs nothing)");
  }
  Result<Answer, Stop> run(Context& context) override {
    std::int64_t within_ms = hour_ms;
    if (within_) {
      const auto given = SVC_TRY(parse_duration("--expires-within", *within_));
      within_ms = given;
    }
    ServerChecks server;
    if (verify_) server = check_server(context);
    auto checks = SVC_TRY(check_credentials(context, within_ms, server.ahead_ms));
    std::move(server.rows.begin(), server.rows.end(), std::back_inserter(checks));
    Answer answer{.data = rows_of(checks), .view = check_view(true)};
    answer.failure = server.mismatch;
    if (!answer.failure && exit_code_ && any(checks, Finding::warn)) {
      answer.failure = Failure{.exit = ExitCode::authentication,
                               .code = "expiring",
                               .message = "a credential is missing or refused, has ended or ends too soon; see the rows"};
    }
    return answer;
  }

 private:
  std::optional<std::string> within_;
  bool exit_code_ = false;
  bool verify_ = false;
};

class Doctor final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--offline", offline_, "ask no server");
    arguments.flag("--fix", fix_, "close files to others, remove what dead sandboxes left");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (fix_ && context.globals().dry_run) {
      return unexpected(Stop(usage_error("doctor --fix changes files; leave out --fix to see what it would do")));
    }
    std::vector<Check> checks = check_surroundings(context);
    auto files = SVC_TRY(check_files(context, fix_));
    std::move(files.begin(), files.end(), std::back_inserter(checks));
    ServerChecks server;
    if (!offline_ && !context.globals().dry_run) server = check_server(context);
    const bool named = context.network_name().has_value();
    if (named) {
      auto credentials = SVC_TRY(check_credentials(context, hour_ms, server.ahead_ms));
      std::move(credentials.begin(), credentials.end(), std::back_inserter(checks));
    }
    std::move(server.rows.begin(), server.rows.end(), std::back_inserter(checks));
    Answer answer{.data = rows_of(checks), .view = check_view(true)};
    answer.failure = server.mismatch;
    if (!answer.failure && any(checks, Finding::wrong)) {
      answer.failure =
          Failure{.exit = ExitCode::internal, .code = "unhealthy", .message = "something is wrong; see the rows"};
    }
    return answer;
  }

 private:
  bool offline_ = false;
  bool fix_ = false;
};

constexpr std::array health_rows{
    CommandRow{"status", "", "Show whether credentials are there and how long they last", make<CheckStatus>, 1,
               Repeats::yes},
    CommandRow{"doctor", "", "Check files, settings and the server, and say what to do", make<Doctor>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> health_commands() {
  return health_rows;
}

}  // namespace svc::cli
