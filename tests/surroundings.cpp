#include "surroundings.h"

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

}  // namespace svc::test
