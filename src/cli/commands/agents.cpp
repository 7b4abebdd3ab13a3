// agents new, register, list, revoke
#include <algorithm>
#include <array>

#include "api/ops/agents.h"
#include "base/limits.h"
#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"
#include "cli/commands/write_flags.h"
#include "cli/secrets/wallet_store.h"
#include "signing/register_agent.h"

namespace svc::cli {
namespace {

// Makes the key an agent of the account: the owner's wallet signs the registration.
class RegisterAgent final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("AGENT", agent_, "wallet filed here, or an address");
    arguments.text("--expires", expires_, "D", "for how long, 1d to 90d (default 30d)");
    arguments.text("--label", label_, "TEXT", "a name to remember it by");
  }
  Result<Answer, Stop> run(Context& context) override {
    std::int64_t lifetime_ms = limits::agent_lifetime_default_ms;
    if (expires_) {
      const auto given = parse_duration("--expires", *expires_);
      if (!given) return unexpected(Stop(given.error()));
      lifetime_ms = *given;
    }
    if (lifetime_ms < limits::agent_lifetime_min_ms || lifetime_ms > limits::agent_lifetime_max_ms)
      return unexpected(Stop(usage_error("--expires must be from 1d to 90d")));
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const auto agent = address_of(context, exchange->network());
    if (!agent) return unexpected(Stop(agent.error()));
    const auto owner = exchange->owner();
    if (!owner) return unexpected(owner.error());
    context.facts().account = to_string(owner->account);
    const auto facts = exchange->facts();
    if (!facts) return unexpected(facts.error());
    const auto serving = (*facts)->metadata.string_at("network");
    if (!serving)
      return unexpected(Stop(guard("network_unknown",
                                   "the server does not say which network it is, and the "
                                   "registration is signed for one")));
    const auto nonce = exchange->next_nonce(owner->account);
    if (!nonce) return unexpected(nonce.error());

    const TimestampMs server_now_ms = context.now_ms() + (*facts)->skew_ms.value_or(0);
    // A minute inside the bounds, so that a clock that differs a little does not refuse it.
    const TimestampMs expires_ms = server_now_ms + std::clamp(lifetime_ms, limits::agent_lifetime_min_ms + minute_ms,
                                                              limits::agent_lifetime_max_ms - minute_ms);
    const signing::RegisterAgent terms{
        .agent = *agent, .expires_at_ms = static_cast<std::uint64_t>(expires_ms), .nonce = *nonce};
    const auto domain = signing::registration_domain(owner->terms.domain.name, owner->terms.domain.chain_id, *serving);
    const auto digest = signing::typed_data_digest(signing::separator(domain), signing::struct_hash(terms));
    Call call = call_of<api::ops::RegisterAgent>({.wallet = owner->account,
                                                  .agent = *agent,
                                                  .nonce = *nonce,
                                                  .signature = signing::to_string(owner->key->sign(digest)),
                                                  .expires_at = expires_ms,
                                                  .label = label_,
                                                  .chain_id = domain.chain_id});
    call.look_up = {command_line(context, "agents list")};
    auto reply = exchange->call(call);
    if (!reply) return unexpected(reply.error());
    Answer answer =
        answer_of(std::move(*reply), {{{"address", "agent_address"},
                                       {"account", "account"},
                                       {"expires", "", [](const Json& row) { return time_at(row, "expires_at"); }}},
                                      Layout::rows});
    answer.rows = answer.data;
    answer.rows->set("account", context.facts().account);
    return answer;
  }

 private:
  Result<Address, Failure> address_of(Context& context, const Network& network) const {
    if (const auto address = parse_address(agent_)) return *address;
    const auto wallet = find_wallet(**context.paths(), network.name, agent_);
    if (!wallet) return unexpected(wallet.error());
    return wallet->address;
  }

  std::string agent_;
  std::optional<std::string> expires_;
  std::optional<std::string> label_;
};

// Those of the service, with the name under which the key is filed here.
class ListAgents final : public ReadCommand {
 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::ListAgents>(); }
  Answer render(Context& context, Reply reply) override {
    Answer answer =
        answer_of(std::move(reply), {{{"address", "address"},
                                      {"name", "label"},
                                      {"registered", "", [](const Json& row) { return time_at(row, "registeredAt"); }},
                                      {"expires", "", [](const Json& row) { return time_at(row, "expiresAt"); }},
                                      {"here", "here"}},
                                     Layout::rows});
    const auto network = context.network();
    const auto wallets = network ? list_wallets(**context.paths(), (*network)->name)
                                 : Result<std::vector<WalletInfo>, Failure>(std::vector<WalletInfo>{});
    Json rows = Json::array();
    for (Json row : answer.data.items()) {
      Json here;
      if (wallets)
        for (const WalletInfo& wallet : *wallets)
          if (row.string_at("address") == std::string_view(to_string(wallet.address))) here = wallet.name;
      row.set("here", std::move(here));
      rows.push(std::move(row));
    }
    answer.rows = std::move(rows);
    return answer;
  }
};

class RevokeAgent final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("ADDR", address_, "address of the agent"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto agent = parse_address(address_);
    if (!agent) return unexpected(Stop(usage_error("\"" + address_ + "\" is not an address: 0x and 40 hex digits")));
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    Call call = call_of<api::ops::RevokeAgent>({.address = *agent});
    call.direction = Direction::way_out;
    call.look_up = {command_line(context, "agents list")};
    auto reply = exchange->call(call);
    if (!reply) return unexpected(reply.error());
    return answer_of(std::move(*reply), {{{"address", "address"}, {"revoked", "revoked"}}, Layout::rows});
  }

 private:
  std::string address_;
};

constexpr std::array rows{
    CommandRow{"agents register", "NAME|ADDR", "Let a key trade for the account, signed by its wallet",
               make<RegisterAgent>},
    CommandRow{"agents list", "", "List the account's agents", make<ListAgents>},
    CommandRow{"agents revoke", "ADDR", "Take an agent's rights away", make<RevokeAgent>},
};

}  // namespace

std::span<const CommandRow> agent_commands() {
  return rows;
}

}  // namespace svc::cli
