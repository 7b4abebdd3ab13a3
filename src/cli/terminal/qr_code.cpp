#include "cli/terminal/qr_code.h"

#include <dlfcn.h>
#include <qrencode.h>

#include <memory>

namespace svc::cli {
namespace {

constexpr int quiet_modules = 4;  // around the code, as the standard requires

// The library's functions that we use, with the types of its header.
struct QrLibrary {
  decltype(&::QRcode_encodeString) encode;
  decltype(&::QRcode_free) release;
};

// Null if the library is missing. It stays loaded until the process ends.
const QrLibrary* qr_library() {
  static const QrLibrary* const loaded = []() -> const QrLibrary* {
    static QrLibrary found{};
    void* handle = ::dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    found.encode = reinterpret_cast<decltype(found.encode)>(::dlsym(handle, "QRcode_encodeString"));
    found.release = reinterpret_cast<decltype(found.release)>(::dlsym(handle, "QRcode_free"));
    return found.encode != nullptr && found.release != nullptr ? &found : nullptr;
  }();
  return loaded;
}

bool is_light(const ::QRcode& code, int row, int column) {
  if (row < 0 || column < 0 || row >= code.width || column >= code.width) return true;
  return (code.data[row * code.width + column] & 1) == 0;
}

// Two rows of modules in one line.
const char* half_block(bool upper, bool lower) {
  if (upper && lower) return "█";
  if (upper) return "▀";
  return lower ? "▄" : " ";
}

}  // namespace

Result<std::string, Failure> qr_code(const std::string& text, QrGlyphs glyphs) {
  const QrLibrary* qr = qr_library();
  if (qr == nullptr) {
    return unexpected(usage_error("--qr needs the library libqrencode.so.4, which is not installed")
                          .to_try({"apt-get install libqrencode4"}));
  }
  constexpr int any_version = 0;
  constexpr int keep_case = 1;
  const std::unique_ptr<::QRcode, decltype(qr->release)> code(
      qr->encode(text.c_str(), any_version, QR_ECLEVEL_M, QR_MODE_8, keep_case), qr->release);
  if (!code) return unexpected(usage_error("the text does not fit a QR code"));
  std::string lines;
  const int end = code->width + quiet_modules;
  for (int row = -quiet_modules; row < end; row += glyphs == QrGlyphs::half_blocks ? 2 : 1) {
    for (int column = -quiet_modules; column < end; ++column) {
      const bool upper = is_light(*code, row, column);
      lines += glyphs == QrGlyphs::ascii ? (upper ? "##" : "  ")
                                         : half_block(upper, row + 1 < end && is_light(*code, row + 1, column));
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace svc::cli
