// The table is what the text of the API says, records and paths fit, and every route is found.
#include "api/operation_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace svc::api {
namespace SVC_FILE {

// The text of the API, restated over the table. What does not hold does not compile.

constexpr auto& operations = AllOps::operations;

template <class P>
constexpr std::size_t count_of(P predicate) {
  return static_cast<std::size_t>(
      std::count_if(operations.begin(), operations.end(), [&](const Operation* op) { return predicate(*op); }));
}

template <class P>
constexpr bool all_of(P predicate) {
  return count_of(predicate) == operations.size();
}

constexpr const Operation* at(Method method, std::string_view path) {
  for (const Operation* op : operations) {
    if (op->method == method && op->path == path) return op;
  }
  return nullptr;
}

constexpr bool is_one_of(std::string_view path, std::initializer_list<std::string_view> paths) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

constexpr bool is_under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

constexpr bool moves_funds_out(const Operation& op) {
  return is_under(op.path, "/transfers") || (op.is_write() && op.path.find("withdraw") != std::string_view::npos);
}

constexpr bool manages_credentials(const Operation& op) {
  return is_under(op.path, "/keys") || is_under(op.path, "/agents") || is_under(op.path, "/auth") ||
         is_under(op.path, "/admin");
}

template <class P>
constexpr bool all_pairs(P differ) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (std::size_t j = i + 1; j < operations.size(); ++j) {
      if (!differ(*operations[i], *operations[j])) return false;
    }
  }
  return true;
}

static_assert(AllOps::size == 84, "API: Endpoints list 84 operations (D-001)");
static_assert(count_of([](const Operation& op) { return op.twin; }) == 39, "39 operations have a twin (D-001)");
static_assert(all_of([](const Operation& op) { return !op.legacy; }), "legacy operations are outside the 84");
static_assert(std::all_of(LegacyOps::operations.begin(), LegacyOps::operations.end(),
                          [](const Operation* op) { return op->legacy; }),
              "and are marked");

static_assert(all_pairs([](const Operation& a, const Operation& b) { return a.name != b.name; }), "names are unique");
static_assert(all_pairs([](const Operation& a, const Operation& b) {
                return a.method != b.method || a.path != b.path;
              }),
              "an operation is one method on one path");

static_assert(all_of([](const Operation& op) {
                const bool heavy =
                    op.method == Method::get && is_one_of(op.path, {"/account/summary", "/fills", "/orders/history",
                                                                    "/account/portfolio-history", "/positions/pnl"});
                return (op.weight.base == 5) == heavy;
              }),
              "API: Limits: weight 5 on exactly five reads");
static_assert(all_of([](const Operation& op) { return op.weight.base != 5 || op.twin; }), "and on their twins");
static_assert(all_of([](const Operation& op) {
                return (op.weight.base == 0) == (op.path == "/account/rate-limit") && op.weight.base <= 5 &&
                       (op.weight.base <= 1 || op.weight.base == 5);
              }),
              "API: Limits: the rate-limit status is free, everything else costs 1");
static_assert(all_of([](const Operation& op) {
                return (op.weight.orders_per_extra_token != 0) == (op.path == "/orders/batch");
              }) &&
                  at(Method::post, "/orders/batch")->weight == Weight{1, 40},
              "API: Limits: a batch costs 1 + floor(order_count / 40)");
static_assert(at(Method::post, "/orders/batch")->weight.of(39) == 1 &&
              at(Method::post, "/orders/batch")->weight.of(40) == 2);

static_assert(all_of([](const Operation& op) {
                const bool trading = op.rate == RateClass::order || op.rate == RateClass::cancel;
                return trading == (op.is_write() && is_under(op.path, "/orders"));
              }),
              "API: Limits: the trading class is exactly the writes under /orders, preview included");
static_assert(all_of([](const Operation& op) {
                return !is_under(op.path, "/orders") || (op.rate == RateClass::cancel) == (op.method == Method::del);
              }),
              "API: Limits: cancellations are exactly DELETE under /orders; amends are submissions");
static_assert(all_of([](const Operation& op) { return (op.rate == RateClass::login) == (op.path == "/auth/login"); }),
              "API: Limits: only the login has its own pool");

