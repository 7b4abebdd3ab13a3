#include "cli/budget/budget.h"

#include <charconv>

#include "api/tiers.h"
#include "base/limits.h"
#include "cli/exchange/outgoing.h"
#include "cli/exchange/refusal.h"

namespace svc::cli::budget {
namespace {

template <class Int>
std::optional<Int> number_in(const api::HttpResponse& response, std::string_view header) {
  const auto text = response.headers.find(header);
  Int value = 0;
  if (!text) return std::nullopt;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc{} && stop == text->data() + text->size() ? std::optional(value) : std::nullopt;
}

std::uint32_t default_rate(std::string_view bucket) {
  if (bucket == "ip") return limits::client_reads_per_second;
  if (bucket == "login") return limits::client_logins_per_second;
  return api::limits_of(api::default_tier).requests_per_second;
}

// Metered by connection, not by account: their headers tell nothing to remember.
bool is_of_the_machine(std::string_view bucket) {
  return bucket == "ip" || bucket == "login";
}

}  // namespace

Result<std::optional<Budget>, Failure> Budget::open(Context& context, std::string_view network) {
  if (context.globals().rate == RateMode::off) return std::optional<Budget>{};
  const auto paths = SVC_TRY(context.paths());
  auto file = SVC_TRY(BucketFile::open(*paths, network));
  return std::optional<Budget>(Budget(std::move(file), context.globals().rate_share_percent));
}

std::vector<Demand> Budget::demands(const Call& call, const Credential& credential) const {
  const std::string_view bucket = bucket_of(*call.operation);
  const auto cost = static_cast<std::int64_t>(call.operation->weight.of(call.orders));
  std::vector<Demand> all;
  const auto ask = [&](const std::string& name) {
    const Demand whole{.bucket = bucket_hash(name), .per_second_default = default_rate(bucket), .cost = cost};
    all.push_back(whole);
    // The way out is never slowed down by a share.
    if (!share_percent_ || bucket == "cancel") return;
    all.push_back({.bucket = bucket_hash(name + "/" + std::to_string(*share_percent_) + "%"),
                   .per_second_default = whole.per_second_default,
                   .cost = cost,
                   .share_percent = *share_percent_,
                   .shared_of = whole.bucket});
  };
  const std::string lane(bucket);
  const auto* hmac = std::get_if<HmacCredential>(&credential.how);
  if (is_of_the_machine(bucket)) {
    ask(lane);
  } else if (credential.account) {
    ask(lane + ":" + to_string(*credential.account));
  } else if (hmac != nullptr) {
    ask(lane + ":" + hmac->key_id);
  }
  // A key has a ceiling of its own below its owner's.
  if (bucket == "request" && hmac != nullptr && credential.account) ask("key:" + hmac->key_id);
  return all;
}

Result<void, Failure> Budget::take(Context& context, const Call& call, const Credential& credential,
                             Direction direction) {
  const auto wanted = demands(call, credential);
  if (wanted.empty() || wanted.front().cost == 0) return {};
  const bool waits = context.globals().rate == RateMode::wait;
  const bool leaves = direction == Direction::way_out;
  const std::int64_t patience_ms = leaves ? patience_way_out_ms : limits::rate_wait_ms_max;
  const std::int64_t wait_ms_max = waits ? patience_ms : 0;
  const std::int64_t wait_ms = file_.take(wanted, wait_ms_max, context.now_ms());
  if (wait_ms > wait_ms_max) {
    // What is written down here may be wrong; the server knows.
    if (leaves) return {};
    return unexpected(Failure{.exit = ExitCode::rate_limited,
                              .code = "budget_spent",
                              .message = "the " + std::string(bucket_of(*call.operation)) +
                                         " budget that your processes share is spent; nothing was sent",
                              .retryable = true,
                              .retry_after_ms = wait_ms});
  }
  if (wait_ms <= 0) return {};
  if (wait_ms >= second_ms) {
    context.say("note: waiting " + std::to_string((wait_ms + second_ms - 1) / second_ms) + " s for the shared budget");
  }
  context.environment().sleep_ms(wait_ms);
  return {};
}

void Budget::learn(Context& context, const Call& call, const Credential& credential,
                   const api::HttpResponse& response) {
  const auto wanted = demands(call, credential);
  const std::string_view bucket = bucket_of(*call.operation);
  constexpr int too_many = 429;
  const auto retry_after_s = number_in<std::int64_t>(response, "Retry-After");
  // A claim's cooldown is a 429 as well, with the same header fields, and no bucket's affair.
  const auto bucket_is_spent = [&] {
    return api::find_error(failure_of(call, response, {}).code) == api::ErrorCode::rate_limit_exceeded;
  };
  if (response.status == too_many && retry_after_s && bucket_is_spent()) {
    const TimestampMs now_ms = context.now_ms();
    for (const Demand& demand : wanted) file_.block_until(demand, now_ms + *retry_after_s * second_ms, now_ms);
    return;
  }
  if (is_of_the_machine(bucket) || response.status < 200 || response.status >= 300) return;
  const auto limit = number_in<std::uint32_t>(response, "X-RateLimit-Limit");
  const auto left = number_in<std::int64_t>(response, "X-RateLimit-Remaining");
  for (const Demand& demand : wanted) {
    // No limit in an authenticated answer: a sandbox without limits.
    if (demand.shared_of == 0)
      file_.learn(demand, limit.value_or(unlimited), limit ? left : std::nullopt, context.now_ms());
  }
}

}  // namespace svc::cli::budget
