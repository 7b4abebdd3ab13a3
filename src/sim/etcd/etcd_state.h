// What a sandbox keeps on an etcd: the leadership of one state, kept alive, and the log of each of its networks.
#pragma once

#include <condition_variable>
#include <thread>

#include "sim/etcd/etcd_log.h"
#include "sim/etcd/leadership.h"

namespace svc::sim {

class EtcdState {
 public:
  struct Terms {
    EtcdAddress address{};
    std::string node{};
    EtcdDial dial{};  // empty: HTTP
    // Called while another node leads, with its name; returns whether to try again, and may wait first.
    std::function<bool(const std::string& leader)> try_again{};
  };
  // Becomes the leader, and stays it as long as this lives. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<EtcdState>, std::string> open(Terms terms, const Clock& machine);
  EtcdState(Terms terms, const Clock& machine);  // used by open() only
  EtcdState(const EtcdState&) = delete;
  EtcdState& operator=(const EtcdState&) = delete;

  // This must outlive the log.
  [[nodiscard]] Result<std::unique_ptr<DurableLog>, std::string> open_log(const std::string& network,
                                                                          const LogFacts& facts);
  [[nodiscard]] Leadership& leadership() { return leadership_; }

  // The process ends: appends that wait for etcd return. (EtcdLog::give_up)
  void give_up() { gives_up_ = true; }

 private:
  [[nodiscard]] Result<void, std::string> lead();
  // Whether etcd takes writes again: it forgets what was removed, and gives the room back.
  [[nodiscard]] bool make_room();
  void pause(std::int64_t ms) const;

  const Terms terms_;
  const EtcdDial dial_;
  std::atomic<bool> gives_up_{false};
  Leadership leadership_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread keeping_;  // last: it stops before what it uses is gone
};

}  // namespace svc::sim
