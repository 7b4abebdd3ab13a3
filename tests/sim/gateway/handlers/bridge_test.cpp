#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "signing/hmac.h"
#include "signing/key.h"
#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr std::int64_t block_ms = 12'000;
constexpr TimestampMs twelfth_block_ms = (test_start_ms / block_ms + 12) * block_ms;

std::string error_of(const Reply& reply) {
  return reply.body.is_object() && reply.body.contains("error") ? reply.body["error"].value("code", "") : "";
}

Reply withdraw(const Trader& trader, const std::string& amount, const std::string& key) {
  return trader.post_with("/api/v1/bridge/withdrawals", {{"amount", amount}}, {{"Idempotency-Key", key}});
}

TEST(BridgeAssets, NameTheChainOfTheNetworkAndItsTerms) {
  TestExchange exchange;
  const Reply reply = exchange.get("/api/v1/bridge/assets");
  ASSERT_EQ(reply.status, 200);
  const Json chain = reply.body["chains"][0];
  EXPECT_EQ(chain["chain"], "devchain");
  EXPECT_EQ(chain["chain_id"], 31337);
  ASSERT_EQ(chain["deposit_assets"].size(), 2u);
  EXPECT_EQ(chain["deposit_assets"][0]["symbol"], "USDC");
  EXPECT_EQ(chain["withdraw_assets"][0]["symbol"], "USDX");
  EXPECT_EQ(chain["withdraw_assets"][0]["confirmations"], 12);
  EXPECT_EQ(chain["withdraw_assets"][0]["min_amount"], "1");
  EXPECT_EQ(chain["withdraw_assets"][0]["fee"], "0");
  EXPECT_FALSE(chain["deposit_assets"][0].contains("fee"));
  SandboxOptions options = test_options();
  options.network = api::NetworkId::mainnet;
  TestExchange mainnet(std::move(options));
  EXPECT_EQ(mainnet.get("/api/v1/bridge/assets").body["chains"][0]["chain"], "ethereum");
}

TEST(BridgeWithdrawals, WithTwoIdempotencyKeysAreRefused) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Reply refused = trader.post_with("/api/v1/bridge/withdrawals", {{"amount", "1500000"}},
                                         {{"Idempotency-Key", "first"}, {"Idempotency-Key", "second"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(error_of(refused), "invalid_parameter");
  EXPECT_EQ(trader.get("/account").body["balance"], "100000");
}

TEST(BridgeWithdrawals, AreBroadcastAtOnceAndCompletedAfterTwelveBlocks) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Reply made = withdraw(trader, "1500000", "first");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.body["id"], "wdl_0000000000000001");
  EXPECT_EQ(made.body["account_id"], trader.account());
  EXPECT_EQ(made.body["address"], trader.account());
  EXPECT_EQ(made.body["amount"], "1500000");
  EXPECT_EQ(made.body["status"], "pending");
  EXPECT_EQ(made.body["tx_hash"].get<std::string>().size(), 66u);
  EXPECT_EQ(made.body["confirmations"], 0);
  EXPECT_EQ(made.body["completed_at"], Json());
  EXPECT_EQ(trader.get("/account").body["balance"], "99998.5");

  const std::string target = "/api/v1/bridge/withdrawals/" + made.body["id"].get<std::string>();
  exchange.control("/time", {{"set_ms", twelfth_block_ms - block_ms}});
  EXPECT_EQ(trader.get(target).body["confirmations"], 11);
  EXPECT_EQ(trader.get(target).body["status"], "pending");
  EXPECT_EQ(trader.get(target).body["updated_at"], twelfth_block_ms - block_ms);
  exchange.control("/time", {{"set_ms", twelfth_block_ms + hour_ms}});
  const Json completed = trader.get(target).body;
  EXPECT_EQ(completed["confirmations"], 12);
  EXPECT_EQ(completed["status"], "completed");
  EXPECT_EQ(completed["completed_at"], twelfth_block_ms);
  EXPECT_EQ(completed["updated_at"], twelfth_block_ms);
  EXPECT_EQ(trader.get("/api/v1/bridge/withdrawals?status=completed").body, Json::array({completed}));
  EXPECT_EQ(trader.get("/api/v1/bridge/withdrawals?status=pending").body, Json::array());
  EXPECT_EQ(trader.get("/account/activity").body[0]["reference"], completed["id"]);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(BridgeWithdrawals, AKeyReplaysTheFirstAnswerAndConflictsWithAnotherAmount) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Reply first = withdraw(trader, "2000000", "key-1");
  ASSERT_EQ(first.status, 201) << first.body;
  exchange.control("/time", {{"advance_ms", hour_ms}});
  const Reply again = withdraw(trader, "2000000", "key-1");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body) << "whatever became of it since";
  const Reply other = withdraw(trader, "2000001", "key-1");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(error_of(other), "idempotency_conflict");
  EXPECT_EQ(trader.get("/account").body["balance"], "99998");
  // Another account may use the same key.
  EXPECT_EQ(withdraw(Trader(exchange, 1), "2000001", "key-1").status, 201);
}

