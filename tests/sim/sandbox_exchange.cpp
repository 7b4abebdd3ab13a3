#include "sim/sandbox_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/assert.h"
#include "contract/answer_record.h"

namespace svc::sim {

SandboxOptions test_options() {
  SandboxOptions options;
  options.clock = {ClockMode::manual};
  options.limits = {.multiplier = 0};
  options.admin_secret = Secret(std::string("operator-secret"));
  return options;
}

Reply TestExchange::send(std::string_view method, std::string_view target, std::string body, api::Headers headers) {
  if (!host.empty()) headers.set("Host", host);
  auto response = sandbox.handle(
      {.method = std::string(method), .target = std::string(target), .headers = std::move(headers), .body = body});
  contract::record_answer(std::string(method), std::string(target), body, response);
  return {.status = response.status,
          .body = response.body.empty() ? Json() : Json::parse(response.body, nullptr, false),
          .headers = std::move(response.headers)};
}

std::string TestExchange::domain_name() const {
  const SandboxOptions& options = sandbox.options();
  const auto served = served_networks(options);
  const auto named = std::ranges::find_if(served, [&](api::NetworkId network) {
    const auto hosts = hosts_of(options, network);
    return std::ranges::find(hosts, host) != hosts.end();
  });
  return domain_name_of(options, named == served.end() ? served.front() : *named);
}

Reply TestExchange::control(std::string_view path, const Json& body) {
  return post("/_svc" + std::string(path), body);
}

namespace {

signing::PrivateKey dev_key(const TestExchange& exchange, std::size_t index) {
  const auto key = signing::PrivateKey::from_hex(exchange.sandbox.accounts().at(index).private_key);
  SVC_ASSERT(key.has_value());
  return *key;
}

}  // namespace

Trader::Trader(TestExchange& exchange, std::size_t index) : Trader(exchange, dev_key(exchange, index)) {}

Trader::Trader(TestExchange& exchange, const signing::PrivateKey& wallet) : exchange_(exchange), wallet_(wallet) {
  const std::string message = signing::login_message(exchange.domain_name());
  const auto signature = wallet.sign(signing::personal_message_digest(message));
  const Reply login =
      exchange.post("/v1/auth/login", {{"message", message}, {"signature", signing::to_string(signature)}});
  EXPECT_EQ(login.status, 200) << login.body;
  EXPECT_EQ(login.body["address"], account());
  session_ = login.body["token"];
  const Reply key = exchange.send("POST", "/v1/keys", "", {{"Authorization", "Bearer " + session_}});
  EXPECT_EQ(key.status, 200) << key.body;
  key_id_ = key.body["key_id"];
  secret_ = key.body["secret"];
}

Reply Trader::send(std::string_view method, std::string_view target, std::string body, api::Headers headers) const {
  api::HttpRequest request{
      .method = std::string(method), .target = std::string(target), .headers = {}, .body = std::move(body)};
  const TimestampMs now = exchange_.sandbox.clock().now_ms();
  const auto key = signing::HmacKey::from_hex(secret_);
  SVC_ASSERT(key.has_value());
  const std::string signature = key->sign_hex(signing::hmac_canonical(
      {.method = request.method, .path = request.path(), .query = request.query(), .body = request.body}, now));
  // The common base of all networks; only the path after it is signed.
  const bool is_rooted = request.target.starts_with("/api/");
  headers.set("X-API-Key", key_id_);
  headers.set("X-Timestamp", std::to_string(now));
  headers.set("X-Signature", signature);
  return exchange_.send(method, (is_rooted ? "" : "/v1") + request.target, request.body, std::move(headers));
}

Json Trader::limit(std::string_view side, std::string_view quantity, std::string_view price,
                   std::string_view market) const {
  const Reply reply = post("/orders", limit_order(side, quantity, price, market));
  EXPECT_EQ(reply.status, 201) << reply.body;
  return reply.body["order"];
}

Json limit_order(std::string_view side, std::string_view quantity, std::string_view price, std::string_view market) {
  return {{"market_id", market},  {"side", side},   {"order_type", "Limit"},
          {"quantity", quantity}, {"price", price}, {"time_in_force", "GTC"}};
}

}  // namespace svc::sim
