#include "cli/shell/status_line.h"

#include <chrono>
#include <cstdlib>

#include "base/decimal.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// Less than the age at which figures are marked stale.
constexpr std::chrono::seconds period{4};
static_assert(std::chrono::milliseconds(period).count() < watch_limits::stale_ms);
constexpr std::chrono::seconds tick{1};  // so that ages in the status line advance
// In a shell that is left alone, polling stops after so many polls without a key press.
constexpr int idle_polls_max = 60;

std::optional<std::int64_t> percent_of(std::string_view part, std::string_view whole) {
  constexpr int decimals = 6, percent = 100;
  const auto a = parse_scaled(part, decimals), b = parse_scaled(whole, decimals);
  if (!a || !b || *b <= 0 || *a < 0) return std::nullopt;
  return static_cast<std::int64_t>(div_round(static_cast<i128>(*a) * percent, *b, Rounding::up));
}

// Five cells; full when nothing is used.
std::string budget_bar(const Budget& budget) {
  constexpr std::int64_t cells = 5;
  const std::int64_t full = budget.limit <= 0 ? 0 : budget.remaining * cells / budget.limit;
  std::string text = budget.label + " ";
  for (std::int64_t i = 0; i < cells; ++i) text += i < full ? '#' : '.';
  return text;
}

// In the order shown: the bucket and its label.
constexpr std::pair<std::string_view, std::string_view> budget_labels[] = {
    {"key", "R"}, {"order", "T"}, {"cancel", "C"}, {"ws", "WS"}};

std::string age(TimestampMs then_ms, TimestampMs now_ms) {
  const std::int64_t ms = now_ms > then_ms ? now_ms - then_ms : 0;
  return ms < 10 * second_ms ? concat(ms, "ms") : concat(ms / second_ms, "s");
}

// From the envelope of `limits`.
void take_limits(StatusFacts& facts, const Json& envelope) {
  const Json buckets = envelope.value_at("data.buckets");
  if (!buckets.is(Json::Kind::object)) return;
  facts.budgets.clear();
  for (const auto& [bucket, label] : budget_labels) {
    const auto limit = buckets.integer_at(concat(bucket, ".limit"));
    const auto remaining = buckets.integer_at(concat(bucket, ".remaining"));
    if (limit && remaining) facts.budgets.push_back({std::string(label), *remaining, *limit});
  }
}

}  // namespace

void take_account(StatusFacts& facts, const Json& envelope) {
  const Json* summary = envelope.at("data.summary");
  if (summary == nullptr) return;
  facts.equity = std::optional<std::string>(summary->string_at("total_equity"));
  facts.available = std::optional<std::string>(summary->string_at("available_margin"));
  facts.open_orders = summary->integer_at("open_orders_count");
  const auto used = summary->string_at("margin_used");
  facts.margin_percent = used && facts.equity ? percent_of(*used, *facts.equity) : std::nullopt;
  if (const auto skew = envelope.integer_at("meta.skew_ms")) facts.skew_ms = skew;
}

std::string status_text(const StatusFacts& facts, TimestampMs now_ms, std::size_t columns) {
  // The most important first: what does not fit is dropped from the end.
  std::vector<std::string> parts;
  if (facts.read_ms && now_ms - *facts.read_ms > watch_limits::stale_ms) {
    parts.push_back("as of " + age(*facts.read_ms, now_ms) + " ago");
  }
  if (facts.equity) parts.push_back("equity " + *facts.equity);
  if (facts.available) parts.push_back("free " + *facts.available);
  if (facts.margin_percent) parts.push_back(concat("margin ", *facts.margin_percent, "%"));
  if (facts.open_orders) parts.push_back(concat("orders ", *facts.open_orders));
  if (!facts.budgets.empty()) parts.push_back(joined(facts.budgets, budget_bar, " "));
  if (facts.stream_ms) {
    parts.push_back("stream " + age(*facts.stream_ms, now_ms));
  } else if (facts.read_ms) {
    parts.push_back("read " + age(*facts.read_ms, now_ms) + " ago");
  }
  if (facts.cancels_on_disconnect == true) parts.push_back("dead-man on");
  // The server's Date counts whole seconds, so smaller differences mean nothing.
  if (facts.skew_ms && std::abs(*facts.skew_ms) >= second_ms) {
    parts.push_back(concat("skew ", *facts.skew_ms, "ms"));
  }
  if (facts.sandbox_now_ms) parts.push_back("clock " + rfc3339(*facts.sandbox_now_ms));
  std::string text;
  for (const std::string& part : parts) {
    const std::string longer = text + (text.empty() ? "" : " | ") + escaped(part);  // figures of the service
    if (shown_width(longer) > columns) break;
    text = longer;
  }
  return text;
}

std::string prompt_text(const Network& network, const std::optional<std::string>& account, const ShellState& state,
                        Colors colors) {
  std::string name = network.name;
  if (network.funds == Funds::real) name += " REAL FUNDS";
  if (account && account->size() > 12)
    name += " " + account->substr(0, 6) + ".." + account->substr(account->size() - 4);
  const std::string_view color = network.is_local()                ? "\033[36m"
                                 : network.funds == Funds::real    ? "\033[97;41m"
                                 : network.funds == Funds::unknown ? "\033[30;43m"
                                                                   : "\033[32m";
  std::string text = colors == Colors::off ? name : concat("\1", color, "\1", name, "\1\033[0m\1");
  if (state.market) text += " " + state.market->substr(0, state.market->find('-'));
  if (state.shell_session.locked) text += " locked";
  if (state.entries_held() > 0) text += " +" + std::to_string(state.entries_held());
  return text + "> ";
}

