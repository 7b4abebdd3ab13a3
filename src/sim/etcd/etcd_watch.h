// Changes of keys as etcd tells them: every change from a revision on, in order, each once.
//
// After an error the caller watches again, from the revision after the last one it saw. Not thread-safe.
#pragma once

#include "api/http/channel.h"
#include "api/http/http_parser.h"
#include "sim/etcd/etcd_client.h"

namespace svc::sim {

struct EtcdChange {
  enum class Kind : std::uint8_t { put, removed };
  Kind kind = Kind::put;
  EtcdKeyValue row{};  // without a value if it was removed
};

class EtcdWatch {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EtcdWatch>, EtcdError> open(const api::HostPort& member,
                                                                          const EtcdRange& range,
                                                                          std::int64_t from_revision);
  explicit EtcdWatch(std::unique_ptr<api::Channel> channel);  // used by open() only

  // Waits for the next changes; none if nothing changed in that time. The error is `refused` if etcd has forgotten
  // that revision: then a snapshot is the way on.
  [[nodiscard]] Result<std::vector<EtcdChange>, EtcdError> next(std::int64_t wait_ms);

 private:
  std::unique_ptr<api::Channel> channel_;
  api::ResponseParser parser_;
  std::string input_;  // bytes that are not parsed yet
};

}  // namespace svc::sim
