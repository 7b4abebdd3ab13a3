#include "signing/domain.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace svc::signing {
namespace SVC_FILE {

TEST(Domain, SeparatorsMatchOtherImplementations) {
  struct Row {
    Domain domain;
    std::string_view separator;
  };
  const Row rows[] = {
      {action_domain("Svc Exchange"), "53ab34daa8a32635f82a378ee68df820d622915d110d7aaf23f0a7d23b54df8c"},
      {plain_registration_domain("Svc Exchange", 20056),
       "53ab34daa8a32635f82a378ee68df820d622915d110d7aaf23f0a7d23b54df8c"},
      {registration_domain("Svc Exchange", 20056, "testnet"),
       "a73d5fa3559bdf0c4a8da1b6a1ccd54e2fb7205b24e16628f1f006de8092d3b7"},
      {action_domain("", UINT64_MAX), "2376b48f517f88337123b02b18e76ea0b51c7fe40826bcecf2d0366174eda3df"},
  };
  for (const Row& row : rows) EXPECT_EQ(to_hex(separator(row.domain)), row.separator) << row.domain.name;
}

TEST(Domain, OfEachNetworkHasItsOwnSaltAndSeparator) {
  const Hash32 testnet = separator(registration_domain("X", 1, "testnet"));
  const Hash32 mainnet = separator(registration_domain("X", 1, "mainnet"));
  EXPECT_NE(testnet, mainnet);
  EXPECT_NE(testnet, separator(plain_registration_domain("X", 1)));
  EXPECT_EQ(type_string(registration_domain("X", 1, "local")),
            "EIP712Domain(string name,string version,uint256 chainId,bytes32 salt)");
  EXPECT_EQ(type_string(action_domain("X")), "EIP712Domain(string name,string version,uint256 chainId)");
}

}  // namespace SVC_FILE
}  // namespace svc::signing
