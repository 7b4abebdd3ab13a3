#include "base/encoding.h"

#include <gtest/gtest.h>

namespace svc {
namespace SVC_FILE {

TEST(Base64, KnownTextsRoundTrip) {
  const std::pair<std::string, std::string> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"},
                                                      {"\xff\xfe", "//4="}};
  for (const auto& [bytes, text] : rows) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(parse_base64(text), bytes);
  }
}

TEST(Base64, OtherSpellingsAreRefused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg==Zg==", "Zh==", "Zm9=", "Zm 9", "Zm-_", "====", "Z===", "=AAA"}) {
    EXPECT_FALSE(parse_base64(text)) << text;
  }
}

TEST(Base64, EveryByteRoundTrips) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(parse_base64(to_base64(bytes)), bytes);
}

}  // namespace SVC_FILE
}  // namespace svc