TEST(BridgeWithdrawals, AKeyLives24Hours) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const std::string first = withdraw(trader, "2000000", "key-1").body["id"];
  exchange.control("/time", {{"advance_ms", day_ms - 1}});
  EXPECT_EQ(withdraw(trader, "2000000", "key-1").body["id"], first);
  exchange.control("/time", {{"advance_ms", 1}});
  EXPECT_NE(withdraw(trader, "2000000", "key-1").body["id"], first);
  EXPECT_EQ(trader.get("/account").body["balance"], "99996");
}

TEST(BridgeWithdrawals, ConcurrentRepeatsWithdrawOnce) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  std::vector<Reply> replies(8);
  std::vector<std::jthread> threads;
  for (Reply& reply : replies) threads.emplace_back([&] { reply = withdraw(trader, "3000000", "racing"); });
  threads.clear();
  for (const Reply& reply : replies) {
    EXPECT_EQ(reply.status, 201) << reply.body;
    EXPECT_EQ(reply.body, replies.front().body);
  }
  EXPECT_EQ(trader.get("/account").body["balance"], "99997");
}

TEST(BridgeWithdrawals, ARefusalDoesNotUseUpTheKey) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  struct Row {
    const char* amount;
    const char* key;
    int status;
    const char* code;
  };
  const std::string long_key(256, 'k');
  const Row rows[] = {{"100000000001", "key", 403, "InsufficientBalance"},
                      {"999999", "key", 400, "amount_below_minimum"},
                      {"1.5", "key", 400, "InvalidAmount"},
                      {"0", "key", 400, "InvalidAmount"},
                      {"2000000", "", 400, "invalid_parameter"},
                      {"2000000", "two words", 400, "invalid_parameter"},
                      {"2000000", long_key.c_str(), 400, "invalid_parameter"}};
  for (const Row& row : rows) {
    const Reply refused = withdraw(trader, row.amount, row.key);
    EXPECT_EQ(refused.status, row.status) << row.amount << row.key;
    EXPECT_EQ(error_of(refused), row.code) << refused.body;
  }
  EXPECT_EQ(trader.post("/api/v1/bridge/withdrawals", {{"amount", "2000000"}}).status, 400) << "no key at all";
  EXPECT_EQ(trader.get("/api/v1/bridge/withdrawals").body, Json::array());
  EXPECT_EQ(withdraw(trader, "2000000", "key").status, 201);
}

