// Rows in the order they came, newest last, of which only the latest are kept.
//
// Each row has a number that never changes, so a page can go on where the last one ended even when
// rows were added or dropped in between: the read goes on at the nearest row that survives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/limits.h"

namespace svc::sim {

template <class Row>
struct LogPage {
  std::vector<const Row*> rows;       // newest first; valid until the log changes
  std::optional<std::uint64_t> next;  // read on before this number; empty on the last page
};

template <class Row>
class BoundedLog {
 public:
  explicit BoundedLog(std::size_t capacity) : capacity_(capacity) {}

  // Answers the row that had to go for it, if one had.
  std::optional<Row> add(Row row) {
    rows_.push_back(std::move(row));
    if (rows_.size() <= capacity_) return std::nullopt;
    std::optional<Row> forgotten = std::move(rows_.front());
    rows_.pop_front();
    ++first_number_;
    return forgotten;
  }

  // From now on; rows beyond it go with the next ones.
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

  // The newest `limit` rows older than `before` (all, if empty). A number that was never given out
  // reads like none.
  [[nodiscard]] LogPage<Row> page(std::optional<std::uint64_t> before, std::size_t limit) const {
    return page(before, limit, [](const Row&) { return true; });
  }

  // Likewise, of those rows for which `keep` answers true. The last page is known as such.
  template <class Keep>
  [[nodiscard]] LogPage<Row> page(std::optional<std::uint64_t> before, std::size_t limit, Keep keep) const {
    const std::uint64_t end_number = first_number_ + rows_.size();
    const std::uint64_t from = before && *before <= end_number ? *before : end_number;
    LogPage<Row> result;
    if (from <= first_number_) return result;
    for (std::size_t index = static_cast<std::size_t>(from - first_number_); index > 0; --index) {
      const Row& row = rows_[index - 1];
      if (!keep(row)) continue;
      if (result.rows.size() == limit) {
        result.next = first_number_ + index;
        break;
      }
      result.rows.push_back(&row);
    }
    return result;
  }

  // How many rows had to go.
  [[nodiscard]] std::uint64_t forgotten() const { return first_number_; }
  [[nodiscard]] const std::deque<Row>& rows() const { return rows_; }

  // The capacity is its owner's.
  template <class Archive>
  void archive(Archive& archive) {
    archive(first_number_, rows_);
    if constexpr (Archive::reading) {
      if (rows_.size() > capacity_ || first_number_ > limits::counter_max) archive.fail();
    }
  }

 private:
  std::size_t capacity_;
  std::uint64_t first_number_ = 0;
  std::deque<Row> rows_;
};

}  // namespace svc::sim
