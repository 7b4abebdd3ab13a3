#include "cli/client/exchange_door.h"

#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/streams.h"
#include "api/operation_list.h"
#include "api/stream/stream_message.h"
#include "api/values.h"
#include "cli/arguments/spelling.h"
#include "cli/client/outgoing.h"

namespace svc::cli {
namespace {

constexpr std::uint32_t page_rows = 500;
constexpr std::uint32_t ended_orders = 100;

api::LinkRefusal permanent(const Failure& why) {
  return {.code = why.code, .reason = why.message, .permanent = true};
}

template <class Op>
Call page_call(std::uint32_t rows, const std::optional<std::string>& cursor, typename Op::Request request = {}) {
  request.limit = rows;
  request.cursor = cursor;
  Call call = call_of<Op>(request);
  call.keeps_members = true;  // rows are handed on as they are
  return call;
}

Result<Call, api::LinkRefusal> rows_call(const api::StreamKey& key, std::uint32_t rows,
                                         const std::optional<std::string>& cursor) {
  if (key.channel == api::StreamChannel::fills) return page_call<api::ops::ListFills>(rows, cursor);
  if (key.channel == api::StreamChannel::orders) return page_call<api::ops::ListOrderHistory>(rows, cursor);
  const auto market = market_id(key.market);
  if (!market) return unexpected(permanent(market.error()));
  return page_call<api::ops::ListTrades>(rows, cursor, {.market_id = *market});
}

// A connection at the base in use. `token` is for /ws alone.
Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_link(Context& context, const Exchange& exchange,
                                                                             const std::optional<Secret>& token) {
  const Network& network = exchange.network();
  const Call call = token ? call_of<api::ops::AccountStream>({.token = std::string(token->reveal())})
                          : call_of<api::ops::PublicStream>();
  const auto where = address(call, network, Surface::v1);
  if (!where) return unexpected(permanent(where.error()));
  Route route = context.route_to(network.origin(), context.globals().timeout_ms);
  // Streams are under /v1 also where REST is not. (API: What the service does, networks, rule 5)
  const std::string_view base = network.rest.prefix.empty() ? api::stream_prefix : "";
  std::string target = std::string(base) + where->target;
  if (network.ws) {
    auto url = api::parse_url(*network.ws);
    if (!url)
      return unexpected(api::LinkRefusal{.code = "bad_address",
                                         .reason = "the ws address of network " + network.name + ": " + url.error(),
                                         .permanent = true});
    if (const auto safe = check_privacy(network.name, network.funds, *url); !safe)
      return unexpected(permanent(safe.error()));
    target = url->prefix + call.path + (call.query.empty() ? "" : "?" + call.query);
    url->prefix.clear();
    url->scheme = api::is_tls(url->scheme) ? api::Scheme::https : api::Scheme::http;
    route.origin = api::to_string(*url);
  }
  return context.environment().open_link(route, target);
}

using Kind = api::StreamNews::Kind;

// "trades" of "trades:".
std::string_view channel_word(const api::PublicChannelInfo& info) {
  return info.takes_market ? info.name.substr(0, info.name.size() - 1) : info.name;
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

Result<std::unique_ptr<ExchangeDoor>> ExchangeDoor::make(Context& context) {
  auto exchange = SVC_TRY(Exchange::open(context));
  return std::make_unique<ExchangeDoor>(context, std::move(exchange));
}

api::LinkRefusal ExchangeDoor::refused(const Failure& why) {
  if (!why.is_plan()) failure_ = why;
  // What could not be reached once may be reached later; what was refused for a reason stays refused.
  const bool passing = why.retryable || why.exit == ExitCode::unavailable || why.exit == ExitCode::rate_limited ||
                       why.exit == ExitCode::outcome_unknown;
  return {
      .code = why.code, .reason = why.message, .permanent = !passing, .retry_after_ms = why.retry_after_ms.value_or(0)};
}

Result<Reply, api::LinkRefusal> ExchangeDoor::ask(Call call) {
  auto reply = exchange_.call(call);
  if (!reply) return unexpected(refused(reply.error()));
  return std::move(*reply);
}

Result<Secret> mint_stream_token(Exchange& exchange, TokenKind kind) {
  SVC_TRY(exchange.check_stream_host());
  auto reply = SVC_TRY(exchange.call(kind == TokenKind::account ? call_of<api::ops::MintStreamToken>()
                                                                : call_of<api::ops::MintPublicStreamToken>()));
  const auto token = reply.body.string_at("token");
  if (!token || token->empty()) {
    return Failure{.code = "unreadable", .message = "the server sent no token"};
  }
  return Secret(std::string(*token));
}

bool end_of_stream_may_cancel(Exchange& exchange) {
  const auto setting = exchange.read<api::ops::GetCancelOnDisconnect>();
  return !setting || (setting->truth_at("enabled") && !setting->truth_at("active"));
}

void warn_of_cancel_on_disconnect(Context& context, Exchange& exchange) {
  if (context.globals().dry_run) return;
  const auto setting = exchange.read<api::ops::GetCancelOnDisconnect>();
  if (setting && !setting->truth_at("enabled")) return;
  const std::string known = setting
                                ? concat("cancel-on-disconnect is on: ", setting->integer_at("grace_secs").value_or(0),
                                         " s after this stream has ended")
                                : "whether cancel-on-disconnect is on cannot be read: if it is, then soon after "
                                  "this stream has ended";
  context.notice("cancel_on_disconnect",
                 known + ", the account's resting orders are cancelled, unless another stream is open then");
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream(Context& context, Exchange& exchange,
                                                                        const MintToken& mint, Opening opening) {
  std::size_t others_left = exchange.network().bases.size() - 1;
  const auto go_on = [&](const std::string& why) -> Result<void, api::LinkRefusal> {
    const auto gone_on = exchange.go_on(why);
    if (gone_on) return {};
    return unexpected(permanent(gone_on.error()));
  };
  if (opening == Opening::again) SVC_TRY(go_on("the stream ended"));
  while (true) {
    const auto token = SVC_TRY(mint());
    auto link = open_stream_link(context, exchange, token);
    const bool is_absent = !link && !link.error().permanent && (link.error().status == 0 || link.error().status >= 500);
    if (!is_absent || others_left == 0) return link;
    --others_left;
    SVC_TRY(go_on(link.error().reason));
  }
}

Failure cannot_open(const api::LinkRefusal& why) {
  const LocalCode* ours = find_local_code(why.code);
  return {.exit = why.status == 429 ? ExitCode::rate_limited
                  : !why.permanent  ? ExitCode::unavailable
                  : ours != nullptr ? ours->exit
                                    : ExitCode::invalid,
          .code = why.code,
          .message = "the stream cannot be opened: " + why.reason,
          .retryable = !why.permanent};
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> ExchangeDoor::open() {
  std::optional<Failure> not_minted;
  const auto mint = [&]() -> Result<std::optional<Secret>, api::LinkRefusal> {
    auto token = mint_stream_token(exchange_, TokenKind::account);
    if (token) return std::optional(std::move(*token));
    not_minted = token.error();
    return unexpected(refused(token.error()));
  };
  auto link = open_stream(context_, exchange_, mint, tried_ ? Opening::again : Opening::first);
  if (!link && !not_minted) failure_ = cannot_open(link.error());
  tried_ = true;
  return link;
}

Result<std::vector<Json>, api::LinkRefusal> ExchangeDoor::newest_rows(const api::StreamKey& key, std::uint32_t rows) {
  auto call = SVC_TRY(rows_call(key, rows, std::nullopt));
  auto reply = SVC_TRY(ask(std::move(call)));
  return std::vector<Json>(reply.body.items().rbegin(), reply.body.items().rend());
}

Result<std::string, api::LinkRefusal> ExchangeDoor::newest_row(const api::StreamKey& key) {
  auto rows = SVC_TRY(newest_rows(key, 1));
  return rows.empty() ? std::string() : rows.back().text_at("id");
}

Result<api::StreamRows, api::LinkRefusal> ExchangeDoor::rows_after(const api::StreamKey& key,
                                                                   const std::optional<std::string>& row_id) {
  const bool is_orders = key.channel == api::StreamChannel::orders;
  api::StreamRows found;
  found.complete = false;
  if (!row_id && !is_orders) return found;
  // Pages run from the newest row back to the one that is known; of orders there is one page if none is.
  std::optional<std::string> cursor;
  while (found.payloads.size() < api::stream_limits::row_ids_max) {
    auto call = SVC_TRY(rows_call(key, row_id ? page_rows : ended_orders, cursor));
    const auto reply = SVC_TRY(ask(std::move(call)));
    for (const Json& row : reply.body.items()) {
      found.complete = row_id && row.string_at("id") == std::string_view(*row_id);
      if (found.complete) break;
      found.payloads.push_back(is_orders ? Json::object({{"OrderHistory", row}}).dump() : row.dump());
    }
    cursor = next_cursor(reply, cursor);
    if (!cursor && (!row_id || row_id->empty())) found.complete = true;
    if (found.complete || !cursor || !row_id) break;
  }
  // Orders cannot be told apart from those of before a revert: not all that there ever were.
  if (is_orders && !found.complete && found.payloads.size() > ended_orders) found.payloads.resize(ended_orders);
  std::ranges::reverse(found.payloads);
  if (is_orders) SVC_TRY(add_open_orders(found));
  return found;
}

// As the stream would tell them.
Result<void, api::LinkRefusal> ExchangeDoor::add_open_orders(api::StreamRows& found) {
  Call open = call_of<api::ops::ListOrders>();
  open.keeps_members = true;
  const auto resting = SVC_TRY(ask(std::move(open)));
  for (const Json& order : resting.body.items())
    found.payloads.push_back(Json::object({{"OrderUpdate", Json::object({{"order", order}})}}).dump());
  return {};
}

Result<std::vector<std::string>> public_names(const std::vector<std::string>& words) {
  const auto known = api::public_channels();
  std::vector<const api::PublicChannelInfo*> channels;
  std::vector<std::string> markets;
  for (const std::string& word : words) {
    if (const auto info = std::ranges::find(known, std::string_view(word), channel_word); info != known.end()) {
      channels.push_back(&*info);
    } else if (!channels.empty() && (word == "*" || api::is_market_id(word))) {
      markets.push_back(word);
    } else {
      return usage_error("\"", word, "\" is no channel of the public stream; they are ", joined(known, channel_word));
    }
  }
  if (channels.empty()) return usage_error("name at least one channel");
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
    : context_(context), exchange_(std::move(exchange)), names_(std::move(names)), backoff_(jitter_seed) {}

std::optional<api::StreamNews> PublicFollower::next(std::int64_t wait_ms) {
  if (failure_ && !failure_->retryable) return std::nullopt;
  if (!link_) return connect(wait_ms);
  if (std::exchange(gap_due_, false)) {
    line_ = Json::object({{"type", "gap"}, {"channel", Json()}, {"market", Json()}, {"missed", Json()}});
    return api::StreamNews{.kind = Kind::gap};
  }
  auto event = link_->next(wait_ms);
  if (!event) {
    if (liveness_.keep(*link_, context_.uptime_ms())) return std::nullopt;
    return lost(api::silent_server_text, api::silent_server_code, 0);
  }
  liveness_.hear(context_.uptime_ms());
  if (event->kind == api::LinkEvent::Kind::ended) return lost(event->text, "connection_lost", 0);
  return event->kind == api::LinkEvent::Kind::text ? hear(event->text) : std::nullopt;
}

std::optional<api::StreamNews> PublicFollower::connect(std::int64_t wait_ms) {
  const std::int64_t left_ms = retry_at_ms_ - context_.uptime_ms();
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
    return api::StreamNews{.kind = Kind::error, .code = why.code, .text = why.reason, .final = true};
  }
  failure_.reset();
  link_ = std::move(*link);
  liveness_ = api::Liveness(context_.uptime_ms());
  static_cast<void>(link_->send(Json::object({{"subscribe", Json::list(names_)}}).dump()));
  gap_due_ = std::exchange(ever_, true);
  return api::StreamNews{.kind = Kind::connected};
}

api::StreamNews PublicFollower::lost(const std::string& why, const std::string& code, std::int64_t retry_after_ms) {
  link_.reset();
  const std::int64_t pause_ms = backoff_.next_ms(retry_after_ms);
  retry_at_ms_ = context_.uptime_ms() + pause_ms;
  return {.kind = Kind::disconnected, .code = code, .text = why, .retry_ms = pause_ms};
}

std::optional<api::StreamNews> PublicFollower::hear(const std::string& text) {
  backoff_.reset();
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
  failure_ = failed(ExitCode::invalid, document->text_at("code"), document->text_at("message"));
  return api::StreamNews{.kind = Kind::error, .code = failure_->code, .text = failure_->message, .final = true};
}

}  // namespace svc::cli
