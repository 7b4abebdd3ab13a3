// The rows of every service as the log has them: what a snapshot keeps, and what a restart hands back.
// Not thread-safe; owned by the sequencer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/sequencer/record.h"

namespace svc::sim {

class RecordTables {
 public:
  using Key = std::pair<RecordTable, std::string>;
  struct Row {
    std::optional<std::string> value{};  // absent: gone, remembered so that an older change does not revive it
    std::uint64_t ticket = 0;
  };

  // False: a later change of this row is here already, and this one does not count.
  bool fold(const RecordChange& change);

  [[nodiscard]] const std::map<Key, Row>& rows() const { return rows_; }
  // What was read from outside: tickets are counted on from.
  [[nodiscard]] bool makes_sense() const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(rows_, gone_);
  }

 private:
  std::map<Key, Row> rows_;
  std::deque<std::pair<Key, std::uint64_t>> gone_;  // with their tickets, oldest first
};

}  // namespace svc::sim