TEST(BridgeWithdrawals, SwitchedOffServicesHaveTheirOwnErrors) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  struct Row {
    const char* service;
    int status;
    const char* code;
  };
  for (const Row& row : {Row{"bridge_withdrawals", 503, "bridge_withdrawals_unavailable"},
                         Row{"bridge_chain", 502, "bridge_step_failed"}}) {
    ASSERT_EQ(exchange.control("/switches", {{row.service, false}}).status, 200);
    const Reply refused = withdraw(trader, "2000000", "key");
    EXPECT_EQ(refused.status, row.status);
    EXPECT_EQ(error_of(refused), row.code);
    ASSERT_EQ(exchange.control("/switches", {{row.service, true}}).status, 200);
  }
  ASSERT_EQ(exchange.control("/accounts/" + trader.account() + "/freeze", Json::object()).status, 200);
  EXPECT_EQ(error_of(withdraw(trader, "2000000", "key")), "withdrawal_rejected");
  EXPECT_EQ(trader.get("/account").body["balance"], "100000");
  ASSERT_EQ(exchange.control("/accounts/" + trader.account() + "/unfreeze", Json::object()).status, 200);
  EXPECT_EQ(withdraw(trader, "2000000", "key").status, 201) << "the same key goes on";
}

TEST(BridgeWithdrawals, AFailedOneIsRefundedInFull) {
  SandboxOptions options = test_options();
  options.money.chain.withdrawal_fee = Usdx{500'000};
  TestExchange exchange(std::move(options));
  const Trader trader(exchange, std::size_t{0});
  const Reply made = withdraw(trader, "2000000", "key");
  EXPECT_EQ(made.body["fee"], "500000");
  EXPECT_EQ(trader.get("/account").body["balance"], "99998");
  const std::string id = made.body["id"];
  const Reply failed = exchange.control("/bridge/" + id + "/fail", Json::object());
  EXPECT_EQ(failed.body["old"], "pending");
  EXPECT_EQ(failed.body["new"], "failed");
  EXPECT_EQ(trader.get("/api/v1/bridge/withdrawals/" + id).body["status"], "failed");
  EXPECT_EQ(trader.get("/account").body["balance"], "100000");
  EXPECT_EQ(withdraw(trader, "2000000", "key").body, made.body) << "the key stands for the one that failed";
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(BridgeWithdrawals, WithoutConfirmationsAreCompletedInTheFirstAnswer) {
  SandboxOptions options = test_options();
  options.money.chain.withdrawal_confirmations = 0;
  TestExchange exchange(std::move(options));
  const Reply made = withdraw(Trader(exchange, std::size_t{0}), "2000000", "key");
  EXPECT_EQ(made.body["status"], "completed");
  EXPECT_EQ(made.body["completed_at"], test_start_ms);
}

TEST(BridgeWithdrawals, OfOthersAreNotFound) {
  TestExchange exchange;
  const std::string id = withdraw(Trader(exchange, std::size_t{0}), "2000000", "key").body["id"];
  const Trader other(exchange, 1);
  for (const std::string& unknown : {id, std::string("wdl_0000000000000009"), std::string("wdl_1"), std::string("x")}) {
    const Reply reply = other.get("/api/v1/bridge/withdrawals/" + unknown);
    EXPECT_EQ(reply.status, 404) << unknown;
    EXPECT_EQ(error_of(reply), "withdrawal_not_found");
  }
}

TEST(BridgeDeposits, AreCreditedAtTheInstantOfTheirLastConfirmation) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Reply sent =
      exchange.control("/bridge/deposits", {{"account", trader.account()}, {"amount", "75.5"}, {"asset", "USDC"}});
  ASSERT_EQ(sent.status, 200) << sent.body;
  EXPECT_EQ(sent.body["final_ms"], twelfth_block_ms);
  const std::string target = "/api/v1/bridge/deposits/" + sent.body["id"].get<std::string>();
  EXPECT_EQ(trader.get(target).body["status"], "detected");
  EXPECT_EQ(trader.get(target).body["credited_at"], Json());
  exchange.control("/time", {{"advance_ms", block_ms}});
  EXPECT_EQ(trader.get(target).body["status"], "confirming");
  EXPECT_EQ(trader.get(target).body["confirmations"], 1);
  EXPECT_EQ(trader.get("/account").body["balance"], "100000");

  // A jump over hours has the same effect as waiting.
  exchange.control("/time", {{"advance_ms", 5 * hour_ms}});
  const Json credited = trader.get(target).body;
  EXPECT_EQ(credited["status"], "credited");
  EXPECT_EQ(credited["credited_at"], twelfth_block_ms);
  EXPECT_EQ(credited["updated_at"], twelfth_block_ms);
  EXPECT_EQ(credited["confirmations"], 12);
  EXPECT_EQ(trader.get("/account").body["balance"], "100075.5");
  const Json entry = trader.get("/deposits?limit=1").body[0];
  EXPECT_EQ(entry["timestamp"], twelfth_block_ms);
  EXPECT_EQ(entry["tx_hash"], credited["tx_hash"]);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(BridgeDeposits, ArriveInTheOrderOfTheirLastConfirmation) {
  TestExchange jumping;
  TestExchange waiting;
  for (TestExchange* exchange : {&jumping, &waiting}) {
    const std::string account = Trader(*exchange, std::size_t{0}).account();
    for (const char* amount : {"1", "2"}) {
      exchange->control("/bridge/deposits", {{"account", account}, {"amount", amount}});
      exchange->control("/time", {{"advance_ms", 30'000}});
    }
  }
  jumping.control("/time", {{"advance_ms", 3 * hour_ms}});
  for (int i = 0; i < 180; ++i) waiting.control("/time", {{"advance_ms", minute_ms}});
  EXPECT_EQ(jumping.get("/_svc/status").body["state_hash"], waiting.get("/_svc/status").body["state_hash"]);
  const Json listed = Trader(jumping, std::size_t{0}).get("/deposits").body;
  EXPECT_EQ(listed[0]["amount"], "2");
  EXPECT_EQ(listed[1]["amount"], "1");
}

TEST(BridgeDeposits, CanBeSettledAndFailedByHand) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const auto send = [&] {
    return exchange.control("/bridge/deposits", {{"account", trader.account()}, {"amount", "5"}})
        .body["id"]
        .get<std::string>();
  };
  const std::string settled = send();
  const Reply answer = exchange.control("/bridge/" + settled + "/settle", Json::object());
  EXPECT_EQ(answer.body["old"], "detected");
  EXPECT_EQ(answer.body["new"], "credited");
  EXPECT_EQ(trader.get("/account").body["balance"], "100005");
  EXPECT_EQ(exchange.control("/bridge/" + settled + "/fail", Json::object()).status, 422);

  const std::string failed = send();
  EXPECT_EQ(exchange.control("/bridge/" + failed + "/fail", Json::object()).body["new"], "failed");
  exchange.control("/time", {{"advance_ms", hour_ms}});
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits/" + failed).body["status"], "failed");
  EXPECT_EQ(trader.get("/account").body["balance"], "100005");
  EXPECT_EQ(exchange.control("/bridge/" + failed + "/settle", Json::object()).status, 422);
  EXPECT_EQ(exchange.control("/bridge/dep_nothing/settle", Json::object()).status, 404);
}

TEST(BridgeDeposits, BelowTheMinimumOrBeyondTheVenuesLimitAreNeverCredited) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const std::string small =
      exchange.control("/bridge/deposits", {{"account", trader.account()}, {"amount", "0.999999"}}).body["id"];
  const std::string huge =
      exchange.control("/bridge/deposits", {{"account", trader.account()}, {"amount", "9999999999"}}).body["id"];
  exchange.control("/time", {{"advance_ms", hour_ms}});
  for (const std::string& id : {small, huge}) {
    const Json record = trader.get("/api/v1/bridge/deposits/" + id).body;
    EXPECT_EQ(record["status"], "failed") << id;
    EXPECT_EQ(record["credited_at"], Json());
  }
  EXPECT_EQ(trader.get("/account").body["balance"], "100000");
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(BridgeDeposits, AreFilteredAndVisibleOnlyToTheirOwner) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  for (const char* asset : {"USDC", "USDX"})
    exchange.control("/bridge/deposits", {{"account", trader.account()}, {"amount", "5"}, {"asset", asset}});
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits").body[0]["asset"], "USDX");
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits?limit=1").body.size(), 1u);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits?asset=USDC").body.size(), 1u);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits?chain=devchain&status=detected").body.size(), 2u);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits?chain=ethereum").body.size(), 0u);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits?status=credited").body.size(), 0u);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits?status=lost").status, 400);
  const Trader other(exchange, 1);
  EXPECT_EQ(other.get("/api/v1/bridge/deposits").body, Json::array());
  EXPECT_EQ(error_of(other.get("/api/v1/bridge/deposits/dep_0000000000000001")), "deposit_not_found");
}

