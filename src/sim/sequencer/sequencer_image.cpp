#include "base/archive.h"
#include "base/assert.h"
#include "sim/sequencer/sequencer.h"

namespace svc::sim {
std::string Sequencer::image() const {
  ArchiveWriter writer;
  writer(engine_.image(), schedule_, tables_, last_ms_);
  return writer.take();
}

Result<Sequencer::Held, std::string> Sequencer::held_of(std::string_view bytes) const {
  engine::Engine fresh(config_);
  Schedule schedule(fresh, 0);
  Held held{.engine = std::move(fresh), .schedule = schedule, .tables = {}};
  std::string engine;
  ArchiveReader reader(bytes);
  reader(engine, held.schedule, held.tables, held.last_ms);
  if (!reader.done()) return unexpected(std::string("the image is damaged"));
  SVC_TRY(held.engine.restore(engine));
  const bool times_fit = is_log_time(held.last_ms) && held.engine.now_ms() <= held.last_ms &&
                         held.schedule.fits(held.last_ms) && held.tables.makes_sense();
  if (!times_fit) return unexpected(std::string("the image does not make a state of a sandbox"));
  return held;
}

void Sequencer::set_image_taker(TakeImage take) {
  const std::lock_guard turn(turn_);
  take_image_ = std::move(take);
}

Result<void, WriteRefusal> Sequencer::submit_image(std::string image) {
  SVC_TRY(write({.command = {}, .records = {}, .records_if_applied = {}, .image = std::move(image)}));
  return {};
}

void Sequencer::begin_with(Held held, std::uint64_t position) {
  const std::lock_guard turn(turn_);
  SVC_ASSERT(applied_position_ == 0);
  become(std::move(held));
  applied_position_ = position;
}

void Sequencer::become(Held held) {
  for (const auto& [key, row] : held.tables.rows()) pass_record_ticket(row.ticket);
  engine_ = std::move(held.engine);
  schedule_ = std::move(held.schedule);
  tables_ = std::move(held.tables);
  last_ms_ = held.last_ms;
}

}  // namespace svc::sim
