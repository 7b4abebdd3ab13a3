#include "sim/venue.h"

#include <absl/cleanup/cleanup.h>
#include <malloc.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <thread>

#include "api/http/url.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"
#include "sim/control/console_page.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/request_context.h"
#include "sim/sequencer/journal.h"

namespace svc::sim {

Result<std::unique_ptr<Venue>, std::string> Venue::open(SandboxOptions options, const Clock& machine,
                                                        const VenueTerms& terms) {
  // At the end it would be too late: the state is gone then.
  if (!options.dump_file.empty()) SVC_TRY(about("--dump: ", check_whole_file(options.dump_file)));
  auto venue = std::make_unique<Venue>(std::move(options), machine);
  // Everything that may be refused is checked before the state folder is changed. (D-655)
  SVC_TRY(venue->open_exchanges(terms.try_again));
  const auto reverting = SVC_TRY(about("--state: ", venue->revert_under_way()));
  const std::string load = "--load " + venue->options_.load_file.string();
  const auto loaded = SVC_TRY(about(load, venue->load(terms.load_may_be_later)));
  SVC_TRY(venue->begin());
  venue->open_gateway();
  if (venue->etcd_) venue->join_cluster(terms.peer_dial);
  if (reverting) SVC_TRY(about("--state: ", venue->finish(*reverting)));
  if (loaded) {
    auto done = venue->become(*loaded);
    // A manual clock shows the instant of the state.
    const auto& start_ms = venue->options_.start_at_ms;
    if (done && start_ms && venue->clock_.now_ms() < *start_ms) done = venue->move_clock({.set_ms = *start_ms});
    if (!done) return unexpected(load + ": " + done.error().message);
  }
  return venue;
}

Result<std::optional<VenueImage>, std::string> Venue::load(bool may_be_later) const {
  if (options_.load_file.empty()) return std::optional<VenueImage>();
  for (const Seat& seat : seats_)
    if (seat.exchange->is_old()) return unexpected(": the --state has an exchange already");
  std::error_code error;
  const auto bytes = std::filesystem::file_size(options_.load_file, error);
  if (error) return unexpected(" cannot be read: " + error.message());
  if (bytes > limits::state_file_bytes_max)
    return unexpected(" is larger than " + std::to_string(limits::state_file_bytes_max >> 20) + " MiB");
  auto image = SVC_TRY(about(": ", parse_document(file_text(options_.load_file))));
  SVC_TRY(about(": ", check_image(image)));
  if (options_.start_at_ms && *options_.start_at_ms < image.at_ms && !may_be_later)
    return unexpected(" is of " + utc_text(image.at_ms) + ", and --at is before that");
  return std::optional(std::move(image));
}

Result<std::optional<PendingRevert::Plan>, std::string> Venue::revert_under_way() const {
  if (!folder_) return std::optional<PendingRevert::Plan>();
  auto kept = SVC_TRY(PendingRevert(options_.state_folder).read());
  if (!kept) return std::optional<PendingRevert::Plan>();
  const auto& [image, positions] = *kept;
  for (const Seat& seat : seats_) {
    const std::string network = seat.exchange->name();
    if (!positions.contains(network) || !image.networks.contains(network))
      return unexpected("a revert of other networks was under way; start with the --networks of before");
  }
  SVC_TRY(about("the revert that was under way cannot be finished: ", check_image(image)));
  return std::optional<PendingRevert::Plan>(std::move(*kept));
}

// The process ended in the middle of a revert of several networks: the others follow now.
Result<void, std::string> Venue::finish(const PendingRevert::Plan& reverting) {
  const auto& [image, positions] = reverting;
  const auto fail = [this] { return unexpected(not_written("the revert that was under way") + "and start again"); };
  for (const Seat& seat : seats_) {
    const std::string network = seat.exchange->name();
    const std::string& goal = image.networks.at(network);
    if (seat.exchange->latest_image_after(positions.at(network)) == goal) continue;
    if (!seat.exchange->become(goal)) return fail();
  }
  clock_.follow_image(image.at_ms);
  for (const Seat& seat : seats_)
    if (!seat.exchange->drop_lost_streams()) return fail();
  if (!keep_clock(clock_.anchor())) return fail();
  (void)PendingRevert(options_.state_folder).remove();
  return {};
}

std::string Venue::notices() const {
  std::string lines;
  if (const auto owner = owner_of_shared_name(options_))
    lines += "--domain-name gives several networks one name: it is that of " + std::string(api::to_string(*owner)) +
             ", and the others refuse logins, withdrawals and unsalted registrations\n";
  for (const Seat& seat : seats_)
    if (const std::string notice = seat.exchange->notice(); !notice.empty()) lines += notice + '\n';
  return lines;
}

std::string Venue::unreadable_snapshot() const {
  for (const Seat& seat : seats_)
    if (seat.exchange->is_snapshot_unreadable()) return seat.exchange->name();
  return {};
}

std::string Venue::log_problem() const {
  if (const char* why = stopped_) return why;
  for (const Seat& seat : seats_)
    if (std::string problem = seat.exchange->log_problem(); !problem.empty()) return problem;
  return {};
}

void Venue::give_up_waiting() {
  for (const Seat& seat : seats_) seat.exchange->sequencer().leave_turns();
  if (etcd_) etcd_->give_up();
  if (cluster_) cluster_->give_up();
}

Result<void, std::string> Venue::dump() {
  if (!options_.dump_file.empty())
    SVC_TRY(about("--dump: ", write_whole_file(options_.dump_file, to_document(image()) + '\n')));
  for (const Seat& seat : seats_)
    if (const TapeRecorder* tape = seat.exchange->recorder(); tape != nullptr && tape->problem() != nullptr)
      return unexpected("--record " + options_.record_file.string() + ": " + tape->problem());
  return {};
}

Venue::Venue(SandboxOptions options, const Clock& machine)
    : options_(std::move(options)),
      machine_(machine),
      clock_(machine, options_.clock, options_.start_at_ms),
      snapshots_(options_.state_folder.empty() ? std::filesystem::path() : options_.state_folder / "snapshots"),
      port_(options_.port) {
  SVC_ASSERT(!refusal(options_));
}

// A scaled clock continues from the last stored instant: this one.
Venue::~Venue() {
  const bool writes = folder_ || (cluster_ && cluster_->leads());
  if (writes && gateway_) (void)keep_clock(clock_.anchor());
}

Result<Exchange::OpenLog, std::string> Venue::open_state(const StateFolder::TryAgain& try_again) {
  if (options_.etcd) {
    etcd_ = SVC_TRY(EtcdState::open({.address = *options_.etcd,
                                     .node = options_.name,
                                     .dial = options_.etcd_dial,
                                     .may_follow = !options_.etcd_dial,
                                     .try_again = try_again},
                                    lease_clock_));
    return Exchange::OpenLog(
        [this](const std::string& network, const LogFacts& facts) { return etcd_->open_log(network, facts); });
  }
  if (options_.state_folder.empty()) return Exchange::OpenLog();
  auto folder = SVC_TRY(StateFolder::open(options_.state_folder, try_again));
  folder_.emplace(std::move(folder));
  return Exchange::OpenLog(
      [this](const std::string& network, const LogFacts& facts) -> Result<std::unique_ptr<DurableLog>, std::string> {
        auto journal = SVC_TRY(Journal::open(folder_->journal_of(network), facts, options_.state_disk));
        journal->stay_in(*folder_);
        return std::unique_ptr<DurableLog>(std::move(journal));
      });
}

Result<void, std::string> Venue::open_exchanges(const StateFolder::TryAgain& try_again) {
  const auto open_log = SVC_TRY(open_state(try_again));
  TimestampMs last_ms = 0;
  for (const api::NetworkId network : served_networks(options_)) {
    auto exchange = SVC_TRY(Exchange::open(options_, network, open_log, clock_, machine_));
    // The logs were written one after the other: the latest change counts.
    if (const auto anchor = exchange->sequencer().clock_anchor();
        anchor && (!kept_clock_ || anchor->machine_ms > kept_clock_->machine_ms))
      kept_clock_ = anchor;
    last_ms = std::max(last_ms, exchange->sequencer().last_ms());
    seats_.push_back({.exchange = std::move(exchange), .control = nullptr});
  }
  // Each network had a first start of its own. What all of them have is that of the first.
  for (const Seat& seat : seats_ | std::views::reverse) seat.exchange->restore_first_terms(options_);
  if (kept_clock_) {
    if (options_.start_at_ms)
      return unexpected("--at is for a new --state: this one has a clock; leave --at out, or name another folder");
    // The clock of a leader goes on; that of an ended sandbox stood still.
    if (!leads()) {
      clock_.resume(*kept_clock_, last_ms);  // forgets the time of the machine
      clock_.adopt(*kept_clock_);
      return {};
    }
    clock_.resume(*kept_clock_, last_ms);
    if (options_.clock_given)
      if (const auto set = clock_.move({.pace = options_.clock}); !set) return unexpected("--clock: " + set.error());
  }
  return {};
}

Result<void, std::string> Venue::begin() {
  if (folder_) {
    folder_->use();
    snapshots_.stay_in(*folder_);
  }
  const Exchange::Part part = !etcd_    ? Exchange::Part::alone
                              : leads() ? Exchange::Part::leads
                                        : Exchange::Part::follows;
  for (Seat& seat : seats_) SVC_TRY(seat.exchange->begin(part, etcd_ ? etcd_->id() : std::string()));
  const bool clock_changed = options_.clock_given || part == Exchange::Part::leads;
  if (kept_clock_ && clock_changed && part != Exchange::Part::follows && !keep_clock(clock_.anchor()))
    return unexpected("--state: " + not_written("the clock of this start") +
                      (options_.clock_given ? "or start without --clock" : "and start again"));
  return {};
}

std::string Venue::not_written(std::string_view what) const {
  const std::string place = options_.etcd ? to_string(*options_.etcd) : options_.state_folder.string();
  return place + " does not take " + std::string(what) + ": " + log_problem() + "; make room, ";
}

void Venue::open_gateway() {
  std::vector<NetworkInstance*> networks;
  std::vector<const NetworkSettings*> settings;
  for (Seat& seat : seats_) {
    networks.push_back(&seat.exchange->network());
    settings.push_back(&seat.exchange->network().settings);
  }
  options_.versions = with_dates(std::move(options_.versions), clock_.now_ms());
  gateway_.emplace(clock_, options_, networks);
  const auto faults = parse_fault_lines(options_.faults);
  for (const FaultRule& rule : *faults) SVC_ASSERT(gateway_->faults().add(rule));
  for (Seat& seat : seats_) {
    seat.exchange->streams().set_faults(gateway_->faults());
    bind_discovery(seat.exchange->network(), options_.versions, settings);
    if (folder_) seat.exchange->network().log_problem = [this] { return log_problem(); };
    seat.control = control_of(*seat.exchange);
  }
}

std::unique_ptr<ControlSurface> Venue::control_of(Exchange& exchange) {
  return std::make_unique<ControlSurface>(
      ControlledVenue{.machine = machine_,
                      .started_ms = machine_.now_ms(),
                      .clock = clock_,
                      .sequencer = exchange.sequencer(),
                      .flow = exchange.flow(),
                      .recorder = exchange.recorder(),
                      .sessions = exchange.sessions(),
                      .operator_exits = options_.operator_exits,
                      .strict_query = options_.strict_query,
                      .views = exchange.views(),
                      .markets = exchange.markets(),
                      .requests = gateway_->log(),
                      .timeline = exchange.timeline(),
                      .marks = exchange.marks(),
                      .coverage = gateway_->coverage(),
                      .faults = gateway_->faults(),
                      .network = exchange.network(),
                      .snapshots = snapshots_,
                      .turnstile = turnstile_,
                      .signing = signing_,
                      .send = [this](auto&& request, const SendReply& reply) { send_here(std::move(request), reply); },
                      .move_clock = [this](const ClockChange& change) { return move_clock(change); },
                      .image = [this] { return image(); },
                      .become = [this](const VenueImage& image) { return become(image); },
                      .reset = [this](ResetScope scope) { return reset(scope); },
                      .report = [this, &exchange] { return report_of(exchange); },
                      .cluster = [this] { return cluster_ ? std::optional(cluster_->report()) : std::nullopt; },
                      .pass_on = [this](const api::HttpRequest& request) { return pass_on(request); },
                      .after_streams = [this](auto then) { after_streams(std::move(then)); }},
      ControlAccess{.token = options_.control_token, .client_ip_header = options_.client_ip_header});
}

// Selected by the Host, like requests of the API; an unknown name selects the first network.
const Venue::Seat& Venue::seat_for(const api::HttpRequest& request) const {
  const std::string host = host_name(request.headers);
  for (const Seat& seat : seats_)
    if (seat.exchange->network().settings.has_host(host)) return seat;
  return seats_.front();
}

// Under an unknown name, "/" is a path like any other.
bool Venue::sees_console(const api::HttpRequest& request, const Peer& peer) const {
  const Seat& seat = seat_for(request);
  const NetworkSettings& settings = seat.exchange->network().settings;
  return settings.id == api::NetworkId::local && settings.has_host(host_name(request.headers)) &&
         seat.control->shows_console(request, peer.address);
}

void Venue::join_cluster(const PeerDial& dial) {
  ControlSurface& control = *seats_.front().control;
  cluster_ = std::make_unique<ClusterNode>(
      *etcd_, *seats_.front().exchange, turnstile_, lease_clock_, machine_,
      ClusterNode::Terms{.dial = dial, .control = [&control](api::HttpRequest&& request, const SendReply& reply) {
                           control.handle(request, "127.0.0.1", reply);
                         }});
  NetworkInstance& network = seats_.front().exchange->network();
  network.is_current = [this] { return cluster_->is_current(); };
  network.is_cut_off = [this] { return cluster_->is_cut_off(); };
  network.hears_writer = [this] { return cluster_->hears_writer(); };
  network.cluster_state = [this] {
    const auto report = cluster_->report();
    if (!report.takes_writes) return api::ServiceState::down;
    return report.is_current ? api::ServiceState::ok : api::ServiceState::degraded;
  };
  network.limiter.set_keepers([this](const Address& account, std::string question) {
    return cluster_->ask_keeper(to_string(account), std::move(question));
  });
  cluster_->set_charge([&network](std::string_view question) { return network.limiter.answer(question); });
}

std::optional<api::HttpResponse> Venue::pass_on(const api::HttpRequest& request) {
  auto told = cluster_ ? cluster_->pass_on(request) : std::nullopt;
  if (!told) return told;
  const auto here = turnstile_.share();
  (void)cluster_->is_current();
  return told;
}

void Venue::set_port(std::uint16_t port) {
  port_.store(port);
  if (!etcd_) return;
  if (const auto named = api::parse_host_port(options_.advertise, port); !options_.advertise.empty() && named)
    return etcd_->announce(*named);
  const bool here = options_.host.empty() || options_.host == "localhost";
  etcd_->announce({here ? "127.0.0.1" : options_.host, port});
}

bool Venue::may_wait(const api::HttpRequest& request) const {
  if (!folder_ && !etcd_) return false;
  const std::string_view path = request.path();
  if (cluster_ && ClusterNode::owns(path)) return ClusterNode::may_wait(path);
  const bool is_read = request.is("GET") || request.is("HEAD") || request.is("OPTIONS");
  // The whole state waits for every write that is under way.
  if (is_read && path == api::control::DumpState::op.path) return true;
  if (!is_read) return true;
  if (!cluster_) return false;
  // The leader answers for this node.
  if (ControlSurface::owns(path)) return !cluster_->leads();
  // Two nodes whose threads all waited for each other would stand still.
  const RateLimiter& limiter = seats_.front().exchange->network().limiter;
  return bears_credential(request.headers) && (cluster_->may_wait_to_be_current() || limiter.may_ask_keeper());
}

void Venue::handle(api::HttpRequest&& request, const Peer& peer, const SendReply& reply) {
  const std::string_view path = request.path();
  if (cluster_ && ClusterNode::owns(path)) return cluster_->handle(std::move(request), reply);
  if (ControlSurface::owns(path))
    seat_for(request).control->handle(request, peer.address, reply);
  else if (is_looking_around(request) && sees_console(request, peer))
    reply(redirect_to_console());
  else {
    const auto here = turnstile_.share();
    gateway_->handle(std::move(request), peer, reply);
  }
}

void Venue::send_here(api::HttpRequest&& request, const SendReply& reply) {
  const Peer here{"127.0.0.1"};
  if (!options_.client_ip_header.empty()) request.headers.set(options_.client_ip_header, here.address);
  gateway_->handle(std::move(request), here, reply);
}

void Venue::upgrade(api::HttpRequest&& request, const std::string& head, const Peer& peer, const Upgrade& upgrade) {
  if (ControlSurface::owns(request.path()))
    seat_for(request).control->upgrade(request, head, peer.address, upgrade);
  else {
    const auto here = turnstile_.share();
    gateway_->upgrade(std::move(request), head, peer, upgrade);
  }
}

void Venue::run_streams(const std::stop_token& stop) {
  std::vector<std::jthread> others;
  if (cluster_) others.emplace_back([this, stop] { end_streams_of_a_lost_node(stop); });
  for (std::size_t i = 1; i < seats_.size(); ++i)
    others.emplace_back([&streams = seats_[i].exchange->streams(), stop] { streams.run(stop); });
  seats_.front().exchange->streams().run(stop);
}

// On a thread of its own: whatever writes may wait for as long as the node is cut off.
void Venue::end_streams_of_a_lost_node(const std::stop_token& stop) {
  for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(limits::cluster_step_ms)))
    if (cluster_->is_cut_off())
      for (const Seat& seat : seats_) seat.exchange->streams().end_all("this node has lost the others");
}

