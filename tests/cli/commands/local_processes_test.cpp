// Sandboxes as processes: started for a program and stopped with it; and stopping running ones.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <fstream>
#include <memory>
#include <set>

#include "base/process.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "cli/program.h"
#include "cli/terminal/json.h"
#include "sim/child_process.h"
#include "surroundings.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(LocalRun, StartsASandboxForAProgramAndReturnsItsExitCode) {
  const FreshHome folder;
  Program asked({"local", "run", "--accounts", "1", "--", "sh", "-c", "echo $SVC_NETWORK $SVC_LOCAL_URL; exit 42"},
                folder.path());
  const std::string said = asked.rest();
  EXPECT_TRUE(said.starts_with("local http://127.0.0.1:")) << said;
  EXPECT_EQ(asked.wait(), 42);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "svc/local")) << "the sandbox is gone";
  Program wrong({"local", "run", "--seed", "x", "--", "true"}, folder.path());
  EXPECT_EQ(wrong.wait(), 2);
}

TEST(LocalRun, StandardInputThatServeIsToReadReachesIt) {
  const FreshHome folder;
  for (const std::string flag :
       {"--admin-secret-file -", "--admin-secret-file=-", "--admin-secret-fd 0", "--admin-secret-fd=00"}) {
    const std::string outer =
        "umask 077; printf operator > $HOME/secret; cat $HOME/secret | $BINARY local run --accounts 1 --flow none " +
        flag + " -- $BINARY --json admin tiers list --admin-secret-file $HOME/secret";
    Program run({"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c", outer}, folder.path(),
                Program::Stdio::pipe, {"BINARY=" + test::svc_program()});
    const auto listed = parse_json(run.rest());
    ASSERT_TRUE(listed.has_value()) << flag;
    EXPECT_EQ(listed->at("ok")->dump(), "true") << flag;
    EXPECT_EQ(run.wait(), 0) << flag;
  }
}

// Its programs could reach the real network of that name.
TEST(LocalRun, RefusesASandboxThatIsNotLocal) {
  const FreshHome folder;
  for (const std::vector<std::string>& of_network :
       {std::vector<std::string>{"--as", "testnet"}, {"--networks", "testnet,mainnet"}}) {
    std::vector<std::string> words{"local", "run"};
    words.insert(words.end(), of_network.begin(), of_network.end());
    words.insert(words.end(), {"--", "echo", "ran"});
    Program refused(words, folder.path());
    EXPECT_EQ(refused.rest(), "");
    EXPECT_EQ(refused.wait(), 2);
  }
  Program among({"local", "run", "--networks", "testnet,local", "--", "sh", "-c", "echo $SVC_NETWORK"}, folder.path());
  EXPECT_EQ(among.rest(), "local\n");
  EXPECT_EQ(among.wait(), 0);
}

TEST(LocalNames, ASandboxOfAnotherNetworkIsNotMeantBesideALocalOne) {
  const FreshHome folder;
  Program mainnet({"serve", "--local", "--as", "mainnet", "--port", "0", "--flow", "none", "--log", "none"},
                  folder.path());
  ASSERT_TRUE(parse_json(mainnet.line()).has_value());
  Program alone({"local", "status", "--json"}, folder.path());
  EXPECT_EQ(alone.wait(), 0) << "its control surface is reached";
  const std::vector<std::string> lines[] = {{"local", "env"}, {"local", "env", "--name", "default"}};
  for (const std::vector<std::string>& line : lines) {
    Program led(line, folder.path());
    EXPECT_EQ(led.rest(), "") << "nothing there is of network local";
    EXPECT_EQ(led.wait(), 2);
  }
  Program local({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none", "--name", "mine"},
                folder.path());
  const auto ready = parse_json(local.line());
  ASSERT_TRUE(ready.has_value());
  Program found({"local", "env", "--shell", "dotenv"}, folder.path());
  EXPECT_EQ(found.rest(), "SVC_NETWORK=local\nSVC_LOCAL_URL=" + std::string(*ready->string_at("url")) + "\n");
}

// A program under `local run` that reports when it is ready and which signal it gets, and then ends.
constexpr const char* listener =
    "trap 'echo heard TERM; exit 7' TERM; trap 'echo heard HUP; exit 8' HUP; trap 'echo heard INT; exit 9' INT; "
    "echo $SVC_LOCAL_URL; while :; do sleep 0.02; done";

TEST(LocalRun, ForwardsSignalsAndStopsTheSandboxAfterTheProgram) {
  const struct {
    int signal;
    const char* heard;
    int exit;
  } rows[] = {{SIGTERM, "heard TERM\n", 7}, {SIGHUP, "heard HUP\n", 8}, {SIGINT, "heard INT\n", 9}};
  for (const auto& row : rows) {
    const FreshHome folder;
    Program run({"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c", listener}, folder.path());
    ASSERT_TRUE(run.line().starts_with("http://127.0.0.1:")) << row.heard;
    run.send_signal(row.signal);
    EXPECT_EQ(run.rest(), row.heard);
    EXPECT_EQ(run.wait(), row.exit) << row.heard;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "svc/local")) << "the sandbox is gone";
  }
}

