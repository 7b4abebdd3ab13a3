#include "api/http/dialler.h"

#include <utility>

namespace svc::api {

Dialler::Dialler(DialOptions options, ProxyUse use)
    : options_(std::move(options)),
      use_(use),
      host_field_(options_.host_header.empty() ? authority(options_.origin) : options_.host_header) {}

bool Dialler::forwards() const {
  return use_ == ProxyUse::forward && options_.proxy && options_.proxy->kind == ProxyKind::http &&
         !is_tls(options_.origin.scheme);
}

Result<std::unique_ptr<Channel>, std::string> Dialler::dial(Deadline deadline) {
  const Url& origin = options_.origin;
  const HostPort destination{origin.host, origin.port};
  const HostPort first_hop = options_.proxy ? HostPort{options_.proxy->host, options_.proxy->port} : destination;
  auto tcp = TcpChannel::connect(first_hop, deadline);
  const std::string first_step = (options_.proxy ? "proxy " : "connect ") + to_string(first_hop) + ": ";
  if (!tcp) return unexpected(first_step + tcp.error().reason);
  ++connections_opened_;
  if (options_.proxy && !forwards()) {
    if (auto tunnel = open_tunnel(**tcp, *options_.proxy, destination, deadline); !tunnel) {
      return unexpected(first_step + tunnel.error().reason);
    }
  }
  if (!is_tls(origin.scheme)) return std::unique_ptr<Channel>(std::move(*tcp));
  if (!tls_) {
    auto context = SVC_TRY(make_tls_context(options_.certificate_authorities));
    tls_ = std::move(context);
  }
  const auto name = parse_host_port(host_field_, origin.port);
  if (!name) return unexpected("host " + host_field_ + ": " + name.error());
  auto channel = secure(std::move(*tcp), *tls_, name->host, deadline);
  if (!channel) return unexpected("TLS with " + name->host + ": " + channel.error().reason);
  return std::move(*channel);
}

}  // namespace svc::api
