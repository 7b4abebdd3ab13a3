// local record start, stop, show
#include <array>

#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

View progress_view() {
  return {{{"recording", "recording"},
           {"steps", "steps"},
           {"spoiled", "spoiled"},
           {"now", "", [](const Json& row) { return time_at(row, "now_ms"); }},
           {"sequence", "sequence"}}};
}

class StartRecording final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    auto reply = SVC_TRY(ask_sandbox(context, control_post("/recording/start", Json::object({}))));
    return answer_of(std::move(reply), progress_view());
  }
};

class ShowRecording final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    auto reply = SVC_TRY(ask_sandbox(context, control_get("/recording")));
    return answer_of(std::move(reply), progress_view());
  }
};

class StopRecording final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("FILE", file_, "a new file for the scenario; none: print it");
    arguments.text("--title", title_, "TEXT", "what the story is about");
  }

  Result<Answer, Stop> run(Context& context) override {
    Json body = Json::object({});
    if (title_) body.set("title", *title_);
    // A session is gone when it is stopped: a file that cannot be made is told before.
    if (file_ && !context.globals().dry_run) SVC_TRY(write_new_given(*file_, ""));
    auto reply = ask_sandbox(context, control_post("/recording/stop", body));
    const Json* differences = reply ? reply->body.find("differences") : nullptr;
    const bool differs = differences != nullptr && !differences->items().empty();
    if (!reply || differs) {
      if (file_ && !context.globals().dry_run) (void)remove_private(*file_);
      if (!reply) return unexpected(reply.error());
      return unexpected(Stop(Failure{
          .exit = ExitCode::internal,
          .code = "not_reproduced",
          .message = "told to a fresh engine the session ends otherwise: " + differences->items().front().text()}));
    }
    const std::string text(reply->body.string_at("scenario").value_or(""));
    if (file_) SVC_TRY(replace(*file_, text));
    Answer answer{.data = Json::object({{"file", file_ ? Json(*file_) : Json()}}),
                  .view = {{{"file", "file"}, {"steps", "steps"}}}};
    for (const char* name : {"steps", "accounts", "scenario"})
      if (const Json* value = reply->body.find(name)) answer.data.set(name, *value);
    if (!file_) answer.text = text;
    return answer;
  }

 private:
  static Result<void, Failure> replace(const std::string& file, const std::string& text) {
    SVC_TRY(remove_private(file));
    return write_new_given(file, text);
  }

  std::optional<std::string> file_, title_;
};

constexpr std::array local_record_rows{
    CommandRow{"local record start", "", "Write down what happens from now on, to be told as a scenario",
               make<StartRecording>},
    CommandRow{"local record show", "", "Show whether a session is being written down", make<ShowRecording>, 1,
               Repeats::yes},
    CommandRow{"local record stop", "[FILE]", "End the session and write its scenario", make<StopRecording>},
};

}  // namespace

std::span<const CommandRow> local_record_commands() {
  return local_record_rows;
}

}  // namespace svc::cli
