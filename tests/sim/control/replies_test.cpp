// Every reply of the control surface, to valid and invalid requests, compared with
// tests/golden/control/replies.txt.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "api/contract/control.h"
#include "api/router.h"
#include "files.h"
#include "sim/sandbox_exchange.h"
#include "surroundings.h"

namespace svc::sim {
namespace SVC_FILE {

// Replaces what differs between processes and days.
std::string without_chance(std::string text) {
  for (const auto& [pattern, otherwise] : {std::pair{R"re("(pid|rss_bytes|bytes)":\d+)re", R"("$1":0)"},
                                           {R"re("state":"[A-Za-z0-9+/=]+")re", R"("state":"...")"},
                                           {R"re("(checksum|state_hash)":"[0-9a-fx]+")re", R"("$1":"...")"}})
    text = std::regex_replace(text, std::regex(pattern), otherwise);
  return text;
}

class Transcript {
 public:
  explicit Transcript(TestExchange& exchange) : exchange_(exchange) {
    for (const api::OperationEntry& entry : api::control::all_operations()) router_.add(*entry.operation);
  }

  Json ask(const std::string& method, const std::string& path, const std::string& body = "") {
    const auto response = exchange_.sandbox.handle(
        {.method = method, .target = "/_svc" + path, .headers = {}, .body = body}, "127.0.0.1");
    text_ += method + ' ' + path + (body.empty() ? "" : ' ' + shown(body)) + "\n  " + std::to_string(response.status);
    if (const auto allow = response.headers.find("Allow")) text_ += " allow " + std::string(*allow);
    text_ += ' ' + shown(response.body) + (response.body.ends_with('\n') ? "" : "\n");
    check_declared(method, path, response);
    return Json::parse(response.body, nullptr, false);
  }
  void post(const std::string& path, const std::string& body = "{}") { (void)ask("POST", path, body); }
  void get(const std::string& path) { (void)ask("GET", path); }
  // Posts bodies that are invalid for every operation.
  void post_nonsense(const std::string& path) {
    for (const char* body : {"", "{", "[]", R"({"nonsense":1})", R"({"a":1,"a":2})"}) post(path, body);
  }
  void title(const std::string& text) { text_ += "\n# " + text + "\n"; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  // The operation's table must declare the refusal.
  void check_declared(const std::string& method, const std::string& path, const api::HttpResponse& response) const {
    const auto route = router_.match(method, "/_svc" + path.substr(0, path.find('?')));
    if (response.status < 400 || !route || route->operation == nullptr) return;
    const auto all = api::control::all_operations();
    const auto entry = std::ranges::find(all, route->operation, &api::OperationEntry::operation);
    const std::string code = Json::parse(response.body)["code"];
    const auto declared = api::declared_errors(*entry);
    EXPECT_TRUE(std::ranges::any_of(declared,
                                    [&](const api::OperationError& error) {
                                      return api::spelling(error.code) == code && error.status == response.status;
                                    }))
        << method << ' ' << path << ": " << response.status << ' ' << code;
  }

  // Shows only both ends of a long list.
  static std::string shown(const std::string& body) {
    const std::string text = without_chance(body);
    constexpr std::size_t most = 4'000, end = 500;
    return text.size() <= most ? text : text.substr(0, most - end) + " ... " + text.substr(text.size() - end);
  }

  TestExchange& exchange_;
  api::Router router_;
  std::string text_;
};

void record_clock(Transcript& t) {
  t.title("status, time");
  t.get("/status");
  t.get("/time");
  t.post("/time", R"({"advance_ms":5000})");
  t.post("/time", R"({"set_ms":1700000007000})");
  t.post("/time", R"({"advance_ms":1000,"wait_streams":true})");
  t.post("/time", R"({"mode":"scaled","rate":2.5})");
  t.post("/time", R"({"mode":"scaled","rate":"10"})");
  t.post("/time", R"({"mode":"real"})");
  t.post("/time", R"({"mode":"manual","advance_ms":0})");
  t.post_nonsense("/time");
  for (const char* body :
       {R"({"advance_ms":1,"set_ms":2})", R"({"advance_ms":-1})", R"({"advance_ms":"1"})", R"({"advance_ms":1.5})",
        R"({"set_ms":1})", R"({"mode":"fast"})", R"({"mode":1})", R"({"mode":"scaled"})", R"({"mode":"real","rate":2})",
        R"({"rate":2})", R"({"mode":"scaled","rate":0})", R"({"mode":"scaled","rate":true})",
        R"({"wait_streams":true})", R"({"advance_ms":1,"wait_streams":"yes"})", R"({"advance_ms":{}})"})
    t.post("/time", body);
}

void record_prices(Transcript& t) {
  t.title("prices");
  t.post("/prices", R"({"SOL-USDX-PERP":140,"BTC-USDX-PERP":"61000.5"})");
  t.post("/prices", R"({"BTC-USDX-PERP":"60000"})");
  t.post("/prices");
  t.post_nonsense("/prices");
  for (const char* value : {R"("0")", "-1", R"("99999999999")", R"("abc")", "60000.3", "true", "null"})
    t.post("/prices", std::string(R"({"BTC-USDX-PERP":)") + value + "}");
  t.post("/prices", R"({"NO-MARKET":"1"})");
  const std::string walk = "/prices/BTC-USDX-PERP/walk";
  t.post(walk, R"({"to":"61000","over_ms":60000})");
  t.post(walk, R"({"shock":-10,"over_ms":60000})");
  t.post_nonsense(walk);
  for (const char* body :
       {R"({"to":"61000","shock":"1","over_ms":60000})", R"({"to":"61000"})", R"({"to":"61000","over_ms":"60000"})",
        R"({"to":"61000","over_ms":999})", R"({"to":"61000.3","over_ms":1000})", R"({"shock":"-100","over_ms":1000})",
        R"({"shock":"x","over_ms":1000})", R"({"shock":true,"over_ms":1000})"})
    t.post(walk, body);
  t.post("/prices/NO-MARKET/walk", R"({"to":"1","over_ms":1000})");
  t.post("/prices", R"({"BTC-USDX-PERP":"60000"})");
}

void record_money(Transcript& t, const Trader& alice) {
  t.title("fund, insurance");
  const std::string account = alice.account();
  t.post("/fund", R"({"account":")" + account + R"(","amount":"12.5"})");
  t.post("/fund", R"({"account":"0x00000000000000000000000000000000000000aa","amount":1})");
  t.post_nonsense("/fund");
  for (const char* body : {R"({"account":"0x12","amount":"1"})", R"({"account":7,"amount":"1"})", R"({"amount":"1"})"})
    t.post("/fund", body);
  for (const char* amount : {R"("-1")", R"("x")", "true", "0", R"("0.0000001")"})
    t.post("/fund", R"({"account":")" + account + R"(","amount":)" + amount + "}");
  t.post("/fund", R"({"account":")" + account + R"("})");
  t.post("/insurance", R"({"amount":"50"})");
  t.post_nonsense("/insurance");
  t.post("/insurance", R"({"amount":"0"})");

  t.title("bridge");
  const Json sent = t.ask("POST", "/bridge/deposits", R"({"account":")" + account + R"(","amount":"25"})");
  t.post("/bridge/deposits", R"({"account":")" + account + R"(","amount":25,"asset":"USDC"})");
  t.post_nonsense("/bridge/deposits");
  for (const std::string& body :
       {R"({"account":")" + account + R"(","amount":"25","asset":"BTC"})",
        R"({"account":")" + account + R"(","amount":"25","asset":7})", R"({"account":")" + account + R"("})",
        R"({"account":")" + account + R"(","address":")" + account + R"(","amount":"1"})",
        R"({"address":")" + account + R"(","amount":"1"})", std::string(R"({"account":"0x1","amount":"1"})"),
        R"({"account":")" + account + R"(","amount":"0"})"})
    t.post("/bridge/deposits", body);
  const std::string id = sent["id"];
  t.post("/bridge/" + id + "/settle");
  t.post("/bridge/" + id + "/settle", "");
  t.post("/bridge/dep_0000000000000002/fail");
  t.post("/bridge/dep_0000000000000002/fail");
  t.post("/bridge/nothing/settle");
  t.post("/bridge/nothing/fail");
  for (const char* body : {"{", "[]", R"({"nonsense":1})"}) t.post("/bridge/" + id + "/fail", body);

  t.title("switches, freezes");
  t.get("/switches");
  t.post("/switches", R"({"transfers":false,"credits":false})");
  t.post("/switches", R"({"transfers":true,"credits":true})");
  t.post("/switches");
  t.post_nonsense("/switches");
  t.post("/switches", R"({"credits":"off"})");
  t.post("/accounts/" + account + "/freeze");
  t.post("/accounts/" + account + "/unfreeze", "");
  t.post("/accounts/0x12/freeze");
  t.post("/accounts/" + account + "/freeze", R"({"nonsense":1})");
}

void record_markets(Transcript& t) {
  t.title("markets");
  const std::string eth = "/markets/ETH-USDX-PERP";
  t.post(eth + "/halt", R"({"reason":"maintenance"})");
  t.post(eth + "/halt", R"({"reason":"maintenance"})");
  t.post(eth + "/resume", R"({"inject":"5"})");
  t.post(eth + "/resume");
  t.post_nonsense(eth + "/halt");
  for (const std::string& reason : {std::string(R"("")"), '"' + std::string(300, 'x') + '"', std::string("7")})
    t.post(eth + "/halt", "{\"reason\":" + reason + "}");
  t.post("/markets/NO-MARKET/halt", R"({"reason":"x"})");
  t.post(eth + "/resume", R"({"nonsense":1})");
  t.post(eth + "/resume", R"({"inject":"-5"})");
  t.post(eth + "/resume", R"({"inject":true})");
  t.post("/markets/NO-MARKET/resume");
  t.post_nonsense(eth + "/settle");
  for (const char* price : {R"("0.003")", R"("3000")", "true"})
    t.post(eth + "/settle", std::string(R"({"price":)") + price + "}");
  t.post(eth + "/halt", R"({"reason":"delisting"})");
  t.post(eth + "/settle", R"({"price":3000})");
  t.post("/markets/a/b/halt", R"({"reason":"x"})");
}

void record_staging(Transcript& t, const Trader& alice, const Trader& bob) {
  t.title("trades, fills, liquidations, deleveragings");
  const std::string btc = "/markets/BTC-USDX-PERP";
  t.post(btc + "/trade", R"({"quantity":"0.1"})");
  t.post(btc + "/trade", R"({"quantity":0.2,"price":"59990","side":"Sell"})");
  t.post_nonsense(btc + "/trade");
  for (const char* body :
       {R"({"quantity":"0"})", R"({"quantity":"x"})", R"({"quantity":"0.00000001"})", R"({"quantity":"99999999"})",
        R"({"quantity":true})", R"({"quantity":"1","side":"buy"})", R"({"quantity":"1","side":7})",
        R"({"quantity":"1","price":"60000.3"})", R"({"quantity":"1","price":true})"})
    t.post(btc + "/trade", body);
  t.post("/markets/NO-MARKET/trade", R"({"quantity":"1"})");

  const std::string order = alice.limit("Buy", "0.5", "59000")["id"];
  t.post("/orders/" + order + "/fill", R"({"quantity":"0.2"})");
  t.post("/orders/" + order + "/fill", R"({"quantity":"0.4"})");
  t.post("/orders/" + order + "/fill", R"({"quantity":true})");
  t.post("/orders/" + order + "/fill", R"({"nonsense":1})");
  t.post("/orders/" + order + "/fill");
  t.post("/orders/" + order + "/fill");
  t.post("/orders/nothing/fill");

  const std::string of_alice = "/accounts/" + alice.account();
  for (const char* verb : {"/liquidate", "/deleverage"}) {
    t.post("/accounts/0x12" + std::string(verb));
    t.post("/accounts/" + bob.account() + verb);
    t.post_nonsense("/accounts/" + bob.account() + verb);
    t.post(of_alice + verb, R"({"market_id":"NO-MARKET"})");
    t.post(of_alice + verb, R"({"market_id":7})");
    t.post(of_alice + verb, R"({"market_id":"SOL-USDX-PERP"})");
  }
  t.post(of_alice + "/liquidate");
  alice.post("/leverage", {{"market_id", "BTC-USDX-PERP"}, {"leverage", 20}});
  alice.limit("Buy", "20", "59000");
  t.post(btc + "/trade", R"({"quantity":"20","price":"59000","side":"Sell"})");
  t.post(of_alice + "/liquidate", R"({"market_id":"BTC-USDX-PERP"})");
  bob.post("/leverage", {{"market_id", "SOL-USDX-PERP"}, {"leverage", 20}});
  bob.limit("Buy", "5000", "139", "SOL-USDX-PERP");
  t.post("/markets/SOL-USDX-PERP/trade", R"({"quantity":"5000","price":"139","side":"Sell"})");
  t.post("/accounts/" + bob.account() + "/deleverage");
}

void record_faults(Transcript& t) {
  t.title("faults");
  t.post("/faults", R"({"route":"/orders*","method":"POST","status":503,"rate":0.1,"count":3})");
  t.post("/faults", R"({"operation":"place_order","code":"INTERNAL_ERROR","latency_ms":5,"when":"body.side=Buy"})");
  t.post("/faults",
         R"({"account":"0x00000000000000000000000000000000000000A1","drop_after_send":true,"rate":"0.000001"})");
  t.post("/faults", R"({"skew_ms":-500,"drop_before":false})");
  t.post("/faults", R"({"ws":"gap"})");
  t.post("/faults", R"({"code":"INTERNAL_ERROR","status":502})");
  t.get("/faults");
  (void)t.ask("DELETE", "/faults/2");
  (void)t.ask("DELETE", "/faults/2");
  (void)t.ask("DELETE", "/faults/x");
  (void)t.ask("DELETE", "/faults");
  t.get("/faults");
  t.post("/faults");
  t.post_nonsense("/faults");
  for (const char* body : {R"({"status":409})",
                           R"({"status":200})",
                           R"({"status":"503"})",
                           R"({"code":"Nonsense"})",
                           R"({"code":7})",
                           R"({"code":"INTERNAL_ERROR","skew_ms":5})",
                           R"({"skew_ms":0})",
                           R"({"skew_ms":"1"})",
                           R"({"latency_ms":0})",
                           R"({"drop_after_send":1})",
                           R"({"ws":"lose"})",
                           R"({"ws":7})",
                           R"({"ws":"gap","operation":"place_order"})",
                           R"({"ws":"gap","method":"POST"})",
                           R"({"ws":"drop","route":"/orders*"})",
                           R"({"status":503,"rate":0})",
                           R"({"status":503,"rate":true})",
                           R"({"status":503,"count":0})",
                           R"({"status":503,"count":"1"})",
                           R"({"status":503,"operation":"buy"})",
                           R"({"status":503,"route":"orders"})",
                           R"({"status":503,"route":7})",
                           R"({"status":503,"method":"get"})",
                           R"({"status":503,"account":"alice"})",
                           R"({"status":503,"when":""})",
                           R"({"status":503,"when":7})",
                           R"({"status":503,"route":"/nosuch"})"})
    t.post("/faults", body);
}

void record_flow(Transcript& t) {
  t.title("flow");
  t.get("/flow");
  t.post("/flow", R"({"drill":"none-such"})");
  t.post("/flow", R"({"drill":"funding"})");
  t.post("/flow", R"({"bots":false})");
  t.post("/flow");
  t.post_nonsense("/flow");
  for (const char* body : {R"({"bots":true,"drill":"x"})", R"({"bots":"yes"})", R"({"drill":true})"})
    t.post("/flow", body);
}

void record_observations(Transcript& t) {
  t.title("coverage, requests, invariants");
  t.post("/coverage", R"({"tag":"suite"})");
  t.post_nonsense("/coverage");
  for (const std::string& tag : {std::string(R"("")"), std::string("7"), '"' + std::string(300, 'x') + '"'})
    t.post("/coverage", "{\"tag\":" + tag + "}");
  t.get("/coverage?from=suite");
  t.get("/coverage?from=no%20such");
  t.get("/coverage");
  t.get("/requests");
  t.get("/requests?after=1&limit=1");
  t.get("/requests?limit=0");
  t.get("/requests?after=x");
  t.get("/requests?limit=");
  t.get("/invariants");
}

void record_timeline(Transcript& t) {
  t.title("timeline");
  t.get("/timeline?limit=3");
  t.get("/timeline?after=1&limit=1");
  t.get("/timeline?kind=fault");
  t.get("/timeline?status=2xx&operation=halt_market&limit=1");
  t.get("/timeline?status=7xx");
  t.get("/timeline?kind=nothing");
  t.get("/timeline?account=nobody");
  t.get("/timeline?limit=");
  t.get("/timeline/1");
  t.get("/timeline/0");
  t.get("/timeline/x");
  t.get("/stream");
}

void record_states(Transcript& t) {
  t.title("recording, snapshots, state, reset");
  t.get("/recording");
  t.post_nonsense("/recording/stop");
  t.post("/recording/stop", R"({"title":""})");
  t.post("/recording/stop", R"({"title":7})");
  t.post("/recording/stop", R"({"title":"a # b"})");
  t.post("/recording/stop", R"({"title":"a story"})");
  t.post("/recording/start", R"({"nonsense":1})");
  t.post("/recording/start");
  t.post("/reset", R"({"keep_prices":true})");
  for (const char* body : {"{", "[]", R"({"nonsense":1})", R"({"keep_prices":"yes"})"}) t.post("/reset", body);
  t.post("/reset");
  t.post("/recording/start");
  t.post("/recording/start");
  t.get("/recording");
  t.post("/markets/BTC-USDX-PERP/trade", R"({"quantity":"0.1"})");
  t.post("/recording/stop", R"({"title":"a story"})");

  t.post("/snapshots", R"({"name":"one"})");
  t.post_nonsense("/snapshots");
  t.post("/snapshots", R"({"name":".hidden"})");
  t.post("/snapshots", R"({"name":7})");
  t.get("/snapshots");
  t.post("/snapshots/one/revert");
  t.post("/snapshots/one/revert", "");
  t.post("/snapshots/two/revert");
  t.post("/snapshots/one/revert", R"({"nonsense":1})");
  (void)t.ask("DELETE", "/snapshots/one");
  (void)t.ask("DELETE", "/snapshots/one");

  const Json state = t.ask("GET", "/state");
  (void)t.ask("PUT", "/state", state.dump());
  Json other = state;
  other["format"] = "another";
  (void)t.ask("PUT", "/state", other.dump());
  other = state;
  other["version"] = 1;
  (void)t.ask("PUT", "/state", other.dump());
  other = state;
  other["checksum"] = "0";
  (void)t.ask("PUT", "/state", other.dump());
  for (const char* body : {"", "{", "[]", "{}", R"({"nonsense":1})"}) (void)t.ask("PUT", "/state", body);
}

void record_paths(Transcript& t) {
  t.title("paths and methods");
  t.get("");
  t.get("/");
  t.get("/nothing");
  t.get("/fund");
  t.get("/snapshots/");
  t.post("/status");
  for (const char* path : {"/time", "/faults", "/faults/1", "/snapshots", "/snapshots/one", "/state", "/flow"})
    (void)t.ask("PATCH", path);
}

std::string of_another_sandbox() {
  SandboxOptions options = test_options();
  options.flow = FlowKind::bots;
  options.operator_exits = false;
  TestExchange exchange(options);
  Transcript t(exchange);
  t.title("with bots, without an operator");
  t.post("/time", R"({"advance_ms":5000})");
  t.get("/status");
  t.get("/flow");
  t.post("/flow", R"({"drill":"flash-crash"})");
  t.post("/recording/start");
  t.post("/flow", R"({"bots":false})");
  t.post("/flow", R"({"drill":"flash-crash"})");
  t.post("/prices", R"({"BTC-USDX-PERP":"60000"})");
  t.post("/flow", R"({"bots":true})");
  t.post("/markets/BTC-USDX-PERP/resume");
  t.post("/markets/BTC-USDX-PERP/settle", R"({"price":"60000"})");
  return t.text();
}

TEST(ControlReplies, MatchTheGoldenFile) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  Transcript t(exchange);
  record_clock(t);
  record_prices(t);
  record_money(t, alice);
  record_markets(t);
  record_staging(t, alice, bob);
  record_faults(t);
  record_flow(t);
  record_observations(t);
  record_timeline(t);
  record_states(t);
  record_paths(t);
  EXPECT_EQ(exchange.violations(), Json::array());

  test::expect_generated("tests/golden/control/replies.txt", t.text() + of_another_sandbox());
}

}  // namespace SVC_FILE
}  // namespace svc::sim
