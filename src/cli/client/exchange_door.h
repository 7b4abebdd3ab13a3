// The two streams of a network. The account stream as a stream client wants it: a token for each connection and what
// REST knows, with the credential and the network of a command.
//
// One thread at a time, the one of its context. For a second thread make a second context.
#pragma once

#include <memory>

#include "api/stream/stream_client.h"
#include "cli/client/exchange.h"

namespace svc::cli {

class ExchangeDoor final : public api::StreamDoor {
 public:
  // `context` outlives this.
  static Result<std::unique_ptr<ExchangeDoor>> make(Context& context);
  ExchangeDoor(Context& context, Exchange exchange) : context_(context), exchange_(std::move(exchange)) {}

  Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open() override;
  Result<std::string, api::LinkRefusal> newest_row(const api::StreamKey& key) override;
  Result<api::StreamRows, api::LinkRefusal> rows_after(const api::StreamKey& key,
                                                       const std::optional<std::string>& row_id) override;
  void pause(std::int64_t ms) override { context_.environment().sleep_ms(ms); }

  // The newest rows, oldest first; of channels whose rows have ids.
  Result<std::vector<Json>, api::LinkRefusal> newest_rows(const api::StreamKey& key, std::uint32_t rows);

  [[nodiscard]] Exchange& exchange() { return exchange_; }
  // Why the last of the calls above failed, as a command reports it.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  [[nodiscard]] api::LinkRefusal refused(const Failure& why);
  Result<Reply, api::LinkRefusal> ask(Call call);
  Result<void, api::LinkRefusal> add_open_orders(api::StreamRows& found);

  Context& context_;
  Exchange exchange_;
  bool tried_ = false;  // to open a stream
  std::optional<Failure> failure_;
};

// Why a stream could not be opened, for its client and as a command reports it.
struct NotOpened {
  api::LinkRefusal refusal;
  Failure failure;
};

enum class StreamOf : std::uint8_t { everybody, account };  // account: takes a token for each connection
enum class Opening : std::uint8_t { first, again };
// A connection to one of the two streams of the exchange's network, at the base in use. If that cannot be reached or
// has no room, at the next one that has. `again`: begins with the next base, for the one in use may be gone. (D-864)
Result<std::unique_ptr<api::MessageLink>, NotOpened> open_stream(Context& context, Exchange& exchange, StreamOf whose,
                                                                 Opening opening);

// A fresh token. `legacy`: one of POST /ws-tokens, for public channels alone.
enum class TokenKind : std::uint8_t { account, legacy };
Result<Secret> mint_stream_token(Exchange& exchange, TokenKind kind);

// Whether the end of an account stream opened now may cancel the account's orders: unless it is known that
// cancel-on-disconnect is off, or that another stream is open.
[[nodiscard]] bool end_of_stream_may_cancel(Exchange& exchange);
// A notice of what the end of a stream may do, before a command opens one.
void warn_of_cancel_on_disconnect(Context& context, Exchange& exchange);

}  // namespace svc::cli
