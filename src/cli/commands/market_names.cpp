#include "cli/commands/market_names.h"

#include <absl/strings/ascii.h>

#include "api/contract/markets.h"
#include "api/error_catalog.h"
#include "cli/commands/read.h"
#include "cli/store/completion_values.h"

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

}  // namespace svc::cli
