// The cost of a script, and the lines where it has to wait.
#include <gtest/gtest.h>

#include "cli/client_machine.h"
#include "cli/commands/cost_forecast.h"
#include "cli/output_check.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(CostForecast, WaitsForExactlyTheMissingTokens) {
  // 20 tokens per second, 3 left: the fourth request waits 50 ms, the fifth 50 more.
  std::vector<Charge> charges;
  for (std::size_t i = 1; i <= 5; ++i) charges.push_back({.line = i, .what = "x", .buckets = {"order"}, .tokens = 1});
  const Forecast result = forecast(charges, {{.bucket = "order", .limit = 20, .remaining = 3}});
  EXPECT_EQ(result.finish_ms, 100);
  EXPECT_EQ(result.buckets[0].stall_line, 4u);
  EXPECT_EQ(result.buckets[0].stalled_ms, 100);
  EXPECT_EQ(result.buckets[0].tokens, 5u);
}

TEST(CostForecast, ChargesAtMostOneSecondOfTokensInEveryBucket) {
  const std::vector<Charge> charges{
      {.line = 1, .what = "huge", .buckets = {"order"}, .tokens = 500},
      {.line = 2, .what = "huge", .buckets = {"order"}, .tokens = 500},
      {.line = 3, .what = "read", .buckets = {"key", "owner"}, .tokens = 5},
      {.line = 4, .what = "later", .buckets = {"key", "owner"}, .tokens = 1, .not_before_ms = 9'000},
  };
  const Forecast result = forecast(charges, {{.bucket = "order", .limit = 20, .remaining = 20},
                                             {.bucket = "key", .limit = 20, .remaining = 4},
                                             {.bucket = "owner", .limit = 2'000, .remaining = 2'000}});
  EXPECT_EQ(result.buckets[0].finish_ms, 1'000);
  EXPECT_EQ(result.buckets[1].stall_line, std::nullopt);  // full again by then
  EXPECT_EQ(result.buckets[2].tokens, 6u);
  EXPECT_EQ(result.finish_ms, 9'000);
}

TEST(CostForecast, OfAScriptNamesTheLineThatHasToWait) {
  TraderMachine machine;
  machine.input =
      "# morning\n"
      "buy 0.1 BTC-USDX-PERP @ 60000\n"
      "svc fills list\n"
      "{\"operation\":\"cancel_order\",\"count\":3}\n"
      "{\"method\":\"POST\",\"path\":\"/orders\",\"count\":25}\n"
      "{\"market_id\":\"BTC-USDX-PERP\",\"side\":\"Buy\",\"order_type\":\"Market\",\"quantity\":\"1\"}\n"
      "version\n";
  const auto sent = machine.sent.size();
  const RunResult pro = machine.run("-n local --json limits --forecast - --tier pro");
  ASSERT_EQ(pro.exit, 0) << pro.out;
  EXPECT_EQ(machine.sent.size(), sent);
  const Json data = *pro.document().find("data");
  EXPECT_EQ(data.integer_at("requests"), 31);
  EXPECT_EQ(data.integer_at("first_stall.line"), 5);
  EXPECT_EQ(data.integer_at("finish_ms"), 350);  // 27 order tokens, 20 available, 50 ms each
  EXPECT_EQ(check_output("limits", *pro.document().find("data")), std::nullopt);
  const RunResult maker = machine.run("-n local --json limits --forecast - --tier marketmaker");
  EXPECT_EQ(maker.document().integer_at("data.finish_ms"), 0);
  EXPECT_TRUE(maker.document().at("data.first_stall")->is(Json::Kind::null));
  EXPECT_EQ(machine.run("-n local limits --forecast -").exit, 0);
  machine.input = "buy 500usdx BTC-USDX-PERP\n";
  EXPECT_TRUE(has(machine.run("-n local limits --forecast - --tier pro").err, "line 1: "));
  for (const std::string_view count : {"\"3\"", "1.5", "1e3", "true", "0", "99999999999999999999"}) {
    machine.input = concat("{\"operation\":\"list_fills\",\"count\":", count, "}\n");
    const RunResult ran = machine.run("-n local limits --forecast - --tier pro");
    EXPECT_TRUE(has(ran.err, "\"count\" must be a whole number of at least 1")) << count << ran.err;
  }
  machine.input = "limits --forecast -\n";
  EXPECT_EQ(machine.run("-n local limits --forecast - --tier pro").exit, 2);
}

TEST(CostForecast, RefusesACommandWithoutAnEndByItsOwnNameAlone) {
  TraderMachine machine;
  for (const std::string_view line :
       {"keys create --label guard\n", "api GET /orders -- watch\n", "-n local keys create --label ws\n"}) {
    machine.input = line;
    const RunResult ran = machine.run("-n local limits --forecast - --tier pro");
    EXPECT_FALSE(has(ran.err, "cannot be forecast")) << line << ran.err;
  }
  machine.input = "keys create --label guard\n";
  EXPECT_EQ(machine.run("-n local --json limits --forecast - --tier pro").document().integer_at("data.requests"), 1);
  for (const std::string_view line :
       {"guard -- true\n", "svc -n local watch book BTC-USDX-PERP\n", "ws -n local token\n", "--quiet shell\n"}) {
    machine.input = line;
    const RunResult ran = machine.run("-n local limits --forecast - --tier pro");
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_TRUE(has(ran.err, " cannot be forecast")) << line << ran.err;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
