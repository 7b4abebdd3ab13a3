#include "cli/commands/read.h"

#include "api/contract/markets.h"
#include "api/error_catalog.h"
#include "base/json_text.h"
#include "cli/arguments/durations.h"
#include "cli/client/watch_loop.h"
#include "cli/machine/private_file.h"
#include "cli/store/completion_values.h"

namespace svc::cli {
namespace {

constexpr std::int64_t wait_default_ms = 60'000;
constexpr std::int64_t wait_ms_max = 7 * day_ms;

bool is_whole(std::string_view id) {
  return std::count(id.begin(), id.end(), '-') >= 2;
}

// The id itself, or the ids that begin with these segments.
std::vector<std::string> fitting(const std::vector<std::string>& markets, const std::string& name) {
  if (is_among(name, markets)) return {name};
  std::vector<std::string> found;
  for (const std::string& market : markets) {
    if (market.starts_with(name + "-")) found.push_back(market);
  }
  return found;
}

Result<std::vector<std::string>> ask_markets(Context& context, Exchange& exchange) {
  const auto reply = SVC_TRY(exchange.read<api::ops::ListMarkets>());
  // Kept for the next line; a failure to keep it does not matter to this one.
  static_cast<void>(keep_for_completion(**context.paths(), exchange.network().name, reply, {}, context.now_ms()));
  std::vector<std::string> markets;
  for (const Json& row : reply.items()) markets.emplace_back(row.string_at("market_id").value_or(""));
  return markets;
}

}  // namespace

Result<void> check_listed(Exchange& exchange, const api::MarketId& market) {
  const auto listed = exchange.read<api::ops::ListMarkets>();
  if (!listed) return {};
  const auto id_of = [](const Json& row) { return row.string_at("market_id").value_or(""); };
  const auto& rows = listed->items();
  if (is_among(market.text, rows, id_of)) return {};
  return absent(std::string(api::spelling(api::ErrorCode::unknown_market)), "there is no market ", market.text,
                "; there are ", joined(rows, id_of));
}

Result<std::string> whole_market_id(Context& context, const std::string& word) {
  const std::string name = upper_case(word);
  if (!api::is_market_id(name)) return word;  // the command says what a market looks like
  if (is_whole(name)) return name;
  auto exchange = SVC_TRY(Exchange::open(context));
  std::vector<std::string> markets = kept_markets(**context.paths(), exchange.network().name, context.now_ms());
  std::vector<std::string> found = fitting(markets, name);
  if (found.empty()) {
    if (!context.may_read())
      return usage_error("a dry run asks nobody what \"", word, "\" means: name the whole market");
    markets = SVC_TRY(ask_markets(context, exchange));
    found = fitting(markets, name);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) return usage_error("\"", word, "\" may mean ", joined(found), ": name one of them");
  return absent(std::string(api::spelling(api::ErrorCode::unknown_market)), "there is no market \"", word,
                "\"; there are ", joined(markets));
}

Result<void> name_markets(Context& context, const Arguments& arguments) {
  for (std::string* word : arguments.markets()) *word = SVC_TRY(whole_market_id(context, *word));
  return {};
}

bool shows_columns(const Context& context) {
  const Format format = context.presentation().format;
  return format != Format::json && format != Format::ndjson && format != Format::raw;
}

TimestampMs server_now_ms(Context& context, Exchange& exchange) {
  const auto facts = context.may_read() ? exchange.facts() : Result<const ServerFacts*>(nullptr);
  if (facts && *facts != nullptr) return context.now_ms() + correction_ms(**facts);
  return exchange.server_date_ms().value_or(context.now_ms());
}

Result<std::string> read_bytes(Context& context, const std::string& file, std::string_view what) {
  return context.read_given_or_input(file, what, limits::input_bytes_max, LooseMode::accept);
}

Result<std::string> read_text(Context& context, const std::string& file, std::string_view what, std::size_t bytes_max) {
  auto text = SVC_TRY(context.read_given_or_input(file, what, bytes_max, LooseMode::accept));
  text.erase(0, text.size() - without_byte_order_mark(text).size());
  return text;
}

Result<std::int64_t> WaitLimit::timeout_ms(bool waits) const {
  if (seconds && !waits) return usage_error("--wait-timeout needs --wait");
  if (!seconds) return wait_default_ms;
  const auto ms = SVC_TRY(parse_patience("--wait-timeout", *seconds));
  if (ms <= wait_ms_max) return ms;
  return usage_error("--wait-timeout must be at most 7d, not \"", *seconds, "\"");
}

bool is_final(const Json& record) {
  const auto status = record.string_at("status");
  return status != "pending" && status != "detected" && status != "confirming";
}

void WaitLimit::declare(Arguments& arguments) {
  arguments.add(seconds, {"--wait-timeout", "how long --wait waits, such as 90s (default 60s)", "D"});
}

bool is_one_document(const Context& context) {
  return context.globals().format == Format::json && !context.globals().jq_alone;
}

void collect(Context& context, Json& lines, Json line, std::string_view what) {
  if (lines.items().size() < watch_limits::collected_lines_max)
    lines.push(std::move(line));
  else
    context.notice("cut", concat("more ", what, " than one document holds; the rest is left out"));
}

std::size_t open_orders(Context& context, Exchange& exchange, const api::OrdersRequest& request) {
  const auto open = exchange.call(call_of<api::ops::ListOrders>(request));
  if (open) return open->body.items().size();
  context.notice("orders_not_checked", "whether orders are open could not be read: " + open.error().message);
  return 0;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view& line = lines.emplace_back(take_line(text));
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

}  // namespace svc::cli
