// What else happens with an event: a command is run for it, or the person is called.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/json.h"

namespace svc::cli {

// Runs `sh -c COMMAND` with the line on its standard input and SVC_EVENT_CHANNEL set; its output goes to our
// standard error. Waits for it at most watch_limits::hook_ms_max, then kills it. The error is why it cannot be
// called a success.
[[nodiscard]] Result<void, std::string> run_hook(const std::string& command, const Json& line);

// For standard error of a terminal: the bell, a notification (OSC 9, which terminals that know it put on the desktop),
// the text.
[[nodiscard]] std::string notification(const std::string& text);

}  // namespace svc::cli
