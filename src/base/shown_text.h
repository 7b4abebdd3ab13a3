// What may reach a terminal or a line of a log. A text from elsewhere must not be able to move a cursor, rename a
// window, begin another line, turn what stands beside it or hide a part of itself. (D-1040)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc {

// True for control characters (C0, DEL, C1), ends of lines, and characters that change the direction of the text or are
// not seen.
[[nodiscard]] bool misleads(std::uint32_t code_point);

// What becomes of bytes that are no UTF-8. Terminals obey those of 0x80 to 0x9f, so they never pass.
enum class OddBytes : bool { pass, are_escaped };

// Shows each character that misleads as JSON spells it: \n, \r, \t or \uNNNN. Those in `kept` stay as they are.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view kept = {}, OddBytes odd = OddBytes::pass);

}  // namespace svc
