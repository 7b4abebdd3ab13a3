#include "api/http/dialler.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/http/http_parser.h"
#include "base/encoding.h"
#include "base/find.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc::api {
namespace {

struct KindFacts {
  std::string_view scheme;
  ProxyKind kind;
  std::uint16_t port;
};

constexpr KindFacts kinds[] = {
    {"http", ProxyKind::http, 80},
    {"socks5", ProxyKind::socks5, 1080},
    {"socks5h", ProxyKind::socks5h, 1080},
};

// The address within the brackets of a URL.
std::string bare_address(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return address_bytes(std::string(text));
}

bool in_network(std::string_view host, std::string_view network, std::string_view prefix_text) {
  const std::string address = bare_address(host);
  const std::string base = bare_address(network);
  if (address.empty() || address.size() != base.size()) return false;
  const auto bits = parse_integer<unsigned>(prefix_text);
  if (!bits || *bits > address.size() * 8) return false;
  for (unsigned bit = 0; bit < *bits; ++bit) {
    const unsigned mask = 0x80u >> bit % 8;
    if ((static_cast<unsigned char>(address[bit / 8]) & mask) != (static_cast<unsigned char>(base[bit / 8]) & mask))
      return false;
  }
  return true;
}

bool entry_names(std::string_view entry, const Url& url) {
  if (entry == "*") return true;
  if (const std::size_t slash = entry.find('/'); slash != std::string_view::npos) {
    return in_network(url.host, entry.substr(0, slash), entry.substr(slash + 1));
  }
  if (const std::string bytes = bare_address(entry); !bytes.empty()) return bytes == bare_address(url.host);
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  const bool domain_only = entry.starts_with('.');
  const auto place = parse_host_port(domain_only ? entry.substr(1) : entry, url.port);
  if (!place || place->port != url.port) return false;
  return url.host == place->host || url.host.ends_with("." + place->host);
}

Unexpected<ChannelError> refused(std::string reason) {
  return {{ChannelError::Kind::other, std::move(reason)}};
}

Result<std::string, ChannelError> read_exactly(Channel& channel, std::size_t count, Deadline deadline) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    auto got = SVC_TRY(channel.read_some(std::span(bytes).subspan(have), deadline));
    if (got == 0) return unexpected(ChannelError{ChannelError::Kind::ended, "the proxy closed the connection"});
    have += got;
  }
  return bytes;
}

Result<void, ChannelError> http_connect(Channel& channel, const Proxy& proxy, const HostPort& destination,
                                        Deadline deadline) {
  const std::string place = to_string(destination);
  std::string request = "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n";
  request += authorization_line(proxy) + "\r\n";
  auto written = channel.write(request, deadline);
  wipe(request.data(), request.size());
  if (!written) return written;

  ResponseParser parser({});
  parser.begin(ResponseParser::Body::none);
  // Byte by byte: what follows the head belongs to the destination.
  std::string input;
  while (parser.state() != ParserState::complete) {
    auto byte = SVC_TRY(read_exactly(channel, 1, deadline));
    input += byte;
    input.erase(0, parser.feed(input));
    if (parser.state() == ParserState::failed) return refused("the proxy does not speak HTTP");
  }
  const int status = parser.response().status;
  if (status / 100 == 2) return {};
  return refused("the proxy refused CONNECT with status " + std::to_string(status));
}

