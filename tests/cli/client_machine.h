// A user's machine in a test: its own home folder, a clock that stands still, predictable randomness, and an in-process
// sandbox that can be disconnected. Commands run as they do in a shell.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "cli/machine/environment.h"
#include "cli/machine/unlock_agent.h"
#include "cli/terminal/json.h"
#include "cli/terminal/text.h"
#include "sim/sim.h"

namespace svc::cli {

struct RunResult {
  int exit = 0;
  std::string out;
  std::string err;

  // The document on standard output; the test fails if there is none.
  [[nodiscard]] Json document() const;
  // Those of its data.
  [[nodiscard]] std::vector<Json> rows() const {
    const Json data = document().value_at("data");
    EXPECT_TRUE(data.is(Json::Kind::array)) << out << err;
    return data.items();
  }
  // That of its failure.
  [[nodiscard]] std::string code() const { return document().text_at("error.code"); }
};

// Replaces the answer to a request; nullopt lets the request pass.
using Intercepted = std::optional<Result<api::HttpResponse, api::TransportError>>;
using Intercept = std::function<Intercepted(const api::HttpRequest&)>;
// The same by the base that the request goes to.
using InterceptAt = std::function<Intercepted(const std::string& origin, const api::HttpRequest&)>;

[[nodiscard]] inline Intercepted answered(int status, std::string body, api::Headers headers = {}) {
  return api::HttpResponse{.status = status, .headers = std::move(headers), .body = std::move(body)};
}
[[nodiscard]] inline Intercepted unanswered(api::Delivery delivery, std::string reason = "connection reset") {
  return unexpected(api::TransportError{.delivery = delivery, .reason = std::move(reason)});
}

// Whether the text has that part; a failure shows the text.
[[nodiscard]] inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  return testing::AssertionResult(text.find(part) != text.npos) << "in: " << text;
}

[[nodiscard]] inline bool is_write(const api::HttpRequest& request) {
  return request.method != "GET";
}

// 2026-09-21T12:00:00Z
inline constexpr TimestampMs machine_start_ms = 1'790'000'000'000 - 1'790'000'000'000 % day_ms + day_ms / 2;

// A kind of requests.
using Meant = std::function<bool(const api::HttpRequest&)>;
// Those of that method and to that path; an empty one stands for any.
[[nodiscard]] inline Meant to(std::string method, std::string path = {}) {
  return [=](const api::HttpRequest& request) {
    return (method.empty() || request.method == method) && (path.empty() || request.path() == path);
  };
}

class StreamLine;

class ClientMachine {
 public:
  explicit ClientMachine(sim::SandboxOptions options = {});
  ~ClientMachine();
  ClientMachine(const ClientMachine&) = delete;
  ClientMachine& operator=(const ClientMachine&) = delete;

  // One command line, split at blanks; a part in single quotes is one word.
  RunResult run(std::string_view line);
  RunResult run(const std::vector<std::string>& words);

  // Creates a wallet that unlocks fast. Most tests unlock one, and those of `keystore new` are slow on purpose.
  Address add_wallet(const std::string& network, const std::string& name, std::string_view password = "correct horse");
  // Creates a wallet with a session, an API key and 10000 USDX on local.
  Address add_trader(const std::string& name);

  // A file below the home folder, with mode 0600.
  std::filesystem::path write(const std::string& name, std::string_view text);
  [[nodiscard]] std::string read(const std::string& name) const;

  [[nodiscard]] const std::filesystem::path& home() const { return home_; }
  [[nodiscard]] std::filesystem::path state() const { return home_ / ".local/state/svc"; }
  [[nodiscard]] std::filesystem::path data() const { return home_ / ".local/share/svc"; }

  // What the sandbox answers to a request that arrives.
  api::HttpResponse deliver(api::HttpRequest request) {
    request.headers.set("Host", "localhost:9090");
    return sandbox.handle(std::move(request));
  }

  // The number of writes on local whose outcome is not known.
  [[nodiscard]] std::size_t open_orders() { return run("-n local --json orders list").rows().size(); }
  [[nodiscard]] std::size_t open_entries() { return run("-n local --json outbox list").rows().size(); }
  // The lines of that network's log.
  [[nodiscard]] std::vector<Json> journal(const std::string& network) const;

