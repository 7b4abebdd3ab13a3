// Fills a running sandbox so that lists have 100 rows, and signs two of its accounts in.
//
//   fill_sandbox READY_FILE          prints two lines "KEY_ID SECRET", a maker's and a taker's, and "Bearer TOKEN" of
//                                    the taker's session
//   fill_sandbox READY_FILE signers  fills nothing, and prints one line "KEY_ID SECRET Wallet PRIVATE_KEY ..." of all
//                                    development accounts
#include <fstream>
#include <iostream>

#include "api/http/url.h"
#include "bench/account.h"

namespace {

using namespace svc::bench;

constexpr int rows = 110;  // of each list; a page has 100 of them

void place(int fd, const Account& account, const Json& orders) {
  const Key key = key_of(account.id, account.secret);
  const Json results =
      body_of(answer_to(fd, request_of("POST", "/orders/batch", &key, orders.dump(), now_ms())), "orders");
  for (const Json& result : results)
    if (result.contains("error") && !result["error"].is_null())
      std::fprintf(stderr, "fill_sandbox: %s\n", result.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const bool signers = argc == 3 && argv[2] == std::string("signers");
  std::ifstream file(argc == 2 || signers ? argv[1] : "");
  const Json ready = Json::parse(file, nullptr, false);
  if (!ready.is_object()) {
    std::fprintf(stderr, "usage: fill_sandbox READY_FILE [signers]\n");
    return 2;
  }
  const int fd = dial(svc::api::parse_url(ready["url"].get<std::string>())->port);
  if (signers) {
    for (const Json& one : ready["accounts"]) {
      const Account account = sign_in(fd, ready["domain_name"], one["private_key"]);
      std::cout << account.id << ' ' << account.secret << " Wallet " << one["private_key"].get<std::string>() << ' ';
    }
    std::cout << '\n';
    return 0;
  }
  Account accounts[2];
  for (std::size_t i = 0; i < 2; ++i)
    accounts[i] = sign_in(fd, ready["domain_name"], ready["accounts"][i]["private_key"]);

  Json sells = Json::array();
  Json buys = Json::array();
  Json resting = Json::array();
  for (int i = 0; i < rows; ++i) {
    sells.push_back(limit_order("Sell", "60000"));
    buys.push_back(limit_order("Buy", "60000"));
    resting.push_back(limit_order("Buy", std::to_string(59'000 - i)));
  }
  place(fd, accounts[0], sells);
  place(fd, accounts[1], buys);
  place(fd, accounts[1], resting);
  // Positions that were opened and closed.
  for (int i = 0; i < rows / 10; ++i) {
    place(fd, accounts[0], Json::array({limit_order("Buy", "60000")}));
    place(fd, accounts[1], Json::array({limit_order("Sell", "60000")}));
  }
  for (const Account& account : accounts) std::cout << account.id << ' ' << account.secret << '\n';
  std::cout << "Bearer " << accounts[1].token << '\n';
  return 0;
}
