// What the server says of itself: its network, its signing domain, its deployment text, and the offset of its clock.
// Read from GET /metadata and its Date header, and from the network map where the metadata says less; cached per
// network.
#pragma once

#include <map>

#include "api/http/http_client.h"
#include "api/http/http_message.h"
#include "api/version.h"
#include "base/clock.h"
#include "cli/machine/paths.h"
#include "cli/store/network.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

inline constexpr std::int64_t loopback_identity_lifetime_ms = 60'000;  // a port of this machine
inline constexpr std::int64_t identity_patience_way_out_ms = 2'000;    // how long a cancel waits for the answer
inline constexpr std::int64_t base_patience_way_out_ms_min = 500;      // the least of it for each of several bases

// The texts by which another network's signatures are told from those of all others, with the network.
struct TakenTexts {
  std::map<std::string, std::string> names;        // of signing domains
  std::map<std::string, std::string> deployments;  // of networks with real funds
};

struct ServerFacts {
  Json metadata;                        // as served; null if the server has none
  Json map;                             // `x-svc-networks` of the OpenAPI document; null if it was not needed
  std::optional<std::int64_t> skew_ms;  // server's clock minus ours; nullopt if it sent no usable Date
  TimestampMs fetched_at_ms = 0;
  std::optional<std::int64_t> uptime_ms{};  // of this machine at that time: shows whether our clock was set since
  TakenTexts taken{};                       // of other networks, as far as known here

  // The network that the server says it serves, in lower case: the member `network` of the metadata, else the only row
  // of the network map with this address. nullopt: it does not say. (API: Networks, rule 7; D-635)
  [[nodiscard]] std::optional<std::string> serves(const Network& network) const;
  // The network map's row of a network; null pointer if there is none.
  [[nodiscard]] const Json* row_of(std::string_view network) const;
  // The published signing domain, from the metadata or the network's row; null pointer if there is none.
  [[nodiscard]] const Json* signing_domain(const Network& network) const;
  // Its name, and the published deployment text; nullopt if there is none.
  [[nodiscard]] std::optional<std::string> published_name(const Network& network) const;
  [[nodiscard]] std::optional<std::string> published_deployment() const;
};

using Ask = std::function<Result<api::HttpResponse, api::TransportError>(const api::HttpRequest&)>;

// Reads /metadata at the host root and, if that does not tell everything, under the REST base; then the network map in
// /openapi.json. A server whose answers tell nothing counts as silent; exit 10 if all answers were 5xx or 429.
Result<ServerFacts> ask_facts(const Network& network, std::string_view api_version, const Ask& ask,
                              const std::function<TimestampMs()>& now_ms);

// The cached facts of the network at the base in use; nullopt if there are none.
[[nodiscard]] std::optional<ServerFacts> cached_facts(const Paths& paths, const Network& network);
// The same at the other bases, with their origins.
[[nodiscard]] std::vector<std::pair<std::string, ServerFacts>> cached_facts_elsewhere(const Paths& paths,
                                                                                      const Network& network);
// A local sandbox is fresh only while its clock is in step with ours, because its user can move it. (D-306) Facts
// from before our clock was set are not fresh.
[[nodiscard]] bool is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms,
                            std::int64_t uptime_ms);
// Whether the network's name is fresh, which no clock changes; soon false for a port of this machine, where another
// program may listen by then. (D-636)
[[nodiscard]] bool network_name_is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms);
Result<void> cache_facts(const Paths& paths, const Network& network, const ServerFacts& facts);

// The base that an earlier process went over to, because another did not answer or turned a write away; null if that is
// longer ago than the network's name stays fresh. (D-861)
[[nodiscard]] const Base* base_to_begin_with(const Paths& paths, const Network& network, TimestampMs now_ms);
// Others begin with the base in use.
Result<void> begin_with_base_in_use(const Paths& paths, const Network& network, TimestampMs now_ms);

// The domain names of the other configured networks, and the deployment texts of those with real funds, as far as known
// here: from the configuration, and from what the hosts that are configured for them published, unless that was
// refused. Sandboxes on this machine do not count. (D-814, D-1003)
[[nodiscard]] TakenTexts taken_texts(const Paths& paths, const Config& config, const Network& network,
                                     const ServerFacts& facts);
// The other network whose name the published domain has, so that a signature would be valid there as well; null if
// there is none, or if the user configured the whole domain.
[[nodiscard]] const std::string* owner_of_name(const ServerFacts& facts, const Network& network);
// The same for the deployment text; null also if the user configured one.
[[nodiscard]] const std::string* owner_of_deployment(const ServerFacts& facts, const Network& network);

// The configured chain id. A domain is configured as a whole if both its name and its chain id are.
[[nodiscard]] std::optional<std::uint64_t> configured_chain_id(const Network& network);
[[nodiscard]] bool whole_domain_is_configured(const Network& network);

// The network that the user's own name stood for when it was first used to send something. (D-637)
[[nodiscard]] std::optional<std::string> bound_network(const Paths& paths, const Network& network);
Result<void> bind_network(const Paths& paths, const Network& network, std::string_view serves);

enum class Identity : std::uint8_t { proved, silent };

// Exit 14 if the server serves another network than the one asked for, or real funds under the name of a play network.
// (D-635)
Result<Identity> check_identity(const ServerFacts& facts, const Network& network,
                                const std::optional<std::string>& bound_to);

// What two bases of one network say of their deployment and cannot both be true of it, as "deployment a, and b";
// nullopt if nothing. What only one of them says contradicts nothing. (D-860)
[[nodiscard]] std::optional<std::string> contradiction(const ServerFacts& here, const Network& network,
                                                       const ServerFacts& there, const Base& other);

// A member that is a text with something in it; nullopt otherwise.
[[nodiscard]] std::optional<std::string> filled_text_at(const Json* document, std::string_view member);

// Whether an answer of GET /status says that all is well.
[[nodiscard]] bool is_operational(const Json& health);

// Whether two addresses have the same host and port, whatever the scheme.
[[nodiscard]] bool same_place(const api::Url& a, const api::Url& b);

// Whether the server still serves a version, by its metadata; silent: it does not say.
[[nodiscard]] api::VersionVerdict standing_of(std::string_view version, const Json& metadata);

// How far the server's clock is ahead of ours, by an answer of it; nullopt if it does not tell.
[[nodiscard]] std::optional<std::int64_t> measure_skew(const api::HttpResponse& response, TimestampMs sent_at_ms,
                                                       TimestampMs received_at_ms);
// Exit 14 for a skew too large to be corrected safely; the local sandbox's clock is always followed.
Result<void> check_skew(const ServerFacts& facts, const Network& network);
// What is added to our clock before a timestamp is signed; 0 for a difference within the measuring error.
[[nodiscard]] std::int64_t correction_ms(const ServerFacts& facts);

// "1.5 s".
[[nodiscard]] std::string seconds_text(std::int64_t ms);
// "Tue, 15 Nov 1994 08:12:31 GMT"; nullopt for anything else.
[[nodiscard]] std::optional<TimestampMs> parse_http_date(std::string_view text);

}  // namespace svc::cli
