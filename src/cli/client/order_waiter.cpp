#include "cli/client/order_waiter.h"

#include <ranges>

#include "api/contract/orders.h"
#include "cli/arguments/durations.h"
#include "cli/client/account_lookup.h"
#include "cli/client/client_id.h"
#include "cli/client/exchange_door.h"
#include "cli/client/watch_loop.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {

Json fills_of(const Json& newest_first, std::string_view order_id) {
  Json fills = Json::array();
  for (const Json& fill : newest_first.items() | std::views::reverse)
    if (fill.string_at("order_id") == order_id) fills.push(fill);
  return fills;
}

WaitVerdict judge(WaitFor wanted, std::string_view status) {
  const bool over = trade::has_ended(status);
  switch (wanted) {
    case WaitFor::filled:
      return status == "Filled" ? WaitVerdict::reached : over ? WaitVerdict::never : WaitVerdict::not_yet;
    case WaitFor::terminal: return over ? WaitVerdict::reached : WaitVerdict::not_yet;
    case WaitFor::open: return !over || status == "Filled" ? WaitVerdict::reached : WaitVerdict::never;
  }
  return WaitVerdict::not_yet;
}

Result<WaitedOrder> wait_for_order(Context& context, const std::string& order_id, const std::string& market,
                                   WaitFor wanted, std::int64_t timeout_ms) {
  using News = api::StreamNews::Kind;
  context.count_as_told();  // whoever ends the wait by a signal is told what was accepted
  const auto door = SVC_TRY(ExchangeDoor::make(context));
  const std::int64_t started_ms = context.uptime_ms();
  const std::int64_t until_ms = started_ms + timeout_ms;
  Environment& environment = context.environment();
  api::StreamClient client(*door, context.uptime_clock(),
                           {{.channel = api::StreamChannel::orders, .market = {}, .interval = {}}});
  WaitedOrder waited;
  const auto take = [&](const Json& order) {
    if (waited.verdict != WaitVerdict::not_yet) return;
    waited.order = order;
    waited.verdict = judge(wanted, order.text_at("status"));
  };
  // A venue that cannot be read for a while is no reason to stop waiting.
  const auto look = [&]() -> Result<void> {
    auto order = find_order(door->exchange(), SVC_TRY(order_ref(order_id, market)));
    waited.unread.reset();
    if (order) take(*order);
    const bool may_pass =
        !order && (order.error().exit == ExitCode::unavailable || order.error().exit == ExitCode::rate_limited);
    if (may_pass) waited.unread = order.error();
    if (order || may_pass) return {};
    return unexpected(order.error());
  };
  bool is_streaming = true;
  const auto handle = [&](const api::StreamNews& news) -> Result<void> {
    // Events before the subscription are missing.
    if (news.kind == News::subscribed || news.kind == News::resync) return look();
    if (news.kind == News::error && news.final) is_streaming = false;
    if (news.kind != News::event) return {};
    const Json payload = json_or_null(news.payload);
    const Json* order = payload.at("OrderUpdate.order");
    if (order != nullptr && order->string_at("id") == std::string_view(order_id)) take(*order);
    return {};
  };

  const StopSignals signals(environment);
  // The order may already be in that state; then no stream is opened.
  SVC_TRY(look());
  // Whoever only looks on must not start the timer that cancels the account's orders.
  if (waited.verdict == WaitVerdict::not_yet)
    is_streaming = !waited.unread && !end_of_stream_may_cancel(door->exchange());
  std::int64_t look_at_ms = context.uptime_ms() + watch_limits::poll_ms;
  while (waited.verdict == WaitVerdict::not_yet && context.uptime_ms() < until_ms) {
    if (const auto signal = signals.came())
      return failed(*signal, meaning_of(*signal).category, "stopped while waiting for order ", order_id, ", which is ",
                    waited.order.text_at("status"));
    const std::int64_t wait_ms = std::min(watch_limits::look_ms, until_ms - context.uptime_ms());
    if (!is_streaming) {
      environment.sleep_ms(wait_ms);
    } else {
      if (const auto news = client.next(wait_ms)) SVC_TRY(handle(*news));
      if (client.connected() && is_streaming) continue;
    }
    // Without a stream it polls.
    if (context.uptime_ms() < look_at_ms) continue;
    look_at_ms = context.uptime_ms() + watch_limits::poll_ms;
    SVC_TRY(look());
  }
  // The event of the last change may have been lost, and no later event would tell of it.
  if (waited.verdict == WaitVerdict::not_yet && is_streaming) SVC_TRY(look());
  waited.waited_ms = context.uptime_ms() - started_ms;
  if (waited.unread) return waited;
  const auto fills =
      door->exchange().read<api::ops::ListFills>({.limit = waited_fills, .market_id = api::MarketId{market}});
  if (!fills) context.notice("fills_not_read", "the fills could not be read: " + fills.error().message);
  if (fills) waited.fills = fills_of(*fills, order_id);
  return waited;
}

