// Other processes of this machine, as far as one may know of them by number.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace svc {

// A process that was killed still has its number, its locks and its sockets for a moment: `ending`. One that only waits
// for its parent to take notice is `gone`.
enum class ProcessState : std::uint8_t { runs, ending, gone };

[[nodiscard]] ProcessState process_state(pid_t process);

// The text of a file below /proc; empty if it cannot be read. A process may end while it is looked at.
[[nodiscard]] std::string process_text(const std::string& file);

// The same of the texts of /proc/PID/stat and /proc/PID/status. What they do not tell counts as running.
[[nodiscard]] ProcessState process_state(std::string_view stat, std::string_view status);

}  // namespace svc
