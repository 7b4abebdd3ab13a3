#include "surroundings.h"

#include <cstdlib>

#include "base/checks.h"

namespace svc::test {
namespace {

[[maybe_unused]] const bool set_before_main = checks_are_on = true;

}  // namespace

std::filesystem::path source_folder() {
  return SVC_SOURCE_DIR;
}

std::string svc_program() {
  return SVC_BINARY;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace svc::test
