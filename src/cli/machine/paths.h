// Where files are stored, by the XDG rules.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "cli/machine/environment.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

struct Paths {
  std::filesystem::path config;          // $XDG_CONFIG_HOME/svc
  std::filesystem::path data;            // $XDG_DATA_HOME/svc
  std::filesystem::path state;           // $XDG_STATE_HOME/svc
  std::filesystem::path cache;           // $XDG_CACHE_HOME/svc
  std::filesystem::path runtime;         // $XDG_RUNTIME_DIR/svc; without such a folder, run/ under state
  std::filesystem::path named_config{};  // --config; empty: the default place

  [[nodiscard]] std::filesystem::path config_file() const {
    return named_config.empty() ? config / "config.toml" : named_config;
  }
  [[nodiscard]] std::filesystem::path completion(std::string_view network) const {
    return cache / network / "completion.json";
  }
  [[nodiscard]] std::filesystem::path keys() const { return data / "keys"; }
  [[nodiscard]] std::filesystem::path keys(std::string_view network) const { return keys() / network; }
  [[nodiscard]] std::filesystem::path api_keys(std::string_view network) const { return keys(network) / "api"; }
  [[nodiscard]] std::filesystem::path session(std::string_view network) const;
  // Not next to the session, so that a copy of the disk does not contain it.
  [[nodiscard]] std::filesystem::path session_key(std::string_view id) const { return runtime / "sessions" / id; }
  [[nodiscard]] std::filesystem::path nonces(std::string_view network) const { return state / "nonces" / network; }
  [[nodiscard]] std::filesystem::path journal(std::string_view network) const { return state / "journal" / network; }
  [[nodiscard]] std::filesystem::path buckets(std::string_view network) const { return state / "buckets" / network; }
  [[nodiscard]] std::filesystem::path guard_ledger(std::string_view network) const;
  [[nodiscard]] std::filesystem::path failures(std::string_view network) const { return state / "failures" / network; }
  // The runs of `orders batch`, and the lines they left to be sent again.
  [[nodiscard]] std::filesystem::path batches() const { return state / "batch"; }
  [[nodiscard]] std::filesystem::path addresses(std::string_view network) const;
  [[nodiscard]] std::filesystem::path outbox(std::string_view network) const { return state / "outbox" / network; }
  [[nodiscard]] std::filesystem::path metadata(std::string_view network) const {
    return cache / network / "metadata.json";
  }
  [[nodiscard]] std::filesystem::path bound_network(std::string_view network) const {
    return state / "bound" / (std::string(network) + ".json");
  }
  // The once-a-day notices and when they were shown.
  [[nodiscard]] std::filesystem::path told(std::string_view network) const { return cache / network / "told.json"; }
  [[nodiscard]] std::filesystem::path agent_socket() const { return runtime / "agent.sock"; }
  [[nodiscard]] std::filesystem::path sandboxes() const { return runtime / "local"; }
};

// Relative XDG paths are ignored, as the XDG rules say. Fails without XDG variables and HOME.
[[nodiscard]] Result<Paths, Failure> find_paths(const Environment& environment);

}  // namespace svc::cli
