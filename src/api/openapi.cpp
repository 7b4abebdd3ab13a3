#include "api/openapi.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "api/codec.h"
#include "api/contract/control.h"
#include "api/header_names.h"
#include "api/http/http_message.h"
#include "api/message_codec.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc::api {
namespace {

class SchemaWriter {
 public:
  SchemaWriter(std::string& out, const SchemaOptions& options) : json_(out), options_(options) {}

  void body(const TypeInfo& type) {
    static constexpr FieldInfo no_field{};
    if (type.kind != Kind::record) return value(type, no_field);
    if (const FieldInfo* whole = whole_body_of(type)) return value(whole->type(), *whole);
    json_.begin_object();
    record_members(type);
    json_.end_object();
  }

  // A field's schema: its type's, with its description and its default.
  void field(const FieldInfo& field, const TypeInfo& record) {
    const Kind kind = field.type().kind;
    json_.begin_object();
    members(field.type(), field);
    if (options_.described && !field.doc.empty()) json_.key("description").text(field.doc);
    if (field.may_be_absent && (kind <= Kind::number || kind == Kind::enumeration)) {
      const std::string text = default_text(field, record);
      const bool quoted = kind == Kind::text || kind == Kind::decimal || kind == Kind::enumeration;
      json_.key("default");
      quoted ? json_.text(text) : json_.raw(text);
    }
    json_.end_object();
  }

 private:
  void value(const TypeInfo& type, const FieldInfo& field) {
    json_.begin_object();
    members(type, field);
    json_.end_object();
  }

  void bounds(const FieldInfo& field, std::string_view least, std::string_view most) {
    if (field.most != 0) json_.key(least).integer(field.least).key(most).integer(field.most);
  }

  // The members of the schema object; the caller writes the braces.
  void members(const TypeInfo& info, const FieldInfo& field) {
    switch (info.kind) {
      case Kind::text:
      case Kind::secret: type("string"), bounds(field, "minLength", "maxLength"); return;
      case Kind::boolean: type("boolean"); return;
      case Kind::int64: type("integer").key("format").text("int64"); return;
      case Kind::uint64: type("integer").key("format").text("uint64").key("minimum").integer(0); return;
      case Kind::uint32: {
        if (field.most != 0) return type("integer"), bounds(field, "minimum", "maximum");
        const std::uint32_t most = field.maximum != 0 ? field.maximum : std::numeric_limits<std::uint32_t>::max();
        type("integer").key("minimum").integer(field.maximum != 0 ? 1 : 0).key("maximum").integer(most);
        return;
      }
      case Kind::decimal:
        type("string").key("format").text("decimal").key("pattern").text("^-?[0-9]+(\\.[0-9]+)?$");
        return;
      case Kind::number: type("number"); return;
      case Kind::json_object: type("object"); return;
      case Kind::address: type("string").key("pattern").text("^0x[0-9a-fA-F]{40}$"); return;
      case Kind::market_id:
        type("string").key("pattern").text("^[A-Z0-9]+(-[A-Z0-9]+)*$");
        json_.key("maxLength").integer(limits::market_id_chars_max);
        return;
      case Kind::enumeration:
        type("string").key("enum").begin_array();
        for (const std::string_view text : names_of(info, field).texts) json_.text(text);
        json_.end_array();
        return;
      case Kind::optional:
        json_.key("anyOf").begin_array();
        value(info.element(), field);
        json_.begin_object().key("type").text("null").end_object().end_array();
        return;
      case Kind::list:
        type("array"), bounds(field, "minItems", "maxItems");
        json_.key("items");
        value(info.element(), field);
        return;
      case Kind::map:
        type("object").key("additionalProperties");
        value(info.element(), field);
        return;
      case Kind::custom:
      case Kind::record:
        if (!options_.reference_prefix.empty())
          json_.key("$ref").text(std::string(options_.reference_prefix).append(info.name));
        else if (info.kind == Kind::custom)
          json_.key("allOf").begin_array().raw(info.custom->schema).end_array();
        else
          record_members(info);
        return;
    }
    SVC_ASSERT(false);
  }

