// The network of a host is checked before anything of value is sent to it; and what is signed for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/encoding.h"
#include "cli/client/server_facts.h"
#include "cli/client_machine.h"
#include "signing/domain.h"

namespace svc::cli {
namespace SVC_FILE {

sim::SandboxOptions venue_of(api::NetworkId network) {
  sim::SandboxOptions options;
  options.network = network;
  return options;
}

// A testnet with a wallet that is logged in and has a key. The tests choose its metadata.
class Host : public ::testing::Test {
 protected:
  Host() : machine(venue_of(api::NetworkId::testnet)) {
    EXPECT_EQ(machine.run("network add testnet --rest http://venue.localhost:9090/v1").exit, 0);
    machine.add_wallet("testnet", "alice");
    EXPECT_EQ(machine.run("-n testnet login --wallet alice" + machine.with_password).exit, 0);
    EXPECT_EQ(machine.run("-n testnet keys create").exit, 0);
    machine.clock.advance(hour_ms);
    machine.sent.clear();
  }

  static bool is_discovery(const api::HttpRequest& request) {
    return request.path().ends_with("/metadata") || request.path().ends_with("/openapi.json");
  }
  // The answer to all requests about the host; other paths get 404.
  void tell(std::string metadata, std::string description = "", std::string at = "/metadata") {
    machine.intercept = [=](const api::HttpRequest& request) -> Intercepted {
      if (!is_discovery(request)) return std::nullopt;
      if (request.path() == at) return answered(200, metadata);
      if (request.path() == "/openapi.json" && !description.empty()) return answered(200, description);
      return answered(404, "{}");
    };
  }
  void fail(api::Delivery delivery) {
    machine.intercept = [=](const api::HttpRequest& request) -> Intercepted {
      if (!is_discovery(request)) return std::nullopt;
      return unanswered(delivery, "no answer");
    };
  }
  std::ptrdiff_t questions() const { return std::count_if(machine.sent.begin(), machine.sent.end(), is_discovery); }
  // The number of requests that must not reach another network.
  std::ptrdiff_t exposed() const {
    return std::count_if(machine.sent.begin(), machine.sent.end(), [](const api::HttpRequest& one) {
      return one.method != "GET" || one.headers.contains("Authorization") || one.headers.contains("X-Signature");
    });
  }
  RunResult run(const std::string& line) {
    machine.sent.clear();
    return machine.run("-n testnet --json " + line);
  }

