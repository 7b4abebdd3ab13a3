// The exchange as a program on a machine of its own: it is started, answers, is killed, loses its power, finds its
// files damaged, and is started again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http_message.h"
#include "base/clock.h"
#include "sim/sim.h"
#include "vopr/world.h"

namespace svc::vopr {

// Somebody who has an account, and a key for it.
struct Seat {
  std::string account;
  std::string key_id;
  std::string secret;
};

// A state folder of an exchange with two accounts, as each world begins with it.
struct Founding {
  Disk::Contents folder;
  std::vector<Seat> seats;
};
// `folder`: where it may work. Made once; the same each time.
[[nodiscard]] const Founding& founding(const std::filesystem::path& folder);

struct StreamWire;

class Server {
 public:
  Server(World& world, const std::filesystem::path& folder, const Founding& founding);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] bool is_up() const { return sandbox_ != nullptr; }
  // nullopt: it is down, or went down before it could answer. `chance` is the request's.
  std::optional<api::HttpResponse> handle(api::HttpRequest request, Prng& chance);

  // Streams: opened, spoken to and ended by the client, and what they bring on its way.
  void upgrade(api::HttpRequest request, const std::string& head, const std::shared_ptr<StreamWire>& wire,
               const std::function<void(const api::HttpResponse&)>& refuse);
  void receive(StreamWire& wire, const std::string& bytes);
  void end_stream(StreamWire& wire);
  // What became due at the exchange; streams bring it.
  void pass_time();

  void kill(std::uint64_t after_calls, bool by_power, Prng& chance);
  // In peace, as by SIGTERM.
  void stop();
  void move_clock(std::int64_t ms);
  // Somebody else with the key of that seat places orders by the thousand, and all of them end at once.
  void make_history(const Seat& seat);
  void fill_disk(bool is_full) { disk_.is_full = is_full; }
  // For the phase in which nothing goes wrong: it is up when this returns.
  void settle();

  // Asked by nobody's client: straight to the exchange, without a network. `seat`: who signs; none: nobody.
  api::HttpResponse ask(const Seat* seat, std::string_view method, std::string_view target, std::string body = {});
  // Money for somebody who does nothing: a command, before which all happens that is due. False if it was refused, as by
  // an exchange whose disk failed so that nothing can be written until a restart.
  [[nodiscard]] bool do_what_is_due();
  [[nodiscard]] std::string state_hash();
  [[nodiscard]] std::uint64_t starts() const { return starts_; }

 private:
  void start();
  void go_down();
  void damage_files();
  void restart_later();
  void end_streams();
  void send_streams();
  [[nodiscard]] Disk::Contents files() const;

  World& world_;
  Disk disk_;
  Prng chance_;
  WorldClock clock_;
  std::shared_ptr<Process> process_;
  std::unique_ptr<sim::Sandbox> sandbox_;
  std::vector<std::shared_ptr<StreamWire>> wires_;
  std::optional<Disk::Contents> whole_;  // the files as they were before they were damaged
  bool acknowledgements_may_lag_ = false;  // behind what was answered, since a power cut
  std::uint64_t starts_ = 0;
  bool restarts_ = false;  // soon
};

}  // namespace svc::vopr
