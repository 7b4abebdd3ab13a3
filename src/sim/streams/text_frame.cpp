#include "sim/streams/text_frame.h"

#include <cstdint>

namespace svc::sim {

// RFC 6455, section 5.2.
void append_text_frame(std::string& out, std::string_view payload) {
  constexpr char whole_text = '\x81';
  constexpr std::size_t short_max = 125;
  constexpr std::size_t medium_max = 0xffff;
  const std::size_t size = payload.size();
  const auto append_size = [&](int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      out += static_cast<char>(static_cast<std::uint8_t>(static_cast<std::uint64_t>(size) >> shift));
  };
  out += whole_text;
  if (size <= short_max) {
    append_size(1);
  } else if (size <= medium_max) {
    out += static_cast<char>(126);
    append_size(2);
  } else {
    out += static_cast<char>(127);
    append_size(8);
  }
  out.append(payload);
}

}  // namespace svc::sim
