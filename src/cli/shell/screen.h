// The terminal's screen: its size, and a bottom line that does not scroll.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::cli {

class Screen {
 public:
  // Reads the terminal's size.
  void measure();
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  void write(std::string_view text);

  // Reserves the bottom row for the status line; not on small screens, nor on terminals that cannot do it.
  void reclaim();
  // Gives the bottom row back.
  void release();
  // Clears the screen and moves the cursor to the top.
  void clear();
  // Does nothing if the row is not reserved or already shows the text. The cursor does not move.
  void show_status(const std::string& text);

 private:
  std::size_t columns_ = 80;
  std::size_t rows_ = 24;
  std::string status_;         // shown now
  std::size_t kept_rows_ = 0;  // rows of the screen when the bottom one was reserved; 0: it is not
};

// The columns of a text: ANSI sequences and everything between \1 and \1 count 0, other characters 1.
[[nodiscard]] std::size_t shown_width(std::string_view text);
// At most that many columns of the text, cut between characters.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t columns);

// The number of bytes that follow the first one of a UTF-8 character.
[[nodiscard]] std::size_t utf8_more(unsigned char first);
// U+FFFD for an invalid character.
[[nodiscard]] wchar_t utf8_character(std::string_view bytes);

}  // namespace svc::cli
