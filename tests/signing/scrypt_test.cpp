#include "signing/keystore.h"

#include <gtest/gtest.h>

#include <array>

#include "base/encoding.h"

namespace svc::signing {
namespace SVC_FILE {

TEST(Scrypt, MatchesThePublishedVectors) {
  struct Row {
    const char *password, *salt;
    ScryptCost cost;
    std::string_view key;
  };
  const Row rows[] = {
      {"",
       "",
       {16, 1, 1},
       "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d362"
       "8cf35e2"
       "0c38d18906"},
      {"password",
       "NaCl",
       {1024, 8, 16},
       "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6"
       "d8360cb"
       "dfa2cc0640"},
      {"pleaseletmein",
       "SodiumChloride",
       {16384, 8, 1},
       "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e4"
       "0dfcf01"
       "7b45575887"},
  };
  for (const Row& row : rows) {
    std::array<std::uint8_t, 64> key{};
    ASSERT_TRUE(scrypt(Secret(row.password), as_bytes(row.salt), row.cost, key));
    EXPECT_EQ(to_hex(key), row.key) << row.cost.n;
  }
}

TEST(Scrypt, TakesCostsUpToTheLimitsAndNotBeyond) {
  struct Row {
    ScryptCost at_limit, beyond;
  };
  const Row rows[] = {
      {{2, 1, 1}, {1, 1, 1}},
      {{4, 1, 1}, {3, 1, 1}},
      {{1 << 19, 8, 1}, {1 << 20, 8, 1}},  // memory: 512 MiB and twice that
      {{1 << 18, 8, 4}, {1 << 18, 8, 5}},  // work
      {{2, 1 << 21, 2}, {2, 1 << 21, 3}},  // memory of the lanes
      {{1 << 22, 1, 2}, {1 << 23, 1, 1}},  // memory again, by n alone
      {scrypt_real_money, {1 << 17, 0, 1}},
      {scrypt_local_only, {1 << 13, 8, 0}},
      {{1 << 18, 8, 1}, {std::uint64_t{1} << 63, 8, 1}},  // products that would overflow
      {{1 << 18, 8, 1}, {1 << 23, 1 << 23, 1 << 18}},
  };
  for (const Row& row : rows) {
    EXPECT_TRUE(is_acceptable(row.at_limit)) << row.at_limit.n << " " << row.at_limit.r << " " << row.at_limit.p;
    EXPECT_FALSE(is_acceptable(row.beyond)) << row.beyond.n << " " << row.beyond.r << " " << row.beyond.p;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::signing