void Venue::pass_time() {
  // The memory of the state before is given back once the request that replaced it is over.
  if (was_replaced_.exchange(false)) ::malloc_trim(0);
  const auto here = turnstile_.share();
  clock_.begin_pass(cluster_ && !cluster_->leads() ? SandboxClock::Waits::for_leader : SandboxClock::Waits::for_itself);
  if (cluster_) cluster_->pass_time();
  for (const Seat& seat : seats_) {
    seat.exchange->pass_time();
    seat.control->send_news();
  }
  clock_.end_pass();
}

namespace {

// While somebody has the turnstile alone, a write of this thread does not step out of it to wait for another node.
auto replacing(ClusterNode* node) {
  if (node != nullptr) node->set_replacing(true);
  return absl::Cleanup([node] {
    if (node != nullptr) node->set_replacing(false);
  });
}

engine::OracleTick prices_of(const engine::Engine& engine, TimestampMs now_ms) {
  engine::OracleTick tick;
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
    const engine::MarketFigures figures = engine.market(market, now_ms);
    if (figures.status == engine::MarketStatus::delisted || !figures.index || !figures.mark) continue;
    // Marks that follow the index continue to do so.
    const bool by_hand = figures.price_mode == engine::PriceMode::manual;
    tick.prices.push_back({.market = market, .index = *figures.index, .mark = by_hand ? figures.mark : std::nullopt});
  }
  return tick;
}

}  // namespace

