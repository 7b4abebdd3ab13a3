// A connection that carries whole text messages both ways: a WebSocket in production, the exchange itself in
// tests. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::api {

struct LinkEvent {
  enum class Kind : std::uint8_t {
    text,
    pong,
    ended,  // the last one; `text` says why
  };
  Kind kind = Kind::text;
  std::string text{};
  std::uint16_t close_code = 0;  // of ended, if the peer gave one
};

class MessageLink {
 public:
  virtual ~MessageLink() = default;

  // False: the link has ended, and next() says why.
  virtual bool send(std::string_view text) = 0;
  virtual bool ping() = 0;
  // Says goodbye and does not wait for the answer.
  virtual void close() = 0;
  // What came, waiting at most so long; nullopt: nothing did.
  [[nodiscard]] virtual std::optional<LinkEvent> next(std::int64_t wait_ms) = 0;
};

// Why there is no link, or no answer to a question.
struct LinkRefusal {
  int status = 0;                // HTTP; 0: there was no answer
  std::string code{};            // of the refusal's body; ours if there was none
  std::string reason{};          // one line, no secrets
  bool permanent = false;        // trying again would change nothing
  std::int64_t retry_after_ms = 0;  // the earliest that makes sense; 0: nothing was said
};

}  // namespace svc::api
