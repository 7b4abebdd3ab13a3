// Connecting to an origin within one deadline: name resolution, TCP, a proxy, TLS. Shared by HTTP and WebSocket
// connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/channel.h"
#include "api/http/url.h"
#include "base/result.h"
#include "base/secret.h"

namespace svc::api {

// How a proxy is reached. Which one an address needs is computed from the values of flag and environment, which the
// caller reads.
enum class ProxyKind : std::uint8_t {
  http,     // CONNECT for https; absolute-form requests for http
  socks5,   // RFC 1928, names resolved here
  socks5h,  // RFC 1928, names resolved by the proxy
};

struct Proxy {
  ProxyKind kind = ProxyKind::http;
  std::string host;
  std::uint16_t port = 0;
  std::string user;  // empty: no authentication
  Secret password;
};

// The values of the variables; empty if not set. Of pairs such as https_proxy and HTTPS_PROXY the caller reads the
// lower-case one first. HTTP_PROXY in upper case must not be read: a CGI program receives it from its client.
// (D-157)
struct ProxyEnvironment {
  std::string http_proxy;
  std::string https_proxy;
  std::string all_proxy;
  std::string no_proxy;  // comma or blank separated: "*", host, .suffix, host:port, IP address, CIDR
};

// [scheme://][user:password@]host[:port]; scheme http (default), socks5 or socks5h; user and password
// percent-decoded; default port 80 for http, 1080 for SOCKS. Errors do not repeat the text.
[[nodiscard]] Result<Proxy, std::string> parse_proxy(std::string_view text);

// True if `no_proxy` names the host of the address.
[[nodiscard]] bool bypasses_proxy(const Url& url, std::string_view no_proxy);

// The flag wins; the flag "none" or "" means a direct connection. Without a flag the environment decides: the
// variable for the scheme of the address, then all_proxy. Loopback addresses are reached directly, unless the flag
// names a proxy on this machine. (D-158)
[[nodiscard]] Result<std::optional<Proxy>, std::string> choose_proxy(const Url& url,
                                                                     const std::optional<std::string>& flag,
                                                                     const ProxyEnvironment& environment);

// The header field with the credentials, as a line; empty without credentials.
[[nodiscard]] std::string authorization_line(const Proxy& proxy);

struct DialOptions {
  Url origin = {};               // its prefix is not used
  std::string host_header = {};  // Host field and TLS name if other than the origin's: "testnet.localhost"
  std::optional<Proxy> proxy = std::nullopt;
  std::string certificate_authorities = "/etc/ssl/certs";  // hashed directory, or a PEM file
};

// How an HTTP proxy is used for an origin without TLS. Origins with TLS always use a tunnel.
enum class ProxyUse : std::uint8_t { forward, tunnel };

class Dialler {
 public:
  Dialler(DialOptions options, ProxyUse use);
  Dialler(const Dialler&) = delete;
  Dialler& operator=(const Dialler&) = delete;

  // The channel must not outlive this. The TLS library is not used before a TLS origin is dialled.
  [[nodiscard]] Result<std::unique_ptr<Channel>, std::string> dial(Deadline deadline);

  // Requests must contain the full URL, and the proxy's credentials.
  [[nodiscard]] bool forwards() const;
  [[nodiscard]] const DialOptions& options() const { return options_; }
  // The value of the Host field.
  [[nodiscard]] const std::string& host_field() const { return host_field_; }
  [[nodiscard]] std::size_t connections_opened() const { return connections_opened_; }

 private:
  DialOptions options_;
  ProxyUse use_;
  std::string host_field_;
  std::shared_ptr<TlsContext> tls_;
  std::size_t connections_opened_ = 0;
};

}  // namespace svc::api