  ClientMachine machine;
  const std::string silent = R"({"current_api_version":"0.9.0","min_api_version":"0.8.0"})";
  const std::string agent = "0x00000000000000000000000000000000000000b0";
};

std::string says(const std::string& network, const std::string& more = "") {
  return R"({"current_api_version":"0.9.0","min_api_version":"0.8.0","network":")" + network + "\"" + more + "}";
}

std::string domain_text(const std::string& members) {
  return R"(,"deployment":"svc-local","signing_domain":{)" + members + "}";
}

TEST(SlowHost, IsAskedForTwoSecondsBeforeACancel) {
  TraderMachine machine;
  machine.clock.advance(day_ms);  // its cached facts are stale
  std::map<std::string, std::int64_t> waited_ms;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    waited_ms.emplace(request.method + " " + std::string(request.path()), machine.timeout_ms);
    return {};
  };
  EXPECT_EQ(machine.run("-n local orders cancel-all --timeout 20").exit, 0);
  EXPECT_EQ(waited_ms["GET /metadata"], 2'000);
  EXPECT_EQ(waited_ms["DELETE /orders"], 20'000);
}

TEST_F(Host, OfAnotherNetworkGetsNothingNotEvenACancel) {
  tell(says("mainnet"));
  for (const std::string line :
       {"keys list", "keys create", "keys delete k", "account show", "buy 0.1 BTC-USDX-PERP @ 59000",
        "orders cancel-all", "sell 0.1 BTC-USDX-PERP --reduce-only", "ws token", "orders list", "status --verify",
        "doctor"}) {
    const RunResult ran = run(line);
    EXPECT_EQ(ran.exit, 14) << line << ran.out;
    EXPECT_EQ(ran.code(), "wrong_network") << line;
    EXPECT_EQ(exposed(), 0) << line;
  }
  for (const std::string line :
       {"login --wallet alice", "withdrawals submit 5", "transfers enroll", "transfers list"}) {
    EXPECT_EQ(run(line + machine.with_password).exit, 14) << line;
    EXPECT_EQ(exposed(), 0) << line;
  }
  EXPECT_EQ(run("agents register " + agent + machine.with_password).exit, 14);
  EXPECT_EQ(run("--confirm testnet keys list").exit, 14) << "no confirmation helps";
  EXPECT_EQ(run("markets list").exit, 0) << "what is public is for everybody";
}

TEST_F(Host, OfAnotherNetworkGetsNothingWhateverIsConfigured) {
  ASSERT_EQ(machine
                .run({"network", "add", "testnet", "--rest", "http://other.localhost:9090/v1", "--domain-name",
                      "Svc Exchange", "--chain-id", "20056", "--deployment", "svc-local"})
                .exit,
            0);
  tell(says("mainnet"));
  EXPECT_EQ(run("login --wallet alice" + machine.with_password).exit, 14);
  EXPECT_EQ(run("keys create").exit, 14);
  EXPECT_EQ(run("withdrawals submit 5" + machine.with_password).exit, 14);
  EXPECT_EQ(exposed(), 0);
}

TEST_F(Host, IsAskedForItsNetworkOncePerCacheLifetime) {
  EXPECT_EQ(run("orders list").exit, 0);
  EXPECT_EQ(questions(), 1);
  EXPECT_EQ(run("keys list").exit, 0);
  EXPECT_EQ(questions(), 0);
  machine.clock.advance(loopback_identity_lifetime_ms - 1);
  EXPECT_EQ(run("keys list").exit, 0);
  EXPECT_EQ(questions(), 0);
  machine.clock.advance(1);
  EXPECT_EQ(run("keys list").exit, 0);
  EXPECT_EQ(questions(), 1) << "a port of this machine may be another program's by now";
}

TEST_F(Host, ThatServedAnotherNetworkIsAskedAgain) {
  tell(says("mainnet"));
  EXPECT_EQ(run("keys list").exit, 14);
  machine.intercept = nullptr;
  EXPECT_EQ(run("keys list").exit, 0);
}

TEST_F(Host, ThatDoesNotAnswerGetsOnlyReadsAndCancels) {
  for (const auto delivery : {api::Delivery::unknown, api::Delivery::not_sent}) {
    machine.clock.advance(hour_ms);
    fail(delivery);
    machine.slept_ms = 0;
    const RunResult cancel = run("orders cancel-all");
    EXPECT_EQ(cancel.exit, 0) << cancel.out;
    EXPECT_EQ(cancel.document().at("warnings")->items().at(0).string_at("code"), "network_unproved") << cancel.out;
    EXPECT_EQ(machine.slept_ms, 0) << "a cancel waits for no second answer";
    for (const std::string line : {"keys list", "keys create", "buy 0.1 BTC-USDX-PERP @ 59000"}) {
      EXPECT_EQ(run(line).exit, 10) << line;
      EXPECT_EQ(exposed(), 0) << line;
    }
    EXPECT_EQ(run("login --wallet alice" + machine.with_password).exit, 10);
    EXPECT_EQ(exposed(), 0);
  }
  fail(api::Delivery::unknown);
  EXPECT_EQ(run("orders list").exit, 0) << "what the way out has to read first";
}

TEST_F(Host, ThatAnswersWithErrorsCountsAsUnreachable) {
  machine.intercept = when(is_discovery, answered(503, ""));
  EXPECT_EQ(run("orders cancel-all").exit, 0);
  const RunResult order = run("buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(order.exit, 10);
  EXPECT_EQ(order.code(), "metadata_unavailable");
  EXPECT_EQ(exposed(), 0);
}

TEST_F(Host, ThatServedAnotherNetworkStaysRefusedUntilItAnswersOtherwise) {
  tell(says("mainnet"));
  EXPECT_EQ(run("orders list").exit, 14);
  fail(api::Delivery::unknown);
  EXPECT_EQ(run("orders cancel-all").exit, 14);
  EXPECT_EQ(exposed(), 0);
}

TEST_F(Host, ThatDoesNotNameItsNetworkIsTreatedAsRealFunds) {
  tell(silent);
  EXPECT_EQ(run("orders list").exit, 0);
  EXPECT_EQ(run("orders cancel-all").exit, 0);
  EXPECT_EQ(run("markets list").exit, 0);
  for (const std::string line : {"keys list", "keys create", "buy 0.1 BTC-USDX-PERP @ 59000"}) {
    const RunResult refused = run(line);
    EXPECT_EQ(refused.exit, 3) << line << refused.out;
    EXPECT_EQ(exposed(), 0) << line;
    const RunResult agreed = run("--confirm testnet " + line);
    EXPECT_NE(agreed.exit, 3) << line << agreed.out;
    EXPECT_GE(exposed(), 1) << line;
  }
  machine.variables["SVC_NETWORK"] = "testnet";
  EXPECT_EQ(machine.run("--confirm testnet keys list").exit, 14) << "the command line has to name it";
}

// A 404, a page of a proxy or a 413 says nothing of the network.
TEST_F(Host, IsAskedAgainAfterAnErrorPage) {
  const auto show = [&](int status, const std::string& page) {
    machine.intercept = when(is_discovery, answered(status, page));
  };
  struct Row {
    int status;
    std::string page;
  };
  for (const Row& row : {Row{404, "{}"}, Row{200, "<html>welcome</html>"}, Row{413, ""}}) {
    machine.clock.advance(hour_ms);
    show(row.status, row.page);
    EXPECT_EQ(run("keys list").exit, 3) << row.status;
    EXPECT_EQ(exposed(), 0) << row.status;
    machine.intercept = nullptr;
    EXPECT_EQ(run("keys list").exit, 0) << row.status;
    EXPECT_EQ(questions(), 1) << row.status;
    show(row.status, row.page);
    EXPECT_EQ(run("network discover").exit, 0) << row.status;
    EXPECT_EQ(run("keys list").exit, 0) << "the proof is a moment old";
    EXPECT_EQ(questions(), 0) << row.status;
  }
}

TEST(SilentHost, IsAskedAgainByTheNextProcess) {
  ClientMachine machine(venue_of(api::NetworkId::testnet));
  ASSERT_EQ(machine.run("network add testnet --rest http://venue.localhost:9090/v1").exit, 0);
  machine.add_wallet("testnet", "alice");
  const std::string login = "-n testnet login --wallet alice" + machine.with_password;
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    const bool is_question = request.path().ends_with("/metadata") || request.path().ends_with("/openapi.json");
    return is_question ? answered(404, "{}") : std::nullopt;
  };
  EXPECT_EQ(machine.run(login).exit, 3);
  machine.intercept = nullptr;
  EXPECT_EQ(machine.run(login).exit, 0);
}

TEST_F(Host, IsNamedByTheNetworkMapIfTheMetadataDoesNotNameIt) {
  const auto map = [](const std::string& network, const std::string& rest) {
    return R"({"networks":{")" + network + R"(":{"rest_base":")" + rest +
           R"(","signing_domain":{"name":"Svc Exchange","version":"1","chain_id":20056}}}})";
  };
  struct Row {
    std::string metadata, description;
    int exit;
  };
  const std::string here = "http://venue.localhost:9090/v1", elsewhere = "https://venue.example/v1";
  const std::string versions = R"({"current_api_version":"0.9.0","min_api_version":"0.8.0")";
  for (const Row& row : {
           Row{silent, R"({"x-svc-networks":)" + map("testnet", here) + "}", 0},
           Row{silent, R"({"x-svc-networks":)" + map("mainnet", here) + "}", 14},
           Row{silent, R"({"x-svc-networks":)" + map("testnet", elsewhere) + "}", 3},
           Row{versions + R"(,"x-svc-networks":)" + map("testnet", here) + "}", "", 0},
           Row{versions + R"(,"x-svc-networks":)" + map("mainnet", here) + "}", "", 14},
           Row{versions + "," + map("testnet", here).substr(1), "", 0},
           Row{versions + "," + map("mainnet", here).substr(1), "", 14},
           Row{versions + R"(,"network":5})", R"({"x-svc-networks":)" + map("testnet", here) + "}", 14},
       }) {
    machine.clock.advance(hour_ms);
    tell(row.metadata, row.description);
    const RunResult ran = run("keys list");
    EXPECT_EQ(ran.exit, row.exit) << row.metadata << row.description << ran.out;
  }
}

