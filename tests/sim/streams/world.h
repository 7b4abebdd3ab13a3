// An exchange with its streams and their clients, without sockets and threads, on a manual clock.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/cpp17/ws_codec.h"
#include "base/clock.h"
#include "sim/exchange.h"
#include "sim/gateway/gateway.h"
#include "sim/sequencer/sandbox_clock.h"

namespace svc::sim::streams_test {

using Json = nlohmann::ordered_json;

// The server's side of a connection. A stalled one keeps what it is sent and never drains. What is posted runs when the
// client does something next: whoever posts may hold locks.
class FakeStream final : public ByteStream {
 public:
  using ByteStream::send;
  void send(SharedBytes bytes) override;
  [[nodiscard]] std::size_t queued_bytes() const override {
    return std::exchange(empties_meanwhile, false) ? std::exchange(queued_, 0) : queued_;
  }
  void post(std::function<void()> task) override { posted_.push_back(std::move(task)); }
  void close() override { closed = true; }
  void abort() override { aborted = true; }

  void run_posted();

  bool stalled = false;
  mutable bool empties_meanwhile = false;  // the queue, right after the next look at it
  bool closed = false;
  bool aborted = false;
  std::size_t sends = 0;
  std::string waiting;  // not read by the peer yet

 private:
  friend class Client;
  mutable std::size_t queued_ = 0;
  std::vector<std::function<void()>> posted_;
};

// A client with its own WebSocket codec.
class Client {
 public:
  Client(const std::string& target, const std::string& address);

  [[nodiscard]] const std::string& head() const { return head_; }
  [[nodiscard]] const api::HttpRequest& request() const { return request_; }
  // Before it is opened: a handshake with other text in place of some.
  void spoil(const std::string& text, const std::string& other);
  void opened(const StreamOpened& open);

  void say(const Json& frame) { say_text(frame.dump()); }
  void say_text(const std::string& text);
  void say_binary(const std::string& bytes);
  void ask_for_pong();
  // All messages since the last call.
  [[nodiscard]] std::vector<Json> heard();
  // Those of them with this member.
  [[nodiscard]] std::vector<Json> heard(const std::string& member, const std::string& value);
  // The close code sent by the server.
  [[nodiscard]] std::optional<std::uint16_t> close_code();
  [[nodiscard]] std::size_t pings() const { return pings_; }

  void stall() { stream_->stalled = true; }
  // The server's queue became empty; what is sent from now on stalls again.
  void take_queue();
  // Reads everything pending.
  void catch_up();
  void server_stops();
  // Breaks the connection.
  void vanish();

  [[nodiscard]] FakeStream& stream() { return *stream_; }

 private:
  void read();

  api::WsCodec codec_;
  std::string head_;
  api::HttpRequest request_;
  std::shared_ptr<FakeStream> stream_ = std::make_shared<FakeStream>();
  std::shared_ptr<ByteStreamEvents> events_;
  std::vector<Json> messages_;
  std::optional<std::uint16_t> close_code_;
  std::size_t pings_ = 0;
};

class StreamWorld {
 public:
  // The clock is stopped unless the options say otherwise. Without a log the exchange lives in memory.
  explicit StreamWorld(SandboxOptions options = {}, api::NetworkId network = api::NetworkId::local,
                       const Exchange::OpenLog& open_log = nullptr);
  // Options of a sandbox whose clock runs.
  [[nodiscard]] static SandboxOptions with_running_clock();

  // Opens a stream, or returns status and code of the refusal.
  struct Opening {
    std::unique_ptr<Client> client;
    int status = 101;
    std::string code;
  };
  [[nodiscard]] Opening open(const std::string& target, const std::string& address = "127.0.0.1") {
    return open(std::make_unique<Client>(target, address), address);
  }
  [[nodiscard]] Opening open(std::unique_ptr<Client> client, const std::string& address = "127.0.0.1");
  // /ws with a new token of that account, which must be accepted.
  [[nodiscard]] std::unique_ptr<Client> account_stream(const Address& account,
                                                       const std::string& address = "127.0.0.1");
  [[nodiscard]] std::unique_ptr<Client> public_stream();
  [[nodiscard]] std::string token(const Address& account, StreamChannels channels = StreamChannels::all);

  // Applies a command to the services, which must accept it.
  template <class Command>
  ValueOf<Command> served(Command command) {
    auto applied = exchange.sequencer().submit(ServiceCommand(std::move(command)));
    const bool accepted = applied && applied->value;
    EXPECT_TRUE(accepted);
    return accepted ? std::get<ValueOf<Command>>(std::move(*applied->value)) : ValueOf<Command>{};
  }
  void set_tier(const Address& account, api::Tier tier);

  // Order of `lots` thousandths of a bitcoin at `price` USDX.
  engine::OrderId limit(const Address& account, engine::Side side, std::int64_t lots, std::int64_t price);
  void cancel_all(const Address& account);
  // One oracle price, index and mark.
  void price(std::int64_t usdx);
  void trade(std::int64_t lots, std::int64_t price);
  // Dispatches events; while the clock is stopped this has already happened. Whether a reader got anything.
  bool dispatch() { return exchange.streams().dispatch(); }
  // Expires once all that the streams have to send by now was delivered.
  [[nodiscard]] std::weak_ptr<int> until_delivered() {
    const auto hold = std::make_shared<int>(0);
    exchange.streams().when_delivered(hold);
    return hold;
  }
  // Moves the clock and does what is due.
  void pass(std::int64_t ms);

  // The sandbox's clock.
  class StreamWorldClock {
   public:
    [[nodiscard]] TimestampMs now_ms() const { return sandbox.now_ms(); }
    void advance(std::int64_t ms);
    SandboxClock sandbox;
  };

  ManualClock machine{1'000'000};
  StreamWorldClock clock;
  const std::unique_ptr<Exchange> opened_;
  Exchange& exchange;
  Gateway gateway;
  Address alice;
  Address bob;
};

inline const std::string btc = "BTC-USDX-PERP";
[[nodiscard]] Json subscribe(const std::string& channel, const Json& market = nullptr);

}  // namespace svc::sim::streams_test
