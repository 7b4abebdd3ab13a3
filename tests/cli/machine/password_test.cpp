// The sources of a password; without a terminal there is no prompt.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>

#include "base/files.h"
#include "cli/client/watch_loop.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "cli/machine/programs.h"
#include "cli/program.h"
#include "cli/shell/runner.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string buy = "-n local --json buy 0.1 BTC-USDX-PERP @ 30000 --action sign";

// A descriptor from which the text can be read.
int descriptor_with(const std::string& text) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  return ends[0];
}

TEST(Password, ComesFromAFileADescriptorOrStandardInput) {
  TraderMachine machine;
  EXPECT_EQ(machine.run(buy + machine.with_password).exit, 0);
  const int descriptor = descriptor_with("correct horse\n");
  EXPECT_EQ(machine.run(buy + " --password-fd " + std::to_string(descriptor)).exit, 0);
  ::close(descriptor);
  machine.input = "correct horse\n";
  EXPECT_EQ(machine.run(buy + " --password-file -").exit, 0);
  EXPECT_EQ(machine.run(buy + " --password-file " + (machine.home() / "nowhere").string()).exit, 2);
  EXPECT_EQ(machine.run(buy + " --password-fd 977").exit, 2);
}

TEST(Password, KeysThatEditAreNoneOfItsCharacters) {
  const FreshHome home;
  const auto write = [&](const std::string& name, std::string_view text) {
    const std::filesystem::path file = home.path() / name;
    std::ofstream(file) << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return file.string();
  };
  Program typed({"-n", "local", "keystore", "new", "w", "--kdf", "scrypt:4096"}, home.path(), Program::Stdio::terminal);
  for (int times = 0; times < 2; ++times) {
    EXPECT_TRUE(typed.read_until(": ").ends_with(": "));
    typed.type(
        "a\xc3\xa9\x7f\x1b[D\x1bOA\x1b[[A\x1c"
        "b\r");  // a, an accented e, Backspace, arrow keys, F1 of a Linux console, Ctrl-backslash, b
  }
  EXPECT_EQ(typed.wait(), 0);
  Program opened({"-n", "local", "keystore", "passwd", "w", "--password-file", write("pw", "ab"), "--new-password-file",
                  write("new", "cd")},
                 home.path());
  EXPECT_EQ(opened.wait(), 0);
}

TEST(Password, IsReadFromACommand) {
  TraderMachine machine;
  const std::string file = (machine.home() / "password").string();
  machine.variables["SVC_PASSWORD_COMMAND"] = "cat " + file;
  EXPECT_EQ(machine.run(buy).exit, 0);
  for (const std::string bad : {"exit 3", "kill -9 $$", "/nowhere/pass", "head -c 5000 /dev/zero"}) {
    machine.variables["SVC_PASSWORD_COMMAND"] = bad;
    machine.sent.clear();
    const RunResult ran = machine.run(buy);
    EXPECT_EQ(ran.exit, 4) << bad;
    EXPECT_EQ(ran.code(), "password_command") << bad << ran.out;
    for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << bad;
  }
  machine.variables["SVC_PASSWORD_COMMAND"] = "true";
  EXPECT_TRUE(has(machine.run(buy).out, "is empty"));
  machine.variables["SVC_PASSWORD_COMMAND"] = "echo wrong";
  EXPECT_EQ(machine.run(buy).code(), "wallet_locked");
  // Flags take precedence.
  EXPECT_EQ(machine.run(buy + " --password-file " + file).exit, 0);
}

TEST(Password, IsReadFromTheConfiguredCommand) {
  TraderMachine machine;
  machine.write("pass word", "correct horse\n");
  std::filesystem::create_directories(machine.home() / ".config/svc");
  std::filesystem::permissions(machine.home() / ".config/svc", std::filesystem::perms::owner_all);
  const auto configure = [&](const std::string& value) {
    machine.write(".config/svc/config.toml", "version = 1\n[defaults]\npassword_command = " + value + "\n");
  };
  configure("[\"cat\", \"" + (machine.home() / "pass word").string() + "\"]");
  EXPECT_EQ(machine.run(buy).exit, 0);
  configure("\"cat '" + (machine.home() / "pass word").string() + "'\"");
  EXPECT_EQ(machine.run(buy).exit, 0);
  configure("[]");
  EXPECT_EQ(machine.run(buy).exit, 4);
}

// A project folder must not be able to start programs.
TEST(Password, IsNotReadFromAProjectsCommand) {
  TraderMachine machine;
  std::filesystem::create_directories(machine.home() / "project");
  machine.write("project/.svc.toml",
                "[defaults]\npassword_command = \"touch " + (machine.home() / "ran").string() + "\"\n");
  machine.working_folder = machine.home() / "project";
  EXPECT_EQ(machine.run(buy).exit, 14);
  EXPECT_FALSE(std::filesystem::exists(machine.home() / "ran"));
}

TEST(Password, ComesFromTheServiceManagersCredentials) {
  TraderMachine machine;
  machine.write("svc-password", "correct horse\n");
  machine.variables["CREDENTIALS_DIRECTORY"] = machine.home().string();
  EXPECT_EQ(machine.run(buy).exit, 0);
  // The access list by which systemd lets the user of a unit read root's file shows as a right of the group.
  ASSERT_EQ(::chmod((machine.home() / "svc-password").c_str(), 0440), 0);
  EXPECT_EQ(machine.run(buy).exit, ::geteuid() == 0 ? 0 : 14);
  ASSERT_EQ(::chmod((machine.home() / "svc-password").c_str(), 0444), 0);
  EXPECT_EQ(machine.run(buy).exit, 14);
  std::filesystem::remove(machine.home() / "svc-password");
  EXPECT_EQ(machine.run(buy).exit, 4) << "a folder without it is as none";
}

