// Linked into every test, and into the binary that tests start.

#include "base/checks.h"

namespace svc {
namespace {

[[maybe_unused]] const bool set_before_main = checks_are_on = true;

}  // namespace
}  // namespace svc
