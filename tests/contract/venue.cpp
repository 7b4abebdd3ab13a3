#include "contract/venue.h"

#include <utility>

#include "base/assert.h"
#include "contract/answer_record.h"
#include "sim/services/serve.h"

namespace svc::contract {
namespace {

sim::NetworkSettings with_operator(sim::NetworkSettings settings) {
  settings.admin_secret = Secret(std::string(admin_secret));
  return settings;
}

// Streams at the bare root as well, so that every route is found where all the others are.
sim::GatewayOptions at_one_base(sim::GatewayOptions options) {
  options.bare_streams = true;
  return options;
}

}  // namespace

Venue::Venue(Handlers handlers, sim::NetworkSettings settings, sim::GatewayOptions options)
    : network(with_operator(std::move(settings))),
      gateway(clock, at_one_base(std::move(options)), {&network}),
      trader(admit('1', '2')),
      handlers_(handlers) {
  if (handlers == Handlers::answer_empty) bind_empty_answers(network.handlers);
}

Participant Venue::admit(char wallet_digit, char agent_digit) {
  const signing::PrivateKey wallet = key_of(wallet_digit);
  const signing::PrivateKey agent = key_of(agent_digit);
  const TimestampMs now_ms = clock.now_ms();
  const sim::MintedKey minted = sim::served(network.services, sim::CreateKey{.account = wallet.address()}, now_ms);
  (void)sim::served(
      network.services,
      sim::RegisterAgent{.agent = agent.address(), .account = wallet.address(), .expires_at_ms = now_ms + 30 * day_ms},
      now_ms);
  const Secret session = sim::served(network.services, sim::OpenSession{.account = wallet.address()}, now_ms);
  return {.wallet = wallet,
          .agent = agent,
          .key_id = minted.id,
          .key_secret = std::string(minted.secret.reveal()),
          .session = std::string(session.reveal())};
}

api::HttpResponse Venue::send(api::HttpRequest request, std::string_view base, std::string_view peer) {
  request.target.insert(0, base);
  const api::HttpRequest sent = request;
  int replies = 0;
  api::HttpResponse response;
  gateway.handle(std::move(request), sim::Peer{std::string(peer)}, [&](api::HttpResponse answer) {
    response = std::move(answer);
    ++replies;
  });
  SVC_ASSERT(replies == 1);
  // An exchange without handlers is none that anybody could have described.
  if (handlers_ == Handlers::answer_empty) record_answer(sent.method, sent.target, sent.body, response);
  return response;
}

api::HttpRequest Venue::authorised(const api::Operation& operation, api::HttpRequest request) {
  using enum api::Auth;
  if (operation.auth.has(hmac)) return client.with_key(std::move(request), trader);
  if (operation.auth.has(agent)) return client.with_agent(std::move(request), trader, next_nonce());
  if (operation.auth.has(bearer)) return client.with_bearer(std::move(request), trader.session);
  if (operation.auth.has(admin)) return client.with_bearer(std::move(request), admin_secret);
  if (operation.auth.has(owner_signature)) return client.with_owner_signature(std::move(request), next_nonce());
  return request;
}

std::vector<api::OperationEntry> every_operation() {
  const auto entries = api::every_operation();
  return {entries.begin(), entries.end()};
}

}  // namespace svc::contract
