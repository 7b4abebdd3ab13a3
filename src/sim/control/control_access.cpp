#include "sim/control/control_access.h"

#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace {

// The Host is a loopback name or absent.
bool names_this_machine(const api::Headers& headers) {
  if (!headers.contains("Host")) return true;
  const std::string host = host_name(headers);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const std::string_view name = host;
  const bool bracketed = name.starts_with('[') && name.ends_with(']');
  return is_loopback(bracketed ? name.substr(1, name.size() - 2) : name);
}

// "none": the user typed the address.
bool is_from_web_page(const api::Headers& headers) {
  const SingleHeader site = single_header(headers, "Sec-Fetch-Site");
  const bool sent_by_page = site.state != SingleHeader::State::absent && site.value != "none";
  return sent_by_page || headers.contains("Origin");
}

}  // namespace

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
  if (is_from_web_page(headers) || !is_loopback(peer_address) || !names_this_machine(headers)) return false;
  // Behind a proxy every peer is the proxy; the header names the caller. Without the header there is no proxy.
  if (client_ip_header.empty() || !headers.contains(client_ip_header)) return true;
  const auto client = client_address(headers, peer_address, client_ip_header);
  return client && is_loopback(*client);
}

}  // namespace svc::sim
