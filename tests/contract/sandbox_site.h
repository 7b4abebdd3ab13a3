// Where a sandbox of the tests is: in memory, on a real etcd, or three nodes on a real etcd, which find each other
// within this process. A caller sees one sandbox: each request goes to a node chosen at random.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "etcd/etcd_process.h"
#include "sim/sim.h"

namespace svc::contract {

enum class Site : std::uint8_t { memory, etcd, cluster };
[[nodiscard]] std::string_view to_string(Site site);

class SandboxSite {
 public:
  SandboxSite(Site site, sim::SandboxOptions options);
  SandboxSite(const SandboxSite&) = delete;
  SandboxSite& operator=(const SandboxSite&) = delete;
  ~SandboxSite();

  // Another node each time. All of them have applied what was answered before: public reads follow their own node,
  // and tests compare whole answers.
  [[nodiscard]] sim::Sandbox& any_node();
  [[nodiscard]] std::vector<sim::Sandbox*> nodes() const;

  // Those of every node, once they are level.
  [[nodiscard]] const sim::SandboxClock& clock() const { return nodes_.front()->clock(); }
  [[nodiscard]] const std::vector<sim::DevAccount>& accounts() const { return nodes_.front()->accounts(); }

 private:
  class PeerLine;

  // Of a node: GET /_svc/status.
  [[nodiscard]] static nlohmann::json status_of(sim::Sandbox& node);
  void wait_until_level() const;

  const ManualClock manual_{1'700'000'000'000};
  const SystemClock machine_;  // leases run by it
  Prng chance_{1};
  std::optional<sim::EtcdProcess> etcd_;
  // By the port that stands for it. Calls hold the lock shared.
  std::shared_mutex peers_mutex_;
  std::map<std::uint16_t, sim::Sandbox*> peers_;
  std::vector<std::unique_ptr<sim::Sandbox>> nodes_;  // last: they end before what they use is gone
};

}  // namespace svc::contract
