#include "cli/client/watch_loop.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "api/http/channel.h"
#include "base/descriptor.h"
#include "cli/client/refusal.h"
#include "cli/machine/programs.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

using Kind = api::StreamNews::Kind;

constexpr std::string_view repair_words[] = {"replay", "rest", "snapshot", "none"};

void add_key(Json& line, const std::optional<api::StreamKey>& key) {
  if (!key) return;
  line.set("channel", api::info_of(key->channel).name);
  line.set("market", key->market.empty() ? Json() : Json(key->market));
  if (!key->interval.empty()) line.set("interval", key->interval);
}

// The members of a line but the cursor.
Json line_of(const api::StreamNews& news) {
  using Members = std::initializer_list<std::pair<std::string_view, Json>>;
  const auto line = [&](Members begin, Members rest) {
    Json members = Json::object(begin);
    add_key(members, news.key);
    members.set_all(Json::object(rest));
    return members;
  };
  const auto status = [&](std::string_view state, Members rest) {
    return line({{"type", "status"}, {"state", state}}, rest);
  };
  switch (news.kind) {
    case Kind::connected: return status("connected", {});
    case Kind::disconnected:
      return status("disconnected", {{"code", news.code}, {"reason", news.text}, {"retry_ms", news.retry_ms}});
    case Kind::subscribed: return status("subscribed", {{"seq", news.seq}});
    case Kind::event: {
      const bool is_dated = news.emitted_at_ms != 0;
      Json event = line({{"type", "event"}}, {{"seq", news.from_rest ? Json() : Json(news.seq)},
                                              {"source", news.from_rest ? "rest" : "stream"},
                                              {"snapshot", news.snapshot},
                                              {"emitted_at", is_dated ? Json(rfc3339(news.emitted_at_ms)) : Json()},
                                              {"emitted_at_ms", is_dated ? Json(news.emitted_at_ms) : Json()}});
      return event.set("payload", json_or_text(news.payload));
    }
    case Kind::gap: return line({{"type", "gap"}}, {{"first", news.first}, {"last", news.last}});
    case Kind::resync:
      return line({{"type", "resync"}},
                  {{"by", repair_words[static_cast<std::size_t>(news.repair)]}, {"complete", news.complete}});
    case Kind::error:
      return line({{"type", "error"}}, {{"code", news.code}, {"message", news.text}, {"final", news.final}});
  }
  SVC_ASSERT(false);
}

// When a conditional order triggered: open and ended orders have different names for it.
std::string fired_at(const Json& order) {
  return clock_at(order, order.find("triggered_at_ms") == nullptr ? "triggered_at" : "triggered_at_ms");
}

// The members of a payload to show, in this order.
struct Part {
  std::string_view channel;
  std::string_view path;
  std::string_view before;                            // written before the member
  std::string (*text)(const Json& member) = nullptr;  // for members that may be empty; they are left out then
};

// "MarketHalted" is what happened; a line shows how the market is.
std::string market_state(const Json& type) {
  return type.text() == "MarketHalted" ? "halted" : type.text() == "MarketResumed" ? "resumed" : cell_text(&type);
}

std::string if_told(const Json& member) {
  return member.is(Json::Kind::null) ? std::string() : cell_text(&member);
}

constexpr Part parts[] = {
    {"trades", "side", ""},
    {"trades", "amount", ""},
    {"trades", "price", "@ "},
    {"fills", "market_id", ""},
    {"fills", "side", "", small_side},
    {"fills", "size", ""},
    {"fills", "price", "@ "},
    {"fills", "fee", "fee "},
    {"fills", "liquidation_fee", "liquidation fee ", if_told},
    {"fills", "taker_or_maker", ""},
    {"fills", "order_id", "order "},
    {"orders", "OrderUpdate.order.market_id", ""},
    {"orders", "OrderUpdate.order.side", "", small_side},
    {"orders", "OrderUpdate.order.quantity", ""},
    {"orders", "OrderUpdate.order", "", conditional_type},
    {"orders", "OrderUpdate.order", "@ ", limit_price},
    {"orders", "OrderUpdate.order.trigger_price", "trigger ", if_told},
    {"orders", "OrderUpdate.order", "trailing ", trailing_distance},
    {"orders", "OrderUpdate.order", "fired ", fired_at},
    {"orders", "OrderUpdate.order.status", ""},
    {"orders", "OrderUpdate.order.filled_qty", "filled "},
    {"orders", "OrderUpdate.order.id", "order "},
    {"orders", "OrderHistory.market_id", ""},
    {"orders", "OrderHistory.side", "", small_side},
    {"orders", "OrderHistory.size", ""},
    {"orders", "OrderHistory", "", conditional_type},
    {"orders", "OrderHistory", "@ ", limit_price},
    {"orders", "OrderHistory", "fired ", fired_at},
    {"orders", "OrderHistory.status", ""},
    {"orders", "OrderHistory.id", "order "},
    {"positions", "market_id", ""},
    {"positions", "side", ""},
    {"positions", "size", ""},
    {"positions", "entry_price", "@ "},
    {"positions", "unrealized_pnl", "upnl "},
    {"positions", "realized_pnl", "rpnl "},
    {"balances", "balance", "balance "},
    {"balances", "equity", "equity "},
    {"balances", "available_margin", "free "},
    {"ticker", "bid", "bid "},
    {"ticker", "ask", "ask "},
    {"ticker", "last", "last "},
    {"ticker", "markPrice", "mark "},
    {"market_status", "type", "", market_state},
    {"market_status", "reason", "", if_told},
    {"liquidations", "LiquidationAlert.severity", "liquidation alert: "},
    {"liquidations", "LiquidationAlert.equity", "equity "},
    {"liquidations", "LiquidationAlert.maintenance_margin", "maintenance margin "},
    {"liquidations", "PortfolioLiquidation.equity_before", "liquidated: equity "},
    {"liquidations", "PortfolioLiquidation.equity_after", "now "},
};

