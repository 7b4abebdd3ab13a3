// limits: what is left of the budgets, and what a script would need of them
#include "cli/commands/cost_forecast.h"

#include "api/contract/account.h"
#include "api/operation_list.h"
#include "api/tiers.h"
#include "base/assert.h"
#include "cli/arguments/line_words.h"
#include "cli/client/outgoing.h"
#include "cli/commands/batch.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t milli = 1'000;

struct BucketLevel {
  std::uint64_t have_milli = 0;
  std::int64_t at_ms = 0;

  void refill(std::uint64_t limit, std::int64_t now_ms) {
    const auto passed = static_cast<std::uint64_t>(now_ms - at_ms);
    const std::uint64_t room = limit * milli - have_milli;
    have_milli += passed > room / limit ? room : passed * limit;
    at_ms = now_ms;
  }
};

constexpr std::size_t charges_max = 1'000'000;

Charge charge_of(std::size_t line, std::string what, const api::Operation& operation, std::uint64_t orders) {
  return {.line = line,
          .what = std::move(what),
          .buckets = {std::string(bucket_of(operation))},
          .tokens = operation.weight.of(orders)};
}

// The command's own dry run tells what it would send, and the cost.
Result<std::vector<Charge>> costs_of_command(Context& context, std::string_view line, std::size_t number) {
  auto [words, pipe] = SVC_TRY(in_line(number, split_line(line)));
  if (pipe) return bad_line(number, "a pipe cannot be forecast");
  if (!words.empty() && words.front() == "svc") words.erase(words.begin());
  const auto named_command = find_command(words_beside_flags(words));  // flags may stand before and within its name
  for (const std::string_view open_ended : {"serve", "shell", "guard", "limits", "watch", "ws"})
    if (named_command && first_word(named_command->row->path) == open_ended)
      return bad_line(number, "svc ", open_ended, " cannot be forecast");
  const auto network = context.network_name();
  std::vector<std::string> dry{"--dry-run", "--json", "--no-input"};
  if (network && !usable_globals(words).globals.network) dry.insert(dry.end(), {"-n", network->text});
  dry.insert(dry.end(), words.begin(), words.end());
  std::string out;
  Environment quiet = context.environment();
  quiet.out = [&](std::string_view text) {
    out += text;
    return Written::whole;
  };
  quiet.err = [](std::string_view) {};
  quiet.answered = [](const Answer&) {};
  quiet.print_on_signal = [](const SignalMessages&) { return std::shared_ptr<SignalMessageGuard>(); };
  quiet.connect = [](const Route&) -> Result<std::unique_ptr<api::Transport>, std::string> {
    return unexpected(std::string("a forecast asks nobody"));
  };
  static_cast<void>(context.entry_points().run(dry, quiet, context.shell_session()));
  const auto document = parse_json(out);
  if (!document) return bad_line(number, "this command cannot be forecast");
  if (!document->truth_at("ok")) return bad_line(number, text_in(*document, "error.message", "it does not run"));
  std::vector<Charge> charges;
  const auto add = [&](const Json& request) {
    const auto weight = request.integer_at("cost.weight");
    if (!weight || *weight < 0) return;  // it stays on this machine
    charges.push_back({.line = number,
                       .what = std::string(line),
                       .buckets = {request.text_at("cost.bucket")},
                       .tokens = static_cast<std::uint64_t>(*weight)});
  };
  add(*document->find("data"));
  for (const Json& request : document->items_at("data.then")) add(request);
  // The first request tells the cost of all requests of its bucket.
  for (std::size_t i = 1; i < charges.size(); ++i)
    if (charges[i].buckets == charges[0].buckets) charges[0].tokens -= charges[i].tokens;
  return charges;
}

// A request that a line of a script describes, as often as it says.
Result<void> add_request(const Json& request, std::string_view line, std::size_t number, std::vector<Charge>& charges) {
  const api::Operation* known = nullptr;
  if (const auto name = request.string_at("operation")) {
    const api::OperationEntry* entry = api::find_operation(*name);
    if (entry == nullptr) return bad_line(number, "there is no operation ", *name);
    known = entry->operation;
  } else if (request.string_at("method") && request.string_at("path")) {
    std::string_view path = *request.string_at("path");
    known = api::match_operation(*request.string_at("method"), path.substr(0, path.find('?')));
    if (known == nullptr) return bad_line(number, "no operation has that method and path");
  } else {
    return bad_line(number, "expected \"operation\", or \"method\" and \"path\", or an order");
  }
  // The least if it is not there.
  const auto number_at = [&](std::string_view key, std::int64_t least) -> Result<std::int64_t> {
    const auto given = request.find(key) == nullptr ? least : request.integer_at(key);
    if (given && *given >= least) return *given;
    return bad_line(number, "\"", key, "\" must be a whole number of at least ", least);
  };
  const std::int64_t orders = SVC_TRY(number_at("orders", 0));
  const std::int64_t count = SVC_TRY(number_at("count", 1));
  const std::int64_t at_ms = SVC_TRY(number_at("at_ms", 0));
  if (static_cast<std::uint64_t>(count) > charges_max - std::min(charges_max, charges.size()))
    return bad_line(number, "more than ", charges_max, " requests");
  Charge charge = charge_of(number, std::string(line), *known, static_cast<std::uint64_t>(orders));
  charge.not_before_ms = at_ms;
  charges.insert(charges.end(), static_cast<std::size_t>(count), charge);
  return {};
}

