// How far a long command has come, on standard error of a terminal: nothing in the first second, then one line
// that is redrawn in place and gone at the end.
#pragma once

#include <cstddef>
#include <string>

#include "cli/context.h"

namespace svc::cli {

class Progress {
 public:
  // `what` names the work: "orders"; `total` of them are to be done.
  Progress(Context& context, std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(std::size_t done);

 private:
  Context& context_;
  std::string what_;
  std::size_t total_;
  TimestampMs started_ms_;
  TimestampMs drawn_ms_ = 0;
};

}  // namespace svc::cli