TEST(BridgeDepositAddress, IsUniquePerAccountAndAcceptsDeposits) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  EXPECT_EQ(trader.get("/api/v1/bridge/deposit-addresses").body, Json::array());
  const Reply opened = trader.post("/api/v1/bridge/deposit-addresses", {{"chain", "devchain"}});
  ASSERT_EQ(opened.status, 200) << opened.body;
  EXPECT_EQ(opened.body["accepts"], (Json{"USDC", "USDX"}));
  EXPECT_EQ(opened.body["created_at"], test_start_ms);
  exchange.control("/time", {{"advance_ms", 5}});
  EXPECT_EQ(trader.post("/api/v1/bridge/deposit-addresses", {{"chain", "devchain"}}).body, opened.body);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposit-addresses").body, Json::array({opened.body}));
  EXPECT_NE(Trader(exchange, 1).post("/api/v1/bridge/deposit-addresses", {{"chain", "devchain"}}).body["address"],
            opened.body["address"]);
  const Reply unknown = trader.post("/api/v1/bridge/deposit-addresses", {{"chain", "dogechain"}});
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(error_of(unknown), "unsupported_chain");

  const Json address = opened.body["address"];
  EXPECT_EQ(exchange.control("/bridge/deposits", {{"address", address}, {"amount", "5"}}).body["account"],
            trader.account());
  EXPECT_EQ(trader.get("/api/v1/bridge/deposits").body[0]["address"], address);
  EXPECT_EQ(exchange.control("/bridge/deposits", {{"address", trader.account()}, {"amount", "5"}}).status, 404);
}

