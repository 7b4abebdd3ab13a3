#include "sim/gateway/ready_set.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace svc::sim {

// The bell is edge-triggered: each ring is told once, and nobody reads its count. It has no watcher (nullptr).
ReadySet::ReadySet() : set_(::epoll_create1(EPOLL_CLOEXEC)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event rings{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (!set_ || !bell_ || ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, bell_.get(), &rings) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll");
}

bool ReadySet::wait(std::optional<std::int64_t> ms) {
  const int told = ::epoll_wait(set_.get(), events_.data(), told_at_once, ms ? static_cast<int>(*ms) : -1);
  untold_ = std::span(events_).first(told > 0 ? static_cast<std::size_t>(told) : 0);
  bool is_woken = false;
  while (!untold_.empty()) {
    const epoll_event event = untold_.front();
    untold_ = untold_.subspan(1);
    if (event.events == 0) continue;  // forgotten
    if (event.data.ptr == nullptr) {
      is_woken = true;
      continue;
    }
    static_cast<WatchedSocket*>(event.data.ptr)->tell(event.events);
  }
  return is_woken;
}

void ReadySet::wake() {
  static_cast<void>(::eventfd_write(bell_.get(), 1));
}

bool WatchedSocket::watch(Events events) {
  epoll_event event{.events = events, .data = {.ptr = this}};
  const int change = watched_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (::epoll_ctl(set_.set_.get(), change, socket_.get(), &event) != 0) return false;
  watched_ = events;
  return true;
}

bool WatchedSocket::await(Readiness awaited) {
  awaited_ = (awaited.input ? EPOLLIN : 0U) | (awaited.room ? EPOLLOUT : 0U);
  return (watched_ && (awaited_ & ~*watched_) == 0) || watch(awaited_);
}

void WatchedSocket::tell(Events events) {
  const bool failed = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if ((events & (EPOLLIN | EPOLLOUT) & ~awaited_) != 0) static_cast<void>(watch(awaited_));
  if (failed || (events & awaited_) != 0)
    watcher_.ready({.input = failed || (events & awaited_ & EPOLLIN) != 0,
                    .room = failed || (events & awaited_ & EPOLLOUT) != 0,
                    .failed = failed});
}

// Closing the socket would not be enough: a process that was just forked may still have it.
Descriptor WatchedSocket::release() {
  if (std::exchange(watched_, std::nullopt)) {
    ::epoll_ctl(set_.set_.get(), EPOLL_CTL_DEL, socket_.get(), nullptr);
    for (epoll_event& event : set_.untold_)
      if (event.data.ptr == this) event.events = 0;
  }
  return std::exchange(socket_, Descriptor());
}

namespace {

WatchedSocket::Moved moved(ssize_t count) {
  using State = WatchedSocket::Moved::State;
  if (count >= 0) return {.bytes = static_cast<std::size_t>(count)};
  const bool must_wait = errno == EAGAIN || errno == EINTR;
  return {.state = must_wait ? State::open : State::broken};
}

}  // namespace

WatchedSocket::Moved WatchedSocket::receive(std::span<char> into) const {
  const ssize_t count = ::recv(socket_.get(), into.data(), into.size(), 0);
  return count == 0 ? Moved{.state = Moved::State::peer_ended} : moved(count);
}

// Almost always there is one part, which costs less to send alone.
WatchedSocket::Moved WatchedSocket::send(std::span<iovec> parts) const {
  if (parts.size() == 1)
    return moved(::send(socket_.get(), parts.front().iov_base, parts.front().iov_len, MSG_NOSIGNAL));
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return moved(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL));
}

bool WatchedSocket::end_output() const {
  return ::shutdown(socket_.get(), SHUT_WR) == 0;
}

}  // namespace svc::sim
