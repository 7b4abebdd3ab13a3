#include "cli/client/public_follower.h"

#include <algorithm>

#include "api/stream/stream_message.h"
#include "api/values.h"
#include "cli/client/event_json.h"
#include "cli/client/exchange_door.h"
#include "cli/terminal/text.h"

namespace svc::cli {
namespace {

using Kind = api::StreamNews::Kind;

// "trades" of "trades:".
std::string_view channel_word(const api::PublicChannelInfo& info) {
  return info.takes_market ? info.name.substr(0, info.name.size() - 1) : info.name;
}

const api::PublicChannelInfo* find_public(std::string_view word) {
  for (const api::PublicChannelInfo& info : api::public_channels())
    if (channel_word(info) == word) return &info;
  return nullptr;
}

struct Frame {
  std::string_view type;
  std::string_view channel;
  std::string_view member;  // that is the payload; empty: the frame itself is
};

constexpr Frame frames[] = {{"Trade", "trades", "trade"},
                            {"BookUpdate", "book", "book"},
                            {"MarketHalted", "market_status", ""},
                            {"MarketResumed", "market_status", ""},
                            {"Stats", "stats", "stats"}};

Json event_line(const Frame& frame, Json&& document) {
  const auto market = document.string_at("market_id");
  Json line = Json::object({{"type", "event"},
                            {"channel", frame.channel},
                            {"market", market ? Json(*market) : Json()},
                            {"seq", Json()},
                            {"source", "stream"},
                            {"snapshot", false}});
  line.append("payload", frame.member.empty() ? std::move(document) : document.take(frame.member));
  return line;
}

}  // namespace

Result<std::vector<std::string>, Failure> public_names(const std::vector<std::string>& words) {
  std::vector<const api::PublicChannelInfo*> channels;
  std::vector<std::string> markets;
  for (const std::string& word : words) {
    if (const auto* info = find_public(word)) {
      channels.push_back(info);
    } else if (!channels.empty() && (word == "*" || api::is_market_id(word))) {
      markets.push_back(word);
    } else {
      return unexpected(usage_error("\"", word, "\" is no channel of the public stream; they are ",
                                    joined(api::public_channels(), channel_word)));
    }
  }
  if (channels.empty()) return unexpected(usage_error("name at least one channel"));
  std::vector<std::string> names;
  for (const auto* info : channels) {
    if (!info->takes_market) {
      names.emplace_back(info->name);
      continue;
    }
    if (markets.empty()) names.push_back(std::string(info->name) + "*");
    for (const std::string& market : markets) names.push_back(std::string(info->name) + market);
  }
  return names;
}

PublicFollower::PublicFollower(Context& context, Exchange exchange, std::vector<std::string> names,
                               std::uint64_t jitter_seed)
    : context_(context), exchange_(std::move(exchange)), names_(std::move(names)), chance_(jitter_seed) {}

std::optional<api::StreamNews> PublicFollower::next(std::int64_t wait_ms) {
  if (failure_ && !failure_->retryable) return std::nullopt;
  if (!link_) return connect(wait_ms);
  if (std::exchange(gap_due_, false)) {
    line_ = Json::object({{"type", "gap"}, {"channel", Json()}, {"market", Json()}, {"missed", Json()}});
    return api::StreamNews{.kind = Kind::gap};
  }
  keep_alive();
  auto event = link_->next(wait_ms);
  if (!event) {
    if (context_.now_ms() - heard_ms_ < api::stream_limits::silence_ms_max) return std::nullopt;
    return lost("the server fell silent", "silent_server", 0);
  }
  heard_ms_ = context_.now_ms();
  if (event->kind == api::LinkEvent::Kind::ended) return lost(event->text, "connection_lost", 0);
  return event->kind == api::LinkEvent::Kind::text ? hear(event->text) : std::nullopt;
}

void PublicFollower::keep_alive() {
  const TimestampMs now = context_.now_ms();
  if (now - std::max(heard_ms_, pinged_ms_) < api::stream_limits::ping_ms) return;
  pinged_ms_ = now;
  static_cast<void>(link_->ping());
}

std::optional<api::StreamNews> PublicFollower::connect(std::int64_t wait_ms) {
  const std::int64_t left_ms = retry_at_ms_ - context_.now_ms();
  if (left_ms > 0) {
    context_.environment().sleep_ms(std::min(left_ms, wait_ms));
    return std::nullopt;
  }
  const auto no_token = [] { return Result<std::optional<Secret>, api::LinkRefusal>(std::nullopt); };
  auto link = open_stream(context_, exchange_, no_token, ever_ ? Opening::again : Opening::first);
  if (!link) {
    const api::LinkRefusal& why = link.error();
    failure_ = cannot_open(why);
    if (!why.permanent) return lost(why.reason, why.code, why.retry_after_ms);
    const api::StreamNews news{.kind = Kind::error, .code = why.code, .text = why.reason, .final = true};
    line_ = watch_line(news, {});
    return news;
  }
  failure_.reset();
  link_ = std::move(*link);
  heard_ms_ = pinged_ms_ = context_.now_ms();
  static_cast<void>(link_->send(Json::object({{"subscribe", text_list(names_)}}).dump()));
  gap_due_ = std::exchange(ever_, true);
  const api::StreamNews news{.kind = Kind::connected};
  line_ = watch_line(news, {});
  return news;
}

api::StreamNews PublicFollower::lost(const std::string& why, const std::string& code, std::int64_t retry_after_ms) {
  link_.reset();
  const std::int64_t ceiling = std::min(api::stream_limits::backoff_ms << std::min<std::size_t>(failures_, 16),
                                        api::stream_limits::backoff_ms_max);
  const auto chance = static_cast<std::int64_t>(chance_.below(static_cast<std::uint64_t>(ceiling / 2 + 1)));
  const std::int64_t pause_ms = std::max(retry_after_ms, ceiling / 2 + chance);
  ++failures_;
  retry_at_ms_ = context_.now_ms() + pause_ms;
  api::StreamNews news{.kind = Kind::disconnected, .code = code, .text = why, .retry_ms = pause_ms};
  line_ = watch_line(news, {});
  return news;
}

std::optional<api::StreamNews> PublicFollower::hear(const std::string& text) {
  failures_ = 0;
  auto document = parse_json(text);
  const std::string_view type = document ? document->string_at("type").value_or("") : std::string_view();
  for (const Frame& frame : frames) {
    if (frame.type != type) continue;
    line_ = event_line(frame, std::move(*document));
    return api::StreamNews{.kind = Kind::event};
  }
  if (type == "gap") {
    line_ = *document;
    return api::StreamNews{.kind = Kind::gap};
  }
  if (type != "error") return std::nullopt;
  api::StreamNews news{
      .kind = Kind::error, .code = document->text_at("code"), .text = document->text_at("message"), .final = true};
  failure_ = Failure{.exit = ExitCode::invalid, .code = news.code, .message = news.text};
  line_ = watch_line(news, {});
  return news;
}

}  // namespace svc::cli
