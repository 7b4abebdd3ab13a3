#include <algorithm>
#include <string_view>
#include <vector>

#include "api/openapi.h"
#include "api/operation_list.h"

namespace svc::api {
namespace {

std::string credentials_of(AuthSet auth) {
  if (auth.is_public()) return "public";
  constexpr std::pair<Auth, std::string_view> names[] = {{Auth::hmac, "key"},
                                                         {Auth::agent, "agent"},
                                                         {Auth::bearer, "session"},
                                                         {Auth::admin, "operator"},
                                                         {Auth::owner_signature, "owner's signature"},
                                                         {Auth::wallet_signature, "wallet's signature in the body"},
                                                         {Auth::ws_token, "stream token"}};
  std::string text;
  for (const auto& [one, name] : names) {
    if (auth.has(one)) text.append(text.empty() ? "" : " or ").append(name);
  }
  return text;
}

void add_operation(std::string& out, const Operation& operation) {
  out.append("- `").append(to_string(operation.method)).append(" ").append(operation.path).append("`: ");
  out.append(operation.summary).append(" (").append(credentials_of(operation.auth));
  if (operation.action != nullptr) out += "; reads a signed action";
  if (operation.weight.orders_per_extra_token != 0)
    out += "; costs 1 + floor(order_count / " + std::to_string(operation.weight.orders_per_extra_token) + ')';
  else if (operation.weight.base != 1)
    out += "; costs " + std::to_string(operation.weight.base);
  if (operation.twin) out += "; also under /api/v1";
  if (operation.networks == NetworkSet::testnet_only) out += "; play networks with a faucet only";
  out += ")\n";
}

// Whether any of its decimals is a JSON number.
bool has_numbers(const TypeInfo& type) {
  switch (type.kind) {
    case Kind::number: return true;
    case Kind::optional:
    case Kind::list:
    case Kind::map: return has_numbers(type.element());
    case Kind::record:
      return std::ranges::any_of(type.fields, [](const FieldInfo& field) { return has_numbers(field.type()); });
    default: return false;
  }
}

std::string answers_with_numbers() {
  std::string list;
  for (const OperationEntry& entry : all_operations()) {
    if (!has_numbers(entry.response())) continue;
    list.append(list.empty() ? "`" : ", `").append(to_string(entry.operation->method)).append(" ");
    list.append(entry.operation->path).append("`");
  }
  return list;
}

// Where the `Link` of an answer to a deprecated version leads. (API: Versioning, rule 6)
std::string version_guide(const VersionPolicy& versions) {
  std::string out = "## Versions\n\n- Send the version that your client was written for. One below " +
                    to_string(versions.minimum) + " gets 426 `api_version_unsupported`, with the lowest version in `" +
                    std::string(min_version_header) + "`.\n";
  if (versions.deprecated_below)
    out += "- Versions below " + to_string(*versions.deprecated_below) + " are deprecated.\n";
  return out +
         "- The answers to a deprecated version have the headers `Deprecation` (since when) and `Sunset` (from when "
         "on it gets 426). Nothing else changes until then.\n"
         "- To go on: compare the interface description with the one that you used, change the client, and send " +
         to_string(versions.current) + ".\n\n";
}

}  // namespace

std::string plain_guide(const PlainGuideTerms& terms) {
  std::string out = "# " + terms.title + " API\n\n";
  out +=
      "> A perpetual futures exchange over HTTP and WebSocket: USDX collateral, cross and isolated margin, hourly "
      "funding. This server is the network `" +
      terms.target.network + "` (" + std::string(to_string(terms.target.funds)) + " funds).\n\n";
  out += "- [Interface description](" + terms.description_url + "): OpenAPI 3.1, every schema and error code\n";
  out += "- [Stream description](" + terms.host_root + "asyncapi.json): AsyncAPI 3.0, every frame of both streams\n";
  out += "- [Metadata](" + terms.host_root + "metadata): versions, networks, signing domain\n\n";
  out += "REST base: " + terms.target.rest_base + "\n";
  out += "Paths that begin with /api/v1: " + terms.host_root + "api/v1/...\n";
  out += "Public stream: " + terms.target.ws_market_data_url + "\n";
  out += "Account stream: " + terms.target.ws_authenticated_url + "?token=TOKEN\n";
  out += "API version: " + to_string(terms.versions.current) + ", at least " + to_string(terms.versions.minimum) +
         "; send yours as " + std::string(version_header) + "\n\n";
  out += version_guide(terms.versions);
  out +=
      "## Rules\n\n"
      "- Decimals are strings in plain digits, never JSON numbers and never with an exponent. Only some figures of "
      "these answers are JSON numbers: " +
      answers_with_numbers() +
      ".\n"
      "- Times are Unix milliseconds, but `timestamp` of `GET /stats/history` and `X-RateLimit-Reset` are Unix "
      "seconds; lists are bare arrays, the next page's `cursor` is in the header `X-Next-Cursor`.\n"
      "- Ignore members of answers that you do not know. Unknown members of a request are refused.\n"
      "- Branch on the `code` of an error. Every 401 has the body `{\"code\":\"unauthorized\"}`. After a 429 wait as "
      "long as `Retry-After` says. Never repeat a write whose answer was lost unless it carries a `client_id`, a "
      "`client_transfer_id` or an `Idempotency-Key`.\n\n"
      "## Credentials\n\n"
      "- session: `POST /auth/login` with `{\"message\":\"Sign in to " +
      terms.title +
      "\",\"signature\":\"0x...\"}` (EIP-191 personal_sign) answers `{\"token\",\"address\"}`; send `Authorization: "
      "Bearer TOKEN`.\n"
      "- key: `POST /keys` with a session answers `{\"key_id\",\"secret\"}`. Send `X-API-Key`, `X-Timestamp` (Unix "
      "milliseconds, within 30 s) and `X-Signature`: HMAC-SHA256 in lower-case hex under the hex-decoded secret, over "
      "timestamp, METHOD, path, query and hex SHA-256 of the body, joined by line feeds.\n"
      "- agent: `X-Agent`, `X-Timestamp`, `X-Nonce`, `X-Signature`: secp256k1 over the Keccak-256 of METHOD, path, "
      "query, hex SHA-256 of the body, timestamp and nonce, joined by line feeds.\n"
      "- The signed path has no host, no query and no /v1; a leading /api/v1 stays.\n";
  std::vector<std::string_view> groups;  // in the order of their first appearance in the table
  for (const OperationEntry& entry : all_operations()) {
    if (!is_among(entry.operation->group, groups)) groups.push_back(entry.operation->group);
  }
  for (const std::string_view group : groups) {
    out.append("\n## ").append(group).append("\n\n");
    for (const OperationEntry& entry : all_operations()) {
      if (entry.operation->group == group) add_operation(out, *entry.operation);
    }
  }
  return out;
}

}  // namespace svc::api
