#include "sim/gateway/base_path.h"

namespace svc::sim {
namespace {

constexpr std::string_view versioned_base = "/v1";
constexpr std::string_view twin_base = "/api/v1";
constexpr std::string_view indexer_base = "/indexer";

}  // namespace

bool lies_under(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_discovery(std::string_view path) {
  return path == "/metadata" || path == "/openapi.json" || path == "/asyncapi.json" || path == "/llms.txt" ||
         lies_under(path, "/.well-known");
}

std::optional<std::string_view> logical_path(std::string_view path, const BaseRules& rules) {
  if (lies_under(path, versioned_base)) {
    const std::string_view rest = path.substr(versioned_base.size());
    if (lies_under(rest, twin_base) && !rules.doubled_base) return std::nullopt;
    return rest;
  }
  if (lies_under(path, twin_base)) return path;
  if (lies_under(path, indexer_base)) {
    if (!rules.indexer) return std::nullopt;
    return path.substr(indexer_base.size());
  }
  if (rules.bare_root || is_discovery(path)) return path;
  return std::nullopt;
}

}  // namespace svc::sim
