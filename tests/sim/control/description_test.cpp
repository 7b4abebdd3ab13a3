// The description of the control surface matches its behaviour.
#include <gtest/gtest.h>

#include <set>

#include "api/contract/control.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

void collect_references(const Json& node, std::set<std::string>& into) {
  if (node.is_object() && node.contains("$ref")) into.insert(node["$ref"].get<std::string>().substr(1));
  for (const Json& child : node)
    if (child.is_structured()) collect_references(child, into);
}

class ControlDescription : public ::testing::Test {
 protected:
  TestExchange exchange;
  const Json document = exchange.get("/_svc/openapi.json").body;
};

TEST_F(ControlDescription, HasEveryOperationOfTheTableAndNoOther) {
  std::size_t described = 0;
  for (const auto& [path, methods] : document["paths"].items()) described += methods.size();
  EXPECT_EQ(described, api::control::all_operations().size());
  for (const api::OperationEntry& entry : api::control::all_operations()) {
    const api::Operation& operation = *entry.operation;
    const Json::json_pointer place =
        Json::json_pointer("/paths") / std::string(operation.path) / lower_case(api::to_string(operation.method));
    ASSERT_TRUE(document.contains(place)) << operation.name;
    EXPECT_EQ(document[place]["operationId"], operation.name);
    EXPECT_TRUE(document[place]["responses"].contains("403")) << operation.name;
    EXPECT_FALSE(document[place]["responses"].contains("401")) << operation.name;
  }
}

TEST_F(ControlDescription, HasNoDanglingReferences) {
  std::set<std::string> references;
  collect_references(document, references);
  EXPECT_GT(references.size(), 50u);
  for (const std::string& reference : references)
    EXPECT_TRUE(document.contains(Json::json_pointer(reference))) << reference;
}

TEST_F(ControlDescription, ListsAllMembersOfABodyAndAllowsNoOthers) {
  const Json grant = document["components"]["schemas"]["Grant"];
  EXPECT_EQ(grant["required"], (Json{"account", "amount"}));
  EXPECT_EQ(grant["additionalProperties"], false);
  EXPECT_EQ(document["components"]["schemas"]["FaultTerms"]["properties"].size(), 14u);
}

TEST_F(ControlDescription, EveryRouteAnswers) {
  for (const api::OperationEntry& entry : api::control::all_operations()) {
    const api::Operation& operation = *entry.operation;
    std::string path(operation.path);
    for (const auto& [name, value] : {std::pair{"{market_id}", "BTC-USDX-PERP"},
                                      {"{address}", "0x00000000000000000000000000000000000000a1"},
                                      {"{order_id}", "1"},
                                      {"{id}", "1"},
                                      {"{number}", "1"},
                                      {"{name}", "one"}})
      if (const auto at = path.find(name); at != std::string::npos) path.replace(at, std::string(name).size(), value);
    const Reply reply = exchange.send(api::to_string(operation.method), path, "{}");
    EXPECT_NE(reply.status, 405) << path;
    EXPECT_LT(reply.status, 500) << path;
    const std::string message = reply.body.is_object() ? reply.body.value("message", "") : "";
    EXPECT_FALSE(message.starts_with("the control surface has no")) << path;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
