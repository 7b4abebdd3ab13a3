// What one run of a command works with. Files, configuration and network are read when first asked for, so that a
// command that needs none of them never touches the disk.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "base/address.h"
#include "base/clock.h"
#include "cli/arguments/globals.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/store/network.h"
#include "cli/terminal/render.h"

namespace svc::limits {
inline constexpr std::int64_t helper_patience_ms = 120 * second_ms;  // a person may have to press a button
inline constexpr std::int64_t helper_patience_way_out_ms = 2 * second_ms;
}  // namespace svc::limits

namespace svc::cli {

class Context;
struct Credential;

// The uptime as a clock.
class UptimeClock final : public Clock {
 public:
  explicit UptimeClock(const Environment& environment) : environment_(environment) {}
  [[nodiscard]] TimestampMs now_ms() const override { return environment_.uptime_ms(); }

 private:
  const Environment& environment_;
};

// Whom a run acts for.
struct PinnedSession {
  Address account;
  std::string wallet;
};

// The first value that it is given stays. Thread-safe.
template <class T>
class KeptFirst {
 public:
  [[nodiscard]] std::optional<T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void keep(T value) {
    const std::lock_guard lock(mutex_);
    if (!value_) value_ = std::move(value);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<T> value_;  // guarded by mutex_
};

// What a shell keeps from its start, whatever the user's other programs do meanwhile: one network at one address, and
// one account with its wallet.
struct Pinned {
  explicit Pinned(Network opened) : network(std::move(opened)) {}

  const Network network;
  KeptFirst<PinnedSession> session;  // that lines act with; none until the first login
  KeptFirst<std::string> agent;      // the wallet of the agent that signs lines with --auth agent
};

struct ShellSession {
  std::shared_ptr<Pinned> pinned{};  // shared with the shell's background reads
  bool in_background = false;        // reads of the shell itself, which nobody asked for
  bool expanded = false;             // tables show a line per field
  bool numbers_orders = false;       // tables of orders have row numbers, by which a line can name them
  bool orders_agreed = false;        // the user has typed the name of a network with real funds
  bool repeats = false;              // lines run repeatedly: writes are refused
  bool locked = false;               // after idle time: the next write asks for the password
  std::set<std::string> told{};      // notices already shown
};

// What was typed.
struct CommandLine {
  std::string_view command;          // "orders place"
  std::string schema{};              // of the documents that it prints: "svc.orders.place/1"
  bool is_way_out = false;           // reduces risk: nothing that it can do without may stop it
  std::vector<std::string> words{};  // all but the command's name
};

// Runs another command line, as a line of the given shell if there is one, and returns its exit code.
using RunLine = int (*)(const std::vector<std::string>& words, Environment& environment, ShellSession* shell_session);

// The lines that `svc shell` is to run; without any it reads them from its input.
struct ShellLines {
  std::vector<std::string> lines{};
  std::optional<std::string> file{};
  std::optional<std::string> rc{};  // run first, instead of shellrc
  bool keep_going = false;
};

// How a command runs other command lines.
struct EntryPoints {
  RunLine run = nullptr;
  Result<Answer> (*shell)(Context& context, const ShellLines& lines) = nullptr;
};

class Context {
 public:
  // `shell_session` belongs to the shell that runs this line; null outside of a shell, and for the shell's own
  // background reads.
  Context(Environment& environment, Globals globals, CommandLine line, const EntryPoints& entry_points,
          ShellSession* shell_session);

  // What was read before the command was known.
  void adopt(Paths paths, Config config);
  void adopt(Presentation presentation) { presentation_ = std::move(presentation); }
  void adopt(std::vector<Explained> settings, std::optional<std::string> profile_network) {
    settings_ = std::move(settings);
    profile_network_ = std::move(profile_network);
  }

  // For commands that print while they run.
  [[nodiscard]] const Presentation& presentation() const { return presentation_; }
  // Where each setting of this run comes from.
  [[nodiscard]] const std::vector<Explained>& settings() const { return settings_; }

