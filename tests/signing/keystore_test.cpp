#include "signing/keystore.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/limits.h"

namespace svc::signing {
namespace SVC_FILE {

using nlohmann::json;

constexpr ScryptCost cheap{.n = 2, .r = 1, .p = 1};
constexpr std::string_view key_text = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";

SealEntropy entropy_of(std::uint8_t fill) {
  SealEntropy entropy;
  entropy.salt.fill(fill);
  entropy.iv.fill(fill);
  entropy.id.fill(fill);
  return entropy;
}

const PrivateKey key = *PrivateKey::from_hex(key_text);
const Secret password("testpassword");

json cheap_document() {
  return json::parse(write_keystore(key, password, cheap, entropy_of(7)));
}

SealError error_of(const json& document) {
  const auto opened = read_keystore(document.dump(), password);
  EXPECT_FALSE(opened);
  return opened ? SealError::malformed : opened.error();
}

// The two examples of the Web3 secret storage definition.
constexpr std::string_view pbkdf2_file = R"({"crypto":{"cipher":"aes-128-ctr",
  "cipherparams":{"iv":"6087dab2f9fdbbfaddc31a909735c1e6"},
  "ciphertext":"5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46","kdf":"pbkdf2",
  "kdfparams":{"c":262144,"dklen":32,"prf":"hmac-sha256","salt":"ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},
  "mac":"517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"},
  "id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3})";
constexpr std::string_view scrypt_file = R"({"crypto":{"cipher":"aes-128-ctr",
  "cipherparams":{"iv":"83dbcc02d8ccb40e466191a123791e0e"},
  "ciphertext":"d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c","kdf":"scrypt",
  "kdfparams":{"dklen":32,"n":262144,"p":8,"r":1,"salt":"ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
  "mac":"2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"},
  "id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3})";

TEST(Keystore, OpensThePublishedFiles) {
  for (const std::string_view file : {pbkdf2_file, scrypt_file}) {
    const auto opened = read_keystore(file, password);
    ASSERT_TRUE(opened) << keystore_text(opened.error());
    EXPECT_EQ(opened->to_hex().reveal(), key_text);
  }
}

TEST(Keystore, DescribesWhatItNeedsToBeOpened) {
  const auto published = inspect_keystore(scrypt_file);
  ASSERT_TRUE(published);
  EXPECT_EQ(published->seal.kdf, "scrypt");
  EXPECT_EQ(published->seal.cost, 262'144u);
  EXPECT_EQ(published->id, "3198bc9c-6672-5ab3-d995-4942343ae5b6");
  EXPECT_FALSE(published->address);
  EXPECT_EQ(inspect_keystore(pbkdf2_file)->seal.kdf, "pbkdf2");
  EXPECT_EQ(inspect_keystore(cheap_document().dump())->address, key.address());
}

TEST(Keystore, IsAFunctionOfItsEntropy) {
  EXPECT_EQ(write_keystore(key, password, cheap, entropy_of(7)), cheap_document().dump());
  EXPECT_NE(write_keystore(key, password, cheap, entropy_of(8)), cheap_document().dump());
  EXPECT_EQ(cheap_document()["id"], "07070707-0707-4707-8707-070707070707");
  EXPECT_EQ(cheap_document()["version"], 3);
}

TEST(Keystore, OpensWithItsPasswordOnly) {
  const std::string text = cheap_document().dump();
  EXPECT_EQ(read_keystore(text, password)->address(), key.address());
  for (const char* wrong : {"", "testpasswor", "testpassword ", "Testpassword"}) {
    const auto opened = read_keystore(text, Secret(wrong));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), SealError::wrong_key);
  }
}

TEST(Keystore, OpensFilesOfOtherTools) {
  const json original = cheap_document();
  std::vector<json> variants;
  const auto vary = [&](auto change) {
    variants.push_back(original);
    change(variants.back());
  };
  vary([](json& d) { d["Crypto"] = d["crypto"], d.erase("crypto"); });  // geth of old, ethers
  vary([](json& d) { d.erase("address"); });
  vary([](json& d) { d["address"] = ""; });
  vary([](json& d) { d["address"] = "0x" + d["address"].get<std::string>(); });
  vary([](json& d) { d["version"] = "3"; });
  vary([](json& d) { d["crypto"]["mac"] = "0x" + d["crypto"]["mac"].get<std::string>(); });
  vary([](json& d) { d["crypto"]["kdfparams"]["dklen"] = 64; });
  vary([](json& d) { d["x-ethers"] = {{"client", "ethers"}}; });
  vary([](json& d) { d.erase("id"); });
  for (const json& document : variants) {
    const auto opened = read_keystore(document.dump(), password);
    ASSERT_TRUE(opened) << keystore_text(opened.error()) << " " << document;
    EXPECT_EQ(opened->address(), key.address());
  }
}

TEST(Keystore, RefusesADamagedFile) {
  json document = cheap_document();
  std::string ciphertext = document["crypto"]["ciphertext"];
  ciphertext[0] = ciphertext[0] == '0' ? '1' : '0';
  document["crypto"]["ciphertext"] = ciphertext;
  EXPECT_EQ(error_of(document), SealError::wrong_key);

  document = cheap_document();
  document["address"] = "0000000000000000000000000000000000000001";
  EXPECT_EQ(error_of(document), SealError::address_mismatch);

  document = cheap_document();
  document["address"] = "12";
  EXPECT_EQ(error_of(document), SealError::malformed);

  for (const char* member : {"crypto", "version"}) {
    document = cheap_document();
    document.erase(member);
    EXPECT_EQ(error_of(document), SealError::malformed) << member;
  }
  for (const char* member : {"cipher", "cipherparams", "ciphertext", "kdf", "kdfparams", "mac"}) {
    document = cheap_document();
    document["crypto"].erase(member);
    EXPECT_EQ(error_of(document), SealError::malformed) << member;
    document["crypto"][member] = 5;
    EXPECT_EQ(error_of(document), SealError::malformed) << member;
  }
  for (const std::string_view text : {"", "{", "[]", "null", "3", "\"x\"", R"({"version":3,"crypto":{},"Crypto":{}})"})
    EXPECT_EQ(read_keystore(text, password).error(), SealError::malformed) << text;
}

TEST(Keystore, RefusesAnUnsupportedKind) {
  struct Row {
    json::json_pointer at;
    json value;
  };
  const Row rows[] = {
      {json::json_pointer("/version"), 1},
      {json::json_pointer("/crypto/cipher"), "aes-256-cbc"},
      {json::json_pointer("/crypto/kdf"), "argon2id"},
      {json::json_pointer("/crypto/kdfparams/dklen"), 31},
  };
  for (const Row& row : rows) {
    json document = cheap_document();
    document[row.at] = row.value;
    EXPECT_EQ(error_of(document), SealError::unsupported) << row.at;
  }
  json document = json::parse(pbkdf2_file);
  document["crypto"]["kdfparams"]["prf"] = "hmac-sha1";
  EXPECT_EQ(error_of(document), SealError::unsupported);
}

TEST(Keystore, CannotExhaustMemoryOrTime) {
  struct Row {
    json n, r, p;
  };
  const Row rows[] = {
      {0, 8, 1},       {1, 8, 1},          {3, 8, 1},          {1000, 8, 1},       {2, 0, 1},
      {2, 1, 0},       {1 << 21, 8, 1},    {1 << 23, 2, 1},    {1 << 18, 8, 8},    {2, 1 << 23, 1},
      {2, 1, 1 << 23}, {1ull << 40, 8, 1}, {2, 1ull << 33, 1}, {1ull << 63, 1, 1}, {2, 1, 1ull << 32},
  };
  for (const Row& row : rows) {
    json document = cheap_document();
    document["crypto"]["kdfparams"].update({{"n", row.n}, {"r", row.r}, {"p", row.p}});
    EXPECT_EQ(error_of(document), SealError::kdf_out_of_bounds) << row.n << " " << row.r << " " << row.p;
  }
  for (const std::uint64_t iterations : {std::uint64_t{0}, limits::pbkdf2_iterations_max + 1, UINT64_MAX}) {
    json document = json::parse(pbkdf2_file);
    document["crypto"]["kdfparams"]["c"] = iterations;
    EXPECT_EQ(error_of(document), SealError::kdf_out_of_bounds) << iterations;
  }
  for (const json& malformed : {json(-1), json(2.5), json("x"), json(nullptr), json("2 ")}) {
    json document = cheap_document();
    document["crypto"]["kdfparams"]["n"] = malformed;
    EXPECT_EQ(error_of(document), SealError::malformed) << malformed;
  }
}

TEST(Keystore, ReadsAFileOfTheLargestSizeAndNotOneByteMore) {
  std::string text = cheap_document().dump();
  text.append(limits::keystore_bytes_max - text.size(), ' ');
  EXPECT_TRUE(read_keystore(text, password));
  EXPECT_EQ(read_keystore(text + ' ', password).error(), SealError::malformed);
}

TEST(Keystore, RefusesAFileWithoutAKey) {
  const std::string zero(32, '\0');
  for (const std::string& plain : {std::string(), std::string("short"), zero, std::string(33, 'x')}) {
    const auto opened = read_keystore(seal(as_bytes(plain), password, cheap, entropy_of(1)), password);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), SealError::not_a_key);
  }
}

