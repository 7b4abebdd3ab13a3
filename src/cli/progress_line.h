// How far something long has come, on standard error, for people: nothing without a terminal, nothing within the
// first second, and nothing left behind at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/context.h"

namespace svc::cli {

inline constexpr std::int64_t progress_after_ms = 1'000;
inline constexpr std::int64_t progress_every_ms = 200;

class ProgressLine {
 public:
  // `what` is going on, in `units`: "reading", "rows".
  ProgressLine(Context& context, std::string what, std::string units);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `total` where it is known.
  void at(std::uint64_t done, std::optional<std::uint64_t> total = std::nullopt);

 private:
  Context& context_;
  std::string what_;
  std::string units_;
  bool wanted_;
  TimestampMs started_at_ms_;
  TimestampMs shown_at_ms_ = 0;
  bool shown_ = false;
};

}  // namespace svc::cli
