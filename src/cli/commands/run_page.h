// Pages of the screen: fed with stream news and answers of REST, painted ten times a second.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/stream/stream_client.h"
#include "cli/client/context.h"
#include "cli/client/exchange_door.h"
#include "cli/terminal/canvas.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// A read that is repeated for a page. Its name is positions, account, orders, limits, fills, tickers or trades.
struct PageRead {
  std::string name;
  std::int64_t every_ms = 0;  // 0: read once
};

struct PageMoment {
  TimestampMs now_ms = 0;
  TimestampMs heard_ms = 0;  // of the stream; 0: never
  bool connected = false;
  std::string trouble{};  // why the stream or REST cannot be reached
};

class Page {
 public:
  virtual ~Page() = default;

  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual std::vector<api::StreamKey> channels() const { return {}; }
  virtual void take(const api::StreamNews&) {}
  [[nodiscard]] virtual std::vector<PageRead> reads() const { return {}; }
  virtual void answered(const std::string& /*name*/, const Json& /*body*/) {}
  // Paints lines 1 to height - 2; the first and the last belong to the frame.
  virtual void paint(Canvas& canvas, const PageMoment& moment) const = 0;
};

// What the user's locale can show.
[[nodiscard]] Glyphs glyphs_here(const Environment& environment);

struct PageTerms {
  bool full_screen = false;
  std::optional<std::int64_t> for_ms{};
  std::optional<std::uint64_t> frames{};  // plain text: ends after so many pictures
};

// Shows a page on the whole terminal until q is pressed, or as plain text. `market` is that of its trades.
[[nodiscard]] Result<Answer, Failure> run_page(Context& context, ExchangeDoor& door, Page& page,
                                               const std::string& market, const PageTerms& terms);

}  // namespace svc::cli