std::string best_of(const Json& payload, std::string_view side) {
  const Json* levels = payload.find(side);
  if (levels == nullptr || levels->items().empty()) return "-";
  const Json& best = levels->items().front();
  if (const Json* price = best.find("price")) return cell_text(best.find("quantity")) + " @ " + cell_text(price);
  if (best.items().size() < 2) return "-";
  return best.items()[1].text() + " @ " + best.items()[0].text();
}

constexpr std::string_view before_id = "order ";

// The most important words first.
std::vector<std::string> summary(std::string_view channel, const Json& payload) {
  if (channel == "book") return {"bid " + best_of(payload, "bids"), "  ask " + best_of(payload, "asks")};
  std::vector<std::string> text;
  const auto add = [&](std::string_view before, const std::string& value) {
    text.push_back(std::string(before) + value);
  };
  if (payload.is(Json::Kind::array)) {  // a candle
    static constexpr std::string_view names[] = {"", "open ", "high ", "low ", "close ", "volume "};
    for (std::size_t i = 1; i < payload.items().size() && i < std::size(names); ++i)
      add(names[i], cell_text(&payload.items()[i]));
    return text;
  }
  for (const Part& part : parts) {
    if (part.channel != channel) continue;
    const Json* value = payload.at(part.path);
    if (value == nullptr) continue;
    const std::string word = part.text == nullptr ? cell_text(value) : part.text(*value);
    if (part.text == nullptr || (!word.empty() && word != "-")) add(part.before, word);
  }
  return text.empty() ? std::vector{payload.dump()} : text;
}

std::string fitted(std::vector<std::string> head, std::vector<std::string> told, const LineRoom& room) {
  const auto whole = [&] { return joined(head, {}, "  ") + "  " + joined(told, {}, " "); };
  const auto is_too_wide = [&] { return room.columns > 0 && width_of(whole()) > room.columns; };
  if (is_too_wide()) {
    for (std::string& part : told)
      if (part.starts_with(before_id))
        part = std::string(before_id) + shortened_id(part.substr(before_id.size()), room.utf8);
  }
  while (is_too_wide() && told.size() > 1) told.pop_back();
  while (is_too_wide() && head.size() > 1) head.erase(head.begin());
  return whole();
}

// Conditions on a JSON document, as `--until` takes them. A path leads through objects:
// "payload.OrderUpdate.order.status=Filled".
bool hold(const TextConditions& conditions, const Json& document) {
  return conditions.hold([&](std::string_view path) -> std::optional<std::string> {
    const Json* found = document.at(path);
    if (found == nullptr) return std::nullopt;
    if (found->is(Json::Kind::null)) return "null";
    return found->text().empty() ? cell_text(found) : found->text();
  });
}

volatile std::sig_atomic_t last_signal = 0;

extern "C" void note_signal(int signal) {
  last_signal = signal;
  run_is_ending = signal;
}

// The end line of ndjson.
Answer ended(Context& context, ExitCode exit) {
  Answer answer{.printed = true};
  answer.failure = stopped_by(exit);
  const bool has_end_line = context.globals().format == Format::ndjson && context.presentation().filter == nullptr;
  if (has_end_line) static_cast<void>(context.environment().out(render_end(answer.failure, context.facts())));
  return answer;
}

// Like the list formats, but row by row: one header.
Result<Written> show_row(Context& context, const View& view, const Json& row, bool first) {
  const auto& format = context.globals().format;
  if (context.presentation().filter || format == Format::ndjson || format == Format::raw)
    return print_stream_line(context, row);
  Presentation presentation = context.presentation();
  presentation.format = format.value_or(Format::tsv);
  presentation.header = first && presentation.header;
  presentation.width = 0;
  presentation.expanded = presentation.numbers_orders = false;
  const auto text = SVC_TRY(render_rows({.data = Json::array({row}), .view = view}, presentation));
  return context.environment().out(text);
}

}  // namespace

