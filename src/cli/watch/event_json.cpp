#include "cli/watch/event_json.h"

#include "base/assert.h"
#include "cli/render.h"

namespace svc::cli {
namespace {

using Kind = api::StreamNews::Kind;

std::string_view word_of(api::StreamRepair repair) {
  switch (repair) {
    case api::StreamRepair::replay: return "replay";
    case api::StreamRepair::rest: return "rest";
    case api::StreamRepair::snapshot: return "snapshot";
    case api::StreamRepair::none: return "none";
  }
  SVC_ASSERT(false);
}

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

// Members of a payload that are worth a word, in the order they are shown.
struct Part {
  std::string_view channel;
  std::string_view path;
  std::string_view before;  // text in front of it
};

constexpr Part parts[] = {
    {"trades", "side", ""},
    {"trades", "amount", ""},
    {"trades", "price", "@ "},
    {"fills", "market_id", ""},
    {"fills", "side", ""},
    {"fills", "size", ""},
    {"fills", "price", "@ "},
    {"fills", "fee", "fee "},
    {"fills", "taker_or_maker", ""},
    {"fills", "order_id", "order "},
    {"orders", "OrderUpdate.order.market_id", ""},
    {"orders", "OrderUpdate.order.side", ""},
    {"orders", "OrderUpdate.order.quantity", ""},
    {"orders", "OrderUpdate.order.price", "@ "},
    {"orders", "OrderUpdate.order.status", ""},
    {"orders", "OrderUpdate.order.filled_qty", "filled "},
    {"orders", "OrderUpdate.order.id", "order "},
    {"orders", "OrderHistory.market_id", ""},
    {"orders", "OrderHistory.side", ""},
    {"orders", "OrderHistory.size", ""},
    {"orders", "OrderHistory.price", "@ "},
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

std::string summary(std::string_view channel, const Json& payload) {
  if (channel == "book") return "bid " + best_of(payload, "bids") + "   ask " + best_of(payload, "asks");
  std::string text;
  const auto add = [&](std::string_view before, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(before) + value;
  };
  if (payload.is(Json::Kind::array)) {  // a candle
    static constexpr std::string_view names[] = {"", "open ", "high ", "low ", "close ", "volume "};
    for (std::size_t i = 1; i < payload.items().size() && i < std::size(names); ++i)
      add(names[i], cell_text(&payload.items()[i]));
    return text;
  }
  for (const Part& part : parts) {
    if (part.channel != channel) continue;
    if (const Json* value = payload.at(part.path)) add(part.before, cell_text(value));
  }
  return text.empty() ? payload.dump() : text;
}

}  // namespace

Json watch_line(const api::StreamNews& news, const std::string& cursor) {
  Json line = Json::object();
  const auto type = [&](std::string_view text) { line.set("type", text); };
  switch (news.kind) {
    case Kind::connected:
      type("status");
      line.set("state", "connected");
      break;
    case Kind::disconnected:
      type("status");
      line.set("state", "disconnected");
      line.set("code", news.code);
      line.set("reason", news.text);
      line.set("retry_ms", news.retry_ms);
      break;
    case Kind::subscribed:
      type("status");
      line.set("state", "subscribed");
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
      line.set("by", word_of(news.repair));
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

std::string watch_text(const Json& line) {
  const std::string type(line.string_at("type").value_or(""));
  const std::string channel(line.string_at("channel").value_or(""));
  std::string text;
  if (const auto at_ms = line.integer_at("emitted_at_ms")) text = rfc3339(*at_ms).substr(11, 12) + "  ";
  text += channel.empty() ? type : channel;
  if (const auto market = line.string_at("market")) text += "  " + std::string(*market);
  text += "  ";
  if (type == "event") {
    const Json* payload = line.find("payload");
    text += summary(channel, payload == nullptr ? Json() : *payload);
    if (line.string_at("source") == std::string_view("rest")) text += "  (read by REST)";
    return escaped(text);
  }
  if (type == "gap") {
    return escaped(text + "gap: events " + cell_text(line.find("first")) + " to " + cell_text(line.find("last")) + " are missing");
  }
  if (type == "resync") {
    const Json* complete = line.find("complete");
    return escaped(text + "in step again, by " + std::string(line.string_at("by").value_or("")) +
                   (complete != nullptr && complete->truth() ? "" : "; not everything could be had"));
  }
  for (const std::string_view member : {"state", "code", "reason", "message"}) {
    if (const auto word = line.string_at(member)) text += std::string(*word) + "  ";
  }
  while (text.ends_with(' ')) text.pop_back();
  return escaped(text);
}

}  // namespace svc::cli
