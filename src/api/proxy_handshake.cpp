#include "api/proxy_handshake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "api/http_parser.h"
#include "api/tcp_channel.h"
#include "base/limits.h"

namespace svc::api {
namespace {

ChannelError refused(std::string reason) {
  return {ChannelError::Kind::other, std::move(reason)};
}

// Exactly so many bytes.
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
  if (const std::string authorization = proxy_authorization(proxy); !authorization.empty()) {
    request += "Proxy-Authorization: " + authorization + "\r\n";
  }
  request += "\r\n";
  auto written = channel.write(request, deadline);
  wipe(request.data(), request.size());
  if (!written) return written;

  ResponseParser parser({.start_line_bytes_max = limits::http_request_line_bytes_max,
                         .header_bytes_max = limits::http_response_header_bytes_max,
                         .header_fields_max = limits::http_response_header_fields_max,
                         .body_bytes_max = 0});
  parser.begin(ResponseParser::Body::none);
  // Byte by byte: what follows the head belongs to the destination.
  std::string input;
  while (parser.state() != ParserState::complete) {
    auto byte = SVC_TRY(read_exactly(channel, 1, deadline));
    input += byte;
    input.erase(0, parser.feed(input));
    if (parser.state() == ParserState::failed) return unexpected(refused("the proxy does not speak HTTP"));
  }
  const int status = parser.response().status;
  if (status / 100 == 2) return {};
  return unexpected(refused("the proxy refused CONNECT with status " + std::to_string(status)));
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
  if (auto written = channel.write(greeting, deadline); !written) return written;
  auto choice = SVC_TRY(read_exactly(channel, 2, deadline));
  if (choice[0] != version) return unexpected(refused("the proxy does not speak SOCKS5"));
  if (choice[1] == no_authentication) return {};
  if (choice[1] != by_password || proxy.user.empty()) {
    return unexpected(refused("the proxy accepts none of the ways to authenticate that were offered"));
  }
  std::string credentials{password_version, length_byte(proxy.user.size())};
  credentials += proxy.user;
  credentials += length_byte(proxy.password.reveal().size());
  credentials += proxy.password.reveal();
  auto written = channel.write(credentials, deadline);
  wipe(credentials.data(), credentials.size());
  if (!written) return written;
  auto verdict = SVC_TRY(read_exactly(channel, 2, deadline));
  if (verdict[1] != 0) return unexpected(refused("the proxy refused user and password"));
  return {};
}

void append_address(std::string& request, const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.storage, sizeof v4);
    request += ipv4;
    request.append(reinterpret_cast<const char*>(&v4.sin_addr), sizeof v4.sin_addr);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address.storage, sizeof v6);
    request += ipv6;
    request.append(reinterpret_cast<const char*>(&v6.sin6_addr), sizeof v6.sin6_addr);
  }
}

Result<std::string, ChannelError> destination_bytes(const Proxy& proxy, const HostPort& destination,
                                                    Deadline deadline) {
  std::string bytes;
  in_addr v4{};
  in6_addr v6{};
  const bool literal = ::inet_pton(AF_INET, destination.host.c_str(), &v4) == 1 ||
                       ::inet_pton(AF_INET6, destination.host.c_str(), &v6) == 1;
  if (proxy.kind == ProxyKind::socks5h && !literal) {
    if (destination.host.size() > domain_name_max) return unexpected(refused("the host name is too long for SOCKS5"));
    bytes += domain_name;
    bytes += length_byte(destination.host.size());
    bytes += destination.host;
  } else {
    auto addresses = SVC_TRY(resolve(destination, deadline));
    if (addresses.empty()) return unexpected(refused("the name has no address"));
    append_address(bytes, addresses.front());
  }
  bytes += length_byte(destination.port >> 8);
  bytes += length_byte(destination.port & 0xff);
  return bytes;
}

Result<void, ChannelError> tunnel(Channel& channel, const Proxy& proxy, const HostPort& destination,
                                  Deadline deadline) {
  auto place = SVC_TRY(destination_bytes(proxy, destination, deadline));
  if (auto done = authenticate(channel, proxy, deadline); !done) return done;
  if (auto written = channel.write(std::string{version, connect, 0} + place, deadline); !written) return written;
  auto head = SVC_TRY(read_exactly(channel, 4, deadline));
  if (head[0] != version) return unexpected(refused("the proxy does not speak SOCKS5"));
  if (const auto failure = static_cast<unsigned char>(head[1]); failure != 0) {
    return unexpected(refused("the proxy could not connect: " +
                              (failure < failures.size() ? std::string(failures[failure]) : "unknown reason")));
  }
  // The address it bound is of no use, but stands before the destination's bytes.
  std::size_t bound_size = 0;
  switch (head[3]) {
    case ipv4: bound_size = 4; break;
    case ipv6: bound_size = 16; break;
    case domain_name: {
      auto length = SVC_TRY(read_exactly(channel, 1, deadline));
      bound_size = static_cast<unsigned char>(length.front());
      break;
    }
    default: return unexpected(refused("the proxy does not speak SOCKS5"));
  }
  SVC_TRY(read_exactly(channel, bound_size + 2, deadline));
  return {};
}

}  // namespace socks
}  // namespace

std::string proxy_authorization(const Proxy& proxy) {
  if (proxy.user.empty()) return {};
  std::string plain = proxy.user + ":" + std::string(proxy.password.reveal());
  std::string encoded(4 * ((plain.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
  wipe(plain.data(), plain.size());
  encoded.resize(static_cast<std::size_t>(length));
  return "Basic " + encoded;
}

Result<void, ChannelError> open_tunnel(Channel& channel, const Proxy& proxy, const HostPort& destination,
                                       Deadline deadline) {
  if (proxy.kind == ProxyKind::http) return http_connect(channel, proxy, destination, deadline);
  return socks::tunnel(channel, proxy, destination, deadline);
}

}  // namespace svc::api