VenueImage Venue::image() {
  const auto alone = turnstile_.exclusive();
  const auto replaces = replacing(cluster_.get());
  VenueImage image{.at_ms = clock_.now_ms()};
  for (const Seat& seat : seats_) {
    Exchange& exchange = *seat.exchange;
    exchange.sequencer().pass_time();  // logs which streams have just opened or closed
    if (&seat == &seats_.front())
      image.sequence =
          exchange.sequencer().read([](const engine::Engine& engine, TimestampMs) { return engine.sequence(); });
    image.networks.emplace(exchange.name(), exchange.image());
  }
  return image;
}

Result<void, std::string> Venue::check_image(const VenueImage& image) const {
  const auto name_of = [](const Seat& seat) { return seat.exchange->name(); };
  const std::string other = "the state is not that of a sandbox of " + svc::joined(seats_, name_of, " and ");
  if (image.networks.size() != seats_.size()) return unexpected(other);
  for (const Seat& seat : seats_) {
    const auto own = image.networks.find(seat.exchange->name());
    if (own == image.networks.end()) return unexpected(other);
    const auto last_ms = SVC_TRY(seat.exchange->check_image(own->second));
    // Restoring does everything due by then at once.
    if (!is_log_time(image.at_ms) || image.at_ms - last_ms > limits::clock_jump_ms_max)
      return unexpected("the state is of another time than its networks: " + std::to_string(image.at_ms));
  }
  return {};
}

