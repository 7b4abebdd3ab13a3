// The way to a server through sockets.
#pragma once

#include "cli/environment.h"

namespace svc::cli {

[[nodiscard]] Result<std::unique_ptr<api::Transport>, std::string> connect_by_socket(const Route& route);

}  // namespace svc::cli
