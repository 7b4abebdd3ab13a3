// The terminal's screen: its size, and a line at its bottom that nothing else scrolls over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::cli {

class Screen {
 public:
  // Asks the terminal for its size.
  void measure();
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  void write(std::string_view text);

  // Keeps the bottom row for the status line; not on screens of few rows or terminals that cannot.
  void reclaim();
  // The whole screen is everybody's again.
  void release();
  // Everything goes, and the cursor to the top.
  void clear();
  // Nothing if the row is not kept, or shows it already. The cursor stays where it is.
  void show_status(const std::string& text);

 private:
  std::size_t columns_ = 80;
  std::size_t rows_ = 24;
  std::string status_;  // as shown
  std::size_t kept_rows_ = 0;  // rows of the screen when the bottom one was kept; 0: it is not
};

// Columns that a text takes: ANSI sequences and what stands between \1 and \1 take none, other characters one.
[[nodiscard]] std::size_t shown_width(std::string_view text);
// At most that many columns of it, cut between characters.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t columns);

// Bytes that follow the first one of a UTF-8 character.
[[nodiscard]] std::size_t utf8_more(unsigned char first);
// U+FFFD for what is no character.
[[nodiscard]] wchar_t utf8_character(std::string_view bytes);

}  // namespace svc::cli
