#include "sim/views/views.h"

#include <limits>
#include <ranges>
#include <type_traits>
#include <variant>

#include "base/encoding.h"
#include "base/random.h"

namespace svc::sim {
namespace {

constexpr Address nobody{};
constexpr std::array<std::uint8_t, 4> house_prefix{0xb0, 0x70, 0x00, 0x00};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 16 needs this

// Whether the numbers, times and texts of an image are possible for a venue: they become indexes, sums and answers.
class Inspection : public PartsCheck {
 public:
  explicit Inspection(std::size_t markets) : markets_(markets) {}

  using PartsCheck::operator();
  void operator()(engine::MarketIndex market) { expect(market.value < markets_); }
  void operator()(Ticks price) { expect(price >= Ticks{} && price.value <= limits::grid_units_max); }
  void operator()(Lots lots) { expect_within(lots.value, std::int64_t{1} << 61); }
  void operator()(Usdx amount) { expect_within(amount.value, std::int64_t{1} << 61); }
  void operator()(Ppb rate) { expect_within(rate.value, std::int64_t{1} << 61); }
  void operator()(i128 number) { expect_within(number, i128{1} << 100); }
  void operator()(const engine::ClientId& id) { expect(is_utf8(id.text())); }

  // Averages are computed from them.
  [[nodiscard]] bool operator()(const engine::PositionClosed& closed) {
    expect(closed.entry_lots > 0 && closed.exit_lots > 0);
    return true;
  }
  [[nodiscard]] bool operator()(const engine::Deleveraged& event) {
    expect(event.bankruptcy_lots != Lots{});
    return true;
  }

 private:
  const std::size_t markets_;
};

std::size_t band_of(i128 equity) {
  std::size_t band = 0;
  while (band + 1 < equity_bands.size() && equity >= static_cast<i128>(equity_bands[band + 1]) * usdx_one) ++band;
  return band;
}

template <class Levels>
bool same_levels(const std::vector<engine::BookLevel>& book, const Levels& levels) {
  return std::ranges::equal(book, levels, [](const engine::BookLevel& level, const auto& seen) {
    return level.price == seen.first && level.quantity == seen.second.quantity && level.orders == seen.second.orders;
  });
}

void compare_market(const engine::Engine& engine, engine::MarketIndex index, const MarketView& view, TimestampMs now_ms,
                    std::vector<std::string>& found) {
  const std::string& id = engine.spec(index).id;
  const engine::MarketFigures figures = engine.market(index, now_ms);
  const auto differs = [&](bool agrees, const char* what) {
    if (!agrees) found.push_back("views: " + id + ": " + what + " differs from the engine's");
  };
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  differs(same_levels(engine.book(index, engine::Side::buy, all), view.bids()), "bid side");
  differs(same_levels(engine.book(index, engine::Side::sell, all), view.asks()), "ask side");
  differs(figures.book_nonce == view.book_nonce(), "book nonce");
  differs(figures.trade_count == view.ever().trades, "number of trades");
  differs(figures.volume_total == view.ever().quote, "volume");
  differs(figures.mark == view.mark(), "mark price");
  differs(figures.index == view.index(), "index price");
  differs(figures.open_interest == view.open_interest(), "open interest");
  differs(figures.status == view.status(), "status");
  differs(figures.adl_event_count == view.adl_event_count(), "number of deleveraging events");
}

void compare_orders(const engine::Engine& engine, const Address& account, const AccountView& view,
                    std::vector<std::string>& found) {
  const auto same = [](const engine::OrderRecord& order, const engine::OrderRecord& seen) {
    return order.id == seen.id && order.status == seen.status && order.quantity == seen.quantity &&
           order.filled == seen.filled && order.price == seen.price;
  };
  auto orders = engine.open_orders(account);
  std::ranges::sort(orders, {}, &engine::OrderRecord::id);
  const bool agrees = orders.size() == view.open_orders().size() &&
                      std::ranges::equal(orders, view.open_orders(),
                                         [&](const auto& order, const auto& seen) { return same(order, seen.second); });
  if (!agrees) found.push_back("views: open orders of " + to_string(account) + " differ from the engine's");
}

void compare_money(const engine::Engine& engine, const Address& account, const VenueView& view,
                   std::vector<std::string>& found) {
  const engine::AccountFigures figures = engine.account(account);
  const bool agrees = view.portfolio(account).equity == figures.equity.value &&
                      view.account(account).portfolio().collateral() == figures.collateral.value;
  if (!agrees) found.push_back("views: money of " + to_string(account) + " differs from the engine's");
  const BoundedLog<Activity>& activity = view.account(account).activity();
  i128 moved = 0;
  for (const Activity& row : activity.rows()) moved += row.amount.value;
  if (activity.forgotten() == 0 && moved != figures.collateral.value)
    found.push_back("views: activity of " + to_string(account) + " does not add up to its collateral");
}

}  // namespace

VenueView::VenueView(std::span<const engine::MarketSpec> markets, std::size_t ended_orders_max)
    : VenueView(std::vector<std::int64_t>(markets.size()), ended_orders_max) {
  std::ranges::transform(markets, lot_units_.begin(), engine::quote_unit);
}

void VenueView::pass(const Stamp& stamp) {
  if (!totals_.sequence.exists())
    totals_.since_ms = stamp.at_ms;
  else
    sampler_.pass(totals_.last_command_ms, stamp.at_ms, lot_values_);
  if (stamp.sequence.value > totals_.sequence.value + 1)
    totals_.gaps += stamp.sequence.value - totals_.sequence.value - 1;
  totals_.sequence = stamp.sequence;
  totals_.last_command_ms = stamp.at_ms;
}

void VenueView::fold(const Stamp& stamp, std::span<const engine::Event> events) {
  if (events.empty()) return;
  totals_.last_event_ms = stamp.at_ms;
  totals_.events += events.size();
  throughput_.at(stamp.at_ms).events += events.size();
  for (const engine::Event& event : events) {
    fold_market(stamp, event);
    fold_account(stamp, event);
  }
}

void VenueView::fold_market(const Stamp& stamp, const engine::Event& event) {
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (requires(MarketView & view) { view.fold(stamp, body); })
          markets_[body.market.value].fold(stamp, body);
        if constexpr (std::is_same_v<Body, engine::MarkChanged>) {
          const std::size_t market = body.market.value;
          lot_values_[market] = static_cast<i128>(body.mark.value) * lot_units_[market];
          sampler_.marks_moved();
        }
        if constexpr (std::is_same_v<Body, engine::LiquidationStarted>) ++totals_.liquidations;
      },
      event);
}

