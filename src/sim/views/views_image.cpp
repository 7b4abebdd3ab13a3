#include <mutex>

#include "base/archive.h"
#include "sim/views/views.h"

namespace svc::sim {

std::string Views::image() const {
  const std::shared_lock lock = enter();
  return to_archive(venue_);
}

Result<VenueView, std::string> Views::view_of(std::string_view image) const {
  VenueView view = read([](const VenueView& present) { return present.empty_like(); });
  ArchiveReader reader(image);
  reader(view);
  if (!reader.done()) return unexpected(std::string("the image does not make a picture of this venue"));
  return view;
}

void Views::replace(VenueView view) {
  const std::lock_guard one_by_one(door_);
  const std::unique_lock lock(mutex_);
  // The old picture may be large; it goes after the lock.
  std::swap(venue_, view);
}

}  // namespace svc::sim
