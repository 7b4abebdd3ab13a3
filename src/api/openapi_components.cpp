// Schemas, request bodies, shared parameters and security schemes.
#include <map>

#include "api/json_schema.h"
#include "api/openapi_parts.h"
#include "api/operation_examples.h"
#include "base/assert.h"

namespace svc::api::openapi {
namespace {

struct Named {
  std::string_view name;
  std::string_view json;
};

// Bodies of refusals. What a code adds to them is said where the code is.
constexpr Named error_schemas[] = {
    {"Error",
     R"({"type":"object","description":"A refusal","properties":{"code":{"type":"string","description":"What to branch )"
     R"(on"},"message":{"type":"string","description":"For people; its wording may change"}},)"
     R"("required":["code","message"]})"},
    {"TradingError",
     R"({"type":"object","description":"A refusal of an order, of margin or of leverage: code and error are alike",)"
     R"("properties":{"code":{"type":"string","description":"What to branch on"},"error":{"type":"string",)"
     R"("description":"The same, for older clients"},"message":{"type":"string","description":"For people; its )"
     R"(wording may change"}},"required":["code","error","message"]})"},
    {"BridgeError",
     R"({"type":"object","description":"A refusal under /api/v1/bridge","properties":{"error":{"type":"object",)"
     R"("properties":{"code":{"type":"string","description":"What to branch on"},"message":{"type":"string",)"
     R"("description":"For people; its wording may change"},"details":{"type":"object","description":"More about )"
     R"(it, where there is more"}},"required":["code","message"]}},"required":["error"]})"},
    {"Unauthorized",
     R"({"type":"object","description":"Every failed authentication, whatever the cause","properties":{"code":)"
     R"({"const":"unauthorized"}},"required":["code"],"additionalProperties":false})"},
    {"FailClosed",
     R"({"type":"object","description":"The engine's margin view is unavailable and no estimate is given","properties":)"
     R"({"code":{"const":"authoritative_margin_unavailable"}},"required":["code"]})"},
    {"RateLimited",
     R"({"type":"object","description":"A budget is spent","properties":{"code":{"const":"RATE_LIMIT_EXCEEDED"},)"
     R"("message":{"type":"string"},"bucket":{"type":"string","enum":["key","owner","order","cancel","ip","login"],)"
     R"("description":"Which budget"},"tier":{"type":"string","description":"The caller's tier"}},)"
     R"("required":["code","message","bucket","tier"]})"},
    {"VersionRefused",
     R"({"type":"object","description":"The version named by the request is below the minimum","properties":)"
     R"({"code":{"const":"api_version_unsupported"},"message":{"type":"string"},"min_version":{"type":"string"},)"
     R"("current_version":{"type":"string"},"spec_url":{"type":"string"},"docs_url":{"type":"string"}},)"
     R"("required":["code","message","min_version","current_version","spec_url","docs_url"]})"},
};

struct Scheme {
  std::string_view name;
  std::string_view header;  // empty: HTTP bearer
  std::string_view description;
};

constexpr Scheme schemes[] = {
    {"hmacAuth", "X-API-Key",
     "The id of an API key. Goes with requestTimestamp and hmacSignature: one credential of three headers."},
    {"requestTimestamp", "X-Timestamp", "Unix milliseconds, within 30 seconds of the server's clock."},
    {"hmacSignature", "X-Signature",
     "HMAC-SHA256 in lower-case hex under the hex-decoded secret, over five lines joined by LF: timestamp, METHOD, "
     "signed path, query as sent, hex SHA-256 of the body."},
    {"agentAuth", "X-Agent",
     "The address of an agent key, lower case. Goes with requestTimestamp, requestNonce and agentSignature; on order "
     "writes and margin, a signed action alone will do instead."},
    {"requestNonce", "X-Nonce", "Unsigned 64-bit integer in base 10; on writes greater than any accepted before."},
    {"agentSignature", "X-Signature",
     "0x and 65 bytes in hex: secp256k1 over the Keccak-256 of six lines joined by LF: METHOD, signed path, query as "
     "sent, hex SHA-256 of the body, timestamp, nonce."},
    {"actionSignature", "X-Action-Signature", "Signature of the EIP-712 action; see the parameter of this name."},
    {"actionTimestamp", "X-Action-Timestamp", "The action's timestampMs."},
    {"actionNonce", "X-Action-Nonce", "The action's nonce."},
    {"ownerSignature", "X-Signature",
     "0x and 65 bytes in hex: the account owner's signature of the operation's EIP-712 struct. Goes with "
     "requestTimestamp and, on writes, requestNonce, which are members of that struct."},
    {"bearerAuth", "", "A session token from POST /auth/login, valid for 24 hours."},
    {"adminAuth", "", "The operator's secret."},
};

struct HeaderParameter {
  std::string_view component;
  std::string_view name;
  std::string_view schema;
  std::string_view description;
};

