#include "api/openapi.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "api/codec.h"
#include "api/contract/control.h"
#include "api/json_text.h"
#include "api/message_codec.h"
#include "api/operation_examples.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "base/limits.h"

namespace svc::api {
namespace {

constexpr std::string_view versioned_base = "/v1";
constexpr std::string_view host_root_base = "/";

struct Tag {
  std::string_view name;  // group of operations
  std::string_view description;
};

constexpr Tag tags[] = {
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

constexpr std::string_view description =
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

constexpr Tag control_tags[] = {{"control", "What a test or a developer does to the sandbox from outside the API."}};

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
  std::span<const Tag> tags;
  openapi::Entries entries;
};

class Document {
 public:
  Document(std::string& out, const Description& described) : json_(out), described_(described) {}

  // `write_shared` writes more members of the components, `write_more` of the whole document.
  void write(
      const std::function<void(JsonWriter&)>& write_shared,
      const std::function<void(JsonWriter&)>& write_more = [](JsonWriter&) {}) {
    json_.begin_object().key("openapi").text("3.1.0");
    info();
    servers(described_.server);
    json_.key("tags").begin_array();
    for (const Tag& tag : described_.tags)
      json_.begin_object().key("name").text(tag.name).key("description").text(tag.description).end_object();
    json_.end_array();
    paths();
    json_.key("components").begin_object();
    write_shared(json_);
    json_.key("requestBodies").begin_object();
    openapi::write_request_bodies(json_, described_.entries);
    json_.end_object().key("responses").begin_object();
    openapi::write_responses(json_, described_.entries);
    json_.end_object().key("schemas").begin_object();
    openapi::write_schemas(json_, described_.entries);
    json_.end_object().end_object();
    write_more(json_);
    json_.end_object();
  }

 private:
  // One place under which operations are listed.
  struct Place {
    std::string path;
    const OperationEntry* entry = nullptr;
    bool is_twin = false;
  };

  void info() {
    json_.key("info").begin_object();
    json_.key("title").text(described_.title);
    json_.key("version").text(described_.version);
    json_.key("summary").text(described_.summary);
    json_.key("description").text(described_.text);
    json_.end_object();
  }

  // Relative to the URL of the document, so it is right under any name of this server. (D-144)
  void servers(std::string_view url) {
    json_.key("servers").begin_array().begin_object().key("url").text(url);
    json_.key("description").text(described_.server_text);
    json_.end_object().end_array();
  }

  void paths() {
    std::vector<Place> places;
    for (const OperationEntry& entry : described_.entries) {
      const Operation& operation = *entry.operation;
      places.push_back({std::string(operation.path), &entry, false});
      if (operation.twin) places.push_back({std::string(twin_prefix).append(operation.path), &entry, true});
    }
    std::ranges::stable_sort(places, {}, [](const Place& place) { return place.path; });
    json_.key("paths").begin_object();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool opens = i == 0 || places[i - 1].path != places[i].path;
      const bool closes = i + 1 == places.size() || places[i + 1].path != places[i].path;
      const bool host_root = places[i].is_twin || places[i].entry->operation->base == PathBase::host_root;
      if (opens) json_.key(places[i].path).begin_object();
      if (opens && host_root) servers(host_root_base);
      openapi::write_operation(json_, *places[i].entry, places[i].is_twin);
      if (closes) json_.end_object();
    }
    json_.end_object();
  }

  JsonWriter json_;
  const Description& described_;
};

// The 84 in the order of the table, then the legacy ones.
std::vector<OperationEntry> operations_of_api() {
  std::vector<OperationEntry> entries;
  for (const auto list : {all_operations(), legacy_operations()})
    entries.insert(entries.end(), list.begin(), list.end());
  return entries;
}

}  // namespace

std::string openapi_document(const OpenapiTerms& terms) {
  const std::vector<OperationEntry> entries = operations_of_api();
  std::string out;
  Document(out, {.title = terms.title + " API",
                 .version = to_string(terms.versions.current),
                 .summary = "Trade perpetual futures over HTTP and WebSocket",
                 .text = description,
                 .server = versioned_base,
                 .server_text = "Where this description was read; x-svc-networks has the others",
                 .tags = tags,
                 .entries = entries})
      .write(
          [&](JsonWriter& json) {
            json.key("securitySchemes").begin_object();
            openapi::write_security_schemes(json);
            json.end_object().key("parameters").begin_object();
            openapi::write_parameters(json, terms.versions);
            json.end_object().key("headers").begin_object();
            openapi::write_headers(json);
            json.end_object();
          },
          [&](JsonWriter& json) { json.key("x-svc-networks").raw(to_json(terms.networks)); });
  return out;
}

