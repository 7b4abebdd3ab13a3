#include "api/version.h"

#include <gtest/gtest.h>

namespace svc::api {
namespace SVC_FILE {

TEST(Version, ParsesTagsWithAndWithoutV) {
  const struct {
    const char* text;
    ApiVersion version;
  } rows[] = {{"0.9.0", {0, 9, 0}},
              {"v0.9.0", {0, 9, 0}},
              {"v1.20.300", {1, 20, 300}},
              {"0.9.0-rc.1", {0, 9, 0}},
              {"0.9.0+build-7", {0, 9, 0}},
              {"v0.9.1-alpha+x", {0, 9, 1}},
              {"4294967295.0.0", {4294967295u, 0, 0}}};
  for (const auto& row : rows) EXPECT_EQ(parse_version(row.text), row.version) << row.text;
}

TEST(Version, InvalidTagsAreRefused) {
  for (const char* text : {"", "v", "0.9", "0.9.", "0.9.0.0", "V0.9.0", "vv0.9.0", " 0.9.0", "0.9.0 ", "0,9,0",
                           "latest", "-0.9.0", "0.-9.0", "4294967296.0.0", "0.9.x"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(Version, IsComparedWithTheMinimum) {
  const VersionPolicy policy{.current = {0, 9, 0}, .minimum = {0, 8, 0}, .deprecated_below = ApiVersion{0, 8, 5}};
  const struct {
    std::optional<std::string_view> header;
    VersionVerdict verdict;
  } rows[] = {
      {std::nullopt, VersionVerdict::silent}, {"soon", VersionVerdict::silent},
      {"0.7.99", VersionVerdict::refused},    {"v0.7.0-rc1", VersionVerdict::refused},
      {"0.8.0", VersionVerdict::deprecated},  {"0.8.0-rc1", VersionVerdict::deprecated},
      {"0.8.4", VersionVerdict::deprecated},  {"0.8.5", VersionVerdict::served},
      {"v0.9.0", VersionVerdict::served},     {"1.0.0", VersionVerdict::served},
  };
  for (const auto& row : rows) EXPECT_EQ(judge(row.header, policy), row.verdict) << row.header.value_or("none");
}

TEST(Version, OfThisClientIsATagItsOwnServerServes) {
  EXPECT_EQ(judge(client_version, VersionPolicy{}), VersionVerdict::served);
  EXPECT_EQ(to_string(*parse_version(client_version)), client_version);
}

}  // namespace SVC_FILE
}  // namespace svc::api
