// One line from the person at the terminal: libedit with a hint behind the cursor, notices above the line, a
// status line at the bottom of the screen, and pasted blocks kept in one piece.
//
// One editor per process: the terminal and its signals are one. Only `announce` and `wake` may be called from
// other threads.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

struct Completion {
  std::string text;         // the whole word
  std::string description;  // "buy 0.5 @ 64950"; may be empty
};

struct EditorHooks {
  // With ANSI sequences between \1 and \1.
  std::function<std::string()> prompt;
  // What the rest of the line could be; grey, never part of it.
  std::function<std::string(std::string_view line)> hint;
  // Words that the last one before the cursor may become.
  std::function<std::vector<Completion>(std::string_view before_cursor)> complete;
  // At most that many columns; empty for no status line.
  std::function<std::string(std::size_t columns)> status;
  // A key was pressed; and `wake` was called. Both before the screen is drawn anew.
  std::function<void()> touched;
  std::function<void()> woken;
};

struct Typed {
  enum class Kind : std::uint8_t {
    line,
    block,      // pasted, with line ends inside: nothing of it has been run
    cancelled,  // Ctrl-C
    end,        // Ctrl-D on an empty line, or the terminal went away
  };
  Kind kind = Kind::line;
  std::string text;
};

class LineEditor {
 public:
  explicit LineEditor(EditorHooks hooks);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  [[nodiscard]] Typed read();
  // For the arrow keys and Ctrl-R.
  void remember(const std::string& line);

  // Shown above the line being typed, or before the next one.
  void announce(std::string line);
  // Something that the status line or the prompt shows has changed.
  void wake();

  // True after Ctrl-C, until the next line is read.
  [[nodiscard]] static bool interrupted();
  // True once a signal asks the program to end, or the terminal is gone; also ends what runs.
  [[nodiscard]] static std::optional<int> ended_by();
  // The terminal as it was before: around what draws a screen of its own.
  void release_screen();
  void reclaim_screen();
  // Keys that a program at the terminal left unread were not meant for us.
  void drop_typed_ahead();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Lines typed earlier, one file per network, without secrets.

inline constexpr std::size_t history_lines_max = 5'000;

// False for what must not be kept: lines that begin with a blank, that name a command whose arguments may be
// secret, or that carry 64 hexadecimal digits, as a private key does.
[[nodiscard]] bool may_be_kept(std::string_view line);

class History {
 public:
  // What was kept; an absent file is an empty history. At most the newest `history_lines_max` lines.
  [[nodiscard]] static Result<History, Failure> open(std::filesystem::path file);

  // Keeps the line if it may be kept and is not the one before. Other shells' lines stay in the file.
  [[nodiscard]] Result<void, Failure> add(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  explicit History(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
  std::vector<std::string> lines_;
};

// What completing a word does with the candidates. Pure.

// The word that the cursor stands behind; empty after a blank.
[[nodiscard]] std::string last_word(std::string_view before_cursor);

// What all candidates have in common beyond `word`.
[[nodiscard]] std::string common_rest(std::string_view word, const std::vector<Completion>& candidates);

// One per line with its description, or in columns where there is none. At most `completions_shown_max`; the rest is
// counted.
inline constexpr std::size_t completions_shown_max = 40;
[[nodiscard]] std::string listed(const std::vector<Completion>& candidates, std::size_t columns);

}  // namespace svc::cli
