// Which path reaches which operation, and which part of it is signed.
#include "api/router.h"

#include <gtest/gtest.h>

namespace svc::api {
namespace SVC_FILE {

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
    EXPECT_EQ(logical_path(row.received, NetworkId::local).value_or(""), row.local) << row.received;
    EXPECT_EQ(logical_path(row.received, NetworkId::testnet).value_or(""), row.testnet) << row.received;
    EXPECT_EQ(logical_path(row.received, NetworkId::mainnet).value_or(""), row.mainnet) << row.received;
  }
}

constexpr Operation operation(std::string_view name, Method method, std::string_view path, bool twin = false) {
  Operation made;
  made.name = name;
  made.method = method;
  made.path = path;
  made.twin = twin;
  return made;
}

constexpr Operation place = operation("place_order", Method::post, "/orders", true);
constexpr Operation list = operation("list_orders", Method::get, "/orders", true);
constexpr Operation history = operation("order_history", Method::get, "/orders/history");
constexpr Operation amend = operation("amend_order", Method::patch, "/orders/{order_id}", true);
constexpr Operation adl = operation("adl", Method::get, "/account/{address}/adl-history");
constexpr Operation summary = operation("summary", Method::get, "/account/summary");

Router example() {
  Router router;
  for (const Operation* operation : {&place, &list, &history, &amend, &adl, &summary}) router.add(*operation);
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
  static constexpr Operation first = operation("first", Method::get, "/a/b/{x}/c");
  static constexpr Operation second = operation("second", Method::get, "/a/{y}/{z}/d");
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

TEST(Router, ASenderMeansAnOperationHoweverItsParametersAreSpelled) {
  const Router router = example();
  for (const char* path : {"/orders/a%2Fb", "/orders/..", "/orders/%zz", "/api/v1/orders/history", "/orders/history"})
    EXPECT_EQ(router.meant("PATCH", path), &amend) << path;
  EXPECT_EQ(router.meant("GET", "/orders/history"), &history);
  for (const char* path : {"/orders/a/b", "/orders/", "//orders", "/%6Frders/a", "orders", ""})
    EXPECT_EQ(router.meant("PATCH", path), nullptr) << path;
  for (const char* method : {"HEAD", "get", "PUT"}) EXPECT_EQ(router.meant(method, "/orders"), nullptr) << method;
}

}  // namespace SVC_FILE
}  // namespace svc::api
