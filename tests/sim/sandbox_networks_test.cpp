// Several networks behind one port: selected by the Host, and fully separate. (API: Networks, rule 6)

#include <gtest/gtest.h>

#include <optional>

#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/control/controlled_venue.h"
#include "sim/sandbox_exchange.h"
#include "sim/sequencer/full_disk.h"
#include "sim/sequencer/sqlite_file.h"
#include "sim/temporary_folder.h"
#include "sim/venue.h"
#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

const Json bill{{"account", "0x00000000000000000000000000000000000000aa"}, {"amount", "5"}};
const Json opaque = Json::parse(R"({"code":"unauthorized"})");

struct NetworksTest : testing::Test {
  NetworksTest() {
    using enum api::NetworkId;
    options.networks = {local, testnet, mainnet};
    exchange.emplace(options);
    kept.networks = {local, testnet};
    kept.state_folder = folder.path / "state";
  }
  TestExchange& at(const char* host) {
    exchange->host = host;
    return *exchange;
  }
  // Signed for the network that `salt` names; without a salt as older clients do, under the name alone.
  Reply registration(std::uint64_t nonce, std::string_view salt, const std::string& domain_name) {
    const auto agent = *signing::PrivateKey::from_hex(std::string(64, '7'));
    const auto domain = salt.empty() ? signing::plain_registration_domain(domain_name, signing::action_chain_id)
                                     : signing::registration_domain(domain_name, signing::action_chain_id, salt);
    return exchange->post("/v1/agents/register",
                          agent_registration(wallet, agent, test_start_ms + 2 * day_ms, nonce, domain));
  }

  Reply registration(std::uint64_t nonce, std::string_view salt) {
    return registration(nonce, salt, exchange->domain_name());
  }
  Reply login(const std::string& domain_name) {
    const std::string message = signing::login_message(domain_name);
    return exchange->post(
        "/v1/auth/login",
        {{"message", message}, {"signature", to_string(wallet.sign(signing::personal_message_digest(message)))}});
  }
  // The state hashes of local and testnet.
  static std::vector<Json> hashes(TestExchange& venue) {
    std::vector<Json> found;
    for (const char* host : {"localhost", "testnet.localhost"}) {
      venue.host = host;
      found.push_back(venue.get("/_svc/status").body["state_hash"]);
    }
    return found;
  }
  // Of the log of a network that `kept` has.
  [[nodiscard]] std::uintmax_t log_bytes(const char* network) const {
    return std::filesystem::file_size(kept.state_folder / (std::string(network) + ".db-wal"));
  }
  Json last_line() { return exchange->get("/_svc/requests?limit=1").body["requests"][0]; }

  signing::PrivateKey wallet = *signing::PrivateKey::from_hex(std::string(64, '5'));
  SandboxOptions options = test_options();
  const TemporaryFolder folder;
  SandboxOptions kept = test_options();  // of two networks in that folder
  std::optional<TestExchange> exchange;
};

TEST_F(NetworksTest, AKeyAndASessionOfOneAreUnknownOnAnother) {
  const Trader trader(at("testnet.localhost"), wallet);
  const api::Headers session{{"Authorization", "Bearer " + trader.session()}};
  EXPECT_EQ(trader.get("/orders").status, 200);
  EXPECT_EQ(exchange->send("GET", "/v1/keys", "", session).status, 200);
  for (const char* host : {"localhost", "mainnet.localhost"}) {
    at(host);
    EXPECT_EQ(trader.get("/orders").status, 401) << host;
    EXPECT_EQ(trader.get("/orders").body, opaque) << host;
    EXPECT_EQ(exchange->send("GET", "/v1/keys", "", session).body, opaque) << host;
  }
  const Trader other(at("mainnet.localhost"), wallet);
  EXPECT_NE(other.key_id(), trader.key_id());
  EXPECT_NE(other.session(), trader.session());
}

