// The clients: programs run one after the other on a machine with a home folder, as by a user or a script, and
// their connection to the exchange.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "api/http/http_client.h"
#include "base/clock.h"
#include "cli/machine/environment.h"
#include "cli/terminal/json.h"
#include "vopr/ledger.h"
#include "vopr/server.h"
#include "vopr/world.h"

namespace svc::vopr {

// A computer with its own clock.
struct Machine {
  Machine(World& world, std::size_t number, const std::filesystem::path& folder);

  void lose_power();

  World& world;
  const std::size_t number;
  Disk disk;
  Prng chance;
  WorldClock clock;
  TimestampMs started_ms = world_start_ms - hour_ms;
  bool is_going_down = false;
};

// The end of a program run, as its caller sees it.
struct RunResult {
  int exit = -1;  // killed: no exit
  std::string out{};

  [[nodiscard]] bool was_killed() const { return exit < 0; }
};

// Somebody at a machine, with a key of an account, who runs one command after the other.
class Client {
 public:
  Client(Machine& machine, Server& server, Ledger& ledger, const Seat& seat, std::size_t seat_number, std::string name);

  // Runs after the previous step.
  void then(const Step& step);
  // Outside of any step: `done` is called at the end, unless the program was killed.
  void run(std::vector<std::string> words, std::string input, std::uint64_t chance,
           std::function<void(const RunResult&, const std::string& name)> done);

  [[nodiscard]] bool is_busy() const { return is_busy_; }
  [[nodiscard]] Machine& machine() { return machine_; }
  // No more steps are started.
  void forget_steps() { steps_.clear(); }

 private:
  void next();
  void do_step(const Step& step);
  void place(Prng& chance, bool again);
  void place_batch(Prng& chance);
  void cancel(Prng& chance);
  void amend(Prng& chance);
  void deposit(Prng& chance);
  [[nodiscard]] Intent draw_order(Prng& chance, std::string client_id) const;
  // One of the orders reported to this account as existing; null if there is none.
  [[nodiscard]] const Intent* pick_order(Prng& chance);
  void take_end(Intent& intent, const RunResult& ran, const std::string& name);
  void take_batch_end(const std::vector<Intent*>& intents, const RunResult& ran, const std::string& name);
  void hear_notices(const cli::Json& document, const std::string& name);
  [[nodiscard]] cli::Environment environment(Process& process, RunResult& ran, std::string& input, Prng& randomness);

  Machine& machine_;
  Server& server_;
  Ledger& ledger_;
  const Seat& seat_;
  const std::size_t seat_number_;
  const std::string name_;
  std::deque<Step> steps_;
  bool is_busy_ = false;
  std::uint64_t runs_ = 0;
};

}  // namespace svc::vopr