TEST(LocalRun, AProgramEndedByASignalGivesItsExitCode) {
  const FreshHome folder;
  Program run({"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c", "echo on; exec sleep 60"},
              folder.path());
  ASSERT_EQ(run.line(), "on\n");
  run.terminate();
  EXPECT_EQ(run.wait(), 128 + SIGTERM);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "svc/local")) << "the sandbox is gone";
}

// D-1101
TEST(LocalRun, WhatTheProgramLeavesBehindEndsWithIt) {
  for (const char* end : {"exit 3", "wait"}) {
    const FreshHome folder;
    const std::string line = std::string("(sleep 60 & echo $!) >&3; sh -c 'sleep 60 & echo $! >&3; wait' & ") +
                             "echo $! >&3; until [ -s $HOME/go ]; do sleep 0.02; done; " + end;
    Program run(
        {"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c", "exec 3>&1 >/dev/null; " + line},
        folder.path());
    std::array<pid_t, 3> left{};
    for (pid_t& process : left) {
      process = static_cast<pid_t>(std::stol(run.line()));
      EXPECT_EQ(process_state(process), ProcessState::runs) << end;
    }
    std::ofstream(folder.path() / "go") << "go";
    if (std::string(end) == "wait") run.terminate();
    EXPECT_EQ(run.wait(), std::string(end) == "wait" ? 128 + SIGTERM : 3);
    for (const pid_t process : left) EXPECT_EQ(process_state(process), ProcessState::gone) << end;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "svc/local")) << "the sandbox is gone";
  }
}

TEST(LocalRun, InAShellLeavesTheProgramOfItsPipeToTheShell) {
  const FreshHome folder;
  Program run({"shell", "-n", "local", "-c", "local run --accounts 1 --flow none -- sh -c 'sleep 1' | sh -c 'exit 7'"},
              folder.path());
  EXPECT_EQ(run.wait(), 7);
}

// D-1101
TEST(LocalRun, ADaemonOfTheProgramGoesOn) {
  const FreshHome folder;
  Program run(
      {"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c",
       "setsid sleep 60 >/dev/null & echo $!; until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do sleep 0.02; done"},
      folder.path());
  const auto daemon = static_cast<pid_t>(std::stol(run.line()));
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(process_state(daemon), ProcessState::runs);
  ::kill(daemon, SIGKILL);
}

TEST(LocalRun, TheProgramEndsWhenSvcIsKilled) {
  for (const int signal : {SIGQUIT, SIGUSR1, SIGPIPE, SIGKILL}) {
    const FreshHome folder;
    Program run({"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c", "echo on; exec sleep 60"},
                folder.path());
    ASSERT_EQ(run.line(), "on\n");
    run.send_signal(signal);
    // The program holds the other end of its output.
    EXPECT_EQ(run.rest(), "") << signal;
    EXPECT_EQ(run.wait(), 128 + signal);
  }
}

