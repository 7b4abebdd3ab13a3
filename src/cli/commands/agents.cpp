// agents new, register, list, revoke

#include "api/contract/agents.h"
#include "api/error_catalog.h"
#include "base/clock.h"
#include "cli/client/credentials.h"
#include "cli/client/key_input.h"
#include "cli/client/outgoing.h"
#include "cli/commands/desk.h"
#include "cli/commands/keystore.h"
#include "cli/commands/operation_command.h"
#include "signing/actions.h"
#include "signing/domain.h"

namespace svc::cli {
namespace {

// Stores a new key, which is not registered yet.
Result<AgentRecord> make_agent(Context& context, const std::string& network, const std::string& name,
                               const std::optional<std::int64_t>& lifetime_ms) {
  SVC_TRY(check_wallet_name(name));
  const auto paths = SVC_TRY(context.paths());
  if (auto is_new = check_wallet_is_new(*paths, network, name, std::nullopt); !is_new)
    return std::move(is_new).error().to_try(
        {concat("svc -n ", network, " agents register ", name), concat("svc -n ", network, " keystore list")});
  if (context.globals().dry_run) return planned("agents_new", Json::object({{"name", name}, {"network", network}}));
  const auto password = SVC_TRY(read_password(context, "a password for agent " + name, true));
  const auto wallet = SVC_TRY(store_wallet(*paths, network, name, fresh_key(context.environment()), password,
                                           default_cost(network), context.now_ms()));
  AgentRecord record{.address = wallet.address, .wallet = name, .lifetime_ms = lifetime_ms};
  SVC_TRY(store_agent(*paths, network, record));
  return record;
}

Result<Answer> new_agent(Context& context, const std::optional<std::string>& name,
                         const std::optional<std::string>& flag_name, const std::optional<std::string>& expires) {
  if (name.has_value() == flag_name.has_value()) return usage_error("give NAME or --name");
  const auto lifetime_ms = SVC_TRY(agent_lifetime("--expires", expires));
  const auto network = SVC_TRY(context.network_name());
  const auto agent = SVC_TRY(make_agent(context, network.text, name ? *name : *flag_name, lifetime_ms));
  return Answer{.data = Json::object({{"name", agent.wallet}, {"address", to_string(agent.address)}})};
}

struct WalletSignedWrite : PlainWrite {
  WalletSignedWrite() : PlainWrite(Signed::in_body) {}
};

// The owner's wallet signs the registration.
Result<Answer> register_key(Context& context, const std::string& word, const std::optional<std::string>& expires,
                            const std::optional<std::string>& label, bool make_key, const WalletSignedWrite& write) {
  const auto wished_ms = SVC_TRY(agent_lifetime("--expires", expires));
  if (parse_address(word)) SVC_TRY(read_address("AGENT", word));
  SVC_TRY(check_agent_may_sign(context, api::ops::RegisterAgent::op));
  auto exchange = SVC_TRY(Exchange::open(context));
  const std::string& network = exchange.network().name;
  // The owner first: no key is made without its password.
  SVC_TRY(exchange.registrar());
  // A key that an earlier run made, and whose registration failed, is taken.
  const auto kept = make_key ? SVC_TRY(list_agents(*SVC_TRY(context.paths()), network)) : std::vector<AgentRecord>();
  const bool is_made =
      std::ranges::any_of(kept, [&](const AgentRecord& record) { return record.wallet == word && !record.account; });
  const auto agent = SVC_TRY(make_key && !is_made ? make_agent(context, network, word, wished_ms)
                                                  : known_agent(context, network, word));
  Answer answer = answer_of(SVC_TRY(register_agent(context, exchange, agent, wished_ms, label, write)));
  answer.rows = answer.data;
  answer.rows->set("account", context.facts().account);
  answer.rows->set("state", "active");
  return answer;
}

// The service's agents, with the names of the keys that are stored here.
void add_wallets(Context& context, Answer& answer) {
  const auto network = context.network();
  const auto wallets = network ? list_wallets(**context.paths(), (*network)->name)
                               : Result<std::vector<WalletInfo>>(std::vector<WalletInfo>{});
  answer.rows = Json::list(answer.data.items(), [&](Json row) {
    Json here;
    if (wallets)
      for (const WalletInfo& wallet : *wallets)
        if (row.address_at("address") == wallet.address) here = wallet.name;
    return row.set("here", std::move(here));
  });
}

Result<Answer> revoke_agent(Context& context, const std::string& word, bool forget, const PlainWrite& write) {
  auto exchange = SVC_TRY(Exchange::open(context));
  const std::string& network = exchange.network().name;
  auto agent = parse_address(word);
  std::optional<WalletInfo> wallet;
  const auto wallets = SVC_TRY(list_wallets(**context.paths(), network));
  for (const WalletInfo& one : wallets) {
    if (!agent && one.name == word) agent = one.address;
    if (agent && one.address == *agent) wallet = one;
  }
  if (!agent) {
    return usage_error("\"", word, "\" is neither an address (0x and 40 hex digits) nor the name of a key here");
  }
  // Nothing is sent if the key cannot be removed afterwards; without --forget nothing needs a confirmation.
  const Paths& paths = **context.paths();
  if (forget && wallet) SVC_TRY(confirm_removal(context, *wallet));
  Call call = call_of<api::ops::RevokeAgent>({.address = *agent});
  call.direction = Direction::way_out;
  call.look_up = {command_line(context, "agents list")};
  const auto record = find_agent(paths, network, *agent);
  const auto account = record && *record ? (*record)->account : std::nullopt;  // it was registered for, from here
  // It may have been registered for another account since, elsewhere; whoever names one means that.
  const bool names_account = context.globals().signer || context.globals().account;
  if (!names_account) call.account = account;
  auto reply = write.send(context, exchange, call);
  const bool is_its_account = account && context.facts().account == to_string(*account);
  // The answer was lost, and the list that was read is another account's: its own account may still have the agent.
  if (reply && reply->is_found && account && !is_its_account)
    return failed(another_account_code, to_string(*agent), " is an agent of account ", to_string(*account),
                  ", and this was sent for another; it may still trade")
        .to_try({"add -a " + to_string(*account)});
  const bool is_gone = reply || (reply.error().code == api::spelling(api::ErrorCode::not_found) && is_its_account);
  // It trades no more, so that a file that stays is only a notice.
  const auto tell = [&](const auto& forgotten) {
    if (!forgotten) context.notice("agent_file", forgotten.error().message);
  };
  if (is_gone && forget && wallet)
    tell(remove_from_machine(context, *wallet));
  else if (is_gone)
    tell(forget_agent(paths, network, *agent));
  return answer_of(SVC_TRY(std::move(reply)));
}

// A request signed by an agent does not name its network: an agent of two networks signs for both.
Result<void> check_no_other_network(Context& context, const Network& network, const Address& agent) {
  const auto paths = SVC_TRY(context.paths());
  const auto config = SVC_TRY(context.config());
  for (const std::string& name : networks_with_keys(*paths)) {
    if (name == network.name) continue;
    const auto other = find_network({.text = name}, *config, *paths, context.environment());
    // Between networks with play funds it does no harm.
    if (!network.real_funds() && other && !other->real_funds()) continue;
    const auto agents = list_agents(*paths, name);
    const auto is_live = [&](const AgentRecord& one) {
      return one.address == agent && one.expires_at_ms.value_or(context.now_ms()) >= context.now_ms();
    };
    if (!agents || std::ranges::none_of(*agents, is_live)) continue;
    return guard("agent_of_two_networks", to_string(agent), " is an agent on network ", name,
                 " as well, and what it signs there would count here; nothing was sent")
        .to_try({command_line(context, "agents register NAME --register-new")});
  }
  return {};
}

}  // namespace

std::vector<CommandRow> agent_commands() {
  return {
      {"agents new", "NAME", "Make a key that can become an agent",
       "robot --password-file ~/password  # a key for an agent, filed here", Output{"name address"},
       calls(new_agent, {{"NAME", "name of the new key (default: the one of --name)"},
                         {"--name", "the same as a flag", "NAME"},
                         {"--expires", "for how long it will be registered, 1d to 90d", "D"}})},
      {"agents register", "NAME|ADDR", "Let a key trade for the account, signed by its wallet",
       "$AGENT --expires 30d --password-file ~/password  # let a key trade for the account",
       Output{"register_agent", "address=agent_address account expires@expires_at state"},
       calls(register_key, {{"AGENT", "key filed here, or an address"},
                            {"--expires", "for how long, 1d to 90d (default 30d)", "D"},
                            {"--label", "a name to remember it by (default: that of the key)", "TEXT"},
                            {"--register-new", "make the key AGENT first, unless an earlier run did"}})},
      {"agents list", "", "List the account's agents", "# keys that may trade for the account",
       operation<api::ops::ListAgents>(
           {.columns = columns<api::AgentInfo>("address name=label registered@registeredAt expires@expiresAt +here"),
            .finish = add_wallets})},
      {"agents revoke", "ADDR", "Take an agent's rights away", "$AGENT  # take it back",
       Output{"address revoked:boolean", "address revoked"},
       calls(revoke_agent, {{"ADDR", "address of the agent, or the name of its key here"},
                            {"--forget", "remove its key from this machine as well"}})},
  };
}

Result<AgentRecord> known_agent(Context& context, const std::string& network, const std::string& name_or_address) {
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

Result<Reply> register_agent(Context& context, Exchange& exchange, AgentRecord agent,
                             const std::optional<std::int64_t>& lifetime_ms, std::optional<std::string> label,
                             const PlainWrite& write) {
  SVC_TRY(check_no_other_network(context, exchange.network(), agent.address));
  SVC_TRY(check_agent_may_sign(context, api::ops::RegisterAgent::op));
  const auto owner = SVC_TRY(exchange.registrar());
  context.facts().account = to_string(owner.account);
  if (!label && !agent.wallet.empty()) label = agent.wallet;
  const auto facts = SVC_TRY(exchange.facts());
  const auto nonce = SVC_TRY(exchange.next_nonce(owner.account));

  const TimestampMs server_now_ms = context.now_ms() + facts->skew_ms.value_or(0);
  const std::int64_t wanted_ms = lifetime_ms.value_or(agent.lifetime_ms.value_or(limits::agent_lifetime_default_ms));
  // A minute inside the bounds, so that a small difference of the clocks does not matter.
  const TimestampMs expires_ms = server_now_ms + std::clamp(wanted_ms, limits::agent_lifetime_min_ms + minute_ms,
                                                            limits::agent_lifetime_max_ms - minute_ms);
  const signing::RegisterAgent terms{
      .agent = agent.address, .expires_at_ms = static_cast<std::uint64_t>(expires_ms), .nonce = nonce};
  const auto signature = SVC_TRY(sign_struct(context, *owner.signer, owner.terms, owner_signed(terms)));
  Call call = call_of<api::ops::RegisterAgent>({.wallet = owner.account,
                                                .agent = agent.address,
                                                .nonce = nonce,
                                                .signature = signing::to_string(signature),
                                                .expires_at = expires_ms,
                                                .label = std::move(label),
                                                .chain_id = owner.terms.chain_id});
  call.look_up = {command_line(context, "agents list")};
  auto reply = write.send(context, exchange, call);
  if (!reply) return reply;
  agent.account = owner.account;
  agent.expires_at_ms = reply->body.integer_at("expires_at").value_or(expires_ms);
  // It is registered, so a failure to record it here is only a notice.
  if (const auto kept = store_agent(**context.paths(), exchange.network().name, agent); !kept)
    context.notice("agent_file", kept.error().message);
  return reply;
}

}  // namespace svc::cli
