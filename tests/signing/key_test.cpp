#include "signing/key.h"

#include <gtest/gtest.h>

#include <set>

#include "base/encoding.h"

namespace svc::signing {
namespace SVC_FILE {

constexpr std::string_view first_dev_key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
constexpr std::string_view order_n = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
constexpr std::string_view order_n_minus_1 = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";

Hash32 digest_of(std::string_view text) {
  return keccak256(text);
}

TEST(PrivateKey, IsReadFromHexWithOrWithoutPrefix) {
  for (const std::string_view text : {first_dev_key, first_dev_key.substr(2)}) {
    const auto key = PrivateKey::from_hex(text);
    ASSERT_TRUE(key) << text;
    EXPECT_EQ(to_string(key->address()), "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    EXPECT_EQ(key->to_hex().reveal(), first_dev_key);
  }
}

TEST(PrivateKey, MustBeAboveZeroAndBelowTheGroupOrder) {
  EXPECT_FALSE(PrivateKey::from_hex(std::string(64, '0')));
  EXPECT_FALSE(PrivateKey::from_hex(order_n));
  EXPECT_FALSE(PrivateKey::from_hex(std::string(64, 'f')));
  ASSERT_TRUE(PrivateKey::from_hex(order_n_minus_1));
  const auto one = PrivateKey::from_hex(std::string(63, '0') + "1");
  ASSERT_TRUE(one);
  EXPECT_EQ(to_string(one->address()), "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf");
}

TEST(PrivateKey, IsNotReadFromMalformedText) {
  for (const std::string& text : {std::string(), std::string("0x"), std::string(63, '1'), std::string(65, '1'),
                                  std::string(62, '1') + "zz", " " + std::string(64, '1'), std::string(64, '1') + "\n"})
    EXPECT_FALSE(PrivateKey::from_hex(text)) << text;
  EXPECT_FALSE(PrivateKey::from_bytes(std::array<std::uint8_t, 31>{1}));
}

TEST(PrivateKey, SignsDeterministicallyAndRecoverFindsItsAddress) {
  const auto key = PrivateKey::from_hex(first_dev_key);
  for (int i = 0; i < 50; ++i) {
    const Hash32 digest = digest_of(std::to_string(i));
    const Signature signature = key->sign(digest);
    EXPECT_EQ(key->sign(digest), signature);
    EXPECT_EQ(recover(digest, signature), key->address());
    EXPECT_NE(recover(digest_of("another"), signature), key->address());
    EXPECT_EQ(parse_signature(to_string(signature)), signature);
  }
}

TEST(PersonalMessage, HasTheDigestThatWalletsSign) {
  const auto key = PrivateKey::from_hex(first_dev_key);
  const Hash32 digest = personal_message_digest("hello world");
  EXPECT_EQ(to_hex(digest), "d9eba16ed0ecae432b71fe008c98cc872bb4cc214d3220a36f365326cf807d68");
  EXPECT_EQ(recover(digest, key->sign(digest)), key->address());
}

TEST(PersonalMessage, CountsBytesNotCharacters) {
  EXPECT_EQ(personal_message_digest("\xC3\xA9"), keccak256("\x19"
                                                           "Ethereum Signed Message:\n2\xC3\xA9"));
  EXPECT_EQ(personal_message_digest(""), keccak256("\x19"
                                                   "Ethereum Signed Message:\n0"));
  EXPECT_EQ(login_message("Svc Exchange"), "Sign in to Svc Exchange");
}

class SignatureText : public testing::Test {
 protected:
  const Hash32 digest = digest_of("x");
  const PrivateKey key = *PrivateKey::from_hex(first_dev_key);
  const std::string text = to_string(key.sign(digest));

  std::string with_v(std::uint8_t v) const { return text.substr(0, 130) + to_hex(std::array{v}); }
};

TEST_F(SignatureText, MayLackThePrefixAndMayBeUpperCase) {
  std::string upper = text.substr(2);
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(parse_signature(text.substr(2)), key.sign(digest));
  EXPECT_EQ(parse_signature(upper), key.sign(digest));
}

TEST_F(SignatureText, TakesZeroAndOneForV) {
  std::set<int> met;
  for (int i = 0; met.size() < 2; ++i) {
    const Hash32 signed_digest = digest_of(std::to_string(i));
    const Signature signature = key.sign(signed_digest);
    const int v = signature.bytes[64];
    met.insert(v);
    const auto parsed = parse_signature(to_string(signature).substr(0, 130) + (v == 27 ? "00" : "01"));
    EXPECT_EQ(parsed, signature) << v;
    EXPECT_EQ(recover(signed_digest, *parsed), key.address()) << v;
  }
}

TEST_F(SignatureText, WithAnyOtherVIsRefused) {
  for (const int v : {2, 3, 26, 29, 35, 36, 255})
    EXPECT_FALSE(parse_signature(with_v(static_cast<std::uint8_t>(v)))) << v;
}

TEST_F(SignatureText, WithTheOtherVRecoversAnotherAddress) {
  const std::uint8_t v = key.sign(digest).bytes[64];
  const auto flipped = parse_signature(with_v(v == 27 ? 28 : 27));
  ASSERT_TRUE(flipped);
  EXPECT_NE(recover(digest, *flipped), key.address());
}

TEST_F(SignatureText, TruncatedOrTooLongIsRefused) {
  EXPECT_FALSE(parse_signature(""));
  EXPECT_FALSE(parse_signature("0x"));
  EXPECT_FALSE(parse_signature(text.substr(0, 130)));
  EXPECT_FALSE(parse_signature(text.substr(0, 131)));
  EXPECT_FALSE(parse_signature(text + "00"));
  EXPECT_FALSE(parse_signature("0x" + text));
}

TEST_F(SignatureText, WithHighSIsRefusedAndSoIsItsRecovery) {
  // n - s with the other v signs the same digest; accepting both would give one action two signatures.
  const auto n = *from_hex_exact<32>(order_n);
  Signature high = key.sign(digest);
  int borrow = 0;
  for (std::size_t i = 32; i-- > 0;) {
    const int difference = n[i] - high.bytes[32 + i] - borrow;
    borrow = difference < 0;
    high.bytes[32 + i] = static_cast<std::uint8_t>(difference + 256 * borrow);
  }
  high.bytes[64] = high.bytes[64] == 27 ? 28 : 27;
  EXPECT_FALSE(parse_signature(to_string(high)));
  EXPECT_FALSE(recover(digest, high));
}

TEST_F(SignatureText, MayHaveSOfExactlyHalfTheOrder) {
  const std::string r = text.substr(2, 64);
  EXPECT_TRUE(parse_signature(r + "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0" + "1b"));
  EXPECT_FALSE(parse_signature(r + "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1" + "1b"));
}

TEST_F(SignatureText, WithRAndSOutOfRangeRecoversNoAddress) {
  const std::string zero(64, '0');
  const std::string s = text.substr(66, 64);
  const std::string r = text.substr(2, 64);
  for (const std::string& rs : {zero + s, r + zero, zero + zero, std::string(order_n) + s, std::string(64, 'f') + s}) {
    const auto signature = parse_signature(rs + "1b");
    ASSERT_TRUE(signature) << rs;
    EXPECT_FALSE(recover(digest, *signature)) << rs;
  }
}

TEST(ChecksumAddress, MatchesThePublishedExamples) {
  for (const std::string_view text :
       {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
        "0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77"}) {
    EXPECT_EQ(checksum_address(*parse_address(text)), text);
    EXPECT_TRUE(checksum_holds(text));
  }
}

TEST(ChecksumAddress, HoldsForTextOfOneCaseAndFailsForOneWrongLetter) {
  EXPECT_TRUE(checksum_holds("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"));
  EXPECT_TRUE(checksum_holds("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"));
  EXPECT_FALSE(checksum_holds("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"));
  EXPECT_FALSE(checksum_holds("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe"));
}

}  // namespace SVC_FILE
}  // namespace svc::signing