  void record_members(const TypeInfo& record) {
    if (record.as_array) {
      type("array").key("prefixItems").begin_array();
      for (const FieldInfo& f : record.fields) field(f, record);
      json_.end_array().key("items").boolean(false).key("minItems").integer(record.fields.size());
      return;
    }
    type("object").key("properties").begin_object();
    for (const FieldInfo& f : record.fields) {
      if (f.in != In::body) continue;
      json_.key(f.name);
      field(f, record);
    }
    json_.end_object().key("required").begin_array();
    for (const FieldInfo& f : record.fields) {
      if (f.in == In::body && is_required(f)) json_.text(f.name);
    }
    json_.end_array();
    if (options_.direction == Direction::request && options_.is_closed)
      json_.key("additionalProperties").boolean(false);
  }

  JsonWriter& type(std::string_view name) { return json_.key("type").text(name); }

  [[nodiscard]] bool is_required(const FieldInfo& field) const {
    return options_.direction == Direction::response ? !field.omitted_if_empty : !is_optional(field);
  }

  JsonWriter json_;
  const SchemaOptions& options_;
};

}  // namespace

std::string schema_of(const TypeInfo& type, const SchemaOptions& options) {
  if (type.kind == Kind::custom) return std::string(type.custom->schema);
  std::string schema;
  SchemaWriter(schema, options).body(type);
  return schema;
}

std::string schema_of(const FieldInfo& field, const TypeInfo& record, const SchemaOptions& options) {
  std::string schema;
  SchemaWriter(schema, options).field(field, record);
  return schema;
}

}  // namespace svc::api

// The parts of a description: each writes members into an object whose braces the caller writes.

