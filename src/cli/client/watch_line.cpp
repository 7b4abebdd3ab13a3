#include "cli/client/watch_line.h"

#include "api/values.h"
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

void add_event(Json& line, const api::StreamNews& news) {
  line.set("seq", news.from_rest ? Json() : Json(news.seq));
  line.set("source", news.from_rest ? "rest" : "stream");
  line.set("snapshot", news.snapshot);
  line.set("emitted_at", news.emitted_at_ms == 0 ? Json() : Json(rfc3339(news.emitted_at_ms)));
  line.set("emitted_at_ms", news.emitted_at_ms == 0 ? Json() : Json(news.emitted_at_ms));
  auto payload = parse_json(news.payload);
  line.set("payload", payload ? std::move(*payload) : Json(news.payload));
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

}  // namespace

Json watch_line(const api::StreamNews& news, const std::string& cursor) {
  Json line = Json::object();
  const auto type = [&](std::string_view word, const char* state = nullptr) {
    line.set("type", word);
    if (state != nullptr) line.set("state", state);
  };
  switch (news.kind) {
    case Kind::connected: type("status", "connected"); break;
    case Kind::disconnected:
      type("status", "disconnected");
      line.set("code", news.code);
      line.set("reason", news.text);
      line.set("retry_ms", news.retry_ms);
      break;
    case Kind::subscribed:
      type("status", "subscribed");
      add_key(line, news.key);
      line.set("seq", news.seq);
      break;
    case Kind::event:
      type("event");
      add_key(line, news.key);
      add_event(line, news);
      break;
    case Kind::gap:
      type("gap");
      add_key(line, news.key);
      line.set("first", Json(news.first));
      line.set("last", Json(news.last));
      break;
    case Kind::resync:
      type("resync");
      add_key(line, news.key);
      line.set("by", repair_words[static_cast<std::size_t>(news.repair)]);
      line.set("complete", news.complete);
      break;
    case Kind::error:
      type("error");
      add_key(line, news.key);
      line.set("code", news.code);
      line.set("message", news.text);
      line.set("final", news.final);
      break;
  }
  if (!cursor.empty()) line.set("cursor", cursor);
  return line;
}

std::string watch_text(const Json& line, const LineRoom& room) {
  const std::string type(line.string_at("type").value_or(""));
  const std::string channel(line.string_at("channel").value_or(""));
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
  for (const std::string_view member : {"state", "code", "reason", "message"}) {
    if (const auto word = line.string_at(member)) text += std::string(*word) + "  ";
  }
  while (text.ends_with(' ')) text.pop_back();
  return escaped(text);
}

}  // namespace svc::cli
