#include "cli/completion/complete.h"

#include "cli/completion/cache.h"
#include "cli/config/layers.h"
#include "cli/config/network.h"
#include "cli/globals.h"
#include "cli/render.h"

namespace svc::cli {
namespace {

// As choose_network, but nothing is wrong if there is none.
std::string network_of(const std::vector<std::string>& words, const Environment& environment, const Config& config) {
  std::optional<std::string> name = named_network(words);
  if (!name) name = environment.variable("SVC_NETWORK");
  if (!name) {
    const auto profile = choose_profile(std::nullopt, environment, config);
    const Placed* network = profile ? profile->find(profile_network_key) : nullptr;
    if (network != nullptr) name = network->value;
  }
  return name && is_network_name(*name) ? *name : std::string();
}

}  // namespace

int complete(const std::vector<std::string>& words, Environment& environment) {
  std::vector<std::string> typed(words.begin() + 1, words.end());
  if (!typed.empty() && typed.front() == "--") typed.erase(typed.begin());
  const auto paths = find_paths(environment);
  auto config = paths ? load_config(*paths) : Result<Config, Failure>(Config{});
  if (!config) config = Config{};
  const ValueSource nothing = [](ValueKind) { return std::vector<Candidate>(); };
  const ValueSource values =
      paths ? cached_values(environment, *paths, *config, network_of(typed, environment, *config)) : nothing;
  const Candidates found = candidates(typed, values);
  std::string out;
  for (const Candidate& one : found.all) {
    out += escaped(one.text) + (one.about.empty() ? "" : "\t" + escaped(one.about)) + "\n";
  }
  if (found.files) out += ":files\n";
  return environment.out(out) == Written::whole ? 0 : static_cast<int>(ExitCode::broken_pipe);
}

}  // namespace svc::cli
