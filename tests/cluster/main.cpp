// The drill of the cluster: three etcd members and three nodes, each in a network namespace of its own.
//
//   cluster_drill SVC FOLDER ROUNDS [SEED [FAULT...]]
//
// FAULT is a name as it is printed; without one, all faults are tried.
// Run it in a network namespace that it may change (scripts/cluster drill). Exit code 1 if a promise was broken, 2 if
// it could not go on.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <span>
#include <vector>

#include "cluster/drill.h"

int main(int count, char** words) {
  using namespace svc::cluster;
  using enum Fault;
  std::vector<Fault> faults{kill_leader, kill_follower, kill_member, pause_leader, cut_nodes, cut_from_etcd};
  const std::span names(words + std::min(count, 5), words + count);
  const auto is_fault = [&](std::string_view name) {
    return std::ranges::any_of(faults, [&](Fault fault) { return to_string(fault) == name; });
  };
  if (count < 4 || !std::ranges::all_of(names, is_fault)) {
    std::cerr << "usage: cluster_drill SVC FOLDER ROUNDS [SEED [FAULT...]]\n";
    return 2;
  }
  auto machines = Machines::start({.svc = words[1],
                                   .folder = words[2],
                                   .wiring = Machines::Wiring::namespaces,
                                   .flags = {"--flow", "none", "--limits", "off"}});
  if (!machines) {
    std::cerr << "cluster_drill: " << machines.error() << '\n';
    return 2;
  }
  if (!names.empty())
    std::erase_if(faults, [&](Fault fault) { return std::ranges::find(names, to_string(fault)) == names.end(); });
  const auto violations = run_drill(**machines,
                                    {.faults = std::move(faults),
                                     .rounds = std::strtoull(words[3], nullptr, 10),
                                     .hold_ms = 3'000,
                                     .seed = count > 4 ? std::strtoull(words[4], nullptr, 10) : 1},
                                    std::cout);
  if (!violations) {
    std::cerr << "cluster_drill: " << violations.error() << '\n';
    return 2;
  }
  std::cout << *violations << " violations\n";
  return *violations == 0 ? 0 : 1;
}
