// Compares the interface description with the table it is derived from.
#include "api/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "api/operation_list.h"

namespace svc::api {
namespace SVC_FILE {

using nlohmann::json;

NetworkMap networks() {
  NetworkMap map;
  for (const NetworkId id : {NetworkId::testnet, NetworkId::local}) {
    NetworkTarget target = target_of(id, "localhost:9090", false, "Svc Exchange", 20056);
    map.networks.emplace(target.network, std::move(target));
  }
  return map;
}

const json& document() {
  static const json parsed = json::parse(with_networks(openapi_document("Svc Exchange", {}), networks()));
  return parsed;
}

// The target of a reference; a value that is not a reference is returned unchanged.
const json& resolved(const json& value) {
  if (!value.is_object() || !value.contains("$ref")) return value;
  const std::string reference = value["$ref"];
  return document().at(json::json_pointer(reference.substr(1)));
}

struct Described {
  const OperationEntry* entry;
  bool is_twin;
  const json& operation;
};

std::vector<Described> every_operation() {
  std::vector<Described> list;
  for (const OperationEntry& entry : svc::api::every_operation()) {
    std::string method(to_string(entry.operation->method));
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    for (const bool twin : {false, true}) {
      if (twin && !entry.operation->twin) continue;
      const std::string path = std::string(twin ? twin_prefix : "") + std::string(entry.operation->path);
      list.push_back({&entry, twin, document().at("paths").at(path).at(method)});
    }
  }
  return list;
}

template <class F>
void for_each_member(const json& value, F f) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      f(key, member);
      for_each_member(member, f);
    }
  } else if (value.is_array()) {
    for (const json& item : value) for_each_member(item, f);
  }
}

TEST(Openapi, HasEveryOperationAndTwinOnceUnderAnIdOfItsOwn) {
  std::set<std::string> ids;
  for (const Described& described : every_operation()) ids.insert(described.operation.at("operationId"));
  EXPECT_EQ(ids.size(), 123 + svc::api::every_operation().size() - all_operations().size());  // D-001
  std::size_t methods = 0;
  for (const auto& [path, item] : document()["paths"].items()) methods += item.size() - item.count("servers");
  EXPECT_EQ(methods, ids.size());
}

TEST(Openapi, DeclaresEveryErrorOfAnOperationAtItsStatusAndNoOther) {
  for (const Described& described : every_operation()) {
    SCOPED_TRACE(described.operation["operationId"].get<std::string>());
    const json& responses = described.operation["responses"];
    std::set<std::string> statuses{std::to_string(described.entry->operation->success)};
    for (const OperationError& error : declared_errors(*described.entry)) {
      statuses.insert(std::to_string(error.status));
      const json& response = resolved(responses.at(std::to_string(error.status)));
      const std::string code(spelling(error.code));
      EXPECT_NE(response["description"].get<std::string>().find('`' + code + '`'), std::string::npos) << code;
      const json& schema = response.at("content").at("application/json").at("schema");
      bool allowed = false;
      const auto look = [&](const std::string& key, const json& value) {
        allowed = allowed || (key == "enum" && std::ranges::find(value, json(code)) != value.end()) ||
                  (key == "const" && value == code);
      };
      for_each_member(resolved(schema), look);
      if (schema.contains("anyOf")) {
        for (const json& body : schema["anyOf"]) for_each_member(resolved(body), look);
      }
      EXPECT_TRUE(allowed) << code << " is not allowed by " << schema;
    }
    EXPECT_EQ(responses.size(), statuses.size());
  }
}

TEST(Openapi, ResolvesEveryReferenceAndUsesEveryComponent) {
  std::set<std::string> used;
  for_each_member(document(), [&](const std::string& key, const json& value) {
    if (key != "$ref") return;
    used.insert(value);
    EXPECT_NO_THROW((void)document().at(json::json_pointer(value.get<std::string>().substr(1)))) << value;
  });
  for (const char* kind : {"schemas", "responses", "requestBodies", "parameters", "headers"}) {
    for (const auto& [name, component] : document()["components"][kind].items())
      EXPECT_TRUE(used.contains(std::string("#/components/") + kind + '/' + name)) << kind << ' ' << name;
  }
}

