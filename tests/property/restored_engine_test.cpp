// An engine restored from an image goes on exactly like the one that the image was taken of.

#include <gtest/gtest.h>

#include "base/archive.h"
#include "generator.h"
#include "surroundings.h"

namespace svc::engine {
namespace SVC_FILE {

using test::setting;

void run(std::uint64_t seed, std::size_t steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Generator generator(seed);
  Prng prng(seed, "images");
  Engine original({.markets = generator.world().markets});
  Engine restored({.markets = generator.world().markets});
  EventLog told;
  EventLog told_again;
  for (std::size_t step = 0; step < steps; ++step) {
    const Command command = generator.next(original);
    SCOPED_TRACE("step " + std::to_string(step) + ": " + describe(command));
    told.clear();
    told_again.clear();
    original.apply(command, told);
    restored.apply(command, told_again);
    ASSERT_TRUE(to_archive(told_again.events()) == to_archive(told.events()));
    ASSERT_EQ(restored.state_hash(), original.state_hash());
    ASSERT_EQ(restored.next_timer_ms(), original.next_timer_ms());
    if (prng.below(20) != 0) continue;
    const std::string image = original.image();
    Engine fresh({.markets = generator.world().markets});
    const auto done = fresh.restore(image);
    ASSERT_TRUE(done) << done.error();
    ASSERT_TRUE(fresh.image() == image);
    ASSERT_EQ(fresh.violations(), std::vector<std::string>{});
    restored = std::move(fresh);
  }
}

TEST(RestoredEngine, GoesOnLikeTheOriginalOnRandomStreams) {
  const std::uint64_t first = setting("SVC_PROPERTY_SEED", 1);
  const std::uint64_t steps = setting("SVC_PROPERTY_STEPS", 6'000);
  constexpr std::uint64_t steps_per_run = 300;
  RecordProperty("seed", std::to_string(first));
  for (std::uint64_t seed = first; (seed - first) * steps_per_run < steps; ++seed) {
    run(seed, steps_per_run);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::engine
