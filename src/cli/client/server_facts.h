// What the server says of itself: which network it is, its signing domain, its deployment text, and how far its clock
// is from ours. From GET /metadata and its Date header, and from the network map where that says less; cached per
// network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http_client.h"
#include "api/http_message.h"
#include "api/version.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/machine/paths.h"
#include "cli/store/network.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

inline constexpr std::int64_t loopback_identity_lifetime_ms = 60'000;  // which network is at a port of this machine
inline constexpr std::int64_t identity_patience_way_out_ms = 2'000;    // how long a cancel waits to be told which it is

struct ServerFacts {
  Json metadata;                        // as served; null if the server has none
  Json map;                             // `x-svc-networks` of the interface description; null if nobody had to ask
  std::optional<std::int64_t> skew_ms;  // server's clock minus ours; nullopt if it sent no usable Date
  TimestampMs fetched_at_ms = 0;
  std::vector<std::string> names_of_others{};  // domain names that networks other than the one it serves sign under

  // The network that the server says it serves, in lower case: the member `network` of the metadata, else the only row
  // of the network map that names this address. nullopt: it does not say. (API: Networks, rule 7; D-635)
  [[nodiscard]] std::optional<std::string> serves(const Network& network) const;
  // What the network map says of a network; null pointer if nothing.
  [[nodiscard]] const Json* row_of(std::string_view network) const;
  // The published signing domain, of the metadata or of the network's row; null pointer if there is none.
  [[nodiscard]] const Json* signing_domain(const Network& network) const;
};

// The Date header counts whole seconds; half of one is added, and the answer is taken to be from the
// middle of the exchange.
[[nodiscard]] std::optional<std::int64_t> measure_skew(const api::HttpResponse& response, TimestampMs sent_at_ms,
                                                       TimestampMs received_at_ms);

using Ask = std::function<Result<api::HttpResponse, api::TransportError>(const api::HttpRequest&)>;

// Asks for /metadata at the host root and, unless that tells all, under the REST base; then for the network map of
// /openapi.json. An answer that tells nothing makes a silent server; exit 10 if there was none but 5xx and 429.
[[nodiscard]] Result<ServerFacts, Failure> ask_facts(const Network& network, std::string_view api_version,
                                                     const Ask& ask, const std::function<TimestampMs()>& now_ms);

// The cached facts of this network at this address; nullopt if there are none.
[[nodiscard]] std::optional<ServerFacts> cached_facts(const Paths& paths, const Network& network);
// Facts of the local sandbox are never fresh: its clock can be moved at any time. (D-306)
[[nodiscard]] bool is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms);
// Of the network alone, which no clock changes; a port of this machine is soon another program's. (D-636)
[[nodiscard]] bool names_network_freshly(const ServerFacts& facts, const Network& network, TimestampMs now_ms);
[[nodiscard]] Result<void, Failure> cache_facts(const Paths& paths, const Network& network, const ServerFacts& facts);

// The domain names under which other networks sign, as far as it is known here: those that are configured, those that
// their servers published, and those of the network map in `facts`. A signature under one of them is theirs. Sandboxes of
// this machine do not count.
[[nodiscard]] std::vector<std::string> domain_names_of_others(const Paths& paths, const Config& config,
                                                              const Network& network, const ServerFacts& facts);

// The network that a name of the user's own stood for when something was first sent under it. (D-637)
[[nodiscard]] std::optional<std::string> bound_network(const Paths& paths, const Network& network);
[[nodiscard]] Result<void, Failure> bind_network(const Paths& paths, const Network& network, std::string_view serves);

enum class Identity : std::uint8_t { proved, silent };

// Exit 14 if the server is not the network that was asked for, or serves real funds under the name of play. (D-635)
[[nodiscard]] Result<Identity, Failure> check_identity(const ServerFacts& facts, const Network& network,
                                                       const std::optional<std::string>& bound_to);

// Whether two addresses lead to one place: host and port, whatever the scheme.
[[nodiscard]] bool same_place(const api::Url& a, const api::Url& b);

// How a version stands with what the metadata says is served; nullopt: it does not say.
enum class VersionStanding : std::uint8_t { served, deprecated, refused };
[[nodiscard]] std::optional<VersionStanding> standing_of(std::string_view version, const Json& metadata);

// Exit 14 beyond what can be corrected safely; the local sandbox's clock is followed wherever it goes.
[[nodiscard]] Result<void, Failure> check_skew(const ServerFacts& facts, const Network& network);
// What is added to our clock before a timestamp is signed: nothing for a difference within the noise.
[[nodiscard]] std::int64_t correction_ms(const ServerFacts& facts);

// The Date header of an answer.

// "Tue, 15 Nov 1994 08:12:31 GMT"; nullopt for anything else.
[[nodiscard]] std::optional<TimestampMs> parse_http_date(std::string_view text);

}  // namespace svc::cli
