#include "sim/sequencer/unit.h"

namespace svc::sim {

void write_unit(ArchiveWriter& writer, const Unit& unit) {
  writer(unit);
}

std::optional<Unit> read_unit(std::string_view bytes) {
  return from_archive<Unit>(bytes);
}

}  // namespace svc::sim
