// Where a setting comes from. In order of precedence: flag, environment, profile, project, the user's configuration,
// built-in.
#pragma once

#include "cli/arguments/globals.h"
#include "cli/machine/environment.h"
#include "cli/store/config.h"

namespace svc::cli {

struct Layer {
  std::string_view name;  // "flag", "environment", "profile", "project", "user", "built-in"
  std::string place;      // "SVC_OUTPUT", "profile bot, /home/ada/.config/svc/config.toml, line 7"
  std::string value;
};

// The profile in use: -P, else SVC_PROFILE, else what `profile use` wrote. Exit 2 if it is not in the
// configuration.
struct ChosenProfile {
  std::string name;  // empty: none
  const PlacedValues* values = nullptr;

  [[nodiscard]] const Placed* find(std::string_view key) const;
};
Result<ChosenProfile, Failure> choose_profile(const std::optional<std::string>& typed, const Environment& environment,
                                              const Config& config);

struct Explained {
  std::string_view key;
  std::vector<Layer> layers;  // all that set it, the effective one first; empty only if there is no default either
  // A layer's invalid value: it is ignored, and `problem` tells what was expected.
  struct Unusable {
    Layer layer;
    std::string problem;
  };
  std::vector<Unusable> unusable{};
};

// Fills in every setting that no flag gave, and tells where each setting comes from.
[[nodiscard]] std::vector<Explained> fill_in(GlobalWords& words, const Environment& environment, const Config* config,
                                             const ChosenProfile& profile);

}  // namespace svc::cli
