// GET /_svc/stream: tells a page or a program what is new, so that it need not poll. Text frames, one JSON object each:
//
//   {"type":"timeline","entries":[...]}  as in GET /_svc/timeline, in order, none twice
//   {"type":"gap","lost":N}              the reader was too slow: so many entries were dropped before it read them
//   {"type":"status",...}                clock, bots, switches, faults and markets; first of all, and when they changed
//
// Nothing is read from the peer but the end. Entries wait in the timeline until a reader has room for them, so a slow
// reader costs no memory. While a stream is open, the timeline tells successful reads as well. (D-832)
//
// Thread-safe.
#pragma once

#include "sim/control/controlled_venue.h"
#include "sim/gateway/http_server.h"

namespace svc::limits {
inline constexpr std::size_t control_streams_max = 16;                     // per network; beyond: refused
inline constexpr std::size_t control_stream_entries_max = 200;             // of one frame
inline constexpr std::size_t control_stream_queue_bytes_max = 256 * 1024;  // waiting: a reader with more gets no news
inline constexpr std::int64_t control_stream_status_ms = 200;              // real time between two looks at the status
}  // namespace svc::limits

namespace svc::sim {

class ControlStream {
 public:
  // The venue must outlive this; this must outlive its connections.
  explicit ControlStream(const ControlledVenue& venue) : venue_(venue) {}

  // For a request that asks for a WebSocket and may have one.
  [[nodiscard]] Result<StreamOpened, api::ApiError> open(const api::HttpRequest& request, const std::string& head);

  // Sends what is new; drops readers that are gone. Called regularly, under the shared turnstile.
  void send_news();

 private:
  class Reader;
  // The status as it was when it last changed.
  struct Status {
    std::string key{};  // what a change is judged by
    std::string frame{};
  };

  [[nodiscard]] Status status_now() const;
  void leave(const Reader& reader);

  const ControlledVenue& venue_;
  std::atomic<std::size_t> seats_{0};
  Ranked<LockRank::connections> mutex_;  // guards what follows
  std::map<const Reader*, std::weak_ptr<Reader>> readers_;
  std::shared_ptr<const Status> status_;  // nullptr while nobody reads
  TimestampMs looked_ms_ = 0;             // when the status was last compared
};

}  // namespace svc::sim
