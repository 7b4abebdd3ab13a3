// A header field that means something only if it stands there once.
//
// Two values of a credential header are two statements of who is calling: such a request is refused, not
// resolved. (D-227)
#pragma once

#include <cstdint>
#include <string_view>

#include "api/http_message.h"

namespace svc::sim {

struct SingleHeader {
  enum class State : std::uint8_t { absent, present, unusable /* empty, or more than once */ };

  State state = State::absent;
  std::string_view value;  // if present; borrowed from the headers
};

[[nodiscard]] SingleHeader single_header(const api::Headers& headers, std::string_view name);

}  // namespace svc::sim
