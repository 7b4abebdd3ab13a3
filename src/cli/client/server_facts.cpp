#include "cli/client/server_facts.h"

#include <cstdlib>

#include "api/network.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/client/refusal.h"
#include "cli/store/kept_document.h"

namespace svc::cli {
namespace {

KeptDocument facts_file(const Paths& paths, std::string_view network) {
  return {paths.metadata(network), 2};
}
KeptDocument bound_file(const Paths& paths, const Network& network) {
  return {paths.bound_network(network.name), 1};
}

constexpr std::int64_t sandbox_skew_ms_max = 2 * second_ms;
constexpr std::int64_t clock_drift_ms_max = 2 * second_ms;    // from the uptime; beyond, our clock was set
constexpr std::int64_t skew_exchange_ms_max = 5 * second_ms;  // half of it is the error of a measurement

bool is_object(const Json* document) {
  return document != nullptr && document->is(Json::Kind::object);
}

bool leads_here(const Json& row, const Network& network) {
  const auto url = api::parse_url(row.text_at("rest_base"));
  if (url && same_place(*url, network.rest)) return true;
  const auto place = api::parse_host_port(row.text_at("host"), api::default_port(network.rest.scheme));
  return place && place->host == network.rest.host && place->port == network.rest.port;
}

// Whether what was learnt of the host that long ago may still be believed.
bool is_young(std::int64_t age_ms, const api::Url& url) {
  const std::int64_t lifetime_ms =
      api::is_loopback(url.host) ? loopback_identity_lifetime_ms : limits::metadata_lifetime_ms;
  return age_ms >= 0 && age_ms < lifetime_ms;
}

// The file has the facts of the base that was asked last, and in `others` those of the other bases.

std::vector<Json> documents_in(const Json& file) {
  std::vector<Json> documents = file.items_at("others");
  documents.insert(documents.begin(), file);
  return documents;
}

std::optional<ServerFacts> facts_in(const Json& document) {
  const auto fetched = document.integer_at("fetched_at_ms");
  const Json* metadata = document.find("metadata");
  if (!fetched || metadata == nullptr) return std::nullopt;
  return ServerFacts{.metadata = *metadata,
                     .map = document.value_at("map"),
                     .skew_ms = document.integer_at("skew_ms"),
                     .fetched_at_ms = *fetched,
                     .uptime_ms = document.integer_at("uptime_ms")};
}

Json document_of(const std::string& origin, const ServerFacts& facts) {
  return Json::object({{"origin", origin},
                       {"fetched_at_ms", facts.fetched_at_ms},
                       {"uptime_ms", facts.uptime_ms},
                       {"skew_ms", facts.skew_ms},
                       {"metadata", facts.metadata},
                       {"map", facts.map}});
}

const std::string* owner_of_text(const std::map<std::string, std::string>& taken,
                                 const std::optional<std::string>& text) {
  return text ? found_at(taken, *text) : nullptr;
}

// What was refused for a text that is another network's says nothing of the network under whose name it is cached.
constexpr std::string_view refused_key = "domain_refused";
constexpr std::string_view begin_key = "begin_with";  // the base that a process went over to, and when

}  // namespace

std::optional<std::string> filled_text_at(const Json* document, std::string_view member) {
  const auto text = document == nullptr ? std::nullopt : document->string_at(member);
  return text && !text->empty() ? std::optional(std::string(*text)) : std::nullopt;
}

bool is_operational(const Json& health) {
  const auto state = health.string_at("status");
  return state == "operational" || state == "ok" || state == "healthy";
}

bool same_place(const api::Url& a, const api::Url& b) {
  return a.host == b.host && a.port == b.port;
}

const Json* ServerFacts::row_of(std::string_view network) const {
  const Json* of_metadata = metadata.find("x-svc-networks");
  for (const Json* rows : {metadata.find("networks"), of_metadata == nullptr ? nullptr : of_metadata->find("networks"),
                           map.find("networks")}) {
    const Json* row = rows == nullptr ? nullptr : rows->find(network);
    if (is_object(row)) return row;
  }
  return nullptr;
}

std::optional<std::string> ServerFacts::serves(const Network& network) const {
  // A member of another type cannot be the name of a network.
  if (const Json* said = metadata.find_value("network"))
    return said->is(Json::Kind::string) ? lower_case(said->text()) : said->dump();
  std::optional<std::string> found;
  for (const std::string_view name : api::network_texts) {
    const Json* row = row_of(name);
    if (row == nullptr || !leads_here(*row, network)) continue;
    if (found) return std::nullopt;
    found = std::string(name);
  }
  return found;
}

const Json* ServerFacts::signing_domain(const Network& network) const {
  if (const Json* own = metadata.find("signing_domain"); is_object(own)) return own;
  const Json* row = row_of(serves(network).value_or(network.name));
  const Json* domain = row == nullptr ? nullptr : row->find("signing_domain");
  return is_object(domain) ? domain : nullptr;
}

std::optional<std::string> ServerFacts::published_name(const Network& network) const {
  return filled_text_at(signing_domain(network), "name");
}

std::optional<std::string> ServerFacts::published_deployment() const {
  return filled_text_at(&metadata, "deployment");
}

Result<ServerFacts> ask_facts(const Network& network, std::string_view api_version, const Ask& ask,
                              const std::function<TimestampMs()>& now_ms) {
  ServerFacts facts;
  bool answered = false;
  std::optional<int> failed_with;
  // The answer as a document; null if it is not JSON.
  const auto document_at = [&](const std::string& target) -> Result<Json, api::TransportError> {
    const TimestampMs sent_at_ms = now_ms();
    const auto response = SVC_TRY(ask({.method = "GET",
                                       .target = target,
                                       // A cache must ask anew: it would answer with an old time.
                                       .headers = {{"Accept", "application/json"},
                                                   {"Cache-Control", "no-cache"},
                                                   {std::string(api::version_header), std::string(api_version)}},
                                       .body = {}}));
    facts.fetched_at_ms = now_ms();
    if (!facts.skew_ms) facts.skew_ms = measure_skew(response, sent_at_ms, facts.fetched_at_ms);
    if (response.status >= 500 || response.status == 429) {
      failed_with = response.status;
      return Json();
    }
    answered = true;
    return response.status == 200 ? json_or_null(response.body) : Json();
  };
  // The base to which orders go is the best authority; the host root may serve several networks.
  std::vector<std::string> bases{network.rest.prefix};
  if (!network.rest.prefix.empty()) bases.emplace_back();
  for (const std::string& base : bases) {
    auto document = document_at(base + "/metadata");
    if (!document && base == bases.front()) return unanswered_read(document.error());
    if (!document || !document->is(Json::Kind::object)) continue;
    const auto known = facts.metadata.string_at("network");
    const auto also = document->string_at("network");
    if (known && also && lower_case(*known) != lower_case(*also)) {
      return guard("wrong_network", network.origin(), " says that it serves ", *known, " in one place and ", *also,
                   " in another; nothing was signed, and nothing was sent");
    }
    const bool says_more = facts.metadata.is(Json::Kind::null) || document->find("network") != nullptr;
    if (says_more) facts.metadata = std::move(*document);
    if (facts.serves(network) && facts.signing_domain(network) != nullptr) return facts;
  }
  for (const std::string& base : bases) {
    const auto description = document_at(base + "/openapi.json");
    const Json* map = description ? description->find("x-svc-networks") : nullptr;
    if (!is_object(map)) continue;
    facts.map = *map;
    break;
  }
  if (answered || !failed_with) return facts;
  return nothing_happened("metadata_unavailable",
                          concat(network.origin(), " answered ", *failed_with, " when asked which network it serves"));
}

std::optional<ServerFacts> cached_facts(const Paths& paths, const Network& network) {
  for (const Json& document : documents_in(facts_file(paths, network.name).read_if_usable()))
    if (document.string_at("origin") == network.origin()) return facts_in(document);
  return std::nullopt;
}

std::vector<std::pair<std::string, ServerFacts>> cached_facts_elsewhere(const Paths& paths, const Network& network) {
  std::vector<std::pair<std::string, ServerFacts>> all;
  if (network.bases.size() == 1) return all;
  for (const Json& document : documents_in(facts_file(paths, network.name).read_if_usable())) {
    const std::string origin = document.text_at("origin");
    auto facts = facts_in(document);
    const bool elsewhere = origin != network.origin() && network.base_at(origin) != nullptr;
    if (facts && elsewhere) all.emplace_back(origin, std::move(*facts));
  }
  return all;
}

bool is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms, std::int64_t uptime_ms) {
  const std::int64_t age_ms = now_ms - facts.fetched_at_ms;
  const bool was_set = facts.uptime_ms && std::abs(age_ms - (uptime_ms - *facts.uptime_ms)) > clock_drift_ms_max;
  // The user can set a sandbox's clock, so only one in step with ours is trusted to stay so. If a request is refused
  // all the same, the facts are read again.
  const bool clock_may_jump = network.is_local() && (!facts.skew_ms || std::abs(*facts.skew_ms) > sandbox_skew_ms_max);
  return !was_set && !clock_may_jump && age_ms >= 0 && age_ms < limits::metadata_lifetime_ms;
}

