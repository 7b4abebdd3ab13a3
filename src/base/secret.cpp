#include "base/secret.h"

#include <nettle/memops.h>
#include <cstring>

#include "base/encoding.h"

namespace svc {

void wipe(void* memory, std::size_t size) {
  explicit_bzero(memory, size);
}

bool equal_constant_time(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return a.size() == b.size() && memeql_sec(a.data(), b.data(), a.size()) != 0;
}

bool equal_constant_time(std::string_view a, std::string_view b) {
  return equal_constant_time(as_bytes(a), as_bytes(b));
}

void Secret::clear() {
  wipe(value_.data(), value_.capacity());
  value_.clear();
}

}  // namespace svc