void VenueView::fold_account(const Stamp& stamp, const engine::Event& event) {
  const auto fold_into = [&](const Address& address, const auto& body) { account_of(address).fold(stamp, body); };
  // The account's figures differ from the last sample.
  const auto fold_money = [&](const Address& address, const auto& body) -> AccountView& {
    AccountView& view = account_of(address);
    view.fold(stamp, body);
    sampler_.touch(view);
    count_if_flat(view);
    return view;
  };
  const auto transfer = [&](const Address& address, ActivityCause cause, Usdx amount, std::uint64_t record) {
    Activity row{.cause = cause, .amount = amount, .at_ms = stamp.at_ms};
    if (record != 0) row.reference = {Reference::Kind::transfer, record};
    account_of(address).add_activity(row);
  };
  std::visit(Overloaded{[&](const engine::OrderChanged& body) {
                          AccountView& view = account_of(body.order.account);
                          ended_orders_ -= view.ended_orders().rows().size();
                          view.fold(stamp, body);
                          ended_orders_ += view.ended_orders().rows().size();
                          if (ended_orders_ > ended_orders_max_) forget_ended_orders();
                        },
                        [&](const engine::PositionClosed& body) { fold_into(body.account, body); },
                        [&](const engine::FundingPaid& body) { fold_into(body.account, body); },
                        [&](const engine::BalanceChanged& body) { fold_money(body.account, body); },
                        [&](const engine::PositionChanged& body) { fold_money(body.account, body); },
                        [&](const engine::Fill& body) {
                          latest_fills_ms_[fold_money(body.account, body).number_] = stamp.at_ms;
                          ++totals_.fills;
                          ++throughput_.at(stamp.at_ms).fills;
                        },
                        [&](const engine::FundsMoved& body) {
                          account_of(body.account)
                              .add_funds({.id = ++funds_rows_,
                                          .kind = body.kind,
                                          .amount = body.amount,
                                          .record = body.record,
                                          .sequence = stamp.sequence,
                                          .at_ms = stamp.at_ms});
                        },
                        [&](const engine::TransferMade& body) {
                          transfer(body.from, ActivityCause::transfer_out, -body.amount, body.record);
                          transfer(body.to, ActivityCause::transfer_in, body.amount, body.record);
                        },
                        [&](const engine::InsuranceChanged& body) {
                          if (body.account != nobody) fold_into(body.account, body);
                        },
                        [&](const engine::Deleveraged& body) { fold_adl(stamp, body); }, [](const auto&) {}},
             event);
}

