#include <gtest/gtest.h>

#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr std::int64_t block_ms = 12'000;

signing::PrivateKey key_of(char digit) {
  return *signing::PrivateKey::from_hex(std::string(64, digit));
}

TEST(Withdrawals, DebitTheAccountAtOnceAndSettleAfterTwelveBlocks) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  const Trader trader(exchange, std::size_t{0});
  const Reply made = owner.withdraw("1500.25");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(
      made.body,
      (Json{
          {"id", "wd_0000000000000001"}, {"amount", "1500.25"}, {"timestamp", test_start_ms}, {"status", "pending"}}));
  EXPECT_EQ(trader.get("/account").body["balance"], "98499.75");
  EXPECT_EQ(trader.get("/withdrawals").body, Json::array({made.body}));

  const TimestampMs final_ms = (test_start_ms / block_ms + 12) * block_ms;
  exchange.control("/time", {{"set_ms", final_ms - 1}});
  EXPECT_EQ(trader.get("/withdrawals").body[0]["status"], "pending");
  exchange.control("/time", {{"advance_ms", 1}});
  EXPECT_EQ(trader.get("/withdrawals").body[0]["status"], "settled");
  EXPECT_EQ(trader.get("/account").body["balance"], "98499.75");
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(Withdrawals, AreListedNewestFirstToTheirOwnerOnly) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  ASSERT_EQ(owner.withdraw("1").status, 200);
  ASSERT_EQ(owner.withdraw("2").status, 200);
  const Json listed = Trader(exchange, std::size_t{0}).get("/withdrawals").body;
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0]["amount"], "2");
  EXPECT_EQ(listed[1]["amount"], "1");
  const Json activity = Trader(exchange, std::size_t{0}).get("/account/activity").body;
  EXPECT_EQ(activity[0]["reference"], listed[0]["id"]);
  EXPECT_EQ(activity[1]["reference"], listed[1]["id"]);
  EXPECT_EQ(Trader(exchange, std::size_t{0}).get("/withdrawals?limit=1").body.size(), 1u);
  EXPECT_EQ(Trader(exchange, 1).get("/withdrawals").body, Json::array());
}

TEST(Withdrawals, TheSignatureDeterminesTheScaleOfTheAmount) {
  struct Row {
    Json amount;
    std::uint64_t units;
    const char* withdrawn;
  };
  const Row rows[] = {{"2", 2'000'000, "2"},       {"2000000", 2'000'000, "2"}, {2'000'000, 2'000'000, "2"},
                      {2, 2'000'000, "2"},         {"0.5", 500'000, "0.5"},     {7, 7, "0.000007"},
                      {"2.000000", 2'000'000, "2"}};
  TestExchange exchange;
  Owner owner(exchange, 0);
  for (const Row& row : rows) {
    const Reply made = exchange.post("/v1/withdrawals", owner.withdrawal(row.amount, row.units));
    ASSERT_EQ(made.status, 200) << row.amount << made.body;
    EXPECT_EQ(made.body["amount"], row.withdrawn) << row.amount;
  }
  Json body = owner.withdrawal("3", 3'000'000);
  body["nonce"] = std::to_string(body["nonce"].get<std::uint64_t>());
  body["asset"] = "USDX";
  EXPECT_EQ(exchange.post("/v1/withdrawals", body).status, 200);
  body = owner.withdrawal("3", 3'000'000);
  body["asset"] = "0x" + std::string(20, 'c') + std::string(20, 'C');
  EXPECT_EQ(exchange.post("/v1/withdrawals", body).status, 200);
}

TEST(Withdrawals, ASignatureThatIsNotTheWalletsIsRefusedOpaquely) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  ASSERT_EQ(owner.withdraw("1", {.nonce = 10}).status, 200);
  struct Row {
    const char* what;
    Json body;
  };
  Json unsigned_body = owner.withdrawal("1", 1'000'000, {.nonce = 20});
  unsigned_body["signature"] = "0x1234";
  const Row rows[] = {
      {"another amount", owner.withdrawal("2", 1'000'001, {.nonce = 20})},
      {"another wallet", owner.withdrawal("1", 1'000'000, {.nonce = 20, .signer = key_of('7')})},
      {"another domain", owner.withdrawal("1", 1'000'000, {.nonce = 20, .domain_name = "Other Exchange"})},
      {"the same nonce", owner.withdrawal("1", 1'000'000, {.nonce = 10})},
      {"an older nonce", owner.withdrawal("1", 1'000'000, {.nonce = 9})},
      {"no signature", unsigned_body},
  };
  for (const Row& row : rows) {
    const Reply refused = exchange.post("/v1/withdrawals", row.body);
    EXPECT_EQ(refused.status, 401) << row.what;
    EXPECT_EQ(refused.body, (Json{{"code", "unauthorized"}})) << row.what;
  }
  // None of them spent the nonce.
  EXPECT_EQ(owner.withdraw("1", {.nonce = 20}).status, 200);
}