bool network_name_is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms) {
  return is_young(now_ms - facts.fetched_at_ms, network.rest);
}

Result<void> cache_facts(const Paths& paths, const Network& network, const ServerFacts& facts) {
  const KeptDocument file = facts_file(paths, network.name);
  Json document = document_of(network.origin(), facts);
  const bool is_refused = owner_of_name(facts, network) != nullptr || owner_of_deployment(facts, network) != nullptr;
  if (is_refused) document.set(refused_key, true);
  if (network.bases.size() > 1) {
    const Json before = file.read_if_usable();
    document.set("others", Json::list(cached_facts_elsewhere(paths, network),
                                      [](const auto& one) { return document_of(one.first, one.second); }));
    if (const Json* begin = before.find(begin_key)) document.set(begin_key, *begin);
  }
  return file.write(document);
}

const Base* base_to_begin_with(const Paths& paths, const Network& network, TimestampMs now_ms) {
  if (network.bases.size() == 1) return nullptr;
  const Json document = facts_file(paths, network.name).read_if_usable();
  const auto at_ms = document.integer_at("begin_with.at_ms");
  const Base* base = network.base_at(document.string_at("begin_with.origin").value_or(""));
  if (base == nullptr || !at_ms) return nullptr;
  return is_young(now_ms - *at_ms, base->rest) ? base : nullptr;
}

