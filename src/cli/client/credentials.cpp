#include "cli/client/credentials.h"

#include <ranges>

#include "api/contract/orders.h"
#include "cli/arguments/line_words.h"
#include "cli/client/key_input.h"
#include "cli/client/server_facts.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

constexpr std::string_view bad_secret_code = "bad_secret";

std::string prefix(const Network& network) {
  return "svc -n " + network.name + " ";
}

// " (signer is set by SVC_SIGNER)": the layer that gave an unusable setting, for messages; empty if it was typed.
std::string said_by_layer(Context& context, std::string_view setting) {
  if (context.is_typed(setting)) return {};
  for (const Explained& one : context.settings()) {
    if (one.key == setting && !one.layers.empty())
      return concat(" (", setting, " is set by ", one.layers.front().place, ")");
  }
  return {};
}

Failure not_logged_in(Context& context, const Network& network, const Sessions& sessions = {}) {
  if (const auto kept = context.session().get()) {
    const std::string_view who = context.pinned() != nullptr ? "this shell" : "this command";
    return failed("not_logged_in", "wallet ", kept->wallet, ", which ", who, " acts for, is not logged in on network ",
                  network.name, "; nothing was sent")
        .to_try({prefix(network) + "login --wallet " + kept->wallet});
  }
  if (sessions.all.empty()) {
    return failed("not_logged_in", "nobody is logged in on network ", network.name)
        .to_try({prefix(network) + "login --wallet NAME"});
  }
  const std::string wallets = joined(sessions.all, &Session::wallet);
  std::vector<std::string> cures;
  for (const Session& session : sessions.all) cures.push_back("add --signer " + session.wallet);
  cures.push_back(prefix(network) + "login --wallet NAME");
  return failed("nobody_selected", "nobody is selected on network ", network.name,
                " since the logout; logged in: ", wallets)
      .to_try(std::move(cures));
}

Failure session_expired(const Network& network, const Session& session) {
  const std::string which = "the session of wallet " + session.wallet + " on network " + network.name;
  const std::vector<std::string> cure{prefix(network) + "login --wallet " + session.wallet};
  if (session.out_of_reach()) {
    if (session.key_unreadable) return *session.key_unreadable;
    return failed("session_expired", which,
                  " cannot be opened from here: its key lay in the runtime folder (XDG_RUNTIME_DIR) of the login")
        .to_try(cure);
  }
  if (session.locked) return failed("session_locked", which, " was locked (svc keystore lock)").to_try(cure);
  return failed("session_expired", which, " has expired").to_try(cure);
}

bool is_way_out_call(const Context& context, const Call& call) {
  return call.direction == Direction::way_out || context.is_way_out();
}

// The way out of a named wallet needs no session: its password opens the API keys as well. nullopt if the wallet is not
// stored here or no password is given: after a logout, a name alone or a key that is still unlocked must not open them.
// (D-783)
std::optional<Session> substitute_session(Context& context, const Paths& paths, const Network& network,
                                          const std::optional<Address>& owner) {
  const auto wallets = list_wallets(paths, network.name);
  if (!wallets) return std::nullopt;
  const Globals& globals = context.globals();
  const std::optional<Address> account = owner ? owner : globals.account;
  for (const WalletInfo& wallet : *wallets) {
    const bool is_it = !owner && globals.signer ? wallet.name == *globals.signer : wallet.address == account;
    if (!is_it) continue;
    if (!password_given(context) && !context.may_ask()) return std::nullopt;
    return Session{.account = wallet.address, .wallet = wallet.name, .is_substitute = true};
  }
  return std::nullopt;
}

// The sessions of the file. On the way out, with an account or wallet named, a damaged file counts as empty.
Result<Sessions> sessions_for(Context& context, const Paths& paths, const Network& network, const Call& call,
                              bool is_named) {
  auto sessions = load_sessions(paths, network.name, context.now_ms());
  const bool ignore_damage = !sessions && is_named && is_way_out_call(context, call);
  if (!ignore_damage) return sessions;
  context.notice(sessions.error().code, sessions.error().message + "; passed over");
  return Sessions{.all = {}, .current = {}, .ever_logged_in = true};
}

