#include "api/openapi.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/codec.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/operation_list.h"

namespace svc::api {
namespace SVC_FILE {

using nlohmann::json;

constexpr SchemaOptions of_request{.direction = Direction::request};

TEST(JsonSchema, OfARequestIsClosedAndRequiresWhatDecodingRequires) {
  const json schema = json::parse(schema_of<OrderRequest>(of_request));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], json({"market_id", "side", "order_type", "quantity", "time_in_force"}));
  EXPECT_EQ(schema["properties"]["side"]["enum"], json({"Buy", "Sell"}));
  EXPECT_EQ(schema["properties"]["reduce_only"]["default"], false);
  EXPECT_EQ(schema["properties"]["quantity"]["type"], "string");
  EXPECT_EQ(schema["properties"]["price"]["anyOf"][1]["type"], "null");
  EXPECT_EQ(schema["properties"]["market_id"]["maxLength"], 64);
  EXPECT_EQ(schema["properties"].size(), 14u);
}

TEST(JsonSchema, OfAResponseIsOpenAndRequiresWhatIsAlwaysWritten) {
  const json schema = json::parse(schema_of<Order>());
  EXPECT_FALSE(schema.contains("additionalProperties"));
  EXPECT_EQ(schema["required"].size(), 21u) << "null is written, so the key is there";
  EXPECT_EQ(schema["properties"]["cancellation_reason"]["anyOf"][0]["allOf"][0]["oneOf"].size(), 2u);

  const json fills = json::parse(schema_of<Page<Fill>>());
  EXPECT_EQ(fills["type"], "array");
  EXPECT_EQ(fills["items"]["properties"]["side"]["enum"], json({"buy", "sell"}));
}

TEST(JsonSchema, PlacesRecordsBesideOrInsideOneAnother) {
  const json beside = json::parse(schema_of<OrderResponse>({.reference_prefix = "#/components/schemas/"}));
  EXPECT_EQ(beside["properties"]["order"]["$ref"], "#/components/schemas/Order");
  EXPECT_EQ(beside["properties"]["fills"]["items"]["$ref"], "#/components/schemas/Fill");
  const json inside = json::parse(schema_of<OrderResponse>());
  EXPECT_EQ(inside["properties"]["order"]["type"], "object");
}

TEST(JsonSchema, OfAnArrayShapedRecordCountsItsItems) {
  const json schema = json::parse(schema_of<List<Candle>>());
  EXPECT_EQ(schema["items"]["type"], "array");
  EXPECT_EQ(schema["items"]["prefixItems"].size(), 6u);
  EXPECT_EQ(schema["items"]["items"], false);
}

TEST(JsonSchema, OfAParameterHasItsBoundsAndDefault) {
  const TypeInfo& record = type_of<FillsRequest>();
  const json limit = json::parse(schema_of(record.fields[0], record, of_request));
  EXPECT_EQ(limit["minimum"], 1);
  EXPECT_EQ(limit["maximum"], 1000);
  EXPECT_EQ(limit["default"], 100);
}

// All schemas are valid JSON, including those of nested records and defaults.
TEST(JsonSchema, OfEveryOperationIsJson) {
  for (const OperationEntry& entry : all_operations()) {
    EXPECT_TRUE(json::accept(schema_of(entry.request(), of_request))) << entry.operation->name;
    EXPECT_TRUE(json::accept(schema_of(entry.response(), {}))) << entry.operation->name;
    for (const FieldInfo& field : entry.request().fields) {
      const json schema = json::parse(schema_of(field, entry.request(), of_request));
      EXPECT_EQ(schema["description"], field.doc);
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc::api
