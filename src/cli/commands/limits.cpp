// limits: what is left of the budgets, and what a script would need of them
#include <algorithm>
#include <array>

#include "api/contract/account.h"
#include "api/tiers.h"
#include "base/limits.h"
#include "cli/commands/command.h"
#include "cli/commands/cost_forecast.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array tier_words{"Pro"sv, "MarketMaker"sv};
constexpr std::uint64_t one_token_orders = 39;  // orders of a batch that costs one token

View limits_view() {
  return {{{"bucket", "bucket"},
           {"limit", "limit"},
           {"remaining", "remaining"},
           {"reset_in_ms", "reset_in_ms"},
           {"tier", "tier"}},
          Layout::rows};
}

View forecast_view() {
  return {{{"bucket", "bucket"},
           {"limit", "limit"},
           {"remaining", "remaining"},
           {"requests", "requests"},
           {"tokens", "tokens"},
           {"finish_ms", "finish_ms"},
           {"stall_line", "stall_line"},
           {"stalled_ms", "stalled_ms"}},
          Layout::rows};
}

Json present_rows(const Json& status, TimestampMs now_ms) {
  Json rows = Json::array();
  const Json* buckets = status.find("buckets");
  if (buckets == nullptr) return rows;
  for (std::size_t i = 0; i < buckets->keys().size(); ++i) {
    const Json& bucket = buckets->items()[i];
    Json row = Json::object({{"bucket", buckets->keys()[i]}, {"tier", status.string_at("tier")}});
    for (const std::string_view key : {"limit", "remaining"}) {
      if (const Json* value = bucket.find(key)) row.set(key, *value);
    }
    if (const auto reset_ms = bucket.integer_at("reset_at_ms")) {
      row.set("reset_in_ms", *reset_ms == 0 ? 0 : std::max<std::int64_t>(*reset_ms - now_ms, 0));
    }
    rows.push(std::move(row));
  }
  return rows;
}

BucketForecast full(std::string bucket, std::uint64_t limit) {
  return {.bucket = std::move(bucket), .limit = limit, .remaining = limit};
}

// Of a tier, untouched; a key has its own ceiling whatever the tier.
std::vector<BucketForecast> buckets_of(const api::TierLimits& tier) {
  return {full("key", api::default_key_ceiling_per_second), full("owner", tier.requests_per_second),
          full("order", tier.orders_per_second), full("cancel", tier.cancels_per_second)};
}

std::vector<BucketForecast> buckets_of(const Json& status) {
  std::vector<BucketForecast> buckets;
  const Json* present = status.find("buckets");
  for (std::size_t i = 0; present != nullptr && i < present->keys().size(); ++i) {
    const auto limit = present->items()[i].integer_at("limit");
    const auto remaining = present->items()[i].integer_at("remaining");
    if (!limit || *limit <= 0 || !remaining) continue;
    buckets.push_back({.bucket = present->keys()[i],
                       .limit = static_cast<std::uint64_t>(*limit),
                       .remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(*remaining, 0))});
  }
  return buckets;
}

class ShowLimits final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--forecast", forecast_, "FILE",
                   "what the requests or commands of this file would need; - for stdin");
    arguments.choice("--tier", tier_, tier_words, "of the forecast, with full buckets (default: the account's, now)");
    arguments.integer("--chunk", chunk_, "N", "orders per batch in the forecast (default 39)");
  }

  Result<Answer, Stop> run(Context& context) override {
    if (!forecast_ && (tier_ || chunk_)) return unexpected(usage_error("--tier and --chunk go with --forecast"));
    if (chunk_ && (*chunk_ == 0 || *chunk_ > limits::batch_lines_max)) {
      return unexpected(usage_error("--chunk must be from 1 to " + std::to_string(limits::batch_lines_max)));
    }
    std::vector<Charge> charges;
    if (forecast_) {
      const auto text = SVC_TRY(read_text(context, *forecast_, "the file of --forecast"));
      charges = SVC_TRY(parse_script(context, text, chunk_.value_or(one_token_orders)));
    }
    if (tier_) {
      const auto tier = tier_ == tier_words[0] ? api::Tier::pro : api::Tier::market_maker;
      return forecast_answer(std::move(charges), *tier_, buckets_of(api::limits_of(tier)));
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetRateLimit>()));
    if (forecast_) {
      auto buckets = buckets_of(reply.body);
      return forecast_answer(std::move(charges), text_in(reply.body, "tier"), std::move(buckets));
    }
    Answer answer = answer_of(std::move(reply), limits_view());
    answer.rows = present_rows(answer.data, server_now_ms(context, exchange));
    return answer;
  }

 private:
  static Result<Answer, Stop> forecast_answer(std::vector<Charge> charges, const std::string& tier,
                                              std::vector<BucketForecast> buckets) {
    const auto has = [&](std::string_view name) {
      return std::any_of(buckets.begin(), buckets.end(), [&](const BucketForecast& one) { return one.bucket == name; });
    };
    // These two meter the connection, not the account, and are in no status.
    buckets.push_back(full("ip", limits::client_reads_per_second));
    buckets.push_back(full("login", limits::client_logins_per_second));
    for (Charge& charge : charges) {
      if (charge.buckets.front() != "request") continue;
      charge.buckets.clear();
      for (const std::string_view name : {"key"sv, "owner"sv})
        if (has(name)) charge.buckets.emplace_back(name);
    }
    // A tier that meters nothing by account has no bucket to wait for.
    for (Charge& charge : charges) std::erase_if(charge.buckets, [&](const std::string& name) { return !has(name); });
    const Forecast result = forecast(charges, std::move(buckets));

    Json rows = Json::array();
    Json stall;
    for (const BucketForecast& bucket : result.buckets) {
      if (bucket.requests == 0) continue;
      rows.push(Json::object({{"bucket", bucket.bucket},
                              {"limit", bucket.limit},
                              {"remaining", bucket.remaining},
                              {"requests", bucket.requests},
                              {"tokens", bucket.tokens},
                              {"finish_ms", bucket.finish_ms},
                              {"stall_line", bucket.stall_line},
                              {"stalled_ms", bucket.stalled_ms}}));
      const bool earlier =
          bucket.stall_line && (stall.is(Json::Kind::null) ||
                                static_cast<std::int64_t>(*bucket.stall_line) < stall.integer_at("line").value_or(0));
      if (!earlier) continue;
      const auto line = std::find_if(charges.begin(), charges.end(),
                                     [&](const Charge& charge) { return charge.line == *bucket.stall_line; });
      stall = Json::object({{"line", *bucket.stall_line}, {"bucket", bucket.bucket}, {"what", line->what}});
    }
    Answer answer{.data = Json::object({{"tier", tier},
                                        {"requests", charges.size()},
                                        {"finish_ms", result.finish_ms},
                                        {"first_stall", std::move(stall)},
                                        {"buckets", rows}}),
                  .view = forecast_view()};
    answer.rows = std::move(rows);
    return answer;
  }

  std::optional<std::string> forecast_, tier_;
  std::optional<std::uint64_t> chunk_;
};

}  // namespace

std::span<const CommandRow> limits_commands() {
  static const CommandRow rows[]{{"limits", "[--forecast FILE]",
                                  "Show what is left of the rate limits (costs nothing), or what a script needs",
                                  make<ShowLimits>, Repeats::yes}};
  return rows;
}

}  // namespace svc::cli
