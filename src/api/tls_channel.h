// TLS 1.2 or later over TCP, with the peer's certificate and name verified.
#pragma once

#include <memory>
#include <string>

#include "api/channel.h"
#include "api/tcp_channel.h"

namespace svc::api {

// Whom to trust. Made on the first https address and kept: making one costs more than a request.
class TlsContext {
 public:
  // A directory with names hashed by OpenSSL (read one certificate at a time, when needed), or a PEM file.
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>, std::string> create(
      const std::string& certificate_authorities);
  struct Native;
  explicit TlsContext(std::unique_ptr<Native> native);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  [[nodiscard]] Native& native() { return *native_; }

 private:
  std::unique_ptr<Native> native_;
};

// Shakes hands over the connection. `name` is a host name, sent as SNI, or an IP address.
[[nodiscard]] Result<std::unique_ptr<Channel>, ChannelError> secure(std::unique_ptr<TcpChannel> tcp,
                                                                    TlsContext& context, const std::string& name,
                                                                    Deadline deadline);

}  // namespace svc::api