TEST_F(NetworksTest, MoneyPricesAndMarketsAreSeparate) {
  const Trader trader(at("testnet.localhost"), wallet);
  ASSERT_EQ(exchange->control("/fund", {{"account", trader.account()}, {"amount", "1000"}}).status, 200);
  ASSERT_EQ(exchange->control("/prices", {{"BTC-USDX-PERP", "61000"}}).status, 200);
  EXPECT_EQ(trader.get("/account").body["balance"], "1000");
  const Trader same(at("localhost"), wallet);
  EXPECT_EQ(same.get("/account").body["balance"], "0");
  const auto mark = [&](const char* host) {
    return at(host).get("/v1/markets/BTC-USDX-PERP/mark-price").body["mark_price"];
  };
  EXPECT_EQ(mark("testnet.localhost"), "61000");
  EXPECT_EQ(mark("localhost"), "60000");
}

TEST_F(NetworksTest, TheStatusOfOneDoesNotDependOnAnother) {
  at("testnet.localhost");
  ASSERT_EQ(exchange->control("/insurance", {{"amount", "1"}}).status, 200);
  const struct {
    const char* host;
    const char* network;
  } rows[] = {{"localhost", "local"}, {"testnet.localhost", "testnet"}, {"mainnet.localhost", "mainnet"}};
  for (const auto& row : rows) {
    const Json status = at(row.host).get("/_svc/status").body;
    EXPECT_EQ(status["network"], row.network);
    EXPECT_EQ(status["deployment"], std::string("svc-") + row.network);
    EXPECT_EQ(status["sequence"], at(row.host).get("/_svc/time").body["sequence"]);
    EXPECT_EQ(status["accounts"].empty(), row.network != std::string_view("local")) << row.network;
    const std::string url = status["url"];
    EXPECT_EQ(url.find("testnet.localhost") != std::string::npos, row.network == std::string_view("testnet")) << url;
  }
  EXPECT_GT(at("testnet.localhost").get("/_svc/status").body["sequence"],
            at("mainnet.localhost").get("/_svc/status").body["sequence"]);
}

TEST_F(NetworksTest, AllShareOneClock) {
  ASSERT_EQ(at("mainnet.localhost").control("/time", {{"advance_ms", hour_ms}}).status, 200);
  for (const char* host : {"localhost", "testnet.localhost", "mainnet.localhost"}) {
    EXPECT_EQ(at(host).get("/_svc/time").body["now_ms"], test_start_ms + hour_ms);
    EXPECT_EQ(at(host).get("/v1/markets/BTC-USDX-PERP/funding").body.size(), 1u) << host;
  }
}

TEST_F(NetworksTest, AnAgentAndItsNonceBelongToTheSignedNetwork) {
  at("testnet.localhost");
  EXPECT_EQ(registration(1, "local").status, 401);
  EXPECT_EQ(registration(1, "testnet").status, 200);
  EXPECT_EQ(registration(1, "testnet").status, 401);  // spent
  at("mainnet.localhost");
  EXPECT_EQ(registration(1, "testnet").status, 401);
  EXPECT_EQ(registration(1, "mainnet").status, 200);
}

// Only the name identifies the network of these signatures.
TEST_F(NetworksTest, ALoginAWithdrawalAndAnUnsaltedRegistrationOfOneAreInvalidOnAnother) {
  const std::string name = at("testnet.localhost").domain_name();
  EXPECT_EQ(exchange->get("/metadata").body["signing_domain"]["name"], name);
  ASSERT_EQ(exchange->control("/fund", {{"account", to_string(wallet.address())}, {"amount", "100"}}).status, 200);
  at("mainnet.localhost");
  ASSERT_EQ(exchange->control("/fund", {{"account", to_string(wallet.address())}, {"amount", "100"}}).status, 200);
  Owner owner(*exchange, wallet);
  const Json intent = owner.withdrawal("10", 10'000'000, {.nonce = 1, .domain_name = name});

  for (const char* host : {"localhost", "mainnet.localhost"}) {
    at(host);
    EXPECT_EQ(login(name).body, opaque) << host;
    EXPECT_EQ(exchange->post("/v1/withdrawals", intent).body, opaque) << host;
    EXPECT_EQ(registration(2, "", name).body, opaque) << host;
    EXPECT_FALSE(exchange->get("/metadata").body.contains("domain_name_owner"));
  }
  at("testnet.localhost");
  EXPECT_EQ(login(name).status, 200);
  EXPECT_EQ(exchange->post("/v1/withdrawals", intent).status, 200);
  EXPECT_EQ(registration(2, "", name).status, 200);
}

