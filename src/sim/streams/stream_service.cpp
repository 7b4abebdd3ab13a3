#include "sim/streams/stream_service.h"

#include <chrono>
#include <thread>

#include "api/openapi.h"
#include "api/tiers.h"
#include "base/encoding.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/request_context.h"
#include "sim/gateway/version_gate.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using api::refused;

constexpr std::string_view websocket_version = "13";
constexpr std::size_t websocket_key_bytes = 16;

// RFC 6455, section 4.2.1. Checked before a token is spent.
std::optional<ApiError> refusal_of_handshake(RequestContext& context) {
  const api::Headers& headers = context.request.headers;
  if (context.upgrade_head == nullptr || !is_websocket_upgrade(headers)) {
    context.response.headers.set("Upgrade", "websocket");
    return ApiError(ErrorCode::upgrade_required);
  }
  const SingleHeader version = single_header(headers, "Sec-WebSocket-Version");
  if (version.state != SingleHeader::State::present || version.value != websocket_version) {
    context.response.headers.set("Upgrade", "websocket");
    context.response.headers.set("Sec-WebSocket-Version", websocket_version);
    return ApiError(ErrorCode::upgrade_required, "The handshake needs one Sec-WebSocket-Version, and it is 13");
  }
  const SingleHeader key = single_header(headers, "Sec-WebSocket-Key");
  const auto bytes = key.state == SingleHeader::State::present ? parse_base64(key.value) : std::nullopt;
  if (!bytes || bytes->size() != websocket_key_bytes)
    return ApiError(ErrorCode::bad_request, "The handshake needs one Sec-WebSocket-Key: 16 bytes in Base64");
  // The connection's codec reads this head again, and must not refuse it then.
  api::WsCodec trial = api::WsCodec::server({});
  trial.feed(*context.upgrade_head);
  if (trial.open()) return std::nullopt;
  return ApiError(ErrorCode::bad_request, "The handshake is a GET with a Host, and its extensions follow RFC 6455");
}

template <class Op>
void bind_stream(NetworkInstance& network, StreamService& streams, StreamService::Kind kind) {
  network.handlers.bind<Op>(
      [&streams, kind](RequestContext& context, const typename Op::Request& request) -> Answer<Op> {
        if (auto refused = refusal_of_handshake(context)) return unexpected(std::move(*refused));
        context.opened = SVC_TRY(streams.open(context, kind, request.token));
        return api::Empty{};
      });
}

}  // namespace

StreamService::StreamService(StreamSources sources, NetworkInstance& network, Sequencer& sequencer,
                             const Clock& machine)
    : network_(network), sequencer_(sequencer), hub_(std::move(sources)), machine_(machine) {}

std::optional<StreamFault> StreamService::next_fault(const StreamOpening& reader) const {
  if (faults_ == nullptr) return std::nullopt;
  const FaultSubject subject{.operation = reader.operation, .path = reader.operation.path, .account = reader.account};
  const auto fault = faults_->streaming(subject);
  if (fault && network_.witness != nullptr) network_.witness->stream_fault(subject, *fault, hub_.now_ms());
  return fault;
}

void StreamService::forget(const StreamConnection& connection) {
  const StreamOpening& opening = connection.opening();
  if (!opening.public_only) {
    const std::lock_guard lock(present_mutex_);
    const auto open = present_.find(*opening.account);
    SVC_ASSERT(open != present_.end());
    if (--open->second == 0) {
      present_.erase(open);
      note(*opening.account, false, hub_.now_ms());
    }
  }
  const std::lock_guard lock(mutex_);
  connections_.erase(&connection);
  hub_.intake().set_heard(!connections_.empty());
}

