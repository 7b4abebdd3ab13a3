// The shell on a terminal: Enter runs only the line that is visible, whatever program had the screen in between.
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/terminal/failure.h"
#include "cli/trader_home.h"

namespace svc::cli {
namespace SVC_FILE {

void see(Program& program, std::string_view text) {
  const std::string shown = program.read_until(text);
  EXPECT_TRUE(shown.ends_with(text)) << shown;
}

// A shell that shows its status line.
struct OpenShell : Program {
  explicit OpenShell(const TraderHome& home) : Program({"-n", "local", "shell"}, home.path(), Stdio::terminal) {
    see(*this, "stream ");
  }
};

TEST(ShellTerminal, TheTypedLineIsShownAgainAfterASuspend) {
  const TraderHome home;
  OpenShell shell(home);
  shell.type("buy 0.5");
  see(shell,
      "5\x1b"
      "7\x1b[90m MARKET");
  shell.send_signal(SIGSTOP);
  shell.send_signal(SIGCONT);
  EXPECT_TRUE(shell.read_until("> buy 0.5").ends_with("> buy 0.5"));
  shell.type("\x1a");  // nobody could continue it here, so it does not stop
  EXPECT_TRUE(shell.read_until("> buy 0.5").ends_with("> buy 0.5"));
  shell.type("\x03");
  see(shell, "^C");
  // Keys that a program on the terminal did not read are not a line of the shell. The typed line may be drawn twice, so
  // quotes keep it from containing what the program prints.
  shell.type("\\! echo be''gun; sleep 0.5; echo ov''er\r");
  see(shell, "begun");
  shell.type("use BTC-USDX-PERP\r");
  see(shell, "over\r\n");
  see(shell, "> ");
  shell.type("\\q\r");
  const std::string rest = shell.rest();
  EXPECT_EQ(rest.find("BTC"), std::string::npos) << rest;
  EXPECT_EQ(shell.wait(), 0);
}

TEST(ShellTerminal, OpensWithoutAHistoryThatCannotBeKept) {
  const TraderHome home;
  const auto history = home.path() / ".local/state/svc/history";
  std::filesystem::create_directories(history / "local");  // a folder in place of the file
  std::filesystem::permissions(history, std::filesystem::perms::owner_all);
  Program shell({"-n", "local", "shell"}, home.path(), Program::Stdio::terminal);
  see(shell, "none is kept");
  see(shell, "stream ");
  shell.type("\\q\r");
  static_cast<void>(shell.rest());
  EXPECT_EQ(shell.wait(), 0);
}

TEST(ShellTerminal, AHintIsFaintWithoutColours) {
  const TraderHome home;
  Program shell({"-n", "local", "shell", "--color", "never"}, home.path(), Program::Stdio::terminal);
  see(shell, "stream ");
  shell.type("buy 0.5");
  see(shell, "\x1b[2m MARKET");
  shell.type("\x03");
  see(shell, "^C");
  shell.type("\\q\r");
  static_cast<void>(shell.rest());
  EXPECT_EQ(shell.wait(), 0);
}

TEST(ShellTerminal, ASecretTypedAfterAStopIsNotShown) {
  const TraderHome home;
  Program asking({"-n", "local", "keystore", "new", "other"}, home.path(), Program::Stdio::terminal);
  see(asking, "password for wallet other");
  asking.see_keys_hidden();
  asking.stop_and_show_keys();
  asking.send_signal(SIGCONT);
  asking.see_keys_hidden();
  asking.type("\x03");
  static_cast<void>(asking.rest());
}

// What is watched has a screen of its own. Nobody could continue the program here, so it does not stop.
TEST(ShellTerminal, CtrlZLeavesTheScreenOfAWatchedTable) {
  const TraderHome home;
  Program watched({"-n", "local", "markets", "list", "--watch=600"}, home.path(), Program::Stdio::terminal);
  see(watched, "\x1b[?1049h");
  see(watched, "BTC-USDX-PERP");
  see(watched, "\x1b[J");
  watched.type("\x1a");
  see(watched, "\x1b[?1049l\x1b[?1049h");
  see(watched, "BTC-USDX-PERP");
  see(watched, "\x1b[J");
  watched.type("\x03");
  static_cast<void>(watched.rest());
  EXPECT_EQ(watched.wait(), code_of(ExitCode::interrupted));
}

// libedit would keep the mark on the e in the line, and not on the screen.
TEST(ShellTerminal, AMarkThatIsNotShownIsNotTyped) {
  const TraderHome home;
  OpenShell shell(home);
  shell.type("\\! echo caf''e\xcc\x81 1''2\r");
  see(shell, "cafe 12\r\n");
  see(shell, "> ");
  shell.type("\\q\r");
  static_cast<void>(shell.rest());
  EXPECT_EQ(shell.wait(), 0);
}

TEST(ShellTerminal, CtrlCStopsAPastedBlockBeforeItsNextLine) {
  const TraderHome home;
  OpenShell shell(home);
  // Longer than a look takes on a busy machine.
  home.run({"local", "fault", "add", "--operation", "place_order", "--latency", "2000", "--count", "1"});
  shell.type("\x1b[200~buy 0.01 BTC-USDX-PERP @ 50001\nbuy 0.01 BTC-USDX-PERP @ 50002\n\x1b[201~");
  see(shell, "run these 2 lines? [y/N] ");
  shell.type("y\r");
  constexpr int looks_max = 2'000;  // each runs a program
  const auto is_sent = [&] {
    const Json requests = home.run({"local", "requests", "--route", "place_order"});
    return !requests.find("data")->items().empty();
  };
  for (int looks = 0; looks < looks_max && !is_sent(); ++looks) continue;
  shell.type("\x03");
  see(shell, "not run: buy 0.01 BTC-USDX-PERP @ 50002");
  shell.type("\\q\r");
  static_cast<void>(shell.rest());
  EXPECT_EQ(home.open_orders(), 1u);
}

TEST(ShellTerminal, IsLockedAfterACommandThatRanAlone) {
  const TraderHome home;
  home.run({"config", "set", "idle_lock", "1s"});
  OpenShell shell(home);
  shell.type("\\! sleep 1.1\r");
  see(shell, " locked");
}

TEST(ShellTerminal, LeavingReadsWhatIsOpenNow) {
  const TraderHome home;
  OpenShell shell(home);
  home.run({"account", "cancel-on-disconnect", "on"});
  home.run({"buy", "0.01", "BTC-USDX-PERP", "@", "58000"});
  shell.type("\x04");
  see(shell, "1 order is open and cancel-on-disconnect is on: leaving may cancel them; leave? [y/N] ");
}

TEST(ShellTerminal, ExitCodesAreKnownWhereTheParentIgnoresItsChildren) {
  const TraderHome home;
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  Program shell({"-n", "local", "shell", "-c", "\\! true"}, home.path());
  ::signal(SIGCHLD, before);
  static_cast<void>(shell.rest());
  EXPECT_EQ(shell.wait(), 0);
}

TEST(ShellTerminal, OutputWithoutALineFeedStays) {
  const TraderHome home;
  OpenShell shell(home);
  shell.type("\\! printf be''gun\r");
  see(shell, "begun\x1b[7m%");
}

TEST(ShellTerminal, LeavingWithStagedEntriesNeedsAConfirmation) {
  const TraderHome home;
  OpenShell shell(home);
  shell.type("\\begin\r");
  see(shell, "held back until");
  shell.type("buy 0.1 BTC-USDX-PERP @ 50000\r");
  see(shell, "staged as 1");
  shell.type("\\q\r");
  see(shell, "orders are staged and not sent; leave? [y/N] ");
  shell.type("n\r");
  see(shell, "+1");
  shell.type("\\q\r");
  see(shell, "leave? [y/N] ");
  shell.type("y\r");
  static_cast<void>(shell.rest());
  EXPECT_EQ(shell.wait(), 0);
  EXPECT_EQ(home.open_orders(), 0u);
}

TEST(ShellTerminal, ASignalThatEndsItReportsStagedEntries) {
  const TraderHome home;
  for (const int signal : {SIGTERM, SIGHUP}) {
    OpenShell shell(home);
    shell.type("\\begin\r");
    see(shell, "held back until");
    shell.type("buy 0.1 BTC-USDX-PERP @ 50000\r");
    see(shell, "+1");
    shell.send_signal(signal);
    EXPECT_NE(shell.rest().find("1 entry was staged and not sent"), std::string::npos) << signal;
    EXPECT_EQ(shell.wait(), code_of(ExitCode::terminated));
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
