#include "api/operation_table.h"

#include <algorithm>

#include "api/describe.h"

namespace svc::api {
namespace {

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

static_assert(all_of([](const Operation& op) { return !op.legacy; }), "legacy operations are not the API's");
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

// True if the struct signs every field of the record and nothing that is none.
template <class Struct, class Record>
consteval bool signs_exactly() {
  std::size_t members = 0;
  bool all_are_fields = true;
  signing::for_each_member<Struct>([&](const auto& member) {
    if (member.from == signing::From::caller) return;
    ++members;
    all_are_fields = all_are_fields && std::ranges::any_of(Record::fields, [&](const FieldInfo& field) {
                       return field.name == signing::RequestName(member.name).text();
                     });
  });
  return all_are_fields && members == std::size(Record::fields);
}
static_assert(signs_exactly<signing::OrderParams, OrderRequest>() &&
                  signs_exactly<signing::PlaceOrders, ops::PlaceOrders::Request>() &&
                  signs_exactly<signing::AmendOrder, ops::AmendOrder::Request>() &&
                  signs_exactly<signing::CancelOrder, ops::CancelOrder::Request>() &&
                  signs_exactly<signing::CancelAllOrders, ops::CancelAllOrders::Request>() &&
                  signs_exactly<signing::AdjustMargin, ops::AdjustMargin::Request>() &&
                  signs_exactly<signing::SetMarginMode, ops::SetMarginMode::Request>() &&
                  signs_exactly<signing::SetLeverage, ops::SetLeverage::Request>(),
              "what an action signs is what its operation acts on");

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

constexpr auto entries = entries_of(AllOps{}, LegacyOps{});

// How well a path fits a pattern: more for earlier fixed segments; nullopt if it does not.
std::optional<std::uint64_t> fit(std::string_view pattern, std::string_view path) {
  std::uint64_t score = 1;
  while (!pattern.empty() && !path.empty()) {
    if (pattern.front() != '/' || path.front() != '/') return std::nullopt;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    const std::string_view segment = path.substr(0, path.find('/'));
    const bool parameter = expected.starts_with('{');
    if (parameter ? segment.empty() : segment != expected) return std::nullopt;
    score = score * 2 + (parameter ? 0 : 1);
    pattern.remove_prefix(expected.size());
    path.remove_prefix(segment.size());
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return score;
}

std::optional<std::uint64_t> fit(const Operation& operation, std::string_view path) {
  const bool under_twin = operation.twin && path.starts_with(twin_prefix);
  return fit(operation.path, under_twin ? path.substr(twin_prefix.size()) : path);
}

// The path from where a pattern of so many segments would begin.
std::string_view tail_for(std::string_view pattern, std::string_view path) {
  std::size_t begin = path.size();
  for (auto left = std::ranges::count(pattern, '/'); left > 0 && begin != std::string_view::npos; --left)
    begin = begin == 0 ? std::string_view::npos : path.rfind('/', begin - 1);
  return begin == std::string_view::npos ? std::string_view() : path.substr(begin);
}

// The one of the method with the highest score; nullptr if none has any.
template <class Score>
const OperationEntry* best_fit(std::string_view method, const Score& score) {
  const OperationEntry* best = nullptr;
  std::uint64_t best_score = 0;
  for (const OperationEntry& entry : entries) {
    if (to_string(entry.operation->method) != method) continue;
    const std::optional<std::uint64_t> found = score(*entry.operation);
    if (!found || *found <= best_score) continue;
    best = &entry;
    best_score = *found;
  }
  return best;
}

}  // namespace

// Only the interface description has it; the tables instantiate the records of all operations.
template const TypeInfo& type_of<NetworkMap>();

std::span<const OperationEntry> all_operations() {
  return std::span(entries).first<AllOps::size>();
}
std::span<const OperationEntry> legacy_operations() {
  return std::span(entries).subspan<AllOps::size>();
}
std::span<const OperationEntry> every_operation() {
  return entries;
}

const OperationEntry* find_operation(std::string_view name) {
  const auto found =
      std::ranges::find(entries, name, [](const OperationEntry& entry) { return entry.operation->name; });
  return found == entries.end() ? nullptr : &*found;
}

const OperationEntry* match_operation(std::string_view method, std::string_view logical_path) {
  return best_fit(method, [&](const Operation& operation) { return fit(operation, logical_path); });
}

Result<signing::ActionStruct, std::string> action_at(const signing::RequestParts& request,
                                                     signing::ActionContext context) {
  const OperationEntry* best = best_fit(request.method, [&](const Operation& operation) {
    return operation.action == nullptr ? std::nullopt : fit(operation.path, tail_for(operation.path, request.path));
  });
  if (best == nullptr)
    return unexpected(std::string(request.method) + " " + std::string(request.path) + " is not a trading action");
  return best->operation->action->read(request, std::move(context));
}

}  // namespace svc::api
