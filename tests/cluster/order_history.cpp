#include "cluster/order_history.h"

#include <algorithm>
#include <queue>

namespace svc::cluster {

void OrderHistory::write(const std::string& order, std::string value, Span span, Answer answer) {
  orders_[order].push_back({std::move(value), span, answer});
}

void OrderHistory::read(Span span, std::multimap<std::string, std::string> found, std::string where) {
  reads_.push_back({span, std::move(found), std::move(where)});
}

std::vector<std::string> OrderHistory::violations() const {
  std::vector<const Read*> reads;
  for (const Read& read : reads_) reads.push_back(&read);
  std::ranges::sort(reads, {}, [](const Read* read) { return read->span.sent; });
  std::vector<std::string> violations;
  for (const Read* read : reads)
    for (const auto& [order, value] : read->found)
      if (!orders_.contains(order)) violations.push_back(order + ": found " + read->where + ", and was never sent");
  for (const auto& [order, writes] : orders_) check(order, writes, reads, violations);
  return violations;
}

// Versions are counted from 1; 0 is before the first write. Of several versions that a read may have found the oldest
// is taken: what it demands of later reads, the others demand as well.
void OrderHistory::check(const std::string& order, const std::vector<Write>& writes,
                         const std::vector<const Read*>& reads, std::vector<std::string>& violations) const {
  struct Found {
    Instant answered;
    std::size_t version;
    bool operator>(const Found& other) const { return answered > other.answered; }
  };
  std::priority_queue<Found, std::vector<Found>, std::greater<>> under_way;
  std::size_t seen = 0;  // by reads that were answered before the present one was sent
  for (const Read* read : reads) {
    for (; !under_way.empty() && under_way.top().answered < read->span.sent; under_way.pop())
      seen = std::max(seen, under_way.top().version);
    std::size_t acknowledged = 0;
    for (std::size_t i = 0; i < writes.size(); ++i)
      if (writes[i].answer == Answer::acknowledged && writes[i].span.answered < read->span.sent) acknowledged = i + 1;

    const std::string what = order + ": a read " + read->where;
    const auto count = read->found.count(order);
    if (count > 1) {
      violations.push_back(what + " finds it " + std::to_string(count) + " times");
      continue;
    }
    const std::string value = count == 0 ? "" : read->found.find(order)->second;
    const std::size_t least = std::max(seen, acknowledged);
    const auto fits = [&](std::size_t version) {
      if (version == 0) return value.empty();
      const Write& write = writes[version - 1];
      return write.value == value && write.answer != Answer::refused && write.span.sent <= read->span.answered;
    };
    std::size_t version = least;
    while (version <= writes.size() && !fits(version)) ++version;
    if (version <= writes.size()) {
      under_way.push({read->span.answered, version});
      continue;
    }
    const auto is_older = [&] {
      for (std::size_t older = 0; older < least; ++older)
        if (fits(older)) return true;
      return false;
    };
    const std::string finds = value.empty() ? " finds nothing" : " finds " + value;
    if (std::ranges::any_of(writes, [&](const Write& write) {
          return write.value == value && !value.empty() && write.answer == Answer::refused;
        }))
      violations.push_back(what + finds + ", which was refused");
    else if (is_older() && acknowledged >= seen)
      violations.push_back(what + finds + ", though " +
                           (writes[acknowledged - 1].value.empty() ? "its cancel" : writes[acknowledged - 1].value) +
                           " had been acknowledged");
    else if (is_older())
      violations.push_back(what + finds + ", though an earlier read found a newer state");
    else
      violations.push_back(what + finds + ", which had not been sent");
  }
}

OrderHistory OrderHistory::open_ends() const {
  OrderHistory rest;
  for (const auto& [order, writes] : orders_) {
    const bool was_found = std::ranges::any_of(reads_, [&](const Read& read) { return read.found.contains(order); });
    if (!was_found && writes.front().answer == Answer::unknown) rest.orders_.emplace(order, writes);
  }
  return rest;
}

}  // namespace svc::cluster
