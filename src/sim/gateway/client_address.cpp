#include "sim/gateway/client_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>

#include "sim/gateway/single_header.h"

namespace svc::sim {

std::optional<std::string> normal_address(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> spelling{};
  const std::string input(text);
  in_addr v4{};
  if (inet_pton(AF_INET, input.c_str(), &v4) == 1) return input;
  in6_addr v6{};
  if (inet_pton(AF_INET6, input.c_str(), &v6) != 1) return std::nullopt;
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6);
  const void* bytes = mapped ? static_cast<const void*>(&v6.s6_addr[12]) : static_cast<const void*>(&v6);
  if (inet_ntop(mapped ? AF_INET : AF_INET6, bytes, spelling.data(), spelling.size()) == nullptr) return std::nullopt;
  return std::string(spelling.data());
}

std::optional<std::string> client_address(const api::Headers& headers, std::string_view peer_address,
                                          std::string_view header_name) {
  if (header_name.empty()) return normal_address(peer_address);
  const SingleHeader header = single_header(headers, header_name);
  if (header.state != SingleHeader::State::present) return std::nullopt;
  return normal_address(header.value);
}

}  // namespace svc::sim
