// Other processes of this machine, by process id.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace svc {

// A killed process still has its id, its locks and its sockets for a moment: `ending`. One that only waits to be
// reaped by its parent is `gone`.
enum class ProcessState : std::uint8_t { runs, ending, gone };

[[nodiscard]] ProcessState process_state(pid_t process);

// When that process started, in clock ticks since the machine did: it tells two processes apart that had one id. 0 if
// there is no such process.
[[nodiscard]] std::uint64_t start_of_process(pid_t process);
// The same, of a process that was seen to start then: `gone` if another one has its id by now. 0: not known.
[[nodiscard]] ProcessState process_state(pid_t process, std::uint64_t start);

// Its children, those that only wait to be reaped as well.
[[nodiscard]] std::vector<pid_t> children_of_process(pid_t parent);

// The state from the texts of /proc/PID/stat and /proc/PID/status. If they do not tell, the process counts as
// running.
[[nodiscard]] ProcessState process_state(std::string_view stat, std::string_view status);

}  // namespace svc