// RFC 1928 and 1929.
namespace socks {

constexpr char version = 5;
constexpr char no_authentication = 0;
constexpr char by_password = 2;
constexpr char password_version = 1;
constexpr char connect = 1;
constexpr char ipv4 = 1;
constexpr char domain_name = 3;
constexpr char ipv6 = 4;
constexpr std::size_t domain_name_max = 255;

constexpr std::array<std::string_view, 9> failures = {"",
                                                      "general failure",
                                                      "not allowed by its rules",
                                                      "network unreachable",
                                                      "host unreachable",
                                                      "connection refused",
                                                      "time to live expired",
                                                      "command not supported",
                                                      "address type not supported"};

char length_byte(std::size_t length) {
  return static_cast<char>(static_cast<unsigned char>(length));
}

Result<void, ChannelError> authenticate(Channel& channel, const Proxy& proxy, Deadline deadline) {
  std::string greeting{version, 1, proxy.user.empty() ? no_authentication : by_password};
  if (!proxy.user.empty()) greeting = {version, 2, no_authentication, by_password};
  SVC_TRY(channel.write(greeting, deadline));
  auto choice = SVC_TRY(read_exactly(channel, 2, deadline));
  if (choice[0] != version) return refused("the proxy does not speak SOCKS5");
  if (choice[1] == no_authentication) return {};
  if (choice[1] != by_password || proxy.user.empty()) {
    return refused("the proxy accepts none of the ways to authenticate that were offered");
  }
  std::string credentials{password_version, length_byte(proxy.user.size())};
  credentials += proxy.user;
  credentials += length_byte(proxy.password.reveal().size());
  credentials += proxy.password.reveal();
  auto written = channel.write(credentials, deadline);
  wipe(credentials.data(), credentials.size());
  if (!written) return written;
  auto verdict = SVC_TRY(read_exactly(channel, 2, deadline));
  if (verdict[1] != 0) return refused("the proxy refused user and password");
  return {};
}

void append_address(std::string& request, const SocketAddress& address) {
  const auto* const bytes = reinterpret_cast<const char*>(&address.storage);
  if (address.storage.ss_family == AF_INET)
    request.append(1, ipv4).append(bytes + offsetof(sockaddr_in, sin_addr), sizeof(in_addr));
  else
    request.append(1, ipv6).append(bytes + offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr));
}

Result<std::string, ChannelError> destination_bytes(const Proxy& proxy, const HostPort& destination,
                                                    Deadline deadline) {
  std::string bytes;
  if (proxy.kind == ProxyKind::socks5h && address_bytes(destination.host).empty()) {
    if (destination.host.size() > domain_name_max) return refused("the host name is too long for SOCKS5");
    bytes += domain_name;
    bytes += length_byte(destination.host.size());
    bytes += destination.host;
  } else {
    auto addresses = SVC_TRY(resolve(destination, deadline));
    if (addresses.empty()) return refused("the name has no address");
    append_address(bytes, addresses.front());
  }
  bytes += length_byte(destination.port >> 8);
  bytes += length_byte(destination.port & 0xff);
  return bytes;
}

Result<void, ChannelError> tunnel(Channel& channel, const Proxy& proxy, const HostPort& destination,
                                  Deadline deadline) {
  auto place = SVC_TRY(destination_bytes(proxy, destination, deadline));
  SVC_TRY(authenticate(channel, proxy, deadline));
  SVC_TRY(channel.write(std::string{version, connect, 0} + place, deadline));
  auto head = SVC_TRY(read_exactly(channel, 4, deadline));
  if (head[0] != version) return refused("the proxy does not speak SOCKS5");
  if (const auto failure = static_cast<unsigned char>(head[1]); failure != 0) {
    return refused("the proxy could not connect: " +
                   (failure < failures.size() ? std::string(failures[failure]) : "unknown reason"));
  }
  // The bound address is useless, but precedes the destination's bytes.
  std::size_t bound_size = 0;
  switch (head[3]) {
    case ipv4: bound_size = 4; break;
    case ipv6: bound_size = 16; break;
    case domain_name: {
      auto length = SVC_TRY(read_exactly(channel, 1, deadline));
      bound_size = static_cast<unsigned char>(length.front());
      break;
    }
    default: return refused("the proxy does not speak SOCKS5");
  }
  SVC_TRY(read_exactly(channel, bound_size + 2, deadline));
  return {};
}

}  // namespace socks

}  // namespace

