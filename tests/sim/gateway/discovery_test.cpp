// The documents that a client reads first.
#include <gtest/gtest.h>

#include <string>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

Reply get_at(TestExchange& exchange, const std::string& host, const std::string& path, api::Headers headers = {}) {
  headers.add("Host", host);
  return exchange.send("GET", path, "", std::move(headers));
}

TEST(Discovery, DescribesTheApiAtTheRootAndUnderTheBase) {
  TestExchange exchange;
  const Reply description = exchange.get("/openapi.json");
  EXPECT_EQ(description.status, 200);
  EXPECT_EQ(description.headers.find("Content-Type"), "application/json");
  EXPECT_EQ(description.body["openapi"], "3.1.0");
  EXPECT_EQ(description.body["info"]["title"], "Svc Exchange API");
  EXPECT_EQ(exchange.get("/v1/openapi.json").body, description.body);
  EXPECT_EQ(exchange.get("/llms.txt").headers.find("Content-Type"), "text/plain; charset=utf-8");
}

TEST(Discovery, DocumentsCanBeCachedAndRevalidated) {
  TestExchange exchange;
  for (const char* path : {"/openapi.json", "/llms.txt", "/.well-known/api-catalog"}) {
    const Reply first = exchange.get(path);
    const auto tag = first.headers.find("ETag");
    ASSERT_TRUE(tag) << path;
    const Reply same = exchange.send("GET", path, "", {{"If-None-Match", std::string(*tag)}});
    EXPECT_EQ(same.status, 304);
    EXPECT_TRUE(same.body.is_null());
    EXPECT_EQ(exchange.send("GET", path, "", {{"If-None-Match", "\"other\""}}).status, 200);
    for (const std::string& known : {"\"other\", " + std::string(*tag), "W/" + std::string(*tag), std::string("*")})
      EXPECT_EQ(exchange.send("GET", path, "", {{"If-None-Match", known}}).status, 304) << known;
    EXPECT_NE(get_at(exchange, "exchange.example:80", path).headers.find("ETag"), *tag) << "other addresses in it";
  }
}

TEST(Discovery, TheCatalogueLeadsToTheDocuments) {
  TestExchange exchange;
  const Reply catalogue = get_at(exchange, "127.0.0.1:4711", "/.well-known/api-catalog");
  EXPECT_EQ(catalogue.headers.find("Content-Type"), "application/linkset+json");
  const Json& set = catalogue.body["linkset"][0];
  EXPECT_EQ(set["anchor"], "http://127.0.0.1:4711");
  EXPECT_EQ(set["service-desc"][0]["href"], "http://127.0.0.1:4711/openapi.json");
  EXPECT_EQ(set["service-desc"][1]["href"], "http://127.0.0.1:4711/asyncapi.json");
  for (const char* path : {"/openapi.json", "/asyncapi.json"}) EXPECT_EQ(exchange.get(path).status, 200);
  EXPECT_EQ(set["service-doc"][0]["href"], "http://127.0.0.1:4711/llms.txt");
  EXPECT_EQ(set["service-meta"][0]["href"], "http://127.0.0.1:4711/metadata");
  EXPECT_EQ(set["status"][0]["href"], "http://127.0.0.1:4711/status");
  EXPECT_EQ(exchange.get("/.well-known/other").status, 404);
}

TEST(Discovery, MetadataIsComplete) {
  TestExchange exchange;
  const Json metadata = get_at(exchange, "localhost:4711", "/metadata").body;
  EXPECT_EQ(metadata["current_api_version"], "0.9.0");
  EXPECT_EQ(metadata["min_api_version"], "0.8.0");
  EXPECT_EQ(metadata["network"], "local");
  EXPECT_EQ(metadata["deployment"], "svc-local");
  EXPECT_EQ(metadata["ws_url"], "ws://localhost:4711/v1");
  const Json& version = metadata["api_version"];
  EXPECT_EQ(version["header"], "x-svc-api-version");
  EXPECT_EQ(version["current"], metadata["current_api_version"]);
  EXPECT_EQ(version["min_supported"], metadata["min_api_version"]);
  EXPECT_TRUE(version.contains("deprecated_below") && version["deprecated_below"].is_null());
  EXPECT_TRUE(version.contains("sunset") && version["sunset"].is_null());
  EXPECT_EQ(version["spec_url"], "http://localhost:4711/openapi.json");
  EXPECT_EQ(version["docs_url"], "http://localhost:4711/llms.txt");
  EXPECT_FALSE(version["policy"].get<std::string>().empty());
  const Json& domain = metadata["signing_domain"];
  EXPECT_EQ(domain["name"], "Svc Exchange");
  EXPECT_EQ(domain["version"], "1");
  EXPECT_EQ(domain["chain_id"], 20056);
  EXPECT_EQ(domain["salt"].get<std::string>().size(), 66u);
  const Json& target = metadata["networks"]["local"];
  EXPECT_EQ(target["signing_domain"], domain);
  EXPECT_EQ(target["funds"], "play");
  EXPECT_EQ(target["faucet"], false);
  EXPECT_EQ(target["host"], "localhost:4711");
  EXPECT_EQ(target["rest_base"], "http://localhost:4711");
  EXPECT_EQ(target["ws_market_data_url"], "ws://localhost:4711/v1/stream");
  EXPECT_EQ(target["ws_authenticated_url"], "ws://localhost:4711/v1/ws");
  EXPECT_FALSE(target.contains("description"));
}

TEST(Discovery, OneNetworkMapIsPublishedInBothPlaces) {
  SandboxOptions options = test_options();
  options.network = api::NetworkId::testnet;
  TestExchange exchange(options);
  const Json metadata = get_at(exchange, "testnet.localhost:4711", "/metadata").body;
  Json map = get_at(exchange, "testnet.localhost:4711", "/openapi.json").body["x-svc-networks"];
  EXPECT_FALSE(map["description"].get<std::string>().empty());
  EXPECT_FALSE(map["signing_domain_note"].get<std::string>().empty());
  for (auto& [name, target] : map["networks"].items()) target.erase("description");
  EXPECT_EQ(map["networks"], metadata["networks"]);
  EXPECT_EQ(map["networks"]["testnet"]["rest_base"], "http://testnet.localhost:4711/v1");
  EXPECT_EQ(map["networks"]["testnet"]["faucet"], true);
  EXPECT_EQ(map["networks"]["local"]["rest_base"], "http://localhost:9090") << "where local is by default";
  EXPECT_TRUE(map["networks"]["local"]["signing_domain"]["chain_id"].is_null()) << "sign nothing by this map";
  EXPECT_FALSE(map["networks"].contains("mainnet")) << "nobody configured a host for it";
}

}  // namespace SVC_FILE
}  // namespace svc::sim
