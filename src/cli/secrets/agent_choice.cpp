#include "cli/secrets/agent_choice.h"

#include "cli/pinned.h"
#include "cli/secrets/wallet_store.h"

namespace svc::cli {
namespace {

Failure no_agent(std::string_view network, std::string code, std::string message, std::string command) {
  return {.exit = ExitCode::authentication,
          .code = std::move(code),
          .message = std::move(message),
          .actions = {"svc -n " + std::string(network) + " " + std::move(command)}};
}

}  // namespace

Result<AgentRecord, Failure> choose_agent(Context& context, std::string_view network) {
  const auto paths = context.paths();
  if (!paths) return unexpected(paths.error());
  const auto records = list_agents(**paths, network);
  if (!records) return unexpected(records.error());
  const Globals& globals = context.globals();
  if (globals.signer) {
    for (const AgentRecord& record : *records) {
      if (record.wallet == *globals.signer) return record;
    }
    // Registered elsewhere, perhaps: the service knows for whom it may trade.
    const auto wallet = find_wallet(**paths, network, *globals.signer);
    if (!wallet) return unexpected(wallet.error());
    return AgentRecord{.address = wallet->address, .wallet = wallet->name, .account = globals.account};
  }
  std::vector<AgentRecord> fitting;
  for (const AgentRecord& record : *records) {
    const bool live = record.account && record.expires_at_ms && *record.expires_at_ms > context.now_ms();
    if (live && !record.wallet.empty() && (!globals.account || globals.account == record.account))
      fitting.push_back(record);
  }
  Pinned* pinned = globals.account ? nullptr : pinned_in(context);
  if (pinned != nullptr && pinned->agent()) {
    const std::string kept = *pinned->agent();
    std::erase_if(fitting, [&](const AgentRecord& record) { return record.wallet != kept; });
    if (fitting.empty()) {
      return unexpected(no_agent(network, "no_agent",
                                 "the agent key " + kept + ", which this shell signs with, is gone or has expired",
                                 "agents list"));
    }
  }
  if (fitting.size() == 1) {
    if (pinned != nullptr) pinned->keep_agent(fitting.front().wallet);
    return fitting.front();
  }
  if (fitting.empty()) {
    return unexpected(
        no_agent(network, "no_agent",
                 "no agent key that is registered and not expired is filed here for network " + std::string(network),
                 "agents register NAME"));
  }
  std::string names;
  for (const AgentRecord& record : fitting) names += (names.empty() ? "" : ", ") + record.wallet;
  return unexpected(
      no_agent(network, "several_agents", "several agent keys fit: " + names + "; --signer says which", "agents list"));
}

}  // namespace svc::cli
