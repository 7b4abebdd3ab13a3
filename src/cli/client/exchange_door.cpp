#include "cli/client/exchange_door.h"

#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/streams.h"
#include "api/operation_list.h"
#include "api/stream/stream_message.h"
#include "cli/arguments/spelling.h"
#include "cli/client/outgoing.h"

namespace svc::cli {
namespace {

constexpr std::uint32_t page_rows = 500;
constexpr std::uint32_t ended_orders = 100;

api::LinkRefusal permanent(const Failure& why) {
  return {.code = why.code, .reason = why.message, .permanent = true};
}

// What could not be reached once may be reached later; what was refused for a reason stays refused.
api::LinkRefusal refusal_of(const Failure& why) {
  const bool passing = why.retryable || why.exit == ExitCode::unavailable || why.exit == ExitCode::rate_limited ||
                       why.exit == ExitCode::outcome_unknown;
  return {
      .code = why.code, .reason = why.message, .permanent = !passing, .retry_after_ms = why.retry_after_ms.value_or(0)};
}

NotOpened not_opened(const api::LinkRefusal& why) {
  const LocalCode* ours = find_local_code(why.code);
  return {.refusal = why,
          .failure = {.exit = why.status == 429 ? ExitCode::rate_limited
                              : !why.permanent  ? ExitCode::unavailable
                              : ours != nullptr ? ours->exit
                                                : ExitCode::invalid,
                      .code = why.code,
                      .message = "the stream cannot be opened: " + why.reason,
                      .retryable = !why.permanent}};
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
  std::string origin = network.origin();
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
    origin = api::to_string(*url);
  }
  return context.environment().open_link(context.route_to(std::move(origin), context.globals().timeout_ms), target);
}

}  // namespace

Result<std::unique_ptr<ExchangeDoor>> ExchangeDoor::make(Context& context) {
  auto exchange = SVC_TRY(Exchange::open(context));
  return std::make_unique<ExchangeDoor>(context, std::move(exchange));
}

api::LinkRefusal ExchangeDoor::refused(const Failure& why) {
  if (!why.is_plan()) failure_ = why;
  return refusal_of(why);
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

Result<std::unique_ptr<api::MessageLink>, NotOpened> open_stream(Context& context, Exchange& exchange, StreamOf whose,
                                                                 Opening opening) {
  std::size_t others_left = exchange.network().bases.size() - 1;
  std::string why = "the stream ended";
  for (bool goes_on = opening == Opening::again;; goes_on = true) {
    const auto gone_on = goes_on ? exchange.go_on(why) : Result<void>();
    if (!gone_on) return unexpected(not_opened(permanent(gone_on.error())));
    std::optional<Secret> token;
    if (whose == StreamOf::account) {
      auto minted = mint_stream_token(exchange, TokenKind::account);
      if (!minted) return unexpected(NotOpened{.refusal = refusal_of(minted.error()), .failure = minted.error()});
      token = std::move(*minted);
    }
    auto link = open_stream_link(context, exchange, token);
    if (link) return std::move(*link);
    const bool is_absent = !link.error().permanent && (link.error().status == 0 || link.error().status >= 500);
    if (!is_absent || others_left == 0) return unexpected(not_opened(link.error()));
    --others_left;
    why = link.error().reason;
  }
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> ExchangeDoor::open() {
  const Opening opening = std::exchange(tried_, true) ? Opening::again : Opening::first;
  auto link = open_stream(context_, exchange_, StreamOf::account, opening);
  if (link) return std::move(*link);
  if (const Failure& why = link.error().failure; !why.is_plan()) failure_ = why;
  return unexpected(link.error().refusal);
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
  PageWalk walk;
  while (found.payloads.size() < api::stream_limits::row_ids_max) {
    auto call = SVC_TRY(rows_call(key, row_id ? page_rows : ended_orders, walk.cursor()));
    const auto reply = SVC_TRY(ask(std::move(call)));
    for (const Json& row : reply.body.items()) {
      found.complete = row_id && (is_orders ? api::is_marked_order(*row_id, row.dump())
                                            : row.string_at("id") == std::string_view(*row_id));
      if (found.complete) break;
      found.payloads.push_back(is_orders ? Json::object({{"OrderHistory", row}}).dump() : row.dump());
    }
    const auto more = walk.go_on(reply);
    const bool is_last = more && !*more;
    if (is_last && (!row_id || row_id->empty())) found.complete = true;
    if (found.complete || is_last || !more || !row_id) break;
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

}  // namespace svc::cli