// No prompt and no wait: exit 3 with what to add, whatever standard input contains.
TEST(Password, IsPromptedForOnlyOnATerminal) {
  TraderMachine machine;
  machine.answers = {"correct horse"};
  for (const std::string line :
       {"login --wallet alice", "transfers enroll", "withdrawals submit 5", "keystore unlock alice",
        "keystore passwd alice", "agents register 0x00000000000000000000000000000000000000aa", "keystore new dora",
        "sign message hello --wallet alice"}) {
    for (const bool terminal : {false, true}) {
      machine.in_is_terminal = machine.err_is_terminal = terminal;
      machine.input = "correct horse\n";
      const RunResult ran = machine.run("-n local --json " + line + (terminal ? " --no-input" : ""));
      EXPECT_EQ(ran.exit, 3) << line << ran.out;
      EXPECT_EQ(ran.code(), "input_required") << line;
      EXPECT_NE(ran.document().string_at("error.message")->find("is needed, and nobody can be asked"),
                std::string::npos);
      EXPECT_EQ(machine.answers.size(), 1u) << line << " asked";
    }
  }
  machine.in_is_terminal = machine.err_is_terminal = true;
  EXPECT_EQ(machine.run("-n local transfers enroll").exit, 0);
  EXPECT_TRUE(machine.answers.empty());
}

// A signer, a bot, or a command for an event: none inherits our secrets, or the descriptor that one came from.
TEST(Programs, InheritNoSecretVariablesOrDescriptors) {
  const int descriptor = descriptor_with("correct horse\n");
  const std::map<std::string, bool> secret{
      {"SVC_API_SECRET", true},     {"SVC_ADMIN_SECRET", true},      {"SVC_PASSWORD", true},
      {"SVC_TOKEN", true},          {"SVC_WALLET_PASSPHRASE", true}, {"SVC_API_KEY", false},
      {"SVC_PASSWORD_FILE", false}, {"SVC_PASSWORD_COMMAND", false}, {"OTHER_SECRET", false}};
  for (const auto& [name, is_secret] : secret) ::setenv(name.c_str(), ("value of " + name).c_str(), 1);
  FreshHome folder;
  const std::string file = (folder.path() / "seen").string();
  const std::string look = "env >" + file + "; cat <&" + std::to_string(descriptor) + " >>" + file +
                           "; ls -l /proc/self/fd >>" + file + "; true";
  const auto expect_nothing = [&](const std::string& who) {
    const std::string seen = file_text(file);
    EXPECT_FALSE(has(seen, "correct horse")) << who;
    for (const auto& [name, is_secret] : secret) {
      EXPECT_EQ(seen.find(name + "=value of " + name) == std::string::npos, is_secret) << who << name;
    }
  };
  EXPECT_TRUE(run_hook(look, Json::object({{"channel", "fills"}})).has_value());
  expect_nothing("watch --exec");
  auto bot = start_process(shell_words(look), {{"SVC_CLIENT_ID_PREFIX", "b-"}});
  ASSERT_TRUE(bot.has_value());
  while (!(*bot)->look().exit) ::usleep(1'000);
  expect_nothing("guard");
  auto pipe = Pipe::open();
  const auto piped = start({.words = shell_words(look), .input = pipe->read.get()});
  ASSERT_TRUE(piped.has_value());
  pipe->write.close();
  EXPECT_EQ(wait_for(*piped), 0);
  expect_nothing("a pipe of the shell");
  const auto given = start({.words = shell_words(look), .variables = {{"SVC_API_SECRET", "handed on"}}});
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(wait_for(*given), 0);
  const std::string seen = file_text(file);
  EXPECT_TRUE(has(seen, "SVC_API_SECRET=handed on")) << "what is handed on by name";
  for (const auto& [name, is_secret] : secret) ::unsetenv(name.c_str());
  ::close(descriptor);
}

// A file that was read to its end could be read again.
TEST(Programs, CannotReadAPasswordFromStandardInput) {
  ClientMachine machine;
  const auto file = machine.write("password", "correct horse\n");
  const int before = ::dup(STDIN_FILENO);
  const int opened = ::open(file.c_str(), O_RDONLY);
  ::dup2(opened, STDIN_FILENO);
  EXPECT_EQ(*process_environment().read_input(100), "correct horse\n");
  EXPECT_EQ(::lseek(STDIN_FILENO, 0, SEEK_SET), 0);
  char c = 0;
  EXPECT_EQ(::read(STDIN_FILENO, &c, 1), 0);
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  keep_from_children(opened);
  EXPECT_EQ(::fcntl(opened, F_GETFD), FD_CLOEXEC);
  ::close(opened);
}

TEST(HelperRun, InheritsNoSecretVariablesOrDescriptors) {
  const int descriptor = descriptor_with("correct horse\n");
  ::setenv("SVC_API_SECRET", "c0ffee", 1);
  ::setenv("SVC_API_KEY", "key-1", 1);
  const auto seen = run_helper({.words = {"/bin/sh", "-c", "env; cat <&" + std::to_string(descriptor) + "; true"},
                                .bytes_max = 64 * 1024,
                                .timeout_ms = 20'000});
  ::unsetenv("SVC_API_SECRET");
  ::unsetenv("SVC_API_KEY");
  ::close(descriptor);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->find("c0ffee"), std::string::npos);
  EXPECT_EQ(seen->find("correct horse"), std::string::npos);
  EXPECT_NE(seen->find("SVC_API_KEY=key-1"), std::string::npos) << "the rest is there";
}

}  // namespace SVC_FILE
}  // namespace svc::cli
