// shell

#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/commands/command.h"

namespace svc::cli {
namespace {

class ShellCommand final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.texts("-c,--command", given_.lines, "LINE", "run this line and leave; may be given again");
    arguments.text("-f,--file", given_.file, "FILE", "run the lines of a file and leave");
    arguments.text("--rc", given_.rc, "FILE", "run these lines first, instead of those of shellrc");
    arguments.flag("--keep-going", given_.keep_going, "go on after a line that failed");
  }
  Result<Answer, Stop> run(Context& context) override { return context.entry_points().shell(context, given_); }

 private:
  ShellLines given_;
};

}  // namespace

std::span<const CommandRow> shell_commands() {
  static const CommandRow rows[]{{"shell", "", "Open a shell on one network", make<ShellCommand>}};
  return rows;
}

}  // namespace svc::cli
