#include "base/archive.h"
#include "base/assert.h"
#include "base/utf8.h"
#include "sim/exchange.h"
#include "sim/gateway/handlers/refusal_translation.h"
#include "sim/views/disagreements.h"

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
  auto held = SVC_TRY(sequencer_.held_of(held_bytes));
  for (const Address& account : held.engine.accounts())
    for (const engine::OrderRecord& order : held.engine.open_orders(account))
      if (!is_utf8(order.client_id.text())) return unexpected(std::string("a client id of the image is no text"));
  SVC_TRY(check_rows(held.tables, held.last_ms));
  auto view = SVC_TRY(views_.view_of(view_bytes));
  const VenueTotals& totals = view.totals();
  if (totals.sequence != held.engine.sequence() || totals.last_command_ms != held.engine.now_ms())
    return unexpected(std::string("the image shows another instant than it holds"));
  if (const auto differing = disagreements(held.engine, view, held.last_ms); !differing.empty())
    return unexpected("the image shows something else than it holds: " + differing.front());
  return Parts{.held = std::move(held), .view = std::move(view)};
}

Result<void, std::string> Exchange::check_rows(const RecordTables& tables, TimestampMs last_ms) const {
  struct NoKeeper final : RecordKeeper {
    bool keep(RecordBatch) override { return true; }
    void keep_later(RecordBatch) override {}
  } keeper;
  NetworkStores stores(network_.settings);
  DisconnectSettings settings(network_.settings.disconnect_terms);
  DisconnectGuard guard(settings, keeper);
  Flow flow(flow_.terms(), markets_.specs());
  for (const auto& [key, row] : tables.rows()) {
    const RecordChange change{.table = key.first, .key = key.second, .value = row.value, .ticket = row.ticket};
    if (!row.value) continue;
    if (!clock_makes_sense(change) || !stores.restore(change) || !settings.restore(change) || !guard.restore(change) ||
        !flow.restore(change))
      return unexpected("a row of table " + std::to_string(static_cast<int>(key.first)) +
                        " of the image makes no sense");
  }
  if (!stores.money.idempotency_keys.stand_for(stores.money.bridge_withdrawals, last_ms))
    return unexpected(std::string("a key of the image stands for a withdrawal that is not there"));
  return {};
}

Result<TimestampMs, std::string> Exchange::check_image(std::string_view image) const {
  const auto parts = SVC_TRY(parts_of(image));
  return parts.held.last_ms;
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
  auto parts = SVC_TRY(parts_of(image));
  take_rows_and_view(parts);
  sequencer_.begin_with(std::move(parts.held), position);
  return {};
}

void Exchange::take_rows_and_view(Parts& parts) {
  network_.forget_rows();
  disconnects_.forget();
  flow_.forget();
  for (const auto& [key, row] : parts.held.tables.rows()) {
    if (!row.value) continue;
    SVC_ASSERT(restore({.table = key.first, .key = key.second, .value = row.value, .ticket = row.ticket}));
  }
  views_.replace(std::move(parts.view));
}

}  // namespace svc::sim
