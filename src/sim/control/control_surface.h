// The control surface, /_svc/...: what a test or a developer does to the sandbox from outside the API.
//
//   GET  /_svc/status       what runs here
//   GET  /_svc/time         {"now_ms","sequence","mode","rate","next_funding_ms","next_expiry_ms"}
//   POST /_svc/time         {"mode":"real"|"manual"|"scaled","rate":n}, {"advance_ms":n} or {"set_ms":n}; with
//                           "wait_streams":true answered when the streams have sent everything up to then
//   POST /_svc/prices       {"BTC-USDX-PERP":"60000",...}: one oracle tick, index = mark
//   POST /_svc/fund         {"account","amount"}
//   POST /_svc/insurance    {"amount"}
//   POST /_svc/markets/{id}/halt     {"reason"}
//   POST /_svc/markets/{id}/resume   {} or {"inject"}: USDX into the insurance fund first
//   POST /_svc/markets/{id}/settle   {"price"}: closes every position and delists the market
//   POST /_svc/bridge/deposits       {"account" or "address","amount"} and "asset": a transaction on the chain
//   POST /_svc/bridge/{id}/settle    a withdrawal or bridge deposit is confirmed now; /fail: it fails
//   GET  /_svc/switches     what an operator can switch off; POST {"credits":false}
//   POST /_svc/accounts/{address}/freeze    nothing leaves the account; /unfreeze
//   POST /_svc/markets/{id}/trade    {"quantity"}, "price", "side": two accounts of the house trade
//   POST /_svc/orders/{id}/fill      {} or {"quantity"}: a resting order is taken
//   POST /_svc/accounts/{address}/liquidate  {} or {"market_id"}: the mark moves to where that happens; /deleverage
//   POST /_svc/reset        {} or {"keep_prices":true}: everything is as it was at the start
//   POST /_svc/faults       one rule (control_faults.h); answers it with its number
//   GET  /_svc/faults       {"faults":[...]}, each with its hits
//   DELETE /_svc/faults     all of them, or /_svc/faults/{id} one
//   GET  /_svc/flow         bots, drill under way, tape; POST {"bots":bool} or {"drill":NAME}
//   POST /_svc/prices/{id}/walk      {"to":price or "shock":per cent,"over_ms"}: index = mark on a straight line
//   GET, POST /_svc/coverage  operations, statuses and error codes met, and those never met; {"tag"}, then ?from=TAG
//   POST /_svc/snapshots    {"name"}: everything as it is now, kept under the name
//   GET  /_svc/snapshots    {"snapshots":[{"name","sequence","now_ms","bytes"}]}
//   POST /_svc/snapshots/{name}/revert   everything is again as it was; DELETE /_svc/snapshots/{name} drops it
//   GET  /_svc/state        all of it as one document; PUT it, here or into another sandbox, to go on from there
//   GET  /_svc/requests     the latest requests, each with the rule that refused it; ?after=N, ?limit=N
//   GET  /_svc/recording    whether a session is being written down; POST /_svc/recording/start, /stop {"title"}: the
//                           session as the text of a scenario file
//   GET  /_svc/invariants   {"violations":[...]}, computed now
//
// Bodies are strict; errors are {"code","message"}. Safe to use from any thread.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "sim/control/control_body.h"
#include "sim/control/control_commands.h"
#include "sim/control/control_faults.h"
#include "sim/control/control_flow.h"
#include "sim/control/control_money.h"
#include "sim/control/control_recording.h"
#include "sim/control/control_reports.h"
#include "sim/control/control_snapshots.h"
#include "sim/control/control_staging.h"
#include "sim/gateway/http_server.h"

namespace svc::sim {

class ControlSurface {
 public:
  ControlSurface(const ControlledVenue& venue, ControlAccess access);

  // True for /_svc and everything below.
  [[nodiscard]] static bool owns(std::string_view path);

  // Calls `reply` once, before it returns or later.
  void handle(const api::HttpRequest& request, std::string_view peer_address, const SendReply& reply) const;

 private:
  struct Route;
  static const std::vector<Route>& routes();
  [[nodiscard]] api::HttpResponse answer(const api::HttpRequest& request, std::string_view peer_address) const;

  ControlReports reports_;
  ControlCommands commands_;
  ControlFaults faults_;
  ControlFlow flow_;
  ControlMoney money_;
  ControlRecording recording_;
  ControlStaging staging_;
  ControlSnapshots snapshots_;
  Turnstile& turnstile_;
  const std::function<void(std::function<void(bool)>)> after_streams_;
  ControlAccess access_;
};

}  // namespace svc::sim
