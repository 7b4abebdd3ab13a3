// SQLite's write-ahead log as it stands on the disk, to tell damage from the end of a write that was cut off: to
// SQLite both are the end of the log. (docs/journal_format.md; https://www.sqlite.org/fileformat2.html#walformat)
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "sim/sequencer/state_folder.h"

namespace svc::sim {

inline constexpr std::uint32_t sqlite_page_bytes_min = 512;

// The number of the first frame that is damaged although it was safe on the disk once; nullopt if there is none.
//
// A frame's checksum is computed from that of the frame before it. A frame that does not fit may have been cut off in
// the middle, and what follows it in the same transaction may be there all the same, because nothing of a transaction
// is synced before its end. But SQLite begins the next transaction only when the one before was synced: a frame that
// does not fit, and behind it or in itself the end of a transaction and next to that a frame that fits, is damage.
// (D-656)
[[nodiscard]] std::optional<std::uint64_t> damaged_frame(const std::filesystem::path& log, const DiskName& disk);

}  // namespace svc::sim
