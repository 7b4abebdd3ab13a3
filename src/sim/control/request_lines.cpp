#include "sim/control/request_lines.h"

#include "api/codec.h"
#include "base/clock.h"
#include "base/text.h"

namespace svc::sim {
namespace {

// The client chose the bytes of the path: control characters must not reach a terminal.
std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text) shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return shown;
}

}  // namespace

std::string pretty_line(const RequestLogEntry& entry) {
  // The time of day is enough for a terminal.
  std::string line = utc_text(entry.received_at_ms).substr(11, 12);
  line += ' ' + std::to_string(entry.status) + ' ' + printable(entry.method) + ' ' + printable(entry.path);
  if (entry.credential && entry.credential != "none") line += ' ' + *entry.credential;
  if (entry.account) line += ' ' + *entry.account;
  if (entry.code) line += ": " + *entry.code;
  if (entry.rule) line += (entry.code ? ", " : ": ") + *entry.rule;
  if (entry.note) line += " (" + printable(*entry.note) + ")";
  return line;
}

std::string RequestFollower::new_lines() {
  if (style_ == LogStyle::none) return {};
  std::string lines;
  for (const RequestLogEntry& entry : log_.since(seen_)) {
    const std::uint64_t lost = entry.number - seen_ - 1;
    const bool shown = style_ != LogStyle::failed || entry.status >= 400 || entry.status == 0;
    seen_ = entry.number;
    if (!shown) continue;
    if (lost > 0 && style_ == LogStyle::pretty) lines += "... " + std::to_string(lost) + " requests not shown\n";
    if (lost > 0 && style_ == LogStyle::json) lines += "{\"requests_not_shown\":" + std::to_string(lost) + "}\n";
    lines += (style_ == LogStyle::json ? api::to_json(entry) : pretty_line(entry)) + '\n';
  }
  return lines;
}

}  // namespace svc::sim
