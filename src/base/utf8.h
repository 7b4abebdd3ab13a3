// UTF-8, checked: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc {

// Bytes of the character at the front of the text; 0 if there is none or it is malformed.
[[nodiscard]] std::size_t utf8_length(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace svc
