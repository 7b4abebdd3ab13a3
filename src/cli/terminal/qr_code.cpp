#include "cli/terminal/qr_code.h"

#include <qrencode.h>

#include <memory>

#include "base/loaded_library.h"

namespace svc::cli {
namespace {

constexpr int quiet_modules = 4;  // around the code, as the standard requires

struct QrLibrary : LoadedLibrary {
  QrLibrary() : LoadedLibrary("libqrencode.so.4") {}

  decltype(&::QRcode_encodeString) encode = find("QRcode_encodeString");
  decltype(&::QRcode_free) release = find("QRcode_free");
};

bool is_light(const ::QRcode& code, int row, int column) {
  if (row < 0 || column < 0 || row >= code.width || column >= code.width) return true;
  return (code.data[row * code.width + column] & 1) == 0;
}

}  // namespace

Result<std::string> qr_code(const std::string& text, QrGlyphs glyphs) {
  static const QrLibrary qr;
  if (!qr.is_whole()) {
    return usage_error("--qr needs the library libqrencode.so.4, which is not installed")
        .to_try({"apt-get install libqrencode4"});
  }
  constexpr int any_version = 0;
  constexpr int keep_case = 1;
  const std::unique_ptr<::QRcode, decltype(qr.release)> code(
      qr.encode(text.c_str(), any_version, QR_ECLEVEL_M, QR_MODE_8, keep_case), qr.release);
  if (!code) return usage_error("the text does not fit a QR code");
  constexpr std::string_view half_blocks[2][2] = {{" ", "▄"}, {"▀", "█"}};  // two rows of modules in one line
  std::string lines;
  const int end = code->width + quiet_modules;
  for (int row = -quiet_modules; row < end; row += glyphs == QrGlyphs::half_blocks ? 2 : 1) {
    for (int column = -quiet_modules; column < end; ++column) {
      const bool upper = is_light(*code, row, column);
      const bool lower = row + 1 < end && is_light(*code, row + 1, column);
      lines += glyphs == QrGlyphs::half_blocks ? half_blocks[upper][lower] : upper ? "##" : "  ";
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace svc::cli