// The session of the named owner, else of the signer, else of the acting account, else the current one.
Result<Session> choose_session(Context& context, const Network& network, const Call& call,
                               const std::optional<Address>& owner = {}) {
  const auto paths = SVC_TRY(context.paths());
  const Globals& globals = context.globals();
  const bool is_named = owner || globals.signer || globals.account;
  const auto sessions = SVC_TRY(sessions_for(context, *paths, network, call, is_named));
  const Session* session = owner             ? sessions.find(*owner)
                           : globals.signer  ? sessions.find_wallet(*globals.signer)
                           : globals.account ? sessions.find(*globals.account)
                                             : nullptr;
  const bool falls_to_selected = !owner && !globals.signer && current_session_of(context, sessions) != nullptr;
  const bool takes_key = call.operation->auth.has(api::Auth::hmac);
  if (session == nullptr && is_named && !falls_to_selected && takes_key && is_way_out_call(context, call)) {
    if (auto wallet = substitute_session(context, *paths, network, owner)) return std::move(*wallet);
  }
  if (owner && session == nullptr) return not_logged_in(context, network);
  if (owner) return *session;
  if (globals.signer && session == nullptr) {
    SVC_TRY(expect_signer_is_filed(context, *paths, network.name));
    return failed("not_logged_in", "wallet ", *globals.signer, " is not logged in on network ", network.name,
                  said_by_layer(context, "signer"))
        .to_try({prefix(network) + (is_external_signer(*globals.signer) ? "login --signer " : "login --wallet ") +
                 join_words({*globals.signer})});
  }
  if (session == nullptr) session = current_session_of(context, sessions);
  if (session == nullptr) return not_logged_in(context, network, sessions);
  const bool for_another = globals.account && *globals.account != session->account;
  if (!for_another || call.operation->action != nullptr) return *session;
  const std::string account = to_string(*globals.account);
  if (const Session* other = sessions.find(*globals.account)) {
    return failed("no_session_for_account", "wallet ", session->wallet, said_by_layer(context, "signer"),
                  " does not read for account ", account, ", which is logged in as ", other->wallet)
        .to_try({"add --signer " + other->wallet + ", or leave --signer out"});
  }
  return failed("no_session_for_account", "account ", account, " is not logged in on network ", network.name)
      .to_try({prefix(network) + "login --wallet NAME"});
}

// The ring keys of the open session, or else of the wallet if its password is available.
Result<Rings> rings_of(Context& context, const Network& network, const Session& session) {
  if (session.open()) return session.rings;
  if (session.is_substitute) {
    const auto key = SVC_TRY(unlock_wallet(context, network.name, session.wallet));
    return open_rings(**context.paths(), network.name, KeySigner(key));
  }
  auto without = without_password(context, network.name, session.wallet);
  if (!without.may_sign && !context.may_ask()) return session_expired(network, session);
  const auto signer =
      SVC_TRY(open_signer(context, network.name, session.wallet, PasswordFrom::anywhere, std::move(without.held)));
  return open_rings(**context.paths(), network.name, *signer);
}

// Reads the ring keys once more if needed: a concurrent login of this wallet may have sealed the key again.
Result<Secret> secret_of(Context& context, const Network& network, const Call& call, const ApiKeyRecord& record,
                         const Session& session) {
  const auto rings = SVC_TRY(rings_of(context, network, session));
  auto secret = open_api_key(**context.paths(), record, rings);
  if (secret || !session.open()) return secret;
  const auto again = choose_session(context, network, call, session.account);
  return again && again->open() ? open_api_key(**context.paths(), record, again->rings) : secret;
}

Result<HmacCredential> hmac_of(std::string key_id, const Secret& secret) {
  auto key = signing::HmacKey::from_hex(secret.reveal());
  if (!key) return failed(bad_secret_code, "the secret of API key ", key_id, " is not hex text");
  return HmacCredential{std::move(key_id), std::make_shared<const signing::HmacKey>(std::move(*key))};
}