namespace svc::api::openapi {
namespace {

using Entries = std::span<const OperationEntry>;

constexpr std::string_view schema_prefix = "#/components/schemas/";  // of nested records

void write_reference(JsonWriter& json, std::string_view component) {
  json.begin_object().key("$ref").text(std::string("#/components/").append(component)).end_object();
}

void write_schema_reference(JsonWriter& json, std::string_view name) {
  write_reference(json, std::string("schemas/").append(name));
}

struct Named {
  std::string_view name;
  std::string_view text;
};

// Bodies of refusals. The additional members of a code are described at the code.
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
    {"hmacAuth", header::api_key,
     "The id of an API key. Goes with requestTimestamp and hmacSignature: one credential of three headers."},
    {"requestTimestamp", header::timestamp, "Unix milliseconds, within 30 seconds of the server's clock."},
    {"hmacSignature", header::signature,
     "HMAC-SHA256 in lower-case hex under the hex-decoded secret, over five lines joined by LF: timestamp, METHOD, "
     "signed path, query as sent, hex SHA-256 of the body."},
    {"agentAuth", header::agent,
     "The address of an agent key, lower case. Goes with requestTimestamp, requestNonce and agentSignature; on order "
     "writes and margin, a signed action alone will do instead."},
    {"requestNonce", header::nonce, "Unsigned 64-bit integer in base 10; on writes greater than any accepted before."},
    {"agentSignature", header::signature,
     "0x and 65 bytes in hex: secp256k1 over the Keccak-256 of six lines joined by LF: METHOD, signed path, query as "
     "sent, hex SHA-256 of the body, timestamp, nonce."},
    {"actionSignature", header::action_signature, "Signature of the EIP-712 action; see the parameter of this name."},
    {"actionTimestamp", header::action_timestamp, "The action's timestampMs."},
    {"actionNonce", header::action_nonce, "The action's nonce."},
    {"ownerSignature", header::signature,
     "0x and 65 bytes in hex: the account owner's signature of the operation's EIP-712 struct. Goes with "
     "requestTimestamp and, on writes, requestNonce, which are members of that struct."},
    {"bearerAuth", "", "A session token from POST /auth/login, valid for 24 hours."},
    {"adminAuth", "", "The operator's secret."},
};

constexpr Scheme control_schemes[] = {{"controlToken", "", "The token of --control-token-file."}};

struct HeaderParameter {
  std::string_view component;
  std::string_view name;
  std::string_view schema;
  std::string_view description;
};

constexpr HeaderParameter action_headers[] = {
    {"actionSignature", header::action_signature, R"({"type":"string","pattern":"^(0x)?[0-9a-fA-F]{130}$"})",
     "EIP-712 signature of the action by the account or its agent: r, s (low), v; under the domain without salt, chain "
     "id 20056"},
    {"actionTimestamp", header::action_timestamp, R"({"type":"string","pattern":"^[0-9]+$"})",
     "timestampMs of the action: Unix milliseconds within 30 seconds of the server's clock"},
    {"actionNonce", header::action_nonce, R"({"type":"string","pattern":"^[0-9]+$"})",
     "nonce of the action: unsigned 64-bit integer, greater than any that the signer used before"},
    {"actingAccount", header::acting_account, R"({"type":"string","pattern":"^(0x)?[0-9a-fA-F]{40}$"})",
     "account of the action, where it is not the authenticated one"},
};

// A call of each operation and its answer, recorded from the exchange itself. A test repeats every call and compares
// (tests/contract), so the examples match what is served.
struct OperationExample {
  HttpRequest request;      // with the header fields that the request record reads
  std::string_view answer;  // JSON, long lists cut short; empty for upgrades
};

// Of each operation its name and target, then its headers, its body and its answer, as far as it has them.
constexpr std::string_view recorded =
#include "api/operation_examples.inc"
    ;

std::map<std::string_view, OperationExample> read_examples() {
  std::map<std::string_view, OperationExample> by_name;
  OperationExample* example = nullptr;
  for (std::string_view rest = recorded; !rest.empty();) {
    std::string_view line = take_line(rest);
    if (line.starts_with('{') || line.starts_with('[')) {
      example->request.body = std::exchange(example->answer, line);  // the last one is the answer
    } else if (const auto colon = line.find(": "); colon != std::string_view::npos) {
      example->request.headers.add(line.substr(0, colon), line.substr(colon + 2));
    } else {
      example = &by_name[take_line(line, ' ')];
      example->request.target = line;
    }
  }
  return by_name;
}

// nullptr only while an operation is new.
const OperationExample* example_of(const Operation& operation) {
  static const std::map<std::string_view, OperationExample> by_name = read_examples();
  const auto found = by_name.find(operation.name);
  return found == by_name.end() ? nullptr : &found->second;
}

// A field of the path, the query or a header, decoded; nullopt if this call does not contain it.
std::optional<std::string> example_value(const Operation& operation, const FieldInfo& field) {
  const OperationExample* example = example_of(operation);
  if (example == nullptr) return std::nullopt;
  const HttpRequest& request = example->request;
  std::optional<std::string_view> value;
  if (field.in == In::header) value = request.headers.find(field.name);
  if (field.in == In::query) value = find_parameter(request.query(), field.name);
  if (field.in == In::path) {
    std::string_view rest = request.path().substr(operation.path.find('{'));  // only one segment is a parameter
    value = take_line(rest, '/');
  }
  if (!value || field.in == In::header) return std::optional<std::string>(value);
  return percent_decode(*value, field.in == In::query ? Plus::is_blank : Plus::is_itself);
}

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
      if (field.is_of_body()) add(field.type());
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

SchemaSet response_records(Entries entries) {
  SchemaSet records(Direction::response);
  for (const OperationEntry& entry : entries) {
    if (!entry.operation->opens_stream()) records.add(entry.response());
  }
  return records;
}

bool has_body(const OperationEntry& entry) {
  return has_request_body(*entry.operation, entry.request());
}

void write_request_bodies(JsonWriter& json, Entries entries) {
  const SchemaSet responses = response_records(entries);
  for (const OperationEntry& entry : entries) {
    if (!has_body(entry)) continue;
    const TypeInfo& request = entry.request();
    json.key(entry.operation->name).begin_object();
    const auto is_required = [](const FieldInfo& field) { return field.is_of_body() && !is_optional(field); };
    json.key("required").boolean(std::ranges::any_of(request.fields, is_required));
    json.key("content").begin_object().key("application/json").begin_object().key("schema");
    // Requests are closed and responses open: a type used as both is written inline.
    if (whole_body_of(request) == nullptr && !responses.contains(request))
      write_schema_reference(json, request.name);
    else
      json.raw(schema_of(request, {.direction = Direction::request, .reference_prefix = schema_prefix}));
    const OperationExample* example = example_of(*entry.operation);
    if (example != nullptr && !example->request.body.empty()) json.key("example").raw(example->request.body);
    json.end_object().end_object().end_object();
  }
}

void write_schemas(JsonWriter& json, Entries entries) {
  const SchemaSet responses = response_records(entries);
  SchemaSet requests(Direction::request);
  for (const OperationEntry& entry : entries) {
    if (has_body(entry) && !responses.contains(entry.request())) requests.add(entry.request());
  }
  for (const Named& schema : error_schemas) json.key(schema.name).raw(schema.text);
  requests.write(json);
  responses.write(json);
}

// Responses: the record of the success, and the refusals with their codes in the operation's envelope.

std::string response_name(const Operation& operation, std::uint16_t status) {
  return std::string(operation.name) + '_' + std::to_string(status);
}

// The name of the body schema of a code; codes with the same schema share a list of codes.
std::string_view body_schema(ErrorCode code, Envelope of_operation) {
  switch (code) {
    case ErrorCode::unauthorized: return "Unauthorized";
    case ErrorCode::authoritative_margin_unavailable: return "FailClosed";
    case ErrorCode::rate_limit_exceeded: return "RateLimited";
    case ErrorCode::api_version_unsupported: return "VersionRefused";
    default: break;
  }
  switch (envelope_of(code, of_operation)) {
    case Envelope::flat: return "Error";
    case Envelope::trading: return "TradingError";
    case Envelope::bridge: return "BridgeError";
  }
  return {};
}

// True if the schema is for one code only.
bool is_fixed(std::string_view body) {
  return !body.ends_with("Error");
}

using Codes = std::vector<ErrorCode>;

std::map<std::uint16_t, Codes> refusals_of(const OperationEntry& entry) {
  std::map<std::uint16_t, Codes> by_status;
  for (const OperationError& error : declared_errors(entry)) by_status[error.status].push_back(error.code);
  return by_status;
}

// "Not enough free margin. Retry: never."
std::string explain(ErrorCode code) {
  const ErrorInfo& known = info(code);
  return std::string(known.meaning) + ". Retry: " + std::string(to_string(known.retry)) + '.';
}

std::string description_of(const Codes& codes) {
  if (codes.size() == 1) return '`' + std::string(spelling(codes.front())) + "`: " + explain(codes.front());
  std::string text = "One of these codes:\n";
  for (const ErrorCode code : codes) text += "\n- `" + std::string(spelling(code)) + "`: " + explain(code);
  return text;
}

// Responses of one code are shared by all operations of an envelope.
std::string refusal_name(const Operation& operation, std::uint16_t status, const Codes& codes) {
  if (codes.size() != 1) return response_name(operation, status);
  const std::string_view body = body_schema(codes.front(), operation.envelope);
  if (is_fixed(body)) return std::string(body);
  const std::string_view envelope = body.substr(0, body.size() - std::string_view("Error").size());
  return std::string(spelling(codes.front())) + (envelope.empty() ? "" : '_' + std::string(envelope));
}

// What the body of some codes has besides the members of its schema.
struct MoreMember {
  std::string_view name;
  std::string_view schema;
  bool (*is_of)(ErrorCode code);
};
constexpr int too_many_status = 429;
constexpr MoreMember more_members[] = {
    {"bucket", R"({"type":"string","description":"Which budget paid"})",
     [](ErrorCode code) { return info(code).status == too_many_status; }},
    {"tier", R"({"type":"string","description":"The caller's tier"})",
     [](ErrorCode code) { return info(code).status == too_many_status; }},
    {"available_at_ms", R"({"type":"integer","format":"int64","description":"When the account may claim again"})",
     [](ErrorCode code) { return code == ErrorCode::faucet_cooldown; }},
    {"credited_today", R"({"type":"string","description":"USDX"})",
     [](ErrorCode code) { return code == ErrorCode::daily_limit_exceeded; }},
    {"daily_limit", R"({"type":"string","description":"USDX"})",
     [](ErrorCode code) { return code == ErrorCode::daily_limit_exceeded; }}};

// The body schema, restricted to the codes.
void write_body(JsonWriter& json, std::string_view schema, const Codes& codes) {
  if (is_fixed(schema)) return write_schema_reference(json, schema);
  json.begin_object().key("allOf").begin_array();
  write_schema_reference(json, schema);
  json.begin_object().key("type").text("object").key("properties").begin_object();
  if (schema == "BridgeError")
    json.key("error").begin_object().key("type").text("object").key("properties").begin_object();
  json.key("code").begin_object().key("type").text("string").key("enum").begin_array();
  for (const ErrorCode code : codes) json.text(spelling(code));
  json.end_array().end_object();
  for (const MoreMember& member : more_members)
    if (std::ranges::any_of(codes, member.is_of)) json.key(member.name).raw(member.schema);
  json.end_object();
  if (schema == "BridgeError") json.end_object().end_object();
  json.end_object().end_array().end_object();
}

void write_header_references(JsonWriter& json, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) write_reference(json.key(name), std::string("headers/").append(name));
}