// The account stream requires a token. The public one does not, but a given one must be valid. (D-345)
Result<StreamOpened, ApiError> StreamService::open(RequestContext& context, Kind kind,
                                                   const std::optional<std::string>& token) {
  if (network_.is_cut_off())
    return refused(ErrorCode::service_unavailable, "this node has lost the others, and would show nothing new");
  std::optional<StreamGrant> grant;
  if (token) {
    auto redeemed = serve(context, RedeemStreamToken{token_hash(*token)});
    if (!redeemed && redeemed.error().code == ErrorCode::unauthorized)
      return unexpected(context.refuse_credential(AuthFault::unknown_stream_token));
    grant = SVC_TRY(std::move(redeemed)).value;
  }
  if (!grant && kind == Kind::account) return unexpected(context.refuse_credential(AuthFault::missing_credential));
  std::optional<Address> account;
  if (grant) account = grant->account;
  const StreamCeilings ceilings = ceilings_of(account);
  if (account) context.token_tier = tier_of(account);
  auto seat = census_.admit(account, context.client_address, ceilings, machine_.now_ms());
  if (!seat) return refused(ErrorCode::ws_conn_limit_exceeded, seat.error() + (token ? "; the token is spent" : ""));
  // Only streams for account events count as presence.
  const bool public_only = kind != Kind::account || grant->channels == StreamChannels::public_only;
  const auto make = kind == Kind::account ? account_stream : public_stream;
  std::vector<std::pair<std::string, std::string>> headers;
  for (const api::Header& field : context.response.headers) headers.emplace_back(field.name, field.value);
  const StreamOpening opening{.operation = *context.operation,
                              .head = *context.upgrade_head,
                              .headers = std::move(headers),
                              .seat = *std::move(seat),
                              .ceilings = ceilings,
                              .account = account,
                              .public_only = public_only,
                              .by = grant ? grant->by : Entitlements{}};
  return StreamOpened([this, make, opening](std::shared_ptr<ByteStream> bytes) {
    const std::shared_ptr<StreamConnection> connection = make(*this, opening, std::move(bytes));
    if (!opening.public_only) {
      const std::lock_guard lock(present_mutex_);
      if (++present_[*opening.account] == 1) note(*opening.account, true, hub_.now_ms());
    }
    {
      const std::lock_guard lock(mutex_);
      connections_.emplace(connection.get(), connection);
      hub_.intake().set_heard(true);
    }
    connection->begin();
    return std::shared_ptr<ByteStreamEvents>(connection);
  });
}

void StreamService::run(const std::stop_token& stop) {
  while (!stop.stop_requested() && hub_.intake().wait(stop)) {
    const bool was_sent = hub_.dispatch();
    // While nobody reads a stream, the intake alone gathers events.
    if (const std::lock_guard lock(mutex_); connections_.empty()) continue;
    // Gathers events for a moment: fewer, larger writes, and fewer wake-ups by the writer. After events that
    // nobody heard it is shorter: readers may wait for the next ones.
    std::this_thread::sleep_for(was_sent ? std::chrono::milliseconds(limits::stream_pass_ms)
                                         : std::chrono::microseconds(limits::stream_unheard_us));
  }
}

std::vector<std::shared_ptr<StreamConnection>> StreamService::open_connections() {
  std::vector<std::shared_ptr<StreamConnection>> open;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, weak] : connections_)
    if (auto connection = weak.lock()) open.push_back(std::move(connection));
  return open;
}

void StreamService::end_all(const std::string& why) {
  for (const auto& connection : open_connections()) connection->go_away(why);
}

void StreamService::look_after() {
  const TimestampMs now = machine_.now_ms();
  for (const auto& connection : open_connections()) {
    (void)connection->ends_revoked();
    connection->look_after(now);
  }
  hub_.dispatch();
  // If the clock is stopped, whoever moves it triggers this.
  if (clock_was_moved_.exchange(false) || !hub_.clock_stands()) hub_.pass_time();
}

void bind_streams(NetworkInstance& network, StreamService& streams, const api::ApiVersion& version) {
  bind_stream<api::ops::AccountStream>(network, streams, StreamService::Kind::account);
  bind_stream<api::ops::PublicStream>(network, streams, StreamService::Kind::open_to_all);
  const std::string title = network.settings.domain_name;
  network.serve_document("/asyncapi.json", [title, version](RequestContext& context) -> Result<void, api::ApiError> {
    context.response.body = api::async_api_document(title, version, request_authority(context.request.headers));
    return {};
  });
}

void StreamService::note_all() const {
  const std::lock_guard lock(present_mutex_);
  const TimestampMs now_ms = hub_.now_ms();
  for (const auto& [account, open] : present_) note(account, true, now_ms);
}

}  // namespace svc::sim
