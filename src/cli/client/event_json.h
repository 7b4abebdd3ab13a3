// News of a stream as the lines of `svc watch`.
#pragma once

#include <string>

#include "api/stream_client.h"
#include "base/result.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// {"type":"event"|"status"|"gap"|"resync"|"error", ...}; docs/streams.md has the members. `cursor` is left out when empty.
[[nodiscard]] Json watch_line(const api::StreamNews& news, const std::string& cursor);

// For people: one line without its line feed; "12:00:00.123  fills  BTC-USDX-PERP  buy 0.25 @ 60100  fee 0.75".
// The line fits `columns` (0: any number): ids are shortened first, then words are dropped from the end. Numbers stay
// whole.
struct LineRoom {
  std::size_t columns = 0;
  bool utf8 = false;
};
[[nodiscard]] std::string watch_text(const Json& line, LineRoom room = {});

// What else happens with an event: a command is run for it, or the person is called.

inline constexpr std::int64_t hook_ms_max = 10'000;  // of a command that --exec runs; then it is killed

// Runs `sh -c COMMAND` with the line on its standard input and SVC_EVENT_CHANNEL set; its output goes to our
// standard error. Waits for it at most hook_ms_max, then kills it. The error is why it cannot be
// called a success.
[[nodiscard]] Result<void, std::string> run_hook(const std::string& command, const Json& line);

// For standard error of a terminal: the bell, a notification (OSC 9, which terminals that know it put on the desktop),
// the text.
[[nodiscard]] std::string notification(const std::string& text);

}  // namespace svc::cli
