#include "sim/control/control_access.h"

#include "sim/gateway/client_address.h"

namespace svc::sim {

bool is_loopback(std::string_view address) {
  const auto normal = normal_address(address);
  return normal && (*normal == "::1" || normal->starts_with("127."));
}

bool ControlAccess::admits(const api::Headers& headers, std::string_view peer_address) const {
  if (!token.empty()) {
    constexpr std::string_view scheme = "Bearer ";
    const auto authorization = headers.find("Authorization");
    if (authorization && authorization->starts_with(scheme) &&
        equal_constant_time(authorization->substr(scheme.size()), token.reveal()))
      return true;
  }
  if (headers.contains("Origin") || !is_loopback(peer_address)) return false;
  // Behind a proxy every peer is the proxy: the caller is whom the header names. No header, no proxy.
  if (client_ip_header.empty() || !headers.contains(client_ip_header)) return true;
  const auto client = client_address(headers, peer_address, client_ip_header);
  return client && is_loopback(*client);
}

}  // namespace svc::sim
