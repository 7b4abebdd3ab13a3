#include <gtest/gtest.h>

#include "base/encoding.h"
#include "signing/actions.h"
#include "signing/domain.h"

// The hashes come from ethers 6; tests/interop compares random structs the same way.
namespace svc::signing {
namespace SVC_FILE {

const Address account = *parse_address("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
const Address recipient = *parse_address("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
constexpr std::uint64_t timestamp_ms = 1'700'000'000'000;

TEST(RegisterAgent, HashesAndBindsTheNetworkByItsDomain) {
  const RegisterAgent registration{account, 1'700'086'400'000, 1};
  EXPECT_EQ(to_hex(keccak256(type_string<RegisterAgent>())),
            "e7e0a34adce6806981bff281e10e3d886bf56b29386f8bc5eb2929d7c0ff267a");
  EXPECT_EQ(to_hex(struct_hash(registration)), "b1f86d33868bb78b99455ddd1094b41b95a42a209c29da0665c3e02e90f15bee");
  const auto digest_under = [&](const Domain& domain) {
    return to_hex(typed_data_digest(separator(domain), struct_hash(registration)));
  };
  EXPECT_EQ(digest_under(registration_domain("Svc Exchange", 20056, "testnet")),
            "0683f9042c96a97746c82160f342f7d4179196da7b4e8a4817d1d2111afdb83b");
  EXPECT_EQ(digest_under(plain_registration_domain("Svc Exchange", 20056)),
            "6b511a1bbfa824c5cf503e5b5e1be926402945c352b2ebf5118d7e5360205a9c");
}

TEST(WithdrawIntent, HashesAmountsUpToTheLargest) {
  EXPECT_EQ(to_hex(keccak256(type_string<WithdrawIntent>())),
            "2b1bcf9ab3406a1cd6e714630def04c00d19241c943f1c195b8f46c6d182b7d6");
  struct Row {
    std::string_view amount, hash;
  };
  const Row rows[] = {
      {"0", "e4458c8ea0fbee85124f44fab450e12885d71d6388e6c447a95d9f0ae380b8ed"},
      {"1500000", "ca4c267791e0222f8a4c192a7dd29052e86f44f535aae6a84b2d01769a0b5883"},
      {"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
       "5e27ca148ecf363430c1e2b3075fe9028fda7ef00c0f47d6286c4e4fd8f3b4c2"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(to_hex(struct_hash(WithdrawIntent{.amount = *parse_uint256(row.amount), .nonce = 3})), row.hash)
        << row.amount;
}

TEST(TransferStructs, HashAsInOtherImplementations) {
  EXPECT_EQ(to_hex(struct_hash(EnrollTransferAccount{account, "svc-local", timestamp_ms, 7})),
            "2f6862809e101054f325306b885e0379503f6b66a70c7c2a9d81acc0cefd003d");
  EXPECT_EQ(to_hex(struct_hash(
                TransferIntent{account, "svc-local", recipient, "25.00", "rent-\xE2\x9C\x93", timestamp_ms, 7})),
            "544cb1687c34e3bf805ae9156e9a683914954dece8354813017abb884e8e8894");
  EXPECT_EQ(to_hex(struct_hash(ListTransfers{account, "svc-local", "10", "", timestamp_ms})),
            "e07354755d2c51843cb2a94c9b9012aba12d4d21a440c94613a073d141a32594");
  EXPECT_EQ(to_hex(struct_hash(ReadTransfer{account, "svc-local", "t-1", timestamp_ms})),
            "bb4d6240b746d579d3efa19a93883b31a27ef7849023368ba86ca17b02bc3489");
}

}  // namespace SVC_FILE
}  // namespace svc::signing
