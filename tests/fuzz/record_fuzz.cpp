// Any text is either refused as each request record or read exactly: what was read is written as text
// that reads, and writes, the same. The first byte picks the operation.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec.h"
#include "api/operation_table.h"

namespace {

template <class T>
void read_and_write(std::string_view text) {
  for (const svc::api::DecodeOptions& options : {svc::api::strict, svc::api::lenient}) {
    const auto value = svc::api::decode_json<T>(text, options);
    if (!value) {
      SVC_ASSERT(!svc::api::to_string(value.error()).empty());
      continue;
    }
    const std::string json = svc::api::to_json(*value);
    // Missing fields that a lenient reader let pass have defaults that no strict one need accept.
    const auto again = svc::api::decode_json<T>(json, svc::api::lenient);
    if (again) SVC_ASSERT(svc::api::to_json(*again) == json);
    SVC_ASSERT(again || options.collect_missing_fields);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t chosen = data[0] % svc::api::AllOps::size;
  std::size_t index = 0;
  svc::api::AllOps::for_each([&]<class Op>() {
    if (index++ != chosen) return;
    read_and_write<typename Op::Request>(text);
    read_and_write<typename Op::Response>(text);
  });
  return 0;
}
