// An account of a sandbox on loopback that signs in with its wallet and mints an API key.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/http_load.h"
#include "signing/key.h"

namespace svc::bench {

using Json = nlohmann::json;

inline Json body_of(const std::string& answer, const std::string& what) {
  if (!answer.starts_with("HTTP/1.1 20")) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(), answer.c_str());
    std::exit(1);
  }
  return Json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
}

inline std::string post(const std::string& path, const std::string& headers, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Account {
  std::string id;
  std::string secret;
  std::string token;
};

inline Account sign_in(int fd, const std::string& domain_name, const std::string& private_key) {
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

inline Json limit_order(const char* side, const std::string& price, const char* time_in_force = "GTC") {
  return {{"market_id", "BTC-USDX-PERP"}, {"side", side},   {"order_type", "Limit"},
          {"quantity", "0.001"},          {"price", price}, {"time_in_force", time_in_force}};
}

}  // namespace svc::bench