Json watch_line(const api::StreamNews& news, const std::string& cursor) {
  Json line = line_of(news);
  if (!cursor.empty()) line.set("cursor", cursor);
  return line;
}

std::string watch_text(const Json& line, const LineRoom& room) {
  const std::string type = line.text_at("type"), channel = line.text_at("channel");
  std::vector<std::string> head;
  if (const auto at_ms = line.integer_at("emitted_at_ms"))
    head.push_back(room.zone.shown(rfc3339(*at_ms)).substr(11, 12));
  head.push_back(channel.empty() ? type : channel);
  if (const auto market = line.string_at("market")) head.emplace_back(*market);
  if (type == "event") {
    auto told = summary(channel, line.value_at("payload"));
    if (line.string_at("source") == std::string_view("rest")) told.emplace_back(" (read by REST)");
    return escaped(fitted(std::move(head), std::move(told), room));
  }
  std::string text = joined(head, {}, "  ") + "  ";
  if (type == "gap") {
    return escaped(text + "gap: events " + cell_text(line.find("first")) + " to " + cell_text(line.find("last")) +
                   " are missing");
  }
  if (type == "resync") {
    return escaped(text + "in step again, by " + line.text_at("by") +
                   (line.truth_at("complete") ? "" : "; not everything could be had"));
  }
  for (const std::string_view member : {"state", "code", "reason", "message"})
    if (const auto word = line.string_at(member)) text += std::string(*word) + "  ";
  while (text.ends_with(' ')) text.pop_back();
  return escaped(text);
}

Failure stopped_by(ExitCode signal) {
  return failed(signal, meaning_of(signal).category, "stopped by a signal");
}

WatchReport follow(Context& context, const WatchSource& source, const WatchEnds& ends, const WatchSink& sink) {
  const StopSignals signals(context.environment());
  const std::int64_t started_ms = context.uptime_ms();
  WatchReport report;
  const auto left_ms = [&] {
    return ends.for_ms ? started_ms + *ends.for_ms - context.uptime_ms() : std::numeric_limits<std::int64_t>::max();
  };
  // Ends the waits inside the stream as well, such as for the answer to a handshake.
  const auto must_end = [&] { return left_ms() <= 0 || signals.came(); };
  const api::EndsWaits no_wait_goes_on(must_end);
  bool ever_connected = false;
  int attempts_left = context.globals().retries + 1;
  const auto end = [&](std::string reason, std::optional<Failure> failure) {
    report.reason = std::move(reason);
    report.failure = std::move(failure);
    return report;
  };
  for (;;) {
    if (const auto signal = signals.came()) return end("interrupted", stopped_by(*signal));
    if (left_ms() <= 0) {
      if (!ends.count && !ends.until) return end("for", std::nullopt);
      return end("for", failed("wait_ended", "what was waited for did not come within --for").as_retryable());
    }
    const auto news = source.next(std::min(watch_limits::look_ms, left_ms()));
    if (const auto shown = news ? Written::whole : context.environment().out(""); shown == Written::reader_gone)
      return end("unwritable", unwritable(context, shown));
    if (!news || (news->kind == api::StreamNews::Kind::disconnected && must_end())) continue;
    Json line = source.line ? source.line() : Json();
    if (line.is(Json::Kind::null)) line = watch_line(*news, source.cursor());
    if (news->kind == api::StreamNews::Kind::disconnected && !ever_connected && attempts_left == 1)
      line.set("retry_ms", 0);  // this was the last attempt
    if (const Written shown = sink(*news, line); shown != Written::whole)
      return end("unwritable", unwritable(context, shown));
    switch (news->kind) {
      case api::StreamNews::Kind::connected: ever_connected = true; break;
      case api::StreamNews::Kind::disconnected:
        if (!ever_connected && --attempts_left <= 0) return end("failed", source.failure());
        break;
      case api::StreamNews::Kind::gap:
        ++report.gaps;
        if (!ends.fail_on_gap) break;
        return end("gap",
                   failed("stream_gap", "the stream lost events", news->key ? " of " + to_string(*news->key) : "")
                       .as_retryable());
      case api::StreamNews::Kind::event: ++report.events; break;
      case api::StreamNews::Kind::error:
        if (!news->final) break;
        if (auto why = source.failure()) return end("failed", std::move(why));
        return end("failed", failed(exit_of_code(news->code), news->code, news->text));
      default: break;
    }
    if (ends.until && hold(*ends.until, line)) return end("until", std::nullopt);
    if (ends.count && report.events >= *ends.count) return end("count", std::nullopt);
  }
}

