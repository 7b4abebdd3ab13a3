#include "signing/scrypt.h"

#include <gtest/gtest.h>

#include <array>

#include "base/hex.h"

namespace svc::signing {
namespace {

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

}  // namespace
}  // namespace svc::signing
