// `svc sign` and `svc verify`: offline, printing one JSON object that can be compared with any other implementation.
#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// From the facts about agent requests: a private key of 32 bytes 0x01.
constexpr std::string_view ones = "0101010101010101010101010101010101010101010101010101010101010101";
constexpr std::string_view ones_address = "0x1a642f0e3c3af545e7acbd38b07251b3990914f1";
constexpr std::string_view hmac_secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

class Offline : public ::testing::Test {
 protected:
  Offline() { machine.variables.erase("SVC_LOCAL_URL"); }
  ~Offline() override { EXPECT_TRUE(machine.origins.empty()) << "signing is offline"; }
  Json sign(const std::string& line) {
    const RunResult ran = machine.run("sign " + line);
    EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.err;
    const Json document = ran.document();
    const std::vector<std::string> members{"canonical", "type",      "domain_separator", "struct_hash",
                                           "digest",    "signature", "address"};
    EXPECT_EQ(document.keys(), members) << line;
    // With --json the same object is under `data`.
    EXPECT_EQ(machine.run("--json sign " + line).document().find("data")->dump(), document.dump());
    return document;
  }
  std::string file(const std::string& name, std::string_view text) { return machine.write(name, text).string(); }
  ClientMachine machine;
};

TEST_F(Offline, HmacRequestsMatchTheVectors) {
  const std::string key = " --key-file " + file("secret", hmac_secret);
  const std::string at = "request --scheme hmac --timestamp-ms 1700000000000 ";
  const Json read = sign(at + "--method GET --path /account/rate-limit" + key);
  EXPECT_EQ(read.string_at("signature"), "524de0af0981fed50997c24bf2be9a92e3536fe4998232321068816ea0921736");
  EXPECT_EQ(
      read.string_at("canonical"),
      "1700000000000\nGET\n/account/rate-limit\n\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_TRUE(read.find("digest")->is(Json::Kind::null));
  EXPECT_TRUE(read.find("address")->is(Json::Kind::null));
  const std::string body = file(
      "body",
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})");
  EXPECT_EQ(sign(at + "--method POST --path /api/v1/orders --body " + body + key).string_at("signature"),
            "04521c1dec8d478af0abc2077a96fe603f7e7d5da08090bfeacb5e4b8482750c");
  EXPECT_EQ(sign(at + "--method delete --path /orders --query market_id=BTC-USDX-PERP" + key).string_at("signature"),
            "1d4a40eec1c6623e972bdf31f23d33aab91040645a205ac345185b678fc1551b");
  EXPECT_TRUE(sign(at + "--method GET --path /orders").find("signature")->is(Json::Kind::null));
}

TEST_F(Offline, AgentRequestsMatchTheVector) {
  const Json signed_request = sign(
      "request --scheme agent --method GET --path /account/summary --timestamp-ms 1776033900000 "
      "--nonce 1776033900000 --key-file " +
      file("key", "0x" + std::string(ones) + "\n"));
  EXPECT_EQ(signed_request.string_at("digest"), "0xe3e5ce99d3adbeeb18ab49b7e7b24b135689fc4912c9664f40bc4a3f1dfbc6a3");
  EXPECT_EQ(
      signed_request.string_at("signature"),
      "0xd94b40dff9c3d0e0a649178b6eb3159d9a3522a1ccc66390b42a7a444b8e52c85f2d2a9d66e8a48ac5040d8e96f526d352b3b7a6866"
      "34280b9192eb6c12a61b61b");
  EXPECT_EQ(signed_request.string_at("address"), ones_address);
}

TEST_F(Offline, MessagesAreSignedLikeWalletsDo) {
  const std::string key = " --key-file " + file("key", ones);
  for (const std::string text : {"hello", "''", "'žluťoučký 🐎'", "'-- --json'"}) {
    const Json message = sign("message" + key + " -- " + text);
    const std::string plain(message.string_at("canonical").value_or("?"));
    EXPECT_EQ("'" + plain + "'", text.front() == '\'' ? text : "'" + text + "'");
    const RunResult verified =
        machine.run(std::vector<std::string>{"verify", "--message", plain, "--signature", message.text_at("signature"),
                                             "--address", std::string(ones_address)});
    EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
    EXPECT_EQ(verified.document().string_at("recovered"), ones_address);
    EXPECT_TRUE(verified.document().find("match")->truth());
  }
}

TEST_F(Offline, ActionsCoverTheExactBody) {
  const std::string key = " --key-file " + file("key", ones);
  const std::string common =
      " --account 0x1a642f0e3c3af545e7acbd38b07251b3990914f1 --deployment svc-local --timestamp-ms "
      "1700000000000 --nonce 18446744073709551615 --domain-name 'Svc Exchange'";
  const std::string body = file(
      "body",
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000.0","quantity":"0.10","time_in_force":"GTC"})");
  const Json root = sign("action --method POST --path /orders --body " + body + common + key);
  EXPECT_TRUE(
      root.string_at("type").value_or("").starts_with("PlaceOrder(address account,string domain,OrderParams order,"));
  EXPECT_EQ(root.string_at("address"), ones_address);
  const Json twin = sign("action --method POST --path /api/v1/orders --body " + body + common + key);
  EXPECT_EQ(twin.string_at("signature"), root.string_at("signature")) << "root and twin sign the same struct";
  const Json elsewhere = sign("action --chain-id 1 --method POST --path /orders --body " + body + common + key);
  EXPECT_EQ(elsewhere.string_at("struct_hash"), root.string_at("struct_hash"));
  EXPECT_NE(elsewhere.string_at("domain_separator"), root.string_at("domain_separator"));
  const std::string other = file(
      "other",
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})");
  EXPECT_NE(sign("action --method POST --path /orders --body " + other + common).string_at("struct_hash"),
            root.string_at("struct_hash"));
  EXPECT_EQ(machine.run("sign action --method GET --path /orders" + common).exit, 2) << "reads carry no action";
  EXPECT_EQ(machine.run("sign action --method POST --path /orders" + common).exit, 2) << "no body";
}

