#include "cli/commands/market_names.h"

#include <absl/strings/ascii.h>

#include <algorithm>

#include "api/contract/account.h"
#include "api/contract/margin.h"
#include "api/contract/markets.h"
#include "api/error_catalog.h"
#include "api/stream/stream_message.h"
#include "cli/commands/read.h"
#include "cli/store/completion_values.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

bool is_whole(std::string_view id) {
  return std::count(id.begin(), id.end(), '-') >= 2;
}

// The id itself, or the ids that begin with these segments.
std::vector<std::string> fitting(const std::vector<std::string>& markets, const std::string& name) {
  if (std::find(markets.begin(), markets.end(), name) != markets.end()) return {name};
  std::vector<std::string> found;
  for (const std::string& market : markets) {
    if (market.starts_with(name + "-")) found.push_back(market);
  }
  return found;
}

Result<std::vector<std::string>, Failure> ask_markets(Context& context, Exchange& exchange) {
  const auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListMarkets>()));
  // Kept for the next line; a failure to keep it does not matter to this one.
  static_cast<void>(keep_for_completion(**context.paths(), exchange.network().name, reply.body, {}, context.now_ms()));
  std::vector<std::string> markets;
  for (const Json& row : reply.body.items()) markets.emplace_back(row.string_at("market_id").value_or(""));
  return markets;
}

}  // namespace

Result<std::string, Failure> whole_market_id(Context& context, const std::string& word) {
  const std::string name = absl::AsciiStrToUpper(word);
  if (!api::is_market_id(name)) return word;  // the command says what a market looks like
  if (is_whole(name)) return name;
  auto exchange = SVC_TRY(Exchange::open(context));
  std::vector<std::string> markets = kept_markets(**context.paths(), exchange.network().name, context.now_ms());
  std::vector<std::string> found = fitting(markets, name);
  if (found.empty()) {
    if (!context.may_read())
      return unexpected(usage_error("a dry run asks nobody what \"", word, "\" means: name the whole market"));
    markets = SVC_TRY(ask_markets(context, exchange));
    found = fitting(markets, name);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) return unexpected(usage_error("\"", word, "\" may mean ", joined(found), ": name one of them"));
  return unexpected(absent(std::string(api::spelling(api::ErrorCode::unknown_market)), "there is no market \"", word,
                           "\"; there are ", joined(markets)));
}

Result<void, Failure> name_markets(Context& context, const Arguments& arguments) {
  for (std::string* word : arguments.markets()) *word = SVC_TRY(whole_market_id(context, *word));
  return {};
}

Result<void, Failure> name_watched_markets(Context& context, std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool is_public = std::ranges::any_of(api::public_channels(), [&](const api::PublicChannelInfo& one) {
      return one.name.substr(0, one.name.find(':')) == words[i];
    });
    if (words[i] == "account" || words[i] == "*" || is_public || api::find_stream_channel(words[i])) continue;
    words[i] = SVC_TRY(whole_market_id(context, words[i]));
  }
  return {};
}

}  // namespace svc::cli