// The value of a refusal's key. Operations that share a refusal may not all send all of its header fields.
void write_refusal(JsonWriter& json, const Operation& operation, const Codes& codes) {
  const auto has = [&](ErrorCode code) { return is_among(code, codes); };
  json.begin_object().key("description").text(description_of(codes));
  if (operation.base != PathBase::control) {
    const std::pair<bool, std::vector<std::string_view>> sent[] = {
        {has(ErrorCode::rate_limit_exceeded), {header::retry_after, header::bucket, header::reset}},
        {!has(ErrorCode::unauthorized), {header::limit, header::remaining, header::unknown_query}},
        {true, {header::deprecation, header::sunset, header::link}},
        {has(ErrorCode::api_version_unsupported), {min_version_header}},
        {has(ErrorCode::restricted_jurisdiction), {header::block_reason}},
        {has(ErrorCode::upgrade_required), {header::upgrade}}};
    json.key("headers").begin_object();
    for (const auto& [is_sent, names] : sent)
      if (is_sent) write_header_references(json, names);
    json.end_object();
  }
  std::map<std::string_view, Codes> bodies;
  for (const ErrorCode code : codes) bodies[body_schema(code, operation.envelope)].push_back(code);
  json.key("content").begin_object().key("application/json").begin_object().key("schema");
  if (bodies.size() > 1) json.begin_object().key("anyOf").begin_array();
  for (const auto& [schema, of_body] : bodies) write_body(json, schema, of_body);
  if (bodies.size() > 1) json.end_array().end_object();
  json.end_object().end_object().end_object();
}