Result<void, api::ApiError> Venue::become(const VenueImage& image) {
  const auto alone = turnstile_.exclusive();
  const auto replaces = replacing(cluster_.get());
  if (const char* why = stopped_) return api::refused(api::ErrorCode::service_unavailable, why);
  if (auto checked = check_image(image); !checked) return api::refused(api::ErrorCode::unprocessable, checked.error());
  std::vector<std::pair<Exchange*, const std::string*>> moves;
  for (const Seat& seat : seats_) moves.emplace_back(seat.exchange.get(), &image.networks.at(seat.exchange->name()));
  std::optional<PendingRevert> pending;
  const auto planned = [&](const VenueImage& goal) {
    PendingRevert::Positions positions;
    for (const auto& [exchange, bytes] : moves) positions.emplace(exchange->name(), exchange->last_position());
    return pending->write(goal, positions);
  };
  // Nothing has changed, unless the next start would find the plan.
  const auto refused = [&](WriteRefusal why) -> Result<void, api::ApiError> {
    if (!pending || pending->remove()) return unexpected(refusal_of(why));
    return stop_writing(
        "the revert was refused, but its plan, revert.json, cannot be removed: nothing is written any more; remove it "
        "and start again");
  };
  if (folder_ && moves.size() > 1) {
    // The folder at its path may be another sandbox's, with a plan of its own.
    SVC_TRY(snapshots_.check_place());
    pending.emplace(options_.state_folder);
    if (!planned(image)) return refused(WriteRefusal::not_logged);
  }
  VenueImage former{.at_ms = clock_.now_ms()};
  if (moves.size() > 1)
    for (const auto& [exchange, bytes] : moves) former.networks.emplace(exchange->name(), exchange->image());
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto done = moves[i].first->become(*moves[i].second);
    if (done) continue;
    // From here on the plan is the way back. If a network cannot go back either, the next start takes it. (D-405)
    const bool leads_back = !pending || planned(former);
    bool is_back = true;
    for (std::size_t k = 0; k < i; ++k)
      is_back = moves[k].first->become(former.networks.at(moves[k].first->name())).has_value() && is_back;
    // The plan may still be the new state: the next start then finishes what was refused.
    if (!is_back)
      return stop_writing(leads_back ? "the state was replaced in part and cannot be put back now: nothing is written "
                                       "any more; start again, which puts it back"
                                     : "the state was replaced in part, and neither it nor its plan, revert.json, can "
                                       "be put back now: nothing is written any more; start again, which makes it "
                                       "wholly the new state, or the former one");
    return refused(done.error());
  }
  if (pending) (void)pending->remove();
  clock_.follow_image(image.at_ms);
  const auto half_done = [] {
    return api::refused(api::ErrorCode::service_unavailable,
                        "the state was replaced, but its log takes no more: make room, and restart");
  };
  // First, because any other entry lets the time since the image pass, and with it the timers of its streams.
  for (const auto& [exchange, bytes] : moves)
    if (!exchange->drop_lost_streams()) return half_done();
  // The image's rows contain the clock's anchor of that time.
  if (!keep_clock(clock_.anchor())) return half_done();
  for (const auto& [exchange, bytes] : moves) exchange->pass_time();
  was_replaced_ = true;
  return {};
}

