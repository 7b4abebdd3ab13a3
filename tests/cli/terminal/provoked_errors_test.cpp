// Every code of the catalogue, provoked by the commands that docs/errors.md lists for it.
//
// The document is generated from this table and the catalogue: SVC_UPDATE_GOLDEN=1 rewrites it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "api/error_catalog.h"
#include "cli/client/refusal.h"
#include "cli/client_machine.h"
#include "files.h"
#include "surroundings.h"

namespace svc::cli {
namespace SVC_FILE {

using api::ErrorCode;
using enum api::ErrorCode;

// One of the commands gets the error; the others prepare it or clean up. Codes without a row cannot be reached by any
// state of the sandbox: they are injected as faults.
struct Provocation {
  ErrorCode code;
  std::vector<std::string> commands;
};

#define ORDER(rest) R"(api POST /orders -d '{"market_id":"ETH-USDX-PERP","side":"Buy",)" rest "}'"
#define LIMIT(price, quantity) \
  R"("order_type":"Limit","time_in_force":"GTC","price":")" price R"(","quantity":")" quantity R"(")"

const std::vector<Provocation>& provocations() {
  static const std::vector<Provocation> table{
      {unauthorized, {"local fault add --route /account --skew 31s --count 1", "api GET /account"}},
      {forbidden, {"admin tiers list --admin-secret-file wrong"}},
      {invalid_json, {"api POST /orders -d '{'"}},
      {invalid_parameter, {"api GET /fills?limit=0"}},
      {not_found, {"api GET /nowhere"}},
      {method_not_allowed, {"api PUT /markets"}},
      {gone, {"api GET /legacy/markets"}},
      {unprocessable, {R"(api POST /account/margin-mode -d '{"market_id":"ETH-USDX-PERP","margin_mode":"both"}')"}},
      {api_version_unsupported, {"api GET /markets --api-version 0.1.0"}},
      {upgrade_required, {"api GET /v1/stream"}},
      {account_id_header_unsupported,
       {"api POST /account/deposit -d '{\"amount\":\"1\"}' -H 'X-Account-Id: "
        "0x0000000000000000000000000000000000000001'"}},
      {bad_wallet, {R"(api POST /agents/register -d '{"wallet":"x","agent":"x","nonce":1,"signature":"x"}')"}},
      {bad_agent,
       {R"(api POST /agents/register -d '{"wallet":"0x0000000000000000000000000000000000000001","agent":"0x0000000000000000000000000000000000000001","nonce":1,"signature":"x"}')"}},
      {expiry_out_of_range,
       {R"(api POST /agents/register -d '{"wallet":"0x0000000000000000000000000000000000000001","agent":"0x0000000000000000000000000000000000000002","nonce":1,"signature":"x","expires_at":1}')"}},
      {invalid_market_id, {"api GET /markets/eth/ticker"}},
      {unknown_market, {"api GET /markets/DOGE-USDX-PERP/ticker"}},
      {market_halted, {"local halt ETH-USDX-PERP", ORDER(LIMIT("2900", "0.1")), "local resume ETH-USDX-PERP"}},
      {empty_batch, {"api POST /orders/batch -d '[]'"}},
      {invalid_lot_size, {ORDER(LIMIT("2900", "0.00001"))}},
      {invalid_quantity, {ORDER(LIMIT("2900", "0"))}},
      {invalid_tick_size, {ORDER(LIMIT("2900.001", "0.1"))}},
      {invalid_price, {ORDER(LIMIT("0", "0.1"))}},
      {invalid_trigger_price,
       {ORDER(R"("order_type":"StopMarket","time_in_force":"GTC","quantity":"0.1","trigger_price":"0")")}},
      {invalid_client_id,
       {ORDER(LIMIT("2900",
                    "0.1") R"(,"client_id":"12345678901234567890123456789012345678901234567890123456789012345")")}},
      {client_id_taken,
       {ORDER(LIMIT("2900", "0.1") R"(,"client_id":"twice")"), "api DELETE /orders",
        ORDER(LIMIT("2900", "0.1") R"(,"client_id":"twice")")}},
      {reduce_only_would_increase, {ORDER(LIMIT("2900", "0.1") R"(,"reduce_only":true)")}},
      {price_band_exceeded, {ORDER(LIMIT("9000", "0.1"))}},
      {would_take_liquidity,
       {R"(api POST /orders -d '{"market_id":"ETH-USDX-PERP","side":"Sell",)" LIMIT("3000", "0.1") "}'",
        ORDER(R"("order_type":"Limit","time_in_force":"PostOnly","price":"3000","quantity":"0.1")")}},
      {insufficient_liquidity,
       {ORDER(R"("order_type":"Market","time_in_force":"IOC","quantity":"0.1","max_slippage_bps":10)")}},
      {insufficient_margin, {ORDER(LIMIT("2900", "100"))}},
      {order_not_found, {"api GET /orders/00000000-0000-4000-8000-000000000000?market_id=ETH-USDX-PERP"}},
      {no_open_position,
       {R"(api POST /account/margin -d '{"market_id":"SOL-USDX-PERP","amount":"1","direction":"add"}')"}},
      {invalid_leverage, {R"(api POST /leverage -d '{"market_id":"ETH-USDX-PERP","leverage":1000}')"}},
      {invalid_amount,
       {R"(api POST /account/margin -d '{"market_id":"SOL-USDX-PERP","amount":"0","direction":"add"}')"}},
      {margin_mode_locked,
       {ORDER(LIMIT("2900", "0.1")),
        R"(api POST /account/margin-mode -d '{"market_id":"ETH-USDX-PERP","margin_mode":"isolated"}')"}},
      {credits_frozen, {"local switch credits off", "api POST /account/credit", "local switch credits on"}},
      {daily_limit_exceeded, {R"(api POST /account/credit -d '{"amount":"501"}')"}},
      {faucet_cooldown, {"api POST /faucet", "api POST /faucet"}},
      {unsupported_chain, {R"(api POST /api/v1/bridge/deposit-addresses -d '{"chain":"dogecoin"}')"}},
      {invalid_address, {R"(api POST /api/v1/bridge/wallets/challenge -d '{"address":"x"}')"}},
      {amount_below_minimum,
       {R"(api POST /api/v1/bridge/withdrawals -H 'Idempotency-Key: small' -d '{"amount":"1"}')"}},
      {idempotency_conflict,
       {R"(api POST /api/v1/bridge/withdrawals -H 'Idempotency-Key: one' -d '{"amount":"20000000"}')",
        R"(api POST /api/v1/bridge/withdrawals -H 'Idempotency-Key: one' -d '{"amount":"30000000"}')"}},
      {deposit_not_found, {"api GET /api/v1/bridge/deposits/dep_0"}},
      {withdrawal_not_found, {"api GET /api/v1/bridge/withdrawals/wdl_0"}},
      {bridge_withdrawals_unavailable,
       {"local switch bridge_withdrawals off",
        R"(api POST /api/v1/bridge/withdrawals -H 'Idempotency-Key: off' -d '{"amount":"20000000"}')",
        "local switch bridge_withdrawals on"}},
      {wallet_registration_unavailable,
       {"local switch wallet_registration off",
        R"(api POST /api/v1/bridge/wallets/challenge -d '{"address":"0x0000000000000000000000000000000000000001"}')",
        "local switch wallet_registration on"}},
      {invalid_window, {"api GET /account/portfolio-history?window=century"}},
  };
  return table;
}

#undef LIMIT
#undef ORDER

// The request for an injected fault: an operation that every deployment may refuse in that way.
std::string_view victim(ErrorCode code) {
  switch (code) {
    case transfer_engine_unavailable:  // the engine refuses a write, and no look-up follows
      return R"(--no-reconcile api POST /leverage -d '{"market_id":"ETH-USDX-PERP","leverage":2}')";
    case us_restricted:
    case geo_unresolved: return R"(api POST /leverage -d '{"market_id":"ETH-USDX-PERP","leverage":2}')";
    case isolated_margin_not_recorded:
      return R"(api POST /account/margin -d '{"market_id":"BTC-USDX-PERP","amount":"1","direction":"add"}' --retries 0)";
    default: return "api GET /account/state --retries 0 --rate fail";
  }
}

std::vector<std::string> commands_for(ErrorCode code) {
  for (const Provocation& row : provocations())
    if (row.code == code) return row.commands;
  if (api::info(code).is_of_frames) return {};
  // Only for that route, because the command line reads /metadata before it signs.
  const std::string request(victim(code));
  const auto path_at = request.find('/');
  const std::string path = request.substr(path_at, request.find(' ', path_at) - path_at);
  return {"local fault add --route " + path + " --count 1 --code " + std::string(api::spelling(code)), request};
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string document() {
  std::ostringstream text;
  text << "# Errors\n\n"
          "Every error code of the API and, unless it is a frame of a stream, the commands that make a sandbox answer "
          "it. Use\n"
          "them to test a client, or to see the whole answer. The commands run as printed with `SVC_NETWORK=local`, a "
          "wallet\n"
          "that has logged in, an API key and 10,000 USDX (`svc deposits submit --amount 10000`), against\n"
          "`svc serve --local --flow none --faucet`. The code is in the body's `code` (`error.code` under "
          "/api/v1/bridge).\n"
          "One command reads a wrong operator secret: `(umask 077; echo wrong >wrong)` makes it. Clients accept "
          "`RateLimitExceeded`\n"
          "as a second spelling of `RATE_LIMIT_EXCEEDED`. Frames of streams spell `UnknownMarket` as "
          "`unknown_market`.\n\n"
          "Written by tests/cli/terminal/provoked_errors_test.cpp from the catalogue (`src/api/error_codes.def`) and "
          "the commands\n"
          "that the test runs. `svc explain CODE` explains a code in the terminal.\n\n"
          "[gateway.md](gateway.md#faults) describes faults. With `--operation` or `--route` they apply only to the\n"
          "requests they are meant for; `svc local fault clear` removes them.\n\n"
          "| code | status | try again | meaning | commands |\n|---|---|---|---|---|\n";
  for (const api::ErrorInfo& info : api::error_catalog()) {
    text << "| `" << info.spelling << "` | " << info.status << " | "
         << (may_leave_write_open(info.code) ? "a read after a short pause; a write never before it was looked for"
                                             : to_string(info.retry))
         << " | " << cell(std::string(info.meaning)) << " | ";
    const auto commands = commands_for(info.code);
    for (std::size_t i = 0; i < commands.size(); ++i)
      text << (i == 0 ? "`" : "<br>`") << "svc " << cell(commands[i]) << '`';
    if (commands.empty()) text << "a frame of a stream, not an answer";
    text << " |\n";
  }
  return text.str();
}

TEST(ProvokedErrors, DocumentMatchesTheCatalogueAndTheCommands) {
  test::expect_generated("docs/errors.md", document());
}

// A trader with an isolated position in BTC, whose margin can be moved.
class Victim {
 public:
  Victim() : machine(options()) {
    machine.variables["SVC_NETWORK"] = "local";
    machine.write("wrong", "not-the-secret\n");
    machine.variables["SVC_ADMIN_SECRET_FILE"] = (machine.home() / "wrong").string();
    machine.add_trader("alice");
    for (
        const char* line :
        {R"(api POST /account/margin-mode -d '{"market_id":"BTC-USDX-PERP","margin_mode":"isolated"}')",
         R"(api POST /orders -d '{"market_id":"BTC-USDX-PERP","side":"Sell","order_type":"Limit","time_in_force":"GTC","price":"60000","quantity":"0.01"}')"})
      run(line);
  }

  static sim::SandboxOptions options() {
    sim::SandboxOptions options;
    options.faucet = true;
    options.admin_secret = Secret(std::string("operator-secret"));
    return options;
  }

  RunResult run(std::string line) {
    if (line.starts_with("admin tiers"))
      line = "admin tiers list --admin-secret-file " + (machine.home() / "wrong").string();
    machine.clock.advance(second_ms);  // budgets are full again
    // The latest request has to be the call itself, not a look-up.
    return machine.run(line.starts_with("api ") ? "--no-reconcile " + line : line);
  }

  // The error code of the latest refused request.
  std::string last_code() {
    const auto response =
        machine.sandbox.handle({.method = "GET", .target = "/_svc/requests?limit=2", .headers = {}, .body = {}});
    const auto log = parse_json(response.body);
    const Json* requests = log ? log->find("requests") : nullptr;
    if (requests == nullptr) return "";
    for (auto at = requests->items().rbegin(); at != requests->items().rend(); ++at) {
      const Json& one = *at;
      // After a refused signature the metadata is read again.
      if (one.string_at("path") == "/v1/metadata" || one.string_at("path") == "/metadata") continue;
      return one.text_at("code");
    }
    return "";
  }

  ClientMachine machine;
};

TEST(ProvokedErrors, EachCommandGetsItsCode) {
  Victim victim;
  for (const api::ErrorInfo& info : api::error_catalog()) {
    SCOPED_TRACE(info.spelling);
    const auto commands = commands_for(info.code);
    bool met = false;
    std::string seen;
    for (const std::string& command : commands) {
      const RunResult ran = victim.run(command);
      const bool asked = !command.starts_with("local ");
      met = met || (asked && victim.last_code() == info.spelling);
      seen += "svc " + command + "\n" + ran.out + ran.err + "\n";
    }
    EXPECT_TRUE(met || commands.empty()) << seen;
    victim.run("local fault clear");
    victim.run("api DELETE /orders");
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