TEST(Withdrawals, AreRefusedWith403AndSpendTheirNonce) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  const Reply refused = owner.withdraw("100000.000001", {.nonce = 5});
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.code(), "InsufficientBalance");
  EXPECT_EQ(owner.withdraw("1", {.nonce = 5}).status, 401);
  EXPECT_EQ(owner.withdraw("2000000000000", {.nonce = 5}).status, 401);
  EXPECT_EQ(Trader(exchange, std::size_t{0}).get("/withdrawals").body, Json::array());

  ASSERT_EQ(exchange.control("/accounts/" + owner.account() + "/freeze", Json::object()).status, 200);
  const Reply frozen = owner.withdraw("1", {.nonce = 6});
  EXPECT_EQ(frozen.status, 403);
  EXPECT_EQ(frozen.code(), "withdrawal_rejected");
  ASSERT_EQ(exchange.control("/accounts/" + owner.account() + "/unfreeze", Json::object()).status, 200);
  EXPECT_EQ(owner.withdraw("1", {.nonce = 7}).status, 200);

  EXPECT_EQ(owner.withdraw("2000000000000", {.nonce = 8}).code(), "InvalidAmount");
  EXPECT_EQ(owner.withdraw("1", {.nonce = 8}).status, 401);
}

TEST(Withdrawals, MarginInUseCannotBeWithdrawn) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  const Trader trader(exchange, std::size_t{0});
  (void)trader.limit("Buy", "50", "60000");  // 3,000,000 USDX at 40x, and its fee
  EXPECT_EQ(owner.withdraw("99000").code(), "InsufficientBalance");
  EXPECT_EQ(owner.withdraw("20000").status, 200);
}

TEST(Withdrawals, MalformedRequestsAreRefusedBeforeTheSignatureIsChecked) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  struct Row {
    const char* field;
    Json value;
    const char* code;
  };
  const Row rows[] = {{"wallet", "0x12", "bad_wallet"},   {"amount", "-1", "InvalidAmount"},
                      {"amount", "0", "InvalidAmount"},   {"amount", "0.0000001", "InvalidAmount"},
                      {"amount", "1e3", "InvalidAmount"}, {"amount", true, "invalid_json"},
                      {"amount", "", "InvalidAmount"},    {"nonce", -1, "invalid_json"},
                      {"nonce", "0x1", "invalid_json"},   {"nonce", "007", "invalid_json"},
                      {"asset", "DOGE", "invalid_json"},  {"destination", "0x12", "invalid_json"}};
  for (const Row& row : rows) {
    Json body = owner.withdrawal("1", 1'000'000);
    body[row.field] = row.value;
    const Reply refused = exchange.post("/v1/withdrawals", body);
    EXPECT_EQ(refused.status, 400) << row.field << row.value;
    EXPECT_EQ(refused.code(), row.code) << row.field << row.value << refused.body;
  }
}

TEST(Withdrawals, AFailedOneComesBackAsADeposit) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  const Trader trader(exchange, std::size_t{0});
  const std::string id = owner.withdraw("250").body["id"];
  const Reply failed = exchange.control("/bridge/" + id + "/fail", Json::object());
  ASSERT_EQ(failed.status, 200) << failed.body;
  EXPECT_EQ(failed.body["old"], "pending");
  EXPECT_EQ(failed.body["new"], "failed");
  EXPECT_EQ(trader.get("/account").body["balance"], "100000");
  EXPECT_EQ(trader.get("/withdrawals").body[0]["status"], "failed");
  const Json refund = trader.get("/deposits?limit=1").body[0];
  EXPECT_EQ(refund["kind"], "deposit");
  EXPECT_EQ(refund["amount"], "250");
  EXPECT_EQ(exchange.violations(), Json::array());

  EXPECT_EQ(exchange.control("/bridge/" + id + "/fail", Json::object()).status, 422);
  EXPECT_EQ(exchange.control("/bridge/" + id + "/settle", Json::object()).status, 422);
  exchange.control("/time", {{"advance_ms", hour_ms}});
  EXPECT_EQ(trader.get("/withdrawals").body[0]["status"], "failed");
}

TEST(Withdrawals, AManuallySettledOneCannotFail) {
  TestExchange exchange;
  Owner owner(exchange, 0);
  const std::string id = owner.withdraw("250").body["id"];
  const Reply settled = exchange.control("/bridge/" + id + "/settle", Json::object());
  EXPECT_EQ(settled.body["old"], "pending");
  EXPECT_EQ(settled.body["new"], "settled");
  EXPECT_EQ(exchange.control("/bridge/" + id + "/fail", Json::object()).status, 422);
  EXPECT_EQ(Trader(exchange, std::size_t{0}).get("/account").body["balance"], "99750");
}

TEST(Withdrawals, SettleAtOnceOnAChainWithoutConfirmations) {
  SandboxOptions options = test_options();
  options.money.chain.withdrawal_confirmations = 0;
  TestExchange exchange(std::move(options));
  EXPECT_EQ(Owner(exchange, 0).withdraw("1").body["status"], "settled");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
