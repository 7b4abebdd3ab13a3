// What a shell remembers from one line to the next, and from one shell to the next.
#pragma once

#include <filesystem>
#include <map>

#include "cli/arguments/line_words.h"
#include "cli/client/context.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// The words that a name stands for.
using Aliases = std::map<std::string, std::vector<std::string>, std::less<>>;

// One order or cancel that is held back until \commit.
using Staged = std::vector<std::string>;

struct ShellState {
  std::string network{};                // where everything is sent; another network needs another shell
  std::vector<FlagWords> globals{};     // the shell's own flags, put before every line
  std::optional<std::string> market{};  // `use`

  std::vector<std::string> last_words{};  // of the last command, expanded; for `.` and \watch
  Json last_rows = Json::array();         // of the last table with rows
  Json last{};                            // the last answer's data: :last.path
  std::vector<Column> last_columns{};     // of that answer: :last.COLUMN
  Json last_row{};                        // the first that these are of
  int last_exit = 0;

  std::map<std::string, std::string, std::less<>> variables{};  // \set
  Aliases aliases{};                                            // \alias
  std::vector<FlagWords> print_settings{};                      // \pset; they take precedence over `globals`
  std::optional<std::string> output_file{};                     // \o
  ShellSession shell_session{};
  bool timing = false;
  bool muted = false;
  std::optional<std::vector<Staged>> staged{};  // since \begin

  [[nodiscard]] std::size_t entries_held() const { return staged ? staged->size() : 0; }

  // What reads in the background need: they follow neither the shell's lines nor its variables.
  [[nodiscard]] ShellState in_background() const {
    return {.network = network,
            .globals = globals,
            .shell_session = {.pinned = shell_session.pinned, .in_background = true}};
  }

  // The value of ":name": a variable, or a member or column of the last answer as "last.order.id", "last.order_id".
  [[nodiscard]] std::optional<std::string> value_of(std::string_view name) const;
};

// Expands the shell's shorthand into words that are valid on the command line too.

// True for the first word of a command, and for the shell's own words: an alias cannot hide them.
[[nodiscard]] bool is_shell_word(const std::string& word);

// Expands aliases; `.` for the last command; `x 3 4` for cancelling those rows of the last table; the market in use
// where a command needs one and none is given; `50%` as the size of `buy` and `sell` for closing that part of the
// position. Other words are returned unchanged.
Result<std::vector<std::string>> expand_shorthand(std::vector<std::string> words, const ShellState& state);

// The lines typed earlier, one file per network, without secrets.

inline constexpr std::size_t history_lines_max = 5'000;
inline constexpr std::size_t history_line_bytes_max = 4'096;
inline constexpr std::size_t history_bytes_max = 2 << 20;  // then half of it is kept

// False for lines that must not be kept: those that are too long or begin with a blank, name a command whose arguments
// may be secret, also by an alias, or contain 64 hexadecimal digits, as private keys do, twelve words of a recovery
// phrase, or an address with a user.
[[nodiscard]] bool may_be_kept(std::string_view line, Aliases aliases = {});
// Whether a text of one or more lines has the words of a recovery phrase or the digits of a private key.
[[nodiscard]] bool has_key(std::string_view text);

class History {
 public:
  // Reads the newest `history_lines_max` lines; a missing file is an empty history.
  static Result<History> open(std::filesystem::path file);

  // Adds the line if it may be kept and differs from the one before. Lines of other shells stay in the file.
  Result<void> add(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  explicit History(std::filesystem::path file) : file_(std::move(file)) {}
  // Reads the file and, if it is too long, drops its oldest lines. Under its lock.
  Result<void> read();

  std::filesystem::path file_;
  std::vector<std::string> lines_;
};

}  // namespace svc::cli
