// The body of a control request: one flat JSON object, read strictly. Numbers keep their text, so no
// price or amount passes through a double.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "api/http_message.h"
#include "base/result.h"
#include "base/secret.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {

// The refusal of a body that is not what the request takes.
[[nodiscard]] inline api::ApiError bad_body(std::string why) {
  return api::ApiError(api::ErrorCode::invalid_json, std::move(why));
}

class ControlBody {
 public:
  enum class Kind : std::uint8_t { text, number, boolean, null };
  struct Value {
    Kind kind = Kind::null;
    std::string text;  // of a string its content, of a number its spelling
  };
  using Member = std::pair<std::string, Value>;

  // The error is one sentence. Refused: anything but one object, members within members, a name twice.
  [[nodiscard]] static Result<ControlBody, std::string> parse(std::string_view json);

  // In the order sent.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  // The first member that is none of these, as an error.
  [[nodiscard]] Result<void, std::string> only(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] Result<std::string, std::string> text(std::string_view name) const;
  [[nodiscard]] Result<std::int64_t, std::string> integer(std::string_view name) const;
  [[nodiscard]] Result<bool, std::string> flag(std::string_view name) const;
  // A string or a number, as its text: "60000" and 60000 are one decimal.
  [[nodiscard]] Result<std::string, std::string> decimal(std::string_view name) const;

 private:
  [[nodiscard]] const Value* find(std::string_view name) const;

  std::vector<Member> members_;
};

// Who may use the control surface: programs on this machine, and whoever knows the token if there is one.

struct ControlAccess {
  Secret token;                  // empty: loopback peers only
  std::string client_ip_header;  // of a proxy in front; empty: none

  // Whoever brings the token, or a program on this machine. A web page that the user happens to have open also
  // speaks from this machine, and needs the token: its browser says Origin, or at least Sec-Fetch-Site, and
  // a page whose name was re-pointed here says that name as its Host. (D-264)
  [[nodiscard]] bool admits(const api::Headers& headers, std::string_view peer_address) const;
};

// 127.0.0.0/8 and ::1, also when mapped into IPv6.
[[nodiscard]] bool is_loopback(std::string_view address);

// Entries of the request log as text: for the terminal, for log collectors, for GET /_svc/requests.

enum class LogStyle : std::uint8_t { none, pretty, json, failed };  // failed: pretty, refusals only

// One JSON object without line feed; what does not apply is null.
[[nodiscard]] std::string json_line(const RequestLogEntry& entry);

// "12:00:00.000 401 GET /orders hmac: unauthorized, timestamp_outside_window (31000 ms behind the server)"
[[nodiscard]] std::string pretty_line(const RequestLogEntry& entry);

// Follows a request log from where it stood last. Not thread-safe.
class RequestFollower {
 public:
  RequestFollower(const RequestLog& log, LogStyle style) : log_(log), style_(style) {}

  // The lines added since the last call, each with its line feed; says how many were lost in between.
  [[nodiscard]] std::string new_lines();

 private:
  const RequestLog& log_;
  LogStyle style_;
  std::uint64_t seen_ = 0;
};

}  // namespace svc::sim
