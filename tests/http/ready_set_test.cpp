#include "sim/gateway/ready_set.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

namespace svc::sim {
namespace SVC_FILE {

// Both ends of a connection.
std::array<Descriptor, 2> connected() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void say(const Descriptor& end, std::string_view bytes) {
  EXPECT_EQ(::send(end.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

// A watched socket with its peer. Notes what it was told: i(nput), r(oom), f(ailed).
struct Watched final : SocketWatcher {
  explicit Watched(ReadySet& set, std::array<Descriptor, 2> ends = connected())
      : socket(set, *this, std::move(ends[0])), peer(std::move(ends[1])) {}

  void ready(Readiness now) override {
    told += std::string(now.input ? "i" : "") + (now.room ? "r" : "") + (now.failed ? "f" : "") + ".";
    if (then) then();
  }
  std::string received() {
    std::array<char, 64> bytes;
    const auto [count, state] = socket.receive(bytes);
    return state == WatchedSocket::Moved::State::open ? std::string(bytes.data(), count) : "end";
  }
  bool send(std::string bytes) {
    iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
    return socket.send(std::span(&part, 1)).bytes > 0;
  }

  WatchedSocket socket;
  Descriptor peer;
  std::string told;
  std::function<void()> then;
};

// What it is told now.
std::string told_by(ReadySet& set, Watched& of) {
  of.told.clear();
  EXPECT_FALSE(set.wait(0));
  return of.told;
}

TEST(ReadySet, TellsOfInputUntilItIsRead) {
  ReadySet set;
  Watched one(set);
  ASSERT_TRUE(one.socket.await({.input = true}));
  EXPECT_EQ(told_by(set, one), "");
  say(one.peer, "first");
  EXPECT_EQ(told_by(set, one), "i.");
  EXPECT_EQ(told_by(set, one), "i.");
  EXPECT_EQ(one.received(), "first");
  EXPECT_EQ(one.received(), "") << "it must wait";
  EXPECT_EQ(told_by(set, one), "");
  one.peer.close();
  EXPECT_EQ(told_by(set, one), "irf.") << "neither side sends any more";
  EXPECT_EQ(one.received(), "end");
}

TEST(ReadySet, TellsOfRoomOnlyWhoeverWaitsForIt) {
  ReadySet set;
  Watched one(set);
  ASSERT_TRUE(one.socket.await({.input = true}));
  while (one.send(std::string(4096, 'x'))) {
  }
  ASSERT_TRUE(one.socket.await({.input = true, .room = true}));
  EXPECT_EQ(told_by(set, one), "");
  std::string taken(1 << 20, ' ');
  EXPECT_GT(::recv(one.peer.get(), taken.data(), taken.size(), 0), 0);
  EXPECT_EQ(told_by(set, one), "r.");
  ASSERT_TRUE(one.socket.await({.input = true}));
  EXPECT_EQ(told_by(set, one), "");
  say(one.peer, "input");
  EXPECT_EQ(told_by(set, one), "i.");
}

TEST(ReadySet, WhatIsNotAwaitedWaitsAndWakesNobody) {
  ReadySet set;
  Watched one(set);
  ASSERT_TRUE(one.socket.await({.input = true}));
  ASSERT_TRUE(one.socket.await({}));
  say(one.peer, "early");
  EXPECT_EQ(told_by(set, one), "");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(set.wait(20));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20)) << "nothing ends the sleep";
  ASSERT_TRUE(one.socket.await({.input = true}));
  EXPECT_EQ(told_by(set, one), "i.");
  EXPECT_EQ(one.received(), "early");
}

TEST(ReadySet, AFailureIsToldWhateverIsAwaited) {
  ReadySet set;
  Watched one(set);
  ASSERT_TRUE(one.socket.await({}));
  EXPECT_EQ(told_by(set, one), "");
  one.peer.close();
  EXPECT_EQ(told_by(set, one), "irf.");
}

TEST(ReadySet, WhoeverWasClosedMeanwhileIsToldNothing) {
  ReadySet set;
  Watched one(set);
  Watched other(set);
  for (Watched* each : {&one, &other}) {
    ASSERT_TRUE(each->socket.await({.input = true}));
    say(each->peer, "to both");
  }
  one.then = [&] { other.socket.close(); };
  other.then = [&] { one.socket.close(); };
  EXPECT_FALSE(set.wait(0));
  EXPECT_EQ(one.told + other.told, "i.") << "whoever comes first closes the other";
}

TEST(ReadySet, AReleasedSocketTellsItsNextWatcher) {
  ReadySet set;
  Watched one(set);
  ASSERT_TRUE(one.socket.await({.input = true}));
  say(one.peer, "for the next");
  Watched next(set, {one.socket.release(), Descriptor()});
  EXPECT_EQ(told_by(set, one), "");
  ASSERT_TRUE(next.socket.await({.input = true}));
  EXPECT_EQ(told_by(set, next), "i.");
  EXPECT_EQ(one.told, "");
  EXPECT_EQ(next.received(), "for the next");
}

TEST(ReadySet, IsWokenOnceForWakesBeforeAndDuringTheSleep) {
  ReadySet set;
  set.wake();
  set.wake();
  EXPECT_TRUE(set.wait(std::nullopt));
  EXPECT_FALSE(set.wait(0));
  std::jthread waker([&] { set.wake(); });
  EXPECT_TRUE(set.wait(std::nullopt));
  EXPECT_FALSE(set.wait(0));
}

TEST(ReadySet, WhatCannotBeWatchedIsTriedAgain) {
  ReadySet set;
  Watched file(set, {Descriptor(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), Descriptor()});
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(file.socket.await({.input = true}));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
