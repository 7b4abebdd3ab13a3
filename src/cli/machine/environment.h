// Everything outside of the program that a command may use, passed in: streams, environment variables, clock,
// randomness, sleeping, and connections. Tests pass in their own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "api/http/http_client.h"
#include "api/message_codec.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/secret.h"
#include "cli/machine/log_disk.h"
#include "cli/machine/private_file.h"
#include "cli/machine/programs.h"
#include "cli/machine/unlock_agent.h"
#include "cli/terminal/answer.h"

namespace svc::cli {

// SVC_VERSION is the project's version, set by the build.
inline constexpr std::string_view program_version = SVC_VERSION;

// How to reach a server, by the flags --proxy, --ca and --timeout.
struct Route {
  std::string origin;  // "https://host[:port]"
  std::int64_t timeout_ms = 0;
  std::optional<std::string> proxy;  // nullopt: from the environment variables
  std::optional<std::string> ca;     // file or directory; nullopt: the system's hashed directory
};

// An error means that nothing was sent: the origin or the proxy is not a usable address.
using Connect = std::function<Result<std::unique_ptr<api::Transport>, std::string>(const Route&)>;

// The same for a stream; `target` is path and query, and may contain a token.
using OpenLink =
    std::function<Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal>(const Route&, const std::string& target)>;

enum class Echo : std::uint8_t { shown, hidden };

struct Environment {
  std::function<Written(std::string_view)> out;
  std::function<void(std::string_view)> err;
  // All of standard input, at most `limit` bytes. The error is the system's.
  std::function<Result<std::string, std::string>(std::size_t limit)> read_input;
  // Whether something comes on standard input, or it ends, within that time.
  std::function<bool(std::int64_t ms)> has_input = [](std::int64_t) { return true; };
  // The next line of standard input without its end; nullopt at the end. What follows stays unread.
  std::function<std::optional<std::string>()> read_line;
  // One line from the terminal; nullopt if the user cancelled.
  std::function<std::optional<Secret>(std::string_view prompt, Echo)> ask;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  // How wide the terminal that shows the result is now; 0: unknown or none.
  std::function<std::size_t()> out_columns = [] { return std::size_t{0}; };
  std::filesystem::path working_folder{};  // empty: no project file is looked for

  std::map<std::string, std::string, std::less<>> variables;
  const Clock* clock = nullptr;
  // Milliseconds since the machine started, including sleep; nobody can set this clock.
  std::function<std::int64_t()> uptime_ms = svc::uptime_ms;
  std::function<void(std::span<std::uint8_t>)> random;  // unpredictable bytes
  std::function<void(std::int64_t)> sleep_ms;
  Connect connect;
  OpenLink open_link;

  // The storage of the log of writes; the folder is that of one network.
  std::function<std::unique_ptr<outbox::LogDisk>(const std::filesystem::path& folder)> open_log =
      outbox::open_log_folder;

  // The user's programs: a bot under guard, a signer, or one that prints a password.
  std::function<Result<std::unique_ptr<SupervisedProgram>, std::string>(const std::vector<std::string>& words,
                                                                        const Variables& variables)>
      start_program = start_process;
  std::function<Result<std::string, std::string>(const HelperRun&)> run_helper = cli::run_helper;
  // The user's browser; false if none can be started.
  std::function<bool(const std::string& address)> show_page = cli::show_page;
  // Starts the process that cleans up if this one is killed; nullptr where there is none.
  std::function<Result<std::unique_ptr<Keeper>, std::string>(const std::vector<std::string>& words,
                                                             const Variables& variables)>
      start_keeper = cli::start_keeper;

  // While the result exists, a signal that ends the process prints this first, unless it has another handler.
  std::function<std::shared_ptr<SignalMessageGuard>(SignalMessages)> print_on_signal =
      std::make_shared<SignalMessageGuard, SignalMessages>;

  // Starts this program again with these words in the background: silent, and not waited for.
  std::function<void(const std::vector<std::string>&)> start_apart = cli::start_apart;

  // Asks the unlock agent at its socket, nullopt if none listens; and starts the agent.
  std::function<std::optional<std::string>(const std::filesystem::path& socket, const std::string& line,
                                           const Secret& key)>
      ask_agent = unlock::ask;
  std::function<Result<void, std::string>(const std::filesystem::path& socket)> start_agent = unlock::start;

  // True once the running command should end early and report how far it came: after Ctrl-C in a shell, never outside
  // of one, where the signal ends the process. Commands that follow or wait check it at least every 100 ms.
  std::function<bool()> interrupted = [] { return false; };
  // Limits how long writes to standard error, or to both streams, wait for a reader that takes nothing: a second in
  // total for each stream. What is not written by then is dropped. `neither` removes the limit.
  enum class Unwaited : std::uint8_t { neither, err, both };
  std::function<void(Unwaited)> leave_readers = [](Unwaited) {};
  bool signals_are_taken = false;  // the shell handles signals: check `interrupted`
  bool dry_runs_may_read = false;  // a dry run may read from the server what its terms refer to; it never writes
  // Called with every answer before it is printed.
  std::function<void(const Answer&)> answered = [](const Answer&) {};

  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
  // The terminal understands colours and the like, as far as TERM says.
  [[nodiscard]] bool terminal_draws() const { return variable("TERM").value_or("dumb") != "dumb"; }
  // Whether output is coloured unless a flag says otherwise.
  [[nodiscard]] bool prefers_color() const { return out_is_terminal && terminal_draws() && !variable("NO_COLOR"); }
  // What others wrote, for standard output: a terminal gets it escaped, anything else as it is.
  [[nodiscard]] std::string for_out(std::string text) const { return out_is_terminal ? escaped(text, "\n\t") : text; }
  // Sleeps; in a shell at most until Ctrl-C, and is false then.
  [[nodiscard]] bool pause(std::int64_t ms) const;
};

// The real environment: descriptors 0 to 2, environ, the system's clock and randomness, sockets.
[[nodiscard]] Environment process_environment();

// The user's runtime folder below `root` (/run/user), as the system made it, for programs without XDG_RUNTIME_DIR, such
// as those of cron; nullopt if there is none, or if somebody else may enter it. (D-612)
[[nodiscard]] std::optional<std::filesystem::path> usual_runtime_folder(const std::filesystem::path& root);

// Freed memory is wiped. Tokens and keys pass through documents, headers and buffers that know nothing of secrets; a
// long-lived process, such as a shell, must not keep them.

// From now on every heap block is wiped when it is freed.
void wipe_freed_memory();

// The name of the user that this process runs as ("root"), or its user id if it has no name.
[[nodiscard]] std::string user_name();

}  // namespace svc::cli
