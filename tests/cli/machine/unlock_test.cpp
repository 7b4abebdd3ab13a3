// Keys held by the unlock agent: for how long, how many uses, and for which wallet.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

#include "cli/client_machine.h"
#include "cli/machine/unlock_agent.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string buy = "-n local --json buy 0.1 BTC-USDX-PERP @ 30000 --action sign";

std::vector<Json> unlocked(ClientMachine& machine) {
  return machine.run("--json keystore unlocked").rows();
}

TEST(UnlockAgent, SignsUntilItsTimeIsOver) {
  TraderMachine machine;
  EXPECT_EQ(machine.run(buy).exit, 4) << "locked";
  ASSERT_EQ(machine.run("-n local keystore unlock alice --ttl 10m" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run(buy).exit, 0);
  EXPECT_FALSE(has(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").err, "without a signed action"))
      << "signed by itself while it is unlocked";
  EXPECT_EQ(machine.run("-n local transfers enroll").exit, 0) << "the owner's structs as well";
  machine.clock.advance(10 * minute_ms - 1);
  EXPECT_EQ(machine.run(buy).exit, 0);
  EXPECT_EQ(unlocked(machine).size(), 1u);
  machine.clock.advance(1);
  EXPECT_EQ(machine.run(buy).exit, 4);
  EXPECT_EQ(unlocked(machine).size(), 0u);
}

TEST(UnlockAgent, DropsAKeyOnTimeEvenIfTheClockIsSetBack) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local keystore unlock alice --ttl 10m" + machine.with_password).exit, 0);
  machine.clock.advance(5 * minute_ms);
  machine.clock.advance(-hour_ms);
  machine.clock_set_by_ms -= hour_ms;
  EXPECT_EQ(unlocked(machine).at(0).integer_at("unlocked_until_ms"), machine.clock.now_ms() + 5 * minute_ms);
  machine.clock.advance(5 * minute_ms);
  EXPECT_TRUE(unlocked(machine).empty());
  EXPECT_EQ(machine.run(buy).exit, 4);
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  EXPECT_LT(uptime_ms() - boot.tv_sec * second_ms, minute_ms);
  EXPECT_GE(uptime_ms(), boot.tv_sec * second_ms);
}

// Only signatures count as uses.
TEST(UnlockAgent, CountsSignatures) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local keystore unlock alice --uses 4" + machine.with_password).exit, 0);
  const auto left = [&] { return unlocked(machine).at(0).integer_at("uses_left"); };
  EXPECT_EQ(left(), 4);
  ASSERT_EQ(machine.run("-n local orders list").exit, 0);
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --action omit").exit, 0);
  ASSERT_EQ(machine.run(buy + " --dry-run").exit, 0);
  ASSERT_EQ(machine.run("-n local --dry-run withdrawals submit 5").exit, 0);
  EXPECT_EQ(left(), 4);
  ASSERT_EQ(machine.run(buy).exit, 0);
  EXPECT_EQ(left(), 3);
  ASSERT_EQ(machine.run("-n local login --wallet alice").exit, 0);
  EXPECT_EQ(left(), 2) << "a login signs one text";
  ASSERT_EQ(machine.run("-n local withdrawals submit 5").exit, 0);
  EXPECT_EQ(left(), 1);
  ASSERT_EQ(machine.run(buy).exit, 0);
  EXPECT_TRUE(unlocked(machine).empty());
  machine.sent.clear();
  EXPECT_EQ(machine.run(buy).exit, 4);
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET");
}

TEST(UnlockAgent, SignsForAnAgentKeyTwicePerWrite) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local agents new bot" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice agents register bot" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("-n local --auth agent account show").exit, 3) << "nobody can be asked";
  ASSERT_EQ(machine.run("-n local keystore unlock bot --uses 3" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("-n local --auth agent account show").exit, 0);
  EXPECT_EQ(machine.run("-n local --auth agent buy 0.1 BTC-USDX-PERP @ 30000").exit, 0) << "the request and the action";
  EXPECT_EQ(machine.run("-n local --auth agent account show").exit, 3);
}

