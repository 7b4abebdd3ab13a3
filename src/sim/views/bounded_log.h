// Rows in order of arrival, newest last; only the latest are kept.
//
// Each row has a number that never changes, so a page can continue where the last one ended even if rows were added
// or dropped in between: it continues at the nearest row still kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/assert.h"
#include "base/containers.h"
#include "base/limits.h"

namespace svc::sim {

template <class Row>
struct LogPage {
  std::vector<const Row*> rows;       // newest first; valid until the log changes
  std::optional<std::uint64_t> next;  // continue before this number; empty on the last page
};

template <class Row>
class BoundedLog {
 public:
  explicit BoundedLog(std::size_t capacity) : capacity_(capacity) {}

  // Returns the row that was dropped for it, if any.
  std::optional<Row> add(Row row) {
    rows_.push_back(std::move(row));
    if (rows_.size() <= capacity_) return std::nullopt;
    return forget_oldest();
  }

  // Requires a row.
  Row forget_oldest() {
    Row forgotten = std::move(rows_.front());
    rows_.pop_front();
    ++first_number_;
    return forgotten;
  }

  // From now on; surplus rows are dropped as new ones are added.
  void keep_at_most(std::size_t capacity) { capacity_ = capacity; }

  // Of the row added last. Requires a row.
  [[nodiscard]] std::uint64_t newest_number() const {
    SVC_ASSERT(!rows_.empty());
    return first_number_ + rows_.size() - 1;
  }

  // Requires a number that is kept.
  [[nodiscard]] const Row& row(std::uint64_t number) const {
    SVC_ASSERT(number >= first_number_ && number - first_number_ < rows_.size());
    return rows_[static_cast<std::size_t>(number - first_number_)];
  }

  // The newest `limit` rows older than `before` (all, if empty) for which `keep` returns true. An unknown number is
  // treated as empty. The last page is recognised as such.
  template <class Keep = bool (*)(const Row&)>
  [[nodiscard]] LogPage<Row> page(
      std::optional<std::uint64_t> before, std::size_t limit, Keep keep = [](const Row&) { return true; }) const {
    const std::uint64_t end_number = first_number_ + rows_.size();
    const std::uint64_t from = before && *before <= end_number ? *before : end_number;
    LogPage<Row> result;
    if (from <= first_number_) return result;
    result.rows.reserve(std::min(limit, rows_.size()));
    // Finding each row anew would take a division.
    auto at = rows_.begin() + static_cast<std::ptrdiff_t>(from - first_number_);
    for (std::uint64_t index = from - first_number_; index > 0; --index) {
      const Row& row = *--at;
      if (!keep(row)) continue;
      if (result.rows.size() == limit) {
        result.next = first_number_ + index;
        break;
      }
      result.rows.push_back(&row);
    }
    return result;
  }

  // The number of dropped rows.
  [[nodiscard]] std::uint64_t forgotten() const { return first_number_; }
  [[nodiscard]] const Deque<Row>& rows() const { return rows_; }

  // The owner stores the capacity.
  SVC_KEEPS_IF(rows_.size() <= capacity_ && first_number_ <= limits::counter_max, first_number_, rows_);

 private:
  std::size_t capacity_;
  std::uint64_t first_number_ = 0;
  Deque<Row> rows_;
};

}  // namespace svc::sim
