// Where a request comes from, as the address pools see it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/http_message.h"

namespace svc::sim {

// One spelling per address: IPv4 in dotted form (also when mapped into IPv6), IPv6 as inet_ntop writes
// it. nullopt if the text is no address.
[[nodiscard]] std::optional<std::string> normal_address(std::string_view text);

// The peer's address, or, if `header_name` is given, the single address that header holds; nullopt
// (unresolved) if it is absent, sent twice or malformed.
[[nodiscard]] std::optional<std::string> client_address(const api::Headers& headers, std::string_view peer_address,
                                                        std::string_view header_name);

}  // namespace svc::sim
