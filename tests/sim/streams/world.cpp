#include "sim/streams/world.h"

#include "http/request_of_head.h"

namespace svc::sim::streams_test {

using namespace engine;

void FakeStream::send(SharedBytes bytes) {
  ++sends;
  waiting.append(*bytes);
  if (stalled) queued_ += bytes->size();
}

void FakeStream::run_posted() {
  while (!posted_.empty())
    for (const auto& task : std::exchange(posted_, {})) task();
}

Client::Client(const std::string& target, const std::string&)
    : codec_(api::WsCodec::client({.uri = "ws://localhost" + target})),
      head_(codec_.take_output()),
      request_(test::request_of_head(head_)) {}

void Client::spoil(const std::string& text, const std::string& other) {
  const auto at = head_.find(text);
  ASSERT_NE(at, std::string::npos) << head_;
  head_.replace(at, text.size(), other);
  request_ = test::request_of_head(head_);
}

void Client::opened(const StreamOpened& open) {
  events_ = open(stream_);
  read();
}

void Client::say_text(const std::string& text) {
  EXPECT_TRUE(codec_.send_text(text));
  events_->received(codec_.take_output());
  read();
}

void Client::say_binary(const std::string& bytes) {
  EXPECT_TRUE(codec_.send_binary(bytes));
  events_->received(codec_.take_output());
  read();
}

void Client::ask_for_pong() {
  EXPECT_TRUE(codec_.ping(std::string(125, 'x')));
  events_->received(codec_.take_output());
  stream_->run_posted();
}

void Client::read() {
  stream_->run_posted();
  if (stream_->stalled) return;
  codec_.feed(std::exchange(stream_->waiting, {}));
  for (const api::WsEvent& event : codec_.take_events()) {
    if (event.kind == api::WsEvent::Kind::text) messages_.push_back(Json::parse(event.payload));
    if (event.kind == api::WsEvent::Kind::closed) close_code_ = event.close_code;
  }
  // Pongs and the answer to a close.
  if (const std::string answer = codec_.take_output(); !answer.empty() && events_) {
    ++pings_;
    events_->received(answer);
  }
}

std::vector<Json> Client::heard() {
  read();
  return std::exchange(messages_, {});
}

std::vector<Json> Client::heard(const std::string& member, const std::string& value) {
  std::vector<Json> found;
  for (Json& message : heard())
    if (message.contains(member) && message[member] == value) found.push_back(std::move(message));
  return found;
}

std::optional<std::uint16_t> Client::close_code() {
  read();
  return close_code_;
}

void Client::take_queue() {
  stream_->queued_ = 0;
  events_->drained();
}

void Client::catch_up() {
  stream_->run_posted();
  stream_->stalled = false;
  stream_->queued_ = 0;
  read();
  events_->drained();
  read();
}

void Client::server_stops() {
  events_->stopping();
  read();
}

void Client::vanish() {
  stream_->run_posted();
  if (auto events = std::exchange(events_, nullptr)) events->closed();
}

namespace {

std::unique_ptr<Exchange> open_exchange(const SandboxOptions& options, api::NetworkId network,
                                        const Exchange::OpenLog& open_log, SandboxClock& clock, const Clock& machine) {
  auto exchange = Exchange::open(options, network, open_log, clock, machine);
  EXPECT_TRUE(exchange) << exchange.error();
  EXPECT_TRUE((*exchange)->begin(Exchange::Part::alone, ""));
  return std::move(*exchange);
}

}  // namespace

SandboxOptions StreamWorld::with_running_clock() {
  SandboxOptions options;
  options.clock = {.mode = ClockMode::real};
  options.clock_given = true;
  return options;
}

void StreamWorld::pass(std::int64_t ms) {
  clock.advance(ms);
  exchange.sequencer().pass_time();
  exchange.streams().hub().pass_time();
}

void StreamWorld::StreamWorldClock::advance(std::int64_t ms) {
  EXPECT_TRUE(sandbox.move({.advance_ms = ms}));
}

StreamWorld::StreamWorld(SandboxOptions options, api::NetworkId network, const Exchange::OpenLog& open_log)
    : clock{SandboxClock(machine, options.clock_given ? options.clock : ClockPace{.mode = ClockMode::manual},
                         1'800'000'000'000)},
      opened_(open_exchange(options, network, open_log, clock.sandbox, machine)),
      exchange(*opened_),
      gateway(clock.sandbox, {}, {&exchange.network()}) {
  exchange.streams().set_faults(gateway.faults());
  if (exchange.accounts().size() > 1) {
    alice = exchange.accounts()[0].address;
    bob = exchange.accounts()[1].address;
  }
}

StreamWorld::Opening StreamWorld::open(std::unique_ptr<Client> client, const std::string& address) {
  Opening result{.client = std::move(client), .code = ""};
  gateway.upgrade(api::HttpRequest(result.client->request()), result.client->head(), Peer{address},
                  {.refuse =
                       [&](const api::HttpResponse& response) {
                         result.client = nullptr;
                         result.status = response.status;
                         result.code = Json::parse(response.body).value("code", "");
                       },
                   .accept = [&](const StreamOpened& opened) { result.client->opened(opened); }});
  return result;
}

std::unique_ptr<Client> StreamWorld::account_stream(const Address& account, const std::string& address) {
  auto opening = open("/v1/ws?token=" + token(account), address);
  EXPECT_TRUE(opening.client) << opening.status << ' ' << opening.code;
  return std::move(opening.client);
}

std::unique_ptr<Client> StreamWorld::public_stream() {
  auto opening = open("/v1/stream");
  EXPECT_TRUE(opening.client) << opening.status << ' ' << opening.code;
  return std::move(opening.client);
}

std::string StreamWorld::token(const Address& account, StreamChannels channels) {
  return std::string(served(MintStreamToken{.grant = {.account = account, .channels = channels}}).reveal());
}

void StreamWorld::set_tier(const Address& account, api::Tier tier) {
  (void)served(AssignTier{.account = account, .tier = tier});
  exchange.network().fill_budgets(account);
}

OrderId StreamWorld::limit(const Address& account, Side side, std::int64_t lots, std::int64_t usdx) {
  OrderParams params;
  params.side = side;
  params.quantity = {.value = Lots{lots}, .grid = Grid::on};
  params.price = {.value = Ticks{usdx * 2}, .grid = Grid::on};
  const auto applied = exchange.sequencer().submit(PlaceOrder{.account = account, .params = params});
  EXPECT_TRUE(applied && applied->outcome.ok());
  return applied->outcome.orders.front().order.id;
}

void StreamWorld::cancel_all(const Address& account) {
  EXPECT_TRUE(exchange.sequencer().submit(CancelAll{.account = account}));
}

void StreamWorld::price(std::int64_t usdx) {
  OracleTick tick;
  tick.prices.push_back({.market = {}, .index = Ticks{usdx * 2}, .mark = Ticks{usdx * 2}});
  EXPECT_TRUE(exchange.sequencer().submit(std::move(tick)));
}

void StreamWorld::trade(std::int64_t lots, std::int64_t usdx) {
  limit(alice, Side::sell, lots, usdx);
  limit(bob, Side::buy, lots, usdx);
}

Json subscribe(const std::string& channel, const Json& market) {
  return {{"op", "subscribe"}, {"channel", channel}, {"market", market}};
}

}  // namespace svc::sim::streams_test
