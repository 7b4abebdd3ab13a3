#include "api/http/http_message.h"

#include <gtest/gtest.h>

#include "base/archive.h"

namespace svc::api {
namespace SVC_FILE {

std::string shown(const Headers& headers) {
  std::string text;
  for (const Header& field : headers) text.append(field.name).append("=").append(field.value).append(";");
  return text;
}

TEST(Headers, KeepTheOrderSentAndFindTheFirstOfAName) {
  Headers headers{{"Host", "a"}, {"X-Key", ""}, {"host", "b"}};
  headers.add("Accept", "*/*");
  EXPECT_EQ(shown(headers), "Host=a;X-Key=;host=b;Accept=*/*;");
  EXPECT_EQ(headers.size(), 4u);
  EXPECT_EQ(headers.find("HOST"), "a");
  EXPECT_EQ(headers.find("x-key"), "");
  EXPECT_EQ(headers.find("X-Ke"), std::nullopt);
}

TEST(Headers, SetReplacesEveryFieldOfTheName) {
  Headers headers{{"Host", "a"}, {"Accept", "*/*"}, {"host", "b"}};
  headers.set("HOST", "c");
  EXPECT_EQ(shown(headers), "Accept=*/*;HOST=c;");
  headers.remove("accept");
  headers.remove("absent");
  EXPECT_EQ(shown(headers), "HOST=c;");
}

TEST(Headers, CopiesAndMovedOnesStandAlone) {
  Headers headers;
  for (int i = 0; i < 20; ++i) headers.add("Name-" + std::to_string(i), std::string(20, 'v'));
  const std::string before = shown(headers);
  Headers copy = headers;
  headers.clear(0);
  headers.add("Other", "one");
  EXPECT_EQ(shown(copy), before);
  const Headers moved = std::move(copy);
  EXPECT_EQ(shown(moved), before);
  EXPECT_EQ(shown(headers), "Other=one;");
}

// One node reads what another one wrote, which may be of another version.
TEST(Headers, AreAListOfPairsInAnArchive) {
  const Headers headers{{"Host", "a"}, {"Accept", ""}};
  const std::string bytes = to_archive(headers);
  EXPECT_EQ(bytes, std::string("\2\4Host\1a\6Accept\0", 16));
  const auto read = from_archive<Headers>(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(shown(*read), shown(headers));
}

}  // namespace SVC_FILE
}  // namespace svc::api