TEST(SealedBox, HoldsAnyBytesUnderAPasswordOrAKey) {
  const SealKey seal_key(std::array<std::uint8_t, 32>{1, 2, 3});
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{64}, limits::sealed_bytes_max}) {
    const std::string plain(size, 'p');
    EXPECT_EQ(open(seal(as_bytes(plain), password, cheap, entropy_of(1)), password)->reveal(), plain);
    EXPECT_EQ(open(seal(as_bytes(plain), seal_key, entropy_of(1)), seal_key)->reveal(), plain);
  }
}

TEST(SealedBox, OpensOnlyTheWayItWasSealed) {
  const SealKey seal_key(std::array<std::uint8_t, 32>{1, 2, 3});
  const std::string by_key = seal(as_bytes("token"), seal_key, entropy_of(1));
  const std::string by_password = seal(as_bytes("token"), password, cheap, entropy_of(1));
  EXPECT_EQ(open(by_key, SealKey(std::array<std::uint8_t, 32>{1, 2, 4})).error(), SealError::wrong_key);
  EXPECT_EQ(open(by_key, password).error(), SealError::key_needed);
  EXPECT_EQ(open(by_password, seal_key).error(), SealError::password_needed);
  EXPECT_EQ(read_keystore(by_key, password).error(), SealError::key_needed);
  EXPECT_EQ(inspect_seal(by_key)->kdf, "none");
  EXPECT_EQ(by_password.find("token"), std::string::npos);
}

}  // namespace SVC_FILE
}  // namespace svc::signing
