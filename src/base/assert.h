// Always-on assertions: they guard against bugs, never against user input.
#pragma once

namespace svc {

// Prints the broken condition and aborts. Never compiled out: money is at stake.
[[noreturn]] void assert_failed(const char* condition, const char* file, int line);

}  // namespace svc

#define SVC_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::svc::assert_failed(#condition, __FILE__, __LINE__))
