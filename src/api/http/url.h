// Base URLs: http://host[:port][/prefix], likewise https; for streams ws and wss.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::api {

enum class Scheme : std::uint8_t { http, https, ws, wss };

[[nodiscard]] std::string_view to_string(Scheme scheme);
[[nodiscard]] std::uint16_t default_port(Scheme scheme);
[[nodiscard]] constexpr bool is_tls(Scheme scheme) {
  return scheme == Scheme::https || scheme == Scheme::wss;
}

struct Url {
  Scheme scheme = Scheme::http;
  std::string host;         // lower case, no brackets: "localhost", "::1"
  std::uint16_t port = 80;  // the scheme's default if the text has none
  std::string prefix;       // "" or "/v1": begins with a slash, ends without one

  bool operator==(const Url&) const = default;
};

// An absolute URL. Refuses user information (credentials do not belong in URLs), query, fragment, blanks and
// control characters, and schemes other than the four. The error is one line that does not repeat the text.
[[nodiscard]] Result<Url, std::string> parse_url(std::string_view text);

// Canonical text: default port left out, IPv6 in brackets. parse_url(to_string(u)) == u.
[[nodiscard]] std::string to_string(const Url& url);

// "host", "host:port", "[::1]:9090": port only where it is not the scheme's own. The Host field.
[[nodiscard]] std::string authority(const Url& url);

struct HostPort {
  std::string host;  // as in Url
  std::uint16_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// "host", "host:port", "[v6]", "[v6]:port".
[[nodiscard]] Result<HostPort, std::string> parse_host_port(std::string_view text, std::uint16_t port_if_absent);
// Always with the port: "host:80", "[::1]:80".
[[nodiscard]] std::string to_string(const HostPort& place);

// An IP address as 4 or 16 bytes; empty if the text is none, such as a name.
[[nodiscard]] std::string address_bytes(const std::string& text);

// localhost, *.localhost, 127.0.0.0/8 and ::1 in any spelling: never leaves the machine.
[[nodiscard]] bool is_loopback(std::string_view host);

// 0.0.0.0, ::ffff:0.0.0.0 or ::, however the zeros are written: whoever listens there listens on all addresses of the
// machine, with the first two on those of IPv4.
[[nodiscard]] bool is_any_address(std::string_view host);

}  // namespace svc::api
