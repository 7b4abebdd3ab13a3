// Whether what clients saw of orders can have happened.
//
// An order is a register. Each write of it (place, amend, amend, ..., cancel) gives it a new version, and a read finds
// one of them: its price, or nothing before the first and after a cancel. One writer sends the writes of an order, each
// when the one before was answered, so the versions have an order, and only these can be found at fault:
//
//   (O1) a read finds a version that was sent before the read was answered, and that was not refused
//   (O2) a read finds no version older than the newest one that was acknowledged before the read was sent
//   (O3) a read finds no version older than what an earlier read found that was answered before this one was sent
//   (O4) a read finds an order once
//
// A write without an answer may have happened at any time after it was sent, or not at all.
//
// Why this is a check of linearizability. Sort everything by version, the write before the reads that found it, and
// those by the time they were sent. Then each read finds the newest write before it. It remains that nothing stands
// before what was answered before it was sent. Two writes: their writer waited. A write that was answered before a read
// was sent: (O2). A read that was answered before a write was sent: by (O1) it found an earlier version. Two reads:
// (O3). And a history of many registers is linearizable if and only if that of each one is (Herlihy and Wing, 1990), so
// orders are checked one by one.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace svc::cluster {

using Instant = std::int64_t;  // of any clock that never goes back; both ends of a request are read from the same one

struct Span {
  Instant sent = 0;
  Instant answered = 0;
};

enum class Answer : std::uint8_t { acknowledged, refused, unknown };

class OrderHistory {
 public:
  // In the order in which they were sent. The value is what reads find from then on; empty: nothing.
  void write(const std::string& order, std::string value, Span span, Answer answer);
  // All orders that were found, with their values.
  void read(Span span, std::multimap<std::string, std::string> found, std::string where);

  // What cannot have happened, one sentence each.
  [[nodiscard]] std::vector<std::string> violations() const;

  [[nodiscard]] std::size_t reads() const { return reads_.size(); }
  // Writes without an answer, of orders that nobody has found: they may still happen.
  [[nodiscard]] OrderHistory open_ends() const;

 private:
  struct Write {
    std::string value;
    Span span;
    Answer answer;
  };
  struct Read {
    Span span;
    std::multimap<std::string, std::string> found;
    std::string where;  // for the sentence
  };

  void check(const std::string& order, const std::vector<Write>& writes, const std::vector<const Read*>& reads,
             std::vector<std::string>& violations) const;

  std::map<std::string, std::vector<Write>> orders_;
  std::vector<Read> reads_;
};

}  // namespace svc::cluster
