// Sockets that never block, and one call of the system that tells which of many are ready. What is ready stays so until
// it was used: a request costs a read and a write, and nothing for waiting for the next one. Not thread-safe, but for
// ReadySet::wake().
#pragma once

#include <sys/epoll.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/descriptor.h"

namespace svc::sim {

class WatchedSocket;

class ReadySet {
 public:
  // Throws std::system_error if the process has no descriptors left.
  ReadySet();

  // Sleeps until a socket is ready, somebody wakes it, or the time has passed (none: for ever); then tells the watchers
  // of what is ready. True if it was woken.
  [[nodiscard]] bool wait(std::optional<std::int64_t> ms);
  // Ends the sleep, or the next one. Any thread.
  void wake();

 private:
  friend class WatchedSocket;

  static constexpr int told_at_once = 128;

  Descriptor set_;
  Descriptor bell_;
  std::array<epoll_event, told_at_once> events_;
  std::span<epoll_event> untold_;  // of events_
};

// What a socket is waited for, or ready for.
struct Readiness {
  bool input = false;
  bool room = false;    // for output
  bool failed = false;  // told whatever is waited for; then it is ready for everything, and the next call tells why
};

class SocketWatcher {
 public:
  virtual void ready(Readiness now) = 0;

 protected:
  ~SocketWatcher() = default;
};

// A socket of a set, which it must not outlive.
class WatchedSocket {
 public:
  WatchedSocket(ReadySet& set, SocketWatcher& watcher, Descriptor socket)
      : set_(set), watcher_(watcher), socket_(std::move(socket)) {}
  WatchedSocket(const WatchedSocket&) = delete;
  WatchedSocket& operator=(const WatchedSocket&) = delete;
  ~WatchedSocket() { close(); }

  [[nodiscard]] int get() const { return socket_.get(); }

  // From now on the watcher is told of these alone. Mostly costs nothing: what is no longer awaited goes on being
  // watched until it happens. False if the system cannot watch one more.
  [[nodiscard]] bool await(Readiness awaited);

  struct Moved {
    enum class State : std::uint8_t { open, peer_ended, broken };
    std::size_t bytes = 0;  // none of an open one: it must wait
    State state = State::open;
  };
  [[nodiscard]] Moved receive(std::span<char> into) const;
  [[nodiscard]] Moved send(std::span<iovec> parts) const;

  // Tells the peer that nothing more will come. False if it is gone.
  [[nodiscard]] bool end_output() const;
  // Nobody is told of anything from now on.
  void close() { static_cast<void>(Descriptor(release())); }
  // For another watcher.
  [[nodiscard]] Descriptor release();

 private:
  friend class ReadySet;
  using Events = std::uint32_t;  // of epoll

  [[nodiscard]] bool watch(Events events);
  void tell(Events events);

  ReadySet& set_;
  SocketWatcher& watcher_;
  Descriptor socket_;
  Events awaited_ = 0;
  std::optional<Events> watched_;  // none: not in the set
};

}  // namespace svc::sim
