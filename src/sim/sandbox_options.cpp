#include "sim/sandbox_options.h"

#include <charconv>

#include "base/decimal.h"
#include "base/limits.h"

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

std::optional<std::string> refusal(const SandboxOptions& options) {
  if (!is_plain_name(options.name))
    return "--name takes 1 to " + std::to_string(name_chars_max) + " letters, digits, '-' and '_'";
  if (options.domain_name.empty()) return "--domain-name must not be empty";
  if (options.deployment.empty()) return "--deployment must not be empty";
  if (options.accounts > limits::dev_accounts_max)
    return "--accounts is at most " + std::to_string(limits::dev_accounts_max);
  if (options.balance < Usdx{}) return "--balance must not be negative";
  if (static_cast<i128>(options.balance.value) * static_cast<i128>(options.accounts) > limits::dev_funds_max)
    return "--balance: the accounts together start with at most " + format_usdx(Usdx{limits::dev_funds_max}) + " USDX";
  if (!is_header_name(options.client_ip_header)) return "--client-ip-header takes the name of one HTTP header";
  if (options.faucet && options.network == api::NetworkId::mainnet) return "--faucet: mainnet has no faucet";
  if (options.flow == Flow::bots) return "--flow bots is not available yet in this version; use --flow none";
  if (!options.state_folder.empty())
    return "--state: durable state is not available in this version; without it everything is kept in memory";
  if (options.start_at_ms && (*options.start_at_ms < 0 || *options.start_at_ms > limits::clock_ms_max))
    return "--at is outside the years 1970 to 9999";
  return std::nullopt;
}

}  // namespace svc::sim