  [[nodiscard]] Environment& environment() { return environment_; }
  [[nodiscard]] const Globals& globals() const { return globals_; }
  [[nodiscard]] const CommandLine& line() const { return line_; }
  [[nodiscard]] std::string_view command() const { return line_.command; }
  [[nodiscard]] bool is_way_out() const { return line_.is_way_out; }
  [[nodiscard]] const EntryPoints& entry_points() const { return entry_points_; }
  [[nodiscard]] ShellSession* shell_session() const { return shell_session_; }
  // What the shell around this line is pinned to; null outside of a shell.
  [[nodiscard]] Pinned* pinned() const { return shell_session_ == nullptr ? nullptr : shell_session_->pinned.get(); }
  // The session that this run, or the shell around it, acts with; none until a request needs one. The first one stays:
  // another program's login must not move the rest of a run to another account. (D-606)
  [[nodiscard]] KeptFirst<PinnedSession>& session() { return pinned() != nullptr ? pinned()->session : *session_; }
  // Acts for the account that a name was resolved to.
  void act_for(const Address& account) { globals_.account = account; }
  // Stays on that network, as if -n had been typed, and acts for that wallet, as if --signer had, whatever profile or
  // session is chosen elsewhere meanwhile.
  void stay_on(std::string network) {
    globals_.network = std::move(network);
    network_.reset();
  }
  void stay_with(std::string wallet) { globals_.signer = std::move(wallet); }
  // A credential for when none can be opened any more; null: none is held.
  void hold(std::shared_ptr<const Credential> credential) {
    held_ = std::move(credential);
    globals_.no_input = true;
  }
  [[nodiscard]] const std::shared_ptr<const Credential>& held() const { return held_; }
  [[nodiscard]] TimestampMs now_ms() const { return environment_.clock->now_ms(); }
  // For durations: setting the machine's clock does not change it.
  [[nodiscard]] std::int64_t uptime_ms() const { return environment_.uptime_ms(); }
  [[nodiscard]] const Clock& uptime_clock() const { return uptime_clock_; }

  // The pointers stay valid as long as the context.
  Result<const Paths*> paths();
  Result<const Config*> config();
  // The name alone, for files that are kept per network and need no address.
  Result<NetworkName> network_name();
  // The same, with where those files are.
  struct NetworkFiles {
    NetworkName network;
    const Paths* paths;
  };
  Result<NetworkFiles> network_files();
  Result<const Network*> network();
  // For commands that are about one particular network: it is used unless -n was typed.
  void prefer_network(std::string name) { preferred_network_ = std::move(name); }

  // False in a dry run, which contacts no server, unless a shell has to resolve what a line refers to.
  [[nodiscard]] bool may_read() const { return !globals_.dry_run || environment_.dry_runs_may_read; }

  // True if the user can be asked a question.
  [[nodiscard]] bool may_ask() const { return environment_.in_is_terminal && !globals_.no_input; }

  // How to reach a server: with the proxy and the certificates that the flags name. A notice says so if the proxy was
  // typed and is not used for that server.
  [[nodiscard]] Route route_to(std::string origin, std::int64_t timeout_ms);

  // How long a user's helper program may take to print a password or to sign.
  [[nodiscard]] std::int64_t helper_patience_ms() const { return helper_patience_ms_; }
  // How long the user's pipe may be silent before it has sent a password; nullopt: any time.
  [[nodiscard]] PipePatience pipe_patience_ms() const {
    return helper_patience_ms_ < limits::helper_patience_ms ? PipePatience(helper_patience_ms_) : std::nullopt;
  }
  // Exit 2 if the command reads standard input as something else. (D-1037)
  Result<void> take_input(std::string_view what);
  // As read_given(). For "-" it reads standard input, after take_input().
  Result<std::string> read_given_or_input(const std::string& file, std::string_view what, std::size_t bytes_max,
                                          LooseMode mode, PipePatience patience_ms = {});
  // Goes on as without a stored format, which this command cannot have: a setting says how things look, not whether
  // they run. False if the format was typed. (D-1128)
  [[nodiscard]] bool leave_stored_format(std::string_view why);
  // True if -a, --auth or the like was typed; false if a setting gave its value.
  [[nodiscard]] bool is_typed(std::string_view setting) const;

  // A note on standard error (unless quiet), and a warning in JSON output; the same text once per line. Notes about a
  // lasting condition appear once per shell, or once per shell and day; after that only JSON output has them.
  enum class Frequency : std::uint8_t { every_line, once_per_shell, once_per_day, documents_only };
  void notice(std::string code, std::string message, Frequency frequency = Frequency::every_line);
  void notices(const std::vector<Failure>& failures);
  // False if the message was already shown on this network today; otherwise records it, as far as that is possible.
  [[nodiscard]] bool first_today(const std::string& message);
  // To standard error only, unless quiet; in `color`, a sequence that the terminal obeys, if there is one.
  void say(std::string_view line, std::string_view color = {});