TEST_F(Offline, RegistrationsAndWithdrawalsHaveTheirOwnDomains) {
  const std::string agent =
      "register-agent --agent 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --expires-ms 1700000000000 "
      "--nonce 0 --domain-name 'Svc Exchange' --chain-id 20056";
  const Json plain = sign(agent);
  const Json salted = sign(agent + " --salt-network testnet");
  EXPECT_EQ(plain.string_at("type"), "RegisterAgent(address agent,uint64 expiresAt,uint64 nonce)");
  EXPECT_EQ(plain.string_at("struct_hash"), salted.string_at("struct_hash"));
  EXPECT_NE(plain.string_at("domain_separator"), salted.string_at("domain_separator"));
  const Json withdrawal = sign(
      "withdrawal --amount 115792089237316195423570985008687907853269984665640564039457584007913129639935 "
      "--nonce 1 --domain-name 'Svc Exchange'");
  EXPECT_EQ(withdrawal.string_at("domain_separator"), plain.string_at("domain_separator")) << "the action domain";
  EXPECT_EQ(machine.run("sign withdrawal --amount 1.5 --nonce 1 --domain-name X").exit, 2);
}

TEST_F(Offline, VerifyTellsWhyASignatureIsInvalid) {
  const std::string key = " --key-file " + file("key", ones);
  const std::string good = sign("message hello" + key).text_at("signature");
  struct Row {
    std::string signature;
    std::string address;
    int exit;
    std::string says;
  };
  const std::string r = good.substr(2, 64);
  // n - s: the malleable form of the signature.
  const std::string high_s = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";
  const Row rows[] = {
      {good, "", 0, ""},
      {good.substr(2), std::string(ones_address), 0, ""},
      {good, "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", 4, "not 0x70997970"},
      {"0x" + r + high_s + "1b", "", 4, "high s"},
      {"0x" + std::string(128, '0') + "1b", "", 4, "nobody's"},
      {"0x1234", "", 2, "130 hex digits"},
  };
  for (const Row& row : rows) {
    const RunResult ran = machine.run("verify --message hello --signature " + row.signature +
                                      (row.address.empty() ? "" : " --address " + row.address));
    EXPECT_EQ(ran.exit, row.exit) << row.signature << ran.err;
    EXPECT_TRUE(has(ran.err, row.says));
  }
  EXPECT_EQ(machine.run("verify --message a --digest 00 --signature " + good).exit, 2);
}

TEST_F(Offline, TypedDocumentsAreHashedLikeWalletsDo) {
  const std::string document =
      R"({"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},
    {"name":"chainId","type":"uint256"}],"WithdrawIntent":[{"name":"amount","type":"uint256"},{"name":"asset","type":"address"},
    {"name":"nonce","type":"uint64"}]},"primaryType":"WithdrawIntent","domain":{"name":"Svc Exchange","version":"1","chainId":20056},
    "message":{"amount":"5000000","asset":"0xcccccccccccccccccccccccccccccccccccccccc","nonce":7}})";
  const std::string key = " --key-file " + file("key", ones);
  const Json typed = sign("typed " + file("document.json", document) + key);
  const Json direct = sign("withdrawal --amount 5000000 --nonce 7 --domain-name 'Svc Exchange'" + key);
  EXPECT_EQ(typed.dump(), direct.dump());
}

TEST_F(Offline, AUniqueWalletIsFoundWithoutANetwork) {
  ASSERT_EQ(machine.run("-n local keystore new alice" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("sign message hi --wallet alice" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n testnet keystore new alice --kdf scrypt:4096" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("sign message hi --wallet alice" + machine.with_password).exit, 2) << "two networks have one";
  EXPECT_EQ(machine.run("-n testnet sign message hi --wallet alice" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("sign message hi --wallet nobody" + machine.with_password).exit, 5);
}

TEST_F(Offline, AKeyFileThatOthersCanReadIsRefused) {
  const std::string key = file("key", ones);
  std::filesystem::permissions(key, std::filesystem::perms(0644));
  const RunResult ran = machine.run("sign message hi --key-file " + key);
  EXPECT_EQ(ran.exit, 14);
  EXPECT_TRUE(ran.out.empty());
  EXPECT_TRUE(has(ran.err, "chmod 600"));
  EXPECT_EQ(machine.run("-n local keystore import x --from " + key).exit, 14);
}

TEST_F(Offline, TheSaltUsesTheNetworkInLowerCase) {
  const std::string line =
      "sign register-agent --agent 0x0000000000000000000000000000000000000001 --expires-ms 1 --nonce 1 "
      "--domain-name x --chain-id 1 --salt-network ";
  EXPECT_EQ(machine.run(line + "TestNet").out, machine.run(line + "testnet").out);
  EXPECT_EQ(machine.run(line + "''").exit, 2);
}

TEST_F(Offline, TimestampsUseTheWholeRangeOfTheirField) {
  const std::string request = "sign request --method GET --path /account --timestamp-ms 18446744073709551615 ";
  const RunResult agent = machine.run(request + "--scheme agent --nonce 7");
  EXPECT_EQ(agent.exit, 0) << agent.err;
  EXPECT_TRUE(has(agent.out, "\\n18446744073709551615\\n7\""));
  EXPECT_EQ(machine.run(request + "--scheme hmac").exit, 2) << "a time";
}

}  // namespace SVC_FILE
}  // namespace svc::cli
