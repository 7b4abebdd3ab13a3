// login, logout, whoami
#include <utility>

#include "api/contract/account.h"
#include "api/contract/auth.h"
#include "api/contract/funds.h"
#include "cli/arguments/durations.h"
#include "cli/client/credentials.h"
#include "cli/client/outgoing.h"
#include "cli/commands/read.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "signing/key.h"

namespace svc::cli {
namespace {

// The text contains the name of the signing domain. (API: Networks, rule 6)
Result<std::string, Failure> message_for(Exchange& exchange) {
  SVC_TRY(exchange.prove_host());
  const auto facts = SVC_TRY(exchange.facts());
  const auto name = domain_name(*facts, exchange.network());
  if (!name) return unexpected(nothing_signed(name.error(), exchange.network()));
  return signing::login_message(*name);
}

Result<std::string, Failure> wallet_name(Context& context, const Network& network,
                                         const std::optional<std::string>& wallet) {
  if (wallet) return *wallet;
  if (context.globals().signer) return *context.globals().signer;
  return only_wallet(SVC_TRY(list_wallets(**context.paths(), network.name)), network.name, " with --wallet");
}

Result<Answer, Failure> open_session(Context& context, Exchange& exchange, const std::string& wallet, const Signer& key,
                                     const Reply& reply, std::int64_t ttl_ms, bool keys_stay) {
  const Network& network = exchange.network();
  const auto facts = SVC_TRY(exchange.facts());
  std::int64_t ahead_ms = correction_ms(*facts);
  // The clock of a sandbox may have been moved since its facts were read. Its date has whole seconds.
  if (const auto date_ms = exchange.server_date_ms(); date_ms && network.is_local()) {
    const std::int64_t shift_ms = *date_ms - context.now_ms();
    if (std::abs(shift_ms - ahead_ms) > 2 * second_ms) ahead_ms = shift_ms;
  }
  const auto token = reply.body.string_at("token");
  const auto address = parse_address(reply.body.string_at("address").value_or(""));
  if (!token || token->empty() || address != key.address())
    return unexpected(internal_error("the server's answer to the login has no token for this wallet"));
  const TimestampMs expires_at_ms = context.now_ms() + ttl_ms;
  const Paths& paths = **context.paths();
  const auto enter = [&](const Rings& rings) -> Result<void, Failure> {
    SVC_TRY(change_sessions(paths, network.name, context.now_ms(), [&](Sessions& sessions) {
      sessions.enter({.account = key.address(),
                      .wallet = wallet,
                      .expires_at_ms = expires_at_ms,
                      .server_ahead_ms = ahead_ms,
                      .keys_stay = keys_stay,
                      .token = Secret(std::string(*token)),
                      .rings = rings});
    }));
    return {};
  };
  SVC_TRY(renew_rings(paths, network.name, key, context.environment(), enter));
  if (Pinned* shell = context.pinned()) {
    if (!context.globals().signer) shell->keep_session({.account = key.address(), .wallet = wallet});
    if (const auto kept = shell->session(); kept && kept->account != key.address())
      context.notice("shell_account", "this shell goes on with wallet " + kept->wallet + "; for " + wallet +
                                          " open another one, or put --signer " + wallet + " into a line");
  }
  return Answer{.data = Json::object({{"network", network.name},
                                      {"address", to_string(key.address())},
                                      {"wallet", wallet},
                                      {"expires_at", rfc3339(expires_at_ms + ahead_ms)},
                                      {"expires_at_ms", expires_at_ms + ahead_ms}})};
}

Result<Answer, Failure> log_in(Context& context, const std::optional<std::string>& wallet,
                               const std::optional<std::string>& ttl, bool print_message) {
  std::int64_t ttl_ms = limits::session_lifetime_ms;
  if (ttl) ttl_ms = SVC_TRY(parse_duration("--ttl", *ttl));
  if (ttl_ms > limits::session_lifetime_ms) return unexpected(usage_error("--ttl is at most 24h"));
  auto exchange = SVC_TRY(Exchange::open(context));
  const Network& network = exchange.network();
  const auto message = SVC_TRY(message_for(exchange));
  if (print_message) return Answer{.data = Json::object({{"message", message}}), .text = message + "\n"};
  const auto name = SVC_TRY(wallet_name(context, network, wallet));
  const auto signer = SVC_TRY(open_signer(context, network.name, name));
  const auto signature = SVC_TRY(sign_text(context, *signer, message));
  Call call = call_of<api::ops::Login>({.message = message, .signature = signing::to_string(signature)});
  call.look_up = {"svc -n " + network.name + " login --wallet " + name};
  context.facts().account = to_string(signer->address());
  const auto reply = SVC_TRY(exchange.call(call));
  const bool keys_stay = !ttl;  // --ttl ends the API keys as well
  return open_session(context, exchange, name, *signer, reply, ttl_ms, keys_stay);
}

// Returns how many sessions were dropped.
std::size_t drop(Context& context, Sessions& sessions, bool all) {
  if (all) return std::exchange(sessions, {}).all.size();
  const Session* chosen = current_session_of(context, sessions);
  if (context.globals().signer) chosen = sessions.find_wallet(*context.globals().signer);
  if (context.globals().account) chosen = sessions.find(*context.globals().account);
  if (chosen == nullptr) return 0;
  const Address account = chosen->account;
  const std::size_t gone = std::erase_if(sessions.all, [&](const Session& one) { return one.account == account; });
  // No other session becomes current: the next order needs an account that is named. (D-736)
  if (sessions.current == account) sessions.current.reset();
  return gone;
}

Result<Answer, Failure> log_out(Context& context, bool all) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  std::size_t removed = 0;
  const auto leave = [&](Sessions& sessions) { removed = drop(context, sessions, all); };
  auto sessions = SVC_TRY(load_sessions(*paths, network.text, context.now_ms()));
  leave(sessions);
  // A name that is mistyped must not look like the end of that session.
  if (removed == 0 && context.globals().signer) SVC_TRY(expect_signer_is_filed(context, *paths, network.text));
  if (context.globals().dry_run)
    return unexpected(planned("logout", Json::object({{"network", network.text}, {"would_remove", removed}})));
  SVC_TRY(sweep_sessions(*paths, network.text));
  if (removed > 0) SVC_TRY(change_sessions(*paths, network.text, context.now_ms(), leave));
  return Answer{.data = Json::object({{"network", network.text}, {"removed", removed}})};
}

// With --auth agent commands sign with an agent's key wherever the API accepts one.
Result<void, Failure> name_agent(Context& context, const NetworkName& name, const std::optional<Address>& acting,
                                 Json& data) {
  const AuthChoice auth_choice = context.globals().auth;
  if (auth_choice == AuthChoice::owner || auth_choice == AuthChoice::admin || auth_choice == AuthChoice::none)
    return unexpected(usage_error("--auth: whoami tells of auto, hmac and agent"));
  if (auth_choice != AuthChoice::agent) return {};
  const auto choice = choose_agent(context, name.text);
  if (choice && choice->own_key) return {};
  const auto refused = choice ? choice->refused : choice.error();
  if (refused && context.is_typed("auth")) return unexpected(*refused);
  data.set("auth", "agent");
  data.set("key_id", nullptr);
  if (refused) {
    context.notice(refused->code, refused->message);
    return {};
  }
  const AgentRecord& agent = choice->agents.front();
  data.set("agent", to_string(agent.address));
  data.set("wallet", agent.wallet);
  const auto account = context.globals().account ? context.globals().account : agent.account;
  data.set("acting_account", account ? Json(to_string(*account)) : acting ? Json(to_string(*acting)) : Json());
  return {};
}

// Asks the server for tier and clock difference, and whose the API key is: only the server knows that of a key of the
// environment, and two sandboxes of one machine can be mistaken for each other. A refused credential ends the command.
Result<void, Failure> ask_server(Context& context, Json& data, bool verify, bool of_environment) {
  data.set("tier", nullptr);
  data.set("skew_ms", nullptr);
  data.set("verified", false);
  if (!verify) return {};
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetRateLimit>()));
  data.set("tier", reply.body.string_at("tier"));
  if (const auto facts = exchange.fresh_facts()) data.set("skew_ms", (*facts)->skew_ms);
  data.set("verified", true);
  if (data.string_at("auth") != "hmac") return {};
  const auto target = SVC_TRY(exchange.call(call_of<api::ops::GetDepositTarget>()));
  const std::string owner = target.body.text_at("account");
  const auto told = data.string_at(of_environment ? "acting_account" : "owner");
  if (told && parse_address(*told) != parse_address(owner)) {
    const std::string key =
        of_environment ? std::string("SVC_API_KEY") : "the stored API key " + std::string(data.text_at("key_id"));
    return unexpected(guard("wrong_account", key, " is a key of account ", owner, " on this server, and ",
                            of_environment ? "SVC_ACCOUNT says " : "the session is of ", std::string(*told))
                          .to_try({of_environment ? "export SVC_ACCOUNT=" + owner
                                                  : "svc -n " + data.text_at("network") + " login --wallet " +
                                                        data.text_at("wallet")}));
  }
  if (!of_environment) return {};
  data.set("owner", owner);
  data.set("acting_account", owner);
  context.facts().account = owner;
  return {};
}

