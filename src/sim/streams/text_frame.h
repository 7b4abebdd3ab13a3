// Text frames as a server sends them: unmasked, in one piece, the same bytes for every reader.
#pragma once

#include <string>
#include <string_view>

namespace svc::sim {

// Appends one frame. `payload` is valid UTF-8.
void append_text_frame(std::string& out, std::string_view payload);

}  // namespace svc::sim
