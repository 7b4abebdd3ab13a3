// An https server for tests, and the certificates it needs, all made while the test runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/listening_peer.h"

namespace svc::test {

// A certificate authority in a folder of its own, removed at the end.
class Authority {
 public:
  Authority();
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  [[nodiscard]] std::string file() const;       // its certificate as PEM
  [[nodiscard]] std::string directory() const;  // the same with its hashed name

  struct Leaf;  // key and certificate
  // `names` as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1".
  [[nodiscard]] std::shared_ptr<Leaf> issue(const std::string& names);
  // Names the server by its common name alone, without alternative names.
  [[nodiscard]] std::shared_ptr<Leaf> issue_by_common_name(const std::string& name);

 private:
  struct Native;
  std::unique_ptr<Native> native_;
};

// Answers every request with `answer`, on one connection after the other, over TLS.
class TlsPeer {
 public:
  TlsPeer(std::shared_ptr<Authority::Leaf> leaf, std::string answer);
  ~TlsPeer();

  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] int requests() const { return requests_; }
  // The server name of the last handshake; empty: none was sent.
  [[nodiscard]] std::string server_name() const;

 private:
  void serve(int fd);

  Listener listener_;
  std::shared_ptr<Authority::Leaf> leaf_;
  std::string answer_;
  std::atomic<int> requests_{0};
  mutable std::mutex mutex_;
  std::string server_name_;
  std::thread thread_;
};

}  // namespace svc::test