TEST(LocalRun, CtrlCReachesTheProgramOnce) {
  const FreshHome folder;
  Program run({"local", "run", "--accounts", "1", "--flow", "none", "--", "sh", "-c",
               "trap 'echo heard INT' INT; echo ready; until [ \"$line\" = q ]; do read line; done; echo end"},
              folder.path(), Program::Stdio::terminal);
  ASSERT_TRUE(run.read_until("ready").ends_with("ready"));
  run.type("\x03");
  const std::string heard = run.read_until("heard INT");
  run.type("q\n");
  const std::string said = heard + run.read_until("end");
  EXPECT_EQ(said.find("heard INT"), said.rfind("heard INT")) << said;
  EXPECT_TRUE(has(said, "heard INT"));
  EXPECT_EQ(run.wait(), 0);
}

// All with the same name at the same time.
TEST(LocalNames, EightSandboxesHaveDifferentNames) {
  const FreshHome folder;
  std::vector<std::unique_ptr<Program>> sandboxes;
  for (int i = 0; i < 8; ++i)
    sandboxes.push_back(std::make_unique<Program>(std::vector<std::string>{"serve", "--local", "--port", "0", "--flow",
                                                                           "none", "--log", "none", "--accounts", "1"},
                                                  folder.path()));
  std::set<std::string> names;
  for (auto& one : sandboxes) {
    const auto ready = parse_json(one->line());
    ASSERT_TRUE(ready.has_value());
    names.emplace(ready->string_at("name").value_or(""));
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_TRUE(names.contains("default"));
  Program list({"local", "list", "--json"}, folder.path());
  const auto listed = parse_json(list.rest());
  ASSERT_TRUE(listed.has_value());
  std::set<std::string> seen;
  for (const Json& row : listed->find("data")->items()) seen.emplace(row.string_at("name").value_or(""));
  EXPECT_EQ(seen, names);
  Program stop({"local", "stop", "--all"}, folder.path());
  EXPECT_EQ(stop.wait(), 0);
  for (auto& one : sandboxes) EXPECT_EQ(one->wait(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "svc/local"));
}

TEST(LocalNames, AKilledSandboxFreesItsName) {
  const FreshHome folder;
  const std::vector<std::string> serve{"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"};
  Program first(serve, folder.path());
  ASSERT_FALSE(first.line().empty());
  first.send_signal(SIGKILL);
  Program second(serve, folder.path());
  const auto ready = parse_json(second.line());
  ASSERT_TRUE(ready.has_value());
  EXPECT_EQ(ready->string_at("name"), "default");
  second.terminate();
  EXPECT_EQ(second.wait(), 0);
  EXPECT_EQ(first.wait(), 128 + SIGKILL);
}

TEST(LocalWait, ReturnsWhenTheProcessesSandboxAcceptsRequests) {
  const FreshHome folder;
  Program sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, folder.path());
  Program wait({"local", "wait", "--pid", std::to_string(sandbox.process()), "--json"}, folder.path());
  const auto answer = parse_json(wait.rest());
  EXPECT_EQ(wait.wait(), 0);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->integer_at("data.pid"), sandbox.process());
  EXPECT_EQ(answer->string_at("data.name"), "default");
  const auto ready = parse_json(sandbox.line());
  EXPECT_EQ(answer->string_at("data.url"), ready->string_at("url"));
  sandbox.terminate();
  EXPECT_EQ(sandbox.wait(), 0);
}

TEST(LocalWait, FailsAtOnceWhenTheProcessEndsFirst) {
  const FreshHome folder;
  Program ended({"serve", "--local", "--host", "0.0.0.0", "--port", "0"}, folder.path());
  Program wait({"local", "wait", "--pid", std::to_string(ended.process()), "--json", "--timeout", "1h"}, folder.path());
  const auto answer = parse_json(wait.rest());
  EXPECT_EQ(wait.wait(), 1);
  EXPECT_EQ(answer->string_at("error.code"), "sandbox_ended");
}