TEST_F(NetworksTest, AnActionAndATransferOfOneAreInvalidOnAnother) {
  Owner owner(at("testnet.localhost"), wallet);
  const OwnerTerms testnet{.deployment = "svc-testnet", .domain_name = exchange->domain_name()};
  EXPECT_EQ(owner.enroll(testnet).status, 200);
  for (const char* host : {"localhost", "mainnet.localhost"}) {
    at(host);
    EXPECT_EQ(owner.enroll(testnet).body, opaque) << host;
    // Not even if both have one name.
    EXPECT_EQ(owner.enroll({.deployment = "svc-testnet", .domain_name = exchange->domain_name()}).body, opaque);
  }
}

TEST_F(NetworksTest, ASharedNameBelongsToTheFirstAndOthersRefuseSignaturesWithoutANetwork) {
  options.domain_name = "Desk";
  options.networks = {api::NetworkId::mainnet, api::NetworkId::testnet};
  exchange.emplace(options);
  Owner owner(*exchange, wallet);
  const OwnerTerms desk{.domain_name = "Desk"};
  std::uint64_t nonce = 0;
  at("testnet.localhost");
  ASSERT_EQ(exchange->control("/fund", {{"account", to_string(wallet.address())}, {"amount", "100"}}).status, 200);
  EXPECT_EQ(exchange->get("/metadata").body["domain_name_owner"], "mainnet");
  const std::string note = exchange->get("/openapi.json").body["x-svc-networks"]["signing_domain_note"];
  EXPECT_NE(note.find("it is that of mainnet"), std::string::npos) << note;
  const auto refused = [&](const Reply& reply) {
    EXPECT_EQ(reply.status, 401);
    EXPECT_EQ(reply.body, opaque);
    EXPECT_EQ(last_line()["rule"], "other_networks_name");
    EXPECT_EQ(last_line()["note"], "the name \"Desk\" is that of mainnet");
  };
  refused(login("Desk"));
  refused(owner.withdraw("1", desk));
  refused(registration(++nonce, "", "Desk"));
  EXPECT_EQ(registration(nonce, "testnet", "Desk").status, 200) << "the refused ones spent no nonce";
  // A forged signature is still reported as forged.
  EXPECT_EQ(
      owner.withdraw("1", {.signer = *signing::PrivateKey::from_hex(std::string(64, '6')), .domain_name = "Desk"}).body,
      opaque);
  EXPECT_EQ(last_line()["rule"], "signature_mismatch");

  at("mainnet.localhost");
  ASSERT_EQ(exchange->control("/fund", {{"account", to_string(wallet.address())}, {"amount", "100"}}).status, 200);
  EXPECT_EQ(login("Desk").status, 200);
  EXPECT_EQ(owner.withdraw("1", desk).status, 200);
  EXPECT_EQ(registration(100, "", "Desk").status, 200);
}

TEST_F(NetworksTest, ARevertThatOneRefusesChangesNoneNowOrAtTheNextStart) {
  std::vector<Json> before;
  {
    TestExchange venue(kept);
    venue.host = "localhost";
    const std::string document = venue.state();
    ASSERT_EQ(venue.control("/fund", bill).status, 200);
    venue.host = "testnet.localhost";
    while (log_bytes("testnet") < log_bytes("local") + 20 * document.size())
      ASSERT_EQ(venue.control("/fund", bill).status, 200);
    before = hashes(venue);
    {
      // There is room for the plan and in the log of the first, none in that of the second.
      const FullDisk full(log_bytes("testnet"));
      EXPECT_EQ(venue.send("PUT", "/_svc/state", document).status, 503);
    }
    EXPECT_FALSE(std::filesystem::exists(kept.state_folder / "revert.json"));
    EXPECT_EQ(hashes(venue), before);
  }
  TestExchange venue(kept);
  EXPECT_EQ(hashes(venue), before);
}

