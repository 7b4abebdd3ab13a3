#include "vopr/simulation.h"

#include <memory>

#include "base/assert.h"
#include "vopr/client.h"
#include "vopr/ledger.h"
#include "vopr/server.h"
#include "vopr/world.h"

namespace svc::vopr {
namespace {

constexpr std::size_t one_of_each_machine[] = {0, 2};

class Simulation {
 public:
  Simulation(const Plan& plan, const std::filesystem::path& folder)
      : world_(plan),
        founding_(founding(folder / "founding")),
        server_(world_, folder / "exchange", founding_),
        ledger_(world_) {
    constexpr std::size_t machines = 2;
    for (std::size_t i = 0; i < machines; ++i)
      machines_.push_back(std::make_unique<Machine>(world_, i, folder / ("machine" + std::to_string(i))));
    // Two programs on one machine with one key, and another client elsewhere.
    add_client(0, 0, "alice");
    add_client(0, 0, "alice-too");
    add_client(1, 1, "bob");
    static_assert(clients == 3);
  }

  Verdict run() {
    for (const Step& step : world_.plan().steps) world_.at(world_start_ms + step.at_ms, [this, &step] { begin(step); });
    world_.run();
    settle();
    Verdict verdict{.complaints = world_.complaints(),
                    .story = world_.story(),
                    .injected = world_.injected(),
                    .events = world_.events(),
                    .writes_there = ledger_.writes_there(),
                    .starts = server_.starts()};
    return verdict;
  }

 private:
  void add_client(std::size_t machine, std::size_t seat, std::string name) {
    clients_.push_back(
        std::make_unique<Client>(*machines_[machine], server_, ledger_, founding_.seats[seat], seat, std::move(name)));
  }

  void begin(const Step& step) {
    if (is_of_a_client(step.kind)) return clients_[step.client]->then(step);
    Prng chance(step.chance);
    Machine& machine = clients_[step.client]->machine();
    constexpr std::int64_t jump_ms_max = 10 * minute_ms, back_ms_max = 10 * minute_ms,
                           server_back_ms_max = 3 * second_ms;
    switch (step.kind) {
      case Step::Kind::client_clock: {
        const std::int64_t ms = chance.between(-back_ms_max, jump_ms_max);
        machine.clock.ahead_ms += ms;
        world_.count(Fault::client_clock);
        return world_.tell("machine " + std::to_string(machine.number),
                           "its clock jumps by " + std::to_string(ms) + " ms");
      }
      case Step::Kind::client_power: world_.count(Fault::client_power); return machine.lose_power();
      case Step::Kind::client_disk_full:
        machine.disk.is_full = true;
        world_.tell("machine " + std::to_string(machine.number), "its disk is full");
        return world_.in(chance.between(1, 20 * second_ms), [this, &machine] {
          machine.disk.is_full = false;
          world_.tell("machine " + std::to_string(machine.number), "its disk has space again");
        });
      case Step::Kind::server_clock:
        world_.count(Fault::server_clock);
        return server_.move_clock(chance.between(-server_back_ms_max, jump_ms_max));
      case Step::Kind::server_kill: return server_.kill(chance.below(12), false, chance);
      case Step::Kind::server_power: return server_.kill(chance.below(12), true, chance);
      case Step::Kind::server_stop: return server_.stop();
      case Step::Kind::server_disk_full:
        server_.fill_disk(true);
        world_.tell("exchange", "its disk is full");
        return world_.in(chance.between(1, 20 * second_ms), [this] {
          server_.fill_disk(false);
          world_.tell("exchange", "its disk has space again");
        });
      case Step::Kind::long_history:
        if (!server_.is_up()) return;
        has_forgotten_ = true;
        ledger_.look(server_, founding_.seats);
        return server_.make_history(founding_.seats.front());
      default: return;
    }
  }

  // From here on without faults: every outcome must be found.
  void settle() {
    world_.tell("everybody", "from here on nothing goes wrong");
    world_.end_faults();
    server_.settle();
    for (const auto& machine : machines_) machine->disk.is_full = false;
    if (!server_.is_up()) return;
    constexpr int rounds = 3;
    // Longer than all clock jumps together, so that signatures with a future time expire as well.
    constexpr std::int64_t between_ms = 40 * minute_ms;
    for (int round = 0; round < rounds; ++round) {
      for (const std::size_t client : one_of_each_machine)
        world_.in(between_ms, [this, client] { clients_[client]->then({.kind = Step::Kind::resolve, .chance = 1}); });
      world_.run();
    }
    for (const std::size_t client : one_of_each_machine) look_at_files(*clients_[client]);
    ledger_.check(server_, founding_.seats);
    if (!has_forgotten_) ledger_.check_outboxes();
    check_replay();
  }

  void look_at_files(Client& client) {
    const std::size_t machine = client.machine().number;
    client.run({"outbox", "list"}, {}, 1, [this, machine](const RunResult& ran, const std::string&) {
      const auto document = cli::parse_json(ran.out);
      const cli::Json* rows = document ? document->find("data") : nullptr;
      if (ran.exit != 0 || rows == nullptr) return world_.complain("outbox list ends with " + std::to_string(ran.exit));
      for (const cli::Json& row : rows->items()) ledger_.still_open(machine, row.string_at("id").value_or(""));
    });
    world_.run();
    client.run({"journal", "export", "--since", "2020-01-01T00:00:00Z"}, {}, 1,
               [this, machine](const RunResult& ran, const std::string&) {
                 const auto document = cli::parse_json(ran.out);
                 const cli::Json* rows = document ? document->find("data") : nullptr;
                 if (ran.exit != 0 || rows == nullptr)
                   return world_.complain("journal export ends with " + std::to_string(ran.exit) + " " + ran.out);
                 ledger_.read_journal(machine, *rows);
               });
    world_.run();
  }

  void check_replay() {
    // What is due by the clock happens with the next command, or at the next start.
    const bool is_up_to_date = server_.do_due_work();
    const std::string truth = ledger_.truth();
    const std::string hash = server_.state_hash();
    server_.stop();
    server_.settle();
    if (!server_.is_up()) return;
    if (hash.empty() || (is_up_to_date && server_.state_hash() != hash))
      world_.complain("the state after a restart is another one");
    ledger_.check(server_, founding_.seats);
    if (ledger_.truth() != truth) world_.complain("what the exchange shows after a restart differs");
    world_.run();
  }

  World world_;
  const Founding& founding_;
  Server server_;
  Ledger ledger_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<std::unique_ptr<Client>> clients_;
  bool has_forgotten_ = false;
};

}  // namespace

Verdict simulate(const Plan& plan, const std::filesystem::path& folder) {
  return Simulation(plan, folder).run();
}

Plan shrink(Plan plan, const std::filesystem::path& folder, std::size_t runs) {
  const auto fails = [&](const Plan& tried) {
    if (runs == 0) return false;
    --runs;
    return !simulate(tried, folder).complaints.empty();
  };
  for (std::size_t piece = plan.steps.size() / 2 + 1; piece > 0; piece /= 2) {
    for (std::size_t at = 0; at + piece <= plan.steps.size();) {
      Plan fewer = plan;
      fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(at),
                        fewer.steps.begin() + static_cast<std::ptrdiff_t>(at + piece));
      if (fails(fewer))
        plan = std::move(fewer);
      else
        at += piece;
    }
  }
  for (std::uint32_t& per_mille : plan.per_mille) {
    if (per_mille == 0) continue;
    const std::uint32_t before = std::exchange(per_mille, 0);
    if (!fails(plan)) per_mille = before;
  }
  return plan;
}

}  // namespace svc::vopr