void write_success(JsonWriter& json, const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  const TypeInfo& response = entry.response();
  const bool upgrade = operation.opens_stream();
  json.key(response_name(operation, operation.success)).begin_object();
  json.key("description").text(upgrade ? "Switching protocols: the connection is a WebSocket from here on" : "Success");
  json.key("headers").begin_object();
  for (const FieldInfo& field : response.fields) {
    if (field.in != In::header) continue;
    json.key(field.name).begin_object().key("description").text(field.doc);
    json.key("schema").raw(schema_of(field, response, {.described = false})).end_object();
  }
  const auto charged = {Auth::hmac,           Auth::agent, Auth::bearer, Auth::admin, Auth::wallet_signature,
                        Auth::owner_signature};
  if (std::ranges::any_of(charged, [&](Auth auth) { return operation.auth.has(auth); }))
    write_header_references(json, {header::limit, header::remaining});
  if (operation.is_versioned()) write_header_references(json, {header::deprecation, header::sunset, header::link});
  if (operation.base != PathBase::control && !upgrade) write_header_references(json, {header::unknown_query});
  json.end_object();
  if (!upgrade) {
    json.key("content").begin_object().key("application/json").begin_object().key("schema");
    if (whole_body_of(response) != nullptr)
      json.raw(schema_of(response, {.reference_prefix = schema_prefix}));
    else
      write_schema_reference(json, response.name);
    if (const OperationExample* example = example_of(operation)) json.key("example").raw(example->answer);
    json.end_object().end_object();
  }
  json.end_object();
}

void write_responses(JsonWriter& json, Entries entries) {
  std::set<std::string> written;
  for (const OperationEntry& entry : entries) {
    write_success(json, entry);
    const Operation& operation = *entry.operation;
    for (const auto& [status, codes] : refusals_of(entry)) {
      const std::string name = refusal_name(operation, status, codes);
      if (written.insert(name).second) write_refusal(json.key(name), operation, codes);
    }
  }
}

// Operations: their parameters, credentials, cost and references to shared components.

std::string cost_formula(const Weight& weight) {
  const std::string base = std::to_string(weight.base);
  if (weight.orders_per_extra_token == 0) return base;
  return base + " + floor(order_count / " + std::to_string(weight.orders_per_extra_token) + ')';
}

