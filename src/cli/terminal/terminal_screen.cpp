#include "cli/terminal/terminal_screen.h"

#include <curses.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <string_view>

namespace svc::cli {
namespace {

enum Pair : short { pair_good = 1, pair_bad = 2, pair_alert = 3 };

attr_t attributes_of(Style style, bool colors) {
  const auto pair = [colors](Pair one) {
    return colors ? static_cast<attr_t>(COLOR_PAIR(one)) : static_cast<attr_t>(A_NORMAL);
  };
  switch (style) {
    case Style::plain: return A_NORMAL;
    case Style::dim: return A_DIM;
    case Style::bold: return A_BOLD;
    case Style::good: return pair(pair_good);
    case Style::bad: return pair(pair_bad) | (colors ? A_NORMAL : A_BOLD);
    case Style::alert: return pair(pair_alert) | A_BOLD;
    case Style::title: return A_REVERSE;
  }
  return A_NORMAL;
}

}  // namespace

bool use_unicode_locale() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) == "UTF-8") return true;
  // If the configured locale is not installed, this one always is.
  return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
}

Result<std::unique_ptr<TerminalScreen>, std::string> TerminalScreen::open(bool colors, Glyphs glyphs) {
  int known = 0;
  const bool described = ::setupterm(nullptr, STDOUT_FILENO, &known) == OK;
  // Without cursor addressing everything would be on one line.
  const char* place = described ? ::tigetstr("cup") : nullptr;
  if (place == nullptr || place == reinterpret_cast<const char*>(-1))
    return unexpected(std::string("TERM says that it cannot place text"));
  if (glyphs == Glyphs::unicode && !use_unicode_locale()) glyphs = Glyphs::ascii;
  SCREEN* const screen = ::newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return unexpected(std::string("this terminal is not known (TERM)"));
  ::set_term(screen);
  ::cbreak();
  ::noecho();
  ::curs_set(0);
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  colors = colors && ::has_colors() == TRUE;
  if (colors) {
    ::start_color();
    ::use_default_colors();
    ::init_pair(pair_good, COLOR_GREEN, -1);
    ::init_pair(pair_bad, COLOR_RED, -1);
    ::init_pair(pair_alert, COLOR_YELLOW, -1);
  }
  return std::make_unique<TerminalScreen>(screen, colors, glyphs);
}

TerminalScreen::~TerminalScreen() {
  ::endwin();
  ::delscreen(screen_);
}

Canvas TerminalScreen::canvas() const {
  return Canvas(getmaxx(stdscr), getmaxy(stdscr), glyphs_);
}

void TerminalScreen::show(const Canvas& canvas) {
  ::erase();
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const Canvas::Cell& cell = canvas.at(x, y);
      if (cell.glyph.empty() || (cell.glyph == " " && cell.style != Style::title)) continue;
      ::attrset(static_cast<int>(attributes_of(cell.style, colors_)));
      mvaddstr(y, x, cell.glyph.c_str());
    }
  }
  ::refresh();
}

Key TerminalScreen::key() {
  // A shell catches the signal itself, so that ncurses does not hear of a new size.
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  if (is_known && (size.ws_row != getmaxy(stdscr) || size.ws_col != getmaxx(stdscr))) {
    ::resizeterm(size.ws_row, size.ws_col);
    ::clear();
    return Key::resized;
  }
  switch (::getch()) {
    case 'q':
    case 'Q':
    case 3: return Key::quit;
    case ' ':
    case 'p': return Key::pause;
    case KEY_RESIZE: return Key::resized;
    default: return Key::none;
  }
}

std::size_t columns_of_terminal(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace svc::cli
