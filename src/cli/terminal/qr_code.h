// QR codes made of characters by the system's libqrencode, which is loaded when it is first needed. (D-535)
#pragma once

#include "cli/terminal/failure.h"

namespace svc::cli {

enum class QrGlyphs { half_blocks, ascii };

// Draws the light modules and leaves out the dark ones, with the quiet zone that cameras need, so that it can be read
// from a dark terminal. Lines end with a line feed. Exit 2 if the library is missing or the text is too long.
Result<std::string> qr_code(const std::string& text, QrGlyphs glyphs);

}  // namespace svc::cli