Result<Credential> hmac_credential(Context& context, const Network& network, const Call& call,
                                   const std::optional<Address>& owner = {}) {
  if (!owner) {
    auto given = SVC_TRY(credential_in_place_of_session(context, network));
    if (given) return std::move(*given);
  }
  const auto session = SVC_TRY(choose_session(context, network, call, owner));
  const ApiKeys keys = list_api_keys(**context.paths(), network.name);
  // The newest usable key of the account, and of those that the service refused only if there is no other.
  std::vector<const ApiKeyRecord*> records;
  for (const ApiKeyRecord& record : keys.records | std::views::reverse)
    if (record.account == session.account) records.push_back(&record);
  std::ranges::stable_partition(records,
                                [&](const ApiKeyRecord* record) { return !context.is_passed_over(record->key_id); });
  std::optional<Failure> unusable;
  if (!keys.unreadable.empty()) unusable = keys.unreadable.front();
  for (const ApiKeyRecord* record : records) {
    const auto secret = secret_of(context, network, call, *record, session);
    auto hmac = secret ? hmac_of(record->key_id, *secret) : unexpected(secret.error());
    if (!hmac) {
      unusable = hmac.error();
      // No other key can be opened either without the ring keys.
      if (unusable->code != key_file_damaged_code && unusable->code != bad_secret_code) break;
      continue;
    }
    if (unusable) context.notice(unusable->code, unusable->message + "; API key " + record->key_id + " is used");
    return Credential{.how = std::move(*hmac), .account = session.account, .wallet = session.wallet};
  }
  if (unusable) return unexpected(std::move(*unusable));
  return failed("no_api_key", "no API key of account ", to_string(session.account), " is stored here for network ",
                network.name)
      .to_try({prefix(network) + "keys create"});
}

Result<Credential> agent_signs(Context& context, const Network& network, const AgentRecord& agent) {
  auto signer = SVC_TRY(open_signer(context, network.name, agent.wallet));
  return Credential{.how = AgentCredential{.signer = std::move(signer), .address = agent.address},
                    .account = agent.account,
                    .wallet = agent.wallet};
}

// An API key of the account that was named or selected.
Result<Credential> own_key(Context& context, const Network& network, const Call& call, const AgentChoice& choice) {
  // A signer that is an agent has no keys; its account has.
  const bool by_signer = context.globals().signer && choice.agents.empty();
  return hmac_credential(context, network, call, by_signer ? std::nullopt : choice.account);
}

// The way out takes whatever is available at once: an agent's key, else an API key of the account.
Result<Credential> any_credential(Context& context, const Network& network, const Call& call,
                                  const AgentChoice& choice) {
  std::optional<Failure> why = choice.refused;
  for (const AgentRecord& agent : choice.agents) {
    if (context.is_passed_over(to_string(agent.address))) {
      why = failed("no_agent", "the service refused agent ", agent.wallet).to_try({prefix(network) + "agents list"});
      continue;
    }
    const ShortPatience short_patience(context, true);
    auto credential = agent_signs(context, network, agent);
    if (credential) return credential;
    why = credential.error();
  }
  const bool is_certain = choice.account || choice.own_key;
  if (is_certain && call.operation->auth.has(api::Auth::hmac)) {
    auto own = own_key(context, network, call, choice);
    if (own && why) {
      context.notice("agent_unusable", "signed with an API key of the account: " + why->message,
                     Context::Frequency::once_per_shell);
    }
    if (own) return own;
    if (choice.own_key) why = own.error();
  }
  for (const AgentRecord& agent : choice.expired)
    if (auto credential = agent_signs(context, network, agent)) return credential;
  // The user may have to open the password vault.
  if (why && why->code == password_command_code && !choice.agents.empty())
    return agent_signs(context, network, choice.agents.front());
  return unexpected(why ? std::move(*why) : internal_error("no agent was chosen"));
}

// The server's clock minus ours, as it was measured last.
std::int64_t ahead_at_base_ms(Context& context, const Network& network) {
  const auto paths = context.paths();
  const auto facts = paths ? cached_facts(**paths, network) : std::nullopt;
  return facts ? correction_ms(*facts) : 0;
}

