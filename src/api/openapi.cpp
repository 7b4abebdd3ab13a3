#include "api/openapi.h"

#include <algorithm>
#include <vector>

#include "api/codec.h"
#include "api/json_writer.h"
#include "api/openapi_parts.h"

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

class Document {
 public:
  Document(std::string& out, const OpenapiTerms& terms) : json_(out), terms_(terms) {}

  void write() {
    json_.begin_object().key("openapi").text("3.1.0");
    info();
    servers(versioned_base);
    json_.key("tags").begin_array();
    for (const Tag& tag : tags)
      json_.begin_object().key("name").text(tag.name).key("description").text(tag.description).end_object();
    json_.end_array();
    paths();
    components();
    json_.key("x-svc-networks").raw(to_json(terms_.networks));
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
    json_.key("title").text(terms_.title + " API");
    json_.key("version").text(to_string(terms_.versions.current));
    json_.key("summary").text("Trade perpetual futures over HTTP and WebSocket");
    json_.key("description").text(description);
    json_.end_object();
  }

  // Relative to where the document was read: whatever name this server has, it is the right one. (D-144)
  void servers(std::string_view url) {
    json_.key("servers").begin_array().begin_object().key("url").text(url);
    json_.key("description").text("Where this description was read; x-svc-networks has the others");
    json_.end_object().end_array();
  }

  void paths() {
    std::vector<Place> places;
    openapi::for_each_operation([&](const OperationEntry& entry) {
      const Operation& operation = *entry.operation;
      places.push_back({std::string(operation.path), &entry, false});
      if (operation.twin) places.push_back({std::string(twin_prefix).append(operation.path), &entry, true});
    });
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

  void components() {
    json_.key("components").begin_object();
    json_.key("securitySchemes").begin_object();
    openapi::write_security_schemes(json_);
    json_.end_object().key("parameters").begin_object();
    openapi::write_parameters(json_, terms_.versions);
    json_.end_object().key("headers").begin_object();
    openapi::write_headers(json_);
    json_.end_object().key("requestBodies").begin_object();
    openapi::write_request_bodies(json_);
    json_.end_object().key("responses").begin_object();
    openapi::write_responses(json_);
    json_.end_object().key("schemas").begin_object();
    openapi::write_schemas(json_);
    json_.end_object().end_object();
  }

  JsonWriter json_;
  const OpenapiTerms& terms_;
};

}  // namespace

std::string openapi_document(const OpenapiTerms& terms) {
  std::string out;
  Document(out, terms).write();
  return out;
}

}  // namespace svc::api
