#include "sim/exchange.h"

#include <algorithm>
#include <span>

#include "api/contract/venue.h"
#include "base/archive.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/sequencer/chain.h"

namespace svc::sim {
namespace {

// The insurance fund starts with this, so that deleveraging stays the rare event it should be. (D-265)
constexpr Usdx insurance_seed{100'000 * usdx_one};

// Without bots nobody updates the oracle: prices stay until they are set by hand. A tape says how it was recorded.
bool oracle_ages(const SandboxOptions& options, const Tape* tape) {
  return tape != nullptr ? tape->oracle_ages() : options.flow != FlowKind::none;
}

std::vector<engine::MarketSpec> listed_markets(const SandboxOptions& options, const Tape* tape) {
  auto specs = options.markets.empty() ? engine::standard_markets() : options.markets;
  if (!oracle_ages(options, tape))
    for (engine::MarketSpec& spec : specs) spec.oracle_stale_after_ms = 0;
  return specs;
}

NetworkSettings network_settings(const SandboxOptions& options, api::NetworkId network) {
  NetworkSettings settings;
  static_cast<NetworkTerms&>(settings) = options;
  settings.id = network;
  settings.faucet = network == api::NetworkId::testnet || (options.faucet && network == api::NetworkId::local);
  settings.hosts = hosts_of(options, network);
  settings.domain_name = domain_name_of(options, network);
  settings.domain_name_owner = owner_of_shared_name(options);
  settings.deployment = deployment_of(options, network);
  settings.seed = options.seed;
  // Otherwise strangers could derive the secrets of others. (D-661)
  settings.secrets = options.allow_remote && !options.seed_given ? SecretSource::system : SecretSource::seed;
  return settings;
}

// The ids of the first ones, for people, and a number that stands for all terms of all.
std::string text_of_markets(const std::vector<engine::MarketSpec>& markets) {
  constexpr std::size_t named_max = 8;
  Chain chain(0);
  for (const engine::MarketSpec& market : markets) chain.add(to_archive(market));
  chain.add(static_cast<std::uint64_t>(insurance_seed.value));
  const auto named = std::span(markets).first(std::min(markets.size(), named_max));
  return joined(named, &engine::MarketSpec::id) + (named.size() < markets.size() ? ", ..." : "") + " (" +
         std::to_string(chain.value()) + ")";
}

// The first oracle tick; without prices that of the standard markets.
engine::OracleTick first_prices(const MarketTable& markets, std::vector<std::string> prices) {
  if (prices.empty()) prices = {"60000", "3000", "150"};  // BTC, ETH and SOL
  SVC_ASSERT(prices.size() == markets.size());
  engine::OracleTick tick;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
    const auto decimal = parse_decimal(prices[i]);
    SVC_ASSERT(decimal.has_value());
    const auto price = engine::measure_price(markets.spec(market), *decimal);
    SVC_ASSERT(price.grid == engine::Grid::on);
    tick.prices.push_back({.market = market, .index = price.value, .mark = std::nullopt});
  }
  return tick;
}

// Numbers of two processes practically never meet. They stay below 2^53, so that every client can read them.
std::uint64_t drawn_sequence() {
  return random_number() >> 16;
}

std::string stats_body(NetworkInstance& network, TimestampMs now_ms) {
  const Handler* stats = network.handlers.find(api::ops::GetStats::op);
  SVC_ASSERT(stats != nullptr);
  const api::HttpRequest request{
      .method = "GET", .target = std::string(api::ops::GetStats::op.path), .headers = {}, .body = {}};
  RequestContext context(request, now_ms);
  context.network = &network;
  const auto done = (*stats)(context);
  SVC_ASSERT(done.has_value());
  return context.response.body;
}

FlowTerms flow_terms(const SandboxOptions& options, std::shared_ptr<const Tape> tape) {
  return {.bots = options.flow == FlowKind::bots,
          .oracle_ages = oracle_ages(options, tape.get()),
          .tape = std::move(tape),
          .seed = options.seed};
}

std::string flow_text(const SandboxOptions& options, const Tape* tape) {
  if (tape != nullptr) return "tape " + std::to_string(tape->fingerprint());
  return options.flow == FlowKind::none ? "none" : "bots";
}

}  // namespace

Result<std::unique_ptr<Exchange>, std::string> Exchange::open(const SandboxOptions& options, api::NetworkId network,
                                                              const OpenLog& open_log, SandboxClock& clock,
                                                              const Clock& machine) {
  Founding founding{.started_ms = clock.now_ms(), .accounts = options.accounts, .balance = options.balance};
  SandboxOptions kept = options;  // with what a journal keeps of its first start: replay decides by it again
  std::unique_ptr<DurableLog> journal;
  std::shared_ptr<const Tape> tape;
  if (options.flow == FlowKind::tape) {
    tape = SVC_TRY(Tape::load(options.tape_file, listed_markets(options, nullptr)));
  }
  if (open_log) {
    const std::string name(api::to_string(network));
    const LogFacts facts{.identity = {{"network", name},
                                      {"deployment", deployment_of(options, network)},
                                      {"domain name", domain_name_of(options, network)},
                                      {"seed", std::to_string(options.seed)},
                                      {"flow", flow_text(options, tape.get())},
                                      {"markets", text_of_markets(listed_markets(options, tape.get()))}},
                         .opening = {{"founding", to_archive(founding)},
                                     {"open orders", std::to_string(options.open_orders)},
                                     {"money terms", to_archive(options.money)}}};
    journal = SVC_TRY(open_log(name, facts));
    const auto opening = [&](const char* fact) { return value_in(journal->opening(), std::string(fact)); };
    const auto founded = from_archive<Founding>(opening("founding").value_or(""));
    if (!founded) return unexpected("--state: the journal of " + name + " does not say how it began");
    founding = *founded;
    // An older journal has no limit: what it contains was allowed then.
    const auto number = parse_scaled(opening("open orders").value_or("0"), 0);
    if (!number || *number < 0 || *number > limits::open_orders_max)
      return unexpected("--state: the journal of " + name + " does not say how many orders an account may have");
    kept.open_orders = static_cast<std::uint32_t>(*number);
    // An older journal does not have them: they are given at each start.
    const auto money = opening("money terms");
    const auto terms = money ? from_archive<MoneyTerms>(*money) : std::optional(options.money);
    if (!terms) return unexpected("--state: the journal of " + name + " does not say what its chain does");
    kept.money = *terms;
    if (const auto wrong = refusal(kept))
      return unexpected("--state: the journal of " + name + " began with other terms than are allowed: " + *wrong);
  }
  auto exchange =
      std::make_unique<Exchange>(kept, network, std::move(journal), std::move(tape), founding, clock, machine);
  if (exchange->is_old_ && !options.record_file.empty())
    return unexpected("--record begins with a new exchange: this --state has one already");
  if (exchange->is_old_ && !SVC_TRY(exchange->replay()))
    return unexpected("--state: the log of " + exchange->name() + " does not answer; start again");
  return exchange;
}

Exchange::Exchange(const SandboxOptions& options, api::NetworkId network, std::unique_ptr<DurableLog> journal,
                   std::shared_ptr<const Tape> tape, const Founding& founding, SandboxClock& clock,
                   const Clock& machine)
    : founding_(founding),
      open_orders_max_(options.open_orders),
      api_version_(options.versions.policy.current),
      clock_(clock),
      markets_(listed_markets(options, tape.get())),
      journal_(std::move(journal)),
      is_old_(journal_ != nullptr && journal_->last_position() > 0),
      network_(network_settings(options, network)),
      sequencer_({.markets = markets_.specs(), .insurance_seed = insurance_seed, .open_orders_max = open_orders_max_},
                 network_.services, clock, journal_ ? static_cast<CommandLog&>(*journal_) : memory_,
                 founding.started_ms),
      views_(markets_.specs()),
      flow_(flow_terms(options, std::move(tape)), markets_.specs()),
      start_prices_(options.start_prices),
      record_file_(options.record_file),
      timeline_(markets_),
      marks_(markets_.size()),
      streams_({.sequencer = sequencer_,
                .views = views_,
                .markets = markets_,
                .clock = clock_,
                .stats = [this](TimestampMs now_ms) { return stats_body(network_, now_ms); },
                .clock_stands = [this] { return clock_.pace().mode == ClockMode::manual; },
                // Each process that serves one log numbers these frames by itself. (D-900)
                .liquidations_seq = journal_ ? drawn_sequence() : 0},
               network_, sequencer_, machine) {
  // Publicly known keys hold money on local only.
  if (network == api::NetworkId::local) accounts_ = dev_accounts(founding.accounts, founding.balance);
  sequencer_.add_follower(views_);
  // They follow last: what a stream sends is never newer than what can be read; and a replay too, for the numbers of
  // events. (D-341)
  sequencer_.environment().last_follower = &streams_.hub();
  sequencer_.environment().actors = &flow_;
  sequencer_.environment().take_image = [this](std::string_view image) { return take_image(image); };
}

// A cleanly closed journal is verified once more at the next start.
Exchange::~Exchange() {
  if (journal_ && journal_->last_position() > 0) (void)journal_->put_mark(sequencer_.mark());
}

Result<bool, std::string> Exchange::replay() {
  std::uint64_t from = sequencer_.position() + 1;
  // A snapshot of another version may not fit: then an older one is tried, or everything is replayed.
  auto snapshot = journal_->latest_snapshot();
  while (snapshot && *snapshot && !begin_with((*snapshot)->image, (*snapshot)->position))
    snapshot = journal_->snapshot_before((*snapshot)->position);
  if (!snapshot) return false;
  if (*snapshot) from = (*snapshot)->position + 1;
  const auto marks = journal_->marks(from - 1);
  auto mark = marks.begin();
  std::optional<std::uint64_t> differs;
  const auto compare = [&](std::uint64_t position) {
    if (mark == marks.end() || mark->position != position) return;
    if (sequencer_.mark().state_hash != mark->state_hash) differs = position;
    ++mark;
  };
  compare(from - 1);
  std::uint64_t last = from - 1;
  bool is_valid = true;
  const auto read = journal_->read(from, [&](const LogEntry& entry) {
    is_valid = apply(entry).has_value();
    if (!is_valid) return false;
    last = entry.position;
    compare(last);
    return !differs;
  });
  if (differs)
    return unexpected("--state: after entry " + std::to_string(*differs) + " of " + name() +
                      " the state is not what it was: this version of svc trades by other rules than the one that "
                      "wrote it; start that one, or begin anew with another --state");
  if (!read && read.error() == LogError::unreachable) return false;
  const bool is_gone = !read && read.error() == LogError::gone;
  const auto is_newer = is_gone ? journal_->look_again() : false;
  if (!is_newer && is_newer.error() == LogError::unreachable) return false;
  if (!is_newer) return unexpected("--state: " + journal_->problem());
  if (*is_newer) return replay();  // from the newer snapshot
  if (is_gone)
    return unexpected(
        "--state: no snapshot of " + name() +
        " can be used, as it is damaged or of another version of svc, and its first entries were removed; "
        "start the version that wrote it, or begin anew with another --state");
  if (!read || !is_valid)
    return unexpected("--state: entry " + std::to_string(last + 1) + " of " + name() +
                      " makes no sense to this version of svc; start the one that wrote it, or begin anew "
                      "with another --state");
  return true;
}

std::optional<Applied> Exchange::apply(LogEntry entry) {
  // An image written by another version is checked before it is used.
  const auto* image = std::get_if<Image>(&entry.unit.body);
  if (!is_log_time(entry.at_ms) || !is_usual(entry.unit)) return std::nullopt;
  if (image != nullptr && !check_image(image->bytes)) return std::nullopt;
  return sequencer_.replay(std::move(entry));
}

std::optional<std::string> Exchange::latest_image_after(std::uint64_t position) const {
  std::optional<std::string> latest;
  const auto read = journal_->read(position + 1, [&](const LogEntry& entry) {
    if (const auto* image = std::get_if<Image>(&entry.unit.body)) latest = image->bytes;
    return true;
  });
  return read ? latest : std::nullopt;
}

std::optional<Applied> Exchange::take(LogEntry&& entry) {
  const bool brings_image = std::holds_alternative<Image>(entry.unit.body);
  const auto* service = std::get_if<ServiceCommand>(&entry.unit.body);
  const auto* lost = service == nullptr ? nullptr : std::get_if<NoteStreamsLost>(service);
  // Also if etcd forgot this node for a while: its streams are open all the same.
  const bool forgets_streams = (service != nullptr && std::holds_alternative<NoteRestart>(*service)) ||
                               (lost != nullptr && lost->node == streams_.node());
  auto applied = apply(std::move(entry));
  if (!applied) return applied;
  clock_.heard(sequencer_.last_ms());
  if (brings_image) {
    clock_.follow_image(sequencer_.last_ms());
    streams_.dispatch();
  }
  if (forgets_streams) streams_.note_all();
  return applied;
}

Result<bool, std::string> Exchange::take_snapshot_of_log() {
  streams_.dispatch();
  if (!SVC_TRY(replay())) return false;
  if (const auto anchor = sequencer_.clock_anchor()) clock_.follow(*anchor);
  clock_.heard(sequencer_.last_ms());
  streams_.note_all();
  return true;
}

// Like a restart: what was due while nobody led is skipped.
void Exchange::begin_to_lead() {
  clock_.never_before(sequencer_.last_ms());
  remember(sequencer_.memories());
  flow_.begin(clock_.now_ms(), founding_.started_ms);
}

Result<void, std::string> Exchange::begin(Part part, const std::string& node) {
  if (journal_ && part != Part::follows) SVC_TRY(about("--state: ", journal_->begin()));
  if (!record_file_.empty()) {
    recorder_ = SVC_TRY(TapeRecorder::create(record_file_, markets_.specs(), founding_.started_ms));
    sequencer_.environment().witnesses.push_back(recorder_.get());
  }
  sequencer_.environment().witnesses.push_back(&sessions_);
  sequencer_.add_follower(sessions_);
  sequencer_.add_follower(timeline_);
  sequencer_.add_follower(marks_);
  network_.witness = &timeline_;
  streams_.set_node(node);
  network_.has_stream = [this, elsewhere = part != Part::alone](const Address& account) {
    return streams_.has_stream(account) || (elsewhere && network_.services.look()->disconnects.is_connected(account));
  };
  network_.has_money = [this](const Address& account) {
    return views_.read([&](const VenueView& view) { return view.knows(account); });
  };
  bind_operations(network_,
                  {.sequencer = sequencer_, .views = views_, .markets = markets_, .started_ms = clock_.now_ms()});
  bind_streams(network_, streams_, api_version_);
  if (part != Part::alone) {
    sequencer_.environment().take_clock = [this](const ClockAnchor& anchor) {
      if (sequencer_.is_writing()) return clock_.adopt(anchor);
      clock_.follow(anchor);
      streams_.note_moved_clock();
    };
  }
  if (part == Part::follows) return {};
  if (!is_old_) {
    SVC_TRY(fund_and_price());
  } else if (part == Part::alone && !drop_lost_streams()) {
    return unexpected("--state: the journal of " + name() + " does not take the end of the streams that were open: " +
                      journal_->problem() + "; make room, and start again");
  }
  flow_.begin(clock_.now_ms(), founding_.started_ms);
  return {};
}

std::string Exchange::notice() const {
  if (!journal_ || journal_->dropped_snapshots().empty()) return {};
  const auto text_of = [](std::uint64_t position) { return std::to_string(position); };
  return "the journal of " + name() + " had a damaged snapshot (entry " +
         svc::joined(journal_->dropped_snapshots(), text_of) +
         "); it was dropped, and the state was replayed from what is whole";
}

Result<void, WriteRefusal> Exchange::drop_lost_streams() {
  if (!network_.services.look()->disconnects.is_idle()) SVC_TRY(sequencer_.submit(ServiceCommand(NoteRestart{})));
  streams_.note_all();  // a state that is loaded knows none of those that are open here
  return {};
}

void Exchange::pass_time() {
  sequencer_.pass_time();
  streams_.look_after();
  if (journal_ && journal_->wants_snapshot()) take_snapshot();
}

// After a failure the next attempt comes after as many further entries.
void Exchange::take_snapshot() {
  const std::uint64_t last = journal_->last_position();
  if (snapshot_failed_at_ && last < *snapshot_failed_at_ + limits::state_mark_entries) return;
  snapshot_failed_at_.reset();
  const Snapshot taken = snapshot();
  // Entries are removed behind it, so it must be known that it makes a state.
  snapshot_is_unreadable_ = !check_image(taken.image);
  if (snapshot_is_unreadable_ || !journal_->put_snapshot(taken)) snapshot_failed_at_ = last;
}

void Exchange::restore_first_terms(SandboxOptions& options) const {
  if (network_.settings.id == api::NetworkId::local) {  // others have no accounts
    options.accounts = founding_.accounts;
    options.balance = founding_.balance;
  }
  options.open_orders = open_orders_max_;
  options.money = network_.settings.money;
}

// In one commit: a folder has its accounts and prices, or it is new.
Result<void, std::string> Exchange::fund_and_price() {
  std::vector<Unit> units;
  units.push_back({.body = clock_.anchor()});
  units.push_back({.body = CommandBody(first_prices(markets_, start_prices_))});
  if (founding_.balance != Usdx{})
    for (const DevAccount& account : accounts_)
      units.push_back(
          {.body = CommandBody(engine::Deposit{
               .account = account.address, .amount = founding_.balance, .kind = engine::FundsKind::deposit})});
  if (auto memories = flow_.put_off_tape(founding_.started_ms); !memories.empty())
    units.push_back({.memories = std::move(memories)});
  const auto applied = sequencer_.submit_together(std::move(units));
  if (!applied) return unexpected("--state: cannot write the first entries: " + (journal_ ? journal_->problem() : ""));
  for (const Applied& unit : *applied) SVC_ASSERT(unit.outcome.ok());
  return {};
}

struct Exchange::Parts {
  Sequencer::Held held;
  VenueView view;
  StreamNumbers numbers;
};

Snapshot Exchange::snapshot() const {
  return sequencer_.read_image([this](std::string held, std::uint64_t position) {
    return Snapshot{.position = position, .image = to_archive(held, views_.image(), streams_.hub().numbers())};
  });
}

Result<Exchange::Parts, std::string> Exchange::parts_of(std::string_view image) const {
  std::string held_bytes;
  std::string view_bytes;
  StreamNumbers numbers;
  if (!read_archive(image, held_bytes, view_bytes, numbers)) return unexpected("the image is damaged");
  auto held = SVC_TRY(sequencer_.held_of(held_bytes));  // refuses a state of other markets
  if (!numbers.fits(markets_.size())) return unexpected("the image is damaged");
  for (const Address& account : held.engine.accounts())
    for (const engine::OrderRecord& order : held.engine.open_orders(account))
      if (!is_utf8(order.client_id.text())) return unexpected("a client id of the image is no text");
  Flow flow(flow_.terms(), markets_.specs());
  for (const auto& [key, value] : held.memories)
    if (!flow.recall({.key = key, .value = value})) return unexpected("a memory of the image makes no sense: " + key);
  auto view = SVC_TRY(views_.view_of(view_bytes));
  const VenueTotals& totals = view.totals();
  if (totals.sequence != held.engine.sequence() || totals.last_command_ms != held.engine.now_ms())
    return unexpected("the image shows another instant than it holds");
  if (const auto differing = disagreements(held.engine, view, held.last_ms); !differing.empty())
    return unexpected("the image shows something else than it holds: " + differing.front());
  return Parts{.held = std::move(held), .view = std::move(view), .numbers = std::move(numbers)};
}

Result<TimestampMs, std::string> Exchange::check_image(std::string_view image) const {
  const auto parts = SVC_TRY(parts_of(image));
  return parts.held.last_ms;
}

Result<void, WriteRefusal> Exchange::become(std::string image) {
  SVC_TRY(sequencer_.submit(Image{std::move(image)}));
  // A manual clock goes back to the time of the image. A running one stays, and the rest of the tape is played from now
  // on.
  const TimestampMs then_ms = sequencer_.last_ms();
  const bool stands = clock_.pace().mode == ClockMode::manual;
  const TimestampMs now_ms = stands ? then_ms : clock_.now_ms();
  flow_.begin(now_ms, founding_.started_ms);
  if (now_ms > then_ms)
    if (auto memories = flow_.put_off_tape(now_ms - then_ms); !memories.empty()) {
      std::vector<Unit> units;
      units.push_back({.memories = std::move(memories)});
      // The state is replaced all the same: without this memory the next start puts the tape elsewhere.
      (void)sequencer_.submit_together(std::move(units));
    }
  streams_.dispatch();
  return {};
}

Sequencer::Held Exchange::take_image(std::string_view image) {
  auto parts = parts_of(image);
  SVC_ASSERT(parts);    // checked before it was logged, or replayed
  streams_.dispatch();  // what happened before
  remember(parts->held.memories);
  views_.replace(std::move(parts->view));
  streams_.hub().start_over(parts->numbers, parts->held.last_ms);
  sessions_.break_off();
  if (recorder_) recorder_->break_off();
  network_.limiter.fill();
  const TimestampMs then_ms = parts->held.last_ms;
  markets_.each([&](engine::MarketIndex market, const engine::MarketSpec&) {
    const engine::MarketFigures figures = parts->held.engine.market(market, then_ms);
    if (figures.mark && figures.index)
      marks_.go_back(market, {.at_ms = then_ms, .mark = *figures.mark, .index = *figures.index});
  });
  parts->held.services.stream_tokens.drop_all();  // a token that was used since must not work again
  return std::move(parts->held);
}

Result<void, std::string> Exchange::begin_with(std::string_view image, std::uint64_t position) {
  if (position < sequencer_.position()) return unexpected(std::string("the snapshot is older than what is here"));
  auto parts = SVC_TRY(parts_of(image));
  remember(parts.held.memories);
  views_.replace(std::move(parts.view));
  streams_.hub().begin_with(parts.numbers, parts.held.last_ms);
  sequencer_.begin_with(std::move(parts.held), position);
  return {};
}

void Exchange::remember(const std::map<std::string, std::string>& memories) {
  flow_.forget();
  for (const auto& [key, value] : memories) SVC_ASSERT(flow_.recall({.key = key, .value = value}));
}

}  // namespace svc::sim
