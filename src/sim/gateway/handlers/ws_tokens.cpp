// Tokens of the streams.

#include "api/ops/streams.h"
#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

using namespace api;

template <class Op>
Answer<Op> mint(RequestContext& context, StreamChannels channels) {
  const StreamGrant grant{.account = context.caller().account, .channels = channels};
  return StreamToken{.token = context.network->stream_tokens.mint(grant, context.now_ms)};
}

}  // namespace

void bind_stream_tokens(NetworkInstance& network) {
  network.handlers.bind<ops::MintStreamToken>(
      [](RequestContext& context, const Empty&) { return mint<ops::MintStreamToken>(context, StreamChannels::all); });
  network.handlers.bind<ops::MintPublicStreamToken>([](RequestContext& context, const Empty&) {
    return mint<ops::MintPublicStreamToken>(context, StreamChannels::public_only);
  });
}

}  // namespace svc::sim
