// A full-screen view: fed with news of a stream and with what REST says, painted when somebody looks.
#pragma once

#include <string>
#include <vector>

#include "api/stream_client.h"
#include "cli/json.h"
#include "cli/screens/canvas.h"

namespace svc::cli {

// A question to REST that a view wants answered again and again.
struct ViewRead {
  std::string name;
  std::int64_t every_ms = 0;
};

// How the data stands at the moment of painting.
struct ViewMoment {
  TimestampMs now_ms = 0;
  TimestampMs heard_ms = 0;  // of the stream; 0: never
  bool connected = false;
  std::string trouble{};  // why the stream or REST cannot be reached; empty if nothing is wrong
};

class View {
 public:
  virtual ~View() = default;

  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual std::vector<api::StreamKey> channels() const { return {}; }
  virtual void take(const api::StreamNews&) {}
  [[nodiscard]] virtual std::vector<ViewRead> reads() const { return {}; }
  virtual void answered(const std::string& /*name*/, const Json& /*body*/) {}
  // Lines 1 to height - 2; the frame around it has the first and the last.
  virtual void paint(Canvas& canvas, const ViewMoment& moment) const = 0;
};

}  // namespace svc::cli
