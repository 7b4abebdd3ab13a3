#include "places.h"

namespace svc::test {

std::filesystem::path source_folder() {
  return SVC_SOURCE_DIR;
}

std::string svc_program() {
  return SVC_BINARY;
}

}  // namespace svc::test
