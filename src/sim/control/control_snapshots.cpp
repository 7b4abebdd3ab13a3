#include "sim/control/control_snapshots.h"

#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "sim/control/control_body.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

constexpr std::string_view collection = "/_svc/snapshots/";

// "/_svc/snapshots/NAME" or "/_svc/snapshots/NAME/revert": the routes saw to its shape.
std::string name_in(const api::HttpRequest& request) {
  const std::string_view name = request.path().substr(collection.size());
  return std::string(name.substr(0, name.find('/')));
}

ApiError unknown(const std::string& name) {
  return ApiError(ErrorCode::not_found, "no snapshot " + name);
}

ApiError shelf_refusal_of(ShelfRefusal refusal) {
  switch (refusal) {
    case ShelfRefusal::too_many:
      return ApiError(ErrorCode::unprocessable,
                      "at most " + std::to_string(limits::snapshots_max) + " snapshots are kept: delete one first");
    case ShelfRefusal::too_large:
      return ApiError(ErrorCode::unprocessable, "all snapshots together have at most " +
                                                    std::to_string(limits::snapshots_bytes_max) +
                                                    " bytes: delete one first");
    case ShelfRefusal::not_written: break;
  }
  return ApiError(ErrorCode::service_unavailable, "the state folder did not take the snapshot");
}

Json row_of(const SnapshotShelf::Row& snapshot) {
  Json row{{"name", snapshot.name}};
  if (snapshot.image == nullptr) {
    row["problem"] = snapshot.problem;
    return row;
  }
  row["sequence"] = snapshot.image->sequence.value;
  row["now_ms"] = snapshot.image->at_ms;
  row["bytes"] = snapshot.image->bytes();
  return row;
}

}  // namespace

ControlAnswer ControlSnapshots::take(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(ApiError(ErrorCode::invalid_json, body.error()));
  if (const auto known = body->only({"name"}); !known)
    return unexpected(ApiError(ErrorCode::invalid_json, known.error()));
  const auto name = body->text("name");
  if (!name) return unexpected(ApiError(ErrorCode::invalid_json, name.error()));
  if (!SnapshotShelf::is_name(*name))
    return unexpected(
        ApiError(ErrorCode::invalid_json, "name takes 1 to " + std::to_string(limits::snapshot_name_chars_max) +
                                              " letters, digits, dots, dashes and underscores, and no dot in front"));
  const auto image = std::make_shared<const VenueImage>(venue_.image());
  if (const auto kept = venue_.snapshots.put(*name, image); !kept) return unexpected(shelf_refusal_of(kept.error()));
  return row_of({.name = *name, .image = image, .problem = ""}).dump();
}

ControlAnswer ControlSnapshots::list(const api::HttpRequest&) const {
  Json rows = Json::array();
  for (const SnapshotShelf::Row& row : venue_.snapshots.rows()) rows.push_back(row_of(row));
  return Json{{"snapshots", std::move(rows)}}.dump();
}

ControlAnswer ControlSnapshots::revert(const api::HttpRequest& request) const {
  const std::string name = name_in(request);
  const auto found = venue_.snapshots.find(name);
  if (!found) return unexpected(unknown(name));
  if (found->image == nullptr) return unexpected(ApiError(ErrorCode::unprocessable, found->problem));
  return go_to(*found->image, name);
}

ControlAnswer ControlSnapshots::remove(const api::HttpRequest& request) const {
  const std::string name = name_in(request);
  if (!venue_.snapshots.remove(name)) return unexpected(unknown(name));
  return Json{{"name", name}, {"deleted", true}}.dump();
}

ControlAnswer ControlSnapshots::dump(const api::HttpRequest&) const {
  return to_document(venue_.image());
}

ControlAnswer ControlSnapshots::load(const api::HttpRequest& request) const {
  const auto image = parse_document(request.body);
  if (!image) return unexpected(ApiError(ErrorCode::unprocessable, image.error()));
  return go_to(*image, "");
}

ControlAnswer ControlSnapshots::reset(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(ApiError(ErrorCode::invalid_json, body.error()));
  if (const auto known = body->only({"keep_prices"}); !known)
    return unexpected(ApiError(ErrorCode::invalid_json, known.error()));
  ResetScope scope = ResetScope::all;
  if (body->has("keep_prices")) {
    const auto keep = body->flag("keep_prices");
    if (!keep) return unexpected(ApiError(ErrorCode::invalid_json, keep.error()));
    if (*keep) scope = ResetScope::all_but_prices;
  }
  SVC_TRY(venue_.reset(scope));
  return moment("");
}

ControlAnswer ControlSnapshots::go_to(const VenueImage& image, const std::string& name) const {
  SVC_TRY(venue_.become(image));
  return moment(name);
}

// Where things stand now.
std::string ControlSnapshots::moment(const std::string& name) const {
  Json document;
  if (!name.empty()) document["name"] = name;
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    document["now_ms"] = now_ms;
    document["sequence"] = engine.sequence().value;
  });
  return document.dump();
}

}  // namespace svc::sim
