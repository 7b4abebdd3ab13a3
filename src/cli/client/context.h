// What one run of a command works with. Files, configuration and network are looked at when first
// asked for, so that a command that needs none of them never touches the disk.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/arguments/globals.h"
#include "cli/client/shell_session.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/store/layers.h"
#include "cli/store/network.h"
#include "cli/terminal/render.h"

namespace svc::limits {
inline constexpr std::int64_t helper_patience_ms = 120 * second_ms;  // a person may have to press a button
inline constexpr std::int64_t helper_patience_way_out_ms = 2 * second_ms;
}  // namespace svc::limits

namespace svc::cli {

class Context;

// What was typed.
struct CommandLine {
  std::string_view command;          // "orders place"
  std::string schema{};              // of the documents that it prints: "svc.orders.place/1"
  bool is_way_out = false;           // takes risk away: nothing that it can do without may stop it
  std::vector<std::string> words{};  // all but the command's name
};

// Runs another line, as one of this shell's if there is one, and gives its exit code.
using RunLine = int (*)(const std::vector<std::string>& words, Environment& environment, ShellSession* shell_session);

// The lines that `svc shell` is to run; without any it reads them.
struct ShellLines {
  std::vector<std::string> lines{};
  std::optional<std::string> file{};
  std::optional<std::string> rc{};  // run first, instead of shellrc
  bool keep_going = false;
};

// Ways into the program, for the commands that run others.
struct EntryPoints {
  RunLine run = nullptr;
  Result<Answer, Stop> (*shell)(Context& context, const ShellLines& lines) = nullptr;
};

class Context {
 public:
  // `sitting` is of the shell that runs this line; null outside, and for what it asks unseen.
  Context(Environment& environment, Globals globals, CommandLine line, const EntryPoints& entry_points,
          ShellSession* shell_session);

  // What was read before the command was known.
  void adopt(Paths paths, Config config);
  void adopt(Presentation presentation) { presentation_ = std::move(presentation); }
  void adopt(std::vector<Explained> settings, std::optional<std::string> profile_network);

  // How results are to look; for commands that print as they go.
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
  // What the shell of this line keeps to; null outside.
  [[nodiscard]] Pinned* pinned() const { return shell_session_ == nullptr ? nullptr : shell_session_->pinned.get(); }
  // The account that a name stood for.
  void act_for(const Address& account) { globals_.account = account; }
  [[nodiscard]] TimestampMs now_ms() const { return environment_.clock->now_ms(); }

  // The pointers stay valid as long as the context.
  [[nodiscard]] Result<const Paths*, Failure> paths();
  [[nodiscard]] Result<const Config*, Failure> config();
  // The name alone: for what is filed per network and needs no address.
  [[nodiscard]] Result<NetworkName, Failure> network_name();
  [[nodiscard]] Result<const Network*, Failure> network();
  // For commands that are about one network by their nature: what -n would do, if it was not typed.
  void prefer_network(std::string name);

  // False in a dry run, which asks no server, unless a shell needs to know what a line refers to.
  [[nodiscard]] bool may_read() const { return !globals_.dry_run || environment_.dry_runs_may_read; }

  // True if a question may be put to a person.
  [[nodiscard]] bool may_ask() const;

  // How long a program of the user's may take to print a password or to sign.
  [[nodiscard]] std::int64_t helper_patience_ms() const { return helper_patience_ms_; }
  // Whether -a, --auth and the like were typed; a setting says no such thing.
  [[nodiscard]] bool is_typed(std::string_view setting) const;

  // Goes to standard error (unless quiet) and into the warnings of JSON output; each once. What is true of many lines
  // is said by the first line of a shell only, what is true of most days by the first of a day as well; what was said
  // before stands in documents only.
  enum class Frequency : std::uint8_t { every_line, once_per_shell, once_per_day, documents_only };
  void notice(std::string code, std::string message, Frequency frequency = Frequency::every_line);
  // False if that was said on this network today; notes it down otherwise, as well as that can be done.
  [[nodiscard]] bool first_today(const std::string& message);
  // Standard error only, unless quiet.
  void say(std::string_view line);

  [[nodiscard]] EnvelopeFacts& facts() { return facts_; }

 private:
  Environment& environment_;
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

  friend class ShortPatience;
};

// While one of these lives nobody waits for a person: what could be signed or unlocked can be done without.
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
