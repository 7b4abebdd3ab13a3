// Any text is either refused or says what it needs to be opened, within the limits for that.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/limits.h"
#include "signing/keystore.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto info = svc::signing::inspect_keystore({reinterpret_cast<const char*>(data), size});
  if (!info) return 0;
  const auto& seal = info->seal;
  if (seal.kdf == "scrypt") SVC_ASSERT(seal.cost >= 2 && seal.cost <= svc::limits::scrypt_work_max);
  if (seal.kdf == "pbkdf2") SVC_ASSERT(seal.cost >= 1 && seal.cost <= svc::limits::pbkdf2_iterations_max);
  return 0;
}
