// Operations: their parameters, credentials, cost and references to what they share.
#include <vector>

#include "api/declared_errors.h"
#include "api/json_schema.h"
#include "api/message_codec.h"
#include "api/openapi_parts.h"
#include "api/operation_examples.h"
#include "base/assert.h"

namespace svc::api::openapi {
namespace {

constexpr std::string_view lower_case_method(Method method) {
  switch (method) {
    case Method::get: return "get";
    case Method::post: return "post";
    case Method::put: return "put";
    case Method::patch: return "patch";
    case Method::del: return "delete";
  }
  return {};
}

std::string_view struct_of(Action action) {
  switch (action) {
    case Action::none: return {};
    case Action::place_order: return "PlaceOrder";
    case Action::place_orders: return "PlaceOrders";
    case Action::amend_order: return "AmendOrder";
    case Action::cancel_order: return "CancelOrder";
    case Action::cancel_all_orders: return "CancelAllOrders";
    case Action::adjust_margin: return "AdjustMargin";
    case Action::set_margin_mode: return "SetMarginMode";
    case Action::set_leverage: return "SetLeverage";
  }
  return {};
}

std::string budget_sentence(const Operation& operation) {
  if (operation.weight.base == 0) return "Costs nothing.";
  const std::string_view budget = operation.rate == RateClass::order    ? "order"
                                  : operation.rate == RateClass::cancel ? "cancel"
                                  : operation.rate == RateClass::login  ? "login"
                                                                        : "request";
  std::string cost = std::to_string(operation.weight.base);
  if (operation.weight.orders_per_extra_token != 0)
    cost += " + floor(order_count / " + std::to_string(operation.weight.orders_per_extra_token) + ')';
  return "Costs " + cost + " of the " + std::string(budget) + " budget.";
}

std::string description_of(const Operation& operation, bool is_twin) {
  std::string text;
  const auto say = [&text](std::string_view sentence) {
    if (!text.empty()) text += ' ';
    text += sentence;
  };
  if (!operation.detail.empty()) say(operation.detail);
  if (operation.auth.has(Auth::wallet_signature))
    say("Authorised by the wallet's signature in the body; other credentials are ignored.");
  if (operation.action != Action::none)
    say("Reads a signed `" + std::string(struct_of(operation.action)) + "` action from the `x-action-*` headers.");
  if (operation.networks == NetworkSet::testnet_only)
    say("Served on testnet, and by a local sandbox whose faucet is switched on; elsewhere the path does not exist.");
  if (operation.legacy) say("Of an older contract; kept for clients that still call it.");
  say(budget_sentence(operation));
  if (is_twin)
    say("The same operation as `" + std::string(to_string(operation.method)) + ' ' + std::string(operation.path) +
        "`, at the host root; sign this path.");
  return text;
}

// The schemes of one credential go together; any one credential will do.
void write_security(JsonWriter& json, const Operation& operation) {
  if (operation.auth.has(Auth::wallet_signature)) {
    json.key("x-svc-auth").text("wallet-signature");
    return;
  }
  const auto credential = [&json](std::initializer_list<std::string_view> schemes) {
    json.begin_object();
    for (const std::string_view scheme : schemes) json.key(scheme).begin_array().end_array();
    json.end_object();
  };
  json.key("security").begin_array();
  if (operation.auth.has(Auth::hmac)) credential({"hmacAuth", "requestTimestamp", "hmacSignature"});
  if (operation.auth.has(Auth::agent)) {
    credential({"agentAuth", "requestTimestamp", "requestNonce", "agentSignature"});
    if (operation.action != Action::none)
      credential({"agentAuth", "actionSignature", "actionTimestamp", "actionNonce"});
  }
  if (operation.auth.has(Auth::bearer)) credential({"bearerAuth"});
  if (operation.auth.has(Auth::admin)) credential({"adminAuth"});
  if (operation.auth.has(Auth::owner_signature)) {
    if (operation.is_write())
      credential({"ownerSignature", "requestTimestamp", "requestNonce"});
    else
      credential({"ownerSignature", "requestTimestamp"});
  }
  json.end_array();
}

bool is_bare_json(const TypeInfo& type) {
  const Kind kind = type.kind == Kind::optional ? type.element().kind : type.kind;
  return kind == Kind::boolean || kind == Kind::int64 || kind == Kind::uint64 || kind == Kind::uint32;
}

void write_parameter(JsonWriter& json, const FieldInfo& field, const OperationEntry& entry) {
  const bool required = field.in == In::path || (!may_be_absent(field) && field.type().kind != Kind::optional);
  const std::string_view place = field.in == In::path ? "path" : field.in == In::query ? "query" : "header";
  json.begin_object().key("name").text(field.name).key("in").text(place);
  if (required) json.key("required").boolean(true);
  json.key("description").text(field.doc);
  json.key("schema").raw(schema_of(field, entry.request(), {.direction = Direction::request, .described = false}));
  if (const auto example = example_value(*entry.operation, field)) {
    json.key("example");
    if (is_bare_json(field.type()))
      json.raw(*example);
    else
      json.text(*example);
  }
  json.end_object();
}

void write_reference(JsonWriter& json, const std::string& target) {
  json.begin_object().key("$ref").text("#/components/" + target).end_object();
}

void write_parameters_of(JsonWriter& json, const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  json.key("parameters").begin_array();
  for (const FieldInfo& field : entry.request().fields) {
    if (field.in != In::body && field.in != In::whole_body) write_parameter(json, field, entry);
  }
  if (operation.action != Action::none) {
    for (const char* name : {"actionSignature", "actionTimestamp", "actionNonce", "actingAccount"})
      write_reference(json, std::string("parameters/") + name);
  }
  if (operation.base != PathBase::edge) write_reference(json, "parameters/apiVersion");
  json.end_array();
}

void write_cost(JsonWriter& json, const Operation& operation) {
  if (operation.weight != Weight{}) json.key("x-svc-rate-limit-weight").integer(operation.weight.base);
  if (operation.weight.orders_per_extra_token != 0)
    json.key("x-svc-rate-limit-weight-formula")
        .text(std::to_string(operation.weight.base) + " + floor(order_count / " +
              std::to_string(operation.weight.orders_per_extra_token) + ')');
  if (operation.rate == RateClass::order || operation.rate == RateClass::cancel)
    json.key("x-svc-rate-limit-class").text("trading");
}

}  // namespace

void write_operation(JsonWriter& json, const OperationEntry& entry, bool is_twin) {
  const Operation& operation = *entry.operation;
  json.key(lower_case_method(operation.method)).begin_object();
  json.key("operationId").text(std::string(operation.name) + (is_twin ? "_at_root" : ""));
  json.key("tags").begin_array().text(operation.group).end_array();
  json.key("summary").text(operation.summary);
  json.key("description").text(description_of(operation, is_twin));
  if (operation.legacy) json.key("deprecated").boolean(true);
  write_security(json, operation);
  write_cost(json, operation);
  write_parameters_of(json, entry);
  if (has_request_body(entry)) {
    json.key("requestBody");
    write_reference(json, "requestBodies/" + request_body_name(operation));
  }
  json.key("responses").begin_object().key(std::to_string(operation.success));
  write_reference(json, "responses/" + success_name(operation));
  std::uint16_t last = 0;
  for (const DeclaredError& error : declared_errors(entry)) {
    if (error.status == last) continue;
    last = error.status;
    json.key(std::to_string(error.status));
    write_reference(json, "responses/" + refusal_name(entry, error.status));
  }
  json.end_object().end_object();
}

}  // namespace svc::api::openapi
