// An etcd in the test's process: the part of the JSON gateway that the sandbox uses, behind the transport interface.
// It keeps keys with their revisions and leases, compares and commits like etcd, and fails on request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/etcd/etcd_client.h"

namespace svc::sim {

class EtcdServerDouble {
 public:
  enum class Fault : std::uint8_t {
    none,
    connection_refused,  // nothing is sent
    lost_before,         // the request is lost, and so is the answer
    lost_after,          // it takes effect, and the answer is lost
    late,                // the answer is lost, and the request takes effect only with a later one (`deliver_late`)
    no_quorum,           // etcd answers that it timed out; no effect
    full,                // the quota is full; no effect
    filled,              // the request takes effect, and fills the quota
    slow_refusal,        // etcd has too many requests; no effect
  };

  // The way to this double, for every member.
  [[nodiscard]] EtcdDial dial();

  // The next `count` requests whose path ends so meet the fault.
  void fail(std::string path_end, Fault fault, int count = 1);
  // No more faults.
  void heal();
  // What `late` held back takes effect now.
  void deliver_late();
  // The lease ends as if nobody had kept it.
  void end_lease_of(const std::string& key);
  // Another client's doing.
  void put(const std::string& key, const std::string& value);
  void remove(const std::string& key);

  [[nodiscard]] std::map<std::string, EtcdKeyValue> rows() const;
  [[nodiscard]] std::vector<std::string> keys(const std::string& prefix) const;
  // It refuses writes until its alarm is ended, which it sets again as long as it has no room.
  void fill();
  // The alarm stays.
  void give_room();
  // Requests that reached it, by path.
  [[nodiscard]] int requests(const std::string& path_end) const;
  [[nodiscard]] std::int64_t revision() const;
  [[nodiscard]] std::int64_t compacted() const;

  [[nodiscard]] Result<api::HttpResponse, api::TransportError> answer(const api::HttpRequest& request);

 private:
  struct Planned {
    std::string path_end;
    Fault fault;
    int count;
  };
  [[nodiscard]] Fault fault_for(const std::string& path);
  [[nodiscard]] api::HttpResponse serve(const api::HttpRequest& request);
  void put_row(const std::string& key, const std::string& value, std::int64_t lease);
  template <class Condition>
  void remove_rows(Condition condition);
  // As they were at a revision.
  [[nodiscard]] std::map<std::string, EtcdKeyValue> rows_at(std::int64_t revision) const;

  mutable std::recursive_mutex mutex_;
  struct Change {
    std::int64_t revision = 0;
    std::string key;
    std::optional<EtcdKeyValue> row;  // nullopt: it was removed
  };

  std::map<std::string, EtcdKeyValue> rows_;
  std::vector<Change> changes_;
  std::map<std::int64_t, std::int64_t> leases_;  // seconds
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;
  std::int64_t last_lease_ = 7'000'000'000'000'000'000;  // beyond what a double of 53 bits tells apart
  std::vector<Planned> planned_;
  std::vector<api::HttpRequest> late_;
  std::map<std::string, int> requests_;
  bool has_room_ = true;
  bool has_alarm_ = false;
};

}  // namespace svc::sim