TEST_F(Host, IsAskedUnderTheRestBaseToo) {
  tell(says("mainnet"), "", "/v1/metadata");
  EXPECT_EQ(run("keys list").exit, 14);
  tell(says("testnet"), "", "/v1/metadata");
  EXPECT_EQ(run("keys list").exit, 0);
}

TEST_F(Host, ThatPublishesAnotherNetworksDomainNameGetsNoSignature) {
  ASSERT_EQ(machine
                .run({"network", "add", "mainnet", "--rest", "https://main.example/v1", "--domain-name",
                      "Svc Exchange Mainnet"})
                .exit,
            0);
  tell(says("testnet", domain_text(R"("name":"Svc Exchange Mainnet","version":"1","chain_id":20056)")));
  for (const std::string& line :
       {std::string("login --wallet alice"), std::string("withdrawals submit 5"), "agents register " + agent}) {
    machine.clock.advance(hour_ms);
    const RunResult ran = run(line + machine.with_password);
    EXPECT_EQ(ran.exit, 14) << line << ran.out;
    EXPECT_EQ(ran.code(), "domain_contradicted") << line;
    EXPECT_EQ(exposed(), 0) << line;
  }
  // What the failure advises helps.
  ASSERT_EQ(machine
                .run({"network", "add", "testnet", "--rest", "http://venue.localhost:9090/v1", "--domain-name",
                      "Svc Exchange Mainnet", "--chain-id", "20056", "--deployment", "svc-local"})
                .exit,
            0);
  EXPECT_NE(run("login --wallet alice" + machine.with_password).code(), "domain_contradicted");
}