Result<void, api::ApiError> Venue::move_clock(const ClockChange& change) {
  const std::unique_lock one_at_a_time(clock_change_);
  const auto anchor = clock_.after(change);
  if (!anchor) return api::refused(api::ErrorCode::invalid_json, anchor.error());
  // The log comes first here as well: a change that cannot be logged does not happen.
  if (!keep_clock(*anchor)) return unexpected(refusal_of(WriteRefusal::not_logged));
  clock_.adopt(*anchor);
  for (const Seat& seat : seats_) {
    seat.exchange->sequencer().do_due();
    seat.exchange->streams().hub().pass_time();
  }
  return {};
}

// A stalled reader delays the answer only for a limited time.
void Venue::after_streams(std::function<void(bool delivered)> then) {
  const auto answer = [then = std::move(then), given = std::make_shared<std::atomic<bool>>(false)](bool delivered) {
    if (!given->exchange(true)) then(delivered);
  };
  {
    // Released by each connection that has sent everything; the last one triggers the answer.
    const std::shared_ptr<void> hold(nullptr, [answer](void*) { answer(true); });
    for (const Seat& seat : seats_) seat.exchange->streams().when_delivered(hold);
  }
  const auto give_up = [answer] { answer(false); };
  if (options_.after_ms)
    options_.after_ms(limits::stream_delivery_wait_ms, give_up);
  else
    give_up();
}

