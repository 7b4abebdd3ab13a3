#include "base/shown_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/encoding.h"
#include "base/text.h"

namespace svc {
namespace {

struct CodePoints {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr CodePoints misleading[] = {
    {0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},    {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},  {0x3164, 0x3164},
    {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
static_assert(std::ranges::is_sorted(misleading, {}, &CodePoints::first));

void append_spelled(std::string& out, std::uint32_t code_point) {
  constexpr std::string_view whites = "\n\r\t";
  constexpr std::string_view letters = "nrt";
  const auto append_unit = [&](std::uint32_t code) {
    out += "\\u" + to_hex(std::array{static_cast<std::uint8_t>(code >> 8), static_cast<std::uint8_t>(code & 0xFFU)});
  };
  if (code_point > 0xFFFF) {
    append_unit(0xD800 + ((code_point - 0x10000) >> 10));
    append_unit(0xDC00 + (code_point & 0x3FFU));
  } else if (const auto at = whites.find(static_cast<char>(code_point)); code_point < 0x20 && at != whites.npos) {
    out += '\\';
    out += letters[at];
  } else {
    append_unit(code_point);
  }
}

}  // namespace

bool misleads(std::uint32_t code_point) {
  const auto* const range = std::ranges::lower_bound(misleading, code_point, {}, &CodePoints::last);
  return range != std::end(misleading) && range->first <= code_point;
}

std::string escaped(std::string_view text, std::string_view kept, OddBytes odd) {
  std::string out;
  while (true) {
    const auto plain = std::ranges::find_if_not(text, is_printable) - text.begin();
    out += text.substr(0, static_cast<std::size_t>(plain));
    text.remove_prefix(static_cast<std::size_t>(plain));
    if (text.empty()) return out;
    const Utf8Character first = first_character(text);
    const bool is_told = misleads(first.code_point) && kept.find(first.bytes) == std::string_view::npos;
    if (is_told || (odd == OddBytes::are_escaped && !first.is_sound()))
      append_spelled(out, first.code_point);
    else
      out += first.bytes;
    text.remove_prefix(first.bytes.size());
  }
}

}  // namespace svc