// What a script of `svc limits --forecast` would send. A line is one of
//
//   {"operation":"place_order"}               or {"method":"GET","path":"/fills"}; "orders", "count" and "at_ms" may
//   follow
//   {"market_id":...,"side":...}              an order: such lines in a row are sent as `orders batch` would
//   buy 0.1 BTC-USDX-PERP @ 60000             a command, with or without "svc" before it
//
// Empty lines and those that begin with # are skipped. Bucket names are those of Outgoing: "request", "order",
// "cancel", "ip", "login". Lines that send nothing have no charge. The error names the line.
Result<std::vector<Charge>> charges_of(Context& context, std::string_view text, std::uint64_t orders_per_batch) {
  std::vector<Charge> charges;
  std::uint64_t orders = 0;
  std::size_t first_order_line = 0, number = 0;
  const auto close_batch = [&] {
    if (orders > 0)
      charges.push_back(charge_of(first_order_line, concat("batch of ", orders), api::ops::PlaceOrders::op, orders));
    orders = 0;
  };
  for (const std::string_view whole : split_lines(text)) {
    ++number;
    const std::string_view line = trimmed(whole, " \t\r");
    if (line.empty() || line.front() == '#') continue;
    if (!line.starts_with('{')) {
      close_batch();
      std::ranges::move(SVC_TRY(costs_of_command(context, line, number)), std::back_inserter(charges));
      continue;
    }
    const auto document = parse_json(line);
    if (!document) return bad_line(number, document.error());
    if (document->find("market_id") != nullptr && document->find("side") != nullptr) {
      if (orders == 0) first_order_line = number;
      if (++orders == orders_per_batch) close_batch();
      continue;
    }
    close_batch();
    SVC_TRY(add_request(*document, line, number, charges));
  }
  close_batch();
  return charges;
}

constexpr std::span limited_tiers = std::span(api::tier_texts).first(2);  // the first of the enumerators

Json present_rows(const Json& status, TimestampMs now_ms) {
  Json rows = Json::array();
  const Json buckets = status.value_at("buckets");
  for (const auto& [name, bucket] : buckets.members()) {
    const auto reset_ms = bucket.integer_at("reset_at_ms");
    const auto left_ms = reset_ms ? std::optional(std::max<std::int64_t>(*reset_ms - now_ms, 0)) : std::nullopt;
    rows.push(Json::object({{"bucket", name},
                            {"tier", status.string_at("tier")},
                            {"limit", bucket.value_at("limit")},
                            {"remaining", bucket.value_at("remaining")},
                            {"reset_in_ms", left_ms}}));
  }
  return rows;
}

BucketForecast full(std::string bucket, std::uint64_t limit) {
  return {.bucket = std::move(bucket), .limit = limit, .remaining = limit};
}

// The full buckets of a tier; the ceiling of a key does not depend on it.
std::vector<BucketForecast> buckets_of(const api::TierLimits& tier) {
  return {full("key", api::default_key_ceiling_per_second), full("owner", tier.requests_per_second),
          full("order", tier.orders_per_second), full("cancel", tier.cancels_per_second)};
}

std::vector<BucketForecast> buckets_of(const Json& status) {
  std::vector<BucketForecast> buckets;
  const Json present = status.value_at("buckets");
  for (const auto& [name, bucket] : present.members()) {
    const auto limit = bucket.integer_at("limit");
    const auto remaining = bucket.integer_at("remaining");
    if (!limit || *limit <= 0 || !remaining) continue;
    buckets.push_back({.bucket = std::string(name),
                       .limit = static_cast<std::uint64_t>(*limit),
                       .remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(*remaining, 0))});
  }
  return buckets;
}