StopSignals::StopSignals(const Environment& environment) : environment_(environment) {
  if (environment.signals_are_taken) return;
  last_signal = 0;
  run_is_ending = 0;
  noted_.emplace(told_signals, note_signal, [](const struct sigaction& now) { return now.sa_handler == SIG_IGN; });
}

std::optional<ExitCode> StopSignals::came() const {
  if (noted_ && last_signal != 0) return exit_of_signal(last_signal);
  return environment_.interrupted() ? std::optional(ExitCode::interrupted) : std::nullopt;
}

Result<Answer> follow_rows(Context& context, const View& view, const RowsAfter& rows_after) {
  const bool is_one = context.globals().format == Format::json && !context.globals().jq_alone;
  if (is_one && !context.leave_stored_format("--follow prints more than one document")) {
    return usage_error("--follow and one JSON document exclude each other; use -o ndjson");
  }
  const StopSignals signals(context.environment());
  Environment& environment = context.environment();
  std::optional<Json> last;
  bool first = true;
  for (bool asked = false;; asked = true) {
    const auto rows = rows_after(last);
    if (!rows) {
      const auto* failure = failure_in(rows);
      if (!asked || failure == nullptr || !failure->retryable) return unexpected(rows.error());
      context.say("note: " + failure->message + "; trying again");
    } else {
      for (const Json& row : *rows) {
        const auto shown = SVC_TRY(show_row(context, view, row, std::exchange(first, false)));
        if (shown != Written::whole) return Answer{.printed = true, .failure = unwritable(context, shown)};
        last = row;
      }
    }
    for (std::int64_t left_ms = watch_limits::poll_ms; left_ms > 0; left_ms -= watch_limits::look_ms) {
      if (const auto signal = signals.came()) return ended(context, *signal);
      if (const auto written = environment.out(""); written == Written::reader_gone)
        return Answer{.printed = true, .failure = unwritable(context, written)};
      environment.sleep_ms(watch_limits::look_ms);
    }
  }
}

Result<void> check_stream_format(Context& context, std::string_view what) {
  const auto& format = context.globals().format;
  const std::string_view typed = context.globals().text_template ? "--template"
                                 : format == Format::csv         ? "-o csv"
                                 : format == Format::tsv         ? "-o tsv"
                                                                 : "";
  if (typed.empty() || context.leave_stored_format(concat(what, " has no columns"))) return {};
  return usage_error(typed, ": ", what,
                     " has no columns; -o ndjson prints a JSON line for each, and --jq picks from it");
}

Failure unwritable(Context& context, Written written) {
  if (written == Written::reader_gone) return failed("broken_pipe", "the reader of the output went away");
  if (run_is_ending != 0) return stopped_by(exit_of_signal(run_is_ending));
  Failure failure = failed(file_error_code, "standard output cannot be written; the result is incomplete");
  context.environment().err(render_failure(failure));
  return failure;
}

Written print_stream_line(Context& context, const Json& line) {
  Environment& environment = context.environment();
  const std::string text = line.dump(LargeIntegers::as_text);
  const auto& filter = context.presentation().filter;
  const auto print = [&](const std::string& lines) { return environment.out(environment.for_out(lines)); };
  if (filter == nullptr) return print(text + "\n");
  const auto shown = filter(text);
  if (!shown) {
    environment.err("svc: --jq: " + escaped(shown.error()) + "\n");
    return Written::whole;
  }
  // A --jq expression for events yields nothing for status lines.
  if (shown->empty() || (*shown == "null\n" && line.string_at("type") != "event")) return Written::whole;
  return print(*shown);
}

Result<void, std::string> run_hook(const std::string& command, const Json& line) {
  // A file, because a pipe blocks if the command does not read a long line.
  const Descriptor input(::memfd_create("event", MFD_CLOEXEC));
  if (!input || write_all(input.get(), line.dump(LargeIntegers::as_text) + "\n") != Written::whole ||
      ::lseek(input.get(), 0, SEEK_SET) != 0)
    return unexpected(concat("cannot be started: ", std::strerror(errno)));
  const auto pid = SVC_TRY(start({.words = shell_words(command),
                                  .variables = {{"SVC_EVENT_CHANNEL", line.text_at("channel")}},
                                  .input = input.get(),
                                  .output = STDERR_FILENO}));
  const auto exit = exit_until(pid, steady_ms() + hook_ms_max);
  if (exit == 0) return {};
  if (exit) return unexpected(concat("ended with exit code ", *exit));
  ::kill(pid, SIGKILL);
  static_cast<void>(wait_for(pid));
  return unexpected(concat("took longer than ", hook_ms_max / second_ms, " s and was killed"));
}

}  // namespace svc::cli