TEST_F(Host, ThatIsRefusedForItsDomainNameDoesNotStopTheNetworkOfThatName) {
  const std::string name = domain_text(R"("name":"Svc Exchange Mainnet","version":"1","chain_id":20056)");
  ASSERT_EQ(machine.run("network add mainnet --rest http://main.localhost:9090/v1").exit, 0);
  machine.add_wallet("mainnet", "carol");
  const auto login = [&] {
    machine.clock.advance(hour_ms);
    tell(says("mainnet", name));
    return machine.run("-n mainnet --json login --wallet carol" + machine.with_password + " --confirm mainnet").code();
  };
  EXPECT_NE(login(), "domain_contradicted");
  tell(says("testnet", name));
  EXPECT_EQ(run("login --wallet alice" + machine.with_password).code(), "domain_contradicted");
  EXPECT_NE(login(), "domain_contradicted");
}

// Signing itself takes the name from the map as well.
TEST_F(Host, ThatPublishesANameThatIsAnotherNetworksByItsMapGetsNoSignature) {
  ASSERT_EQ(machine.run("network add mainnet --rest http://main.localhost:9090/v1").exit, 0);
  machine.add_wallet("mainnet", "carol");
  const std::string name = R"("name":"Svc Exchange Mainnet","version":"1","chain_id":20056)";
  for (const std::string& row : {R"(,"networks":{"mainnet":{"signing_domain":{)" + name + "}}}",
                                 R"(,"x-svc-networks":{"networks":{"mainnet":{"signing_domain":{)" + name + "}}}}"}) {
    machine.clock.advance(hour_ms);
    tell(says("mainnet", R"(,"deployment":"svc-main")" + row));
    EXPECT_EQ(machine.run("-n mainnet network discover").exit, 0);
    tell(says("testnet", domain_text(name)));
    EXPECT_EQ(run("login --wallet alice" + machine.with_password).code(), "domain_contradicted") << row;
    EXPECT_EQ(exposed(), 0) << row;
  }
}

// Where all networks have one domain, the deployment text alone tells whose action it is.
TEST_F(Host, ThatPublishesTheDeploymentOfRealFundsGetsNoAction) {
  const auto add = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"network", "add"};
    words.insert(words.end(), more.begin(), more.end());
    return machine.run(words).exit;
  };
  const auto expect_refused = [&] {
    machine.clock.advance(hour_ms);
    tell(
        says("testnet", R"(,"deployment":"svc-main","signing_domain":{"name":"Test","version":"1","chain_id":20056})"));
    for (const std::string line :
         {"transfers enroll", "withdrawals submit 5", "buy 0.1 BTC-USDX-PERP @ 59000 --action sign"}) {
      const RunResult ran = run(line + machine.with_password);
      EXPECT_EQ(ran.exit, 14) << line << ran.out;
      EXPECT_EQ(ran.code(), "deployment_contradicted") << line;
      EXPECT_TRUE(has(ran.out, "network mainnet has that text"));
      EXPECT_EQ(std::count_if(machine.sent.begin(), machine.sent.end(), is_write), 0) << line;
    }
  };
  ASSERT_EQ(add({"mainnet", "--rest", "http://main.localhost:9090/v1"}), 0);
  tell(says("mainnet", R"(,"deployment":"svc-main","signing_domain":{"name":"Main","version":"1","chain_id":20056})"));
  ASSERT_EQ(machine.run("-n mainnet network discover").exit, 0);
  expect_refused();
  machine.clock.advance(hour_ms);
  tell(says("mainnet", R"(,"deployment":"svc-main","signing_domain":{"name":"Main","version":"1","chain_id":20056})"));
  EXPECT_EQ(machine.run("-n mainnet --json network discover").document().string_at("data.deployment"), "svc-main")
      << "what was refused does not stop the network whose text it is";

  ASSERT_EQ(add({"mainnet", "--rest", "http://elsewhere.localhost:9090/v1", "--deployment", "svc-main"}), 0);
  expect_refused();
  ASSERT_EQ(add({"testnet", "--deployment", "svc-main"}), 0);
  EXPECT_NE(run("transfers enroll" + machine.with_password).code(), "deployment_contradicted") << "the user's word";
}

TEST_F(Host, MayGiveAllNetworksOneDomainNameInItsMap) {
  tell(says("testnet", domain_text(R"("name":"Svc Exchange","version":"1","chain_id":20056)") +
                           R"(,"networks":{"mainnet":{"signing_domain":{"name":"Svc Exchange"}}})"));
  EXPECT_NE(run("login --wallet alice" + machine.with_password).code(), "domain_contradicted");
}