// A wallet that answers challenges.
struct Wallet {
  explicit Wallet(char digit) : key(*signing::PrivateKey::from_hex(std::string(64, digit))) {}

  [[nodiscard]] std::string address() const { return to_string(key.address()); }
  [[nodiscard]] Json challenge(const Trader& trader) const {
    return trader.post("/api/v1/bridge/wallets/challenge", {{"address", address()}}).body;
  }
  [[nodiscard]] Json answer(const Json& challenge) const {
    const std::string message = challenge["message"];
    return {{"address", address()},
            {"message", message},
            {"signature", signing::to_string(key.sign(signing::personal_message_digest(message)))}};
  }
  signing::PrivateKey key;
};

TEST(BridgeWallets, WithdrawalsGoToTheFirstRegisteredOne) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Wallet first('7');
  const Wallet second('8');
  const Json challenge = first.challenge(trader);
  EXPECT_EQ(challenge["expires_at"], test_start_ms + 600'000);
  EXPECT_NE(challenge["message"].get<std::string>().find(challenge["nonce"]), std::string::npos);
  const Reply registered = trader.post("/api/v1/bridge/wallets", first.answer(challenge));
  EXPECT_EQ(registered.body, (Json{{"address", first.address()}, {"verified", true}, {"is_default", true}}));
  EXPECT_EQ(trader.post("/api/v1/bridge/wallets", second.answer(second.challenge(trader))).body["is_default"], false);
  EXPECT_EQ(trader.get("/api/v1/bridge/wallets").body["wallets"].size(), 2u);
  EXPECT_EQ(Trader(exchange, 1).get("/api/v1/bridge/wallets").body, (Json{{"wallets", Json::array()}}));
  EXPECT_EQ(withdraw(trader, "2000000", "key").body["address"], first.address());
  // A repetition with a new challenge changes nothing.
  EXPECT_EQ(trader.post("/api/v1/bridge/wallets", first.answer(first.challenge(trader))).body, registered.body);
}

