#include "cli/watch/watch_words.h"

#include <algorithm>

#include "api/market_id.h"

namespace svc::cli {
namespace {

// What a trader means by the account; alerts of a liquidation are part of it.
constexpr std::string_view account_channels[] = {"orders", "fills", "positions", "balances", "liquidations"};

std::string channel_list() {
  std::string list = "account";
  for (const api::StreamChannelInfo& info : api::stream_channels()) list += ", " + std::string(info.name);
  return list;
}

}  // namespace

Result<WatchWords, Failure> split_watch_words(const std::vector<std::string>& words) {
  WatchWords split;
  for (const std::string& word : words) {
    if (word == "account") {
      split.channels.insert(split.channels.end(), std::begin(account_channels), std::end(account_channels));
    } else if (api::find_stream_channel(word)) {
      split.channels.push_back(word);
    } else if (!split.channels.empty() && api::is_market_id(word)) {
      split.markets.push_back(word);
    } else {
      return unexpected(usage_error("\"" + word + "\" is no channel; channels are " + channel_list()));
    }
  }
  if (split.channels.empty()) return unexpected(usage_error("name at least one channel: " + channel_list()));
  return split;
}

Result<std::vector<api::StreamKey>, Failure> stream_keys(const WatchWords& words,
                                                        const std::vector<std::string>& intervals) {
  std::vector<api::StreamKey> keys;
  bool takes_interval = false;
  bool takes_market = false;
  for (const std::string& word : words.channels) {
    const api::StreamChannelInfo& info = api::info_of(*api::find_stream_channel(word));
    if (info.scope != api::ChannelScope::market) {
      keys.push_back({.channel = info.channel, .market = {}, .interval = {}});
      continue;
    }
    takes_market = true;
    if (words.markets.empty()) return unexpected(usage_error("channel " + word + " needs a market, such as BTC-USDX-PERP"));
    takes_interval = takes_interval || info.has_interval;
    for (const std::string& market : words.markets) {
      if (!info.has_interval) {
        keys.push_back({.channel = info.channel, .market = market, .interval = {}});
        continue;
      }
      if (intervals.empty()) keys.push_back({.channel = info.channel, .market = market, .interval = "1m"});
      for (const std::string& interval : intervals)
        keys.push_back({.channel = info.channel, .market = market, .interval = interval});
    }
  }
  if (!intervals.empty() && !takes_interval) return unexpected(usage_error("--interval is for candles"));
  if (!words.markets.empty() && !takes_market) return unexpected(usage_error("none of these channels takes a market"));
  return keys;
}

std::string cursor_text(const std::string& network, const std::string& account, const api::StreamMarks& marks) {
  if (marks.empty()) return {};
  return network + "~" + (account.empty() ? "-" : account) + "~" + api::to_string(marks);
}

Result<api::StreamMarks, Failure> parse_cursor(const std::string& text, const std::string& network,
                                               const std::string& account) {
  const auto bad = [](const std::string& why) {
    return unexpected(usage_error("--from must be the cursor of a line that svc watch printed: " + why));
  };
  const auto first = text.find('~');
  const auto second = first == std::string::npos ? first : text.find('~', first + 1);
  if (second == std::string::npos) return bad("it has not three parts");
  if (text.substr(0, first) != network) return bad("it is of network " + text.substr(0, first));
  const std::string whose = text.substr(first + 1, second - first - 1);
  if (whose != "-" && !account.empty() && whose != account) return bad("it is of account " + whose);
  auto marks = api::parse_stream_marks(std::string_view(text).substr(second + 1));
  if (!marks) return bad(marks.error());
  return std::move(*marks);
}

}  // namespace svc::cli
