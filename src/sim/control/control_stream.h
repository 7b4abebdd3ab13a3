// GET /_svc/stream: tells a page or a program what is new, so that it need not poll. Text frames, one JSON object each:
//
//   {"type":"timeline","entries":[...]}  as in GET /_svc/timeline, in order, none twice
//   {"type":"gap","lost":N}              the reader was too slow: so many entries were dropped before it read them
//   {"type":"status",...}                clock, bots, switches, faults and markets; first of all, and when they changed
//   {"type":"tickers","tickers":{...}}   by market, as in GET /tickers: all at first, then those that changed
//   {"type":"state","watch":N,"status":200,"body":...}
//                                        what the peer watches: at once, and whenever it is another
//
// A peer watches what a GET of the API or of the control surface answers: {"watch":N,"path":"/_svc/coverage"}, with
// "account" for what belongs to a development account; {"watch":N} ends it. That is no request: nobody is charged, and
// neither log, coverage nor timeline tell of it. (D-833)
//
// Entries wait in the timeline until a reader has room for them, and of everything else only the newest is sent, so a
// slow reader costs no memory. While a stream is open, the timeline tells successful reads as well. (D-832)
//
// Thread-safe.
#pragma once

#include <compare>

#include "sim/control/controlled_venue.h"
#include "sim/gateway/http_server.h"

namespace svc::limits {
inline constexpr std::size_t control_streams_max = 16;                     // per network; beyond: refused
inline constexpr std::size_t control_stream_entries_max = 200;             // of one frame
inline constexpr std::size_t control_stream_queue_bytes_max = 256 * 1024;  // waiting: a reader with more gets no news
inline constexpr std::int64_t control_stream_look_ms = 200;                // real time between two looks at the venue
inline constexpr std::size_t control_stream_watches_max = 16;              // of one stream; beyond: refused
}  // namespace svc::limits

namespace svc::sim {

// What somebody watches.
struct WatchedState {
  std::string target{};  // path and query of the read
  std::optional<Address> account{};

  auto operator<=>(const WatchedState&) const = default;
};
// The body of the answer. Called under the shared turnstile.
using ReadState = std::function<Result<std::string, api::ApiError>(const WatchedState&)>;

class ControlStream {
 public:
  // The venue must outlive this; this must outlive its connections.
  ControlStream(const ControlledVenue& venue, ReadState read) : venue_(venue), read_(std::move(read)) {}

  // For a request that asks for a WebSocket and may have one.
  [[nodiscard]] Result<StreamOpened, api::ApiError> open(const api::HttpRequest& request, const std::string& head);

  // Sends what is new; drops readers that are gone. Called regularly, under the shared turnstile.
  void send_news();

 private:
  class Reader;
  // Something as it was when it last changed.
  struct Told {
    std::string key{};  // what a change is judged by
    std::string text{};
  };
  using Shared = std::shared_ptr<const Told>;
  struct News {
    Shared status{};
    std::vector<Shared> tickers{};  // by market: "BTC-USDX-PERP":{...}
    std::map<WatchedState, Shared> states{};
  };

  [[nodiscard]] static Told told_of(const Result<std::string, api::ApiError>& body);
  [[nodiscard]] Told status_now() const;
  [[nodiscard]] std::vector<Told> tickers_now() const;
  [[nodiscard]] Shared state_now(const WatchedState& state) const {
    return std::make_shared<const Told>(told_of(read_(state)));
  }
  // Compares everything with `before`, which may be nullptr.
  [[nodiscard]] std::shared_ptr<const News> look(const News* before, std::span<const WatchedState> watched) const;
  void watch(const WatchedState& state) {
    const std::lock_guard lock(mutex_);
    ++watched_[state];
  }
  void unwatch(const WatchedState& state) {
    const std::lock_guard lock(mutex_);
    if (const auto found = watched_.find(state); --found->second == 0) watched_.erase(found);
  }
  void leave(const Reader& reader) {
    const std::lock_guard lock(mutex_);
    readers_.erase(&reader);
  }

  const ControlledVenue& venue_;
  const ReadState read_;
  std::atomic<std::size_t> seats_{0};
  Ranked<LockRank::connections> mutex_;  // guards what follows
  std::map<const Reader*, std::weak_ptr<Reader>> readers_;
  std::map<WatchedState, std::size_t> watched_;  // by how many readers
  std::shared_ptr<const News> news_;             // nullptr while nobody reads
  TimestampMs looked_ms_ = 0;
};

}  // namespace svc::sim
