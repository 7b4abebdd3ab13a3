#include "vopr/client.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "cli/run.h"
#include "cli/terminal/render.h"
#include "vopr/line.h"
#include "vopr/stream_link.h"

namespace svc::vopr {
namespace {

using cli::Json;

constexpr std::string_view market = "BTC-USDX-PERP";
constexpr int exit_unknown = 11;

std::string joined(const std::vector<std::string>& words) {
  std::string line = "svc";
  for (const std::string& word : words) line += " " + word;
  return line;
}

bool is_outcome_unknown(const RunResult& ran) {
  return ran.exit == exit_unknown;
}

std::string whole_and_tenths(std::uint64_t tenths) {
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
}

}  // namespace

Machine::Machine(World& of, std::size_t at, const std::filesystem::path& folder)
    : world(of), number(at), disk(folder), chance(of.plan().seed, "machine " + std::to_string(at)), clock(of) {}

void Machine::lose_power() {
  is_going_down = true;
  world.kill_all(disk);
  is_going_down = false;
  started_ms = world.now_ms();
  world.tell("machine " + std::to_string(number), "comes up again; of its disk " + disk.lose_power(chance));
}

Client::Client(Machine& machine, Server& server, Ledger& ledger, const Seat& seat, std::size_t seat_number,
               std::string name)
    : machine_(machine),
      server_(server),
      ledger_(ledger),
      seat_(seat),
      seat_number_(seat_number),
      name_(std::move(name)) {}

void Client::then(const Step& step) {
  steps_.push_back(step);
  if (!is_busy_) next();
}

void Client::next() {
  if (steps_.empty()) return;
  const Step step = steps_.front();
  steps_.pop_front();
  do_step(step);
}

cli::Environment Client::environment(Process& process, RunResult& ran, std::string& input, Prng& randomness) {
  World& world = machine_.world;
  cli::Environment environment;
  environment.out = [&process, &ran](std::string_view text) {
    if (!process.is_dead()) ran.out += text;
    return Written::whole;
  };
  environment.err = [](std::string_view) {};
  environment.read_input = [&input](std::size_t) { return Result<std::string, std::string>(input); };
  environment.read_line = [] { return std::optional<std::string>(); };
  environment.ask = [](std::string_view, cli::Echo) { return std::optional<Secret>(); };
  environment.variables = {{"HOME", machine_.disk.folder().native()},
                           {"SVC_LOCAL_URL", "http://localhost:9090"},
                           {"SVC_API_KEY", seat_.key_id},
                           {"SVC_API_SECRET", seat_.secret},
                           {"SVC_ACCOUNT", seat_.account}};
  environment.clock = &machine_.clock;
  environment.uptime_ms = [this] { return machine_.world.now_ms() - machine_.started_ms; };
  environment.random = [&randomness](std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(randomness.next());
  };
  environment.sleep_ms = [&world](std::int64_t ms) { world.sleep(ms); };
  environment.connect = [&world, &process, this](const cli::Route& route) {
    return Result<std::unique_ptr<api::Transport>, std::string>(std::make_unique<Line>(world, server_, process, route));
  };
  environment.open_link = [&world, &process, this](const cli::Route& route, const std::string& target) {
    return open_stream_link(world, server_, process, route, target);
  };
  environment.signals_are_taken = true;
  environment.print_on_signal = [](const cli::SignalMessages&) { return std::shared_ptr<cli::SignalMessageGuard>(); };
  environment.start_apart = [](const std::vector<std::string>&) {};
  return environment;
}

void Client::run(std::vector<std::string> words, std::string input, std::uint64_t chance,
                 std::function<void(const RunResult&, const std::string& name)> done) {
  World& world = machine_.world;
  is_busy_ = true;
  const std::string name = name_ + " run " + std::to_string(++runs_);
  auto process = std::make_shared<Process>(world, name, machine_.disk, chance);
  process->is_client = true;
  // One of a few dozen points of the run.
  constexpr std::uint64_t points = 40;
  const bool by_power = process->chance.below(1'000) < world.plan().of(Fault::client_power);
  if (by_power || process->chance.below(1'000) < world.plan().of(Fault::client_killed) * 2) {
    process->ends_after = 1 + process->chance.below(points);
    process->ends_by_power = by_power;
  }
  world.tell(name, joined(words));
  const bool watches = words.front() == "watch";
  words.insert(words.begin(), {"-n", "local", "-o", watches ? "ndjson" : "json"});
  world.start(process, [this, process, words = std::move(words), input = std::move(input), done = std::move(done), name,
                        chance]() mutable {
    RunResult ran;
    Prng randomness(chance, "random");
    try {
      cli::Environment outside = environment(*process, ran, input, randomness);
      const int exit = cli::run(words, outside);
      if (!process->is_dead()) ran.exit = exit;
    } catch (const Killed&) {
    }
    World& of = machine_.world;
    if (!ran.was_killed()) of.tell(name, "ends with " + std::to_string(ran.exit));
    is_busy_ = false;
    // Later, on another stack: this fiber is about to end.
    if (process->is_dead() && process->ends_by_power && !machine_.is_going_down) {
      machine_.is_going_down = true;
      of.in(0, [this] { machine_.lose_power(); });
    }
    of.in(0, [this, done, ran, name] {
      done(ran, name);
      if (!is_busy_) next();
    });
  });
}

Intent Client::draw_order(Prng& chance, std::string client_id) const {
  // Near the price, so that some of them match; on the grid of the market.
  const std::uint64_t half_points = 2 * 59'700 + chance.below(2 * 600);
  return {.kind = Intent::Kind::order,
          .seat = seat_number_,
          .machine = machine_.number,
          .client_id = std::move(client_id),
          .side = chance.below(2) == 0 ? "Buy" : "Sell",
          .quantity = "0.0" + std::to_string(1 + chance.below(9)),
          .price = whole_and_tenths(half_points * 5)};
}

const Intent* Client::pick_order(Prng& chance) {
  std::vector<const Intent*> known;
  for (const Intent& intent : ledger_.intents())
    if (intent.kind == Intent::Kind::order && intent.seat == seat_number_ && !intent.order_id.empty())
      known.push_back(&intent);
  return known.empty() ? nullptr : known[chance.below(known.size())];
}

void Client::hear_notices(const Json& document, const std::string& name) {
  const Json* warnings = document.find("warnings");
  if (warnings == nullptr) return;
  for (const Json& warning : warnings->items()) {
    if (warning.string_at("code") != "settled") continue;
    // "... before its answer came: orders place ID of TIME was VERDICT (...)"
    const std::string text(warning.string_at("message").value_or(""));
    const auto of = text.find(" of 20");
    const auto was = text.find(" was ", of);
    if (of == std::string::npos || was == std::string::npos) continue;
    const std::string client_id = text.substr(text.rfind(' ', of - 1) + 1, of - text.rfind(' ', of - 1) - 1);
    const std::string verdict = text.substr(was + 5, text.find(' ', was + 5) - was - 5);
    ledger_.heard_notice(machine_.number, client_id, verdict, name);
  }
}

void Client::take_end(Intent& intent, const RunResult& ran, const std::string& name) {
  if (ran.was_killed() || is_outcome_unknown(ran)) return;
  ledger_.told(intent, ran.exit == 0, name + ", exit " + std::to_string(ran.exit));
}

void Client::place(Prng& chance, bool again) {
  std::string client_id = name_ + "-" + std::to_string(runs_ + 1);
  std::replace(client_id.begin(), client_id.end(), ' ', '-');
  if (again) {
    std::vector<const Intent*> used;
    for (const Intent& intent : ledger_.intents())
      if (intent.kind == Intent::Kind::order && intent.seat == seat_number_ && !intent.client_id.empty())
        used.push_back(&intent);
    if (!used.empty()) client_id = used[chance.below(used.size())]->client_id;
  }
  Intent wanted = draw_order(chance, client_id);
  // Terms that no order with that id has.
  for (const Intent& intent : ledger_.intents())
    if (intent.client_id == wanted.client_id && intent.price == wanted.price) return next();
  Intent& intent = ledger_.add(std::move(wanted));
  std::vector<std::string> words{intent.side == "Buy" ? "buy" : "sell",
                                 intent.quantity,
                                 std::string(market),
                                 "@",
                                 intent.price,
                                 "--client-id",
                                 intent.client_id};
  if (chance.below(8) == 0) words.insert(words.begin(), "--no-reconcile");
  run(std::move(words), {}, chance.next(), [this, &intent](const RunResult& ran, const std::string& name) {
    take_end(intent, ran, name);
    const auto document = cli::parse_json(ran.out);
    if (!document) return;
    hear_notices(*document, name);
    if (ran.exit == 0) intent.order_id = document->string_at("data.order.id").value_or("");
  });
}

void Client::place_batch(Prng& chance) {
  std::vector<Intent*> intents;
  std::string input;
  const std::uint64_t count = 2 + chance.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string client_id = name_ + "-" + std::to_string(runs_ + 1) + "-" + std::to_string(i);
    std::replace(client_id.begin(), client_id.end(), ' ', '-');
    Intent& intent = ledger_.add(draw_order(chance, client_id));
    intents.push_back(&intent);
    input += Json::object({{"market_id", market},
                           {"side", intent.side},
                           {"order_type", "Limit"},
                           {"quantity", intent.quantity},
                           {"price", intent.price},
                           {"time_in_force", "GTC"},
                           {"client_id", intent.client_id}})
                 .dump() +
             "\n";
  }
  std::vector<std::string> words{"orders", "batch", "--file", "-", "--format", "ndjson"};
  if (chance.below(2) == 0) words.insert(words.end(), {"--chunk", "2"});
  run(std::move(words), input, chance.next(),
      [this, intents](const RunResult& ran, const std::string& name) { take_batch_end(intents, ran, name); });
}

void Client::take_batch_end(const std::vector<Intent*>& intents, const RunResult& ran, const std::string& name) {
  if (ran.was_killed()) return;
  const auto document = cli::parse_json(ran.out);
  if (!document) return;
  hear_notices(*document, name);
  const Json* rows = document->find("data");
  const bool has_rows = rows != nullptr && !rows->items().empty();
  if (!has_rows && is_outcome_unknown(ran)) return;
  for (Intent* intent : intents) {
    const Json* row = nullptr;
    for (std::size_t i = 0; has_rows && i < rows->items().size(); ++i)
      if (rows->items()[i].string_at("client_id") == intent->client_id) row = &rows->items()[i];
    const auto outcome = row == nullptr ? std::nullopt : row->string_at("outcome");
    if (outcome == "unknown") continue;
    ledger_.told(*intent, outcome == "ok", name + ", exit " + std::to_string(ran.exit));
    if (outcome == "ok") intent->order_id = row->string_at("order.id").value_or("");
  }
}

void Client::cancel(Prng& chance) {
  const Intent* order = pick_order(chance);
  if (order == nullptr) return next();
  Intent& intent = ledger_.add({.kind = Intent::Kind::cancel,
                                .seat = seat_number_,
                                .machine = machine_.number,
                                .client_id = order->client_id,
                                .order_id = order->order_id});
  run({"orders", "cancel", intent.order_id}, {}, chance.next(),
      [this, &intent](const RunResult& ran, const std::string& name) {
        take_end(intent, ran, name);
        if (const auto document = cli::parse_json(ran.out)) hear_notices(*document, name);
      });
}

void Client::amend(Prng& chance) {
  const Intent* order = pick_order(chance);
  if (order == nullptr) return next();
  // Away from all other orders and prices.
  const std::string price = std::to_string((order->side == "Buy" ? 58'000 : 61'000) + 100 + ledger_.intents().size());
  Intent& intent = ledger_.add({.kind = Intent::Kind::amend,
                                .seat = seat_number_,
                                .machine = machine_.number,
                                .client_id = order->client_id,
                                .side = order->side,
                                .price = price,
                                .order_id = order->order_id});
  run({"orders", "amend", intent.order_id, "--price", price}, {}, chance.next(),
      [this, &intent](const RunResult& ran, const std::string& name) {
        take_end(intent, ran, name);
        if (const auto document = cli::parse_json(ran.out)) hear_notices(*document, name);
      });
}

void Client::deposit(Prng& chance) {
  const std::string amount = std::to_string(10 + ledger_.intents().size()) + ".5";
  Intent& intent =
      ledger_.add({.kind = Intent::Kind::deposit, .seat = seat_number_, .machine = machine_.number, .amount = amount});
  run({"deposits", "submit", "--amount", amount}, {}, chance.next(),
      [this, &intent](const RunResult& ran, const std::string& name) {
        take_end(intent, ran, name);
        if (const auto document = cli::parse_json(ran.out)) hear_notices(*document, name);
      });
}

void Client::do_step(const Step& step) {
  Prng chance(step.chance);
  const auto only_notices = [this](const RunResult& ran, const std::string& name) {
    if (const auto document = cli::parse_json(ran.out)) hear_notices(*document, name);
  };
  switch (step.kind) {
    case Step::Kind::place: return place(chance, false);
    case Step::Kind::place_again: return place(chance, true);
    case Step::Kind::batch: return place_batch(chance);
    case Step::Kind::cancel: return cancel(chance);
    case Step::Kind::amend: return amend(chance);
    case Step::Kind::deposit: return deposit(chance);
    case Step::Kind::cancel_all: return run({"orders", "cancel-all", "--yes"}, {}, chance.next(), only_notices);
    case Step::Kind::watch:
      return run(
          {"watch", "fills", "--snapshot", "--for", std::to_string(1 + chance.below(30)) + "s"}, {}, chance.next(),
          [this](const RunResult& ran, const std::string& name) { ledger_.watched(seat_number_, ran.out, name); });
    case Step::Kind::read: return run({"orders", "list"}, {}, chance.next(), only_notices);
    case Step::Kind::list_outbox: return run({"outbox", "list"}, {}, chance.next(), only_notices);
    case Step::Kind::resolve:
      return run({"outbox", "resolve"}, {}, chance.next(), [this](const RunResult& ran, const std::string& name) {
        const auto document = cli::parse_json(ran.out);
        const Json* rows = document ? document->find("data") : nullptr;
        for (std::size_t i = 0; rows != nullptr && i < rows->items().size(); ++i) {
          const Json& row = rows->items()[i];
          const Json* record = row.find("record");
          machine_.world.tell(name, "of " + std::string(row.string_at("id").value_or("")) + ": " +
                                        std::string(row.string_at("verdict").value_or("")) + ", " +
                                        std::string(row.string_at("evidence").value_or("")));
          ledger_.heard(machine_.number, row.string_at("id").value_or(""), row.string_at("verdict").value_or(""),
                        record == nullptr ? Json() : *record, name);
        }
      });
    default: SVC_ASSERT(false);
  }
}

}  // namespace svc::vopr