Result<Answer, Failure> who_am_i(Context& context, bool verify) {
  const auto name = SVC_TRY(context.network_name());
  const auto config = SVC_TRY(context.config());
  const Paths& paths = **context.paths();
  const auto sessions = SVC_TRY(load_sessions(paths, name.text, context.now_ms()));
  const Session* session = current_session_of(context, sessions);
  if (context.globals().signer) session = sessions.find_wallet(*context.globals().signer);
  if (context.globals().account && sessions.find(*context.globals().account) != nullptr)
    session = sessions.find(*context.globals().account);
  const NetworkConfig settings = settings_of(*config, name.text);
  const Funds funds = funds_of(name.text, settings);

  std::optional<std::string> key_id;
  const ApiKeys keys = list_api_keys(paths, name.text);
  context.notices(keys.unreadable);
  for (const ApiKeyRecord& key : keys.records)
    if (session != nullptr && key.account == session->account) key_id = key.key_id;
  // The environment takes precedence over stored keys, as in commands that send requests.
  std::optional<Credential> given;
  if (!context.globals().signer) given = SVC_TRY(credential_from_environment(context, name.text, funds));
  if (given) {
    key_id = std::get<HmacCredential>(given->how).key_id;
    session = nullptr;
  }
  const std::optional<Address> acting = given                       ? given->account
                                        : context.globals().account ? context.globals().account
                                        : session != nullptr        ? std::optional(session->account)
                                                                    : std::nullopt;
  const bool open = session != nullptr && session->has_token();
  Json data = Json::object({{"network", name.text},
                            {"funds", to_string(funds)},
                            {"owner", session                   ? Json(to_string(session->account))
                                      : given && given->account ? Json(to_string(*given->account))
                                                                : Json()},
                            {"wallet", session ? Json(session->wallet) : Json()},
                            {"acting_account", acting ? Json(to_string(*acting)) : Json()},
                            {"auth", key_id ? "hmac"
                                     : open ? "session"
                                            : "none"},
                            {"key_id", key_id},
                            {"agent", nullptr}});
  SVC_TRY(name_agent(context, name, acting, data));
  data.set("session", session == nullptr        ? "none"
                      : session->out_of_reach() ? "out of reach"
                      : open                    ? "open"
                                                : "expired");
  // By the server's clock; the stored time is by ours.
  const auto ends_ms = open ? std::optional(session->expires_at_ms + session->server_ahead_ms) : std::nullopt;
  data.set("token_expires", ends_ms ? Json(rfc3339(*ends_ms)) : Json());
  data.set("token_expires_ms", ends_ms);
  if (const auto shown = data.string_at("acting_account")) context.facts().account = std::string(*shown);
  SVC_TRY(ask_server(context, data, verify, given.has_value()));
  const auto skew_ms = data.integer_at("skew_ms");
  if (ends_ms && skew_ms && context.now_ms() + *skew_ms >= *ends_ms) data.set("session", "expired");
  return Answer{.data = std::move(data), .view = {{}, Layout::sheet}};
}

}  // namespace

std::vector<CommandRow> login_commands() {
  return {
      {"login", "--wallet NAME", "Open a session for a wallet",
       calls(
           log_in,
           {{"--wallet", "wallet to log in with (default: --signer, or the only one)", "NAME"},
            {"--ttl",
             "close the session and its API keys after this time (default and most: 24h; the keys until logout)", "D"},
            {"--print-message", "print what would be signed, and stop"}})},
      {"logout", "", "Forget a session", calls(log_out, {{"--all", "every session of the network"}})},
      {"whoami", "", "Show who commands act for",
       calls(who_am_i, {{"--verify", "ask the server as well (costs nothing)"}}), Repeats::yes},
  };
}

}  // namespace svc::cli
