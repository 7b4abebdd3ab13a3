#include <gtest/gtest.h>

#include "cli/shell/status_line.h"

namespace svc::cli {
namespace SVC_FILE {

Notice told(std::string_view line) {
  const auto json = parse_json(line);
  EXPECT_TRUE(json.has_value()) << line;
  return notice_of(json ? *json : Json());
}

TEST(ShellNotices, FillsAndALostStreamAreReported) {
  const Notice fill = told(
      R"({"type":"event","channel":"fills","payload":{"market_id":"BTC-USDX-PERP","side":"Buy","size":"0.1","price":"60000"}})");
  EXPECT_NE(fill.text.find("fills"), std::string::npos) << fill.text;
  EXPECT_NE(fill.text.find("60000"), std::string::npos) << fill.text;
  EXPECT_TRUE(fill.changes_account);
  EXPECT_FALSE(fill.loud);

  const Notice gap = told(R"({"type":"gap","channel":"fills","first":3,"last":5})");
  EXPECT_TRUE(gap.loud);
  EXPECT_FALSE(gap.text.empty());
  const Notice lost =
      told(R"({"type":"status","state":"disconnected","code":"connection_lost","reason":"x","retry_ms":100})");
  EXPECT_TRUE(lost.loud);
  EXPECT_TRUE(lost.lost);
  EXPECT_EQ(lost.text, "the stream of the account is lost: x");
  EXPECT_FALSE(gap.lost);
}

TEST(ShellNotices, TheUsersOwnActionsAreNotReported) {
  const Notice order = told(R"({"type":"event","channel":"orders","payload":{"id":"1"}})");
  EXPECT_TRUE(order.text.empty());
  EXPECT_TRUE(order.changes_account);
  EXPECT_TRUE(told(R"({"type":"status","state":"connected"})").text.empty());
  EXPECT_TRUE(told(R"({"type":"event","channel":"ticker","payload":{}})").text.empty());
}

TEST(ShellNotices, AFillKeepsItsNumbersInANarrowTerminal) {
  const auto line = parse_json(
      R"({"type":"event","channel":"fills","payload":{"market_id":"BTC-USDX-PERP","side":"Buy","size":"0.1","price":"60000.5",)"
      R"("fee":"0.7512","taker_or_maker":"taker","order_id":"00010000-0000-0000-0000-000000000576"}})");
  ASSERT_TRUE(line);
  EXPECT_EQ(notice_of(*line).text,
            "fills  BTC-USDX-PERP buy 0.1 @ 60000.5 fee 0.7512 taker order 00010000-0000-0000-0000-000000000576");
  EXPECT_EQ(notice_of(*line, {.columns = 80}).text,
            "fills  BTC-USDX-PERP buy 0.1 @ 60000.5 fee 0.7512 taker order 00010000..0576");
  EXPECT_EQ(notice_of(*line, {.columns = 50}).text, "fills  BTC-USDX-PERP buy 0.1 @ 60000.5 fee 0.7512");
  EXPECT_EQ(notice_of(*line, {.columns = 44}).text, "fills  BTC-USDX-PERP buy 0.1 @ 60000.5");
}

TEST(ShellNotices, TimesAreInTheZoneOfTheShell) {
  const auto line = parse_json(
      R"({"type":"event","channel":"fills","emitted_at_ms":1789992000000,"payload":{"side":"Buy","size":"1"}})");
  ASSERT_TRUE(line);
  const auto tokyo = DisplayZone::find("Asia/Tokyo", std::nullopt);
  ASSERT_TRUE(tokyo);
  EXPECT_TRUE(notice_of(*line).text.starts_with("12:00:00.000")) << notice_of(*line).text;
  EXPECT_TRUE(notice_of(*line, {.zone = *tokyo}).text.starts_with("21:00:00.000"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
