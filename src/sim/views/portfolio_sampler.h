// When the portfolios are sampled: as time moves on, whoever's figures may have changed since the last
// sampled instant is looked at; everybody else's stand. So a long jump of the clock costs no more than
// what happens in it.
//
// Not thread-safe; owned by the views.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "base/address.h"
#include "base/clock.h"
#include "sim/views/account_view.h"

namespace svc::sim {

class PortfolioSampler {
 public:
  // The account's figures may have changed.
  void touch(const Address& account, const Portfolio& portfolio);
  // The figures of every holder of a position may have changed.
  void marks_moved() { marks_moved_ = true; }

  // Nothing happened after `from_ms` and before `until_ms`: samples the instants in [from, until).
  void pass(TimestampMs from_ms, TimestampMs until_ms, const LotValues& lot_values,
            std::map<Address, AccountView>& accounts);

  template <class Archive>
  void archive(Archive& archive) {
    archive(waiting_, holders_, marks_moved_);
  }

  // Whether all who are looked at are there.
  [[nodiscard]] bool knows_only(const std::map<Address, AccountView>& accounts) const;

 private:
  std::array<std::set<Address>, cadences.size()> waiting_;  // for their next sample at each cadence
  std::set<Address> holders_;
  bool marks_moved_ = false;  // since the last sample of the shortest cadence
};

// Number of the first sampled instant at or after this one.
[[nodiscard]] constexpr std::int64_t first_sample_from(TimestampMs at_ms, Cadence cadence) {
  const std::int64_t period_ms = terms_of(cadence).period_ms;
  return (at_ms + period_ms - 1) / period_ms;
}

}  // namespace svc::sim
