// Commands that read one thing and show it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/values.h"
#include "base/result.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/spelling.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"
#include "cli/commands/command.h"

namespace svc::cli {

[[nodiscard]] inline Answer answer_of(Reply reply, View view = {}) {
  return {.data = std::move(reply.body), .view = std::move(view), .raw = std::move(reply.raw)};
}

// Exit 5, with those that there are, if the service lists no such market. Nothing if it cannot be asked: what was read
// holds all the same.
[[nodiscard]] Result<void, Stop> check_listed(Exchange& exchange, const api::MarketId& market);

// Whether rows are what is printed, so that what only a column needs is worth asking for.
[[nodiscard]] bool shows_columns(const Context& context);

// What only a column needs; null if it cannot be read, for the rows hold all the same.
template <class Op>
[[nodiscard]] Json read_for_column(Context& context) {
  auto exchange = Exchange::open(context);
  if (!exchange) return {};
  auto reply = exchange->call(call_of<Op>());
  return reply ? std::move(reply->body) : Json();
}

// The server's clock: ours and the difference that is known, else as its latest answer had it; ours if it cannot be asked.
[[nodiscard]] TimestampMs server_now_ms(Context& context, Exchange& exchange);

// Text that a flag names: a file, or "-" for standard input.

// At most limits::input_bytes_max; `what` names the file in messages.
[[nodiscard]] Result<std::string, Failure> read_bytes(Context& context, const std::string& file, std::string_view what);
// The same without a byte order mark.
[[nodiscard]] Result<std::string, Failure> read_text(Context& context, const std::string& file, std::string_view what);

// Asking again until something is so: --wait of commands that look at one thing.

struct WaitLimit {
  std::optional<std::string> seconds;

  void declare(Arguments& arguments);  // --wait-timeout
  [[nodiscard]] Result<std::int64_t, Failure> timeout_ms() const;
};

// Whether a record that passes through states has come to its last; true of one that has none.
[[nodiscard]] bool is_final(const Json& record);

// Asks once a second until `done` is true of the answer, which is then the answer. Exit 17 with what was seen last once
// the time is over, 130 if interrupted; every other failure is as it comes, but for one that `goes_on`: not there yet.
[[nodiscard]] Result<Reply, Stop> poll(Context& context, Exchange& exchange, const WaitLimit& limit, const Call& call,
                                       const std::function<bool(const Json&)>& done,
                                       const std::function<bool(const Failure&)>& goes_on = {});

}  // namespace svc::cli
