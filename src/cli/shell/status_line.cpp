#include "cli/shell/status_line.h"

#include <array>
#include <cstdlib>

#include "base/decimal.h"
#include "cli/render.h"
#include "cli/shell/screen.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

std::optional<std::string> text_at(const Json& json, std::string_view path) {
  const auto text = json.string_at(path);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<std::int64_t> percent_of(const std::string& part, const std::string& whole) {
  constexpr int decimals = 6, percent = 100;
  const auto a = parse_scaled(part, decimals), b = parse_scaled(whole, decimals);
  if (!a || !b || *b <= 0 || *a < 0) return std::nullopt;
  return static_cast<std::int64_t>(div_round(static_cast<i128>(*a) * percent, *b, Rounding::up));
}

// Five cells, full when nothing is spent.
std::string bar(const Budget& budget) {
  constexpr std::int64_t cells = 5;
  const std::int64_t full = budget.limit <= 0 ? 0 : budget.remaining * cells / budget.limit;
  std::string text = budget.label + " ";
  for (std::int64_t i = 0; i < cells; ++i) text += i < full ? '#' : '.';
  return text;
}

// In the order shown.
struct BudgetLabel {
  std::string_view bucket, label;
};
constexpr std::array budget_labels{BudgetLabel{"key", "R"}, BudgetLabel{"order", "T"}, BudgetLabel{"cancel", "C"},
                                   BudgetLabel{"ws", "WS"}};

std::string age(TimestampMs then_ms, TimestampMs now_ms) {
  const std::int64_t ms = now_ms > then_ms ? now_ms - then_ms : 0;
  return ms < 10 * second_ms ? std::to_string(ms) + "ms" : std::to_string(ms / second_ms) + "s";
}

}  // namespace

void take_account(StatusFacts& facts, const Json& envelope) {
  const Json* summary = envelope.at("data.summary");
  if (summary == nullptr) return;
  facts.equity = text_at(*summary, "total_equity");
  facts.available = text_at(*summary, "available_margin");
  facts.open_orders = summary->integer_at("open_orders_count");
  const auto used = text_at(*summary, "margin_used");
  facts.margin_percent = used && facts.equity ? percent_of(*used, *facts.equity) : std::nullopt;
  if (const auto skew = envelope.integer_at("meta.skew_ms")) facts.skew_ms = skew;
}

void take_limits(StatusFacts& facts, const Json& envelope) {
  const Json* buckets = envelope.at("data.buckets");
  if (buckets == nullptr || !buckets->is(Json::Kind::object)) return;
  facts.budgets.clear();
  for (const auto& [bucket, label] : budget_labels) {
    const Json* one = buckets->find(bucket);
    const auto limit = one == nullptr ? std::nullopt : one->integer_at("limit");
    const auto remaining = one == nullptr ? std::nullopt : one->integer_at("remaining");
    if (limit && remaining) facts.budgets.push_back({std::string(label), *remaining, *limit});
  }
}

void take_dead_man(StatusFacts& facts, const Json& envelope) {
  const Json* enabled = envelope.at("data.enabled");
  if (enabled != nullptr && enabled->is(Json::Kind::boolean)) facts.cancels_on_disconnect = enabled->truth();
}

std::string status_text(const StatusFacts& facts, TimestampMs now_ms, std::size_t columns) {
  // Most interesting first: what does not fit is left out from the end.
  std::vector<std::string> parts;
  if (facts.read_ms && now_ms - *facts.read_ms > watch_limits::stale_ms) {
    parts.push_back("as of " + age(*facts.read_ms, now_ms) + " ago");
  }
  if (facts.equity) parts.push_back("equity " + *facts.equity);
  if (facts.available) parts.push_back("free " + *facts.available);
  if (facts.margin_percent) parts.push_back("margin " + std::to_string(*facts.margin_percent) + "%");
  if (facts.open_orders) parts.push_back("orders " + std::to_string(*facts.open_orders));
  std::string budgets;
  for (const Budget& budget : facts.budgets) budgets += (budgets.empty() ? "" : " ") + bar(budget);
  if (!budgets.empty()) parts.push_back(budgets);
  if (facts.stream_ms) {
    parts.push_back("stream " + age(*facts.stream_ms, now_ms));
  } else if (facts.read_ms) {
    parts.push_back("read " + age(*facts.read_ms, now_ms) + " ago");
  }
  if (facts.cancels_on_disconnect == true) parts.push_back("dead-man on");
  // The server's Date counts whole seconds: below one there is nothing to tell.
  if (facts.skew_ms && std::abs(*facts.skew_ms) >= second_ms) {
    parts.push_back("skew " + std::to_string(*facts.skew_ms) + "ms");
  }
  if (facts.sandbox_now_ms) parts.push_back("clock " + rfc3339(*facts.sandbox_now_ms));
  std::string text;
  for (const std::string& part : parts) {
    const std::string longer = text + (text.empty() ? "" : " | ") + part;
    if (shown_width(longer) > columns) break;
    text = longer;
  }
  return text;
}

std::string prompt_text(const Network& network, const PromptFacts& facts, Colors colors) {
  const auto& [account, market, staged, locked] = facts;
  std::string name = network.name;
  if (network.funds == Funds::real) name += " REAL FUNDS";
  if (account && account->size() > 12)
    name += " " + account->substr(0, 6) + ".." + account->substr(account->size() - 4);
  std::string text;
  if (colors == Colors::off) {
    text = name;
  } else {
    const std::string_view color = network.is_local()                ? "\033[36m"
                                   : network.funds == Funds::real    ? "\033[97;41m"
                                   : network.funds == Funds::unknown ? "\033[30;43m"
                                                                     : "\033[32m";
    text = "\1" + std::string(color) + "\1" + name + "\1\033[0m\1";
  }
  if (market) text += " " + market->substr(0, market->find('-'));
  if (locked) text += " locked";
  if (staged > 0) text += " +" + std::to_string(staged);
  return text + "> ";
}

}  // namespace svc::cli
