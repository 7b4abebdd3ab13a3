#include "api/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/limits.h"

namespace svc::api {
namespace {

struct KindFacts {
  std::string_view scheme;
  ProxyKind kind;
  std::uint16_t port;
};

constexpr std::array<KindFacts, 3> kinds = {{
    {"http", ProxyKind::http, 80},
    {"socks5", ProxyKind::socks5, 1080},
    {"socks5h", ProxyKind::socks5h, 1080},
}};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// An IP address as bytes: 4, 16, or none if the text is a name.
std::string address_bytes(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const std::string copy(text);
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (::inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

bool in_network(std::string_view host, std::string_view network, std::string_view prefix_text) {
  const std::string address = address_bytes(host);
  const std::string base = address_bytes(network);
  if (address.empty() || address.size() != base.size()) return false;
  unsigned bits = 0;
  const char* const last = prefix_text.data() + prefix_text.size();
  const auto [end, error] = std::from_chars(prefix_text.data(), last, bits);
  if (error != std::errc{} || end != last || bits > address.size() * 8) return false;
  for (unsigned bit = 0; bit < bits; ++bit) {
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
  if (const std::string bytes = address_bytes(entry); !bytes.empty()) return bytes == address_bytes(url.host);
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  const bool domain_only = entry.starts_with('.');
  const auto place = parse_host_port(domain_only ? entry.substr(1) : entry, url.port);
  if (!place || place->port != url.port) return false;
  return url.host == place->host || url.host.ends_with("." + place->host);
}

}  // namespace

Result<Proxy, std::string> parse_proxy(std::string_view text) {
  if (text.size() > limits::url_bytes_max) return unexpected(std::string("the proxy address is too long"));
  const std::size_t colon = text.find("://");
  const std::string_view scheme = colon == std::string_view::npos ? "http" : text.substr(0, colon);
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const KindFacts& k) { return k.scheme == scheme; });
  if (kind == kinds.end()) {
    return unexpected(std::string("the proxy address does not begin with http://, socks5:// or socks5h://"));
  }
  std::string_view rest = colon == std::string_view::npos ? text : text.substr(colon + 3);
  while (rest.ends_with('/')) rest.remove_suffix(1);

  Proxy proxy;
  proxy.kind = kind->kind;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view credentials = rest.substr(0, at);
    const std::size_t end_of_user = std::min(credentials.find(':'), credentials.size());
    const auto user = percent_decoded(credentials.substr(0, end_of_user));
    auto password = percent_decoded(end_of_user < credentials.size() ? credentials.substr(end_of_user + 1) : "");
    constexpr std::size_t credential_max = 255;  // RFC 1929
    if (!user || !password || user->empty() || user->size() > credential_max || password->size() > credential_max) {
      return unexpected(std::string("user and password of the proxy are not percent-encoded text of 1 to 255 bytes"));
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
  return std::optional<Proxy>(std::move(proxy));
}

}  // namespace svc::api
