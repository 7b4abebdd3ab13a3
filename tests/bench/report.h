// What a bare matcher tells of an operation: 64 bytes each, in the layout of a public matching-engine benchmark.
#pragma once

#include <array>
#include <cstdint>

namespace svc::bench {

enum class ReportType : std::uint8_t { accepted, trade, cancelled, modified, cancel_rejected, modify_rejected };

struct Report {
  ReportType type = ReportType::accepted;
  std::uint8_t side = 0;  // 0 buy, 1 sell
  std::uint8_t pad[6]{};
  std::uint64_t sequence = 0, id = 0;
  std::int64_t price = 0;  // ticks
  std::uint32_t quantity = 0, pad2 = 0;
  std::uint64_t maker = 0, taker = 0, pad3 = 0;
};
static_assert(sizeof(Report) == 64);

inline Report trade_report(std::uint8_t side, std::uint64_t sequence, std::uint64_t maker, std::uint64_t taker,
                           std::int64_t ticks, std::uint32_t lots) {
  Report report{.type = ReportType::trade, .side = side, .sequence = sequence};
  report.price = ticks;
  report.quantity = lots;
  report.maker = maker;
  report.taker = taker;
  return report;
}

inline Report order_report(ReportType type, std::uint8_t side, std::uint64_t sequence, std::uint64_t id,
                           std::int64_t ticks, std::uint32_t lots) {
  Report report{.type = type, .side = side, .sequence = sequence, .id = id};
  report.price = ticks;
  report.quantity = lots;
  return report;
}

// The latest reports: written like those that somebody reads.
class ReportRing {
 public:
  void put(const Report& report) { reports_[count_++ % reports_.size()] = report; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::array<Report, 4096> reports_{};
  std::uint64_t count_ = 0;
};

}  // namespace svc::bench
