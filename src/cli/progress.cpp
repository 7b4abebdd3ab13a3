#include "cli/progress.h"

namespace svc::cli {
namespace {

constexpr std::int64_t silent_ms = 1'000;
constexpr std::int64_t redraw_ms = 200;
constexpr std::string_view wiped = "\r\x1b[K";

}  // namespace

Progress::Progress(Context& context, std::string what, std::size_t total)
    : context_(context), what_(std::move(what)), total_(total), started_ms_(context.now_ms()) {}

Progress::~Progress() {
  if (drawn_ms_ != 0) context_.environment().err(wiped);
}

void Progress::at(std::size_t done) {
  if (context_.globals().quiet || !context_.environment().err_is_terminal) return;
  const TimestampMs now_ms = context_.now_ms();
  if (now_ms - started_ms_ < silent_ms || now_ms - drawn_ms_ < redraw_ms) return;
  drawn_ms_ = now_ms;
  context_.environment().err(std::string(wiped) + std::to_string(done) + " of " + std::to_string(total_) + " " + what_ +
                             ", " + std::to_string((now_ms - started_ms_) / second_ms) + " s");
}

}  // namespace svc::cli