TEST(LocalWait, FailsAfterItsTimeout) {
  ClientMachine machine;
  machine.intercept = [](const api::HttpRequest&) -> Intercepted {
    return unanswered(api::Delivery::not_sent, "connection refused");
  };
  const RunResult late = machine.run("--json local wait --timeout 90");
  EXPECT_EQ(late.exit, 17);
  EXPECT_EQ(late.code(), "not_ready");
  EXPECT_EQ(late.document().string_at("error.message"),
            "no sandbox took requests within 90 s: http://localhost:9090: connection refused");
  EXPECT_GE(machine.slept_ms, 90 * second_ms);
  EXPECT_LT(machine.slept_ms, 91 * second_ms);
  machine.intercept = nullptr;
  const RunResult ready = machine.run("--json local wait");
  EXPECT_EQ(ready.exit, 0) << ready.out;
  EXPECT_EQ(ready.document().string_at("data.network"), "local");
  EXPECT_EQ(machine.run("local wait --name nobody --timeout 1s").exit, 17);
  EXPECT_EQ(machine.run("local wait --timeout soon").exit, 2);
  machine.sent.clear();
  EXPECT_EQ(machine.run("local wait --dry-run").exit, 0);
  EXPECT_TRUE(machine.sent.empty());
}

TEST(LocalStop, EndsASandboxByName) {
  const FreshHome folder;
  Program sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none", "--name", "mine"},
                  folder.path());
  ASSERT_FALSE(sandbox.line().empty());
  Program other({"local", "stop", "--name", "other"}, folder.path());
  EXPECT_EQ(other.wait(), 5);
  Program stop({"local", "stop", "--json"}, folder.path());
  const auto answer = parse_json(stop.rest());
  EXPECT_EQ(stop.wait(), 0);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->find("data")->items().at(0).string_at("name"), "mine");
  EXPECT_EQ(sandbox.wait(), 0);
}

// A process with the file of a sandbox, that answers nobody.
class HungSandbox {
 public:
  enum class StartTime { known, unknown };

  HungSandbox(ClientMachine& machine, sighandler_t on_stop, StartTime start = StartTime::known) {
    (void)process_.start([&](int ready_fd) -> int {
      ::signal(SIGTERM, on_stop);
      ::close(ready_fd);
      while (true) ::pause();
    });
    const std::string url = "http://127.0.0.1:9";
    machine.down.insert(url);
    Json file = Json::object({{"url", url}, {"pid", process_.id()}, {"network", "local"}});
    if (start == StartTime::known) file.set("start_ticks", start_of_process(process_.id()));
    EXPECT_TRUE(write_private(machine.state() / "run/local/hung.json", file.dump()).has_value());
  }

  [[nodiscard]] std::string named() const { return "sandbox hung (" + std::to_string(process_.id()) + ")"; }
  [[nodiscard]] bool runs() const { return process_state(process_.id()) == ProcessState::runs; }
  int wait() { return process_.wait(); }

 private:
  test::ChildProcess process_;
};

