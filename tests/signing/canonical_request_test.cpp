#include "signing/hmac.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/encoding.h"
#include "signing/key.h"

namespace svc::signing {
namespace SVC_FILE {

constexpr std::string_view secret_text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
constexpr TimestampMs timestamp_ms = 1'700'000'000'000;
constexpr std::string_view order_body =
    R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})";

TEST(HmacCanonical, HasFiveLinesWithoutATrailingLineFeed) {
  EXPECT_EQ(hmac_canonical({"GET", "/account/rate-limit", "", ""}, timestamp_ms),
            "1700000000000\nGET\n/account/rate-limit\n\n"
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HmacCanonical, WritesTheMethodInUpperCaseAndTheQueryAsSent) {
  EXPECT_EQ(hmac_canonical({"get", "/fills", "cursor=a%2Fb+c&limit=1", ""}, 7),
            "7\nGET\n/fills\ncursor=a%2Fb+c&limit=1\n"
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HmacKey, SignsTheKnownRequests) {
  struct Row {
    RequestParts request;
    std::string_view signature;
  };
  const Row rows[] = {
      {{"GET", "/account/rate-limit", "", ""}, "524de0af0981fed50997c24bf2be9a92e3536fe4998232321068816ea0921736"},
      {{"POST", "/api/v1/orders", "", order_body}, "04521c1dec8d478af0abc2077a96fe603f7e7d5da08090bfeacb5e4b8482750c"},
      {{"DELETE", "/orders", "market_id=BTC-USDX-PERP", ""},
       "1d4a40eec1c6623e972bdf31f23d33aab91040645a205ac345185b678fc1551b"},
  };
  const auto key = HmacKey::from_hex(secret_text);
  ASSERT_TRUE(key);
  for (const Row& row : rows) {
    const std::string canonical = hmac_canonical(row.request, timestamp_ms);
    EXPECT_EQ(key->sign_hex(canonical), row.signature) << row.request.path;
    EXPECT_TRUE(key->verify(canonical, row.signature));
  }
}

TEST(HmacKey, IsTheDecodedHexText) {
  EXPECT_FALSE(HmacKey::from_hex(""));
  EXPECT_FALSE(HmacKey::from_hex("0"));
  EXPECT_FALSE(HmacKey::from_hex("zz"));
  EXPECT_FALSE(HmacKey::from_hex("0x00"));
  EXPECT_EQ(HmacKey::from_hex("AB")->sign_hex("m"), HmacKey::from_hex("ab")->sign_hex("m"));
  // A key longer than a block of 64 bytes is hashed first (RFC 4231, case 6).
  EXPECT_EQ(
      HmacKey::from_hex(std::string(262, 'a'))->sign_hex("Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacKey, VerifiesLowerCaseHexOnly) {
  const auto key = HmacKey::from_hex(secret_text);
  EXPECT_FALSE(key->verify("m", ""));
  EXPECT_FALSE(key->verify("m", key->sign_hex("m").substr(1)));
  EXPECT_FALSE(key->verify("m", "0x" + key->sign_hex("m")));
  EXPECT_FALSE(key->verify("n", key->sign_hex("m")));
}

TEST(HmacKey, SignsAlikeFromManyThreads) {
  const auto key = HmacKey::from_hex(secret_text);
  const Hash32 expected = key->sign("message");
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) count += key->sign("message") != expected;
      });
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(AgentCanonical, GivesTheKnownDigestSignatureAndAddress) {
  const auto key = PrivateKey::from_hex("0101010101010101010101010101010101010101010101010101010101010101");
  ASSERT_TRUE(key);
  const std::string canonical =
      agent_canonical({"GET", "/account/summary", "", ""}, 1'776'033'900'000, 1'776'033'900'000);
  EXPECT_EQ(canonical,
            "GET\n/account/summary\n\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
            "1776033900000\n1776033900000");
  const Hash32 digest = agent_request_digest(canonical);
  EXPECT_EQ(to_hex(digest), "e3e5ce99d3adbeeb18ab49b7e7b24b135689fc4912c9664f40bc4a3f1dfbc6a3");
  EXPECT_EQ(
      to_string(key->sign(digest)),
      "0xd94b40dff9c3d0e0a649178b6eb3159d9a3522a1ccc66390b42a7a444b8e52c85f2d2a9d66e8a48ac5040d8e96f526d352b3b7a6866"
      "34280b9192eb6c12a61b61b");
  EXPECT_EQ(to_string(key->address()), "0x1a642f0e3c3af545e7acbd38b07251b3990914f1");
}

TEST(AgentCanonical, WritesTheLargestNonce) {
  EXPECT_TRUE(agent_canonical({"POST", "/orders", "", ""}, 1, UINT64_MAX).ends_with("\n1\n18446744073709551615"));
}

}  // namespace SVC_FILE
}  // namespace svc::signing
