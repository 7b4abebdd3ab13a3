// Where a request says it is going: its Host field.
#pragma once

#include <string>

#include "api/http_message.h"

namespace svc::sim {

// The name alone, lower case, without port or trailing dot; "[::1]" keeps its brackets. Empty if the field
// is absent or stands there twice.
[[nodiscard]] std::string host_name(const api::Headers& headers);

// Name and port as sent, for URLs that lead the caller back here: a client behind a tunnel or a name of its
// own is told that name. The default local authority if the field says nothing that fits into a URL.
[[nodiscard]] std::string request_authority(const api::Headers& headers);

// A path of this server as the whole URL under which the caller reaches it; a URL stays as it is.
[[nodiscard]] std::string public_url(const std::string& path_or_url, const api::Headers& headers);

}  // namespace svc::sim
