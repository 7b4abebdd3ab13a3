#include "cli/exchange/agent_choice.h"

#include <algorithm>
#include <ranges>

#include "cli/exchange/credentials.h"
#include "cli/pinned.h"
#include "cli/secrets/api_key_store.h"
#include "cli/secrets/session.h"
#include "cli/secrets/wallet_store.h"

namespace svc::cli {
namespace {

Failure no_agent(const AgentQuestion& question, std::string message, std::string command) {
  return {.exit = ExitCode::authentication,
          .code = "no_agent",
          .message = std::move(message),
          .actions = {"svc -n " + question.network + " " + std::move(command)}};
}

std::vector<AgentRecord> live_agents(const AgentQuestion& question) {
  std::vector<AgentRecord> live;
  for (const AgentRecord& record : question.agents) {
    const bool lasts = record.account && record.expires_at_ms && *record.expires_at_ms > question.now_ms;
    if (lasts && !record.wallet.empty()) live.push_back(record);
  }
  return live;
}

Failure several_agents(const AgentQuestion& question, const std::vector<AgentRecord>& fitting) {
  std::string names;
  for (const AgentRecord& record : fitting) names += (names.empty() ? "" : ", ") + record.wallet;
  Failure failure = no_agent(question, "several agent keys fit: " + names + "; --signer says which", "agents list");
  failure.code = "several_agents";
  return failure;
}

AgentChoice agents_of(const AgentQuestion& question, const Address& account) {
  AgentChoice choice{.agents = live_agents(question), .account = account};
  std::erase_if(choice.agents, [&](const AgentRecord& record) { return record.account != account; });
  if (choice.agents.size() > 1) choice.refused = several_agents(question, choice.agents);
  if (!choice.agents.empty()) return choice;
  choice.own_key = !question.is_typed;
  choice.refused = no_agent(question,
                            "no agent key of account " + to_string(account) +
                                " that is registered and not expired is filed here for network " + question.network,
                            "agents register NAME");
  return choice;
}

AgentChoice choose_named(const AgentQuestion& question) {
  const AgentQuestion::Named& signer = *question.signer;
  const auto record = std::ranges::find(question.agents, signer.wallet, &AgentRecord::wallet);
  if (record != question.agents.end()) {
    if (!question.account || !record->account || record->account == question.account) {
      return {.agents = {*record}, .account = record->account ? record->account : question.account};
    }
    return {.account = question.account,
            .refused = no_agent(question,
                                "agent " + signer.wallet + " trades for account " + to_string(*record->account) +
                                    ", not for " + to_string(*question.account),
                                "agents list")};
  }
  if (!signer.address) {
    return {.refused = Failure{.exit = ExitCode::not_found,
                               .code = "wallet_not_found",
                               .message = "no wallet is called \"" + signer.wallet + "\" on network " + question.network,
                               .actions = {"svc -n " + question.network + " keystore list"}}};
  }
  // Registered elsewhere, perhaps: the service knows for whom it may trade.
  if (!signer.owns) {
    return {.agents = {AgentRecord{.address = *signer.address, .wallet = signer.wallet, .account = question.account}},
            .account = question.account};
  }
  if (!question.account || question.account == signer.address) return agents_of(question, *signer.address);
  // An owner who acts for another account does so with his own signature.
  return {.refused = no_agent(question, "wallet " + signer.wallet + " is no agent's", "agents list"),
          .own_key = !question.is_typed};
}

AgentChoice choose_kept(const AgentQuestion& question) {
  for (const AgentRecord& record : live_agents(question)) {
    if (record.wallet == question.kept) return {.agents = {record}, .account = record.account};
  }
  return {.account = question.selected,
          .refused = no_agent(question,
                              "the agent key " + *question.kept +
                                  ", which this shell signs with, is gone or has expired",
                              "agents list")};
}

// Nobody is named and nobody selected: an agent acts if there is no doubt for whom.
AgentChoice choose_only(const AgentQuestion& question) {
  const std::vector<AgentRecord> live = live_agents(question);
  // Whoever types --auth agent names the only one that can be meant.
  const bool may_be_meant = question.is_typed || !question.nobody_since_logout;
  if (live.empty() || !may_be_meant) {
    return {.refused = no_agent(question,
                                "no agent key that is registered and not expired is filed here for network " +
                                    question.network,
                                "agents register NAME"),
            .own_key = !question.is_typed};
  }
  const bool one_account =
      std::ranges::all_of(live, [&](const AgentRecord& record) { return record.account == live.front().account; });
  if (one_account) return agents_of(question, *live.front().account);
  return {.refused = several_agents(question, live)};
}

// Whether the wallet is an account's own.
bool owns(const Paths& paths, const AgentQuestion& question, const Sessions& sessions, const WalletInfo& wallet) {
  const auto agent_of_it = [&](const AgentRecord& record) { return record.account == wallet.address; };
  if (sessions.find_wallet(wallet.name) != nullptr || std::ranges::any_of(question.agents, agent_of_it)) return true;
  const ApiKeys keys = readable_api_keys(paths, question.network);
  return std::ranges::any_of(keys.records, [&](const ApiKeyRecord& key) { return key.account == wallet.address; });
}

}  // namespace

AgentChoice choose_agent(const AgentQuestion& question) {
  if (question.signer) return choose_named(question);
  if (question.account) return agents_of(question, *question.account);
  if (question.kept) return choose_kept(question);
  if (question.selected) return agents_of(question, *question.selected);
  return choose_only(question);
}

Result<AgentChoice, Failure> choose_agent(Context& context, std::string_view network) {
  const auto paths = SVC_TRY(context.paths());
  const auto records = SVC_TRY(list_agents(*paths, network));
  const Globals& globals = context.globals();
  auto sessions = load_sessions(*paths, network, context.now_ms());
  // Who is named needs no session.
  if (!sessions && (globals.signer || globals.account)) sessions = Sessions{.all = {}, .current = {}, .somebody_was = true};
  if (!sessions) return unexpected(sessions.error());
  AgentQuestion question{.network = std::string(network),
                         .account = globals.account,
                         .nobody_since_logout = sessions->somebody_was,
                         .is_typed = context.is_typed("auth"),
                         .agents = records,
                         .now_ms = context.now_ms()};
  if (const Session* session = current_session_of(context, *sessions)) {
    question.selected = session->account;
  } else if (const auto pinned = pinned_session(context)) {
    question.selected = pinned->account;
  }
  if (globals.signer) {
    question.signer = AgentQuestion::Named{.wallet = *globals.signer};
    if (const auto wallet = find_wallet(*paths, network, *globals.signer)) {
      question.signer->address = wallet->address;
      question.signer->owns = owns(*paths, question, *sessions, *wallet);
    } else if (wallet.error().code != "wallet_not_found") {
      return unexpected(wallet.error());
    }
  }
  Pinned* pinned = globals.signer || globals.account ? nullptr : pinned_in(context);
  if (pinned != nullptr) question.kept = pinned->agent();
  AgentChoice choice = choose_agent(question);
  if (choice.refused && question.signer) choice.refused->message += said_by_layer(context, "signer");
  if (pinned != nullptr && !choice.refused && choice.agents.size() == 1) {
    pinned->keep_agent(choice.agents.front().wallet);
  }
  return choice;
}

}  // namespace svc::cli
