// A value at every multiple of some period, of which only the changes take room: between two steps the
// value stands.
//
// Not thread-safe; owned by the views.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/assert.h"

namespace svc::sim {

template <class Value>
class StepSeries {
 public:
  // The value from point `number` on. Numbers ascend; what is older than the latest `capacity` points goes.
  void put(std::int64_t number, const Value& value, std::int64_t capacity) {
    SVC_ASSERT(steps_.empty() || steps_.back().number < number);
    if (steps_.empty() || !(steps_.back().value == value)) steps_.push_back({number, value});
    // The step that holds at the oldest point stays, however old it is.
    while (steps_.size() > 1 && steps_[1].number <= number - capacity + 1) steps_.pop_front();
  }

  // Number of the first point that has a value.
  [[nodiscard]] std::optional<std::int64_t> first() const {
    if (steps_.empty()) return std::nullopt;
    return steps_.front().number;
  }

  // Number of the latest change.
  [[nodiscard]] std::optional<std::int64_t> last() const {
    if (steps_.empty()) return std::nullopt;
    return steps_.back().number;
  }

  // Requires a number not before the first.
  [[nodiscard]] const Value& at(std::int64_t number) const {
    SVC_ASSERT(!steps_.empty() && steps_.front().number <= number);
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), number,
                                        [](std::int64_t wanted, const Step& step) { return wanted < step.number; });
    return (after - 1)->value;
  }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  template <class Archive>
  void archive(Archive& archive) {
    archive(steps_);
    if constexpr (Archive::reading) {
      const auto out_of_order = [](const Step& a, const Step& b) { return a.number >= b.number; };
      if (std::adjacent_find(steps_.begin(), steps_.end(), out_of_order) != steps_.end()) archive.fail();
    }
  }

 private:
  struct Step {
    std::int64_t number = 0;
    Value value{};
  };

  std::deque<Step> steps_;  // oldest first
};

}  // namespace svc::sim
