#include "sim/gateway/http_server_loop.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace SVC_FILE {

TEST(HttpDate, IsTheCalendarOfTheProtocol) {
  struct Row {
    TimestampMs time_ms;
    const char* text;
  };
  const Row rows[] = {
      {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
      {784'111'777'999, "Sun, 06 Nov 1994 08:49:37 GMT"},
      {951'782'400'000, "Tue, 29 Feb 2000 00:00:00 GMT"},
      {1'709'251'199'000, "Thu, 29 Feb 2024 23:59:59 GMT"},
      {1'735'689'599'000, "Tue, 31 Dec 2024 23:59:59 GMT"},
      {4'107'542'400'000, "Mon, 01 Mar 2100 00:00:00 GMT"},
      {253'402'300'799'000, "Fri, 31 Dec 9999 23:59:59 GMT"},
  };
  for (const Row& row : rows) EXPECT_EQ(http_date(row.time_ms), row.text);
}

TEST(ResponseWriter, WritesTheHeadAndTellsWhetherTheBodyFollows) {
  TimestampMs now_ms = 999;
  ResponseWriter writer([&] { return now_ms; });
  std::string out;
  const api::HttpResponse created{.status = 201, .headers = {{"Content-Type", "application/json"}}, .body = "{}"};
  EXPECT_TRUE(writer.write_head(out, created, {}));
  EXPECT_EQ(out,
            "HTTP/1.1 201 Created\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nServer: svc\r\n"
            "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n");
  EXPECT_FALSE(writer.write_head(out, created, {.head = true, .close = false, .keep_alive = false}));
  out.clear();
  now_ms = 1000;
  EXPECT_FALSE(writer.write_head(out, {.status = 204, .headers = {}, .body = "ignored"},
                                 {.head = false, .close = true, .keep_alive = false}));
  EXPECT_EQ(
      out,
      "HTTP/1.1 204 No Content\r\nDate: Thu, 01 Jan 1970 00:00:01 GMT\r\nServer: svc\r\nConnection: close\r\n\r\n");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
