#include "base/archive.h"
#include "base/assert.h"
#include "sim/exchange.h"
#include "sim/gateway/handlers/refusal_translation.h"

namespace svc::sim {

struct Exchange::Parts {
  Sequencer::Held held;
  VenueView view;
};

std::string Exchange::image() const {
  return snapshot().image;
}

Snapshot Exchange::snapshot() const {
  return sequencer_.read_image([this](std::string held, std::uint64_t position) {
    ArchiveWriter writer;
    writer(held, views_.image());
    return Snapshot{.position = position, .image = writer.take()};
  });
}

Result<Exchange::Parts, std::string> Exchange::parts_of(std::string_view image) const {
  std::string held_bytes;
  std::string view_bytes;
  ArchiveReader reader(image);
  reader(held_bytes, view_bytes);
  if (!reader.done()) return unexpected(std::string("the image is damaged"));
  auto held = sequencer_.held_of(held_bytes);
  if (!held) return unexpected(std::move(held.error()));
  auto view = views_.view_of(view_bytes);
  if (!view) return unexpected(std::move(view.error()));
  return Parts{.held = std::move(*held), .view = std::move(*view)};
}

Result<void, std::string> Exchange::check_image(std::string_view image) const {
  const auto parts = parts_of(image);
  if (!parts) return unexpected(parts.error());
  return {};
}

Result<void, WriteRefusal> Exchange::become(std::string image) {
  auto written = sequencer_.submit_image(std::move(image));
  if (!written) return written;
  disconnects_.begin(sequencer_.last_ms());
  // A clock that stands still goes back to the image's instant; one that runs stays where it is.
  const bool stands = clock_.pace().mode == ClockMode::manual;
  flow_.begin(stands ? sequencer_.last_ms() : clock_.now_ms(), founding_.started_ms);
  // What the streams told is no longer so: they tell everybody where things stand.
  streams_->hub().start_over();
  return {};
}

Sequencer::Held Exchange::take_image(std::string_view image) {
  auto parts = parts_of(image);
  SVC_ASSERT(parts);  // it was checked before it was logged, or replayed
  take_rows_and_view(*parts);
  sessions_.break_off();
  return std::move(parts->held);
}

Result<void, std::string> Exchange::begin_with(std::string_view image, std::uint64_t position) {
  auto parts = parts_of(image);
  if (!parts) return unexpected(std::move(parts.error()));
  take_rows_and_view(*parts);
  sequencer_.begin_with(std::move(parts->held), position);
  return {};
}

void Exchange::take_rows_and_view(Parts& parts) {
  network_.forget_rows();
  disconnects_.forget();
  flow_.forget();
  for (const auto& [key, row] : parts.held.tables.rows()) {
    if (!row.value) continue;
    restore({.table = key.first, .key = key.second, .value = row.value, .ticket = row.ticket});
  }
  views_.replace(std::move(parts.view));
}

}  // namespace svc::sim