static_assert(
    all_of([](const Operation& op) {
      const bool by_wallet =
          op.method == Method::post && is_one_of(op.path, {"/auth/login", "/agents/register", "/withdrawals"});
      return op.auth.has(Auth::wallet_signature) == by_wallet &&
             (!by_wallet || op.auth == AuthSet(Auth::wallet_signature));
    }),
    "API: Authentication: a wallet signature in the body authorises exactly three operations, and nothing else does");
static_assert(all_of([](const Operation& op) {
                return !op.auth.has(Auth::agent) || (!moves_funds_out(op) && !manages_credentials(op));
              }),
              "API: Authentication: agents move no funds off the account and manage no credentials");
static_assert(all_of([](const Operation& op) { return !op.auth.has(Auth::agent) || op.auth.has(Auth::hmac); }),
              "API: Authentication: an agent is an alternative to an API key");
static_assert(all_of([](const Operation& op) { return op.auth.has(Auth::bearer) == is_under(op.path, "/keys"); }),
              "API: Authentication: session tokens manage keys and nothing else");
static_assert(all_of([](const Operation& op) { return op.auth.has(Auth::admin) == is_under(op.path, "/admin"); }),
              "API: Authentication: the operator's secret opens /admin and nothing else");
static_assert(all_of([](const Operation& op) {
                return op.auth.has(Auth::owner_signature) == is_under(op.path, "/transfers") &&
                       (!op.auth.has(Auth::owner_signature) || op.auth == AuthSet(Auth::owner_signature));
              }),
              "API: Authentication: transfers take the owner's signature and no substitute");
static_assert(all_of([](const Operation& op) { return !op.is_write() || !op.auth.is_public(); }), "no public write");

static_assert(all_of([](const Operation& op) {
                const bool signs =
                    (op.method == Method::post && is_one_of(op.path, {"/orders", "/orders/batch", "/account/margin",
                                                                      "/account/margin-mode", "/leverage"})) ||
                    (op.method == Method::patch && op.path == "/orders/{order_id}") ||
                    (op.method == Method::del && is_one_of(op.path, {"/orders", "/orders/{order_id}"}));
                return (op.action != nullptr) == signs;
              }) &&
                  count_of([](const Operation& op) { return op.action != nullptr; }) == 8,
              "API: Signed trading actions: exactly eight operations read an action");
static_assert(all_pairs([](const Operation& a, const Operation& b) {
                return a.action == nullptr || a.action != b.action;
              }),
              "one action struct per operation");

// True if the struct signs every field of the record and nothing that is none. The members of an order count as its
// own.
template <class Struct, class Record>
consteval bool signs_exactly() {
  std::size_t members = 0;
  bool all_are_fields = true;
  signing::for_each_member<Struct>([&]<class Value>(const signing::Member<Struct, Value>& member) {
    if (member.from == signing::From::caller) return;
    if constexpr (signing::SignedStruct<Value>) {
      members += std::size(Record::fields);
      all_are_fields = all_are_fields && signs_exactly<Value, Record>();
    } else {
      ++members;
      all_are_fields = all_are_fields && std::ranges::any_of(Record::fields, [&](const FieldInfo& field) {
                         return field.name == signing::request_name(member.name) ||
                                (field.in == In::path && member.from == signing::From::path);
                       });
    }
  });
  return all_are_fields && members == std::size(Record::fields);
}
template <class Op, class... Action, class... OfOwner>
consteval bool signs_its_request(std::type_identity<std::variant<Action...>>,
                                 std::type_identity<std::tuple<OfOwner...>>) {
  return ((Op::op.action == &signing::form_of<Action> && signs_exactly<Action, typename Op::Request>()) || ...) ||
         ((Op::op.owner == &signing::owner_form_of<OfOwner> && signs_exactly<OfOwner, typename Op::Request>()) || ...);
}
template <class... Op>
consteval bool all_sign_their_requests(OpList<Op...>) {
  return (((Op::op.action == nullptr && Op::op.owner == nullptr) ||
           signs_its_request<Op>(std::type_identity<signing::ActionStruct>(),
                                 std::type_identity<signing::OwnerStructs>())) &&
          ...);
}
static_assert(all_sign_their_requests(AllOps()), "what is signed is what the operation acts on");
static_assert(all_of([](const Operation& op) { return (op.owner != nullptr) == op.auth.has(Auth::owner_signature); }),
              "the struct that an owner signs is known");

