// Stream events as the lines of `svc watch`.
#pragma once

#include <string>

#include "api/stream/stream_client.h"
#include "base/result.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// {"type":"event"|"status"|"gap"|"resync"|"error", ...}; docs/streams.md lists the members. `cursor` is left out if
// empty.
[[nodiscard]] Json watch_line(const api::StreamNews& news, const std::string& cursor);

// For people, without the line feed: "12:00:00.123  fills  BTC-USDX-PERP  buy 0.25 @ 60100  fee 0.75". To fit `columns`
// (0: no limit), ids are shortened first, then words are dropped from the end. Numbers are never cut.
struct LineRoom {
  std::size_t columns = 0;
  bool utf8 = false;
};
[[nodiscard]] std::string watch_text(const Json& line, LineRoom room = {});

// What `svc watch` does with an event besides printing it: run a command, or notify the user.

inline constexpr std::int64_t hook_ms_max = 10'000;  // of a command that --exec runs; it is killed after that

// Runs `sh -c COMMAND` with the line on its standard input and SVC_EVENT_CHANNEL set; its output goes to our standard
// error. It is killed after hook_ms_max. The error says how it failed.
Result<void, std::string> run_hook(const std::string& command, const Json& line);

// For a terminal's standard error: the bell, a desktop notification (OSC 9, where the terminal supports it), and the
// text.
[[nodiscard]] std::string notification(const std::string& text);

}  // namespace svc::cli
