// A user's machine in a test: a home folder of its own, a clock that stands still, predictable chance,
// and a line to an in-process sandbox that can be cut. Commands run as they do in a shell.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "cli/machine/environment.h"
#include "cli/machine/unlock_agent.h"
#include "cli/terminal/json.h"
#include "sim/sim.h"

namespace svc::cli {

struct RunResult {
  int exit = 0;
  std::string out;
  std::string err;

  // The document on standard output; a test that asks for it and gets none fails.
  [[nodiscard]] Json document() const;
};

// What may happen to a request on its way; nullopt lets it pass.
using Intercept = std::function<std::optional<Result<api::HttpResponse, api::TransportError>>(const api::HttpRequest&)>;

// 2026-09-21T12:00:00Z
inline constexpr TimestampMs machine_start_ms = 1'790'000'000'000 - 1'790'000'000'000 % day_ms + day_ms / 2;

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

  // A wallet of that name with a session, an API key and 10000 USDX, on local.
  Address add_trader(const std::string& name);

  // Below the home folder; mode 0600.
  std::filesystem::path write(const std::string& name, std::string_view text);
  [[nodiscard]] std::string read(const std::string& name) const;

  [[nodiscard]] const std::filesystem::path& home() const { return home_; }
  [[nodiscard]] std::filesystem::path state() const { return home_ / ".local/state/svc"; }
  [[nodiscard]] std::filesystem::path data() const { return home_ / ".local/share/svc"; }

  // Lines of the log of that network.
  [[nodiscard]] std::vector<Json> journal(const std::string& network) const;

  ManualClock clock{machine_start_ms};
  sim::Sandbox sandbox;
  std::map<std::string, std::string, std::less<>> variables;
  std::string input;                 // standard input
  std::vector<std::string> answers;  // typed at prompts, in order
  bool out_is_terminal = false;
  bool in_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t out_columns = 0;
  std::filesystem::path working_folder;  // empty: no project
  bool reader_is_gone = false;           // of standard output
  bool disk_is_full = false;             // that standard output goes to

  // The line.
  Intercept intercept;
  // What the log of writes is kept on; empty: folders below home.
  std::function<std::unique_ptr<outbox::LogDisk>(const std::filesystem::path& folder)> open_log;
  // What `svc guard` runs; nothing by itself.
  std::function<std::unique_ptr<SupervisedProgram>(const Variables&)> program;
  std::optional<unlock::UnlockAgent> agent;       // once a command has started it
  std::vector<api::HttpRequest> sent;             // that reached the line, since cleared
  std::vector<std::string> origins;               // connected to
  std::int64_t timeout_ms = 0;                    // of the latest connection
  std::vector<std::vector<std::string>> started;  // runs of the program that were started apart
  std::int64_t slept_ms = 0;
  std::int64_t server_ahead_ms = 0;  // in the Date header
  std::int64_t clock_set_by_ms = 0;  // of what the clock went, this was the user setting it: no time passed
  std::int64_t uptime_ahead_ms = 0;  // of the time that the wall clock shows as passed

  // Streams: what happens, one step each time that a command waits for something to come.
  std::deque<std::function<void()>> meanwhile;
  std::vector<StreamLine*> streams;  // open ones
  std::size_t streams_opened = 0;
  void cut_streams();

 private:
  Environment environment(RunResult& ran);

  std::filesystem::path home_;
  Prng chance_{7};
};

// The text is that of tests/golden/cli/NAME. SVC_UPDATE_GOLDEN=1 rewrites the file.
void expect_golden(const std::string& name, const std::string& text);
std::filesystem::path source_folder();
std::string read_file(const std::filesystem::path& file);
// As it was before this run; empty if there is none.
std::string read_golden(const std::string& name);
// The same for a file of the source tree that is written by the program: man/svc.1.
void expect_generated(const std::string& name, const std::string& text);

// For a desk whose mainnet is an in-process sandbox of that name.
[[nodiscard]] inline sim::SandboxOptions mainnet_options() {
  sim::SandboxOptions options;
  options.network = api::NetworkId::mainnet;
  return options;
}

}  // namespace svc::cli
