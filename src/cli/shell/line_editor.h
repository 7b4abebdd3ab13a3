// One line from the person at the terminal: libedit with a hint behind the cursor, notices above the line, a
// status line at the bottom of the screen, and pasted blocks kept in one piece.
//
// One editor per process: the terminal and its signals are one. Only `announce` and `wake` may be called from
// other threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace svc::cli