TEST_F(NetworksTest, ARevertWhosePlanCannotBeTakenBackStopsAllWrites) {
  {
    TestExchange venue(kept);
    venue.host = "localhost";
    const std::string document = venue.state();
    ASSERT_EQ(venue.control("/fund", bill).status, 200);
    // Not writable as a file. Empty, it can be removed.
    std::filesystem::create_directory(kept.state_folder / "revert.json");
    EXPECT_EQ(venue.send("PUT", "/_svc/state", document).status, 503);
    EXPECT_EQ(venue.control("/fund", bill).status, 200);
    std::filesystem::create_directories(kept.state_folder / "revert.json" / "inside");
    for (int tries = 0; tries < 2; ++tries) {
      const Reply refused = venue.send("PUT", "/_svc/state", document);
      EXPECT_EQ(refused.status, 503);
      EXPECT_NE(refused.body.dump().find("nothing is written any more"), std::string::npos) << refused.body;
    }
    for (const char* host : {"localhost", "testnet.localhost"}) {
      venue.host = host;
      EXPECT_EQ(venue.control("/fund", bill).status, 503);
    }
  }
  std::filesystem::remove_all(kept.state_folder / "revert.json");
  TestExchange venue(kept);
  venue.host = "localhost";
  EXPECT_EQ(venue.control("/fund", bill).status, 200);
}

TEST_F(NetworksTest, ARevertWhoseWayBackFailsAsWellSaysWhatTheNextStartMakes) {
  SandboxOptions in_memory = kept;
  in_memory.state_folder.clear();
  in_memory.accounts = 1;
  TestExchange small(in_memory);
  small.host = "localhost";
  const std::string document = small.state();
  // A state that is much larger: where there is room for the new one, there is none for this one.
  kept.accounts = 1'000;
  { const TestExchange first(kept); }
  {
    TestExchange venue(kept);
    venue.host = "localhost";
    ASSERT_EQ(venue.control("/fund", bill).status, 200);
    venue.host = "testnet.localhost";
    do {
      ASSERT_EQ(venue.control("/fund", bill).status, 200);
    } while (log_bytes("testnet") < log_bytes("local") + 3 * document.size());
    const FullDisk full(log_bytes("testnet"));
    const Reply refused = venue.send("PUT", "/_svc/state", document);
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.dump().find("start again, which makes it wholly the new state, or the former one"),
              std::string::npos)
        << refused.body;
  }
  TestExchange venue(kept);
  EXPECT_EQ(hashes(venue), hashes(small)) << "the plan was still the new state";
}

// As if the process had ended between the first and the second network of a revert.
TEST_F(NetworksTest, AnInterruptedRevertIsFinishedAtTheNextStart) {
  const auto position = [&](const std::string& file) {
    auto database = SqliteFile::open(folder.path / "before" / file);
    return std::stoull(**database->ask("SELECT max(position) FROM log"));
  };
  const auto hash = [](TestExchange& venue, const char* host) {
    venue.host = host;
    return venue.get("/_svc/status").body["state_hash"];
  };
  std::string document;
  Json before_local;
  Json before_testnet;
  {
    TestExchange venue(kept);
    venue.host = "localhost";
    document = venue.state();
    before_local = hash(venue, "localhost");
    before_testnet = hash(venue, "testnet.localhost");
    for (const char* host : {"localhost", "testnet.localhost"}) {
      venue.host = host;
      ASSERT_EQ(venue.control("/fund", bill).status, 200);
    }
  }
  std::filesystem::copy(kept.state_folder, folder.path / "before");
  {
    TestExchange venue(kept);
    venue.host = "localhost";
    ASSERT_EQ(venue.send("PUT", "/_svc/state", document).status, 200);
  }
  for (const char* file : {"testnet.db", "testnet.ack"})
    std::filesystem::copy(folder.path / "before" / file, kept.state_folder / file,
                          std::filesystem::copy_options::overwrite_existing);
  const auto image = parse_document(document);
  ASSERT_TRUE(image);
  // Both logs have gone on since the plan, and only one with what was planned.
  ASSERT_TRUE(PendingRevert(kept.state_folder)
                  .write(*image, {{"local", position("local.db")}, {"testnet", position("testnet.db") - 1}}));
  TestExchange venue(kept);
  EXPECT_EQ(hash(venue, "localhost"), before_local);
  EXPECT_EQ(hash(venue, "testnet.localhost"), before_testnet);
  EXPECT_FALSE(std::filesystem::exists(kept.state_folder / "revert.json"));
}

