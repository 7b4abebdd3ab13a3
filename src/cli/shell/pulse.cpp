#include "cli/shell/pulse.h"

#include <chrono>

#include "cli/commands/order_views.h"
#include "cli/exit_code.h"
#include "cli/render.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

// Below the age at which figures are called stale.
constexpr std::chrono::seconds period{4};
static_assert(std::chrono::milliseconds(period).count() < watch_limits::stale_ms);
constexpr std::chrono::seconds tick{1};  // ages in the status line go on
// Nobody looks at a shell that was left; after so many beats without a key the reading stops.
constexpr int idle_beats_max = 60;

}  // namespace

Pulse::Pulse(const Environment& environment, const ShellState& state, std::function<void()> changed)
    : environment_(environment),
      state_{.network = state.network, .globals = state.globals, .sitting = {.pinned = state.sitting.pinned}},
      runner_(environment_, state_),
      changed_(std::move(changed)),
      thread_([this] { beat(); }) {}

Pulse::~Pulse() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Pulse::hurry() {
  {
    const std::lock_guard lock(mutex_);
    due_ = true;
  }
  wake_.notify_all();
}

void Pulse::heard(TimestampMs at_ms) {
  const std::lock_guard lock(mutex_);
  facts_.stream_ms = at_ms;
}

Known Pulse::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

StatusFacts Pulse::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

std::optional<std::string> Pulse::account() const {
  const std::lock_guard lock(mutex_);
  return account_;
}

// A service that hangs holds up the status line for a moment only.
std::optional<Json> Pulse::ask(std::vector<std::string> words) const {
  words.insert(words.begin(), {"--json", "--timeout", "2", "--retries", "0"});
  auto document = parse_json(runner_.capture(words).out);
  return document ? std::optional(std::move(*document)) : std::nullopt;
}

void Pulse::read_markets() {
  const auto document = ask({"markets", "list"});
  const Json* rows = document ? document->find("data") : nullptr;
  if (rows == nullptr || !rows->is(Json::Kind::array)) return;
  const std::lock_guard lock(mutex_);
  known_.markets.clear();
  for (const Json& row : rows->items()) {
    for (const std::string_view name : {"market_id", "id"}) {
      if (const auto id = row.string_at(name)) {
        known_.markets.push_back({std::string(*id), {}});
        break;
      }
    }
  }
}

void Pulse::read_account() {
  const auto state = ask({"account", "state"});
  // Of a service that does not answer nothing else is asked.
  if (state && state->string_at("error.category") == meaning_of(ExitCode::unavailable).category) return;
  const auto limits = ask({"limits"});
  const auto dead_man = ask({"account", "cancel-on-disconnect", "get"});
  const auto orders = ask({"orders", "list"});
  std::optional<Json> sandbox;
  if (state_.network == "local") sandbox = ask({"local", "status"});
  const std::lock_guard lock(mutex_);
  if (state) {
    take_account(facts_, *state);
    if (const auto account = state->string_at("account")) account_ = std::string(*account);
    if (state->find("ok") != nullptr && state->find("ok")->truth()) facts_.read_ms = environment_.clock->now_ms();
  }
  if (limits) take_limits(facts_, *limits);
  if (dead_man) take_dead_man(facts_, *dead_man);
  if (sandbox && sandbox->string_at("data.clock.mode").value_or("real") != "real") {
    facts_.sandbox_now_ms = sandbox->integer_at("data.clock.now_ms");
  }
  const Json* rows = orders ? orders->find("data") : nullptr;
  if (rows == nullptr || !rows->is(Json::Kind::array)) return;
  known_.orders.clear();
  known_.client_ids.clear();
  for (const Json& row : rows->items()) {
    const std::string text = order_text(row);
    if (const auto id = row.string_at("id")) known_.orders.push_back({std::string(*id), text});
    if (const auto id = row.string_at("client_id")) known_.client_ids.push_back({std::string(*id), text});
  }
}

void Pulse::beat() {
  read_markets();
  int idle_beats = 0;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (due_) idle_beats = 0;
    due_ = false;
    if (idle_beats++ < idle_beats_max) {
      lock.unlock();
      read_account();
      lock.lock();
    }
    for (auto waited = std::chrono::seconds::zero(); waited < period; waited += tick) {
      lock.unlock();
      changed_();
      lock.lock();
      if (stopping_) return;
      if (wake_.wait_for(lock, tick, [this] { return stopping_ || due_; })) break;
    }
  }
}

}  // namespace svc::cli
