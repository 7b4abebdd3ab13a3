#include <algorithm>
#include <mutex>
#include <type_traits>

#include "base/archive.h"
#include "base/limits.h"
#include "base/state_limits.h"
#include "base/utf8.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace {

// Whether numbers, times and texts of a picture are such as a venue has: they become indexes, sums and answers.
class Inspection {
 public:
  explicit Inspection(std::size_t markets) : markets_(markets) {}

  void operator()(engine::MarketIndex market) { expect(market.value < markets_); }
  void operator()(Ticks price) { expect(price >= Ticks{} && price.value <= limits::grid_units_max); }
  void operator()(Lots lots) { expect_within(lots.value, std::int64_t{1} << 61); }
  void operator()(Usdx amount) { expect_within(amount.value, std::int64_t{1} << 61); }
  void operator()(Ppb rate) { expect_within(rate.value, std::int64_t{1} << 61); }
  void operator()(const engine::ClientId& id) { (*this)(std::string(id.text())); }
  void operator()(const std::string& text) { expect(is_utf8(text)); }

  // Averages are told of them.
  [[nodiscard]] bool operator()(const engine::PositionClosed& closed) {
    expect(closed.entry_lots > Lots{} && closed.exit_lots > Lots{});
    return true;
  }
  [[nodiscard]] bool operator()(const engine::Deleveraged& event) {
    expect(event.bankruptcy_lots != Lots{});
    return true;
  }

  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_same_v<Number, i128>
  void operator()(Number number) {
    if constexpr (std::is_same_v<Number, i128>)
      expect_within(number, i128{1} << 100);
    else if constexpr (std::is_same_v<Number, std::uint64_t>)
      expect(number <= limits::counter_max);
    else if constexpr (std::is_same_v<Number, std::int64_t>)  // a time, or what is counted by it
      expect(number >= 0 && number <= limits::clock_ms_max + limits::clock_jump_ms_max);
  }

  [[nodiscard]] bool passed() const { return passed_; }

 private:
  void expect(bool holds) { passed_ = passed_ && holds; }
  template <class Number>
  void expect_within(Number number, Number most) {
    expect(number >= -most && number <= most);
  }

  const std::size_t markets_;
  bool passed_ = true;
};

}  // namespace

bool VenueView::makes_sense() const {
  Inspection inspection(lot_units_.size());
  ArchiveWalk walk(inspection);
  walk(*this);
  if (!inspection.passed()) return false;
  // The next samples are those from the latest command on.
  const auto is_before_the_next = [&](const Portfolio& portfolio, Cadence cadence) {
    const auto last = portfolio.last_sample(cadence);
    return !last || *last < first_sample_from(totals_.last_command_ms, cadence);
  };
  return std::ranges::all_of(accounts_, [&](const auto& entry) {
    for (std::size_t i = 0; i < cadences.size(); ++i)
      if (!is_before_the_next(entry.second.portfolio(), static_cast<Cadence>(i))) return false;
    return true;
  });
}

std::string Views::image() const {
  const std::shared_lock lock = enter();
  return to_archive(venue_);
}

Result<VenueView, std::string> Views::view_of(std::string_view image) const {
  VenueView view = read([](const VenueView& present) { return present.empty_like(); });
  ArchiveReader reader(image);
  reader(view);
  if (!reader.done() || !view.makes_sense())
    return unexpected(std::string("the image does not make a picture of this venue"));
  return view;
}

void Views::replace(VenueView view) {
  const std::lock_guard one_by_one(door_);
  const std::unique_lock lock(mutex_);
  // The old picture may be large; it goes after the lock.
  std::swap(venue_, view);
}

}  // namespace svc::sim