std::optional<Failure> failure_of(const WaitedOrder& waited, WaitFor wanted, const std::string& order_id) {
  const std::string status = waited.order.text_at("status");
  const std::string word(wait_words[static_cast<std::size_t>(wanted)]);
  switch (waited.verdict) {
    case WaitVerdict::reached: return std::nullopt;
    case WaitVerdict::not_yet:
      return failed("wait_ended", "order ", order_id,
                    waited.unread ? " could not be read: " + waited.unread->code : " is " + status + ", not " + word,
                    ", after ", waited.waited_ms, " ms")
          .as_retryable();
    case WaitVerdict::never:
      if (was_cancelled_for(trade::CancelReason::amend_replace, waited.order))
        return failed(order_ended_code, "order ", order_id, " was amended, and another order is in its place");
      return failed(order_ended_code, "order ", order_id, " is ", status, " and will not be ", word);
  }
  return std::nullopt;
}

void WaitFlags::declare(Arguments& arguments) {
  arguments.text_or("--wait", state, takes_terminal_only ? "terminal" : "filled", "STATE",
                    takes_terminal_only ? "wait until the orders are over, which is terminal"
                                        : "wait until the order is filled (default), open or terminal");
  arguments.add(timeout, {"--wait-timeout", "wait at most so long, such as 90s (default 30s); then exit 17", "D"});
}

Result<std::optional<WaitFlags::Wait>> WaitFlags::understand() const {
  if (!state) {
    if (timeout) return usage_error("--wait-timeout needs --wait");
    return std::optional<Wait>();
  }
  const auto word = std::ranges::find(wait_words, *state);
  if (word == wait_words.end())
    return usage_error("--wait must be one of ", joined(wait_words), ", not \"", *state, "\"");
  if (takes_terminal_only && *state != "terminal")
    return usage_error("a cancel waits until its orders are over: --wait=terminal, not \"", *state, "\"");
  Wait wait{.wanted = static_cast<WaitFor>(word - wait_words.begin()), .timeout_ms = watch_limits::wait_ms_default};
  if (timeout) wait.timeout_ms = SVC_TRY(parse_patience(timeout_flag, *timeout));
  return std::optional(wait);
}

Result<void> wait_in_answer(Context& context, const WaitFlags::Wait& wait, Answer& answer) {
  const std::string order_id = answer.data.text_at("order.id"), market = answer.data.text_at("order.market_id");
  const Json* order = answer.data.find("order");
  WaitedOrder waited;
  waited.verdict = order == nullptr ? WaitVerdict::not_yet : judge(wait.wanted, order->text_at("status"));
  if (waited.verdict == WaitVerdict::not_yet) {
    auto done = wait_for_order(context, order_id, market, wait.wanted, wait.timeout_ms);
    if (!done && done.error().is_plan()) return unexpected(done.error());
    if (!done && was_stopped(done.error().exit)) {
      answer.failure = done.error();
      return {};
    }
    if (done)
      waited = std::move(*done);
    else
      waited.unread = done.error();
    if (!waited.order.is(Json::Kind::null)) {
      answer.data.set("order", waited.order);
      if (!waited.fills.is(Json::Kind::null)) answer.data.set("fills", waited.fills);
      answer.raw.reset();
    }
  } else {
    waited.order = *order;
  }
  context.facts().meta.set("waited_ms", waited.waited_ms);
  answer.failure = failure_of(waited, wait.wanted, order_id);
  if (answer.failure && answer.failure->exit == ExitCode::wait_ended) {
    answer.failure->message.insert(0, "it was accepted, but ");
    answer.failure->retryable = false;
    answer.failure->actions = {command_line(context, "orders wait " + order_id)};
  }
  return {};
}

}  // namespace svc::cli