Answer forecast_answer(std::vector<Charge> charges, const std::string& tier, std::vector<BucketForecast> buckets) {
  const auto has = [&](std::string_view name) { return is_among(name, buckets, &BucketForecast::bucket); };
  // The buckets of the connection, which are not in the account's status.
  buckets.push_back(full("ip", limits::client_reads_per_second));
  buckets.push_back(full("login", limits::client_logins_per_second));
  for (Charge& charge : charges) {
    if (charge.buckets.front() == "request") charge.buckets = {"key", "owner"};
    // A tier without limits has no buckets.
    std::erase_if(charge.buckets, [&](const std::string& name) { return !has(name); });
  }
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
    const auto line = std::ranges::find(charges, *bucket.stall_line, &Charge::line);
    stall = Json::object({{"line", *bucket.stall_line}, {"bucket", bucket.bucket}, {"what", line->what}});
  }
  Answer answer{.data = Json::object({{"tier", tier},
                                      {"requests", charges.size()},
                                      {"finish_ms", result.finish_ms},
                                      {"first_stall", std::move(stall)},
                                      {"buckets", rows}}),
                .view = {columns("+bucket +limit +remaining +requests +tokens +finish_ms +stall_line +stalled_ms")}};
  answer.rows = std::move(rows);
  return answer;
}

Result<Answer> show_limits(Context& context, const std::optional<std::string>& file,
                           const std::optional<api::Tier>& tier, const std::optional<std::uint64_t>& chunk) {
  if (!file && (tier || chunk)) return usage_error("--tier and --chunk go with --forecast");
  const auto orders_per_batch = SVC_TRY(chunk_of(chunk));
  std::vector<Charge> charges;
  if (file) {
    const auto text = SVC_TRY(read_text(context, *file, "the file of --forecast"));
    charges = SVC_TRY(charges_of(context, text, orders_per_batch));
  }
  if (tier)
    return forecast_answer(std::move(charges), std::string(api::to_string(*tier)), buckets_of(api::limits_of(*tier)));
  auto exchange = SVC_TRY(Exchange::open(context));
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetRateLimit>()));
  if (file) return forecast_answer(std::move(charges), reply.body.text_at("tier"), buckets_of(reply.body));
  Answer answer = answer_of(std::move(reply), {columns("+bucket +limit +remaining +reset_in_ms +tier")});
  Json rows = present_rows(answer.data, server_now_ms(context, exchange));
  if (rows.items().empty()) rows.push(Json::object({{"tier", answer.data.value_at("tier")}}));  // nothing limits it
  answer.rows = std::move(rows);
  return answer;
}

}  // namespace

Forecast forecast(const std::vector<Charge>& charges, std::vector<BucketForecast> buckets) {
  std::vector<BucketLevel> levels;
  for (const BucketForecast& bucket : buckets)
    levels.push_back({.have_milli = std::min(bucket.remaining, bucket.limit) * milli, .at_ms = 0});
  Forecast result;
  std::int64_t now_ms = 0;
  for (const Charge& charge : charges) {
    const std::int64_t due_ms = std::max(now_ms, charge.not_before_ms);
    std::int64_t sent_ms = due_ms;
    std::vector<std::size_t> places;
    for (const std::string& name : charge.buckets) {
      const auto found = std::ranges::find(buckets, name, &BucketForecast::bucket);
      SVC_ASSERT(found != buckets.end() && found->limit > 0);
      const auto place = static_cast<std::size_t>(found - buckets.begin());
      places.push_back(place);
      BucketLevel& level = levels[place];
      level.refill(found->limit, due_ms);
      const std::uint64_t need = std::min(charge.tokens, found->limit) * milli;
      if (need <= level.have_milli) continue;
      const std::uint64_t wait_ms = (need - level.have_milli + found->limit - 1) / found->limit;
      found->stalled_ms += static_cast<std::int64_t>(wait_ms);
      if (!found->stall_line) found->stall_line = charge.line;
      sent_ms = std::max(sent_ms, due_ms + static_cast<std::int64_t>(wait_ms));
    }
    for (const std::size_t place : places) {
      BucketForecast& bucket = buckets[place];
      levels[place].refill(bucket.limit, sent_ms);
      levels[place].have_milli -= std::min(charge.tokens, bucket.limit) * milli;
      bucket.tokens += charge.tokens;
      ++bucket.requests;
      bucket.finish_ms = sent_ms;
    }
    now_ms = sent_ms;
    result.finish_ms = sent_ms;
  }
  result.buckets = std::move(buckets);
  return result;
}

std::vector<CommandRow> limits_commands() {
  return {
      {"limits", "[--forecast FILE]", "Show what is left of the rate limits (costs nothing), or what a script needs",
       "# what is left of the rate limits",
       Output{"get_rate_limit | tier requests:integer finish_ms:integer first_stall:stall? buckets:[bucket_forecast]",
              "bucket limit remaining reset_in_ms tier requests tokens finish_ms stall_line stalled_ms", "", As::list},
       calls(show_limits,
             {{"--forecast", "what the requests or commands of this file would need; - for stdin", "FILE"},
              {"--tier", "of the forecast, with full buckets (default: the account's, now)", {}, limited_tiers},
              {"--chunk", "orders per batch in the forecast (default 39)", "N"}}),
       Repeats::yes}};
}

}  // namespace svc::cli