std::string control_document() {
  std::string out;
  Document(out, {.title = "Control surface of a sandbox",
                 .version = std::string(client_version),
                 .summary = "Move time, prices, money and markets of a sandbox",
                 .text = control_text,
                 .server = host_root_base,
                 .server_text = "Where this description was read",
                 .tags = control_tags,
                 .entries = control::all_operations()})
      .write([](JsonWriter& json) {
        json.key("securitySchemes").begin_object().key("controlToken").begin_object();
        json.key("description").text("The token of --control-token-file.");
        json.key("type").text("http").key("scheme").text("bearer").end_object().end_object();
      });
  return out;
}

}  // namespace svc::api

// Schemas, request bodies, shared parameters and security schemes.

namespace svc::api::openapi {
namespace {

struct Named {
  std::string_view name;
  std::string_view json;
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

SchemaSet response_records(Entries entries) {
  SchemaSet records(Direction::response);
  for (const OperationEntry& entry : entries) {
    if (entry.operation->success != 101) records.add(entry.response());
  }
  return records;
}

// Requests are closed and responses open: a type used as both is written inline.
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

void write_request_bodies(JsonWriter& json, Entries entries) {
  const SchemaSet responses = response_records(entries);
  for (const OperationEntry& entry : entries) {
    if (!has_request_body(entry)) continue;
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
  }
}

void write_schemas(JsonWriter& json, Entries entries) {
  const SchemaSet responses = response_records(entries);
  SchemaSet requests(Direction::request);
  for (const OperationEntry& entry : entries) {
    const bool named = is_named(entry.request(), responses) || whole_body_of(entry.request()) != nullptr;
    if (has_request_body(entry) && named) requests.add(entry.request());
  }
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

// Operations: their parameters, credentials, cost and references to shared components.

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

bool is_bare_json(const TypeInfo& type) {
  const Kind kind = type.kind == Kind::optional ? type.element().kind : type.kind;
  return kind == Kind::boolean || kind == Kind::int64 || kind == Kind::uint64 || kind == Kind::uint32;
}

void write_parameter(JsonWriter& json, const FieldInfo& field, const OperationEntry& entry) {
  const bool required = field.in == In::path || (!may_be_absent(field) && field.type().kind != Kind::optional);
  const std::string_view place = field.in == In::path ? "path" : field.in == In::query ? "query" : "header";
  json.begin_object().key("name").text(field.name).key("in").text(place);
  if (required) json.key("required").boolean(true);
  if (!field.doc.empty()) json.key("description").text(field.doc);
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
  if (operation.action != nullptr) {
    for (const char* name : {"actionSignature", "actionTimestamp", "actionNonce", "actingAccount"})
      write_reference(json, std::string("parameters/") + name);
  }
  if (operation.is_versioned()) write_reference(json, "parameters/apiVersion");
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

// Responses: the record of the success, and the refusals with their codes in the operation's envelope.

namespace {

// The name of the body schema of a code; codes with the same schema share a list of codes.
std::string_view body_schema(ErrorCode code, Envelope envelope) {
  switch (code) {
    case ErrorCode::unauthorized: return "Unauthorized";
    case ErrorCode::authoritative_margin_unavailable: return "FailClosed";
    case ErrorCode::rate_limit_exceeded: return "RateLimited";
    case ErrorCode::api_version_unsupported: return "VersionRefused";
    default: break;
  }
  switch (envelope) {
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

std::vector<ErrorCode> codes_at(const OperationEntry& entry, std::uint16_t status) {
  std::vector<ErrorCode> codes;
  for (const DeclaredError& error : declared_errors(entry)) {
    if (error.status == status) codes.push_back(error.code);
  }
  return codes;
}

// "Not enough free margin. Retry: never."
std::string explain(ErrorCode code) {
  const ErrorInfo& known = info(code);
  return std::string(known.meaning) + ". Retry: " + std::string(to_string(known.retry)) + '.';
}

std::string description_of(const std::vector<ErrorCode>& codes) {
  if (codes.size() == 1) return '`' + std::string(spelling(codes.front())) + "`: " + explain(codes.front());
  std::string text = "One of these codes:\n";
  for (const ErrorCode code : codes) text += "\n- `" + std::string(spelling(code)) + "`: " + explain(code);
  return text;
}

// The body schema, restricted to the codes.
void write_body(JsonWriter& json, std::string_view schema, const std::vector<ErrorCode>& codes) {
  const std::string reference = std::string(schema_prefix) + std::string(schema);
  if (is_fixed(schema)) {
    json.begin_object().key("$ref").text(reference).end_object();
    return;
  }
  json.begin_object().key("allOf").begin_array();
  json.begin_object().key("$ref").text(reference).end_object();
  json.begin_object().key("type").text("object").key("properties").begin_object();
  if (schema == "BridgeError")
    json.key("error").begin_object().key("type").text("object").key("properties").begin_object();
  json.key("code").begin_object().key("type").text("string").key("enum").begin_array();
  for (const ErrorCode code : codes) json.text(spelling(code));
  json.end_array().end_object().end_object();
  if (schema == "BridgeError") json.end_object().end_object();
  json.end_object().end_array().end_object();
}

void write_header_references(JsonWriter& json, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    json.key(name).begin_object().key("$ref").text("#/components/headers/" + std::string(name)).end_object();
}

void write_refusal(JsonWriter& json, const OperationEntry& entry, std::uint16_t status) {
  const std::vector<ErrorCode> codes = codes_at(entry, status);
  std::map<std::string_view, std::vector<ErrorCode>> bodies;
  std::set<ErrorCode> present(codes.begin(), codes.end());
  for (const ErrorCode code : codes) bodies[body_schema(code, entry.operation->envelope)].push_back(code);

  json.key(refusal_name(entry, status)).begin_object().key("description").text(description_of(codes));
  if (present.contains(ErrorCode::rate_limit_exceeded) || present.contains(ErrorCode::api_version_unsupported) ||
      present.contains(ErrorCode::restricted_jurisdiction)) {
    json.key("headers").begin_object();
    if (present.contains(ErrorCode::rate_limit_exceeded))
      write_header_references(json, {"Retry-After", "X-RateLimit-Bucket", "X-RateLimit-Limit", "X-RateLimit-Remaining",
                                     "X-RateLimit-Reset"});
    if (present.contains(ErrorCode::api_version_unsupported)) write_header_references(json, {"X-Svc-Api-Min-Version"});
    if (present.contains(ErrorCode::restricted_jurisdiction)) write_header_references(json, {"X-Svc-Block-Reason"});
    json.end_object();
  }
  json.key("content").begin_object().key("application/json").begin_object().key("schema");
  if (bodies.size() > 1) json.begin_object().key("anyOf").begin_array();
  for (const auto& [schema, of_body] : bodies) write_body(json, schema, of_body);
  if (bodies.size() > 1) json.end_array().end_object();
  json.end_object().end_object().end_object();
}

bool reports_budget(const Operation& operation) {
  using enum Auth;
  return operation.auth.has(hmac) || operation.auth.has(agent) || operation.auth.has(bearer) ||
         operation.auth.has(admin);
}

void write_success(JsonWriter& json, const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  const TypeInfo& response = entry.response();
  const bool upgrade = operation.success == 101;
  json.key(success_name(operation)).begin_object();
  json.key("description").text(upgrade ? "Switching protocols: the connection is a WebSocket from here on" : "Success");
  json.key("headers").begin_object();
  for (const FieldInfo& field : response.fields) {
    if (field.in != In::header) continue;
    json.key(field.name).begin_object().key("description").text(field.doc);
    json.key("schema").raw(schema_of(field, response, {.described = false})).end_object();
  }
  if (reports_budget(operation)) write_header_references(json, {"X-RateLimit-Limit", "X-RateLimit-Remaining"});
  if (operation.is_versioned()) write_header_references(json, {"Deprecation", "Sunset", "Link"});
  if (operation.base != PathBase::control) write_header_references(json, {"X-Svc-Unknown-Query"});
  json.end_object();
  if (!upgrade) {
    json.key("content").begin_object().key("application/json").begin_object().key("schema");
    if (whole_body_of(response) != nullptr)
      json.raw(schema_of(response, {.reference_prefix = schema_prefix}));
    else
      json.begin_object().key("$ref").text(std::string(schema_prefix) + std::string(response.name)).end_object();
    if (const OperationExample* example = example_of(operation)) json.key("example").raw(example->answer);
    json.end_object().end_object();
  }
  json.end_object();
}

struct HeaderText {
  std::string_view name;
  std::string_view schema;
  std::string_view description;
};

constexpr std::string_view whole_number = R"({"type":"integer","minimum":0})";
constexpr std::string_view plain_text = R"({"type":"string"})";

constexpr HeaderText headers[] = {
    {"X-RateLimit-Limit", whole_number, "Tokens per second of the bucket that was charged, and its capacity"},
    {"X-RateLimit-Remaining", whole_number, "Whole tokens left in it; a request may cost several"},
    {"X-RateLimit-Reset", whole_number, "When it is full again, Unix seconds"},
    {"X-RateLimit-Bucket", R"({"type":"string","enum":["key","owner","order","cancel","ip","login"]})",
     "The bucket that refused"},
    {"Retry-After", R"({"type":"integer","minimum":1})", "Seconds until the same request can pass"},
    {"X-Svc-Api-Min-Version", plain_text, "The oldest version that is served"},
    {"X-Svc-Block-Reason", plain_text, "The code of a refusal for jurisdiction, equal to the body's"},
    {"Deprecation", plain_text, "Since when the version named by the request is deprecated (RFC 9745)"},
    {"Sunset", plain_text, "From when on it is refused with 426 (RFC 8594)"},
    {"Link", plain_text, "With rel=deprecation: where to read about it"},
    {"X-Svc-Unknown-Query", plain_text,
     "Names of query parameters that the operation does not take: they were ignored"},
};

}  // namespace

std::string success_name(const Operation& operation) {
  return std::string(operation.name) + '_' + std::to_string(operation.success);
}

std::string refusal_name(const OperationEntry& entry, std::uint16_t status) {
  const std::vector<ErrorCode> codes = codes_at(entry, status);
  if (codes.size() != 1) return std::string(entry.operation->name) + '_' + std::to_string(status);
  const std::string_view body = body_schema(codes.front(), entry.operation->envelope);
  if (is_fixed(body)) return std::string(body);
  const std::string_view envelope = body.substr(0, body.size() - std::string_view("Error").size());
  return std::string(spelling(codes.front())) + (envelope.empty() ? "" : '_' + std::string(envelope));
}

void write_responses(JsonWriter& json, Entries entries) {
  std::set<std::string> written;
  for (const OperationEntry& entry : entries) {
    write_success(json, entry);
    for (const DeclaredError& error : declared_errors(entry)) {
      if (written.insert(refusal_name(entry, error.status)).second) write_refusal(json, entry, error.status);
    }
  }
}

void write_headers(JsonWriter& json) {
  for (const HeaderText& header : headers) {
    json.key(header.name).begin_object().key("description").text(header.description);
    json.key("schema").raw(header.schema).end_object();
  }
}

}  // namespace svc::api::openapi

namespace svc::api {
namespace {

constexpr FieldInfo no_field{};

class SchemaWriter {
 public:
  SchemaWriter(std::string& out, const SchemaOptions& options) : json_(out), options_(options) {}

  void body(const TypeInfo& type) {
    if (const FieldInfo* whole = type.kind == Kind::record ? whole_body_of(type) : nullptr) {
      value(whole->type(), *whole);
    } else if (type.kind == Kind::record) {
      record(type);
    } else {
      value(type, no_field);
    }
  }

  // A field's schema: its type's, with its description and its default.
  void field(const FieldInfo& field, const TypeInfo& record) {
    json_.begin_object();
    members(field.type(), field);
    if (options_.described && !field.doc.empty()) json_.key("description").text(field.doc);
    if (field.may_be_absent && is_scalar(field.type().kind)) default_of(field, record);
    json_.end_object();
  }

 private:
  static bool is_scalar(Kind kind) { return kind <= Kind::number || kind == Kind::enumeration; }

  void value(const TypeInfo& type, const FieldInfo& field) {
    json_.begin_object();
    members(type, field);
    json_.end_object();
  }

  // The members of the schema object; the caller writes the braces.
  void members(const TypeInfo& type, const FieldInfo& field);
  void record(const TypeInfo& type);
  void record_members(const TypeInfo& type);

  void enumeration(const EnumNames& names) {
    json_.key("type").text("string").key("enum").begin_array();
    for (const std::string_view text : names.texts) json_.text(text);
    json_.end_array();
  }

  void default_of(const FieldInfo& field, const TypeInfo& record) {
    struct Context {
      SchemaWriter& writer;
      const FieldInfo& field;
    } context{*this, field};
    record.with_default(&context, [](void* opaque, const void* fresh) {
      auto& c = *static_cast<Context*>(opaque);
      const TypeInfo& type = c.field.type();
      const std::string text = write_text(type, c.field, member_of(c.field, fresh));
      const bool quoted = type.kind == Kind::text || type.kind == Kind::decimal || type.kind == Kind::enumeration;
      c.writer.json_.key("default");
      quoted ? c.writer.json_.text(text) : c.writer.json_.raw(text);
    });
  }

  [[nodiscard]] bool is_required(const FieldInfo& field) const {
    if (options_.direction == Direction::response) return !field.omitted_if_empty;
    return !may_be_absent(field) && field.type().kind != Kind::optional;
  }

  JsonWriter json_;
  const SchemaOptions& options_;
};

void SchemaWriter::members(const TypeInfo& type, const FieldInfo& field) {
  switch (type.kind) {
    case Kind::text:
    case Kind::secret: json_.key("type").text("string"); return;
    case Kind::boolean: json_.key("type").text("boolean"); return;
    case Kind::int64: json_.key("type").text("integer").key("format").text("int64"); return;
    case Kind::uint64: json_.key("type").text("integer").key("format").text("uint64").key("minimum").integer(0); return;
    case Kind::uint32: {
      const std::uint32_t most = field.maximum != 0 ? field.maximum : std::numeric_limits<std::uint32_t>::max();
      json_.key("type").text("integer").key("minimum").integer(field.maximum != 0 ? 1 : 0).key("maximum").integer(most);
      return;
    }
    case Kind::decimal:
      json_.key("type").text("string").key("format").text("decimal").key("pattern").text("^-?[0-9]+(\\.[0-9]+)?$");
      return;
    case Kind::number: json_.key("type").text("number"); return;
    case Kind::json_object: json_.key("type").text("object"); return;
    case Kind::address: json_.key("type").text("string").key("pattern").text("^0x[0-9a-fA-F]{40}$"); return;
    case Kind::market_id:
      json_.key("type").text("string").key("pattern").text("^[A-Z0-9]+(-[A-Z0-9]+)*$");
      json_.key("maxLength").integer(limits::market_id_chars_max);
      return;
    case Kind::enumeration: enumeration(field.spelling != nullptr ? *field.spelling : *type.names); return;
    case Kind::custom:
      if (options_.reference_prefix.empty())
        json_.key("allOf").begin_array().raw(type.custom->schema).end_array();
      else
        json_.key("$ref").text(std::string(options_.reference_prefix) + std::string(type.name));
      return;
    case Kind::optional:
      json_.key("anyOf").begin_array();
      value(type.element(), field);
      json_.begin_object().key("type").text("null").end_object().end_array();
      return;
    case Kind::list:
      json_.key("type").text("array").key("items");
      value(type.element(), field);
      return;
    case Kind::map:
      json_.key("type").text("object").key("additionalProperties");
      value(type.element(), field);
      return;
    case Kind::record:
      if (options_.reference_prefix.empty()) {
        record_members(type);
      } else {
        json_.key("$ref").text(std::string(options_.reference_prefix) + std::string(type.name));
      }
      return;
  }
  SVC_ASSERT(false);
}

void SchemaWriter::record(const TypeInfo& type) {
  json_.begin_object();
  record_members(type);
  json_.end_object();
}

void SchemaWriter::record_members(const TypeInfo& type) {
  if (type.as_array) {
    json_.key("type").text("array").key("prefixItems").begin_array();
    for (const FieldInfo& f : type.fields) field(f, type);
    json_.end_array().key("items").boolean(false).key("minItems").integer(type.fields.size());
    return;
  }
  json_.key("type").text("object").key("properties").begin_object();
  for (const FieldInfo& f : type.fields) {
    if (f.in != In::body) continue;
    json_.key(f.name);
    field(f, type);
  }
  json_.end_object().key("required").begin_array();
  for (const FieldInfo& f : type.fields) {
    if (f.in == In::body && is_required(f)) json_.text(f.name);
  }
  json_.end_array();
  if (options_.direction == Direction::request) json_.key("additionalProperties").boolean(false);
}

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