TEST(Openapi, StatesWhoMayCall) {
  std::size_t wallet_signed = 0;
  for (const Described& described : every_operation()) {
    const Operation& operation = *described.entry->operation;
    SCOPED_TRACE(operation.name);
    if (operation.auth.has(Auth::wallet_signature)) {
      ++wallet_signed;
      EXPECT_FALSE(described.operation.contains("security")) << "it is neither public nor under a scheme";
      EXPECT_EQ(described.operation["x-svc-auth"], "wallet-signature");
      continue;
    }
    EXPECT_FALSE(described.operation.contains("x-svc-auth"));
    const json& security = described.operation.at("security");
    EXPECT_EQ(security.empty(), operation.auth.is_public() || operation.auth.has(Auth::ws_token));
    std::set<std::string> schemes;
    for (const json& credential : security) {
      for (const auto& [scheme, scopes] : credential.items()) {
        EXPECT_TRUE(document()["components"]["securitySchemes"].contains(scheme)) << scheme;
        schemes.insert(scheme);
      }
      EXPECT_EQ(credential.contains("hmacAuth"), credential.contains("hmacSignature"));
    }
    EXPECT_EQ(schemes.contains("hmacAuth"), operation.auth.has(Auth::hmac));
    EXPECT_EQ(schemes.contains("agentAuth"), operation.auth.has(Auth::agent));
    EXPECT_EQ(schemes.contains("bearerAuth"), operation.auth.has(Auth::bearer));
    EXPECT_EQ(schemes.contains("adminAuth"), operation.auth.has(Auth::admin));
    EXPECT_EQ(schemes.contains("ownerSignature"), operation.auth.has(Auth::owner_signature));
  }
  EXPECT_EQ(wallet_signed, 3u);
}

TEST(Openapi, StatesWhatACallCosts) {
  std::size_t heavy = 0;
  for (const Described& described : every_operation()) {
    const json& operation = described.operation;
    const std::string id = operation["operationId"];
    heavy += operation.value("x-svc-rate-limit-weight", 1) == 5;
    EXPECT_EQ(operation.contains("x-svc-rate-limit-weight-formula"), id.starts_with("place_orders")) << id;
    const bool order_write = operation.contains("requestBody") || id.starts_with("cancel_");
    if (operation["tags"][0] == "orders") {
      EXPECT_EQ(operation.value("x-svc-rate-limit-class", ""), order_write ? "trading" : "") << id;
    }
  }
  EXPECT_EQ(heavy, 10u) << "five reads and their twins";
  EXPECT_EQ(document()["paths"]["/orders/batch"]["post"]["x-svc-rate-limit-weight-formula"],
            "1 + floor(order_count / 40)");
  EXPECT_EQ(document()["paths"]["/account/rate-limit"]["get"]["x-svc-rate-limit-weight"], 0);
}

TEST(Openapi, PutsFieldsWhereTheyTravel) {
  const json& amend = document()["paths"]["/api/v1/orders/{order_id}"]["patch"];
  std::vector<std::string> parameters;
  for (const json& parameter : amend["parameters"]) parameters.push_back(resolved(parameter)["name"]);
  EXPECT_EQ(parameters, (std::vector<std::string>{"order_id", "market_id", "x-action-signature", "x-action-timestamp",
                                                  "x-action-nonce", "x-acting-account", "X-Svc-Api-Version"}));
  const json& body = resolved(resolved(amend["requestBody"])["content"]["application/json"]["schema"]);
  EXPECT_EQ(body["properties"].size(), 2u);
  EXPECT_EQ(body["additionalProperties"], false);
  const json& fills = resolved(document()["paths"]["/fills"]["get"]["responses"]["200"]);
  EXPECT_TRUE(fills["headers"].contains("X-Next-Cursor"));
  EXPECT_EQ(fills["content"]["application/json"]["schema"]["items"]["$ref"], "#/components/schemas/Fill");
  const json& bridge = document()["paths"]["/api/v1/bridge/withdrawals"]["post"];
  EXPECT_EQ(bridge["parameters"][0]["name"], "Idempotency-Key");
  EXPECT_EQ(bridge["parameters"][0]["required"], true);
}

