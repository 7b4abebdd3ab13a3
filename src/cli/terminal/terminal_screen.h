// The whole terminal as a canvas, by ncurses. It is put back as it was when this ends, whichever way.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/terminal/canvas.h"

namespace svc::cli {

enum class Key : std::uint8_t { none, quit, pause, resized };

class TerminalScreen {
 public:
  // The error says why this terminal cannot be drawn on. One at a time.
  [[nodiscard]] static Result<std::unique_ptr<TerminalScreen>, std::string> open(bool colors, Glyphs glyphs);
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // Blank, of the window's present size.
  [[nodiscard]] Canvas canvas() const;
  void show(const Canvas& canvas);
  // What was pressed since; does not wait.
  [[nodiscard]] Key key();

  struct Curses;  // named by the implementation only
  explicit TerminalScreen(std::unique_ptr<Curses> curses);

 private:
  std::unique_ptr<Curses> curses_;
};

// Columns of the terminal at that descriptor; 0 if it is none.
[[nodiscard]] int columns_of_terminal(int descriptor);

}  // namespace svc::cli
