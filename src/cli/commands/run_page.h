// Shows a page: on the whole terminal until q is pressed, or as plain text where there is none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/stream/stream_client.h"
#include "cli/client/context.h"
#include "cli/client/exchange_door.h"
#include "cli/terminal/canvas.h"
#include "cli/terminal/json.h"

// A page of the screen: fed with news of a stream and with what REST says, painted when somebody looks.

namespace svc::cli {

// A question to REST that a page wants answered again and again.
struct PageRead {
  std::string name;
  std::int64_t every_ms = 0;
};

// How the data stands at the moment of painting.
struct PageMoment {
  TimestampMs now_ms = 0;
  TimestampMs heard_ms = 0;  // of the stream; 0: never
  bool connected = false;
  std::string trouble{};  // why the stream or REST cannot be reached; empty if nothing is wrong
};

class Page {
 public:
  virtual ~Page() = default;

  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual std::vector<api::StreamKey> channels() const { return {}; }
  virtual void take(const api::StreamNews&) {}
  [[nodiscard]] virtual std::vector<PageRead> reads() const { return {}; }
  virtual void answered(const std::string& /*name*/, const Json& /*body*/) {}
  // Lines 1 to height - 2; the frame around it has the first and the last.
  virtual void paint(Canvas& canvas, const PageMoment& moment) const = 0;
};

struct PageTerms {
  bool full_screen = false;
  std::optional<std::int64_t> for_ms{};
  std::optional<std::uint64_t> frames{};  // plain text: so many pictures, then the end
};

// The questions a page may name in its reads: positions, account, orders, limits, tickers, trades (of `market`).
[[nodiscard]] Result<Answer, Stop> run_page(Context& context, ExchangeDoor& door, Page& page, const std::string& market,
                                            const PageTerms& terms);

}  // namespace svc::cli
