// Checks that cost too much for a sandbox at work: every invariant of the engine after every command, and the order in
// which threads take locks. They are in every build, switched off, so that the tests check what users run.
#pragma once

namespace svc {

// The tests set it before main; it must not change once there are threads.
inline constinit bool checks_are_on = false;

}  // namespace svc
