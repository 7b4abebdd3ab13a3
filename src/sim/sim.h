// The exchange itself, small enough to carry along: the only header of the sandbox that others include.
//
// `Sandbox` is the whole venue without sockets, for tests and for whoever embeds it; `serve` puts the
// same venue on a port; `scenario::run_scenarios` tells a file of stories to engines of their own.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "base/clock.h"
#include "base/result.h"
#include "sim/control/controlled_venue.h"
#include "sim/sandbox_options.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/story_text.h"
#include "sim/sequencer/sandbox_clock.h"

namespace svc::sim {

class Venue;
struct Upgrade;

class Sandbox {
 public:
  // Requires !refusal(options). The error is one line about the state folder: somebody else uses it, it is
  // damaged, it is about something else.
  [[nodiscard]] static Result<std::unique_ptr<Sandbox>, std::string> open(SandboxOptions options, const Clock& machine);
  // Requires !refusal(options). `machine` must outlive this; the sandbox's own clock follows it as
  // `options.clock` says. Development accounts are funded and every market has a price when this
  // returns.
  explicit Sandbox(SandboxOptions options, const Clock& machine);
  explicit Sandbox(std::unique_ptr<Venue> venue);  // for open() alone
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Answers one request as if it had come from `peer_address` (an IP address). Any thread. Status 0: a fault
  // lost the request or its answer, and a connection would have ended without a byte. Delays are not waited for.
  [[nodiscard]] api::HttpResponse handle(api::HttpRequest request, std::string_view peer_address = "127.0.0.1");

  // Likewise a request that asks to leave HTTP; `head` is the request as bytes. One of the ends is called before this
  // returns. What happens reaches the streams by pass_time().
  void upgrade(api::HttpRequest request, const std::string& head, const Upgrade& ends,
               std::string_view peer_address = "127.0.0.1");

  // Does what became due since the last call. Nobody else calls it: a server does so regularly, a test
  // after it moved the machine's clock; moving time by the control surface includes it.
  void pass_time();

  [[nodiscard]] const SandboxClock& clock() const;
  // Those that were funded at the start; empty except on local.
  [[nodiscard]] const std::vector<DevAccount>& accounts() const;
  [[nodiscard]] const SandboxOptions& options() const;

  [[nodiscard]] ReadyReport report() const;

 private:
  std::unique_ptr<Venue> venue_;
};

// Takes as much of a text as it can without waiting, and says how many bytes that was.
using LogSink = std::function<std::size_t(std::string_view)>;

// One that writes to a descriptor of this process; what nobody will ever read counts as taken.
[[nodiscard]] LogSink log_to(int descriptor);

// Runs a sandbox until SIGTERM or SIGINT, then stops cleanly: requests in progress are answered and the
// running-sandbox file is removed. The ready line goes to `out` (one JSON object and a line feed) once
// requests are accepted, the request log to `log`: a log that nobody reads holds nothing up, and says how many lines
// were lost when it is read again. The error is one line that names what could not be
// done: a setting that cannot be honoured, or a port that cannot be had.
//
// Owns the process's signal handling while it runs; one at a time.
[[nodiscard]] Result<void, std::string> serve(const SandboxOptions& options, std::ostream& out, const LogSink& log);

}  // namespace svc::sim
