// The exchange as a program on its own machine: it starts, answers, is killed, loses its power, finds its files
// damaged, and is started again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "sim/sim.h"
#include "vopr/world.h"

namespace svc::vopr {

// The owner of an account and of a key.
struct Seat {
  std::string account;
  std::string key_id;
  std::string secret;
};

// The initial state folder of each world: an exchange with two accounts.
struct Founding {
  Disk::Contents folder;
  std::vector<Seat> seats;
};
// `folder`: a working folder. Created once; always the same.
[[nodiscard]] const Founding& founding(const std::filesystem::path& folder);

struct StreamWire;

class Server {
 public:
  Server(World& world, const std::filesystem::path& folder, const Founding& founding);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] bool is_up() const { return sandbox_ != nullptr; }
  // nullopt: the server is down, or went down before answering. `chance` is the request's.
  std::optional<api::HttpResponse> handle(api::HttpRequest request, Prng& chance);

  // Streams: opened, used and ended by the client, and their messages in transit.
  void upgrade(api::HttpRequest request, const std::string& head, const std::shared_ptr<StreamWire>& wire,
               const std::function<void(const api::HttpResponse&)>& refuse);
  void receive(StreamWire& wire, const std::string& bytes);
  void end_stream(StreamWire& wire);
  // Does what became due at the exchange; streams send the events.
  void pass_time();

  void kill(std::uint64_t after_calls, bool by_power, Prng& chance);
  // A clean stop, as by SIGTERM.
  void stop();
  void move_clock(std::int64_t ms);
  // Another client with that seat's key places thousands of orders, which all end immediately.
  void make_history(const Seat& seat);
  void fill_disk(bool is_full) { disk_.is_full = is_full; }
  // For the phase without faults: the server is up when this returns.
  void settle();

  // A request directly to the exchange, without a network. `seat`: the signer, if any.
  api::HttpResponse ask(const Seat* seat, std::string_view method, std::string_view target, std::string body = {});
  // Deposits money for an idle account, so that everything due happens first. False if refused: after a disk
  // failure nothing can be written until a restart.
  [[nodiscard]] bool do_due_work();
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
  std::optional<Disk::Contents> whole_;    // the files before they were damaged
  bool acknowledgements_may_lag_ = false;  // behind what was answered, since a power cut
  std::uint64_t starts_ = 0;
  bool restarts_ = false;  // soon
};

}  // namespace svc::vopr
