#include "sim/sandbox_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/decimal.h"
#include "base/limits.h"
#include "sim/control/fault_body.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {
namespace {

constexpr std::size_t name_chars_max = 64;

// The name becomes a file name and travels in JSON: one plain word.
bool is_plain_name(std::string_view name) {
  if (name.empty() || name.size() > name_chars_max) return false;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!plain) return false;
  }
  return true;
}

// Header field names are tokens of RFC 9110; letters, digits and hyphens are all anybody uses.
bool is_header_name(std::string_view name) {
  for (const char c : name) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!ok) return false;
  }
  return true;
}

}  // namespace

Result<AnswerLatency, std::string> parse_latency(std::string_view text) {
  const auto milliseconds = [](std::string_view part) -> std::optional<std::int64_t> {
    if (part.ends_with("ms")) part.remove_suffix(2);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    const bool whole = !part.empty() && error == std::errc{} && end == part.data() + part.size();
    if (!whole || value < 0 || value > limits::fault_latency_ms_max) return std::nullopt;
    return value;
  };
  constexpr std::string_view plus_minus = "\u00b1";
  std::size_t mark = text.find(plus_minus);
  std::size_t width = plus_minus.size();
  if (mark == std::string_view::npos) {
    mark = text.find("+-");
    width = 2;
  }
  const auto base = milliseconds(text.substr(0, mark));
  const auto jitter =
      mark == std::string_view::npos ? std::optional<std::int64_t>(0) : milliseconds(text.substr(mark + width));
  if (!base || !jitter || *jitter > *base)
    return unexpected("a latency is such as 5ms or 5ms\u00b12 (the second at most the first), not \"" +
                      std::string(text) + "\"");
  return AnswerLatency{.base_ms = *base, .jitter_ms = *jitter};
}

Result<LimitScale, std::string> parse_limit_scale(std::string_view text) {
  if (text == "on") return LimitScale{1};
  if (text == "off") return LimitScale{0};
  std::uint32_t multiplier = 0;
  const std::string_view digits = text.starts_with('x') ? text.substr(1) : std::string_view{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), multiplier);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || multiplier < 1 ||
      multiplier > limits::limit_scale_max)
    return unexpected("limits are on, off or xN (N from 1 to " + std::to_string(limits::limit_scale_max) + "), not \"" +
                      std::string(text) + "\"");
  return LimitScale{multiplier};
}

std::vector<api::NetworkId> served_networks(const SandboxOptions& options) {
  return options.networks.empty() ? std::vector{options.network} : options.networks;
}

std::vector<std::string> hosts_of(const SandboxOptions& options, api::NetworkId network) {
  if (options.networks.empty()) return {};
  const std::string name(api::to_string(network));
  if (network == api::NetworkId::local) return {"localhost", "local.localhost", "127.0.0.1", "[::1]"};
  return {name + ".localhost"};
}

std::string deployment_of(const SandboxOptions& options, api::NetworkId network) {
  const std::string own = "-" + std::string(api::to_string(network));
  if (!options.deployment) return "svc" + own;
  if (options.networks.empty() || network == api::NetworkId::local) return *options.deployment;
  constexpr std::string_view local = "-local";
  std::string stem = *options.deployment;
  if (stem.ends_with(local)) stem.resize(stem.size() - local.size());
  return stem + own;
}

std::string domain_name_of(const SandboxOptions& options, api::NetworkId network) {
  if (options.domain_name) return *options.domain_name;
  const std::string stem = NetworkSettings{}.domain_name;
  return network == api::NetworkId::local ? stem : stem + ' ' + std::string(api::facts_of(network).label);
}

std::optional<api::NetworkId> owner_of_shared_name(const SandboxOptions& options) {
  if (!options.domain_name || options.networks.size() < 2) return std::nullopt;
  return options.networks.front();
}

std::optional<std::string> refusal(const SandboxOptions& options) {
  if (!is_plain_name(options.name))
    return "--name takes 1 to " + std::to_string(name_chars_max) + " letters, digits, '-' and '_'";
  if (options.domain_name == "") return "--domain-name must not be empty";
  if (options.deployment == "") return "--deployment must not be empty";
  if (options.accounts > limits::dev_accounts_max)
    return "--accounts is at most " + std::to_string(limits::dev_accounts_max);
  if (options.balance < Usdx{}) return "--balance must not be negative";
  if (static_cast<i128>(options.balance.value) * static_cast<i128>(options.accounts) > limits::dev_funds_max)
    return "--balance: the accounts together start with at most " + format_usdx(Usdx{limits::dev_funds_max}) + " USDX";
  if (!is_header_name(options.client_ip_header)) return "--client-ip-header takes the name of one HTTP header";
  const ChainTerms& chain = options.money.chain;
  if (chain.block_ms < 1 || chain.block_ms > limits::chain_block_ms_max)
    return "--chain-block-ms is 1 to " + std::to_string(limits::chain_block_ms_max);
  if (std::max(chain.deposit_confirmations, chain.withdrawal_confirmations) > limits::chain_confirmations_max)
    return "--chain-confirmations is at most " + std::to_string(limits::chain_confirmations_max);
  if (chain.withdrawal_fee < Usdx{} || chain.withdrawal_fee >= chain.min_withdrawal)
    return "the chain's fee is not negative, and below the smallest withdrawal";
  if (options.faucet && options.network == api::NetworkId::mainnet) return "--faucet: mainnet has no faucet";
  if (const auto faults = parse_fault_lines(options.faults); !faults) return "--faults: " + faults.error();
  const api::VersionPolicy& policy = options.versions.policy;
  if (policy.minimum > policy.current)
    return "--min-api-version is above the current version, " + to_string(policy.current);
  if (policy.deprecated_below &&
      (*policy.deprecated_below <= policy.minimum || *policy.deprecated_below > policy.current))
    return "--deprecated-below lies above the minimum version, " + to_string(policy.minimum) +
           ", and at most at the current one, " + to_string(policy.current);
  const bool announced = options.versions.deprecated_since_ms || options.versions.sunset_ms;
  if (announced && !policy.deprecated_below) return "--deprecated-since and --sunset go with --deprecated-below";
  if (options.flow == FlowKind::tape && options.tape_file.empty()) return "--flow tape: needs a file, as in tape:FILE";
  if (!options.record_file.empty() && options.networks.size() > 1)
    return "--record keeps the tape of one network: name one with --as, not several with --networks";
  for (auto network = options.networks.begin(); network != options.networks.end(); ++network)
    if (std::find(options.networks.begin(), network, *network) != network)
      return "--networks names " + std::string(api::to_string(*network)) + " twice";
  if (options.start_at_ms && (*options.start_at_ms < 0 || *options.start_at_ms > limits::clock_ms_max))
    return "--at is outside the years 1970 to 9999";
  return std::nullopt;
}

}  // namespace svc::sim
