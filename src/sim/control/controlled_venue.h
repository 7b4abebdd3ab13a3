// What the control surface looks at and moves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/error_catalog.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/turnstile.h"
#include "sim/actors/flow.h"
#include "sim/actors/tape.h"
#include "sim/control/ready_report.h"
#include "sim/control/snapshot_shelf.h"
#include "sim/control/venue_image.h"
#include "sim/gateway/coverage.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/request_log.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/sequencer.h"
#include "sim/services/money_services.h"
#include "sim/views/market_table.h"
#include "sim/views/views.h"

namespace svc::sim {

class SessionRecorder;

enum class ResetScope : std::uint8_t { all, all_but_prices };

// All of it outlives the surface.
struct ControlledVenue {
  const Clock& machine;  // uptime is real time, whatever the sandbox's clock does
  SandboxClock& clock;
  Sequencer& sequencer;
  Flow& flow;
  const TapeRecorder* recorder;  // nullptr: nothing is recorded
  SessionRecorder& sessions;
  bool operator_exits;  // a halted market may be resumed or settled
  bool strict_query;    // unknown query parameters are refused
  const Views& views;
  const MarketTable& markets;
  const RequestLog& requests;
  Coverage& coverage;
  FaultBook& faults;
  MoneyServices& money;
  SnapshotShelf& snapshots;
  Turnstile& turnstile;  // shared while the venue is used
  // Under the shared turnstile. What is due then happens.
  std::function<Result<void, api::ApiError>(const ClockChange&)> move_clock;
  // Without the turnstile: they take it alone.
  std::function<VenueImage()> image;
  std::function<Result<void, api::ApiError>(const VenueImage&)> become;
  std::function<Result<void, api::ApiError>(ResetScope)> reset;
  std::function<ReadyReport()> report;
  // Calls `then` when every stream has been sent everything up to now: true; or when that took too long.
  std::function<void(std::function<void(bool delivered)> then)> after_streams;
  // When a session or an agent ends next, after that instant.
  std::function<std::optional<TimestampMs>(TimestampMs)> next_end_ms;
};

// JSON text, or why there is none.
using ControlAnswer = Result<std::string, api::ApiError>;

}  // namespace svc::sim