TEST(Openapi, RefusalsHaveTheirHeadersAndMembers) {
  const auto answer = [](const char* path, const char* status) {
    return resolved(document()["paths"][path]["post"]["responses"][status]);
  };
  for (const char* status : {"400", "403", "404", "503"}) {
    const json refused = answer("/orders", status);
    for (const char* name : {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Svc-Unknown-Query", "Deprecation"})
      EXPECT_TRUE(refused["headers"].contains(name)) << status << ' ' << name;
  }
  EXPECT_TRUE(resolved(document()["paths"]["/ws"]["get"]["responses"]["426"])["headers"].contains("Upgrade"));
  EXPECT_TRUE(answer("/transfers", "200")["headers"].contains("X-RateLimit-Limit")) << "an owner signed";
  EXPECT_FALSE(answer("/orders", "401")["headers"].contains("X-RateLimit-Limit"));
  EXPECT_FALSE(answer("/orders", "401")["headers"].contains("X-Svc-Unknown-Query"));
  const std::string of_faucet = answer("/faucet", "429").dump();
  for (const char* member : {"available_at_ms", "bucket", "tier"})
    EXPECT_NE(of_faucet.find('"' + std::string(member) + '"'), std::string::npos) << member;
  const std::string of_credit = answer("/account/credit", "429").dump();
  for (const char* member : {"credited_today", "daily_limit", "bucket", "tier"})
    EXPECT_NE(of_credit.find('"' + std::string(member) + '"'), std::string::npos) << member;
}

TEST(Openapi, KeepsTheTwoPathBasesApart) {
  EXPECT_EQ(document()["servers"][0]["url"], "/v1");
  for (const auto& [path, item] : document()["paths"].items()) {
    EXPECT_EQ(item.contains("servers"), path.starts_with("/api/v1")) << path;
    if (item.contains("servers")) {
      EXPECT_EQ(item["servers"][0]["url"], "/");
    }
  }
}

TEST(Openapi, MarksUpgradesAndOperationsOfOlderClients) {
  for (const char* path : {"/ws", "/stream"})
    EXPECT_FALSE(resolved(document()["paths"][path]["get"]["responses"]["101"]).contains("content"));
  for (const Described& described : every_operation())
    EXPECT_EQ(described.operation.value("deprecated", false), described.entry->operation->legacy);
}

TEST(Openapi, CarriesTheNetworkMapAndTheVersion) {
  EXPECT_EQ(document()["openapi"], "3.1.0");
  EXPECT_EQ(document()["info"]["version"], "0.9.0");
  EXPECT_EQ(document()["x-svc-networks"]["networks"]["testnet"]["rest_base"], "http://localhost:9090/v1");
  EXPECT_EQ(document()["x-svc-networks"]["networks"]["local"]["rest_base"], "http://localhost:9090");
}

TEST(Openapi, SameTermsGiveTheSameBytes) {
  EXPECT_EQ(openapi_document("Svc Exchange", {}), openapi_document("Svc Exchange", {}));
}

TEST(PlainGuide, NamesEveryOperationOnce) {
  const std::string guide = plain_guide({.title = "Svc Exchange",
                                         .target = networks().networks.at("local"),
                                         .host_root = "http://localhost:9090/",
                                         .description_url = "http://localhost:9090/openapi.json"});
  for (const OperationEntry& entry : all_operations()) {
    const std::string line =
        "- `" + std::string(to_string(entry.operation->method)) + ' ' + std::string(entry.operation->path) + "`: ";
    const auto place = guide.find(line);
    ASSERT_NE(place, std::string::npos) << line;
    EXPECT_EQ(guide.find(line, place + 1), std::string::npos) << line;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::api