constexpr HeaderParameter action_headers[] = {
    {"actionSignature", "x-action-signature", R"({"type":"string","pattern":"^(0x)?[0-9a-fA-F]{130}$"})",
     "EIP-712 signature of the action by the account or its agent: r, s (low), v; under the domain without salt, chain "
     "id 20056"},
    {"actionTimestamp", "x-action-timestamp", R"({"type":"string","pattern":"^[0-9]+$"})",
     "timestampMs of the action: Unix milliseconds within 30 seconds of the server's clock"},
    {"actionNonce", "x-action-nonce", R"({"type":"string","pattern":"^[0-9]+$"})",
     "nonce of the action: unsigned 64-bit integer, greater than any that the signer used before"},
    {"actingAccount", "x-acting-account", R"({"type":"string","pattern":"^(0x)?[0-9a-fA-F]{40}$"})",
     "account of the action, where it is not the authenticated one"},
};

// Records by the name they are referred to.
class SchemaSet {
 public:
  explicit SchemaSet(Direction direction) : direction_(direction) {}

  void add(const TypeInfo& type) {
    if (type.element != nullptr) add(type.element());
    if (type.kind == Kind::custom) by_name_.try_emplace(type.name, &type);
    if (type.kind != Kind::record) return;
    if (whole_body_of(type) == nullptr) {
      const auto [place, added] = by_name_.try_emplace(type.name, &type);
      SVC_ASSERT(place->second == &type);
      if (!added) return;
    }
    for (const FieldInfo& field : type.fields) {
      if (field.in == In::body || field.in == In::whole_body) add(field.type());
    }
  }

  [[nodiscard]] bool contains(const TypeInfo& type) const { return by_name_.contains(type.name); }

  void write(JsonWriter& json) const {
    for (const auto& [name, type] : by_name_)
      json.key(name).raw(schema_of(*type, {.direction = direction_, .reference_prefix = schema_prefix}));
  }

 private:
  Direction direction_;
  std::map<std::string_view, const TypeInfo*> by_name_;
};

SchemaSet response_records() {
  SchemaSet records(Direction::response);
  for_each_operation([&](const OperationEntry& entry) {
    if (entry.operation->success != 101) records.add(entry.response());
  });
  return records;
}

// Requests are closed and responses open: what is both is written where it is sent.
bool is_named(const TypeInfo& request, const SchemaSet& responses) {
  return whole_body_of(request) == nullptr && !responses.contains(request);
}

bool body_is_required(const TypeInfo& request) {
  if (whole_body_of(request) != nullptr) return true;
  for (const FieldInfo& field : request.fields) {
    if (field.in == In::body && !may_be_absent(field) && field.type().kind != Kind::optional) return true;
  }
  return false;
}

}  // namespace

bool has_request_body(const OperationEntry& entry) {
  const TypeInfo& request = entry.request();
  return entry.operation->reads_body() && (whole_body_of(request) != nullptr || has_body_fields(request));
}

std::string request_body_name(const Operation& operation) {
  return std::string(operation.name);
}

void write_request_bodies(JsonWriter& json) {
  const SchemaSet responses = response_records();
  for_each_operation([&](const OperationEntry& entry) {
    if (!has_request_body(entry)) return;
    const TypeInfo& request = entry.request();
    json.key(request_body_name(*entry.operation)).begin_object();
    json.key("required").boolean(body_is_required(request));
    json.key("content").begin_object().key("application/json").begin_object().key("schema");
    if (is_named(request, responses))
      json.begin_object().key("$ref").text(std::string(schema_prefix) + std::string(request.name)).end_object();
    else
      json.raw(schema_of(request, {.direction = Direction::request, .reference_prefix = schema_prefix}));
    const OperationExample* example = example_of(*entry.operation);
    if (example != nullptr && !example->body.empty()) json.key("example").raw(example->body);
    json.end_object().end_object().end_object();
  });
}

void write_schemas(JsonWriter& json) {
  const SchemaSet responses = response_records();
  SchemaSet requests(Direction::request);
  for_each_operation([&](const OperationEntry& entry) {
    const bool named = is_named(entry.request(), responses) || whole_body_of(entry.request()) != nullptr;
    if (has_request_body(entry) && named) requests.add(entry.request());
  });
  for (const Named& schema : error_schemas) json.key(schema.name).raw(schema.json);
  requests.write(json);
  responses.write(json);
}

void write_parameters(JsonWriter& json, const VersionPolicy& versions) {
  json.key("apiVersion").begin_object().key("name").text(version_header).key("in").text("header");
  json.key("description")
      .text("The version of this description that the client was written against. At least " +
            to_string(versions.minimum) + "; a leading v and a pre-release suffix are allowed.");
  json.key("schema").begin_object().key("type").text("string").end_object();
  json.key("example").text(to_string(versions.current)).end_object();
  for (const HeaderParameter& parameter : action_headers) {
    json.key(parameter.component).begin_object();
    json.key("name").text(parameter.name).key("in").text("header");
    json.key("description").text(parameter.description);
    json.key("schema").raw(parameter.schema).end_object();
  }
}

void write_security_schemes(JsonWriter& json) {
  for (const Scheme& scheme : schemes) {
    json.key(scheme.name).begin_object().key("description").text(scheme.description);
    if (scheme.header.empty())
      json.key("type").text("http").key("scheme").text("bearer");
    else
      json.key("type").text("apiKey").key("in").text("header").key("name").text(scheme.header);
    json.end_object();
  }
}

}  // namespace svc::api::openapi