// An agent's key, which may trade for its account and needs no session. (API: agentAuth)
Result<Credential> agent_credential(Context& context, const Network& network, const Call& call) {
  const bool is_typed = context.is_typed("auth");
  SVC_TRY(check_agent_may_sign(context, *call.operation));
  if (context.globals().signer && is_external_signer(*context.globals().signer)) {
    if (!is_typed) return hmac_credential(context, network, call);
    return usage_error(
        "--auth agent: an agent signs a bare hash of each request, which signers outside do not do; "
        "--signer must name a key of the key store");
  }
  const auto choice = SVC_TRY(choose_agent(context, network.name, ahead_at_base_ms(context, network)));
  if (is_way_out_call(context, call)) return any_credential(context, network, call, choice);
  if (choice.own_key) {
    auto own = own_key(context, network, call, choice);
    if (own && choice.refused) {
      context.notice("no_agent", "signed with the account's API key: " + choice.refused->message,
                     Context::Frequency::once_per_day);
    }
    return own;
  }
  if (choice.refused) return unexpected(*choice.refused);
  return agent_signs(context, network, choice.agents.front());
}

Result<Credential> bearer_credential(Context& context, const Network& network, const Call& call) {
  const auto owner = SVC_TRY(account_in_place_of_session(context, network));
  const auto session = SVC_TRY(choose_session(context, network, call, owner));
  if (!session.has_token()) return session_expired(network, session);
  return Credential{.how = BearerCredential{session.token}, .account = session.account, .wallet = session.wallet};
}

// Of which account SVC_API_KEY is. An API key acts for its own account alone, whatever a command names.
Result<std::optional<Address>> account_of_environment(Context& context) {
  const auto text = context.environment().variable("SVC_ACCOUNT");
  const auto account = parse_address(text.value_or(""));
  if (text && !text->empty() && !account && !context.is_way_out())
    return usage_error("SVC_ACCOUNT is no address: \"", *text, "\"");
  const auto& named = context.globals().account;
  if (!named || named == account) return account;
  if (!account) {
    return guard("key_account_unknown", "SVC_API_KEY does not say of which account it is, and account ",
                 to_string(*named), " was named; nothing was sent")
        .to_try({"export SVC_ACCOUNT=" + to_string(*named)});
  }
  return guard("wrong_account", "SVC_API_KEY is a key of account ", to_string(*account), ", not ", to_string(*named),
               "; nothing was sent")
      .to_try({"unset SVC_API_KEY SVC_API_SECRET"});
}

Result<Credential> credential_now(Context& context, const Network& network, const Call& call) {
  using api::Auth;
  const api::AuthSet accepted = call.operation->auth;
  const AuthChoice auth_choice = context.globals().auth;
  if (auth_choice == AuthChoice::owner && !call.is_of_owner())
    return usage_error("--auth owner is for transfers only, which the owner signs in any case");
  if (auth_choice == AuthChoice::none) return Credential{};
  if (accepted.has(Auth::admin) || auth_choice == AuthChoice::admin) {
    // The operator secret is only for operator commands.
    if (!accepted.has(Auth::admin)) return usage_error("--auth admin is for admin commands only");
    if (!call.admin_secret) return internal_error("an admin command was called without its secret");
    return Credential{.how = BearerCredential{*call.admin_secret}, .account = {}, .wallet = {}};
  }
  const bool is_public = accepted.is_public() && !accepted.has(Auth::hmac);
  // A setting for all commands applies only where the operation accepts it.
  const bool takes_agent = accepted.has(Auth::agent) || context.is_typed("auth");
  if (auth_choice == AuthChoice::agent && !is_public && takes_agent) {
    return agent_credential(context, network, call);
  }
  const bool wants_hmac = auth_choice == AuthChoice::hmac && context.is_typed("auth");
  if (accepted.has(Auth::hmac) || wants_hmac) return hmac_credential(context, network, call);
  if (accepted.has(Auth::bearer)) return bearer_credential(context, network, call);
  // A public operation, or the proof is in the body.
  return Credential{};
}

Failure no_agent(const AgentQuestion& question, const std::string& message,
                 std::initializer_list<std::string_view> commands) {
  Failure failure = failed("no_agent", message);
  for (const std::string_view command : commands)
    failure.actions.push_back(concat("svc -n ", question.network, " ", command));
  return failure;
}

