#include "sim/gateway/request_context.h"

#include <gtest/gtest.h>

#include "api/codec.h"

namespace svc::sim {
namespace SVC_FILE {

RequestLogEntry refused() {
  RequestLogEntry entry;
  entry.number = 3;
  entry.received_at_ms = 1'700'000'000'007;
  entry.network = "local";
  entry.method = "GET";
  entry.path = "/orders\n";
  entry.operation = "list_orders";
  entry.credential = "hmac";
  entry.rule = "timestamp_outside_window";
  entry.note = "31000 ms behind the server";
  entry.status = 401;
  entry.code = "unauthorized";
  entry.bucket = "ip";
  entry.cost = 1;
  return entry;
}

TEST(RequestLines, ThePrettyLineNamesTheRuleAndKeepsTheTerminalClean) {
  EXPECT_EQ(
      pretty_line(refused()),
      "22:13:20.007 401 GET /orders\\n hmac: unauthorized, timestamp_outside_window (31000 ms behind the server)");
}

TEST(RequestLines, ThePrettyLineHasNoControlCharacterOfTheUpperHalf) {
  RequestLogEntry entry = refused();
  entry.path = "/caf\u00e9\u009bK\x9bK";
  EXPECT_NE(pretty_line(entry).find(" /caf\u00e9\\u009bK\\u009bK "), std::string::npos) << pretty_line(entry);
}

TEST(RequestLines, ThePrettyLineCannotBeTurnedAndIsUtf8) {
  RequestLogEntry entry = refused();
  entry.path = "/a\u202eb\u2066c\xe4";
  EXPECT_NE(pretty_line(entry).find(" /a\\u202eb\\u2066c\\u00e4 "), std::string::npos) << pretty_line(entry);
}

TEST(RequestLines, TheJsonLineHasNullForMissingValues) {
  EXPECT_EQ(api::to_json(refused()),
            R"({"number":3,"received_at_ms":1700000000007,"network":"local","method":"GET","path":"/orders\n",)"
            R"("operation":"list_orders","credential":"hmac","account":null,"status":401,"code":"unauthorized",)"
            R"("rule":"timestamp_outside_window","note":"31000 ms behind the server","bucket":"ip","cost":1})");
}

TEST(RequestFollower, ShowsEachEntryOnceAndReportsMissedOnes) {
  RequestLog log(2);
  RequestFollower follower(log, LogStyle::pretty);
  const RequestNote request{.method = "GET", .path = "/a", .status = 200};
  log.add(request);
  EXPECT_EQ(follower.new_lines(), "00:00:00.000 200 GET /a\n");
  EXPECT_EQ(follower.new_lines(), "");
  for (int i = 0; i < 5; ++i) log.add(request);
  EXPECT_EQ(follower.new_lines(), "... 3 requests not shown\n00:00:00.000 200 GET /a\n00:00:00.000 200 GET /a\n");
}

// Whose address counts as the client's.

TEST(ClientAddress, IsThePeersUnlessAHeaderIsConfigured) {
  EXPECT_EQ(client_address({}, "127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(client_address({{"X-Real-IP", "203.0.113.7"}}, "127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(client_address({{"X-Real-IP", "203.0.113.7"}}, "127.0.0.1", "x-real-ip"), "203.0.113.7");
}

TEST(ClientAddress, IsUnresolvedWhenTheNamedHeaderDoesNotHoldOneAddress) {
  for (const char* value : {"", "unknown", "203.0.113.7, 10.0.0.1", "203.0.113.7:80", "203.0.113", "::ffff:1.2.3.4.5"})
    EXPECT_EQ(client_address({{"X-Real-IP", value}}, "127.0.0.1", "X-Real-IP"), std::nullopt) << value;
  EXPECT_EQ(client_address({}, "127.0.0.1", "X-Real-IP"), std::nullopt);
  EXPECT_EQ(client_address({{"X-Real-IP", "10.0.0.1"}, {"x-real-ip", "10.0.0.1"}}, "127.0.0.1", "X-Real-IP"),
            std::nullopt);
  EXPECT_EQ(client_address({}, "", ""), std::nullopt);
}

TEST(ClientAddress, HasOneSpelling) {
  EXPECT_EQ(normal_address("::FFFF:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(normal_address("2001:DB8:0:0::1"), "2001:db8::1");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
