#include "cli/shell/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/machine/descriptor.h"

namespace svc::cli {
namespace {

constexpr std::size_t status_rows_min = 8;

bool can_scroll_regions() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb" && *terminal != '\0';
}

// The end of the ANSI sequence at `at`.
std::size_t sequence_end(std::string_view text, std::size_t at) {
  if (at + 1 < text.size() && text[at + 1] != '[') return std::min(at + 2, text.size());
  for (at += 2; at < text.size(); ++at) {
    if (text[at] >= '@' && text[at] <= '~') return at + 1;
  }
  return text.size();
}

}  // namespace

void Screen::measure() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    if (columns_ != size.ws_col || rows_ != size.ws_row) status_.clear();
    columns_ = size.ws_col;
    rows_ = size.ws_row;
  }
  if (kept_rows_ != 0 && kept_rows_ != rows_) reclaim();
}

void Screen::clear() {
  status_.clear();
  write("\033[H\033[2J");
}

void Screen::write(std::string_view text) {
  static_cast<void>(write_all(STDOUT_FILENO, text));
}

void Screen::reclaim() {
  kept_rows_ = 0;
  status_.clear();
  measure();
  if (rows_ < status_rows_min || !can_scroll_regions()) return;
  kept_rows_ = rows_;
  // A line feed first, because the cursor may be on the bottom row.
  write("\n\033[A\0337\033[1;" + std::to_string(rows_ - 1) + "r\0338");
}

void Screen::release() {
  if (kept_rows_ == 0) return;
  write("\0337\033[" + std::to_string(kept_rows_) + ";1H\033[2K\033[r\0338");
  kept_rows_ = 0;
}

void Screen::show_status(const std::string& text) {
  if (kept_rows_ == 0 || text == status_) return;
  status_ = text;
  write("\0337\033[" + std::to_string(rows_) + ";1H\033[2K" + text + "\033[0m\0338");
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  bool hidden = false;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 1) {
      hidden = !hidden;
      ++i;
    } else if (c == 27) {
      i = sequence_end(text, i);
    } else {
      if (!hidden) ++width;
      i += 1 + utf8_more(c);
    }
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t end = c == 27 ? sequence_end(text, i) : std::min(text.size(), i + 1 + utf8_more(c));
    if (c != 27 && ++width > columns) return std::string(text.substr(0, i));
    i = end;
  }
  return std::string(text);
}

std::size_t utf8_more(unsigned char first) {
  if (first >= 0xf0 && first < 0xf8) return 3;
  if (first >= 0xe0 && first < 0xf0) return 2;
  return first >= 0xc0 && first < 0xe0 ? 1 : 0;
}

wchar_t utf8_character(std::string_view bytes) {
  constexpr wchar_t replacement = 0xfffd;
  const auto first = static_cast<unsigned char>(bytes.front());
  if (bytes.size() == 1) return first < 0x80 ? static_cast<wchar_t>(first) : replacement;
  auto value = static_cast<unsigned>(first) & (0x3fU >> (bytes.size() - 1));
  for (const char c : bytes.substr(1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) return replacement;
    value = (value << 6U) | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return static_cast<wchar_t>(value);
}

}  // namespace svc::cli
