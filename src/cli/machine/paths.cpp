#include "cli/machine/paths.h"

#include "cli/machine/private_file.h"

namespace svc::cli {
namespace {

using std::filesystem::path;

constexpr std::string_view document_suffix = ".json";

std::optional<path> absolute_variable(const Environment& environment, std::string_view name) {
  const auto text = environment.variable(name);
  if (!text || !path(*text).is_absolute()) return std::nullopt;
  return path(*text);
}

}  // namespace

path document_in(const path& folder, std::string_view name) {
  return folder / concat(name, document_suffix);
}

Result<std::vector<std::string>> list_documents(const path& folder) {
  std::vector<std::string> names = SVC_TRY(names_in(folder));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(document_suffix); });
  for (std::string& name : names) name.resize(name.size() - document_suffix.size());
  return names;
}

Result<Paths> find_paths(const Environment& environment, const std::optional<std::string>& named_config) {
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
              .named_config = named_config ? *named_config : environment.variable("SVC_CONFIG").value_or("")};
  if (paths.config.empty() || paths.data.empty() || paths.state.empty() || paths.cache.empty()) {
    return usage_error("HOME is not set, so there is no place for files; set HOME or the XDG variables");
  }
  const auto runtime = absolute_variable(environment, "XDG_RUNTIME_DIR");
  paths.runtime = runtime ? *runtime / "svc" : paths.state / "run";
  return paths;
}

}  // namespace svc::cli