Result<void> begin_with_base_in_use(const Paths& paths, const Network& network, TimestampMs now_ms) {
  const KeptDocument file = facts_file(paths, network.name);
  Json kept = file.read_if_usable();
  kept.set(begin_key, Json::object({{"origin", network.origin()}, {"at_ms", now_ms}}));
  return file.write(kept);
}

TakenTexts taken_texts(const Paths& paths, const Config& config, const Network& network, const ServerFacts& facts) {
  TakenTexts taken;
  const std::string serving = facts.serves(network).value_or(network.name);
  for (const auto& [name, configured] : config.networks) {
    Network other;
    other.name = name;
    const auto serves = api::parse<api::NetworkId>(name) ? std::optional(name) : bound_network(paths, other);
    if (!serves || *serves == serving || *serves == "local") continue;
    const bool is_real = funds_of(name, configured) != Funds::play;
    const auto take = [&](const std::optional<std::string>& domain_name, const std::optional<std::string>& deployment) {
      if (domain_name) taken.names.emplace(*domain_name, name);
      if (deployment && is_real) taken.deployments.emplace(*deployment, name);
    };
    take(configured.domain_name, configured.deployment);
    const Json document = facts_file(paths, name).read_if_usable();
    const auto known = facts_in(document);
    const auto is_its_host = [&](const std::string& rest) {
      const auto url = api::parse_url(rest);
      return url && document.string_at("origin") == origin_of(*url);
    };
    const auto its_host = std::ranges::find_if(configured.rest, is_its_host);
    if (!known || its_host == configured.rest.end() || document.find(refused_key) != nullptr) continue;
    other.rest = *api::parse_url(*its_host);
    // A host that says that it serves another network was refused, and its texts are not this one's.
    if (known->serves(other).value_or(*serves) != *serves) continue;
    // Read as for its own signatures: the name may stand in the network map only.
    take(known->published_name(other), known->published_deployment());
  }
  return taken;
}

const std::string* owner_of_name(const ServerFacts& facts, const Network& network) {
  if (whole_domain_is_configured(network)) return nullptr;
  const auto published = facts.published_name(network);
  return owner_of_text(facts.taken.names, published ? published : network.config.domain_name);
}

const std::string* owner_of_deployment(const ServerFacts& facts, const Network& network) {
  if (network.config.deployment) return nullptr;
  return owner_of_text(facts.taken.deployments, facts.published_deployment());
}

std::optional<std::uint64_t> configured_chain_id(const Network& network) {
  return parse_integer<std::uint64_t>(network.config.chain_id.value_or(""));
}

bool whole_domain_is_configured(const Network& network) {
  return network.config.domain_name && configured_chain_id(network);
}

std::optional<std::string> bound_network(const Paths& paths, const Network& network) {
  if (api::parse<api::NetworkId>(network.name)) return std::nullopt;
  const Json document = bound_file(paths, network).read_if_usable();
  return std::optional<std::string>(document.string_at("serves"));
}

Result<void> bind_network(const Paths& paths, const Network& network, std::string_view serves) {
  if (api::parse<api::NetworkId>(network.name)) return {};
  return bound_file(paths, network).write(Json::object({{"serves", serves}}));
}

