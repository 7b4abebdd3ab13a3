#include "base/assert.h"
#include "sim/actors/flow.h"
#include "sim/gateway/request_context.h"
#include "sim/sim.h"
#include "sim/venue.h"

namespace svc::sim {

Sandbox::Sandbox(SandboxOptions options, const Clock& machine) : venue_(*Venue::open(std::move(options), machine)) {}
Sandbox::Sandbox(std::unique_ptr<Venue> venue) : venue_(std::move(venue)) {}

Result<std::unique_ptr<Sandbox>, std::string> Sandbox::open(SandboxOptions options, const Clock& machine) {
  auto venue = SVC_TRY(Venue::open(std::move(options), machine));
  return std::make_unique<Sandbox>(std::move(venue));
}

Sandbox::~Sandbox() = default;

api::HttpResponse Sandbox::handle(api::HttpRequest request, std::string_view peer_address) {
  std::optional<api::HttpResponse> answer;
  venue_->handle(std::move(request), peer_at(peer_address),
                 [&](api::HttpResponse response) { answer = std::move(response); });
  // Writers wait for the log here, so the answer came before handle() returned.
  SVC_ASSERT(answer.has_value());
  return std::move(*answer);
}

void Sandbox::upgrade(api::HttpRequest request, const std::string& head, const Upgrade& ends,
                      std::string_view peer_address) {
  venue_->upgrade(std::move(request), head, peer_at(peer_address), ends);
}

void Sandbox::pass_time() {
  venue_->pass_time();
}
const SandboxClock& Sandbox::clock() const {
  return venue_->clock();
}
const std::vector<DevAccount>& Sandbox::accounts() const {
  return venue_->accounts();
}
const SandboxOptions& Sandbox::options() const {
  return venue_->options();
}
ReadyReport Sandbox::report() const {
  return venue_->report();
}

std::vector<std::pair<std::string_view, std::string_view>> drill_summaries() {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  for (const Drill& drill : drills()) all.emplace_back(drill.name, drill.summary);
  return all;
}

}  // namespace svc::sim
