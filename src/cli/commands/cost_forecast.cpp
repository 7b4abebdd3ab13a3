#include "cli/commands/cost_forecast.h"

#include <algorithm>

#include "api/operation_list.h"
#include "base/assert.h"
#include "cli/client/outgoing.h"
#include "cli/commands/read.h"

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
      const auto found =
          std::find_if(buckets.begin(), buckets.end(), [&](const BucketForecast& one) { return one.bucket == name; });
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

namespace {

constexpr std::size_t charges_max = 1'000'000;

Charge charge_of(std::size_t line, std::string what, const api::Operation& operation, std::uint64_t orders) {
  return {.line = line,
          .what = std::move(what),
          .buckets = {std::string(bucket_of(operation))},
          .tokens = operation.weight.of(orders)};
}

// Words at blanks; quotes keep a part together.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  char quote = 0;
  bool open = false;
  for (const char c : line) {
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

// The command's own dry run says what it would send, and what that costs.
Result<std::optional<Charge>, Failure> cost_of_command(Context& context, std::string_view line, std::size_t number) {
  std::vector<std::string> words = words_of(line);
  if (!words.empty() && words.front() == "svc") words.erase(words.begin());
  for (const std::string_view open_ended : {"serve", "shell", "guard", "limits", "watch", "ws"}) {
    if (std::find(words.begin(), words.end(), open_ended) != words.end())
      return unexpected(bad_line(number, "svc " + std::string(open_ended) + " cannot be forecast"));
  }
  const auto network = context.network_name();
  bool named = false;
  for (const std::string& word : words) named = named || word.starts_with("-n") || word.starts_with("--network");
  std::vector<std::string> dry{"--dry-run", "--json", "--no-input"};
  if (network && !named) dry.insert(dry.end(), {"-n", network->text});
  dry.insert(dry.end(), words.begin(), words.end());
  std::string out;
  Environment quiet = context.environment();
  quiet.out = [&](std::string_view text) {
    out += text;
    return Written::whole;
  };
  quiet.err = [](std::string_view) {};
  quiet.answered = [](const Answer&) {};
  quiet.connect = [](const Route&) -> Result<std::unique_ptr<api::Transport>, std::string> {
    return unexpected(std::string("a forecast asks nobody"));
  };
  static_cast<void>(context.entry_points().run(dry, quiet, context.shell_session()));
  const auto document = parse_json(out);
  if (!document) return unexpected(bad_line(number, "this command cannot be forecast"));
  const Json* ok = document->find("ok");
  if (ok == nullptr || !ok->truth()) {
    return unexpected(bad_line(number, text_in(*document, "error.message", "it does not run")));
  }
  const auto weight = document->integer_at("data.cost.weight");
  const auto bucket = document->string_at("data.cost.bucket");
  if (!weight || !bucket || *weight < 0) return std::optional<Charge>{};  // it stays on this machine
  return std::optional(Charge{.line = number,
                              .what = std::string(line),
                              .buckets = {std::string(*bucket)},
                              .tokens = static_cast<std::uint64_t>(*weight)});
}

class Script {
 public:
  Script(Context& context, std::uint64_t chunk) : context_(context), chunk_(chunk) {}

  Result<void, Failure> add(std::string_view line, std::size_t number) {
    if (!line.starts_with('{')) {
      close_batch();
      auto charge = SVC_TRY(cost_of_command(context_, line, number));
      if (charge) charges_.push_back(std::move(*charge));
      return {};
    }
    const auto document = parse_json(line);
    if (!document) return unexpected(bad_line(number, document.error()));
    if (document->find("market_id") != nullptr && document->find("side") != nullptr) {
      if (orders_ == 0) first_order_line_ = number;
      if (++orders_ == chunk_) close_batch();
      return {};
    }
    close_batch();
    return add_request(*document, line, number);
  }

  std::vector<Charge> take() {
    close_batch();
    return std::move(charges_);
  }

 private:
  void close_batch() {
    if (orders_ == 0) return;
    const api::OperationEntry* batch = api::find_operation("place_orders");
    SVC_ASSERT(batch != nullptr);
    charges_.push_back(charge_of(first_order_line_, "batch of " + std::to_string(orders_), *batch->operation, orders_));
    orders_ = 0;
  }

  Result<void, Failure> add_request(const Json& request, std::string_view line, std::size_t number) {
    const api::OperationEntry* known = nullptr;
    if (const auto name = request.string_at("operation")) {
      known = api::find_operation(*name);
      if (known == nullptr) return unexpected(bad_line(number, "there is no operation " + std::string(*name)));
    } else if (request.string_at("method") && request.string_at("path")) {
      std::string_view path = *request.string_at("path");
      known = api::match_operation(*request.string_at("method"), path.substr(0, path.find('?')));
      if (known == nullptr) return unexpected(bad_line(number, "no operation has that method and path"));
    } else {
      return unexpected(bad_line(number, "expected \"operation\", or \"method\" and \"path\", or an order"));
    }
    const std::int64_t orders = request.integer_at("orders").value_or(0);
    const std::int64_t count = request.integer_at("count").value_or(1);
    const std::int64_t at_ms = request.integer_at("at_ms").value_or(0);
    if (orders < 0 || count < 1 || at_ms < 0) return unexpected(bad_line(number, "numbers must not be negative"));
    if (static_cast<std::uint64_t>(count) > charges_max - std::min(charges_max, charges_.size()))
      return unexpected(bad_line(number, "more than " + std::to_string(charges_max) + " requests"));
    Charge charge = charge_of(number, std::string(line), *known->operation, static_cast<std::uint64_t>(orders));
    charge.not_before_ms = at_ms;
    charges_.insert(charges_.end(), static_cast<std::size_t>(count), charge);
    return {};
  }

  Context& context_;
  std::uint64_t chunk_;
  std::vector<Charge> charges_;
  std::uint64_t orders_ = 0;
  std::size_t first_order_line_ = 0;
};

}  // namespace

Result<std::vector<Charge>, Failure> parse_script(Context& context, std::string_view text, std::uint64_t chunk) {
  Script script(context, chunk);
  std::size_t number = 0;
  while (!text.empty()) {
    const auto feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text = feed == std::string_view::npos ? std::string_view{} : text.substr(feed + 1);
    ++number;
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    SVC_TRY(script.add(line, number));
  }
  return script.take();
}

}  // namespace svc::cli
