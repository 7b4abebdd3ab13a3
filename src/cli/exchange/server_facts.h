// What the server says of itself: which network it is, its signing domain, its deployment text, and
// how far its clock is from ours. From GET /metadata and its Date header, cached per network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/http_message.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/config/network.h"
#include "cli/failure.h"
#include "cli/files/paths.h"
#include "cli/json.h"
#include "signing/domain.h"

namespace svc::cli {

struct ServerFacts {
  Json metadata;                        // as served; null if the server has none
  std::optional<std::int64_t> skew_ms;  // server's clock minus ours; nullopt if it sent no usable Date
  TimestampMs fetched_at_ms = 0;

  // What the user configured wins over what the server publishes. Nothing is guessed.
  [[nodiscard]] signing::PublishedDomain domain(const Network& network) const;
  [[nodiscard]] std::optional<std::string> deployment(const Network& network) const;
};

// The Date header counts whole seconds; half of one is added, and the answer is taken to be from the
// middle of the exchange.
[[nodiscard]] std::optional<std::int64_t> measure_skew(const api::HttpResponse& response, TimestampMs sent_at_ms,
                                                       TimestampMs received_at_ms);

// The cached facts of this network at this address; nullopt if there are none.
[[nodiscard]] std::optional<ServerFacts> cached_facts(const Paths& paths, const Network& network);
// Facts of the local sandbox are never fresh: its clock can be moved at any time. (D-306)
[[nodiscard]] bool is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms);
[[nodiscard]] Result<void, Failure> cache_facts(const Paths& paths, const Network& network, const ServerFacts& facts);

// Exit 14 if the server is not the network that was asked for, or serves real funds under the name of
// play. (API: Networks, rules 2 and 3)
[[nodiscard]] Result<void, Failure> check_identity(const ServerFacts& facts, const Network& network);

// Exit 14 beyond what can be corrected safely; the local sandbox's clock is followed wherever it goes.
[[nodiscard]] Result<void, Failure> check_skew(const ServerFacts& facts, const Network& network);
// What is added to our clock before a timestamp is signed: nothing for a difference within the noise.
[[nodiscard]] std::int64_t correction_ms(const ServerFacts& facts);

}  // namespace svc::cli