void VenueView::fold_adl(const Stamp& stamp, const engine::Deleveraged& event) {
  adl_events_[event.number].row = {event, stamp.at_ms};
  mention_adl(markets_[event.market.value], event.number);
  const auto concerns = [&](const Address& address) -> AccountView& {
    AccountView& account = account_of(address);
    const auto& listed = account.adl_events().rows();
    if (listed.empty() || listed.back() != event.number) mention_adl(account, event.number);
    return account;
  };
  const auto add = [&](AccountView& account, ActivityCause cause, Usdx amount) {
    account.add_activity({.cause = cause,
                          .market = event.market,
                          .amount = amount,
                          .reference = {Reference::Kind::adl_event, event.number},
                          .at_ms = stamp.at_ms});
  };
  AccountView& target = concerns(event.target);
  if (event.absorbed_by_fund > Usdx{}) add(target, ActivityCause::insurance, event.absorbed_by_fund);
  if (!event.closures.empty()) add(target, ActivityCause::adl, event.realized);
  for (const engine::AdlClosure& closure : event.closures)
    if (closure.account != event.target) add(concerns(closure.account), ActivityCause::adl, closure.realized);
}

template <class View>
void VenueView::mention_adl(View& list, std::uint64_t number) {
  ++adl_events_.at(number).mentions;
  const std::optional<std::uint64_t> dropped = list.add_adl(number);
  if (!dropped) return;
  const auto kept = adl_events_.find(*dropped);
  if (--kept->second.mentions == 0) adl_events_.erase(kept);
}

bool VenueView::count_adl_mentions() {
  const auto count = [this](const auto& view) {
    return std::ranges::all_of(view.adl_events().rows(), [this](std::uint64_t number) {
      const auto kept = adl_events_.find(number);
      if (kept == adl_events_.end()) return false;
      ++kept->second.mentions;
      return true;
    });
  };
  if (!std::ranges::all_of(markets_, count)) return false;
  if (!std::ranges::all_of(accounts_, [&](const auto& entry) { return count(entry.second); })) return false;
  return std::ranges::all_of(adl_events_, [](const auto& entry) {
    return entry.second.mentions > 0 && entry.second.row.event.number == entry.first;
  });
}

void VenueView::forget_ended_orders() {
  std::vector<std::size_t> counts;
  for (const auto& [address, view] : accounts_) counts.push_back(view.ended_orders().rows().size());
  const auto fits = [&](std::size_t kept) {
    std::size_t total = 0;
    for (const std::size_t count : counts) total += std::min(count, kept);
    return total <= ended_orders_max_ - ended_orders_max_ / 16;
  };
  const auto each = std::views::iota(std::size_t{1}, limits::terminal_orders_max + 1);
  const std::size_t kept = *std::ranges::partition_point(each, fits) - 1;
  ended_orders_ = 0;
  for (auto& [address, view] : accounts_) {
    view.forget_ended_orders(kept);
    ended_orders_ += view.ended_orders().rows().size();
  }
}

AccountView& VenueView::account_of(const Address& address) {
  const auto [found, added] = by_address_.try_emplace(address, nullptr);
  if (added) {
    AccountView& view = accounts_[address];
    bound(address, view);
    enlist(found->second, view);
  }
  return *found->second;
}

void VenueView::count_if_flat(AccountView& view) {
  if (view.flat_band_) --flat_accounts_[*view.flat_band_];
  view.flat_band_.reset();
  if (!view.portfolio().opened() || view.portfolio().holds_position()) return;
  view.flat_band_ = band_of(figures_of(view).equity);
  ++flat_accounts_[*view.flat_band_];
}

AccountsByEquity VenueView::accounts_by_equity() const {
  AccountsByEquity counts = flat_accounts_;
  for (const AccountView* holder : sampler_.holders())
    if (!holder->flat_band_) ++counts[band_of(figures_of(*holder).equity)];
  return counts;
}

void VenueView::bound(const Address& address, AccountView& view) {
  if (is_house_account(address)) view.keep_at_most(house_rows_max);
}

