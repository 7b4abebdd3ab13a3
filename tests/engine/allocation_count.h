// Counts calls of operator new in this test binary.
#pragma once

#include <cstddef>

namespace svc::test {

[[nodiscard]] std::size_t allocations();
[[nodiscard]] std::ptrdiff_t live_bytes();

}  // namespace svc::test
