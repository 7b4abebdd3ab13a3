// local stop
#include <signal.h>

#include <algorithm>
#include <array>

#include "cli/commands/groups.h"
#include "cli/commands/read.h"
#include "cli/commands/sandbox_status.h"

namespace svc::cli {
namespace {

constexpr std::int64_t stop_look_ms = 50;
constexpr std::int64_t stop_ms_max = 15'000;  // requests in progress are answered first

class StopSandboxes final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--name", name_, "NAME", "the one of this name");
    arguments.flag("--all", all_, "every sandbox of this user");
  }

  Result<Answer, Stop> run(Context& context) override {
    if (name_ && all_) return unexpected(Stop(usage_error("--name and --all exclude each other")));
    const auto paths = SVC_TRY(context.paths());
    if (!context.globals().dry_run) let_starts_end(context, *paths);
    std::vector<RunningSandbox> chosen;
    for (const RunningSandbox& one : running_sandboxes(*paths))
      if (!name_ || one.name == *name_) chosen.push_back(one);
    if (chosen.empty()) return unexpected(Stop(no_such_sandbox(name_)));
    if (chosen.size() > 1 && !all_ && !name_)
      return unexpected(Stop(usage_error("several sandboxes run; --name says which, --all means every one")));
    Answer answer{.data = Json::array(),
                  .view = {{{"name", "name"}, {"url", "url"}, {"pid", "pid"}, {"stopped", "stopped"}}, Layout::rows}};
    for (const RunningSandbox& one : chosen) {
      Json row = Json::object({{"name", one.name}, {"url", one.url}, {"pid", one.pid}});
      if (!context.globals().dry_run) {
        const bool stopped = stop(context, *paths, one);
        row.set("stopped", stopped);
        if (!stopped)
          answer.failure =
              Failure{.exit = ExitCode::unavailable,
                      .code = "not_stopped",
                      .message = "sandbox " + one.name + " (" + std::to_string(one.pid) + ") did not stop"};
      }
      answer.data.push(std::move(row));
    }
    if (context.globals().dry_run)
      return unexpected(Stop(DryRun{
          Json::object({{"dry_run", true}, {"operation", "local_stop"}, {"sandboxes", std::move(answer.data)}})}));
    return answer;
  }

 private:
  // One that is about to take requests would be missed.
  void let_starts_end(Context& context, const Paths& paths) const {
    const auto is_meant = [this](const RunningSandbox& one) { return !name_ || one.name == *name_; };
    for (std::int64_t waited_ms = 0; waited_ms < stop_ms_max; waited_ms += stop_look_ms) {
      const auto starting = starting_sandboxes(paths);
      if (std::none_of(starting.begin(), starting.end(), is_meant)) return;
      context.environment().sleep_ms(stop_look_ms);
    }
  }

  static bool stop(Context& context, const Paths& paths, const RunningSandbox& one) {
    if (!status_of(context, one) || ::kill(static_cast<pid_t>(one.pid), SIGTERM) != 0) return false;
    for (std::int64_t waited_ms = 0; waited_ms < stop_ms_max; waited_ms += stop_look_ms) {
      context.environment().sleep_ms(stop_look_ms);
      bool runs = false;
      for (const RunningSandbox& other : running_sandboxes(paths)) runs = runs || other.pid == one.pid;
      if (!runs) return true;
    }
    return false;
  }

  std::optional<std::string> name_;
  bool all_ = false;
};

constexpr std::array local_stop_rows{
    CommandRow{"local stop", "[--name NAME]", "Stop a sandbox that runs", make<StopSandboxes>},
};

}  // namespace

std::span<const CommandRow> local_stop_commands() {
  return local_stop_rows;
}

}  // namespace svc::cli
