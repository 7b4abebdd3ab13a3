#include "cli/machine/paths.h"

namespace svc::cli {
namespace {

using std::filesystem::path;

std::optional<path> absolute_variable(const Environment& environment, std::string_view name) {
  const auto text = environment.variable(name);
  if (!text || !path(*text).is_absolute()) return std::nullopt;
  return path(*text);
}

}  // namespace

std::filesystem::path Paths::session(std::string_view network) const {
  return state / "sessions" / (std::string(network) + ".json");
}

std::filesystem::path Paths::guard_ledger(std::string_view network) const {
  return state / "guards" / (std::string(network) + ".json");
}

std::filesystem::path Paths::addresses(std::string_view network) const {
  return data / "addresses" / (std::string(network) + ".json");
}

Result<Paths, Failure> find_paths(const Environment& environment) {
  const auto home = absolute_variable(environment, "HOME");
  const auto folder = [&](std::string_view variable, std::string_view below_home) -> path {
    if (const auto named = absolute_variable(environment, variable)) return *named / "svc";
    return home ? *home / below_home / "svc" : path();
  };
  Paths paths{.config = folder("XDG_CONFIG_HOME", ".config"),
              .data = folder("XDG_DATA_HOME", ".local/share"),
              .state = folder("XDG_STATE_HOME", ".local/state"),
              .cache = folder("XDG_CACHE_HOME", ".cache"),
              .runtime = {},
              .named_config = {}};
  if (paths.config.empty() || paths.data.empty() || paths.state.empty() || paths.cache.empty()) {
    return unexpected(usage_error("HOME is not set, so there is no place for files; set HOME or the XDG variables"));
  }
  const auto runtime = absolute_variable(environment, "XDG_RUNTIME_DIR");
  paths.runtime = runtime ? *runtime / "svc" : paths.state / "run";
  return paths;
}

}  // namespace svc::cli