std::string budget_sentence(const Operation& operation) {
  if (operation.weight.base == 0) return "Costs nothing.";
  if (operation.auth.has(Auth::admin)) return "Costs nothing with the right secret.";
  return "Costs " + cost_formula(operation.weight) + " of the " + std::string(to_string(operation.rate)) + " budget.";
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
  if (operation.action != nullptr)
    say("Reads a signed `" + std::string(operation.action->name) + "` action from the `x-action-*` headers.");
  if (operation.networks == NetworkSet::testnet_only)
    say("Served on testnet, and by a local sandbox whose faucet is switched on; elsewhere the path does not exist.");
  if (operation.legacy) say("Of an older contract; kept for clients that still call it.");
  say(budget_sentence(operation));
  if (is_twin)
    say("The same operation as `" + std::string(to_string(operation.method)) + ' ' + std::string(operation.path) +
        "`, at the host root; sign this path.");
  return text;
}

// The schemes of one credential belong together; any one credential suffices.
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
  if (operation.base == PathBase::control) {
    credential({});
    credential({"controlToken"});
  }
  if (operation.auth.has(Auth::hmac)) credential({"hmacAuth", "requestTimestamp", "hmacSignature"});
  if (operation.auth.has(Auth::agent)) {
    credential({"agentAuth", "requestTimestamp", "requestNonce", "agentSignature"});
    if (operation.action != nullptr) credential({"agentAuth", "actionSignature", "actionTimestamp", "actionNonce"});
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

void write_parameter(JsonWriter& json, const FieldInfo& field, const OperationEntry& entry) {
  const std::string_view place = field.in == In::path ? "path" : field.in == In::query ? "query" : "header";
  json.begin_object().key("name").text(field.name).key("in").text(place);
  if (field.in == In::path || !is_optional(field)) json.key("required").boolean(true);
  if (!field.doc.empty()) json.key("description").text(field.doc);
  json.key("schema").raw(schema_of(field, entry.request(), {.direction = Direction::request, .described = false}));
  if (const auto example = example_value(*entry.operation, field)) {
    const Kind kind = field.type().kind == Kind::optional ? field.type().element().kind : field.type().kind;
    const bool bare = kind == Kind::boolean || kind == Kind::int64 || kind == Kind::uint64 || kind == Kind::uint32;
    json.key("example");
    bare ? json.raw(*example) : json.text(*example);
  }
  json.end_object();
}

void write_parameters_of(JsonWriter& json, const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  json.key("parameters").begin_array();
  for (const FieldInfo& field : entry.request().fields) {
    if (!field.is_of_body()) write_parameter(json, field, entry);
  }
  if (operation.action != nullptr) {
    for (const HeaderParameter& parameter : action_headers)
      write_reference(json, std::string("parameters/").append(parameter.component));
  }
  if (operation.is_versioned()) write_reference(json, "parameters/apiVersion");
  json.end_array();
}

void write_cost(JsonWriter& json, const Operation& operation) {
  if (operation.weight != Weight{}) json.key("x-svc-rate-limit-weight").integer(operation.weight.base);
  if (operation.weight.orders_per_extra_token != 0)
    json.key("x-svc-rate-limit-weight-formula").text(cost_formula(operation.weight));
  if (operation.rate == RateClass::order || operation.rate == RateClass::cancel)
    json.key("x-svc-rate-limit-class").text("trading");
}

// At one of its paths.
void write_operation(JsonWriter& json, const OperationEntry& entry, bool is_twin) {
  const Operation& operation = *entry.operation;
  json.key(lower_case(to_string(operation.method))).begin_object();
  json.key("operationId").text(std::string(operation.name) + (is_twin ? "_at_root" : ""));
  json.key("tags").begin_array().text(operation.group).end_array();
  json.key("summary").text(operation.summary);
  json.key("description").text(description_of(operation, is_twin));
  if (operation.legacy) json.key("deprecated").boolean(true);
  write_security(json, operation);
  write_cost(json, operation);
  write_parameters_of(json, entry);
  if (has_body(entry)) write_reference(json.key("requestBody"), std::string("requestBodies/").append(operation.name));
  json.key("responses").begin_object().key(std::to_string(operation.success));
  write_reference(json, "responses/" + response_name(operation, operation.success));
  for (const auto& [status, codes] : refusals_of(entry))
    write_reference(json.key(std::to_string(status)), "responses/" + refusal_name(operation, status, codes));
  json.end_object().end_object();
}

// Documents.

constexpr std::string_view host_root_base = "/";

// By the name of a group of operations, its description.
constexpr Named tags[] = {
    {"auth", "Sign in with a wallet; mint, list and delete API keys. Keys belong to the network that minted them."},
    {"agents", "Delegate trading to agent keys. Agents trade; they neither move funds nor manage credentials."},
    {"orders", "Place, amend, cancel, preview and read orders; fills and order history."},
    {"margin", "Margin mode, isolated margin and leverage of a market."},
    {"positions", "Open and closed positions, and where their profit comes from."},
    {"account", "Balance, equity, limits, history and settings of the caller's account."},
    {"funds", "Collateral in and out: deposits, withdrawals, the faucet of play networks."},
    {"transfers", "USDX payments between ordinary accounts, authorised by the owner's signature alone."},
    {"bridge",
     "Deposits from and withdrawals to other chains. Errors are nested: `{\"error\":{\"code\",\"message\"}}`."},
    {"markets", "Markets, prices, books, trades, candles and funding rates."},
    {"venue", "The venue as a whole: metadata, health, volume, open interest."},
    {"streams", "WebSocket upgrades and their tokens."},
    {"admin", "Account tiers; for the operator."},
};

constexpr std::string_view api_text =
    "A perpetual futures exchange: one collateral (USDX), cross and isolated margin, hourly funding.\n\n"
    "**Values.** Money, prices and quantities travel as decimal strings and are never rounded on the way; fields of "
    "type `number` follow the CCXT layout. Times are Unix milliseconds unless a field says otherwise. Lists are bare "
    "arrays; where a list has pages, the response header `X-Next-Cursor` holds the `cursor` of the next one and is "
    "absent on the last. Page sizes above the maximum are lowered to it.\n\n"
    "**Compatibility.** Responses may gain members: ignore those you do not know. Request bodies are closed: an "
    "unknown member is refused by name. Send the version you were written against as `X-Svc-Api-Version`; below the "
    "minimum it is answered with 426.\n\n"
    "**Errors.** Branch on `code`, never on `message`. Order, margin and leverage refusals repeat the code as "
    "`error`; the bridge nests it. Every 401 has the same body, whatever the cause. 429 is worth repeating after "
    "`Retry-After`; a refusal for jurisdiction never is. What belongs to others is answered with 404.\n\n"
    "**Networks.** `x-svc-networks` maps each network to its bases and its signing domain. Credentials, nonces and "
    "signatures are per network. Paths that begin with `/api/v1` are served from the host root and signed with that "
    "prefix; all others are relative to the base, which is not signed.";

constexpr Named control_tags[] = {{"control", "What a test or a developer does to the sandbox from outside the API."}};

constexpr std::string_view control_text =
    "Time, prices, money, markets, faults and snapshots of a sandbox. It answers programs on its own machine, and "
    "whoever brings the control token if there is one; everybody else is refused with 403. Bodies are closed: an "
    "unknown member is refused by name.";

// The content besides the operations.
struct Description {
  std::string title;
  std::string version;
  std::string_view summary;
  std::string_view text;
  std::string_view server;
  std::string_view server_text;
  std::span<const Named> tags;
  std::span<const Scheme> schemes;
  Entries entries;
  const VersionPolicy* versions = nullptr;  // of the API alone
};

// Relative to the URL of the document, so it is right under any name of this server. (D-144)
void write_servers(JsonWriter& json, std::string_view url, const Description& described) {
  json.key("servers").begin_array().begin_object().key("url").text(url);
  json.key("description").text(described.server_text).end_object().end_array();
}

void write_paths(JsonWriter& json, const Description& described) {
  struct Place {
    const OperationEntry* entry = nullptr;
    bool is_twin = false;
  };
  std::map<std::string, std::vector<Place>> by_path;
  for (const OperationEntry& entry : described.entries) {
    const Operation& operation = *entry.operation;
    by_path[std::string(operation.path)].push_back({&entry, false});
    if (operation.twin) by_path[std::string(twin_prefix).append(operation.path)].push_back({&entry, true});
  }
  json.key("paths").begin_object();
  for (const auto& [path, places] : by_path) {
    json.key(path).begin_object();
    if (places.front().is_twin || places.front().entry->operation->base == PathBase::host_root)
      write_servers(json, host_root_base, described);
    for (const Place& place : places) write_operation(json, *place.entry, place.is_twin);
    json.end_object();
  }
  json.end_object();
}

void write_schemes(JsonWriter& json, std::span<const Scheme> schemes) {
  json.key("securitySchemes").begin_object();
  for (const Scheme& scheme : schemes) {
    json.key(scheme.name).begin_object().key("description").text(scheme.description);
    if (scheme.header.empty())
      json.key("type").text("http").key("scheme").text("bearer");
    else
      json.key("type").text("apiKey").key("in").text("header").key("name").text(scheme.header);
    json.end_object();
  }
  json.end_object();
}

void write_shared_headers(JsonWriter& json, const VersionPolicy& versions) {
  json.key("parameters").begin_object();
  json.key("apiVersion").begin_object().key("name").text(version_header).key("in").text("header");
  json.key("description")
      .text("The version of this description that the client was written against. At least " +
            to_string(versions.minimum) + "; a leading v and a pre-release suffix are allowed.");
  json.key("schema").begin_object().key("type").text("string").end_object();
  json.key("example").text(to_string(versions.current)).end_object();
  for (const HeaderParameter& parameter : action_headers) {
    json.key(parameter.component).begin_object();
    json.key("name").text(lower_case(parameter.name)).key("in").text("header");
    json.key("description").text(parameter.description);
    json.key("schema").raw(parameter.schema).end_object();
  }
  json.end_object().key("headers").begin_object();
  for (const HeaderInfo& known : header_table) {
    if (known.schema.empty()) continue;
    json.key(known.name).begin_object().key("description").text(known.meaning);
    json.key("schema").raw(known.schema).end_object();
  }
  json.end_object();
}

std::string document_of(const Description& described) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("openapi").text("3.1.0");
  json.key("info").begin_object();
  json.key("title").text(described.title);
  json.key("version").text(described.version);
  json.key("summary").text(described.summary);
  json.key("description").text(described.text);
  json.end_object();
  write_servers(json, described.server, described);
  json.key("tags").begin_array();
  for (const Named& tag : described.tags)
    json.begin_object().key("name").text(tag.name).key("description").text(tag.text).end_object();
  json.end_array();
  write_paths(json, described);
  json.key("components").begin_object();
  write_schemes(json, described.schemes);
  if (described.versions != nullptr) write_shared_headers(json, *described.versions);
  json.key("requestBodies").begin_object();
  write_request_bodies(json, described.entries);
  json.end_object().key("responses").begin_object();
  write_responses(json, described.entries);
  json.end_object().key("schemas").begin_object();
  write_schemas(json, described.entries);
  json.end_object().end_object();
  if (described.versions != nullptr) json.key("x-svc-networks").raw(to_json(NetworkMap{}));
  json.end_object();
  return out;
}

}  // namespace
}  // namespace svc::api::openapi

namespace svc::api {

std::string openapi_document(const std::string& title, const VersionPolicy& versions) {
  return openapi::document_of({.title = title + " API",
                               .version = to_string(versions.current),
                               .summary = "Trade perpetual futures over HTTP and WebSocket",
                               .text = openapi::api_text,
                               .server = versioned_prefix,
                               .server_text = "Where this description was read; x-svc-networks has the others",
                               .tags = openapi::tags,
                               .schemes = openapi::schemes,
                               .entries = every_operation(),
                               .versions = &versions});
}

std::string with_networks(std::string document, const NetworkMap& networks) {
  const std::string none = to_json(NetworkMap{});
  return document.replace(document.rfind(none), none.size(), to_json(networks));
}

std::string control_document() {
  return openapi::document_of({.title = "Control surface of a sandbox",
                               .version = std::string(client_version),
                               .summary = "Move time, prices, money and markets of a sandbox",
                               .text = openapi::control_text,
                               .server = openapi::host_root_base,
                               .server_text = "Where this description was read",
                               .tags = openapi::control_tags,
                               .schemes = openapi::control_schemes,
                               .entries = control::all_operations()});
}

}  // namespace svc::api
