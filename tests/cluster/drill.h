// Writers trade at all nodes while one of the machines is killed, paused or cut off. Afterwards every promise of the
// cluster is checked at every node. (docs/cluster.md)
//
// Checked after each round
//   (F1) the orders of every account that rest far from the market are linearizable: OrderHistory, with the writes and
//        the reads of that round. Nothing acknowledged is lost, nothing refused is there, no read goes back
//   (F2) an order that was acknowledged and may trade is there once, open or ended; one that was refused is not
//   (F3) fills have ids of their own; an order's add up to what it says is filled, an account's to its position
//   (F4) all nodes show the same orders, ended orders and fills, and have the same state hash at the same position
//   (F5) the streams told every fill, once and in order
//   (F6) a request is answered with success, with 503, or not at all
#pragma once

#include <ostream>

#include "cluster/machines.h"

namespace svc::cluster {

enum class Fault : std::uint8_t { kill_leader, kill_follower, kill_member, pause_leader, cut_nodes, cut_from_etcd };
[[nodiscard]] std::string_view to_string(Fault fault);

struct DrillTerms {
  std::vector<Fault> faults{};
  std::size_t rounds = 20;    // of each fault
  std::size_t writers = 32;   // four share an account
  std::size_t steady = 200;   // acknowledged writes before a fault, during it and after it
  std::int64_t rest_ms = 20;  // of a writer between two writes
  std::int64_t hold_ms = 0;   // a fault lasts that long at least
  std::uint64_t seed = 1;
};

// Prints a line for each round and a table at the end. The number of violations, which are printed as well; the error
// says what kept it from going on.
[[nodiscard]] Result<std::size_t, std::string> run_drill(Machines& machines, const DrillTerms& terms,
                                                         std::ostream& out);

}  // namespace svc::cluster
