// Named snapshots of the whole venue, and its state as a document.
#include "base/limits.h"
#include "sim/control/control_handlers.h"

namespace svc::sim {
namespace {

control::Snapshot snapshot_record(const SnapshotShelf::Row& snapshot) {
  control::Snapshot record{.name = snapshot.name};
  if (snapshot.image == nullptr) {
    record.problem = snapshot.problem;
    return record;
  }
  record.sequence = snapshot.image->sequence.value;
  record.now_ms = snapshot.image->at_ms;
  record.bytes = snapshot.image->bytes();
  return record;
}

Answer<control::TakeSnapshot> take_snapshot(const ControlledVenue& venue, const control::SnapshotTerms& terms) {
  if (!SnapshotShelf::is_name(terms.name))
    return unexpected(bad_body("name takes 1 to " + std::to_string(limits::snapshot_name_chars_max) +
                               " letters, digits, dots, dashes and underscores, and no dot in front"));
  const auto image = std::make_shared<const VenueImage>(venue.image());
  SVC_TRY(venue.snapshots.put(terms.name, image));
  return snapshot_record({.name = terms.name, .image = image, .problem = ""});
}

Answer<control::ListSnapshots> list_snapshots(const ControlledVenue& venue, const api::Empty&) {
  control::Snapshots list;
  for (const SnapshotShelf::Row& row : venue.snapshots.rows()) list.snapshots.push_back(snapshot_record(row));
  return list;
}

Result<control::Restored, ApiError> restored(const ControlledVenue& venue, const VenueImage& image,
                                             std::optional<std::string> name = {}) {
  SVC_TRY(venue.become(image));
  return control::Restored{moment_now(venue), std::move(name)};
}

Answer<control::RevertToSnapshot> revert(const ControlledVenue& venue, const control::SnapshotRef& ref) {
  const auto found = venue.snapshots.find(ref.name);
  if (!found) return unexpected(not_found("no snapshot " + ref.name));
  if (found->image == nullptr) return unexpected(not_possible(found->problem));
  return restored(venue, *found->image, ref.name);
}

Answer<control::DeleteSnapshot> delete_snapshot(const ControlledVenue& venue, const control::SnapshotRef& ref) {
  if (!venue.snapshots.remove(ref.name)) return unexpected(not_found("no snapshot " + ref.name));
  return control::SnapshotDeleted{.name = ref.name};
}

Answer<control::DumpState> dump_state(const ControlledVenue& venue, const api::Empty&) {
  return state_document(venue.image());
}

Answer<control::LoadState> load_state(const ControlledVenue& venue, const control::AnyDocument& given) {
  const auto image = parse_document(given.document.text);
  if (!image) return unexpected(not_possible(image.error()));
  return restored(venue, *image);
}

Answer<control::Reset> reset(const ControlledVenue& venue, const control::ResetTerms& terms) {
  SVC_TRY(venue.reset(terms.keep_prices.value_or(false) ? ResetScope::all_but_prices : ResetScope::all));
  return control::Restored{moment_now(venue), {}};
}

}  // namespace

void bind_control_snapshots(ControlHandlers& handlers) {
  handlers.bind<control::TakeSnapshot>(take_snapshot, AnsweredBy::writer, TurnstileUse::own);
  handlers.bind<control::ListSnapshots>(list_snapshots, AnsweredBy::writer, TurnstileUse::own);
  handlers.bind<control::RevertToSnapshot>(revert, AnsweredBy::writer, TurnstileUse::own);
  handlers.bind<control::DeleteSnapshot>(delete_snapshot, AnsweredBy::writer, TurnstileUse::own);
  handlers.bind<control::DumpState>(dump_state, AnsweredBy::writer, TurnstileUse::own);
  handlers.bind<control::LoadState>(load_state, AnsweredBy::writer, TurnstileUse::own);
  handlers.bind<control::Reset>(reset, AnsweredBy::writer, TurnstileUse::own);
}

}  // namespace svc::sim
