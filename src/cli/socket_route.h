// The way to a server through sockets.
#pragma once

#include "api/proxy.h"
#include "cli/environment.h"

namespace svc::cli {

[[nodiscard]] Result<std::unique_ptr<api::Transport>, std::string> connect_by_socket(
    const Route& route, const api::ProxyEnvironment& proxies);

[[nodiscard]] Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_link_by_socket(
    const Route& route, const std::string& target, const api::ProxyEnvironment& proxies);

// What the variables say about proxies; see api/proxy.h for which are read.
[[nodiscard]] api::ProxyEnvironment proxies_of(const Environment& environment);

}  // namespace svc::cli
