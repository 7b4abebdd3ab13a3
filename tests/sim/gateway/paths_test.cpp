// Which path reaches which operation, and which part of it is signed.
#include <gtest/gtest.h>

#include "sim/gateway/request_context.h"
#include "sim/gateway/router.h"

namespace svc::sim {
namespace SVC_FILE {

using api::Method;

TEST(SignedPath, LacksTheTransportPrefixAndNothingElse) {
  struct Row {
    const char* received;
    const char* local;  // "" where nothing is served
    const char* testnet;
    const char* mainnet;
  };
  const Row rows[] = {
      {"/orders", "/orders", "", ""},
      {"/stream", "/stream", "", ""},
      {"/v1/orders", "/orders", "/orders", "/orders"},
      {"/v1/stream", "/stream", "/stream", "/stream"},
      {"/api/v1/orders", "/api/v1/orders", "/api/v1/orders", "/api/v1/orders"},
      {"/v1/api/v1/orders", "/api/v1/orders", "/api/v1/orders", ""},
      {"/indexer/orders", "", "/orders", ""},
      {"/indexer/api/v1/orders", "", "/api/v1/orders", ""},
      {"/metadata", "/metadata", "/metadata", "/metadata"},
      {"/v1/metadata", "/metadata", "/metadata", "/metadata"},
      {"/openapi.json", "/openapi.json", "/openapi.json", "/openapi.json"},
      {"/llms.txt", "/llms.txt", "/llms.txt", "/llms.txt"},
      {"/.well-known/security.txt", "/.well-known/security.txt", "/.well-known/security.txt",
       "/.well-known/security.txt"},
      {"/.well-known", "/.well-known", "", ""},
      {"/v1", "/v1", "", ""},
      {"/v10/orders", "/v10/orders", "", ""},
      {"/v1/v1/orders", "/v1/orders", "/v1/orders", "/v1/orders"},
      {"/%76%31/orders", "/%76%31/orders", "", ""},
      {"/v1/orders/%41", "/orders/%41", "/orders/%41", "/orders/%41"},
      {"", "", "", ""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(logical_path(row.received, api::NetworkId::local).value_or(""), row.local) << row.received;
    EXPECT_EQ(logical_path(row.received, api::NetworkId::testnet).value_or(""), row.testnet) << row.received;
    EXPECT_EQ(logical_path(row.received, api::NetworkId::mainnet).value_or(""), row.mainnet) << row.received;
  }
}

constexpr api::Operation operation(std::string_view name, Method method, std::string_view path, bool twin = false) {
  api::Operation made;
  made.name = name;
  made.method = method;
  made.path = path;
  made.twin = twin;
  return made;
}

constexpr api::Operation place = operation("place_order", Method::post, "/orders", true);
constexpr api::Operation list = operation("list_orders", Method::get, "/orders", true);
constexpr api::Operation history = operation("order_history", Method::get, "/orders/history");
constexpr api::Operation amend = operation("amend_order", Method::patch, "/orders/{order_id}", true);
constexpr api::Operation adl = operation("adl", Method::get, "/account/{address}/adl-history");
constexpr api::Operation summary = operation("summary", Method::get, "/account/summary");

Router example() {
  Router router;
  for (const api::Operation* operation : {&place, &list, &history, &amend, &adl, &summary}) router.add(*operation);
  return router;
}

std::string reached(const Router& router, std::string_view method, std::string_view path) {
  const auto match = router.match(method, path);
  if (!match) return "404";
  return match->operation == nullptr ? "405 " + match->allow : std::string(match->operation->name);
}

TEST(Router, FindsOperationsAndTheirTwins) {
  const Router router = example();
  EXPECT_EQ(reached(router, "POST", "/orders"), "place_order");
  EXPECT_EQ(reached(router, "GET", "/api/v1/orders"), "list_orders");
  EXPECT_EQ(reached(router, "HEAD", "/orders"), "list_orders");
  EXPECT_EQ(reached(router, "PATCH", "/api/v1/orders/abc"), "amend_order");
  EXPECT_EQ(reached(router, "GET", "/api/v1/orders/history"), "405 PATCH");  // no twin: it is an id there
  EXPECT_EQ(reached(router, "GET", "/orders/history"), "order_history");
  EXPECT_EQ(reached(router, "GET", "/account/summary/adl-history"), "adl");
}

TEST(Router, KnownPathsWithOtherMethodsListTheirMethods) {
  const Router router = example();
  EXPECT_EQ(reached(router, "PUT", "/orders"), "405 GET, HEAD, POST");
  EXPECT_EQ(reached(router, "get", "/orders"), "405 GET, HEAD, POST");  // methods are case-sensitive
  EXPECT_EQ(reached(router, "PATCH", "/orders/history"), "405 GET, HEAD");
  EXPECT_EQ(reached(router, "BREW", "/orders/x"), "405 PATCH");
}

TEST(Router, ParametersAreDecodedOnce) {
  const Router router = example();
  const auto match = router.match("PATCH", "/orders/a%2525%20b+c");
  ASSERT_TRUE(match);
  ASSERT_EQ(match->parameters.size(), 1u);
  EXPECT_EQ(match->parameters[0].first, "order_id");
  EXPECT_EQ(match->parameters[0].second, "a%25 b+c");
}

TEST(Router, ParametersOfAnAbandonedBranchAreForgotten) {
  static constexpr api::Operation first = operation("first", Method::get, "/a/b/{x}/c");
  static constexpr api::Operation second = operation("second", Method::get, "/a/{y}/{z}/d");
  Router router;
  router.add(first);
  router.add(second);
  const auto match = router.match("GET", "/a/b/1/d");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->operation, &second);
  ASSERT_EQ(match->parameters.size(), 2u);
  EXPECT_EQ(match->parameters[0], (std::pair<std::string_view, std::string>("y", "b")));
  EXPECT_EQ(match->parameters[1], (std::pair<std::string_view, std::string>("z", "1")));
}

TEST(Router, AnotherSpellingOfAPathReachesNothing) {
  const Router router = example();
  for (const char* path : {"/orders/",
                           "//orders",
                           "/orders//",
                           "/./orders",
                           "/x/../orders",
                           "/%6Frders",
                           "/orders/.",
                           "/orders/..",
                           "/orders/%2e%2e",
                           "/orders/%2E",
                           "/orders/a%2Fb",
                           "/orders/a%5cb",
                           "/orders/%00",
                           "/orders/%0a",
                           "/orders/%",
                           "/orders/%4",
                           "/orders/%zz",
                           "/orders/a/b",
                           "orders",
                           "",
                           "/",
                           "*",
                           "/Orders",
                           "/orders;v=1",
                           "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"}) {
    EXPECT_EQ(reached(router, "PATCH", path), "404") << path;
  }
}

TEST(ClientAddress, IsThePeersUnlessAHeaderIsConfigured) {
  EXPECT_EQ(client_address({}, "127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(client_address({{"X-Real-IP", "203.0.113.7"}}, "127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(client_address({{"X-Real-IP", "203.0.113.7"}}, "127.0.0.1", "x-real-ip"), "203.0.113.7");
}

TEST(ClientAddress, IsUnresolvedWhenTheNamedHeaderDoesNotHoldOneAddress) {
  for (const char* value : {"", "unknown", "203.0.113.7, 10.0.0.1", "203.0.113.7:80", "203.0.113", "::ffff:1.2.3.4.5"})
    EXPECT_EQ(client_address({{"X-Real-IP", value}}, "127.0.0.1", "X-Real-IP"), std::nullopt) << value;
  EXPECT_EQ(client_address({}, "127.0.0.1", "X-Real-IP"), std::nullopt);
  EXPECT_EQ(client_address({{"X-Real-IP", "10.0.0.1"}, {"x-real-ip", "10.0.0.1"}}, "127.0.0.1", "X-Real-IP"),
            std::nullopt);
  EXPECT_EQ(client_address({}, "", ""), std::nullopt);
}

TEST(ClientAddress, HasOneSpelling) {
  EXPECT_EQ(normal_address("::FFFF:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(normal_address("2001:DB8:0:0::1"), "2001:db8::1");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