Result<Proxy, std::string> parse_proxy(std::string_view text) {
  if (text.size() > limits::url_bytes_max) return unexpected("the proxy address is too long");
  const std::size_t colon = text.find("://");
  const std::string_view scheme = colon == std::string_view::npos ? "http" : text.substr(0, colon);
  const KindFacts* const kind = found_in(kinds, scheme, &KindFacts::scheme);
  if (kind == nullptr) {
    return unexpected("the proxy address does not begin with http://, socks5:// or socks5h://");
  }
  std::string_view rest = colon == std::string_view::npos ? text : text.substr(colon + 3);
  while (rest.ends_with('/')) rest.remove_suffix(1);

  Proxy proxy;
  proxy.kind = kind->kind;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    std::string_view credentials = rest.substr(0, at);
    const auto user = percent_decode_bytes(take_line(credentials, ':'), Plus::is_itself);
    auto password = percent_decode_bytes(credentials, Plus::is_itself);
    constexpr std::size_t credential_max = 255;  // RFC 1929
    if (!user || !password || user->empty() || user->size() > credential_max || password->size() > credential_max) {
      return unexpected("user and password of the proxy are not percent-encoded text of 1 to 255 bytes");
    }
    proxy.user = *user;
    proxy.password = Secret(std::move(*password));
    rest = rest.substr(at + 1);
  }
  auto place = parse_host_port(rest, kind->port);
  if (!place) return unexpected("the proxy address: " + place.error());
  proxy.host = std::move(place->host);
  proxy.port = place->port;
  return proxy;
}

bool bypasses_proxy(const Url& url, std::string_view no_proxy) {
  while (!no_proxy.empty()) {
    const std::size_t end = std::min(no_proxy.find_first_of(", \t"), no_proxy.size());
    const std::string_view entry = no_proxy.substr(0, end);
    if (!entry.empty() && entry_names(entry, url)) return true;
    no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
  }
  return false;
}

Result<std::optional<Proxy>, std::string> choose_proxy(const Url& url, const std::optional<std::string>& flag,
                                                       const ProxyEnvironment& environment) {
  std::string_view chosen;
  if (flag) {
    chosen = *flag == "none" ? std::string_view{} : *flag;
  } else if (!is_loopback(url.host) && !bypasses_proxy(url, environment.no_proxy)) {
    chosen = is_tls(url.scheme) ? environment.https_proxy : environment.http_proxy;
    if (chosen.empty()) chosen = environment.all_proxy;
  }
  if (chosen.empty()) return std::optional<Proxy>{};
  auto proxy = SVC_TRY(parse_proxy(chosen));
  // What goes to this machine may be in clear, and must not leave it.
  if (is_loopback(url.host) && !is_loopback(proxy.host)) return std::optional<Proxy>{};
  return std::optional<Proxy>(std::move(proxy));
}

std::string authorization_line(const Proxy& proxy) {
  if (proxy.user.empty()) return {};
  std::string plain = proxy.user + ":" + std::string(proxy.password.reveal());
  std::string line = "Proxy-Authorization: Basic " + to_base64(plain) + "\r\n";
  wipe(plain.data(), plain.size());
  return line;
}

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
    const auto open_tunnel = options_.proxy->kind == ProxyKind::http ? &http_connect : &socks::tunnel;
    const auto tunnel = open_tunnel(**tcp, *options_.proxy, destination, deadline);
    if (!tunnel) return unexpected(first_step + tunnel.error().reason);
  }
  if (!is_tls(origin.scheme)) return std::unique_ptr<Channel>(std::move(*tcp));
  if (!tls_) tls_ = SVC_TRY(make_tls_context(options_.certificate_authorities));
  const auto name = parse_host_port(host_field_, origin.port);
  if (!name) return unexpected("host " + host_field_ + ": " + name.error());
  auto channel = secure(std::move(*tcp), *tls_, name->host, deadline);
  if (!channel) return unexpected("TLS with " + name->host + ": " + channel.error().reason);
  return std::move(*channel);
}

}  // namespace svc::api
