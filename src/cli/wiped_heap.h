// Memory that is given back is empty. Tokens and keys pass through documents, headers and buffers that know nothing of
// secrets; a process that lives long, such as a shell, must not keep what they held.
#pragma once

namespace svc::cli {

// From now on every block of the heap is wiped when it is freed.
void wipe_freed_memory();

}  // namespace svc::cli
