// Asking a proxy, over a connection to it, for a tunnel to somewhere else.
#pragma once

#include <string>

#include "api/channel.h"
#include "api/proxy.h"

namespace svc::api {

// The value of Proxy-Authorization; empty without credentials.
[[nodiscard]] std::string proxy_authorization(const Proxy& proxy);

// HTTP CONNECT or SOCKS5, as the proxy's kind says. Afterwards the channel leads to the destination.
// Errors name the proxy's reason, never its credentials.
[[nodiscard]] Result<void, ChannelError> open_tunnel(Channel& channel, const Proxy& proxy, const HostPort& destination,
                                                     Deadline deadline);

}  // namespace svc::api
