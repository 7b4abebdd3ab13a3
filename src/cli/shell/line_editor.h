// Reads a line from the user at the terminal: libedit with a hint behind the cursor, notices above the line, a status
// line at the bottom of the screen, and pasted blocks kept in one piece.
//
// One editor per process, because it owns the terminal and its signals. Only `announce` and `wake` may be called from
// other threads.
#pragma once

#include <memory>

#include "cli/store/completion_values.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

struct EditorHooks {
  // False: there are no colours, hints and status line, and pastes are not marked.
  bool draws = true;
  // With ANSI sequences between \1 and \1.
  std::function<std::string()> prompt;
  // A suggestion for the rest of the line; never part of it. Grey, or faint where there are no colours.
  std::function<std::string(std::string_view line)> hint;
  bool colours = true;
  // What the word before the cursor may become.
  std::function<std::vector<Candidate>(std::string_view before_cursor)> complete;
  // At most that many columns; empty for no status line.
  std::function<std::string(std::size_t columns)> status;
  // Called when a key was pressed, and after `wake`; both before the screen is redrawn.
  std::function<void()> touched;
  std::function<void()> woken;
};

struct Typed {
  enum class Kind : std::uint8_t {
    line,
    block,      // pasted with line ends inside: nothing of it has been run
    too_long,   // a block of which nothing was kept
    cancelled,  // Ctrl-C
    end,        // Ctrl-D on an empty line, or the terminal is gone
  };
  Kind kind = Kind::line;
  std::string text;
};

class LineEditor {
 public:
  explicit LineEditor(EditorHooks hooks);
  ~LineEditor();
  LineEditor(LineEditor&&) = delete;

  [[nodiscard]] Typed read();
  // For the arrow keys and Ctrl-R.
  void remember(const std::string& line);

  // Shown above the line being typed, or before the next one.
  void announce(std::string line);
  // To be called when something in the status line or the prompt has changed.
  void wake();

  // True after Ctrl-C, until the next line is read.
  [[nodiscard]] static bool interrupted();
  // The signal that asks the program to end, or SIGHUP if the terminal is gone; commands stop too.
  [[nodiscard]] static std::optional<int> ended_by();
  // Restores the terminal for a program that draws its own screen.
  void release_screen();
  void reclaim_screen();
  // Discards the keys that a program at the terminal did not read: they were not meant for the shell.
  void drop_typed_ahead();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The columns of a text: ANSI sequences and everything between \1 and \1 count 0, wide characters 2.
[[nodiscard]] std::size_t shown_width(std::string_view text);
// At most that many columns of the text, cut between characters.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t columns);
// U+FFFD for an invalid character.
[[nodiscard]] wchar_t utf8_character(std::string_view bytes);

// Word completion. Pure.

// The word before the cursor; empty after a blank.
[[nodiscard]] std::string last_word(std::string_view before_cursor);

// The common beginning of all candidates, beyond `word`.
[[nodiscard]] std::string common_rest(std::string_view word, const std::vector<Candidate>& candidates);

// One per line with what it is about, or in columns if none tells that; with the number of those left out.
inline constexpr std::size_t completions_shown_max = 40;
[[nodiscard]] std::string listed(const std::vector<Candidate>& candidates, std::size_t columns);

}  // namespace svc::cli
