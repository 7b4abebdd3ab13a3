#include "vopr/server.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "signing/hmac.h"
#include "signing/key.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/http_server_loop.h"
#include "vopr/stream_link.h"

namespace svc::vopr {
namespace {

constexpr std::size_t accounts = 2;
constexpr std::int64_t between_worlds_ms = 10 * second_ms;

sim::SandboxOptions options(const Disk& disk) {
  sim::SandboxOptions options;
  options.accounts = accounts;
  options.state_folder = disk.folder() / "state";
  return options;
}

Seat admit(sim::Sandbox& sandbox, const sim::DevAccount& account) {
  const auto wallet = signing::PrivateKey::from_hex(account.private_key);
  SVC_ASSERT(wallet.has_value());
  const std::string message = signing::login_message(sim::domain_name_of(sandbox.options(), api::NetworkId::local));
  const auto signature = wallet->sign(signing::personal_message_digest(message));
  const auto post = [&](std::string target, std::string body, api::Headers headers) {
    const auto answer = sandbox.handle(
        {.method = "POST", .target = std::move(target), .headers = std::move(headers), .body = std::move(body)});
    SVC_ASSERT(answer.status == 200);
    return nlohmann::json::parse(answer.body);
  };
  const nlohmann::json body{{"message", message}, {"signature", signing::to_string(signature)}};
  const std::string token = post("/v1/auth/login", body.dump(), {})["token"];
  const nlohmann::json key = post("/v1/keys", "", {{"Authorization", "Bearer " + token}});
  return {.account = to_string(wallet->address()), .key_id = key["key_id"], .secret = key["secret"]};
}

api::HttpRequest signed_by(const Seat& seat, api::HttpRequest request, TimestampMs now_ms) {
  const auto key = signing::HmacKey::from_hex(seat.secret);
  SVC_ASSERT(key.has_value());
  const std::string signature = key->sign_hex(signing::hmac_canonical(
      {.method = request.method, .path = request.path(), .query = request.query(), .body = request.body}, now_ms));
  request.headers.set("X-API-Key", seat.key_id);
  request.headers.set("X-Timestamp", std::to_string(now_ms));
  request.headers.set("X-Signature", signature);
  return request;
}

}  // namespace

const Founding& founding(const std::filesystem::path& folder) {
  static const Founding made = [&] {
    Disk disk(folder);
    Founding begun;
    {
      ManualClock clock(world_start_ms - between_worlds_ms);
      auto sandbox = sim::Sandbox::open(options(disk), clock);
      SVC_ASSERT(sandbox.has_value());
      for (const auto& account : (*sandbox)->accounts()) begun.seats.push_back(admit(**sandbox, account));
    }
    begun.folder = disk.contents();
    return begun;
  }();
  return made;
}

Server::Server(World& world, const std::filesystem::path& folder, const Founding& founding)
    : world_(world), disk_(folder), chance_(world.plan().seed, "server"), clock_(world) {
  disk_.put_back(founding.folder);
  start();
}

Server::~Server() {
  end_streams();
  if (sandbox_) world_.as(*process_, [this] { sandbox_.reset(); });
}

// All but the lock, which names its holder.
Disk::Contents Server::files() const {
  Disk::Contents files = disk_.contents();
  files.erase("state/lock");
  return files;
}

void Server::start() {
  restarts_ = false;
  if (sandbox_) return;
  process_ = std::make_shared<Process>(world_, "exchange " + std::to_string(++starts_), disk_, chance_.next());
  if (starts_ > 1 && chance_.below(1'000) < world_.plan().of(Fault::server_killed) * 2)
    process_->ends_after = 1 + chance_.below(20);
  const Disk::Contents before = whole_ ? files() : Disk::Contents();
  const std::uint64_t disturbed = world_.injected()[static_cast<std::size_t>(Fault::server_disk_error)] +
                                  world_.injected()[static_cast<std::size_t>(Fault::server_disk_full)];
  Result<std::unique_ptr<sim::Sandbox>, std::string> opened = unexpected(std::string());
  world_.as(*process_, [&] { opened = sim::Sandbox::open(options(disk_), clock_); });
  const bool is_undisturbed = disturbed == world_.injected()[static_cast<std::size_t>(Fault::server_disk_error)] +
                                               world_.injected()[static_cast<std::size_t>(Fault::server_disk_full)];
  if (opened) {
    sandbox_ = std::move(*opened);
    if (process_->is_dead()) return go_down();
    acknowledgements_may_lag_ = false;
    world_.tell(process_->name, whole_ ? "starts all the same" : "starts");
    whole_.reset();
    return;
  }
  if (process_->is_dead()) return go_down();
  world_.tell(process_->name, "refuses to start: " + opened.error());
  if (whole_) {
    const Disk::Contents after = files();
    std::string changed;
    for (const auto& [name, bytes] : after) {
      const auto known = before.find(name);
      if (known == before.end() || known->second != bytes) changed += " " + name;
    }
    for (const auto& [name, bytes] : before)
      if (!after.contains(name)) changed += " " + name;
    if (is_undisturbed && !changed.empty()) world_.complain("a start that was refused changed" + changed);
    if (changed.empty()) world_.tell(process_->name, "the operator puts back a copy of the folder");
    disk_.put_back(*std::exchange(whole_, std::nullopt));
  } else if (is_undisturbed) {
    world_.complain("the exchange does not start from files that nobody damaged: " + opened.error());
    return;
  }
  restart_later();
}

void Server::restart_later() {
  if (std::exchange(restarts_, true)) return;
  constexpr std::int64_t usual_ms = 300, long_ms = 45 * second_ms;
  world_.in(chance_.between(1, chance_.below(4) == 0 ? long_ms : usual_ms), [this] {
    if (restarts_) start();
  });
}

void Server::go_down() {
  const bool by_power = process_->has_lost_power;
  end_streams();
  // Destructors must not reach the disk.
  world_.as(*process_, [this] { sandbox_.reset(); });
  if (by_power) world_.tell(process_->name, "of its disk " + disk_.lose_power(chance_));
  // After a power cut the acknowledgements may be behind and prove less until a start has written them anew, so damage
  // may go unseen. (docs/journal_format.md)
  acknowledgements_may_lag_ = acknowledgements_may_lag_ || by_power;
  if (!acknowledgements_may_lag_) damage_files();
  restart_later();
}

void Server::damage_files() {
  // The server is rarely down.
  if (chance_.below(1'000) >= std::min<std::uint64_t>(world_.plan().of(Fault::server_damage) * 8, 700)) return;
  world_.count(Fault::server_damage);
  Disk::Contents damaged = disk_.contents();
  if (!whole_) whole_ = damaged;  // otherwise it was saved before earlier damage that no start has checked yet
  std::vector<std::string> names;
  for (const auto& [name, bytes] : damaged)
    if (name != "state/lock" && bytes.size() > 1) names.push_back(name);
  if (names.empty()) return;
  const std::string& name = names[chance_.below(names.size())];
  std::string& bytes = damaged[name];
  const std::size_t at = chance_.below(bytes.size());
  switch (chance_.below(3)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << chance_.below(8)));
      world_.tell("disk", "a bit of " + name + " flips at byte " + std::to_string(at));
      break;
    case 1: {
      constexpr std::size_t sector = 512;
      const std::size_t from = chance_.below(bytes.size());
      const std::string piece = bytes.substr(from, sector);
      bytes.replace(at, std::min(piece.size(), bytes.size() - at), piece.substr(0, bytes.size() - at));
      world_.tell("disk", "a write to byte " + std::to_string(from) + " of " + name + " went to " + std::to_string(at));
      break;
    }
    default: bytes.resize(at); world_.tell("disk", name + " is cut off at byte " + std::to_string(at));
  }
  disk_.put_back(damaged);
}

std::optional<api::HttpResponse> Server::handle(api::HttpRequest request, Prng& chance) {
  if (!sandbox_) return std::nullopt;
  if (process_->ends_after == 0) {
    const bool by_power = chance.below(1'000) < world_.plan().of(Fault::server_power) / 2;
    if (by_power || chance.below(1'000) < world_.plan().of(Fault::server_killed) / 2) {
      process_->ends_after = 1 + chance.below(12);
      process_->ends_by_power = by_power;
    }
  }
  api::HttpResponse answer;
  world_.as(*process_, [&] {
    sandbox_->pass_time();
    answer = sandbox_->handle(std::move(request));
    // Between the last file call and the answer.
    if (process_->ends_after == 1) {
      world_.count(process_->ends_by_power ? Fault::server_power : Fault::server_killed);
      process_->die();
    }
  });
  if (process_->is_dead()) {
    go_down();
    return std::nullopt;
  }
  send_streams();
  if (answer.status == 0) return std::nullopt;
  answer.headers.set("Date", sim::http_date(sandbox_->clock().now_ms()));
  return answer;
}

void Server::upgrade(api::HttpRequest request, const std::string& head, const std::shared_ptr<StreamWire>& wire,
                     const std::function<void(const api::HttpResponse&)>& refuse) {
  if (!sandbox_) return;
  world_.as(*process_, [&] {
    sandbox_->pass_time();
    sandbox_->upgrade(std::move(request), head, {.refuse = refuse, .accept = [&](const sim::StreamOpened& opened) {
                                                   wire->events = opened(wire->end);
                                                 }});
  });
  if (wire->events != nullptr) wires_.push_back(wire);
  if (process_->is_dead()) return go_down();
}

void Server::receive(StreamWire& wire, const std::string& bytes) {
  if (!sandbox_ || wire.events == nullptr) return;
  world_.as(*process_, [&] { wire.events->received(bytes); });
  if (process_->is_dead()) return go_down();
  send_streams();
}

void Server::end_stream(StreamWire& wire) {
  wire.is_cut = true;
  if (wire.events != nullptr && process_ != nullptr)
    world_.as(*process_, [&] { std::exchange(wire.events, nullptr)->closed(); });
  std::erase_if(wires_, [&](const auto& one) { return one.get() == &wire; });
}

void Server::end_streams() {
  while (!wires_.empty()) {
    const auto wire = wires_.back();
    end_stream(*wire);
    if (wire->reader != nullptr) wire->reader->wake();
  }
}

void Server::pass_time() {
  if (!sandbox_) return;
  world_.as(*process_, [this] { sandbox_->pass_time(); });
  if (process_->is_dead()) return go_down();
  send_streams();
}

void Server::send_streams() {
  for (const auto& wire : std::vector(wires_)) {
    if (wire->end->waiting.empty() && !wire->end->is_closed) continue;
    std::string bytes = std::exchange(wire->end->waiting, {});
    if (wire->is_silent) continue;
    if (world_.happens(Fault::answer_lost, wire->chance)) {
      world_.tell("stream", "nothing comes through any more");
      wire->is_silent = true;
      continue;
    }
    const bool is_cut = wire->end->is_closed || world_.happens(Fault::answer_cut, wire->chance);
    if (is_cut) bytes.resize(wire->chance.below(bytes.size() + 1));
    wire->last_arrival_ms = std::max(wire->last_arrival_ms, world_.now_ms() + wire->chance.between(0, 20));
    world_.at(wire->last_arrival_ms, [this, wire, bytes = std::move(bytes), is_cut] {
      wire->arrived += bytes;
      if (is_cut) {
        world_.tell("stream", "the line breaks");
        end_stream(*wire);
      }
      if (wire->reader != nullptr) wire->reader->wake();
    });
  }
}

void Server::kill(std::uint64_t after_calls, bool by_power, Prng&) {
  if (!sandbox_) return;
  process_->ends_by_power = by_power;
  process_->ends_after = after_calls;
  if (after_calls > 0) return;
  world_.count(by_power ? Fault::server_power : Fault::server_killed);
  process_->die();
  go_down();
}

void Server::stop() {
  if (!sandbox_) return;
  world_.tell(process_->name, "stops");
  end_streams();
  world_.as(*process_, [this] { sandbox_.reset(); });
  if (process_->is_dead()) return go_down();
  damage_files();
  restart_later();
}

void Server::move_clock(std::int64_t ms) {
  clock_.ahead_ms += ms;
  world_.tell("exchange", "its clock jumps by " + std::to_string(ms) + " ms");
}

void Server::settle() {
  disk_.is_full = false;
  if (process_) process_->ends_after = 0;
  for (int tries = 0; !sandbox_ && tries < 3; ++tries) {
    start();
    if (process_) process_->ends_after = 0;
  }
  if (!sandbox_) world_.complain("the exchange does not come up again");
}

api::HttpResponse Server::ask(const Seat* seat, std::string_view method, std::string_view target, std::string body) {
  SVC_ASSERT(sandbox_ != nullptr);
  if (method == "GET") process_->ends_after = 0;  // no faults while the truth is read
  constexpr int too_many = 429;
  while (true) {
    api::HttpResponse answer;
    world_.as(*process_, [&] {
      sandbox_->pass_time();
      api::HttpRequest request{
          .method = std::string(method), .target = std::string(target), .headers = {}, .body = body};
      if (seat != nullptr) request = signed_by(*seat, std::move(request), sandbox_->clock().now_ms());
      if (!target.starts_with("/_svc")) request.target = "/v1" + request.target;
      answer = sandbox_->handle(std::move(request));
    });
    if (answer.status != too_many || process_->is_dead()) return answer;
    clock_.ahead_ms += second_ms;
  }
}

void Server::make_history(const Seat& seat) {
  if (!sandbox_) return;
  constexpr int requests = 290;  // more than a look-up reads: 20 pages of 500
  constexpr int orders = 39;     // cost one token together
  world_.tell("somebody", "places " + std::to_string(requests * orders) + " orders for " + seat.account);
  for (int request = 0; request < requests; ++request) {
    nlohmann::json all = nlohmann::json::array();
    for (int i = 0; i < orders; ++i)
      all.push_back({{"market_id", "BTC-USDX-PERP"},
                     {"side", "Buy"},
                     {"order_type", "Limit"},
                     {"quantity", "0.01"},
                     {"price", "58000"},
                     {"time_in_force", "IOC"}});
    (void)ask(&seat, "POST", "/orders/batch", all.dump());
    if (process_->is_dead()) return go_down();
  }
}

bool Server::do_due_work() {
  const std::string nobody = "0x" + std::string(40, '1');
  return ask(nullptr, "POST", "/_svc/fund", nlohmann::json({{"account", nobody}, {"amount", "1"}}).dump()).status ==
         200;
}

std::string Server::state_hash() {
  const nlohmann::json status = nlohmann::json::parse(ask(nullptr, "GET", "/_svc/status").body);
  return status.value("state_hash", "");
}

}  // namespace svc::vopr
