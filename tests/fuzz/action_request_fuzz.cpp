// Any request is either refused or becomes an action: the first line is method, path and query
// separated by blanks, the rest the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/operation_list.h"
#include "base/assert.h"

namespace {

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return head;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view body(reinterpret_cast<const char*>(data), size);
  std::string_view line = take_until(body, '\n');
  const std::string_view method = take_until(line, ' ');
  const std::string_view path = take_until(line, ' ');
  const svc::signing::RequestParts request{method, path, line, body};
  const auto action = svc::api::action_at(request, {});
  SVC_ASSERT(action || !action.error().empty());
  if (action)
    SVC_ASSERT(svc::signing::struct_hash(*action) == svc::signing::struct_hash(*svc::api::action_at(request, {})));
  return 0;
}