static_assert(all_of([](const Operation& op) {
                const bool created = op.method == Method::post &&
                                     is_one_of(op.path, {"/orders", "/orders/batch", "/api/v1/bridge/withdrawals"});
                const bool upgraded = is_one_of(op.path, {"/stream", "/ws"});
                return op.success == (created ? 201 : upgraded ? 101 : 200);
              }),
              "API: Errors: 201 on exactly three operations, 101 on the upgrades, 200 on the rest");

static_assert(all_of([](const Operation& op) {
                const bool bridge = op.path.starts_with("/api/v1/bridge/");
                return (op.base == PathBase::host_root) == op.path.starts_with("/api/") &&
                       (op.base == PathBase::host_root) == bridge && (op.envelope == Envelope::bridge) == bridge &&
                       !(bridge && op.twin);
              }) &&
                  count_of([](const Operation& op) { return op.base == PathBase::host_root; }) == 6,
              "API: Endpoints: the six bridge operations, and only they, are declared under /api/v1");
static_assert(all_of([](const Operation& op) { return (op.base == PathBase::edge) == (op.path == "/metadata"); }),
              "API: What the service does: the edge serves the metadata");

static_assert(all_of([](const Operation& op) {
                const bool faucet = op.method == Method::post && is_one_of(op.path, {"/faucet", "/account/credit"});
                return (op.networks == NetworkSet::testnet_only) == faucet;
              }),
              "API: What the service does: the faucet operations exist on testnet only");

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
  EXPECT_EQ(LegacyOps::size, 5u);
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
    EXPECT_EQ(match_operation(to_string(route.operation->method), path), route.operation) << path;
  }
}

TEST(OperationTable, FixedSegmentsWinOverParameters) {
  EXPECT_EQ(match_operation("GET", "/orders/history")->name, "list_order_history");
  EXPECT_EQ(match_operation("GET", "/api/v1/orders/history")->name, "list_order_history");
  EXPECT_EQ(match_operation("GET", "/orders/other")->name, "get_order");
  for (const char* path :
       {"/orders/", "/orders/a/b", "/", "", "/api/v1", "/api/v1/keys", "/bridge/assets", "orders", "/ordersx"}) {
    EXPECT_EQ(match_operation("GET", path), nullptr) << path;
  }
  EXPECT_EQ(match_operation("PUT", "/orders"), nullptr);
}

TEST(OperationTable, AParameterThatChangesThePathIsRefused) {
  using ops::DeleteKey, ops::CancelOrder;
  for (const char* id : {"k1", "a%20b", "...", ".a"})
    EXPECT_TRUE(is_path_of(DeleteKey::op, std::string("/keys/") + id)) << id;
  for (const char* id : {"", ".", "..", "%2E", "%2e%2e", "a%2Fb", "..%2Forders", "a/b", "a%5Cb", "%0A", "%FF"}) {
    EXPECT_FALSE(is_path_of(DeleteKey::op, std::string("/keys/") + id)) << id;
    EXPECT_FALSE(is_path_of(CancelOrder::op, std::string("/orders/") + id)) << id;
  }
  EXPECT_FALSE(is_path_of(CancelOrder::op, "/keys/k1"));
  for (const char* word : {"history", "batch", "preview"}) {
    EXPECT_FALSE(is_path_of(CancelOrder::op, std::string("/orders/") + word)) << word;
    EXPECT_FALSE(is_path_of(ops::GetOrder::op, std::string("/orders/") + word)) << word;
  }
  for (const Route& route : all_routes()) {
    std::string path = route.path;
    for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{'))
      path.replace(open, path.find('}') - open + 1, "X-1");
    EXPECT_TRUE(is_path_of(*route.operation, path)) << path;
  }
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
