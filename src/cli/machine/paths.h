// Where files are stored, by the XDG rules.
#pragma once

#include <filesystem>

#include "cli/machine/environment.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// FOLDER/NAME.json.
[[nodiscard]] std::filesystem::path document_in(const std::filesystem::path& folder, std::string_view name);
// The names of the documents in a folder, sorted with their endings; none if the folder does not exist.
Result<std::vector<std::string>> list_documents(const std::filesystem::path& folder);

struct Paths {
  using path = std::filesystem::path;

  path config;          // $XDG_CONFIG_HOME/svc
  path data;            // $XDG_DATA_HOME/svc
  path state;           // $XDG_STATE_HOME/svc
  path cache;           // $XDG_CACHE_HOME/svc
  path runtime;         // $XDG_RUNTIME_DIR/svc; without such a folder, run/ under state
  path named_config{};  // --config or SVC_CONFIG; empty: the default place

  [[nodiscard]] path config_file() const { return named_config.empty() ? config / "config.toml" : named_config; }
  [[nodiscard]] path completion(std::string_view network) const { return cache / network / "completion.json"; }
  [[nodiscard]] path keys() const { return data / "keys"; }
  [[nodiscard]] path keys(std::string_view network) const { return keys() / network; }
  [[nodiscard]] path api_keys(std::string_view network) const { return keys(network) / "api"; }
  [[nodiscard]] path session(std::string_view network) const { return document_in(state / "sessions", network); }
  // Not next to the session, so that a copy of the disk does not contain it.
  [[nodiscard]] path session_key(std::string_view id) const { return runtime / "sessions" / id; }
  [[nodiscard]] path nonces(std::string_view network) const { return state / "nonces" / network; }
  [[nodiscard]] path journal(std::string_view network) const { return state / "journal" / network; }
  [[nodiscard]] path buckets(std::string_view network) const { return state / "buckets" / network; }
  [[nodiscard]] path guard_ledger(std::string_view network) const { return document_in(state / "guards", network); }
  // Writes whose answer was lost, and that were found to be accepted.
  [[nodiscard]] path found_writes(std::string_view network) const { return document_in(state / "found", network); }
  [[nodiscard]] path failures(std::string_view network) const { return state / "failures" / network; }
  // The runs of `orders batch`, and the lines they left to be sent again.
  [[nodiscard]] path batches() const { return state / "batch"; }
  [[nodiscard]] path addresses(std::string_view network) const { return document_in(data / "addresses", network); }
  [[nodiscard]] path metadata(std::string_view network) const { return cache / network / "metadata.json"; }
  [[nodiscard]] path bound_network(std::string_view network) const { return document_in(state / "bound", network); }
  // The once-a-day notices and when they were shown.
  [[nodiscard]] path told(std::string_view network) const { return cache / network / "told.json"; }
  [[nodiscard]] path agent_socket() const { return runtime / "agent.sock"; }
  [[nodiscard]] path sandboxes() const { return runtime / "local"; }
};

// Relative XDG paths are ignored, as the XDG rules say. Fails without XDG variables and HOME.
Result<Paths> find_paths(const Environment& environment, const std::optional<std::string>& named_config = {});

}  // namespace svc::cli
