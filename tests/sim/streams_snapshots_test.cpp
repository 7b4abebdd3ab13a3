// Open streams during a return to a snapshot.
#include <gtest/gtest.h>

#include "sim/streams_desk.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

TEST(StreamsAndSnapshots, ARevertIsReportedAsLostEvents) {
  Desk desk;
  const std::string before = desk.exchange.image();
  const auto client = desk.account_stream(desk.alice);
  client->say(subscribe("trades", btc));
  client->say(subscribe("book", btc));
  desk.limit(desk.alice, Side::buy, 1, 50'000);
  desk.tell();
  (void)client->heard();
  ASSERT_TRUE(desk.exchange.check_image(before));
  ASSERT_TRUE(desk.exchange.become(before));
  desk.tell();
  const auto heard = client->heard();
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.front()["op"], "out_of_sync");
  EXPECT_EQ(heard.back()["channel"], "book") << "which is told anew";
  EXPECT_EQ(client->close_code(), std::nullopt);
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