const AccountView& VenueView::account(const Address& address) const {
  static const AccountView nothing;
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? nothing : *found->second;
}

PortfolioPage VenueView::portfolio_history(const Address& address, Cadence cadence, TimestampMs now_ms,
                                           std::optional<std::uint64_t> before, std::size_t limit) const {
  const auto& [period_ms, kept] = terms_of(cadence);
  const Portfolio& portfolio = account(address).portfolio();
  PortfolioPage page;
  if (!portfolio.opened()) return page;
  // Nothing changed since the latest command, so later instants need no sample.
  const std::int64_t still_from = first_sample_from(totals_.last_command_ms, cadence);
  const auto& history = portfolio.history(cadence);
  std::int64_t end = now_ms / period_ms + 1;
  const std::int64_t begin = std::max(history.first().value_or(still_from), end - kept);
  if (before && *before < static_cast<std::uint64_t>(end)) end = static_cast<std::int64_t>(*before);
  if (begin >= end) return page;
  const std::int64_t first = std::max(begin, end - static_cast<std::int64_t>(limit));
  const PortfolioFigures now = portfolio.figures(lot_values_);
  for (std::int64_t number = first; number < end; ++number)
    page.points.push_back({.at_ms = number * period_ms, .figures = number >= still_from ? now : history.at(number)});
  if (first > begin) page.next = static_cast<std::uint64_t>(first);
  return page;
}

void Views::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  const std::lock_guard one_by_one(door_);
  const std::unique_lock lock(mutex_);
  venue_.pass(stamp);
  venue_.fold(stamp, events);
  version_.fetch_add(1, std::memory_order_release);
}

bool VenueView::is_valid() const {
  Inspection inspection(lot_units_.size());
  ArchiveWalk walk(inspection);
  walk(*this);
  if (!inspection.passed()) return false;
  // The next samples are those from the latest command on.
  const auto is_before_the_next = [&](const Portfolio& portfolio, Cadence cadence) {
    const auto last = portfolio.history(cadence).last();
    return !last || *last < first_sample_from(totals_.last_command_ms, cadence);
  };
  return std::ranges::all_of(accounts_, [&](const auto& entry) {
    for (std::size_t i = 0; i < cadences.size(); ++i)
      if (!is_before_the_next(entry.second.portfolio(), static_cast<Cadence>(i))) return false;
    return true;
  });
}

Result<VenueView, std::string> Views::view_of(std::string_view image) const {
  VenueView view = read([](const VenueView& present) { return present.empty_like(); });
  if (!read_archive(image, view) || !view.is_valid())
    return unexpected(std::string("the image does not make a picture of this venue"));
  view.count_accounts();
  return view;
}

void Views::replace(VenueView view) {
  const std::lock_guard one_by_one(door_);
  const std::unique_lock lock(mutex_);
  // The old state may be large; it is destroyed after the lock.
  std::swap(venue_, view);
  version_.fetch_add(1, std::memory_order_release);
}

MarketTable::MarketTable(std::vector<engine::MarketSpec> specs) : specs_(std::move(specs)) {
  each([this](engine::MarketIndex index, const engine::MarketSpec& spec) { by_id_.emplace(spec.id, index); });
}

Address house_account(std::string_view name) {
  Address address{};
  std::ranges::copy(house_prefix, address.bytes.begin());
  std::uint64_t state = hash64(name);
  for (std::size_t i = house_prefix.size(); i < address.bytes.size(); ++i)
    address.bytes[i] = static_cast<std::uint8_t>(splitmix64(state) >> 56);
  return address;
}

bool is_house_account(const Address& address) {
  return std::ranges::equal(house_prefix, std::span(address.bytes).first(house_prefix.size()));
}

std::vector<std::string> disagreements(const engine::Engine& engine, const VenueView& view, TimestampMs now_ms) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    const engine::MarketIndex index{static_cast<std::uint16_t>(i)};
    compare_market(engine, index, view.market(index), now_ms, found);
  }
  AccountsByEquity accounts{};
  for (const Address& account : engine.accounts()) {
    compare_orders(engine, account, view.account(account), found);
    compare_money(engine, account, view, found);
    if (view.account(account).portfolio().opened()) ++accounts[band_of(engine.account(account).equity.value)];
  }
  if (accounts != view.accounts_by_equity()) found.push_back("views: accounts by equity differ from the engine's");
  return found;
}

}  // namespace svc::sim
