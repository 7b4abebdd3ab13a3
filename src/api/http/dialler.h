// Connecting to an origin within one deadline: name resolution, TCP, a proxy, TLS. Shared by HTTP and WebSocket
// connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/http/channel.h"
#include "api/http/proxy.h"
#include "api/http/url.h"
#include "base/result.h"

namespace svc::api {

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
