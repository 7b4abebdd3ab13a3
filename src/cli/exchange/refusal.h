// What an answer that is no success, or no answer at all, means for the user.
#pragma once

#include "api/error_catalog.h"
#include "api/transport.h"
#include "base/clock.h"
#include "cli/exchange/call.h"
#include "cli/failure.h"

namespace svc::cli {

// The exit code of what the service refused for such a reason.
[[nodiscard]] ExitCode exit_of(api::Category category);

// The server's code decides; the status only where there is no code that the catalogue knows.
[[nodiscard]] Failure failure_of(const Call& call, const api::HttpResponse& response, std::string_view network);

// A write that left this machine and was not answered is exit 11, everything else exit 10.
[[nodiscard]] Failure failure_of(const Call& call, const api::TransportError& error, TimestampMs sent_at_ms);

// The same for an answer that cannot be read, such as half a JSON document.
[[nodiscard]] Failure unreadable(const Call& call, TimestampMs sent_at_ms);

// How one item of a batch was refused: its code, as text.
[[nodiscard]] ExitCode exit_of_code(std::string_view code);

}  // namespace svc::cli