TEST_F(Host, ThatPublishesNoDeploymentTextGetsWithdrawals) {
  tell(says("testnet", R"(,"signing_domain":{"name":"Svc Exchange","version":"1","chain_id":20056})"));
  EXPECT_NE(run("withdrawals submit 5" + machine.with_password).exit, 14);
  EXPECT_EQ(run("transfers enroll" + machine.with_password).code(), "deployment_unknown");
}

TEST_F(Host, ConfiguredUnderAWrongNameOnceIsNoOtherNetworkLater) {
  tell(says("mainnet", domain_text(R"("name":"Svc Exchange Mainnet","version":"1","chain_id":20056)")));
  ASSERT_EQ(run("keys list").code(), "wrong_network");
  ASSERT_EQ(machine.run("network remove testnet").exit, 0);
  ASSERT_EQ(machine.run("network add mainnet --rest http://venue.localhost:9090/v1").exit, 0);
  machine.add_wallet("mainnet", "carol");
  const RunResult login = machine.run("-n mainnet --json login --wallet carol" + machine.with_password);
  EXPECT_NE(login.code(), "domain_contradicted") << login.out;
  EXPECT_EQ(machine.sent.back().path(), "/v1/auth/login");
}

TEST_F(Host, ServingSeveralExchangesIsAskedUnderTheBaseOfOrders) {
  std::string at_base = says("testnet", domain_text(R"("name":"Svc Exchange Testnet","version":"1","chain_id":20056)"));
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_discovery(request)) return std::nullopt;
    return answered(200, request.path() == "/v1/metadata" ? at_base : says("mainnet"));
  };
  EXPECT_EQ(run("keys list").exit, 0) << "the exchange at the root of the host is another one";
  EXPECT_EQ(questions(), 1);
  machine.clock.advance(hour_ms);
  at_base = says("testnet");
  const RunResult ran = run("keys list");
  EXPECT_EQ(ran.exit, 14) << "the root is asked for the signing domain, and says something else" << ran.out;
  EXPECT_EQ(ran.code(), "wrong_network");
  EXPECT_EQ(exposed(), 0);
}

TEST_F(Host, IsSentOurVersion) {
  run("--api-version 0.8.5 orders list");
  ASSERT_EQ(questions(), 1);
  EXPECT_EQ(machine.sent.front().headers.find("X-Svc-Api-Version"), "0.8.5");
}

TEST_F(Host, IsNotAskedInADryRunWhichReportsThat) {
  const RunResult plan = run("--dry-run keys list");
  EXPECT_EQ(plan.exit, 0) << plan.out;
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(plan.document().at("warnings")->items().at(0).string_at("code"), "network_unchecked");
  ASSERT_EQ(run("keys list").exit, 0);
  EXPECT_TRUE(run("--dry-run keys list").document().at("warnings")->items().empty()) << "it was checked just now";
}

