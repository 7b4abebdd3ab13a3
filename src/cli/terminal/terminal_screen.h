// The whole terminal as a canvas, by ncurses. Its state is always restored at the end.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/terminal/canvas.h"

struct screen;  // of ncurses, whose header defines macros with names of ours

namespace svc::cli {

enum class Key : std::uint8_t { none, quit, pause, resized };

class TerminalScreen {
 public:
  // The error tells why this terminal cannot be drawn on. Only one may exist.
  static Result<std::unique_ptr<TerminalScreen>, std::string> open(bool colors, Glyphs glyphs);
  ~TerminalScreen();
  TerminalScreen(TerminalScreen&&) = delete;

  // An empty canvas of the window's present size.
  [[nodiscard]] Canvas canvas() const;
  void show(const Canvas& canvas);
  // The latest key press; does not wait.
  [[nodiscard]] Key key();

  TerminalScreen(screen* of_curses, bool colors, Glyphs glyphs)
      : screen_(of_curses), colors_(colors), glyphs_(glyphs) {}

 private:
  screen* screen_;
  bool colors_;
  Glyphs glyphs_;
};

// Chooses the environment's locale for characters, or one of UTF-8 if that is none. False if there is no such locale.
bool use_unicode_locale();

// The width of the terminal at that descriptor; 0 if it is not a terminal.
[[nodiscard]] std::size_t columns_of_terminal(int descriptor);

}  // namespace svc::cli
