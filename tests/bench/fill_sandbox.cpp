// Fills a running sandbox so that lists have 100 rows, and signs two of its accounts in.
//
//   fill_sandbox READY_FILE    prints two lines "KEY_ID SECRET", a maker's and a taker's, and "Bearer TOKEN" of the
//   taker's
//                              session
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/http/url.h"
#include "bench/http_load.h"
#include "signing/key.h"

namespace {

using namespace svc::bench;
using Json = nlohmann::json;

constexpr int rows = 110;  // of each list; a page has 100 of them
constexpr const char* market = "BTC-USDX-PERP";

Json body_of(const std::string& answer, const std::string& what) {
  if (!answer.starts_with("HTTP/1.1 20")) {
    std::fprintf(stderr, "fill_sandbox: %s: %s\n", what.c_str(), answer.c_str());
    std::exit(1);
  }
  return Json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
}

std::string post(const std::string& path, const std::string& headers, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Account {
  std::string id;
  std::string secret;
  std::string token;
};

Account sign_in(int fd, const std::string& domain_name, const std::string& private_key) {
  const auto wallet = svc::signing::PrivateKey::from_hex(private_key);
  if (!wallet) fail("an account has no private key");
  const std::string message = svc::signing::login_message(domain_name);
  const auto signature = wallet->sign(svc::signing::personal_message_digest(message));
  const Json login = {{"message", message}, {"signature", svc::signing::to_string(signature)}};
  const Json session = body_of(answer_to(fd, post("/auth/login", "", login.dump())), "login");
  const std::string token = session["token"];
  const std::string bearer = "Authorization: Bearer " + token + "\r\n";
  const Json key = body_of(answer_to(fd, post("/keys", bearer, "")), "key");
  return {key["key_id"], key["secret"], token};
}

void place(int fd, const Account& account, const Json& orders) {
  const Key key = key_of(account.id, account.secret);
  const Json results =
      body_of(answer_to(fd, request_of("POST", "/orders/batch", &key, orders.dump(), now_ms())), "orders");
  for (const Json& result : results)
    if (result.contains("error") && !result["error"].is_null())
      std::fprintf(stderr, "fill_sandbox: %s\n", result.dump().c_str());
}

Json order(const char* side, const std::string& price) {
  return {{"market_id", market}, {"side", side},   {"order_type", "Limit"},
          {"quantity", "0.001"}, {"price", price}, {"time_in_force", "GTC"}};
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  const Json ready = Json::parse(file, nullptr, false);
  if (!ready.is_object()) {
    std::fprintf(stderr, "usage: fill_sandbox READY_FILE\n");
    return 2;
  }
  const int fd = dial(svc::api::parse_url(ready["url"].get<std::string>())->port);
  Account accounts[2];
  for (std::size_t i = 0; i < 2; ++i)
    accounts[i] = sign_in(fd, ready["domain_name"], ready["accounts"][i]["private_key"]);

  Json sells = Json::array();
  Json buys = Json::array();
  Json resting = Json::array();
  for (int i = 0; i < rows; ++i) {
    sells.push_back(order("Sell", "60000"));
    buys.push_back(order("Buy", "60000"));
    resting.push_back(order("Buy", std::to_string(59'000 - i)));
  }
  place(fd, accounts[0], sells);
  place(fd, accounts[1], buys);
  place(fd, accounts[1], resting);
  // Positions that were opened and closed.
  for (int i = 0; i < rows / 10; ++i) {
    place(fd, accounts[0], Json::array({order("Buy", "60000")}));
    place(fd, accounts[1], Json::array({order("Sell", "60000")}));
  }
  for (const Account& account : accounts) std::cout << account.id << ' ' << account.secret << '\n';
  std::cout << "Bearer " << accounts[1].token << '\n';
  return 0;
}
