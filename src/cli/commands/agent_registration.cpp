#include "cli/commands/agent_registration.h"

#include <algorithm>

#include "api/ops/agents.h"
#include "base/clock.h"
#include "base/limits.h"
#include "cli/commands/write_flags.h"
#include "cli/exchange/signed_note.h"
#include "cli/secrets/wallet_store.h"
#include "signing/register_agent.h"

namespace svc::cli {

Result<AgentRecord, Failure> known_agent(Context& context, const std::string& network,
                                         const std::string& name_or_address) {
  const auto paths = SVC_TRY(context.paths());
  const auto records = SVC_TRY(list_agents(*paths, network));
  const auto address = parse_address(name_or_address);
  for (const AgentRecord& record : records) {
    if (address ? record.address == *address : record.wallet == name_or_address) return record;
  }
  if (address) return AgentRecord{.address = *address, .wallet = {}};
  const auto wallet = SVC_TRY(find_wallet(*paths, network, name_or_address));
  return AgentRecord{.address = wallet.address, .wallet = wallet.name};
}

Result<Reply, Stop> register_agent(Context& context, Exchange& exchange, AgentRecord agent, std::int64_t lifetime_ms,
                                   std::optional<std::string> label, const PlainWrite& write) {
  const auto owner = exchange.registrar();
  if (!owner) return unexpected(owner.error());
  context.facts().account = to_string(owner->account);
  if (!label && !agent.wallet.empty()) label = agent.wallet;
  const auto facts = SVC_TRY(exchange.facts());
  const auto nonce = SVC_TRY(exchange.next_nonce(owner->account));

  const TimestampMs server_now_ms = context.now_ms() + facts->skew_ms.value_or(0);
  // A minute inside the bounds, so that a clock that differs a little does not refuse it.
  const TimestampMs expires_ms = server_now_ms + std::clamp(lifetime_ms, limits::agent_lifetime_min_ms + minute_ms,
                                                            limits::agent_lifetime_max_ms - minute_ms);
  const signing::RegisterAgent terms{
      .agent = agent.address, .expires_at_ms = static_cast<std::uint64_t>(expires_ms), .nonce = nonce};
  const signing::Domain& domain = owner->domain;
  const auto digest = signing::typed_data_digest(signing::separator(domain), signing::struct_hash(terms));
  const auto signature =
      sign_struct(context, *owner->signer, domain,
                  {.digest = digest, .document = [&] { return signing::typed_data_text(domain, terms); }});
  if (!signature) return unexpected(Stop(signature.error()));
  Call call = call_of<api::ops::RegisterAgent>({.wallet = owner->account,
                                                .agent = agent.address,
                                                .nonce = nonce,
                                                .signature = signing::to_string(*signature),
                                                .expires_at = expires_ms,
                                                .label = std::move(label),
                                                .chain_id = domain.chain_id});
  call.look_up = {command_line(context, "agents list")};
  auto reply = write.send(context, exchange, call);
  if (!reply) return reply;
  agent.account = owner->account;
  agent.expires_at_ms = reply->body.integer_at("expires_at").value_or(expires_ms);
  // It is registered: that it cannot be noted here must not hide it.
  if (const auto kept = store_agent(**context.paths(), exchange.network().name, agent); !kept)
    context.notice("agent_file", kept.error().message);
  return reply;
}

}  // namespace svc::cli
