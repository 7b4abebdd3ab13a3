#include "api/http/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/encoding.h"
#include "base/find.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc::api {
namespace {

struct SchemeFacts {
  Scheme scheme;
  std::string_view name;
  std::uint16_t port;
};

constexpr SchemeFacts schemes[] = {
    {Scheme::http, "http", 80},
    {Scheme::https, "https", 443},
    {Scheme::ws, "ws", 80},
    {Scheme::wss, "wss", 443},
};

const SchemeFacts& facts(Scheme scheme) {
  return schemes[static_cast<std::size_t>(scheme)];
}

bool is_host_name(std::string_view text) {
  constexpr std::size_t host_name_max = 253;  // RFC 1035
  return !text.empty() && text.size() <= host_name_max && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
         });
}

}  // namespace

std::string_view to_string(Scheme scheme) {
  return facts(scheme).name;
}
std::uint16_t default_port(Scheme scheme) {
  return facts(scheme).port;
}

Result<HostPort, std::string> parse_host_port(std::string_view text, std::uint16_t port_if_absent) {
  HostPort out;
  out.port = port_if_absent;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return unexpected("'[' without ']' in the host");
    out.host = lower_case(text.substr(1, close - 1));
    if (address_bytes(out.host).size() != sizeof(in6_addr))
      return unexpected("the brackets do not hold an IPv6 address");
    rest = text.substr(close + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    out.host = lower_case(text.substr(0, end));
    if (out.host.size() > 1 && out.host.ends_with('.')) out.host.pop_back();  // the same host, as an absolute name
    if (!is_host_name(out.host)) return unexpected("no valid host name");
    rest = text.substr(end);
  }
  if (rest.empty()) return out;
  out.port = parse_integer<std::uint16_t>(rest.substr(1)).value_or(0);
  if (rest.front() == ':' && out.port != 0) return out;
  return unexpected("the port is not a number from 1 to 65535");
}

Result<Url, std::string> parse_url(std::string_view text) {
  if (text.size() > limits::url_bytes_max) return unexpected("the address is too long");
  if (!std::ranges::all_of(text, is_printable)) {
    return unexpected("the address holds a blank, a control character or a letter beyond ASCII");
  }
  const std::size_t colon = text.find("://");
  const std::string scheme_name = lower_case(text.substr(0, colon == std::string_view::npos ? 0 : colon));
  const SchemeFacts* const scheme = found_in(schemes, scheme_name, &SchemeFacts::name);
  if (scheme == nullptr) return unexpected("the address does not begin with http://, https://, ws:// or wss://");

  const std::string_view rest = text.substr(colon + 3);
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return unexpected("a base address has no query and no fragment");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view place = rest.substr(0, slash);
  if (place.find('@') != std::string_view::npos) {
    return unexpected("credentials do not belong into an address");
  }
  auto host_port = SVC_TRY(parse_host_port(place, scheme->port));

  std::string_view prefix = rest.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return Url{scheme->scheme, std::move(host_port.host), host_port.port, std::string(prefix)};
}

std::string to_string(const HostPort& place) {
  const bool brackets = place.host.find(':') != std::string::npos;
  return (brackets ? "[" + place.host + "]" : place.host) + ":" + std::to_string(place.port);
}

std::string authority(const Url& url) {
  std::string text = to_string(HostPort{url.host, url.port});
  if (url.port == default_port(url.scheme)) text.erase(text.rfind(':'));
  return text;
}

std::string to_string(const Url& url) {
  return std::string(to_string(url.scheme)) + "://" + authority(url) + url.prefix;
}

std::string address_bytes(const std::string& text) {
  std::array<char, sizeof(in6_addr)> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), sizeof(in_addr)};
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), bytes.size()};
  return {};
}

bool is_loopback(std::string_view host) {
  using namespace std::string_view_literals;
  constexpr auto one = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"sv;        // ::1
  constexpr auto version_4 = "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f"sv;  // ::ffff:127.0.0.0/104
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const std::string bytes = address_bytes(std::string(host));
  return bytes == one || bytes.starts_with(version_4) || (bytes.size() == sizeof(in_addr) && bytes.front() == 127);
}

bool is_any_address(std::string_view host) {
  const std::string bytes = address_bytes(std::string(host));
  return !bytes.empty() &&
         (bytes.find_first_not_of('\0') == std::string::npos || bytes == address_bytes("::ffff:0.0.0.0"));
}

}  // namespace svc::api
