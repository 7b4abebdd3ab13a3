#include "cli/progress_line.h"

#include <algorithm>

namespace svc::cli {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

std::string bar(std::uint64_t done, std::uint64_t total) {
  constexpr std::uint64_t cells = 20;
  const std::uint64_t filled = total == 0 ? 0 : std::min(cells, done * cells / total);
  return "[" + std::string(filled, '#') + std::string(cells - filled, '.') + "] ";
}

}  // namespace

ProgressLine::ProgressLine(Context& context, std::string what, std::string units)
    : context_(context),
      what_(std::move(what)),
      units_(std::move(units)),
      wanted_(context.environment().err_is_terminal && !context.globals().quiet),
      started_at_ms_(context.now_ms()) {}

ProgressLine::~ProgressLine() {
  if (shown_) context_.environment().err(clear_line);
}

void ProgressLine::at(std::uint64_t done, std::optional<std::uint64_t> total) {
  if (!wanted_) return;
  const TimestampMs now_ms = context_.now_ms();
  const bool early = now_ms - started_at_ms_ < progress_after_ms;
  const bool again_so_soon = shown_ && now_ms - shown_at_ms_ < progress_every_ms;
  if (early || again_so_soon) return;
  std::string line = what_ + " ";
  if (total) line += bar(done, *total);
  line += std::to_string(done) + (total ? " of " + std::to_string(*total) : "") + " " + units_;
  context_.environment().err(std::string(clear_line) + line);
  shown_ = true;
  shown_at_ms_ = now_ms;
}

}  // namespace svc::cli
