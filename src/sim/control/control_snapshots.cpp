// What is kept of a venue: named snapshots, its state as a document, recorded sessions.
#include "base/limits.h"
#include "sim/control/control_handlers.h"
#include "sim/control/session_recorder.h"

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
    return bad_body("name takes 1 to " + std::to_string(limits::snapshot_name_chars_max) +
                    " letters, digits, dots, dashes and underscores, and no dot in front");
  const auto image = std::make_shared<const VenueImage>(venue.image());
  SVC_TRY(venue.snapshots.put(terms.name, image));
  return snapshot_record({.name = terms.name, .image = image, .problem = ""});
}

Answer<control::ListSnapshots> list_snapshots(const ControlledVenue& venue) {
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
  if (!found) return not_found("no snapshot " + ref.name);
  if (found->image == nullptr) return not_possible(found->problem);
  return restored(venue, *found->image, ref.name);
}

Answer<control::DeleteSnapshot> delete_snapshot(const ControlledVenue& venue, const control::SnapshotRef& ref) {
  if (!SVC_TRY(venue.snapshots.remove(ref.name))) return not_found("no snapshot " + ref.name);
  return control::SnapshotDeleted{.name = ref.name};
}

Answer<control::LoadState> load_state(const ControlledVenue& venue, const control::AnyDocument& given) {
  const auto image = parse_document(given.document.text);
  if (!image) return not_possible(image.error());
  return restored(venue, *image);
}

Answer<control::Reset> reset(const ControlledVenue& venue, const control::ResetTerms& terms) {
  SVC_TRY(venue.reset(terms.keep_prices.value_or(false) ? ResetScope::all_but_prices : ResetScope::all));
  return control::Restored{moment_now(venue), {}};
}

constexpr std::size_t title_chars_max = 200;

Answer<control::GetRecording> show_recording(const ControlledVenue& venue) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const control::Moment now{now_ms, engine.sequence().value};
    const scenario::Session* session = venue.sessions.session();
    if (session == nullptr) return control::Recording{now};
    return control::Recording{now, true, session->steps(), session->spoiled()};
  });
}

// Why no session can be recorded now; nullopt if one can.
std::optional<std::string> obstacle_of(const ControlledVenue& venue) {
  if (venue.flow.bots()) return "the bots trade: record in a sandbox that was started with --flow none";
  if (venue.flow.report(venue.clock.now_ms()).tape) return "a tape is being played";
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) -> std::optional<std::string> {
    if (venue.sessions.session() != nullptr) return "a session is being recorded already";
    if (auto obstacle = scenario::Session::obstacle(engine, now_ms)) return *obstacle + "; svc local reset begins anew";
    return std::nullopt;
  });
}

Result<void, ApiError> fix_prices(const ControlledVenue& venue) {
  const engine::OracleTick tick = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    engine::OracleTick here;
    venue.markets.each([&](engine::MarketIndex market, const engine::MarketSpec&) {
      if (const auto mark = engine.market(market, now_ms).mark)
        here.prices.push_back({.market = market, .index = *mark, .mark = *mark});
    });
    return here;
  });
  SVC_TRY(set_by_hand(venue, tick));
  return {};
}

// Records from now on; prices stay fixed until somebody moves them by hand. (D-530)
Answer<control::StartRecording> start_recording(const ControlledVenue& venue) {
  if (const auto obstacle = obstacle_of(venue)) return not_possible(*obstacle);
  SVC_TRY(fix_prices(venue));
  const auto started = venue.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs now_ms) { return venue.sessions.start(engine, now_ms); });
  if (!started) return not_possible(started.error());
  return show_recording(venue);
}

// The text of a scenario file. A session that cannot be one gives its steps, and why it cannot.
Answer<control::StopRecording> stop_recording(const ControlledVenue& venue, const control::StoryTerms& terms) {
  const std::string title = terms.title.value_or("a recorded session");
  if (title.empty() || title.size() > title_chars_max || title.find_first_of("\r\n#") != std::string::npos)
    return bad_body("title takes one line of 1 to " + std::to_string(title_chars_max) + " bytes without #");
  const auto session =
      venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) { return venue.sessions.stop(engine); });
  if (!session) return not_possible("no session is being recorded");
  const auto told = session->to_story_text(title);
  control::Story story{.steps = session->steps(), .differences = told.differences, .scenario = told.text};
  for (const auto& [name, address] : told.names) story.accounts.push_back({name, address});
  return story;
}

}  // namespace

void bind_control_snapshots(ControlHandlers& handlers) {
  handlers.bind_all(take_snapshot, list_snapshots, revert, delete_snapshot, load_state, reset, show_recording,
                    start_recording, stop_recording);
  handlers.bind<control::DumpState>([](const ControlledVenue& venue) { return state_document(venue.image()); });
}

}  // namespace svc::sim
