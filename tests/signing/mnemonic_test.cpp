#include "signing/mnemonic.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace svc::signing {
namespace SVC_FILE {

constexpr std::string_view dev_phrase = "test test test test test test test test test test test junk";

std::string seed_hex(std::string_view phrase, std::string_view passphrase) {
  const auto seed = mnemonic_seed(phrase, passphrase);
  return seed ? to_hex(as_bytes(seed->reveal())) : to_string(seed.error());
}

TEST(Mnemonic, MatchesThePublishedVectors) {
  struct Row {
    std::string_view entropy, phrase, seed;
  };
  const Row rows[] = {
      {"00000000000000000000000000000000",
       "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
       "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81"
       "b2f"
       "001698e7463b04"},
      {"7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
       "legal winner thank year wave sausage worth useful legal winner thank yellow",
       "2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee62"
       "60e"
       "8d9739fce1f607"},
      {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
       "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote",
       "dd48c104698c30cfe2b6142103248622fb7bb0ff692eebb00089b32d22484e1613912f0a5b694407be899ffd31ed3992c456cdf60f5d456"
       "4b8"
       "ba3f05a69890ad"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(mnemonic_of(*from_hex(row.entropy)).reveal(), row.phrase);
    EXPECT_EQ(seed_hex(row.phrase, "TREZOR"), row.seed);
  }
}

TEST(Mnemonic, DerivesTheDevAccounts) {
  const auto seed = mnemonic_seed(dev_phrase);
  ASSERT_TRUE(seed);
  const std::string_view addresses[] = {"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                                        "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                                        "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"};
  for (std::uint32_t index = 0; index < std::size(addresses); ++index) {
    const auto key = derive_account(*seed, index);
    ASSERT_TRUE(key);
    EXPECT_EQ(to_string(key->address()), addresses[index]);
  }
  EXPECT_EQ(derive_account(*seed, 0)->to_hex().reveal(),
            "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
}

TEST(Mnemonic, IgnoresCaseAndExtraBlanks) {
  const std::string expected = seed_hex(dev_phrase, "");
  EXPECT_EQ(seed_hex("  Test TEST\ttest test  test test test test test test test\njunk\r\n", ""), expected);
  EXPECT_NE(seed_hex(dev_phrase, "x"), expected);
}

TEST(Mnemonic, ReportsWhatIsWrong) {
  struct Row {
    std::string_view phrase;
    MnemonicError error;
  };
  const Row rows[] = {
      {"", MnemonicError::word_count},
      {" ", MnemonicError::word_count},
      {"test", MnemonicError::word_count},
      {"test test test test test test test test test test junk", MnemonicError::word_count},
      {"test test test test test test test test test test test test junk", MnemonicError::word_count},
      {"test test test test test test test test test test test jun", MnemonicError::unknown_word},
      {"test test test test test test test test test test test zzzz", MnemonicError::unknown_word},
      {"test test test test test test test test test test test test", MnemonicError::checksum},
      {"junk test test test test test test test test test test test", MnemonicError::checksum},
  };
  for (const Row& row : rows) {
    const auto seed = mnemonic_seed(row.phrase);
    ASSERT_FALSE(seed) << row.phrase;
    EXPECT_EQ(seed.error(), row.error) << row.phrase;
  }
}

TEST(Mnemonic, OfEveryLengthIsAccepted) {
  for (std::size_t size = 16; size <= 32; size += 4) {
    Bytes entropy(size);
    for (std::size_t i = 0; i < size; ++i) entropy[i] = static_cast<std::uint8_t>(37 * i + size);
    EXPECT_TRUE(mnemonic_seed(mnemonic_of(entropy).reveal())) << size;
  }
}

TEST(HdKey, MatchesThePublishedVectors) {
  struct Row {
    std::string_view seed;
    std::vector<std::uint32_t> path;
    std::string_view key;
  };
  constexpr std::string_view first = "000102030405060708090a0b0c0d0e0f";
  constexpr std::string_view leading_zeros =
      "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df"
      "2e5a3c"
      "51c73235be";
  const Row rows[] = {
      {first, {}, "0xe8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"},
      {first, {hardened}, "0xedb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea"},
      {first, {hardened, 1}, "0x3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368"},
      {first,
       {hardened, 1, 2 | hardened, 2, 1'000'000'000},
       "0x471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8"},
      {leading_zeros, {hardened}, "0x491f7a2eebc7b57028e0d3faa0acda02e75c33b03c48fb288c41e2ea44e1daef"},
  };
  for (const Row& row : rows) {
    auto key = HdKey::from_seed(*from_hex(row.seed));
    for (const std::uint32_t number : row.path) key = key->child(number);
    EXPECT_EQ(key->key().to_hex().reveal(), row.key);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::signing