TEST(LocalStop, EndsASandboxThatAnswersNobody) {
  ClientMachine machine;
  HungSandbox hung(machine, SIG_DFL);
  const RunResult stopped = machine.run("--json local stop");
  EXPECT_EQ(stopped.exit, 0) << stopped.out << stopped.err;
  EXPECT_TRUE(stopped.rows().at(0).truth_at("stopped")) << stopped.out;
  const int status = hung.wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

TEST(LocalStop, SaysThatASandboxGoesOnRunning) {
  ClientMachine machine;
  const HungSandbox hung(machine, SIG_IGN);
  const RunResult stopped = machine.run("local stop");
  EXPECT_EQ(stopped.exit, 10);
  EXPECT_TRUE(has(stopped.err, hung.named() + " did not stop: it was sent SIGTERM and still runs after 15 s"));
  EXPECT_TRUE(hung.runs());
}

TEST(LocalStop, SendsNoSignalToAProcessThatMayBeAnotherOne) {
  ClientMachine machine;
  const HungSandbox hung(machine, SIG_DFL, HungSandbox::StartTime::unknown);
  const RunResult stopped = machine.run("local stop");
  EXPECT_EQ(stopped.exit, 10);
  EXPECT_TRUE(has(stopped.err, hung.named() + " did not stop: it was sent no signal, because http://127.0.0.1:9: "));
  EXPECT_TRUE(hung.runs());
}

TEST(LocalList, WaitsTwoSecondsForASandboxThatHangs) {
  ClientMachine machine;
  const HungSandbox hung(machine, SIG_DFL);
  const RunResult listed = machine.run("local list");
  EXPECT_EQ(listed.exit, 0);
  EXPECT_TRUE(has(listed.out, "hung"));
  EXPECT_TRUE(has(listed.err, "note: " + hung.named() + " does not answer: http://127.0.0.1:9: "));
  EXPECT_EQ(machine.timeout_ms, 2'000);
}

TEST(LocalStatus, OfASandboxThatHangsSaysThatItDoesNotAnswer) {
  ClientMachine machine;
  const HungSandbox hung(machine, SIG_DFL);
  const RunResult absent = machine.run("--json local status --name hung");
  EXPECT_EQ(absent.exit, 5) << "nobody is at its address";
  EXPECT_EQ(absent.code(), "no_sandbox");
  machine.down.clear();
  machine.intercept = [](const api::HttpRequest&) {
    return unanswered(api::Delivery::unknown, "no answer within 10 s");
  };
  for (const char* command : {"local status --name hung", "local console --name hung"}) {
    const RunResult silent = machine.run(std::string("--json ") + command);
    EXPECT_EQ(silent.exit, 10) << command;
    EXPECT_EQ(silent.code(), "no_answer") << silent.out;
    EXPECT_EQ(silent.document().string_at("error.message"),
              hung.named() + " does not answer: http://127.0.0.1:9: no answer within 10 s");
  }
  machine.intercept = [](const api::HttpRequest&) { return answered(404, "not here"); };
  EXPECT_EQ(machine.run("local status --name hung").exit, 5) << "another program is there";
}

TEST(LocalRun, NeedsNoFolderThatCanBeWritten) {
  Program program({"local", "run", "--flow", "none", "--", "sh", "-c", "echo $SVC_LOCAL_URL"}, "/proc");
  EXPECT_TRUE(program.rest().starts_with("http://127.0.0.1:"));
  EXPECT_EQ(program.wait(), 0);
  Program homeless({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, "");
  EXPECT_TRUE(parse_json(homeless.line()).has_value());
  homeless.terminate();
  EXPECT_EQ(homeless.wait(), 0);
}

TEST(LocalPrice, TakesTheDecimalsOfOtherCommands) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("local price SOL-USDX-PERP .5 --fields mark --no-header").out, "0.5\n");
  EXPECT_TRUE(has(machine.run("local price SOL-USDX-PERP .5 --shock 5%").err, "exclude each other"));
  for (const char* bad : {"0", "-1", "1e5", "."}) {
    const RunResult ran = machine.run({"local", "price", "SOL-USDX-PERP", bad});
    EXPECT_EQ(ran.exit, 2) << bad;
  }
}

TEST(LocalFault, AnIdBeyondAllNumbersIsRefused) {
  ClientMachine machine;
  const RunResult ran = machine.run("local fault clear 99999999999999999999");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_TRUE(has(ran.err, "ID is the number of a rule"));
}

TEST(LocalRequests, AreFilteredByRouteAndFailure) {
  TraderMachine machine;
  machine.run("-n local buy 1 BTC-USDX-PERP @ 60000.3");
  machine.run("-n local buy 1 BTC-USDX-PERP @ 60000");
  const auto paths = [&](const std::string& flags) {
    return machine.run("local requests --no-header --fields method,path,code " + flags).out;
  };
  EXPECT_EQ(paths("--failed --route /orders"), "POST\t/orders\tInvalidTickSize\n");
  EXPECT_EQ(paths("--route place_*"), "POST\t/orders\tInvalidTickSize\nPOST\t/orders\t-\n");
  EXPECT_EQ(machine.run("local requests --route /auth* --curl").out,
            "curl -X POST 'http://localhost:9090/auth/login'\n");
  for (const std::string base : {"/v1", "/indexer", "/api/v1", "/v1/api/v1"})
    (void)machine.deliver({.method = "GET", .target = base + "/fills", .headers = {}, .body = {}});
  const std::string fills = machine.run("local requests --no-header --fields path --route /fills").out;
  EXPECT_EQ(fills, "/v1/fills\n/indexer/fills\n/api/v1/fills\n/v1/api/v1/fills\n");
}

TEST(LocalAccounts, AreCreatedWithFundsAndAKey) {
  ClientMachine machine;
  const RunResult made = machine.run("--json local accounts new --count 2 --balance 250");
  ASSERT_EQ(made.exit, 0) << made.out;
  const Json document = made.document();
  ASSERT_EQ(document.find("data")->items().size(), 2u);
  const Json& first = document.find("data")->items()[0];
  EXPECT_EQ(first.string_at("balance"), "250");
  const std::string address = first.text_at("address");
  machine.write("key", first.text_at("private_key") + "\n");
  const RunResult imported = machine.run("-n local --json keystore import new --from " +
                                         (machine.home() / "key").string() + machine.with_password);
  EXPECT_EQ(imported.document().string_at("data.address"), address) << imported.out;
  EXPECT_EQ(machine.run("--json local accounts fund " + address + " 50").document().string_at("data.balance"), "300");
}

TEST(LocalImages, AreReadWithoutASandbox) {
  TraderMachine machine;
  const std::string before = (machine.home() / "before.json").string();
  const std::string after = (machine.home() / "after.json").string();
  ASSERT_EQ(machine.run("local dump " + before).exit, 0);
  machine.run("-n local buy 0.5 BTC-USDX-PERP @ 59000");
  ASSERT_EQ(machine.run("local dump " + after).exit, 0);
  machine.sent.clear();
  EXPECT_TRUE(has(machine.run("local inspect " + after).out, "price levels\t1\n"));
  const std::string said = machine.run("local diff " + before + " " + after).out;
  EXPECT_TRUE(has(said, "book.BTC-USDX-PERP.bids[0][0]\t-\t59000\n"));
  EXPECT_EQ(machine.run("--json local diff " + after + " " + after).document().find("data")->dump(), "[]");
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(machine.run("local inspect " + machine.write("other", "{}").string()).exit, 2);
}

TEST(LocalScenario, IsUpdatedWithTheActualResults) {
  ClientMachine machine;
  const auto file =
      machine.write("a.scenario",
                    "market X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0\n"
                    "deposit bob 1000\nmark X 10\n= A one\nbob sells 3 @ 10\nbook\n  11 | 3 bob\n  ---\n");
  const std::string run = "local scenario run " + file.string();
  EXPECT_EQ(machine.run(run).exit, 1);
  EXPECT_EQ(machine.run(run + " --update").exit, 0);
  EXPECT_TRUE(has(machine.read("a.scenario"), "  10 | 3 bob\n"));
  EXPECT_EQ(machine.run(run).exit, 0);
}

TEST(LocalTime, AdvancesToTheNextFunding) {
  ClientMachine machine;
  const RunResult moved = machine.run("--json local time advance --to next-funding");
  EXPECT_EQ(moved.document().integer_at("data.now_ms"), machine_start_ms + hour_ms) << moved.out;
}

TEST(LocalConsole, IsOpenedForSomebodyAtATerminal) {
  ClientMachine machine;
  const std::string address = "http://localhost:9090/_svc/console";
  EXPECT_TRUE(has(machine.run("-n local local console").out, address + "\tfalse"));
  EXPECT_TRUE(machine.shown_pages.empty());
  machine.out_is_terminal = true;
  EXPECT_TRUE(has(machine.run("-n local local console --no-open").out, address));
  EXPECT_EQ(machine.run("-n local local console --dry-run").exit, 0);
  EXPECT_TRUE(machine.shown_pages.empty());
  EXPECT_TRUE(has(machine.run("-n local local console").out, address));
  EXPECT_EQ(machine.shown_pages, std::vector<std::string>{address});
  EXPECT_EQ(machine.run("-n local local console --name nobody").exit, 5);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
