// local snapshot, snapshots, revert, dump, load
#include <array>

#include "base/limits.h"
#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

View snapshot_view() {
  return {{{"name", "name"},
           {"sequence", "sequence"},
           {"time", "", [](const Json& row) { return time_at(row, "now_ms"); }},
           {"bytes", "bytes"}}};
}

View moment_view() {
  return {{{"now", "", [](const Json& row) { return time_at(row, "now_ms"); }}, {"sequence", "sequence"}}};
}

// What every command that names a snapshot has in common.
class SnapshotCommand : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "name of the snapshot"); }

 protected:
  // Names are letters, digits, dots, dashes and underscores, so that a path takes them as they are.
  [[nodiscard]] Result<void, Failure> check_name() const {
    for (const char c : name_) {
      const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        c == '_' || c == '.';
      if (!fits) return unexpected(usage_error("NAME takes letters, digits, dots, dashes and underscores"));
    }
    return {};
  }

  std::string name_;
};

class TakeSnapshot final : public SnapshotCommand {
 public:
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check_name());
    auto reply = SVC_TRY(ask_sandbox(context, control_post("/snapshots", Json::object({{"name", name_}}))));
    return answer_of(std::move(reply), snapshot_view());
  }
};

class Revert final : public SnapshotCommand {
 public:
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check_name());
    auto reply = SVC_TRY(ask_sandbox(context, control_post("/snapshots/" + name_ + "/revert", Json::object({}))));
    return answer_of(std::move(reply), moment_view());
  }
};

class ListSnapshots final : public SnapshotCommand {
 public:
  void declare(Arguments& arguments) override { arguments.text("--delete", dropped_, "NAME", "drop this one first"); }
  Result<Answer, Stop> run(Context& context) override {
    if (dropped_) {
      name_ = *dropped_;
      SVC_TRY(check_name());
      SVC_TRY(ask_sandbox(context, control_delete("/snapshots/" + name_)));
    }
    auto reply = SVC_TRY(ask_sandbox(context, control_get("/snapshots")));
    const Json* snapshots = reply.body.find("snapshots");
    return Answer{.data = snapshots == nullptr ? Json::array() : *snapshots, .view = snapshot_view()};
  }

 private:
  std::optional<std::string> dropped_;
};

// The document is the server's, byte for byte: its checksum is over what it says.
class DumpState final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("FILE", file_, "file to write; there must be none yet");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto reply = SVC_TRY(ask_sandbox(context, control_get("/state")));
    SVC_TRY(write_new_given(file_, reply.raw));
    Answer answer{.data = Json::object({{"file", file_}}), .view = {{{"file", "file"}, {"sequence", "sequence"}}}};
    for (const char* name : {"now_ms", "sequence"})
      if (const Json* value = reply.body.find(name)) answer.data.set(name, *value);
    return answer;
  }

 private:
  std::string file_;
};

class LoadState final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("FILE", file_, "file that svc local dump wrote"); }
  Result<Answer, Stop> run(Context& context) override {
    auto given = SVC_TRY(read_given(file_, "state file", limits::state_document_bytes_max, LooseMode::accept));
    auto reply = SVC_TRY(ask_sandbox(context, control_put("/state", std::move(given.text))));
    return answer_of(std::move(reply), moment_view());
  }

 private:
  std::string file_;
};

constexpr std::array local_state_rows{
    CommandRow{"local snapshot", "NAME", "Keep everything as it is now under a name", make<TakeSnapshot>},
    CommandRow{"local snapshots", "", "List the snapshots", make<ListSnapshots>, 1, Repeats::yes},
    CommandRow{"local revert", "NAME", "Take everything back to a snapshot", make<Revert>},
    CommandRow{"local dump", "FILE", "Write the whole state into a file", make<DumpState>},
    CommandRow{"local load", "FILE", "Go on from a state that was dumped", make<LoadState>},
};

}  // namespace

std::span<const CommandRow> local_state_commands() {
  return local_state_rows;
}

}  // namespace svc::cli
