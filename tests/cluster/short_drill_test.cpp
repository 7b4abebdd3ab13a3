// One fault of each kind that needs no networks of its own, with the built program as nodes.

#include <gtest/gtest.h>

#include <sstream>

#include "cluster/drill.h"
#include "sim/temporary_folder.h"
#include "surroundings.h"

namespace svc::cluster {
namespace SVC_FILE {

TEST(ShortDrill, KeepsEveryPromise) {
  const sim::TemporaryFolder folder;
  auto machines = Machines::start(
      {.svc = test::svc_program(), .folder = folder.path, .flags = {"--flow", "none", "--limits", "off"}});
  ASSERT_TRUE(machines) << machines.error();
  using enum Fault;
  std::ostringstream told;
  const auto violations = run_drill(
      **machines,
      {.faults = {kill_leader, kill_follower, kill_member, pause_leader}, .rounds = 1, .writers = 8, .steady = 40},
      told);
  ASSERT_TRUE(violations) << violations.error() << '\n' << told.str();
  EXPECT_EQ(*violations, 0u) << told.str();
}

}  // namespace SVC_FILE
}  // namespace svc::cluster
