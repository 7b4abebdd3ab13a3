// Follows the fills of an account by the stream, at one node after another: each connection goes to another node than
// the one before and resumes where that one ended.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/stream/stream_client.h"
#include "cluster/trader.h"

namespace svc::cluster {

class FillReader {
 public:
  // Begins with the account's first fill. The trader must outlive this.
  FillReader(const Trader& trader, std::vector<api::Url> nodes, std::uint64_t seed);

  // Ends the present connection.
  void go_elsewhere() { ++moves_; }

  // All fills so far, by id and in the order in which they came.
  [[nodiscard]] std::vector<std::string> seen() const;
  // Gaps that were not filled, fills that came twice, and ends for good.
  [[nodiscard]] std::vector<std::string> violations() const;
  [[nodiscard]] std::uint64_t connections() const { return connections_; }
  // Of those, resumptions for which the node sent all that was missed; for the others the fills were read by REST.
  [[nodiscard]] std::uint64_t repairs() const { return repairs_; }

 private:
  class Door;

  void run(const std::stop_token& stop);
  void take(const api::StreamNews& news);

  const Trader& trader_;
  const std::vector<api::Url> nodes_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> moves_{0};
  std::atomic<std::uint64_t> connections_{0};
  std::atomic<std::uint64_t> repairs_{0};
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> seen_;
  std::vector<std::string> violations_;
  std::jthread thread_;  // last: it stops before what it uses is gone
};

}  // namespace svc::cluster
