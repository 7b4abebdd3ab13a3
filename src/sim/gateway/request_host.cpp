#include "sim/gateway/request_host.h"

#include <string_view>

#include "api/network.h"
#include "sim/gateway/single_header.h"

namespace svc::sim {
namespace {

// Host names and addresses with an optional port; nothing that could break out of a URL.
bool is_authority(std::string_view text) {
  if (text.empty() || text.size() > 255) return false;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.' && c != '-' && c != ':' && c != '[' && c != ']' && c != '_') return false;
  }
  return true;
}

}  // namespace

std::string host_name(const api::Headers& headers) {
  const SingleHeader field = single_header(headers, "Host");
  if (field.state != SingleHeader::State::present) return {};
  std::string_view host = field.value;
  if (const auto bracket = host.find(']'); bracket != std::string_view::npos) {
    host = host.substr(0, bracket + 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string lower(host);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string request_authority(const api::Headers& headers) {
  const SingleHeader host = single_header(headers, "Host");
  return std::string(is_authority(host.value) ? host.value : api::local_authority);
}

std::string public_url(const std::string& path_or_url, const api::Headers& headers) {
  if (!path_or_url.starts_with('/')) return path_or_url;
  return "http://" + request_authority(headers) + path_or_url;
}

}  // namespace svc::sim
