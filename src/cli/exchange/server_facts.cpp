#include "cli/exchange/server_facts.h"

#include <charconv>
#include <cstdlib>

#include "base/limits.h"
#include "cli/exchange/http_date.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

constexpr std::int64_t facts_version = 1;
constexpr std::int64_t sandbox_skew_ms_max = 2 * second_ms;

std::optional<std::string> text_at(const Json& document, std::string_view path) {
  const auto text = document.string_at(path);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

signing::PublishedDomain ServerFacts::domain(const Network& network) const {
  signing::PublishedDomain published{.name = text_at(metadata, "signing_domain.name"),
                                     .version = text_at(metadata, "signing_domain.version"),
                                     .chain_id = {}};
  if (const auto chain_id = metadata.integer_at("signing_domain.chain_id"); chain_id && *chain_id >= 0) {
    published.chain_id = static_cast<std::uint64_t>(*chain_id);
  }
  if (network.config.domain_name) {
    published.name = network.config.domain_name;
    published.version = published.version.value_or("1");
    if (!published.chain_id) published.chain_id = signing::action_chain_id;
  }
  if (const auto& digits = network.config.chain_id) {
    std::uint64_t chain_id = 0;
    const auto [stop, error] = std::from_chars(digits->data(), digits->data() + digits->size(), chain_id);
    if (error == std::errc{} && stop == digits->data() + digits->size()) published.chain_id = chain_id;
  }
  return published;
}

std::optional<std::string> ServerFacts::deployment(const Network& network) const {
  if (network.config.deployment) return network.config.deployment;
  return text_at(metadata, "deployment");
}

std::optional<std::int64_t> measure_skew(const api::HttpResponse& response, TimestampMs sent_at_ms,
                                         TimestampMs received_at_ms) {
  const auto header = response.headers.find("Date");
  const auto date = header ? parse_http_date(*header) : std::nullopt;
  if (!date) return std::nullopt;
  return *date + second_ms / 2 - (sent_at_ms + received_at_ms) / 2;
}

std::optional<ServerFacts> cached_facts(const Paths& paths, const Network& network) {
  const auto text = read_private(paths.metadata(network.name));
  if (!text || !*text) return std::nullopt;
  const auto document = parse_json(**text);
  const bool usable =
      document && document->integer_at("version") == facts_version && document->string_at("origin") == network.origin();
  const auto fetched = usable ? document->integer_at("fetched_at_ms") : std::nullopt;
  const Json* metadata = usable ? document->find("metadata") : nullptr;
  if (!fetched || metadata == nullptr) return std::nullopt;
  return ServerFacts{.metadata = *metadata, .skew_ms = document->integer_at("skew_ms"), .fetched_at_ms = *fetched};
}

bool is_fresh(const ServerFacts& facts, const Network& network, TimestampMs now_ms) {
  const std::int64_t age_ms = now_ms - facts.fetched_at_ms;
  // A sandbox's clock is its user's to set: only one that goes with ours is trusted to go on so, and who is refused
  // all the same looks again.
  const bool clock_may_jump = network.is_local() && (!facts.skew_ms || std::abs(*facts.skew_ms) > sandbox_skew_ms_max);
  return !clock_may_jump && age_ms >= 0 && age_ms < limits::metadata_lifetime_ms;
}

Result<void, Failure> cache_facts(const Paths& paths, const Network& network, const ServerFacts& facts) {
  const Json document = Json::object({{"version", facts_version},
                                      {"origin", network.origin()},
                                      {"fetched_at_ms", facts.fetched_at_ms},
                                      {"skew_ms", facts.skew_ms},
                                      {"metadata", facts.metadata}});
  return write_private(paths.metadata(network.name), document.dump() + "\n");
}

Result<void, Failure> check_identity(const ServerFacts& facts, const Network& network) {
  const auto serving = facts.metadata.string_at("network");
  if (!serving) return {};
  const bool known_name = network.name == "local" || network.name == "testnet" || network.name == "mainnet";
  if (known_name && *serving != network.name) {
    return unexpected(guard("wrong_network", network.origin() + " serves network " + std::string(*serving) + ", not " +
                                                 network.name + "; nothing was signed"));
  }
  if (*serving == "mainnet" && !network.real_funds()) {
    return unexpected(guard("wrong_funds", network.origin() + " serves mainnet, but network " + network.name +
                                               " is configured as play funds"));
  }
  return {};
}

Result<void, Failure> check_skew(const ServerFacts& facts, const Network& network) {
  if (!facts.skew_ms || network.is_local() || std::abs(*facts.skew_ms) <= limits::skew_refused_above_ms) return {};
  Failure failure =
      guard("clock_skew", "this machine's clock is " + std::to_string(std::abs(*facts.skew_ms) / second_ms) + " s " +
                              (*facts.skew_ms > 0 ? "behind" : "ahead of") +
                              " the server's; signatures are valid for 30 s, so nothing is signed");
  failure.actions = {"timedatectl set-ntp true"};
  return unexpected(failure);
}

std::int64_t correction_ms(const ServerFacts& facts) {
  if (!facts.skew_ms || std::abs(*facts.skew_ms) <= limits::skew_corrected_above_ms) return 0;
  return *facts.skew_ms;
}

}  // namespace svc::cli