AccountPoller::AccountPoller(const Environment& environment, const ShellState& state, RunLine run_line,
                             std::function<void()> changed)
    : environment_(environment),
      state_(state.in_background()),
      runner_(environment_, state_, run_line),
      changed_(std::move(changed)),
      thread_([this](const std::stop_token& stop) { poll_loop(stop); }) {}

// A hanging service delays the status line only briefly.
Json AccountPoller::ask(const std::vector<std::string>& words, const std::string& rate) const {
  return json_or_null(
      runner_.capture(followed_by({"--json", "--timeout", "2", "--retries", "0", "--rate", rate}, words)).out);
}

void AccountPoller::read_markets() {
  const Json rows = ask({"markets", "list"}).value_at("data");
  if (!rows.is(Json::Kind::array)) return;
  const std::lock_guard lock(mutex_);
  known_.markets.clear();
  for (const Json& row : rows.items()) {
    const auto id = row.string_at(row.string_at("market_id") ? "market_id" : "id");
    if (id) known_.markets.push_back({std::string(*id)});
  }
}

void AccountPoller::read_account(const std::string& rate) {
  const Json state = ask({"account", "state"}, rate);
  // If the service does not answer, nothing else is read.
  if (state.string_at("error.category") == meaning_of(ExitCode::unavailable).category) return;
  const Json limits = ask({"limits"});
  const Json enabled = ask({"account", "cancel-on-disconnect", "get"}, rate).value_at("data.enabled");
  const Json rows = ask({"orders", "list"}).value_at("data");
  const Json clock = state_.network == "local" ? ask({"local", "status"}).value_at("data.clock") : Json();
  const std::lock_guard lock(mutex_);
  take_account(facts_, state);
  if (const auto account = state.string_at("account")) facts_.account = std::string(*account);
  if (state.truth_at("ok")) facts_.read_ms = environment_.clock->now_ms();
  take_limits(facts_, limits);
  if (enabled.is(Json::Kind::boolean)) facts_.cancels_on_disconnect = enabled.truth();
  if (clock.string_at("mode").value_or("real") != "real") facts_.sandbox_now_ms = clock.integer_at("now_ms");
  if (!rows.is(Json::Kind::array)) return;
  known_.orders.clear();
  known_.client_ids.clear();
  for (const Json& row : rows.items()) {
    const std::string text = order_text(row);
    if (const auto id = row.string_at("id")) known_.orders.push_back({std::string(*id), text});
    if (const auto id = row.string_at("client_id")) known_.client_ids.push_back({std::string(*id), text});
  }
}

void AccountPoller::poll_loop(const std::stop_token& stop) {
  read_markets();
  int idle_polls = 0;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (due_) idle_polls = 0;
    due_ = false;
    if (idle_polls++ < idle_polls_max) {
      lock.unlock();
      read_account();
      lock.lock();
    }
    for (auto waited = std::chrono::seconds::zero(); waited < period && !stop.stop_requested(); waited += tick) {
      lock.unlock();
      changed_();
      lock.lock();
      if (wake_.wait_for(lock, stop, tick, [this] { return due_; })) break;
    }
  }
}

Notice notice_of(const Json& line, const LineRoom& room) {
  const std::string_view type = line.string_at("type").value_or("");
  if (type == "event") {
    const std::string_view channel = line.string_at("channel").value_or("");
    const bool is_alert = channel == "liquidations", is_shown = is_alert || channel == "fills";
    const bool is_of_account = is_shown || channel == "orders" || channel == "positions" || channel == "balances";
    return {.text = is_shown ? watch_text(line, room) : "", .loud = is_alert, .changes_account = is_of_account};
  }
  if (type == "gap") return {.text = watch_text(line, room), .loud = true, .changes_account = true};
  const bool disconnected = type == "status" && line.string_at("state") == "disconnected";
  if (disconnected || type == "error") {
    const std::string why(line.string_at(disconnected ? "reason" : "message").value_or(""));
    return {.text = "the stream of the account is lost" + (why.empty() ? "" : ": " + escaped(why)),
            .loud = true,
            .lost = true};
  }
  return {.text = {}, .lost = type == "end"};
}

Notices::Notices(const Environment& environment, const ShellState& state, RunLine run_line,
                 std::function<LineRoom()> room, std::function<void(const Notice&)> tell)
    : state_(state.in_background()),
      runner_(environment, state_, run_line),
      room_(std::move(room)),
      tell_(std::move(tell)),
      thread_([this](const std::stop_token& stop) { follow(stop); }) {}

void Notices::follow(const std::stop_token& stop) {
  constexpr std::int64_t pause_ms = 2 * second_ms;
  runner_.interrupts = [stop] { return stop.stop_requested(); };
  while (!stop.stop_requested()) {
    follow_once(stop);
    runner_.pause(pause_ms);
  }
}

void Notices::follow_once(const std::stop_token& stop) {
  std::string pending;
  bool lost = false;
  const auto take = [&](std::string_view text) {
    if (stop.stop_requested()) return Written::reader_gone;
    pending += text;
    for (auto feed = pending.find('\n'); feed != std::string::npos; feed = pending.find('\n')) {
      if (const auto line = parse_json(std::string_view(pending).substr(0, feed))) {
        const Notice notice = notice_of(*line, room_());
        lost = lost || notice.lost;
        tell_(notice);
      }
      pending.erase(0, feed + 1);
    }
    return lost ? Written::reader_gone : Written::whole;
  };
  runner_.follow({"-o", "ndjson", "watch", "account"}, take);
}

}  // namespace svc::cli
