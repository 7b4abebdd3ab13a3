#include "contract/sandbox_site.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/assert.h"
#include "sim/venue.h"

namespace svc::contract {

std::string_view to_string(Site site) {
  constexpr std::string_view names[] = {"memory", "etcd", "cluster"};
  return names[static_cast<std::size_t>(site)];
}

// To another node of this process.
class SandboxSite::PeerLine final : public api::Transport {
 public:
  PeerLine(SandboxSite& site, std::uint16_t port) : site_(site), port_(port) {}

  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    const std::shared_lock lock(site_.peers_mutex_);
    const auto peer = site_.peers_.find(port_);
    if (peer == site_.peers_.end())
      return unexpected(api::TransportError{.delivery = api::Delivery::not_sent, .reason = "no such node"});
    return peer->second->handle(request);
  }

 private:
  SandboxSite& site_;
  const std::uint16_t port_;
};

SandboxSite::SandboxSite(Site site, sim::SandboxOptions options) {
  if (site == Site::memory) {
    nodes_.push_back(std::make_unique<sim::Sandbox>(std::move(options), manual_));
    return;
  }
  etcd_.emplace();
  options.etcd = etcd_->address();
  options.start_at_ms = manual_.now_ms();
  const std::size_t count = site == Site::cluster ? 3 : 1;
  for (std::uint16_t port = 1; port <= count; ++port) {
    options.name = std::string(1, static_cast<char>('a' + port - 1));
    // The first one leads, and is found a moment after it has told where it is.
    const auto try_again = [](const std::string&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return true;
    };
    auto venue = sim::Venue::open(
        options, machine_, {.try_again = try_again, .peer_dial = [this](const api::HostPort& place, std::int64_t) {
                              return std::make_unique<PeerLine>(*this, place.port);
                            }});
    SVC_ASSERT(venue);
    sim::Venue& opened = **venue;
    nodes_.push_back(std::make_unique<sim::Sandbox>(std::move(*venue)));
    {
      const std::unique_lock lock(peers_mutex_);
      peers_.emplace(port, nodes_.back().get());
    }
    opened.set_port(port);
    options.start_at_ms.reset();
  }
  // Until all have found each other, they do not agree on who keeps a budget.
  const auto has_found_all = [&](sim::Sandbox& node) {
    const nlohmann::json cluster = status_of(node)["cluster"];
    return cluster["takes_writes"].get<bool>() && cluster["nodes"].size() == count;
  };
  for (const auto& node : nodes_)
    while (!has_found_all(*node)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

SandboxSite::~SandboxSite() {
  const std::unique_lock lock(peers_mutex_);
  peers_.clear();
}

std::vector<sim::Sandbox*> SandboxSite::nodes() const {
  std::vector<sim::Sandbox*> nodes;
  for (const auto& node : nodes_) nodes.push_back(node.get());
  return nodes;
}

sim::Sandbox& SandboxSite::any_node() {
  if (nodes_.size() > 1) wait_until_level();
  return *nodes_[chance_.below(nodes_.size())];
}

nlohmann::json SandboxSite::status_of(sim::Sandbox& node) {
  return nlohmann::json::parse(
      node.handle({.method = "GET", .target = "/_svc/status", .headers = {}, .body = {}}).body);
}

void SandboxSite::wait_until_level() const {
  const auto is_level = [&] {
    std::optional<nlohmann::json> first;
    return std::ranges::all_of(nodes_, [&](const auto& node) {
      nlohmann::json status = status_of(*node);
      const nlohmann::json place{status["sequence"], status["state_hash"], status["clock"]};
      if (!first) first = place;
      return *first == place;
    });
  };
  while (!is_level()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace svc::contract