// Those that were registered and, by our clock, are live, or have expired; of that account, if one is given.
std::vector<AgentRecord> registered(const AgentQuestion& question, bool are_live,
                                    const std::optional<Address>& account = {}) {
  std::vector<AgentRecord> found;
  for (const AgentRecord& record : question.agents) {
    if (!record.account || !record.expires_at_ms || record.wallet.empty()) continue;
    if (account && record.account != account) continue;
    if ((*record.expires_at_ms > question.now_ms) == are_live) found.push_back(record);
  }
  return found;
}

Failure several_agents(const AgentQuestion& question, const std::vector<AgentRecord>& fitting) {
  return failed("several_agents", "several agent keys fit: ", joined(fitting, &AgentRecord::wallet),
                "; --signer says which")
      .to_try({concat("svc -n ", question.network, " agents list")});
}

AgentChoice agents_of(const AgentQuestion& question, const Address& account) {
  AgentChoice choice{.agents = registered(question, true, account),
                     .expired = registered(question, false, account),
                     .account = account};
  if (choice.agents.size() > 1) choice.refused = several_agents(question, choice.agents);
  if (!choice.agents.empty()) return choice;
  choice.own_key = !question.is_typed;
  choice.refused = no_agent(question,
                            "no agent key of account " + to_string(account) +
                                " that is registered and not expired is filed here for network " + question.network,
                            {"agents new NAME", "agents register NAME"});
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
                                {"agents list"})};
  }
  if (!signer.address) {
    return {.refused =
                absent("wallet_not_found", "no wallet is called \"", signer.wallet, "\" on network ", question.network)
                    .to_try({"svc -n " + question.network + " keystore list"})};
  }
  // It may be registered elsewhere: the service knows for which account it may trade.
  if (!signer.owns) {
    return {.agents = {AgentRecord{.address = *signer.address, .wallet = signer.wallet, .account = question.account}},
            .account = question.account};
  }
  if (!question.account || question.account == signer.address) return agents_of(question, *signer.address);
  // An owner acts for another account with the owner's own signature.
  return {.refused = no_agent(question, "wallet " + signer.wallet + " is no agent's", {"agents list"}),
          .own_key = !question.is_typed};
}

AgentChoice choose_kept(const AgentQuestion& question) {
  AgentChoice choice{
      .account = question.selected,
      .refused = no_agent(question,
                          "the agent key " + *question.kept + ", which this shell signs with, is gone or has expired",
                          {"agents list"})};
  for (const AgentRecord& record : registered(question, true))
    if (record.wallet == question.kept) return {.agents = {record}, .account = record.account};
  for (const AgentRecord& record : registered(question, false))
    if (record.wallet == question.kept) choice.expired = {record};
  return choice;
}

// Nobody is named or selected: an agent acts if there is only one account it can be for.
AgentChoice choose_only(const AgentQuestion& question) {
  const std::vector<AgentRecord> live = registered(question, true), expired = registered(question, false);
  const auto have_one_account = [](const std::vector<AgentRecord>& agents) {
    return std::ranges::all_of(agents, [&](const AgentRecord& one) { return one.account == agents.front().account; });
  };
  // After a logout, only a typed --auth agent means that agent.
  const bool may_be_meant = question.is_typed || !question.logged_out;
  if (live.empty() || !may_be_meant) {
    return {
        .expired = may_be_meant && have_one_account(expired) ? expired : std::vector<AgentRecord>{},
        .refused = no_agent(
            question, "no agent key that is registered and not expired is filed here for network " + question.network,
            {"agents new NAME", "agents register NAME"}),
        .own_key = !question.is_typed};
  }
  if (have_one_account(live)) return agents_of(question, *live.front().account);
  return {.refused = several_agents(question, live)};
}

bool owns(const Paths& paths, const AgentQuestion& question, const Sessions& sessions, const WalletInfo& wallet) {
  const auto agent_of_it = [&](const AgentRecord& record) { return record.account == wallet.address; };
  if (sessions.find_wallet(wallet.name) != nullptr || std::ranges::any_of(question.agents, agent_of_it)) return true;
  const ApiKeys keys = list_api_keys(paths, question.network);
  return std::ranges::any_of(keys.records, [&](const ApiKeyRecord& key) { return key.account == wallet.address; });
}

}  // namespace