// A user-defined name does not tell the network; the files stored under it do.
TEST_F(Host, OfAUserDefinedNameMustStayTheSameNetwork) {
  ASSERT_EQ(machine.run("network add desk --funds play --rest http://desk.localhost:9090/v1").exit, 0);
  machine.add_wallet("desk", "bob");
  ASSERT_EQ(machine.run("-n desk login --wallet bob" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("network add desk --funds play --rest http://moved.localhost:9090/v1").exit, 0);
  EXPECT_EQ(machine.run("-n desk keys list").exit, 0) << "the same network at another address";
  machine.clock.advance(hour_ms);
  tell(says("local"));
  const RunResult moved = machine.run("-n desk --json keys list");
  EXPECT_EQ(moved.exit, 14) << moved.out;
  EXPECT_EQ(moved.code(), "wrong_network");
}

TEST_F(Host, MayBelongToOneNetworkOnly) {
  ASSERT_EQ(machine.run("network add mainnet --rest https://venue.example/v1 --ws wss://stream.venue.example/v1").exit,
            0);
  for (const char* flags :
       {"--rest https://venue.example/v1", "--rest https://VENUE.example:443", "--rest wss://venue.example",
        "--rest https://stream.venue.example/v1", "--ws wss://venue.example/v1"}) {
    const RunResult ran = machine.run("network add testnet " + std::string(flags));
    EXPECT_EQ(ran.exit, std::string_view(flags).starts_with("--rest wss") ? 2 : 14) << flags << ran.err;
  }
  EXPECT_EQ(machine.run("--dry-run network add testnet --rest https://venue.example/v1").exit, 14);
  EXPECT_EQ(machine.run("network add testnet --rest https://testnet.venue.example/v1").exit, 0);
  EXPECT_EQ(machine.run("network add mainnet --rest https://venue.example/v1").exit, 0) << "its own";
}

// The host of the streams gets a token, so it is checked too.
TEST_F(Host, OfTheStreamsIsCheckedBeforeItGetsAToken) {
  ASSERT_EQ(machine.run("network add testnet --ws ws://streams.localhost:9090/v1").exit, 0);
  std::size_t asked = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_discovery(request)) return std::nullopt;
    return asked++ == 0 ? answered(200, says("testnet", domain_text(R"("name":"x")"))) : answered(200, says("mainnet"));
  };
  const RunResult ran = run("ws token");
  EXPECT_EQ(ran.exit, 14) << ran.out;
  EXPECT_EQ(exposed(), 0);
  asked = 0;
  machine.intercept = when(
      is_discovery,
      answered(200, says("testnet", domain_text(R"("name":"x")") + R"(,"ws_url":"ws://streams.localhost:9090/v1")")));
  machine.clock.advance(hour_ms);
  EXPECT_EQ(run("ws token").exit, 0);
}

class PublishedTerms : public Host {
 protected:
  RunResult registering() { return run("--print-canonical agents register " + agent + machine.with_password); }
  RunResult ordering() { return run("buy 0.1 BTC-USDX-PERP @ 59000 --action sign" + machine.with_password); }
};

TEST_F(PublishedTerms, OfRegistrationsAreThePublishedOnes) {
  tell(says("testnet", domain_text(R"("name":"Other Name","version":"3","chain_id":777,"salt":")" +
                                   std::string(66, '0').replace(1, 1, "x") + "\"")));
  const RunResult ran = registering();
  EXPECT_TRUE(has(ran.err, "registration domain (salted): name \"Other Name\", version 3, chainId 777"));
  ASSERT_FALSE(machine.sent.empty());
  const auto is_write = [](const api::HttpRequest& request) { return request.method == "POST"; };
  const auto sent = std::find_if(machine.sent.rbegin(), machine.sent.rend(), is_write);
  ASSERT_NE(sent, machine.sent.rend());
  EXPECT_TRUE(has(sent->body, "\"chain_id\":777"));
  machine.clock.advance(hour_ms);
  tell(says("testnet", domain_text(R"("name":"Svc Exchange","version":"1","chain_id":20056)")));
  EXPECT_TRUE(has(registering().err, "action domain (no salt)")) << "no salt is published, so none is signed";
}

TEST_F(PublishedTerms, MoveNoTerminal) {
  const std::string name = R"(Evil\r\u001b]0;x\u0007\u009b31m\u202e)";  // escaped in JSON as for a terminal
  tell(says("testnet", domain_text("\"name\":\"" + name + R"(","version":"1","chain_id":20056)")));
  const RunResult canonical = registering();
  EXPECT_TRUE(has(canonical.err, "name \"" + name + "\", version 1"));
  machine.out_is_terminal = true;
  const RunResult message = machine.run("-n testnet login --print-message");
  EXPECT_TRUE(has(message.out, name)) << message.out << message.err;
  for (const char* obeyed : {"\x1b", "\r", "\u202e"})
    EXPECT_FALSE(has(canonical.err + message.out, obeyed)) << message.out;
}

TEST_F(PublishedTerms, AreNeverGuessed) {
  struct Row {
    std::string domain;
    bool registers, orders;
  };
  const std::string of_mainnet = R"("name":"Svc Exchange","version":"1","chain_id":20056,"salt":")" +
                                 to_hex_0x(signing::network_salt("mainnet")) + "\"";
  for (
      const Row& row : {
          Row{R"("name":"Svc Exchange","version":"1","chain_id":20056)", true, true},
          Row{R"("name":"Svc Exchange","version":"3","chain_id":20056)", true, false},
          Row{R"("name":"Svc Exchange","version":"1","chain_id":777)", true, false},
          Row{R"("name":"Svc Exchange","version":"1","chain_id":null)", false, false},
          Row{R"("name":"Svc Exchange","version":"1")", false, false},
          Row{R"("name":"Svc Exchange","chain_id":20056)", false, true},
          Row{R"("version":"1","chain_id":20056)", false, false},
          Row{R"("name":"","version":"1","chain_id":20056)", false, false},
          Row{R"("name":"Svc Exchange","version":"","chain_id":20056)", false, true},
          Row{R"("name":"Svc Exchange","version":1,"chain_id":20056)", false, false},
          Row{R"("name":"Svc Exchange","version":"1","chain_id":20056,"verifyingContract":"0x00000000000000000000000000000000000000aa")",
              false, false},
          Row{R"("name":"Svc Exchange","version":"1","chain_id":20056,"salt":"0x12")", false, true},
          Row{of_mainnet, false, true},
      }) {
    machine.clock.advance(hour_ms);
    tell(says("testnet", domain_text(row.domain)));
    const RunResult agent_ran = registering();
    EXPECT_EQ(agent_ran.exit == 14, !row.registers) << row.domain << agent_ran.out;
    const RunResult order = ordering();
    EXPECT_EQ(order.exit == 14, !row.orders) << row.domain << order.out;
    const RunResult withdrawal = run("withdrawals submit 5" + machine.with_password);
    EXPECT_EQ(withdrawal.exit == 14, !row.orders) << row.domain << withdrawal.out;
  }
}

TEST_F(PublishedTerms, ThatAreMissingAreNamed) {
  struct Row {
    std::string domain, missing;
  };
  for (const Row& row :
       {Row{R"("version":"1","chain_id":20056)", "name"}, Row{R"("name":"Svc Exchange","chain_id":20056)", "version"},
        Row{R"("name":"Svc Exchange","version":"1","chain_id":null)", "chain id"}}) {
    machine.clock.advance(hour_ms);
    tell(says("testnet", domain_text(row.domain)));
    const RunResult ran = registering();
    EXPECT_TRUE(has(ran.out + ran.err, "(the " + row.missing + " of the network's signing domain is not known)"));
  }
}

TEST_F(PublishedTerms, AConfiguredNameNeedsAChainId) {
  const auto configure = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"network", "add", "testnet", "--domain-name", "Svc Exchange"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(machine.run(words).exit, 0);
  };
  tell(says("testnet", domain_text(R"("name":"Svc Exchange","version":"1","chain_id":null)")));
  configure({});
  EXPECT_EQ(registering().exit, 14);
  EXPECT_EQ(ordering().exit, 14);
  configure({"--chain-id", "20056"});
  EXPECT_NE(registering().exit, 14) << "the whole domain is configured";
  EXPECT_NE(ordering().exit, 14);
}

TEST_F(PublishedTerms, ConfigurationMustNotContradictThePublishedDomain) {
  tell(says("testnet", domain_text(R"("name":"Svc Exchange","version":"1","chain_id":20056)")));
  ASSERT_EQ(machine.run({"network", "add", "testnet", "--domain-name", "Another", "--chain-id", "20056"}).exit, 0);
  for (const std::string line : {"login --wallet alice", "withdrawals submit 5", "transfers enroll"}) {
    const RunResult ran = run(line + machine.with_password);
    EXPECT_EQ(ran.exit, 14) << line;
    EXPECT_EQ(ran.code(), "domain_contradicted") << line;
  }
  ASSERT_EQ(
      machine.run({"network", "add", "testnet", "--domain-name", "Svc Exchange", "--deployment", "elsewhere"}).exit, 0);
  const RunResult ran = run("withdrawals submit 5" + machine.with_password);
  EXPECT_EQ(ran.exit, 14);
  EXPECT_EQ(ran.code(), "deployment_contradicted");
}

class EnvironmentKey : public ::testing::Test {
 protected:
  explicit EnvironmentKey(api::NetworkId id = api::NetworkId::mainnet) : machine(venue_of(id)) {
    EXPECT_EQ(machine.run("network add mainnet --rest http://mainnet.localhost:9090/v1").exit, 0);
    machine.variables["SVC_API_KEY"] = "svc_0";
    machine.variables["SVC_API_SECRET"] = "00";
  }
  ClientMachine machine;
};

// A key acts for its own account alone: an order for another one would be an order of the key's.
TEST_F(EnvironmentKey, ActsForNoAccountButItsOwn) {
  machine.variables["SVC_API_KEY_NETWORK"] = "mainnet";
  const std::string mine = "0x00000000000000000000000000000000000000a1";
  const std::string other = "0x00000000000000000000000000000000000000b2";
  const auto code_of = [&](const std::string& line) {
    const RunResult ran = machine.run("-n mainnet --json -a " + other + " " + line);
    return ran.code();
  };
  for (const std::string line : {"account show", "flatten", "orders cancel-all"}) {
    machine.variables["SVC_ACCOUNT"] = "";
    EXPECT_EQ(code_of(line), "key_account_unknown") << line;
    machine.variables["SVC_ACCOUNT"] = mine;
    EXPECT_EQ(code_of(line), "wrong_account") << line;
  }
  machine.variables["SVC_ACCOUNT"] = "garbage";
  EXPECT_EQ(machine.run("-n mainnet account show").exit, 2);
  EXPECT_TRUE(machine.sent.empty());
  machine.variables["SVC_ACCOUNT"] = other;
  EXPECT_EQ(machine.run("-n mainnet -a " + other + " account show").exit, 4) << "sent, and nobody's";
}

TEST_F(EnvironmentKey, IsValidOnlyForItsNetwork) {
  const RunResult unknown = machine.run("-n mainnet --json account show");
  EXPECT_EQ(unknown.exit, 14);
  EXPECT_EQ(unknown.code(), "key_network_unknown");
  machine.variables["SVC_API_KEY_NETWORK"] = "testnet";
  EXPECT_EQ(machine.run("-n mainnet account show").exit, 14);
  EXPECT_TRUE(machine.sent.empty());
  machine.variables["SVC_API_KEY_NETWORK"] = "mainnet";
  EXPECT_EQ(machine.run("-n mainnet account show").exit, 4) << "sent, and nobody's";
  EXPECT_EQ(machine.run("-n local account show").exit, 14) << "play funds are another network as well";
}

class ApiVersion : public Host {};

TEST_F(ApiVersion, DeprecationIsReportedOnceADayAndInEveryDocument) {
  const auto deprecate = [&](std::string_view sunset) {
    machine.intercept = [sunset](const api::HttpRequest& request) -> Intercepted {
      if (is_discovery(request)) return std::nullopt;
      api::HttpResponse response{.status = 200, .headers = {}, .body = "[]"};
      response.headers.add("Deprecation", "@1790000000");
      response.headers.add("Sunset", std::string(sunset));
      response.headers.add("Link", "<https://docs.example/versions>; rel=\"deprecation\"");
      return response;
    };
  };
  deprecate("Thu, 31 Dec 2026 23:59:59 GMT");
  const auto first = run("orders list");
  const std::string told =
      "API version 0.9.0 is announced to end: it is served until 2026-12-31T23:59:59.000Z; see "
      "https://docs.example/versions";
  EXPECT_TRUE(has(first.err, told));
  const auto again = run("orders list");
  EXPECT_FALSE(has(again.err, told));
  for (const RunResult* ran : {&first, &again}) {
    const Json document = ran->document();
    const auto& warnings = document.at("warnings")->items();
    ASSERT_EQ(warnings.size(), 1u) << ran->out;
    EXPECT_EQ(warnings[0].string_at("code"), "deprecated");
    EXPECT_EQ(warnings[0].string_at("message"), told);
  }
  machine.clock.advance(day_ms);
  machine.intercept = nullptr;  // the session has expired
  EXPECT_EQ(run("login --wallet alice" + machine.with_password).exit, 0);
  deprecate("Thu, 31 Dec 2026 23:59:59 GMT");
  EXPECT_TRUE(has(run("orders list").err, told));
  deprecate("Fri, 01 Jan 2027 23:59:59 GMT");
  EXPECT_TRUE(has(run("orders list").err, "2027-01-01")) << "another date is news";
}

TEST_F(ApiVersion, RefusalNamesTheServedVersionsAndTheGuide) {
  const std::string more = R"(,"api_version":{"spec_url":"https://docs.example/openapi.json"})";
  tell(says("testnet", domain_text(R"("name":"x")") + more));
  ASSERT_NE(run("orders list").exit, 16);
  for (
      const std::string body :
      {R"({"code":"api_version_unsupported","message":"too old","min_version":"0.10.0","current_version":"0.11.0","spec_url":"https://docs.example/openapi.json","docs_url":"d"})",
       R"({"code":"api_version_unsupported","message":"too old"})"}) {
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (is_discovery(request)) return std::nullopt;
      api::HttpResponse response{.status = 426, .headers = {}, .body = body};
      response.headers.add("X-Svc-Api-Min-Version", "0.10.0");
      return response;
    };
    const RunResult ran = machine.run("-n testnet orders list");
    EXPECT_EQ(ran.exit, 16) << ran.err;
    EXPECT_TRUE(
        has(ran.err, "the oldest version that is served is 0.10.0, described at https://docs.example/openapi.json"));
  }
}

TEST_F(ApiVersion, IsCheckedByTheDoctor) {
  const auto state = [&](const std::string& flags) {
    const auto rows = run(flags + "doctor").rows();
    for (const Json& row : rows)
      if (row.string_at("check") == "version") return row.text_at("state") + ": " + row.text_at("detail");
    return std::string("none");
  };
  EXPECT_TRUE(state("").starts_with("ok: ours 0.9.0")) << state("");
  EXPECT_TRUE(state("--api-version 0.7.0 ").starts_with("fail: ours 0.7.0")) << state("--api-version 0.7.0 ");
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    return is_discovery(request) ? std::nullopt
                                 : answered(426, R"({"code":"api_version_unsupported","message":"too old"})");
  };
  EXPECT_TRUE(state("").starts_with("fail: ")) << "whatever the metadata says: " << state("");
}

}  // namespace SVC_FILE
}  // namespace svc::cli
