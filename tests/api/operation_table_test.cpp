// Checks of the table beyond static_asserts: records and paths fit, and every route is found.
#include "api/operation_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace svc::api {
namespace SVC_FILE {

std::vector<std::string> parameters_of(std::string_view path) {
  std::vector<std::string> names;
  for (std::size_t open = path.find('{'); open != std::string_view::npos; open = path.find('{', open + 1)) {
    names.emplace_back(path.substr(open + 1, path.find('}', open) - open - 1));
  }
  return names;
}

// An operation at one of its paths.
struct Route {
  const Operation* operation = nullptr;
  std::string path;
};

std::vector<Route> all_routes() {
  std::vector<Route> routes;
  for (const OperationEntry& entry : all_operations()) {
    routes.push_back({entry.operation, std::string(entry.operation->path)});
    if (entry.operation->twin) routes.push_back({entry.operation, "/api/v1" + std::string(entry.operation->path)});
  }
  return routes;
}

TEST(OperationTable, CountsAreThoseOfTheApiText) {
  EXPECT_EQ(all_operations().size(), 84u);
  EXPECT_EQ(all_routes().size(), 123u);
  EXPECT_EQ(legacy_operations().size(), 5u);
  std::set<std::string> paths;
  for (const Route& route : all_routes()) {
    if (route.path.starts_with("/api/v1")) paths.insert(route.path);
  }
  EXPECT_EQ(paths.size(), 39u) << "34 of twins and 5 of the bridge (D-001)";
}

TEST(OperationTable, PathParametersAreFieldsOfTheRequest) {
  for (const OperationEntry& entry : every_operation()) {
    std::vector<std::string> fields;
    for (const FieldInfo& field : entry.request().fields) {
      if (field.in == In::path) fields.emplace_back(field.name);
    }
    EXPECT_EQ(fields, parameters_of(entry.operation->path)) << entry.operation->name;
  }
}

TEST(OperationTable, ReadsAndDeletionsHaveNoBodyFields) {
  for (const OperationEntry& entry : every_operation()) {
    if (entry.operation->method != Method::get && entry.operation->method != Method::del) continue;
    EXPECT_FALSE(has_body_fields(entry.request()) || whole_body_of(entry.request()) != nullptr)
        << entry.operation->name;
  }
}

TEST(OperationTable, MembersOfTheSignedPathAreInNoQuery) {
  for (const OperationEntry& entry : every_operation()) {
    EXPECT_EQ(entry.operation->path.front(), '/');
    EXPECT_EQ(entry.operation->path.find('?'), std::string_view::npos);
    EXPECT_FALSE(entry.operation->path.ends_with('/'));
    EXPECT_FALSE(entry.operation->summary.empty() || entry.operation->summary.ends_with('.')) << entry.operation->name;
  }
}

TEST(OperationTable, NamesAreFound) {
  for (const OperationEntry& entry : every_operation()) {
    const OperationEntry* found = find_operation(entry.operation->name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->operation, entry.operation);
  }
  EXPECT_EQ(find_operation("no_such"), nullptr);
}

TEST(OperationTable, EveryRouteIsMatchedByAFilledInPath) {
  for (const Route& route : all_routes()) {
    std::string path = route.path;
    for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{')) {
      path.replace(open, path.find('}') - open + 1, "X-1");
    }
    const OperationEntry* found = match_operation(to_string(route.operation->method), path);
    ASSERT_NE(found, nullptr) << path;
    EXPECT_EQ(found->operation, route.operation) << path;
  }
}

TEST(OperationTable, FixedSegmentsWinOverParameters) {
  EXPECT_EQ(match_operation("GET", "/orders/history")->operation->name, "list_order_history");
  EXPECT_EQ(match_operation("GET", "/api/v1/orders/history")->operation->name, "list_order_history");
  EXPECT_EQ(match_operation("GET", "/orders/other")->operation->name, "get_order");
  for (const char* path :
       {"/orders/", "/orders/a/b", "/", "", "/api/v1", "/api/v1/keys", "/bridge/assets", "orders", "/ordersx"}) {
    EXPECT_EQ(match_operation("GET", path), nullptr) << path;
  }
  EXPECT_EQ(match_operation("PUT", "/orders"), nullptr);
}

TEST(OperationTable, DeclaredErrorsAreDistinct) {
  for (const OperationEntry& entry : every_operation()) {
    std::set<ErrorCode> seen;
    for (const OperationError& error : entry.operation->errors) {
      EXPECT_TRUE(seen.insert(error.code).second) << entry.operation->name << " " << spelling(error.code);
    }
  }
}

TEST(Operation, BatchCostsOnePlusOnePerFortyOrders) {
  const Weight weight = ops::PlaceOrders::op.weight;
  const std::pair<std::uint64_t, std::uint64_t> rows[] = {{0, 1},  {1, 1},  {39, 1},   {40, 2},
                                                          {79, 2}, {80, 3}, {1000, 26}};
  for (const auto& [orders, cost] : rows) EXPECT_EQ(weight.of(orders), cost) << orders;
  EXPECT_EQ(ops::ListFills::op.weight.of(1000), 5u);
}

}  // namespace SVC_FILE
}  // namespace svc::api