TEST_F(NetworksTest, OnlyTestnetHasAFaucet) {
  const auto claim = [&](const char* host) { return Trader(at(host), wallet).post("/faucet").status; };
  EXPECT_EQ(claim("testnet.localhost"), 200);
  EXPECT_EQ(claim("mainnet.localhost"), 404);
  EXPECT_EQ(claim("localhost"), 404);
}

TEST_F(NetworksTest, AnUnknownHostIsRefusedAndOnlyLocalServesTheBareRoot) {
  EXPECT_EQ(at("elsewhere.localhost").get("/v1/markets").status, 404);
  EXPECT_EQ(at("localhost:9090").get("/markets").status, 200);
  EXPECT_EQ(at("127.0.0.1:9090").get("/markets").status, 200);
  EXPECT_EQ(at("testnet.localhost").get("/markets").status, 404);
  EXPECT_EQ(at("TESTNET.localhost:9090").get("/v1/markets").status, 200);
}

TEST_F(NetworksTest, TheReportNamesThemAndOnlyLocalHasDevelopmentAccounts) {
  const ReadyReport report = exchange->sandbox.report();
  ASSERT_EQ(report.networks.size(), 3u);
  EXPECT_EQ(report.networks[1].url, "http://testnet.localhost:9090");
  EXPECT_EQ(report.networks[1].host, "testnet.localhost:9090");
  EXPECT_EQ(report.networks[1].deployment, "svc-testnet");
  EXPECT_EQ(report.networks[1].domain_name, "Svc Exchange Testnet");
  EXPECT_EQ(report.accounts.size(), 10u);
}

TEST_F(NetworksTest, AResetFundsTheAccountsOfTheFirstStartOfLocalEvenIfAnotherIsNamedFirst) {
  using enum api::NetworkId;
  exchange.reset();
  options.state_folder = folder.path / "state";
  SandboxOptions only_testnet = options;
  only_testnet.networks = {testnet};
  only_testnet.accounts = 3;
  only_testnet.balance = Usdx{5 * usdx_one};
  exchange.emplace(only_testnet);
  exchange.reset();
  options.networks = {testnet, local};
  exchange.emplace(options);
  const auto newest = [&] { return Trader(at("localhost"), 9).get("/account").body["balance"]; };
  ASSERT_EQ(newest(), "100000");
  EXPECT_EQ(at("localhost").control("/reset", Json::object()).status, 200);
  EXPECT_EQ(newest(), "100000");
}

TEST_F(NetworksTest, EachHasItsOwnJournal) {
  options.state_folder = folder.path / "state";
  exchange.reset();
  exchange.emplace(options);
  const Trader tester(at("testnet.localhost"), wallet);
  ASSERT_EQ(tester.post("/faucet").status, 200);
  exchange.reset();
  exchange.emplace(options);
  at("testnet.localhost");
  EXPECT_EQ(tester.get("/account").body["balance"], "1000");
  EXPECT_EQ(tester.post("/faucet").status, 429);
  EXPECT_EQ(at("localhost").get("/_svc/invariants").body["violations"], Json::array());
  for (const char* name : {"local.db", "testnet.db", "mainnet.db"})
    EXPECT_TRUE(std::filesystem::exists(options.state_folder / name)) << name;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