Result<void> expect_signer_is_filed(Context& context, const Paths& paths, const std::string& network) {
  const std::string& signer = *context.globals().signer;
  if (is_external_signer(signer)) return {};
  const auto wallets = list_wallets(paths, network);
  if (!wallets || is_among(signer, *wallets, &WalletInfo::name)) return {};
  return absent("wallet_not_found", "no wallet is called \"", signer, "\" on network ", network,
                said_by_layer(context, "signer"))
      .to_try({"svc -n " + network + " keystore list", "add --signer NAME"});
}

std::int64_t server_ahead_ms(Context& context) {
  const auto network = context.network();
  return network ? ahead_at_base_ms(context, **network) : 0;
}

const Session* current_session_of(Context& context, const Sessions& sessions) {
  if (const Session* current = sessions.current_session())
    context.session().keep({.account = current->account, .wallet = current->wallet});  // the first one stays
  const auto kept = context.session().get();
  const Session* session = kept ? sessions.find(kept->account) : nullptr;
  return session != nullptr && session->wallet == kept->wallet ? session : nullptr;
}

Result<std::optional<Credential>> credential_from_environment(Context& context, const std::string& network,
                                                              Funds funds) {
  const auto key_id = context.environment().variable("SVC_API_KEY");
  const auto secret = context.environment().variable("SVC_API_SECRET");
  if (!key_id && !secret) return std::optional<Credential>{};
  if (!key_id || !secret) return usage_error("SVC_API_KEY and SVC_API_SECRET must be set together");
  const auto of_network = context.environment().variable("SVC_API_KEY_NETWORK");
  if (of_network && *of_network != network) {
    return guard("wrong_network", "SVC_API_KEY is a key of network ", *of_network, ", not ", network,
                 "; nothing was sent")
        .to_try({"unset SVC_API_KEY SVC_API_SECRET"});
  }
  if (!of_network && funds != Funds::play) {
    return guard("key_network_unknown", "SVC_API_KEY does not say of which network it is, and network ", network,
                 " counts as real funds; nothing was sent")
        .to_try({"export SVC_API_KEY_NETWORK=" + network});
  }
  const auto account = SVC_TRY(account_of_environment(context));
  // Sandboxes of one seed make keys of the same id, so a file proves nothing there.
  const auto paths = context.paths();
  const auto filed = paths && funds != Funds::play ? find_api_key(**paths, network, *key_id) : std::nullopt;
  if (account && filed && filed->key_id == *key_id && filed->account != *account && !context.is_way_out()) {
    return guard("wrong_account", "SVC_API_KEY is filed here as a key of account ", to_string(filed->account),
                 ", and SVC_ACCOUNT says ", to_string(*account), "; nothing was sent")
        .to_try({"export SVC_ACCOUNT=" + to_string(filed->account), "unset SVC_API_KEY SVC_API_SECRET"});
  }
  return std::optional(Credential{.how = SVC_TRY(hmac_of(*key_id, Secret(*secret))), .account = account, .wallet = {}});
}

Result<std::optional<Credential>> credential_in_place_of_session(Context& context, const Network& network) {
  if (context.is_typed("signer")) return std::optional<Credential>{};
  const auto of_network = context.environment().variable("SVC_API_KEY_NETWORK");
  const bool may_be_of_another = of_network ? *of_network != network.name : network.funds != Funds::play;
  if (context.globals().signer && may_be_of_another) return std::optional<Credential>{};
  return credential_from_environment(context, network.name, network.funds);
}

Result<std::optional<Address>> account_in_place_of_session(Context& context, const Network& network) {
  const auto given = SVC_TRY(credential_in_place_of_session(context, network));
  if (!given) return std::optional<Address>{};
  if (given->account) return given->account;
  return guard("key_account_unknown",
               "SVC_API_KEY does not say of which account it is, so none is chosen; nothing was sent")
      .to_try({"export SVC_ACCOUNT=ADDR", "add --signer NAME", "unset SVC_API_KEY SVC_API_SECRET"});
}

