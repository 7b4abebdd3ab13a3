// Each kind of failure has its exit code, for failures of the command line and of the server.
#include "cli/terminal/failure.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "cli/client_machine.h"
#include "cli/terminal/text.h"
#include "files.h"
#include "surroundings.h"

namespace svc::cli {
namespace SVC_FILE {

api::HttpResponse answer(int status, std::string body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

TEST(ExitCode, OfUsageErrors) {
  struct Row {
    std::string_view line;
    int exit;
    std::string_view says;
  };
  const Row rows[] = {
      {"", 2, "Usage: svc"},
      {"--help", 0, ""},
      {"--version", 0, ""},
      {"orders", 2, "one more word"},
      {"ordrs list", 2, "did you mean \"orders list\"?"},
      {"orders lst", 2, "did you mean \"orders list\"?"},
      {"nonsense", 2, "unknown command \"nonsense\""},
      {"markets list", 2, "no network is selected"},
      {"-n Local markets list", 2, "not a network name"},
      {"-n testnet markets list", 2, "address of network testnet is not configured"},
      {"-n mainnet markets list", 10, "mainnet host does not resolve yet"},
      {"-n local markets list --marked", 2, "unknown flag --marked"},
      {"-n local orders cancel all", 2, "svc orders cancel-all"},
      {"-n local orders list --markt X", 2, "did you mean --market?"},
      {"-n local markets list extra", 2, "unexpected argument \"extra\""},
      {"-n local markets ticker", 2, "missing MARKET"},
      {"-n local markets ticker btc!", 2, "not a market id"},
      {"-n local markets ticker doge", 5, "there is no market \"doge\""},
      {"-n local -P desk markets list", 2, "no profile is called"},
      {"-n local --profile=desk markets list", 2, "no profile is called"},
      {"-n local markets list -o yaml", 2, "must be one of table, json, ndjson, csv, tsv, raw"},
      {"-n local markets list -o csv --json", 2, ""},
      {"-n local markets list --timeout 0", 2, "--timeout must be seconds"},
      {"-n local markets list --retries 21", 2, "--retries must be a number from 0 to 20"},
      {"-n local markets list --fields market,colour", 2, "no column \"colour\"; svc markets list has market, base"},
      {"-n local markets list --json --json", 0, ""},
      {"-n local -n testnet markets list", 2, ""},
      {"-n local -a 0x12 markets list", 2, "0x and 40 hex digits"},
      {"-n local buy 1,5 BTC-USDX-PERP", 2, "SIZE must be a size above zero, such as 0.25"},
      {"-n local buy 1 BTC-USDX-PERP 5", 2, "only @ PRICE may follow"},
      {"-n local buy 1 BTC-USDX-PERP @ 5 --price 6", 2, "exclude each other"},
      {"-n local buy 0 BTC-USDX-PERP", 2, "SIZE must be a size above zero, such as 0.25"},
      {"-n local orders place BTC-USDX-PERP --side hold --size 1", 2, "--side must be one of buy, sell"},
      {"-n local orders place BTC-USDX-PERP --size 1", 2, "--side must be buy or sell"},
      {"-n local orders place BTC-USDX-PERP --side buy", 2, "needs --size or --notional"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1e3", 2, "must be a size above zero, such as"},
      {"-n local orders place BTC-USDX-PERP --side buy --size -1", 2, "must be a size above zero, such as"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --notional 5", 2, "exclude each other"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --type limit", 2, "needs --price"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --type market --price 5", 2, "takes no --price"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --type stop-market", 2, "needs --trigger-price"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --type trailing-stop", 2, "needs --trailing-bps"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --post-only --tif ioc --price 5", 2,
       "exclude each other"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --client-id 'a b'", 2, "printable characters"},
      {"-n local orders get", 2, "either ORDER_ID or --client-id"},
      {"-n local orders get a/b", 2, "not an order id"},
      {"-n local orders get . --market BTC-USDX-PERP", 2, "\".\" is not an order id"},
      {"-n local orders get history", 2, "\"history\" is not an order id"},
      {"-n local orders cancel .. --market BTC-USDX-PERP", 2, "\"..\" is not an order id"},
      {"-n local orders amend ... --market BTC-USDX-PERP --price 1", 2, "\"...\" is not an order id"},
      {"-n local orders cancel", 2, "give ORDER_ID"},
      {"-n local orders cancel-all --client-id-prefix ''", 2, "empty"},
      {"-n local orders history --since soon", 2, "--since must be 90s, 15m, 8h or 7d (ago), today"},
      {"-n local api FETCH /orders", 2, "METHOD must be"},
      {"-n local api GET http://elsewhere/", 2, "PATH must begin with /"},
      {"-n local api GET /orders -H 'Authorization: Bearer x'", 2, "secrets do not belong on a command line"},
      {"-n local api GET /orders -H 'Set-Cookie: x'", 2, "secrets do not belong on a command line"},
      {"-n local api GET /orders -H 'x-api-key: x'", 2, "secrets do not belong on a command line"},
      {"-n local api GET /orders -H 'X-Access-Token: x'", 2, "secrets do not belong on a command line"},
      {"-n local api GET /orders -H 'Content-Length: 5'", 2, "svc writes it itself"},
      {"-n local api GET /markets -H 'X-Name: \x01'", 2, "header field X-Name holds a control character"},
      {"-n local account show", 4, "nobody is logged in"},
      {"-n local keys create", 4, "nobody is logged in"},
      {"-n local --auth agent account show", 4, "no agent key"},
      {"-n local orders place BTC-USDX-PERP --side buy --size 1 --ttl 5s", 2,
       "the service has no field for a lifetime"},
      {"-n local orders amend x", 2, "give --price, --size or both"},
      {"-n local buy 50%posx BTC-USDX-PERP", 2, "500usdx, 50%pos"},
      {"-n local buy 1 BTC-USDX-PERP @ mid-5bp", 2, "mid-5bps"},
      {"-n local buy 1 BTC-USDX-PERP @ bid+0.5t", 2, "bid+1t"},
      {"-n local positions close BTC-USDX-PERP --pct 100.1", 2, "at most 100"},
      {"-n local fills list --sort colour", 2, "--sort: no column"},
      {"local stop", 5, "no sandbox runs"},
      {"local run -- ", 2, "name the program after --"},
      {"local run --ready-fd 1 -- true", 2, "--ready-fd: local run reads the ready line itself"},
      {"local accounts melt", 2, "takes list, new, fund"},
      {"local time set --to next-funding", 2, "--to belongs to"},
      {"local status --name x", 5, "no sandbox named x runs"},
      {"-n local admin tiers apply -f /nowhere", 2, "cannot open"},
      {"-n local --proxy ftp://x markets list", 2, "--proxy"},
      {"serve --local --host 0.0.0.0", 2, "--allow-remote"},
      {"serve --local --host [0.0.0.0]", 2, "--allow-remote"},
      {"serve --local --host [::1] --dry-run", 0, ""},
      {"serve --local --ready-fd 987", 2, "not open for writing"},
      {"serve --local --admin-secret-file x --admin-secret-fd 8", 2, "exclude each other"},
      {"-n local buy 99999999999999999999999999usdx BTC-USDX-PERP @ 50000", 2, "cannot be computed exactly"},
      {"-n local keystore new alice", 3, "nobody can be asked"},
      {"-n local keystore new '../x' --password-file p", 2, "not a usable name: 1 to 64 letters"},
      {"-n local keystore show nobody", 5, "no wallet \"nobody\""},
      {"-n local login --wallet nobody", 5, "no wallet \"nobody\""},
      {"-n local markets ticker NONE-USDX-PERP", 5, ""},
      {"-n local api GET /nowhere", 5, ""},
      {"-n local --surface direct markets list", 2, "no twin under /api/v1"},
      {"network show nowhere", 5, "no network is named nowhere"},
      {"network add mainnet --rest https://x.example/v1 --funds play", 14, "cannot be labelled play"},
      {"network add testnet --rest ftp://x", 2, "--rest must be an address"},
      {"network add testnet", 2, "at least --rest URL"},
      {"-n mainnet faucet claim", 14, "there is no faucet"},
      {"serve", 2, "needs --local"},
      {"serve --local --port 70000", 2, "from 0 to 65535"},
      {"serve --local --accounts -1", 2, "from 0 to 1000, not \"-1\""},
      {"serve --local --latency soon", 2, "a latency is such as 5ms"},
      {"serve --local --flow crowd", 2, "--flow must be bots, none or tape:FILE"},
      {"explain 11", 0, ""},
      {"explain InsufficientMargin", 0, ""},
      {"explain nonsense", 5, "is no error"},
      {"sign message", 2, "missing TEXT"},
      {"verify --message x", 2, "--signature is required"},
  };
  for (const Row& row : rows) {
    ClientMachine machine;
    const RunResult ran = machine.run(row.line);
    EXPECT_EQ(ran.exit, row.exit) << row.line << "\n" << ran.err << ran.out;
    EXPECT_TRUE(has(ran.err, row.says)) << row.line << "\nsaid: " << ran.err;
    const bool asked_for_json = row.line.find("--json") != std::string_view::npos;
    const bool shows_bodies = row.line.find(" api ") != std::string_view::npos;
    EXPECT_TRUE(ran.exit == 0 || asked_for_json || shows_bodies || ran.out.empty())
        << row.line << "\nprinted: " << ran.out;
  }
}

TEST(ExitCode, OfAnIdThatWouldBeAnotherPathIsThatOfUsageAndNothingIsSent) {
  TraderMachine machine;
  for (const std::string_view line :
       {"keys delete ..", "keys delete .", "keys delete ''", "keys delete ../orders", "bridge withdrawals get ..",
        "bridge deposits get .", "orders get .. --market BTC-USDX-PERP", "orders cancel . --market BTC-USDX-PERP"}) {
    machine.sent.clear();
    const RunResult ran = machine.run("-n local " + std::string(line));
    EXPECT_EQ(ran.exit, 2) << line << "\n" << ran.err;
    EXPECT_TRUE(machine.sent.empty()) << line;
  }
  EXPECT_TRUE(
      has(machine.run("-n local keys delete ..").err, "DELETE /keys/{key_id} cannot be sent as /keys/..: an id "));
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(ExitCode, OfAReadFollowsTheServersAnswer) {
  struct Row {
    int status;
    std::string_view body;
    int exit;
    std::string_view code;
  };
  const Row rows[] = {
      {400, R"({"code":"invalid_window","message":"m"})", 7, "invalid_window"},
      {401, R"({"code":"unauthorized"})", 4, "unauthorized"},
      {401, R"({"code":"UNAUTHORIZED"})", 4, "UNAUTHORIZED"},
      {403, R"({"code":"RESTRICTED_JURISDICTION","message":"m"})", 8, "RESTRICTED_JURISDICTION"},
      {403, R"({"code":"InsufficientBalance","message":"m"})", 12, "InsufficientBalance"},
      {404, R"({"error":"OrderNotFound","message":"m"})", 5, "OrderNotFound"},
      {404, R"({"error":{"code":"deposit_not_found","message":"m"}})", 5, "deposit_not_found"},
      {409, R"({"code":"duplicate_agent","message":"m"})", 6, "duplicate_agent"},
      {410, R"({"code":"gone","message":"m"})", 16, "gone"},
      {422, R"({"code":"something_new","message":"m"})", 7, "something_new"},
      {426, R"({"code":"api_version_unsupported","message":"m"})", 16, "api_version_unsupported"},
      {429, R"({"code":"daily_limit_exceeded","message":"m"})", 9, "daily_limit_exceeded"},
      {500, R"({"code":"INTERNAL_ERROR","message":"m"})", 1, "INTERNAL_ERROR"},
      {501, R"({"code":"not_implemented","message":"m"})", 1, "not_implemented"},
      {502, R"({"code":"authoritative_margin_unavailable"})", 10, "authoritative_margin_unavailable"},
      {503, "upstream timed out", 10, "http_503"},
      {418, "", 7, "http_418"},
      {404, "<html>no such page</html>", 10, "http_404"},  // a proxy's page says nothing of an order
      {401, "who are you?", 10, "http_401"},
      {400, R"({"code":"MarketHalted","error":"MarketHalted","message":"m"})", 13, "MarketHalted"},
  };
  for (const Row& row : rows) {
    ClientMachine machine;
    machine.intercept = [&](const api::HttpRequest&) { return answer(row.status, std::string(row.body)); };
    const RunResult ran = machine.run("-n local --json --retries 0 markets list");
    EXPECT_EQ(ran.exit, row.exit) << row.status << " " << row.body << "\n" << ran.out;
    EXPECT_EQ(ran.code(), row.code) << row.body;
    EXPECT_FALSE(ran.document().find("ok")->truth());
  }
}

TEST(ExitCode, OfAMissingFaucetIsKnownWithoutARequest) {
  TraderMachine machine;
  for (const char* line : {"-n local faucet claim", "-n local faucet credit"}) {
    machine.sent.clear();
    const RunResult ran = machine.run(line);
    EXPECT_EQ(ran.exit, 14) << line;
    EXPECT_TRUE(has(ran.err, "serve --local --faucet"));
    for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << request.target;
  }
}

TEST(ExitCode, OfALockedWalletIsTheSameInEveryCommand) {
  TraderMachine machine;
  const std::string wrong = " --password-file " + machine.write("wrong", "guess\n").string();
  for (const std::string& line : {std::string("buy 1 BTC-USDX-PERP --action sign"), "login --wallet alice" + wrong}) {
    const RunResult ran = machine.run("-n local --json " + line);
    EXPECT_EQ(ran.exit, 4) << ran.out;
    EXPECT_EQ(ran.code(), "wallet_locked");
  }
}

TEST(ExitCode, IsThreeIfAQuestionHasNoTerminal) {
  ClientMachine machine;
  machine.answers = {"correct horse", "correct horse"};  // answers for a prompt that must not appear
  const RunResult ran = machine.run("-n local keystore new alice");
  EXPECT_EQ(ran.exit, 3) << ran.err;
  EXPECT_EQ(machine.answers.size(), 2u);
  machine.in_is_terminal = true;
  EXPECT_EQ(machine.run("-n local --no-input keystore new alice").exit, 3);
  EXPECT_EQ(machine.run("-n local keystore new alice").exit, 0);
}

TEST(ExitCode, EveryOneIsExplained) {
  ClientMachine machine;
  for (const ExitMeaning& meaning : exit_meanings) {
    const RunResult ran = machine.run("--json explain " + std::to_string(static_cast<int>(meaning.code)));
    EXPECT_EQ(ran.exit, 0);
    EXPECT_EQ(ran.document().string_at("data.category"), meaning.category);
  }
}

// Written into docs/cli.md, between its heading and the text after the table.
TEST(ExitCode, TheTableOfTheManualIsThatOfTheProgram) {
  std::string table = "\n## Exit codes\n\n| code | category | meaning | may a script retry? |\n|---|---|---|---|\n";
  for (const ExitMeaning& one : exit_meanings)
    table += concat("| ", code_of(one.code), " | ", one.category, " | ", one.meaning, " | ",
                    one.may_retry == "-" ? "" : one.may_retry, " |\n");
  std::string document = file_text(test::source_folder() / "docs/cli.md");
  const std::size_t begin = document.find("\n## Exit codes\n");
  const std::size_t end = document.find("\n\nAfter 130", begin) + 1;
  ASSERT_LT(begin, end);
  document.replace(begin, end - begin, table);
  test::expect_generated("docs/cli.md", document);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