  ManualClock clock{machine_start_ms};
  sim::Sandbox sandbox;
  std::map<std::string, std::string, std::less<>> variables;
  std::string with_password;         // the flag that unlocks the wallets of these
  std::string input;                 // standard input
  std::vector<std::string> answers;  // typed at prompts, in this order
  std::string asked;                 // by the latest prompt
  bool out_is_terminal = false;
  bool in_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t out_columns = 0;
  std::filesystem::path working_folder;  // empty: no project
  bool reader_is_gone = false;           // of standard output
  bool disk_is_full = false;             // for standard output

  // Called for each request, the second first.
  Intercept intercept;
  InterceptAt intercept_at;
  std::set<std::string> down;  // origins where nobody listens
  // The storage of the log of writes; empty: folders below home.
  std::function<std::unique_ptr<outbox::LogDisk>(const std::filesystem::path& folder)> open_log;
  // Takes what a signal would print; empty: nothing does.
  std::function<std::shared_ptr<SignalMessageGuard>(SignalMessages)> print_on_signal = [](const SignalMessages&) {
    return std::shared_ptr<SignalMessageGuard>();
  };
  // Whether Ctrl-C was pressed in the shell that runs the commands; empty: no shell does.
  std::function<bool()> interrupted;
  // The program that `svc guard` starts; without it none can be started.
  std::function<std::unique_ptr<SupervisedProgram>(const Variables&)> program;
  std::optional<unlock::UnlockAgent> agent;       // once a command has started it
  bool agent_is_stopped = false;                  // listens, and does not answer
  std::vector<api::HttpRequest> sent;             // the requests since the last clear()
  std::vector<std::string> origins;               // of the connections
  std::int64_t timeout_ms = 0;                    // of the latest connection
  std::vector<std::vector<std::string>> started;  // background runs of the program
  std::vector<std::string> shown_pages;           // in the browser
  std::int64_t slept_ms = 0;
  std::int64_t server_ahead_ms = 0;  // in the Date header
  std::int64_t clock_set_by_ms =
      0;  // the part of the clock's advance that was the user setting it, in which no time passed
  std::int64_t uptime_ahead_ms = 0;  // relative to the time that has passed by the wall clock

  // What happens while a command waits on a stream: one step per wait.
  std::deque<std::function<void()>> meanwhile;
  std::vector<StreamLine*> streams;  // open ones
  std::size_t streams_opened = 0;
  std::vector<std::string> stream_origins;  // where they were opened
  void cut_streams();

 private:
  Environment environment(RunResult& ran);

  std::filesystem::path home_;
  Prng chance_{7};
};

// These requests get that fate; the others pass.
[[nodiscard]] inline Intercept when(Meant is_meant, Intercepted fate) {
  return [=](const api::HttpRequest& request) { return is_meant(request) ? fate : Intercepted(); };
}
// The same, but the sandbox takes them.
[[nodiscard]] inline Intercept after(ClientMachine& machine, Meant is_meant, Intercepted fate) {
  return [=, &machine](const api::HttpRequest& request) {
    if (is_meant(request)) static_cast<void>(machine.deliver(request));
    return is_meant(request) ? fate : Intercepted();
  };
}

// Ends the command at that request to a target with this text.
[[nodiscard]] inline Intercept terminated_at(int request_number, std::string text) {
  return [=, seen = 0](const api::HttpRequest& request) mutable {
    if (request.target.find(text) != std::string::npos && ++seen == request_number) ::raise(SIGTERM);
    return Intercepted();
  };
}

// A machine with one trader, alice.
struct TraderMachine : ClientMachine {
  TraderMachine() { add_trader("alice"); }
};

// Compares the text with tests/golden/cli/NAME. SVC_UPDATE_GOLDEN=1 rewrites the file.
void expect_golden(const std::string& name, const std::string& text);
// The file's content before this run; empty if there is none.
std::string read_golden(const std::string& name);

// For a machine whose mainnet is the in-process sandbox.
[[nodiscard]] inline sim::SandboxOptions mainnet_options() {
  sim::SandboxOptions options;
  options.network = api::NetworkId::mainnet;
  return options;
}

}  // namespace svc::cli