std::string_view Credential::scheme() const {
  if (std::holds_alternative<HmacCredential>(how)) return "hmac";
  if (std::holds_alternative<AgentCredential>(how)) return "agent";
  return std::holds_alternative<BearerCredential>(how) ? "bearer" : "none";
}

std::string Credential::key() const {
  if (const auto* hmac = std::get_if<HmacCredential>(&how)) return hmac->key_id;
  const auto* agent = std::get_if<AgentCredential>(&how);
  return agent != nullptr ? to_string(agent->address) : std::string();
}

Result<std::optional<std::string>> signer_of_run(Context& context, const Network& network) {
  using None = std::optional<std::string>;
  const auto given = SVC_TRY(credential_in_place_of_session(context, network));
  if (context.globals().signer && !given) return context.globals().signer;
  const auto choice = SVC_TRY(context.globals().auth == AuthChoice::agent
                                  ? choose_agent(context, network.name, ahead_at_base_ms(context, network))
                                  : AgentChoice{});
  if (!choice.agents.empty() && !choice.refused) return None(choice.agents.front().wallet);
  if (given) return None{};
  const auto sessions = SVC_TRY(load_sessions(**context.paths(), network.name, context.now_ms()));
  const auto& account = context.globals().account;
  const Session* session = account ? sessions.find(*account) : current_session_of(context, sessions);
  return session == nullptr ? None{} : None(session->wallet);
}

Result<void> check_agent_may_sign(const Context& context, const api::Operation& operation) {
  const bool is_asked = context.globals().auth == AuthChoice::agent && context.is_typed("auth");
  if (!is_asked || operation.auth.is_public() || operation.auth.has(api::Auth::agent)) return {};
  return usage_error("--auth agent: ", api::to_string(operation.method), " ", operation.path,
                     " takes no agent's signature");
}

Result<Credential> choose_credential(Context& context, const Network& network, const Call& call) {
  auto now = credential_now(context, network, call);
  const auto& held = context.held();
  const bool is_fit =
      held != nullptr &&
      call.operation->auth.has(std::holds_alternative<AgentCredential>(held->how) ? api::Auth::agent : api::Auth::hmac);
  if (now || !is_fit) return now;
  return *held;
}

void hold_credential(Context& context, const Network& network) {
  if (auto credential = credential_now(context, network, call_of<api::ops::CancelOrder>()))
    context.hold(std::make_shared<const Credential>(std::move(*credential)));
}

AgentChoice choose_agent(const AgentQuestion& question) {
  if (question.signer) return choose_named(question);
  if (question.account) return agents_of(question, *question.account);
  if (question.kept) return choose_kept(question);
  if (question.selected) return agents_of(question, *question.selected);
  return choose_only(question);
}

Result<AgentChoice> choose_agent(Context& context, std::string_view network, std::int64_t ahead_ms) {
  const auto paths = SVC_TRY(context.paths());
  const auto records = SVC_TRY(list_agents(*paths, network));
  const Globals& globals = context.globals();
  auto sessions = load_sessions(*paths, network, context.now_ms());
  // A named account or wallet needs no session.
  if (!sessions && (globals.signer || globals.account))
    sessions = Sessions{.all = {}, .current = {}, .ever_logged_in = true};
  SVC_TRY(sessions);
  AgentQuestion question{.network = std::string(network),
                         .account = globals.account,
                         .logged_out = sessions->ever_logged_in,
                         .is_typed = context.is_typed("auth"),
                         .agents = records,
                         .now_ms = context.now_ms() + ahead_ms};
  if (const Session* session = current_session_of(context, *sessions)) {
    question.selected = session->account;
  } else if (const auto kept = context.session().get()) {
    question.selected = kept->account;
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
  Pinned* pinned = globals.signer || globals.account ? nullptr : context.pinned();
  if (pinned != nullptr) question.kept = pinned->agent.get();
  AgentChoice choice = choose_agent(question);
  if (choice.refused && question.signer) choice.refused->message += said_by_layer(context, "signer");
  if (pinned != nullptr && !choice.refused && choice.agents.size() == 1) {
    pinned->agent.keep(choice.agents.front().wallet);
  }
  return choice;
}

}  // namespace svc::cli