Result<Identity> check_identity(const ServerFacts& facts, const Network& network,
                                const std::optional<std::string>& bound_to) {
  const auto serving = facts.serves(network);
  if (!serving) return Identity::silent;
  if (api::parse<api::NetworkId>(network.name) && *serving != network.name) {
    return guard("wrong_network", network.origin(), " serves network ", *serving, ", not ", network.name,
                 "; nothing was signed, and nothing was sent");
  }
  const Json* row = facts.row_of(*serving);
  const bool real = *serving == "mainnet" || (row != nullptr && row->string_at("funds") == "real");
  if (real && !network.real_funds()) {
    return guard("wrong_funds", network.origin(), " serves ", *serving, ", whose funds are real, but network ",
                 network.name, " is configured as play funds; nothing was sent");
  }
  if (bound_to && *bound_to != *serving) {
    return guard("wrong_network", network.origin(), " serves network ", *serving, ", but what is filed under ",
                 network.name, " is of network ", *bound_to, "; nothing was sent")
        .to_try({"svc network add ANOTHER_NAME --rest " + api::to_string(network.rest)});
  }
  return Identity::proved;
}

std::optional<std::string> contradiction(const ServerFacts& here, const Network& network, const ServerFacts& there,
                                         const Base& other) {
  Network at_other = network;
  at_other.use(other);
  const auto said = [](const ServerFacts& facts, const Network& at) {
    Json all = Json::object({{"network", facts.serves(at)}});
    if (const Json* deployment = facts.metadata.find("deployment")) all.set("deployment", *deployment);
    const Json* domain = facts.signing_domain(at);
    if (domain == nullptr) return all;
    for (const auto& [key, member] : domain->members()) all.set(concat("signing domain's ", key), member);
    return all;
  };
  const Json ours = said(here, network), theirs = said(there, at_other);
  for (const auto& [what, a] : ours.members()) {
    const Json* b = theirs.find(what);
    const bool both = b != nullptr && !a.is(Json::Kind::null) && !b->is(Json::Kind::null);
    if (both && a.dump() != b->dump()) return concat(what, " ", a.dump(), ", and ", b->dump());
  }
  return std::nullopt;
}

api::VersionVerdict standing_of(std::string_view version, const Json& metadata) {
  const auto version_at = [&](std::string_view path) {
    return api::parse_version(metadata.string_at(path).value_or(""));
  };
  const auto least =
      version_at("min_api_version") ? version_at("min_api_version") : version_at("api_version.min_supported");
  if (!least) return api::VersionVerdict::silent;
  return api::judge(version, {.minimum = *least, .deprecated_below = version_at("api_version.deprecated_below")});
}

// The Date header counts whole seconds, so half a second is added; the answer is assumed to be from the middle of the
// exchange.
std::optional<std::int64_t> measure_skew(const api::HttpResponse& response, TimestampMs sent_at_ms,
                                         TimestampMs received_at_ms) {
  const auto header = response.headers.find("Date");
  const auto date = header ? parse_http_date(*header) : std::nullopt;
  // Whoever was stopped in between, or waited long, does not know when the server wrote it.
  if (!date || received_at_ms - sent_at_ms > skew_exchange_ms_max) return std::nullopt;
  const std::int64_t skew_ms = *date + second_ms / 2 - (sent_at_ms + received_at_ms) / 2;
  // How long caches on its way kept it. Some send both a new date and an age: the reading that is nearer to our own
  // clock counts.
  constexpr std::int64_t age_s_max = 1'000'000'000;
  const auto age_s = number_in<std::int64_t>(response, "Age");
  const std::int64_t aged_ms = skew_ms + (age_s && *age_s >= 0 && *age_s <= age_s_max ? *age_s * second_ms : 0);
  return std::abs(aged_ms) < std::abs(skew_ms) ? aged_ms : skew_ms;
}

Result<void> check_skew(const ServerFacts& facts, const Network& network) {
  if (!facts.skew_ms || network.is_local() || std::abs(*facts.skew_ms) <= limits::skew_refused_above_ms) return {};
  return guard("clock_skew", "this machine's clock is ", std::abs(*facts.skew_ms) / second_ms, " s ",
               *facts.skew_ms > 0 ? "behind" : "ahead of",
               " the server's; signatures are valid for 30 s, so nothing is signed")
      .to_try({"timedatectl set-ntp true"});
}

std::int64_t correction_ms(const ServerFacts& facts) {
  if (!facts.skew_ms || std::abs(*facts.skew_ms) <= limits::skew_corrected_above_ms) return 0;
  return *facts.skew_ms;
}

std::string seconds_text(std::int64_t ms) {
  const std::int64_t size_ms = std::abs(ms);
  return concat(ms < 0 ? "-" : "", size_ms / second_ms, ".", size_ms % second_ms / 100, " s");
}

std::optional<TimestampMs> parse_http_date(std::string_view text) {
  return parse_utc("%a, %d %b %Y %H:%M:%S GMT", text);
}

}  // namespace svc::cli
