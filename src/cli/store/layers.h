// Where a setting comes from: flag, environment, profile, project, the user's configuration, or built in;
// the first that speaks wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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
[[nodiscard]] Result<ChosenProfile, Failure> choose_profile(const std::optional<std::string>& typed,
                                                            const Environment& environment, const Config& config);

struct Explained {
  std::string_view key;
  std::vector<Layer> layers;  // all that speak, the winner first; never empty but for what nothing implies
  // What a layer says and cannot mean: it is passed over, and `problem` tells what was expected.
  struct Unusable {
    Layer layer;
    std::string problem;
  };
  std::vector<Unusable> unusable{};
};

// Gives every setting that no flag gave what the layers say, and tells of each where it is from.
[[nodiscard]] std::vector<Explained> fill_in(GlobalWords& words, const Environment& environment, const Config* config,
                                             const ChosenProfile& profile);

}  // namespace svc::cli
