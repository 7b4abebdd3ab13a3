// The sandbox exchange: the only header of src/sim that others include. `Sandbox` is the whole venue without sockets,
// for tests and for embedding; `serve` puts it on a port; `scenario::run_scenarios` runs a file of stories.
#pragma once

#include <functional>
#include <utility>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/result.h"
#include "sim/control/console_page.h"
#include "sim/control/controlled_venue.h"
#include "sim/sandbox_options.h"
#include "sim/scenario/scenario_file.h"
#include "sim/sequencer/sandbox_clock.h"

namespace svc::sim {

class Venue;
struct Upgrade;

class Sandbox {
 public:
  // Requires !refusal(options). `machine` must outlive this; the sandbox's clock follows it as `options.clock` says.
  // Development accounts are then funded and every market has a price. The error is one line about the state.
  [[nodiscard]] static Result<std::unique_ptr<Sandbox>, std::string> open(SandboxOptions options, const Clock& machine);
  // Likewise, of a state that can be opened.
  explicit Sandbox(SandboxOptions options, const Clock& machine);
  explicit Sandbox(std::unique_ptr<Venue> venue);  // used by open() only
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Answers one request as if it came from `peer_address`. Any thread. Status 0: a fault lost the request or its
  // answer. Does not wait for delays.
  [[nodiscard]] api::HttpResponse handle(api::HttpRequest request, std::string_view peer_address = "127.0.0.1");

  // As handle(), for an upgrade; `head` is the request as bytes. One of the ends is called before this returns. Events
  // reach the streams through pass_time().
  void upgrade(api::HttpRequest request, const std::string& head, const Upgrade& ends,
               std::string_view peer_address = "127.0.0.1");

  // Does what became due. The caller must call it regularly, or after moving the machine's clock.
  void pass_time();

  [[nodiscard]] const SandboxClock& clock() const;
  // The accounts funded at the start; empty except on local.
  [[nodiscard]] const std::vector<DevAccount>& accounts() const;
  [[nodiscard]] const SandboxOptions& options() const;

  [[nodiscard]] ReadyReport report() const;

 private:
  std::unique_ptr<Venue> venue_;
};

// Name and summary of each drill that a sandbox can begin.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> drill_summaries();

// Takes as much of the text as it can without waiting, and returns the number of bytes taken.
using LogSink = std::function<std::size_t(std::string_view)>;

// Writes to a descriptor of this process; bytes that nobody can ever read count as taken.
[[nodiscard]] LogSink log_to(int descriptor);

// Runs a sandbox until SIGTERM, SIGINT or SIGHUP, then stops cleanly: requests in progress are answered and the
// running-sandbox file is removed. The ready line (JSON) goes to `out` once requests are accepted, the request log to
// `log`; a log that nobody reads delays nothing and later tells how many lines were lost. The error is one line that
// names what failed. Owns the process's signal handling; one at a time.
[[nodiscard]] Result<void, std::string> serve(const SandboxOptions& options, const LogSink& out, const LogSink& log);

}  // namespace svc::sim