Unexpected<api::ApiError> Venue::stop_writing(const char* why) {
  stopped_ = why;
  for (const Seat& seat : seats_) seat.exchange->sequencer().stop_writing(refuses_writes_);
  return api::refused(api::ErrorCode::service_unavailable, why);
}

bool Venue::keep_clock(const ClockAnchor& anchor) {
  for (const Seat& seat : seats_)
    if (!seat.exchange->sequencer().submit(anchor)) return false;
  return true;
}

const std::vector<DevAccount>& Venue::accounts() const {
  for (const Seat& seat : seats_)
    if (!seat.exchange->accounts().empty()) return seat.exchange->accounts();
  return seats_.front().exchange->accounts();
}

namespace {

// Where programs of this machine reach what listens on `host`. The number needs no resolver, and "localhost" is this
// number and ::1. A request that names all addresses as its Host does not get to the control surface. (D-262)
std::string reachable_host(const std::string& host) {
  if (api::is_any_address(host)) return api::address_bytes(host) == api::address_bytes("::") ? "::1" : "127.0.0.1";
  return host.empty() || host == "localhost" ? "127.0.0.1" : host;
}

}  // namespace

ReadyReport Venue::report_of(const Exchange& exchange) const {
  const NetworkSettings& settings = exchange.network().settings;
  // If there are several networks, the others are selected by name.
  const bool is_first = &exchange == seats_.front().exchange.get();
  const std::string host = is_first ? reachable_host(options_.host) : settings.hosts.front();
  const std::string place = to_string(api::HostPort{host, port_.load()});
  return {.name = options_.name,
          .url = "http://" + place,
          .ws = "ws://" + place + "/v1",  // every network has its streams there
          .control = "http://" + place + std::string(api::control::base_path),
          .network = exchange.name(),
          .deployment = settings.deployment,
          .domain_name = settings.domain_name,
          .pid = ::getpid(),
          .seed = options_.seed,
          .accounts = exchange.accounts(),
          .networks = {}};
}

