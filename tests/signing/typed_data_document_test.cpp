#include "signing/typed_data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/limits.h"
#include "signing/actions.h"
#include "signing/domain.h"

namespace svc::signing {
namespace SVC_FILE {

using nlohmann::json;

// The example of EIP-712.
constexpr std::string_view mail_text = R"({
  "types": {
    "EIP712Domain": [{"name":"name","type":"string"},{"name":"version","type":"string"},
                     {"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],
    "Person": [{"name":"name","type":"string"},{"name":"wallet","type":"address"}],
    "Mail": [{"name":"from","type":"Person"},{"name":"to","type":"Person"},{"name":"contents","type":"string"}]},
  "primaryType": "Mail",
  "domain": {"name":"Ether Mail","version":"1","chainId":1,"verifyingContract":"0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"},
  "message": {"from":{"name":"Cow","wallet":"0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},
              "to":{"name":"Bob","wallet":"0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},"contents":"Hello, Bob!"}})";

constexpr const char* least_int256 = "-57896044618658097711785492504343953926634992332820282019728792003956564819968";

json mail() {
  return json::parse(mail_text);
}

std::string error_of(const json& document) {
  const auto hashes = hash_typed_data(document.dump());
  return hashes ? "none" : hashes.error();
}

// A document with one member `v` of the type.
json document_of(const char* type, json value) {
  return {{"types", {{"T", {{{"name", "v"}, {"type", type}}}}}},
          {"primaryType", "T"},
          {"domain", json::object()},
          {"message", {{"v", std::move(value)}}}};
}

TEST(TypedDataDocument, GivesTheHashesOfTheStandardsExample) {
  const auto hashes = hash_typed_data(mail_text);
  ASSERT_TRUE(hashes) << hashes.error();
  EXPECT_EQ(hashes->type, "Mail(Person from,Person to,string contents)Person(string name,address wallet)");
  EXPECT_EQ(to_hex(hashes->domain_separator), "f2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f");
  EXPECT_EQ(to_hex(*hashes->struct_hash), "c52c0ee5d84264471806290a3f2c4cecfc5490626bf912d01f240d7a274b371e");
  EXPECT_EQ(to_hex(hashes->digest), "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
}

TEST(TypedDataDocument, InfersTheDomainTypeFromTheDomain) {
  json document = mail();
  document["types"].erase("EIP712Domain");
  EXPECT_EQ(hash_typed_data(document.dump())->digest, hash_typed_data(mail_text)->digest);
  document["domain"]["colour"] = "red";
  EXPECT_EQ(error_of(document), "domain: expected no members but name, version, chainId, verifyingContract and salt");
}

TEST(TypedDataDocument, AgreesWithOurOwnStructs) {
  const Domain domain = registration_domain("Svc Exchange", 20056, "testnet");
  const RegisterAgent registration{*parse_address("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"), 1'700'086'400'000,
                                   UINT64_MAX};
  const json document = {
      {"types",
       {{"RegisterAgent",
         {{{"name", "agent"}, {"type", "address"}},
          {{"name", "expiresAt"}, {"type", "uint64"}},
          {{"name", "nonce"}, {"type", "uint64"}}}}}},
      {"primaryType", "RegisterAgent"},
      {"domain",
       {{"name", "Svc Exchange"}, {"version", "1"}, {"chainId", "0x4e58"}, {"salt", to_hex_0x(*domain.salt)}}},
      {"message",
       {{"agent", to_string(registration.agent)},
        {"expiresAt", 1'700'086'400'000},
        {"nonce", "18446744073709551615"}}}};
  const auto hashes = hash_typed_data(document.dump());
  ASSERT_TRUE(hashes) << hashes.error();
  EXPECT_EQ(hashes->type, type_string<RegisterAgent>());
  EXPECT_EQ(hashes->domain_separator, separator(domain));
  EXPECT_EQ(hashes->struct_hash, struct_hash(registration));
  EXPECT_EQ(hashes->digest, typed_data_digest(separator(domain), struct_hash(registration)));
}

TEST(TypedDataDocument, OfTheDomainItselfSignsTheDomainAlone) {
  json document = mail();
  document["primaryType"] = "EIP712Domain";
  const auto hashes = hash_typed_data(document.dump());
  ASSERT_TRUE(hashes) << hashes.error();
  EXPECT_FALSE(hashes->struct_hash);
  EXPECT_EQ(hashes->digest, keccak256(std::string("\x19\x01", 2) +
                                      std::string(hashes->domain_separator.begin(), hashes->domain_separator.end())));
}

TEST(TypedDataDocument, TakesIntegersUpToTheEdgesOfTheirTypes) {
  struct Row {
    const char* type;
    std::vector<json> accepted, refused;
  };
  const Row rows[] = {
      {"uint8",
       {0, 255, "255", "0xff", "0"},
       {256, "256", "0x100", -1, "-1", 1.5, "1.5", "", "0x", true, nullptr, "1e2", json::array()}},
      {"int8", {0, 127, -128, "-128", "0x7f", "-0"}, {128, -129, "128", "-129", "0x80", "-0x1", "--1", "+1"}},
      {"uint64", {"18446744073709551615"}, {"18446744073709551616"}},
      {"uint256",
       {"115792089237316195423570985008687907853269984665640564039457584007913129639935", (1ll << 53) - 1},
       {"115792089237316195423570985008687907853269984665640564039457584007913129639936", 1ll << 53,
        18446744073709551615ull}},
      {"int256",
       {"57896044618658097711785492504343953926634992332820282019728792003956564819967", least_int256,
        -((1ll << 53) - 1)},
       {"57896044618658097711785492504343953926634992332820282019728792003956564819968",
        "-57896044618658097711785492504343953926634992332820282019728792003956564819969", -(1ll << 53), INT64_MIN}},
  };
  for (const Row& row : rows) {
    for (const json& value : row.accepted)
      EXPECT_EQ(error_of(document_of(row.type, value)), "none") << row.type << value;
    for (const json& value : row.refused)
      EXPECT_NE(error_of(document_of(row.type, value)), "none") << row.type << value;
  }
}

TEST(TypedDataDocument, EncodesNegativeIntegersInTwosComplement) {
  const std::string sign(60, 'f');
  const std::pair<json, std::string> rows[] = {
      {-1, sign + "ffff"},   {"-128", sign + "ff80"},      {-12'345, sign + "cfc7"},
      {-256, sign + "ff00"}, {"-0", std::string(64, '0')}, {json(least_int256), "8" + std::string(63, '0')}};
  for (const auto& [value, word] : rows) {
    const auto hashes = hash_typed_data(document_of("int256", value).dump());
    ASSERT_TRUE(hashes) << hashes.error();
    const std::string encoded = to_hex(keccak256(hashes->type)) + word;
    EXPECT_EQ(hashes->struct_hash, keccak256(*from_hex(encoded))) << value;
  }
}

TEST(TypedDataDocument, NamesThePlaceAndWhatWasExpected) {
  struct Row {
    json document;
    std::string_view error;
  };
  const json hello = {{"name", "x"}};
  const Row rows[] = {
      {document_of("string", 5), "message.v: expected a string"},
      {document_of("bool", 1), "message.v: expected true or false"},
      {document_of("bytes", "12"), "message.v: expected bytes: 0x and pairs of hex digits"},
      {document_of("bytes", "0x1"), "message.v: expected bytes: 0x and pairs of hex digits"},
      {document_of("bytes4", "0x010203"), "message.v: expected 0x and exactly 8 hex digits"},
      {document_of("address", "0x12"), "message.v: expected an address: 0x and 40 hex digits"},
      {document_of("address", "0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
       "message.v: the letter case of the address is not its checksum"},
      {document_of("string[]", "x"), "message.v: expected an array"},
      {document_of("string[2]", {"x"}), "message.v: expected an array of 2, not 1"},
      {document_of("uint8[][2]", {{1}, {2, 256}}), "message.v[1][1]: does not fit uint8"},
      {document_of("uint", 1), "types.T.v: type `uint` is not declared"},
      {document_of("uint7", 1), "types.T.v: type `uint7` is not declared"},
      {document_of("uint264", 1), "types.T.v: type `uint264` is not declared"},
      {document_of("uint08", 1), "types.T.v: type `uint08` is not declared"},
      {document_of("bytes33", "0x"), "types.T.v: type `bytes33` is not declared"},
      {document_of("bytes0", "0x"), "types.T.v: type `bytes0` is not declared"},
      {document_of("Other", 1), "types.T.v: type `Other` is not declared"},
      {document_of("string[", 1), "types.T[0]: `string[` is not a type"},
      {document_of("string]", 1), "types.T[0]: `string]` is not a type"},
      {document_of("string[-1]", 1), "types.T[0]: `string[-1]` is not a type"},
      {document_of("string[01]", 1), "types.T[0]: `string[01]` is not a type"},
      {document_of("", 1), "types.T[0]: `` is not a type"},
      {document_of("a b", 1), "types.T[0]: `a b` is not a type"},
      {document_of("T", {{"v", json::object()}}), "message.v.v.v: is missing; expected T"},
      {document_of("T", nullptr), "message.v: expected an object of type T"},
  };
  for (const Row& row : rows) EXPECT_EQ(error_of(row.document), row.error) << row.document;
}

TEST(TypedDataDocument, WithMalformedPartsIsRefused) {
  for (const char* member : {"types", "primaryType", "domain", "message"}) {
    json document = mail();
    document.erase(member);
    EXPECT_EQ(error_of(document), std::string(member) + ": is missing");
    document[member] = 7;
    EXPECT_NE(error_of(document), "none") << member;
  }
  json document = mail();
  document["types"]["uint256"] = json::array();
  EXPECT_EQ(error_of(document), "types: `uint256` is an atomic type");
  document = mail();
  document["types"]["a b"] = json::array();
  EXPECT_EQ(error_of(document), "types: `a b` is not an identifier");
  document = mail();
  document["types"]["Person"][1]["name"] = "name";
  EXPECT_EQ(error_of(document), "types.Person[1]: member `name` occurs twice");
  document = mail();
  document["types"]["Person"][1].erase("type");
  EXPECT_EQ(error_of(document), "types.Person[1]: expected {\"name\": string, \"type\": string}");
  document = mail();
  document["domain"].erase("version");
  EXPECT_EQ(error_of(document), "domain.version: is missing; expected string");
  for (const std::string_view text : {"", "[]", "null", "{", "{}{}", R"({"types":{},"types":{}})"})
    EXPECT_FALSE(hash_typed_data(text)) << text;
}

TEST(TypedDataDocument, IsBounded) {
  json document = mail();
  for (std::size_t i = document["types"].size(); i < limits::typed_data_types_max; ++i)
    document["types"]["T" + std::to_string(i)] = json::array();
  EXPECT_EQ(error_of(document), "none");
  document["types"]["Last"] = json::array();
  EXPECT_EQ(error_of(document), "types: more than 256 struct types");

  std::string text(mail_text);
  text.append(limits::typed_data_bytes_max - text.size(), ' ');
  EXPECT_TRUE(hash_typed_data(text));
  EXPECT_FALSE(hash_typed_data(text + ' '));

  // Types may be recursive; a value ends where its arrays are empty.
  EXPECT_EQ(error_of(document_of("T[]", json::array())), "none");
  json deep = json::array();
  for (std::size_t i = 0; i < limits::signing_json_depth_max; ++i) deep = json::array({deep});
  EXPECT_EQ(error_of(document_of("uint8[]", deep)), "nested deeper than 64 levels");
}

}  // namespace SVC_FILE
}  // namespace svc::signing
