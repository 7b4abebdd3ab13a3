// The queue between the writer and the streams.
#include <gtest/gtest.h>

#include "sim/streams/stream_hub.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

// Whether the thread that sends would be woken.
bool is_due(EventIntake& intake) {
  std::stop_source stopped;
  stopped.request_stop();
  return intake.wait(stopped.get_token());
}

void add_trades(EventIntake& intake, std::size_t count) {
  const engine::Event trade = engine::Trade{};
  for (std::size_t i = 0; i < count; ++i) EXPECT_FALSE(intake.follow({}, std::span(&trade, 1)));
}

TEST(EventIntake, SendsManyAtOnceWhileNobodyReadsAStream) {
  EventIntake intake;
  add_trades(intake, limits::stream_unheard_events_max - 1);
  EXPECT_FALSE(is_due(intake));
  add_trades(intake, 1);
  EXPECT_TRUE(is_due(intake));
}

TEST(EventIntake, SendsEachEventAtOnceToAReader) {
  EventIntake intake;
  intake.set_heard(true);
  EXPECT_FALSE(is_due(intake));
  add_trades(intake, 1);
  EXPECT_TRUE(is_due(intake));
  intake.set_heard(false);
  EXPECT_FALSE(is_due(intake));
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