TEST(BridgeWallets, EveryRefusalHasItsCode) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Trader other(exchange, 1);
  const Wallet wallet('7');
  const auto refused = [&](const Trader& who, const Json& body, int status, const char* code) {
    const Reply reply = who.post("/api/v1/bridge/wallets", body);
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(error_of(reply), code) << reply.body;
  };
  Json body = wallet.answer(wallet.challenge(trader));
  Json changed = body;
  changed["message"] = "Register me";
  refused(trader, changed, 400, "invalid_challenge");
  changed = body;
  changed["address"] = Wallet('8').address();
  refused(trader, changed, 400, "invalid_challenge");
  changed["address"] = "0x12";
  refused(trader, changed, 400, "invalid_address");
  refused(other, body, 403, "account_mismatch");
  changed = body;
  changed["signature"] = Wallet('8').answer(Json{{"message", body["message"]}})["signature"];
  refused(trader, changed, 400, "signature_mismatch");
  changed["signature"] = "0x12";
  refused(trader, changed, 400, "signature_mismatch");
  EXPECT_EQ(trader.post("/api/v1/bridge/wallets", body).status, 200);
  refused(trader, body, 400, "invalid_challenge");
  refused(other, wallet.answer(wallet.challenge(other)), 409, "wallet_already_registered");

  const Json late = wallet.answer(wallet.challenge(trader));
  exchange.control("/time", {{"advance_ms", 600'000}});
  refused(trader, late, 400, "challenge_expired");
  const Reply bad = trader.post("/api/v1/bridge/wallets/challenge", {{"address", "somewhere"}});
  EXPECT_EQ(error_of(bad), "invalid_address");

  ASSERT_EQ(exchange.control("/switches", {{"wallet_registration", false}}).status, 200);
  refused(trader, body, 503, "wallet_registration_unavailable");
  EXPECT_EQ(error_of(trader.post("/api/v1/bridge/wallets/challenge", {{"address", wallet.address()}})),
            "wallet_registration_unavailable");
}

TEST(BridgeWallets, AnAccountHasAtMostTenAndTenChallenges) {
  TestExchange exchange;
  const Trader trader(exchange, std::size_t{0});
  const Wallet wallet('7');
  const Json oldest = wallet.answer(wallet.challenge(trader));
  for (int i = 0; i < 9; ++i) (void)wallet.challenge(trader);
  const Json tenth = wallet.challenge(trader);  // invalidates the oldest
  EXPECT_EQ(error_of(trader.post("/api/v1/bridge/wallets", oldest)), "invalid_challenge");
  EXPECT_EQ(trader.post("/api/v1/bridge/wallets", wallet.answer(tenth)).status, 200);
  for (const char digit : {'1', '2', '3', '4', '5', '6', '8', '9', 'a'}) {
    const Wallet more(digit);
    EXPECT_EQ(trader.post("/api/v1/bridge/wallets", more.answer(more.challenge(trader))).status, 200);
  }
  const Wallet eleventh('b');
  EXPECT_EQ(error_of(trader.post("/api/v1/bridge/wallets", eleventh.answer(eleventh.challenge(trader)))),
            "wallet_registration_unavailable");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