TEST(UnlockAgent, LocksOneWalletOrAll) {
  TraderMachine machine;
  machine.add_trader("bob");
  const auto unlock = [&](const std::string& name) {
    return machine.run("-n local keystore unlock " + name + machine.with_password).exit;
  };
  ASSERT_EQ(unlock("alice") + unlock("bob") + unlock("alice"), 0) << "once more begins anew";
  ASSERT_EQ(unlocked(machine).size(), 2u);
  const RunResult one = machine.run("-n local --json keystore lock bob");
  EXPECT_EQ(one.document().integer_at("data.locked"), 1);
  EXPECT_EQ(one.document().integer_at("data.sessions_closed"), 1);
  EXPECT_EQ(machine.run(buy + " --signer bob").exit, 4);
  EXPECT_EQ(machine.run(buy + " --signer alice").exit, 0);
  EXPECT_EQ(machine.run("keystore lock").out, "locked\tsessions_closed\n1\t1\n");
  EXPECT_EQ(machine.run("-n local --signer alice account show").exit, 4) << "the session is closed as well";
  EXPECT_EQ(machine.run("keystore lock").out, "locked\tsessions_closed\n0\t0\n");
  EXPECT_EQ(machine.run("-n local keystore lock nobody").exit, 5);
}

TEST(UnlockAgent, HoldsNoKeyWhoseWalletIsGone) {
  ClientMachine machine;
  for (const std::string care : {"keystore delete carol --yes", "keystore rename carol dave"}) {
    ASSERT_EQ(machine.run("-n local keystore new carol" + machine.with_password).exit, 0);
    ASSERT_EQ(machine.run("-n local keystore unlock carol" + machine.with_password).exit, 0);
    ASSERT_EQ(machine.run("-n local " + care).exit, 0);
    EXPECT_TRUE(unlocked(machine).empty()) << care;
  }
}

TEST(UnlockAgent, RefusesInvalidUnlocks) {
  TraderMachine machine;
  const std::string unlock = "-n local keystore unlock alice" + machine.with_password;
  for (const char* flags : {" --ttl 25h", " --ttl 0s", " --uses 0", " --uses -1", " --ttl soon"}) {
    EXPECT_EQ(machine.run(unlock + flags).exit, 2) << flags;
  }
  machine.write("wrong", "incorrect horse\n");
  EXPECT_EQ(machine.run("-n local keystore unlock alice --password-file " + (machine.home() / "wrong").string()).exit,
            4);
  EXPECT_EQ(machine.run("-n local keystore unlock nobody" + machine.with_password).exit, 5);
  EXPECT_EQ(machine.run("-n local keystore unlock alice").exit, 3) << "no terminal";
  EXPECT_TRUE(unlocked(machine).empty());
}

TEST(UnlockAgent, OpensTheKeysOfASessionThatHasExpired) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local login --ttl 24h --wallet alice" + machine.with_password).exit, 0);
  machine.clock.advance(25 * hour_ms);
  EXPECT_EQ(machine.run("-n local account show").exit, 4);
  ASSERT_EQ(machine.run("-n local keystore unlock alice" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("-n local account show").exit, 0);
}

TEST(UnlockAgent, IsReportedByStatus) {
  TraderMachine machine;
  EXPECT_TRUE(has(machine.run("-n local status").out, "unlocked\tnote\tno wallet"));
  ASSERT_EQ(machine.run("-n local keystore unlock alice --uses 1" + machine.with_password).exit, 0);
  const std::string line = "unlocked\tok\talice of local until 2026-09-21T12:15:00.000Z, 1 use left";
  for (const char* command : {"-n local status", "-n local doctor --offline"}) {
    const RunResult ran = machine.run(command);
    EXPECT_TRUE(has(ran.out, line));
  }
}

TEST(UnlockAgent, RefusesUnknownRequests) {
  unlock::UnlockAgent agent;
  const std::string key(64, '1');
  ASSERT_FALSE(has(agent.answer(R"({"op":"hold","network":"n","wallet":"w","ttl_ms":1000})", key, 0), "error"));
  for (const char* line :
       {"", "{}", "[1]", R"({"op":"sign","network":"local","wallet":"x"})",
        R"({"op":"sign","network":"n","wallet":"w"})", R"({"op":"reveal","network":"n","wallet":"w"})",
        R"({"op":"hold","network":"n","wallet":"v","ttl_ms":0})",
        R"({"op":"hold","network":"n","wallet":"v","ttl_ms":86400001})"}) {
    const std::string answer = agent.answer(line, key, 0);
    EXPECT_TRUE(has(answer, "\"error\"")) << line;
    EXPECT_FALSE(has(answer, "1111")) << line;
  }
  EXPECT_TRUE(has(agent.answer(R"({"op":"hold","network":"n","wallet":"v","ttl_ms":1})", "00", 0), "error"));
}

