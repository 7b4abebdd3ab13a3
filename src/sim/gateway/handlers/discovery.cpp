// What a client reads before it calls anything: metadata, the interface description, the guide in plain
// text, and the catalogue that leads to them. Never blocked by the version check.
#include <memory>
#include <mutex>
#include <string>

#include "api/json_writer.h"
#include "api/network.h"
#include "api/openapi.h"
#include "api/ops/venue.h"
#include "api/plain_guide.h"
#include "api/version.h"
#include "base/hex.h"
#include "base/utc_text.h"
#include "signing/hash.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/published_networks.h"
#include "sim/gateway/request_host.h"

namespace svc::sim {
namespace {

using namespace api;

constexpr std::string_view support_policy =
    "A released version stays supported for at least 14 days after its successor.";

// A document as it was last asked for. It depends on nothing but the name by which the server was reached, and almost
// everybody uses the same one, and on the versions that are served.
class TextCache {
 public:
  struct Text {
    std::string authority;
    api::ApiVersion minimum;
    std::string body;
    std::string tag;  // ETag: quoted
  };

  template <class Write>
  std::shared_ptr<const Text> get(const std::string& authority, const api::ApiVersion& minimum, Write write) {
    const std::lock_guard lock(mutex_);
    if (!latest_ || latest_->authority != authority || latest_->minimum != minimum) {
      std::string body = write();
      std::string tag = '"' + to_hex(signing::sha256(body)).substr(0, 32) + '"';
      latest_ = std::make_shared<const Text>(Text{authority, minimum, std::move(body), std::move(tag)});
    }
    return latest_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Text> latest_;
};

// Serves what `write` makes of the request's headers and the versions of the moment, to be kept and asked for
// again. (D-146)
template <class Write>
Handler document(std::string_view content_type, const VersionTerms& versions, Write write) {
  return [content_type, versions, write,
          cache = std::make_shared<TextCache>()](RequestContext& context) -> Result<void, api::ApiError> {
    const api::Headers& headers = context.request.headers;
    const VersionPolicy policy = policy_at(versions, context.now_ms);
    const auto text = cache->get(request_authority(headers), policy.minimum, [&] { return write(headers, policy); });
    api::HttpResponse& response = context.response;
    response.headers.set("Content-Type", std::string(content_type));
    response.headers.set("ETag", text->tag);
    response.headers.set("Cache-Control", "no-cache");  // keep it, and ask whether it is still the one
    response.headers.set("Vary", "Host");
    if (headers.find("If-None-Match") == text->tag)
      response.status = 304;
    else
      response.body = text->body;
    return {};
  };
}

Metadata metadata(const NetworkSettings& settings, const NetworkMap& map, const VersionTerms& versions,
                  const api::Headers& headers, TimestampMs now_ms) {
  const VersionPolicy policy = policy_at(versions, now_ms);
  Metadata document;
  document.current_api_version = to_string(policy.current);
  document.min_api_version = to_string(policy.minimum);
  document.api_version = ApiVersionInfo{
      .header = "x-svc-api-version",
      .min_supported = document.min_api_version,
      .current = document.current_api_version,
      .deprecated_below = policy.deprecated_below ? std::optional(to_string(*policy.deprecated_below)) : std::nullopt,
      .sunset = versions.sunset_ms ? std::optional(utc_text(*versions.sunset_ms)) : std::nullopt,
      .spec_url = public_url(versions.spec_url, headers),
      .docs_url = public_url(versions.docs_url, headers),
      .policy = std::string(support_policy)};
  document.network = std::string(to_string(settings.id));
  document.deployment = settings.deployment;
  if (settings.domain_name_owner) document.domain_name_owner = std::string(to_string(*settings.domain_name_owner));
  document.networks = map.networks;
  for (auto& [name, target] : *document.networks) target.description.reset();
  const NetworkTarget& serving = map.networks.at(*document.network);
  document.ws_url = serving.ws_url;
  document.signing_domain = serving.signing_domain;
  return document;
}

// RFC 9727: a link set from this host's API to what describes it.
std::string api_catalog(const NetworkMap& map, const NetworkSettings& settings, const VersionTerms& versions,
                        const api::Headers& headers) {
  struct Target {
    std::string url;
    std::string_view type;
  };
  const auto link = [](JsonWriter& json, std::string_view relation, const std::vector<Target>& targets) {
    json.key(relation).begin_array();
    for (const Target& target : targets)
      json.begin_object().key("href").text(target.url).key("type").text(target.type).end_object();
    json.end_array();
  };
  const std::string& base = map.networks.at(std::string(to_string(settings.id))).rest_base;
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("linkset").begin_array().begin_object();
  json.key("anchor").text(base);
  link(json, "service-desc",
       {{public_url(versions.spec_url, headers), "application/vnd.oai.openapi+json;version=3.1"},
        {public_url("/asyncapi.json", headers), "application/vnd.aai.asyncapi+json;version=3.0.0"}});
  link(json, "service-doc", {{public_url(versions.docs_url, headers), "text/plain"}});
  link(json, "service-meta", {{public_url("/metadata", headers), "application/json"}});
  link(json, "status", {{base + "/status", "application/json"}});
  json.end_object().end_array().end_object();
  return out;
}

}  // namespace

void bind_discovery(NetworkInstance& network, const VersionTerms& versions,
                    const std::vector<const NetworkSettings*>& served) {
  const NetworkSettings& settings = network.settings;
  const auto map = [&settings, served](const api::Headers& headers) {
    return published_networks(settings, served, headers);
  };
  network.handlers.bind<ops::GetMetadata>(
      [=, &settings](RequestContext& context, const Empty&) -> Answer<ops::GetMetadata> {
        const api::Headers& headers = context.request.headers;
        return metadata(settings, map(headers), versions, headers, context.now_ms);
      });
  network.serve_document(
      "/openapi.json",
      document("application/json", versions, [=, &settings](const api::Headers& headers, const VersionPolicy& policy) {
        return openapi_document({.title = settings.domain_name, .versions = policy, .networks = map(headers)});
      }));
  network.serve_document("/llms.txt",
                         document("text/plain; charset=utf-8", versions,
                                  [=, &settings](const api::Headers& headers, const VersionPolicy& policy) {
                                    const auto networks = map(headers).networks;
                                    return plain_guide({.title = settings.domain_name,
                                                        .versions = policy,
                                                        .target = networks.at(std::string(to_string(settings.id))),
                                                        .host_root = public_url("/", headers),
                                                        .description_url = public_url(versions.spec_url, headers)});
                                  }));
  network.serve_document(
      "/.well-known/api-catalog",
      document("application/linkset+json", versions, [=, &settings](const api::Headers& headers, const VersionPolicy&) {
        return api_catalog(map(headers), settings, versions, headers);
      }));
}

}  // namespace svc::sim
