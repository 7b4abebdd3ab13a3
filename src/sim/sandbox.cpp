#include <optional>
#include <utility>

#include "base/assert.h"
#include "sim/sim.h"
#include "sim/venue.h"

namespace svc::sim {

Sandbox::Sandbox(SandboxOptions options, const Clock& machine)
    : venue_(std::make_unique<Venue>(std::move(options), machine)) {}

Sandbox::~Sandbox() = default;

api::HttpResponse Sandbox::handle(api::HttpRequest request, std::string_view peer_address) {
  std::optional<api::HttpResponse> answer;
  venue_->handle(std::move(request), Peer{std::string(peer_address)},
                 [&](api::HttpResponse response) { answer = std::move(response); });
  // Everything is in memory: nothing is waited for, so the answer came before handle() returned.
  SVC_ASSERT(answer.has_value());
  return std::move(*answer);
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

}  // namespace svc::sim