// The agent as a process, in the machine's home folder.
struct AgentProcess : ClientMachine {
  std::filesystem::path socket = home() / "agent.sock";

  ~AgentProcess() { end(); }
  [[nodiscard]] pid_t pid() const {
    pid_t pid = 0;
    std::ifstream(socket.string() + ".lock") >> pid;
    return pid;
  }
  // The agent's parent is this process, which started it.
  void end() {
    const pid_t running = pid();
    if (running <= 0) return;
    ::kill(running, SIGKILL);
    ::waitpid(running, nullptr, 0);
    std::filesystem::remove(socket.string() + ".lock");
  }
  [[nodiscard]] std::string ask(const std::string& line, const std::string& key = {}) const {
    return unlock::ask(socket, line, Secret(key)).value_or("nobody");
  }
  std::string hold() { return ask(R"({"op":"hold","network":"n","wallet":"w","ttl_ms":60000})", std::string(64, '1')); }
};

TEST(UnlockSocket, IsAProcessThatOnlyItsOwnerCanReach) {
  AgentProcess machine;
  EXPECT_EQ(machine.ask(R"({"op":"list"})"), "nobody");
  ASSERT_TRUE(unlock::start(machine.socket).has_value());
  for (const std::string name : {"agent.sock", "agent.sock.lock"}) {
    struct stat status {};
    ASSERT_EQ(::stat((machine.home() / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << name;
  }
  EXPECT_FALSE(has(machine.hold(), "error"));
  const pid_t first = machine.pid();
  ASSERT_TRUE(unlock::start(machine.socket).has_value()) << "the one that runs goes on";
  EXPECT_EQ(machine.pid(), first);
  EXPECT_TRUE(has(machine.ask(R"({"op":"list"})"), "\"wallet\":\"w\""));
  EXPECT_EQ(machine.ask(std::string(unlock::line_bytes_max + 1, ' ')), "") << "it is there, and does not answer";
  std::ifstream limits("/proc/" + std::to_string(first) + "/limits");
  std::string text((std::istreambuf_iterator<char>(limits)), {});
  EXPECT_TRUE(has(text, "Max core file size        0                    0"));
  EXPECT_EQ(machine.ask(R"({"op":"lock"})"), R"({"locked":1})");
  ::waitpid(first, nullptr, 0);  // it ends because it holds no key
  EXPECT_FALSE(std::filesystem::exists(machine.socket));
  std::filesystem::remove(machine.socket.string() + ".lock");
}

TEST(UnlockSocket, IsReplacedAfterItWasKilled) {
  AgentProcess machine;
  ASSERT_TRUE(unlock::start(machine.socket).has_value());
  machine.hold();
  const pid_t first = machine.pid();
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(machine.socket)) << "stale";
  EXPECT_EQ(machine.ask(R"({"op":"list"})"), "nobody");
  ASSERT_TRUE(unlock::start(machine.socket).has_value());
  EXPECT_EQ(machine.ask(R"({"op":"list"})"), R"({"held":[]})") << "the key went with the process";
}

TEST(UnlockSocket, StartsOnlyOneAgentAtATime) {
  AgentProcess machine;
  std::array<pid_t, 6> starters{};
  for (pid_t& starter : starters) {
    starter = ::fork();
    if (starter == 0) ::_exit(unlock::start(machine.socket).has_value() ? 0 : 1);
  }
  for (const pid_t starter : starters) {
    int status = -1;
    ASSERT_EQ(::waitpid(starter, &status, 0), starter);
    EXPECT_EQ(status, 0);
  }
  // A second agent would have replaced the first one, and its key would be unreachable.
  EXPECT_TRUE(has(machine.hold(), "left_ms"));
  ASSERT_TRUE(unlock::start(machine.socket).has_value());
  EXPECT_TRUE(has(machine.ask(R"({"op":"list"})"), "\"wallet\":\"w\""));
}

TEST(UnlockSocket, DistinguishesUsers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  EXPECT_TRUE(unlock::is_of_user(ends[0], ::geteuid()));
  EXPECT_FALSE(unlock::is_of_user(ends[0], ::geteuid() + 1));
  for (const int end : ends) ::close(end);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