  // API keys that the service refused in this run: another one of the account is preferred.
  void pass_over_key(std::string key_id) { refused_keys_.insert(std::move(key_id)); }
  [[nodiscard]] bool is_passed_over(const std::string& key_id) const { return refused_keys_.contains(key_id); }

  [[nodiscard]] EnvelopeFacts& facts() { return facts_; }

  // The requests that a dry run would have sent, in their order.
  void note_planned(Json request) { planned_.push_back(std::move(request)); }
  [[nodiscard]] const std::vector<Json>& planned() const { return planned_; }
  // In a dry run, says what else would be sent after an answer that it does not read.
  void note_unplanned(std::string_view what) {
    if (!may_read()) notice("unplanned", concat("a dry run asks nobody, so it does not show ", what));
  }

  // What a signal prints before it ends this process. Unless the run is a line of a shell, that is always something.
  void begin_run();
  // The document comes now, and must stay the only one: a signal prints what was accepted on standard error, if
  // anything.
  void end_run();
  // A signal prints this failure from now on, such as that a write is on its way.
  void say_on_signal(Failure failure);
  // A signal prints what was accepted so far from now on.
  void say_done_on_signal();
  // Adds what was accepted so far to the message.
  void tell_answered(Failure& failure);
  // A write was accepted, or a batch of so many orders was answered. `id` is that of its entry in the journal.
  void note_answered(std::string_view what, const std::string& id, std::size_t orders);
  // What is to be done once the command's output ended: called with whether all of it was shown.
  struct AfterOutput {
    std::function<void(bool was_shown)> call;
    bool told_is_enough = false;  // may be called earlier, as soon as the user counts as told: with true
  };
  // They are called in the order in which they were passed.
  void after_output(AfterOutput next) { after_output_.push_back(std::move(next)); }
  void output_ended(bool was_shown) {
    if (was_shown && on_signal_ != nullptr) on_signal_->obey_none();
    for (const AfterOutput& one : std::exchange(after_output_, {}))
      if (one.call) one.call(was_shown);
  }
  // The user counts as told what was accepted: the next write begins, or a signal will say it.
  void count_as_told() {
    for (AfterOutput& one : after_output_)
      if (one.told_is_enough && one.call) std::exchange(one.call, {})(true);
  }

 private:
  [[nodiscard]] SignalMessages words_on_signal(Failure failure) const;

  Environment& environment_;
  UptimeClock uptime_clock_{environment_};
  Globals globals_;
  CommandLine line_;
  const EntryPoints& entry_points_;
  ShellSession* shell_session_;
  std::optional<Paths> paths_;
  std::optional<Config> config_;
  std::optional<Network> network_;
  std::optional<std::string> preferred_network_;
  std::optional<std::string> profile_network_;
  Presentation presentation_;
  std::vector<Explained> settings_;
  std::int64_t helper_patience_ms_ = limits::helper_patience_ms;
  EnvelopeFacts facts_;
  std::unique_ptr<KeptFirst<PinnedSession>> session_ = std::make_unique<KeptFirst<PinnedSession>>();  // outside a shell
  std::shared_ptr<const Credential> held_;
  std::set<std::string> refused_keys_;
  std::vector<Json> planned_;
  std::shared_ptr<SignalMessageGuard> on_signal_;
  bool is_run_ = false;
  std::size_t answered_writes_ = 0;
  std::size_t answered_orders_ = 0;
  std::string last_answered_;     // what a person calls it
  std::string last_answered_id_;  // in the journal
  std::vector<AfterOutput> after_output_;
  std::string input_reader_{};  // what standard input is read as; empty: nothing yet

  friend class ShortPatience;
};

// While one of these exists, a helper program gets little time and no person is waited for: the request can go without
// that signature.
class ShortPatience {
 public:
  ShortPatience(Context& context, bool shorten) : context_(context), before_ms_(context.helper_patience_ms_) {
    if (shorten) context_.helper_patience_ms_ = limits::helper_patience_way_out_ms;
  }
  ~ShortPatience() { context_.helper_patience_ms_ = before_ms_; }
  ShortPatience(const ShortPatience&) = delete;
  ShortPatience& operator=(const ShortPatience&) = delete;

 private:
  Context& context_;
  std::int64_t before_ms_;
};

}  // namespace svc::cli