ReadyReport Venue::report() const {
  ReadyReport report = report_of(*seats_.front().exchange);
  report.accounts = accounts();
  if (options_.networks.empty()) return report;
  for (const Seat& seat : seats_) {
    const NetworkSettings& settings = seat.exchange->network().settings;
    const std::string host = to_string(api::HostPort{settings.hosts.front(), port_.load()});
    report.networks.push_back({.network = seat.exchange->name(),
                               .url = "http://" + host,
                               .host = host,
                               .deployment = settings.deployment,
                               .domain_name = settings.domain_name});
  }
  return report;
}

Result<void, api::ApiError> Venue::reset(ResetScope scope) {
  SandboxOptions options = options_;
  options.state_folder.clear();
  options.etcd.reset();
  options.dump_file.clear();
  options.record_file.clear();
  options.clock = {ClockMode::manual};
  options.clock_given = true;
  options.start_at_ms = clock_.now_ms();
  const ManualClock now(clock_.now_ms());
  // A stopped clock is before the beginning, if an earlier state was loaded since.
  auto fresh = Venue::open(std::move(options), now, {.load_may_be_later = true});
  if (!fresh) return api::refused(api::ErrorCode::unprocessable, fresh.error());
  std::vector<engine::OracleTick> prices;
  for (const Seat& seat : seats_) prices.push_back(seat.exchange->sequencer().read(prices_of));
  SVC_TRY(become((*fresh)->image()));
  if (scope == ResetScope::all) return {};
  const auto here = turnstile_.share();
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const auto applied = seats_[i].exchange->sequencer().submit(prices[i]);
    if (!applied) return unexpected(refusal_of(applied.error()));
  }
  return {};
}

bool PendingRevert::write(const VenueImage& image, const Positions& positions) const {
  const std::string text = nlohmann::ordered_json{{"positions", positions}}.dump() + '\n' + to_document(image) + '\n';
  return write_whole_file(path_, text) && sync_folder(path_.parent_path());
}

Result<std::optional<PendingRevert::Plan>, std::string> PendingRevert::read() const {
  if (std::error_code none; !std::filesystem::exists(path_, none)) return std::optional<Plan>();
  const std::string damaged = path_.string() + " is damaged; put back a copy of the folder";
  const std::string text = file_text(path_);
  std::string_view rest = text;
  const auto header = nlohmann::ordered_json::parse(take_line(rest), nullptr, false);
  if (!header.is_object() || !header.contains("positions")) return unexpected(damaged);
  Positions positions;
  for (const auto& [network, position] : header["positions"].items()) {
    if (!position.is_number_unsigned()) return unexpected(damaged);
    positions.emplace(network, position.get<std::uint64_t>());
  }
  auto image = SVC_TRY(about(path_.string() + ": ", parse_document(rest)));
  return std::optional(std::pair(std::move(image), std::move(positions)));
}

bool PendingRevert::remove() const {
  std::error_code error;
  std::filesystem::remove(path_, error);
  return !error && sync_folder(path_.parent_path());
}

}  // namespace svc::sim
