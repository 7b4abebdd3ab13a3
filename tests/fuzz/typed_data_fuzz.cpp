// Any text is either refused or hashed; a document that is hashed is hashed alike the second time.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "signing/typed_data.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto hashes = svc::signing::hash_typed_data(text);
  SVC_ASSERT(hashes || !hashes.error().empty());
  if (hashes) SVC_ASSERT(svc::signing::hash_typed_data(text)->digest == hashes->digest);
  return 0;
}
