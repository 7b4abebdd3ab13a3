// The order book of one market from a stream: the newest whole book, or the reason why there is none to trust.
// Nothing from before a gap, a lost connection or an inconsistent book is shown.
//
// Invariants of a book returned by read()
//   (L1) every price and size is above zero; bids fall, asks rise, and the best bid is below the best ask
//   (L2) it came whole in one event, and no newer one was seen
//   (L3) the connection it came from was alive at most stream_limits::silence_ms_max ago
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/stream/stream_client.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/result.h"

namespace svc::api {

struct BookLevel {
  Decimal price;
  Decimal size;
};

struct BookSnapshot {
  std::vector<BookLevel> bids;  // best first
  std::vector<BookLevel> asks;
  std::uint64_t nonce = 0;  // counts the changes of the book, as the server does
  TimestampMs at_ms = 0;    // the server's time
};

class LiveBook {
 public:
  explicit LiveBook(std::string market) : market_(std::move(market)) {}

  // News of a stream client; those about other channels are ignored.
  void take(const StreamNews& news);

  // `heard_ms` is when the server was last heard, on the clock of `now_ms`. The error says why there is no book to
  // trust.
  [[nodiscard]] Result<const BookSnapshot*, std::string> read(TimestampMs now_ms, TimestampMs heard_ms) const;

 private:
  void doubt(std::string reason);

  std::string market_;
  std::optional<BookSnapshot> book_;
  std::string doubt_ = "no book has come yet";  // while there is none
};

// A book in the format of REST and the stream: {"bids":[[price, size]...], "asks":..., "nonce", ...}. The error
// says what violates (L1).
[[nodiscard]] Result<BookSnapshot, std::string> read_book(std::string_view payload);

}  // namespace svc::api
