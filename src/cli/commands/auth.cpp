// login, logout, whoami; keys create, list, delete

#include <utility>

#include "api/contract/account.h"
#include "api/contract/auth.h"
#include "api/contract/funds.h"
#include "cli/arguments/durations.h"
#include "cli/client/credentials.h"
#include "cli/client/outgoing.h"
#include "cli/commands/operation_command.h"
#include "cli/machine/private_file.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "signing/key.h"

namespace svc::cli {
namespace {

// The text contains the name of the signing domain. (API: Networks, rule 6)
Result<std::string> message_for(Exchange& exchange) {
  SVC_TRY(exchange.prove_host());
  const auto facts = SVC_TRY(exchange.facts());
  const auto name = domain_name(*facts, exchange.network());
  if (!name) return nothing_signed(name.error(), exchange.network());
  return signing::login_message(*name);
}

Result<Answer> open_session(Context& context, Exchange& exchange, const std::string& wallet, const Signer& key,
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
  const auto address = reply.body.address_at("address");
  if (!token || token->empty() || address != key.address())
    return internal_error("the server's answer to the login has no token for this wallet");
  const TimestampMs expires_at_ms = context.now_ms() + ttl_ms;
  const Paths& paths = **context.paths();
  const auto enter = [&](const Rings& rings) -> Result<void> {
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
    if (!context.globals().signer) shell->session.keep({.account = key.address(), .wallet = wallet});
    if (const auto kept = shell->session.get(); kept && kept->account != key.address())
      context.notice("shell_account", "this shell goes on with wallet " + kept->wallet + "; for " + wallet +
                                          " open another one, or put --signer " + wallet + " into a line");
  }
  return Answer{.data = Json::object({{"network", network.name},
                                      {"address", to_string(key.address())},
                                      {"wallet", wallet},
                                      {"expires_at", rfc3339(expires_at_ms + ahead_ms)},
                                      {"expires_at_ms", expires_at_ms + ahead_ms}})};
}

Result<Answer> log_in(Context& context, const std::optional<std::string>& wallet, const std::optional<std::string>& ttl,
                      bool print_message) {
  std::int64_t ttl_ms = limits::session_lifetime_ms;
  if (ttl) ttl_ms = SVC_TRY(parse_duration("--ttl", *ttl));
  if (ttl_ms > limits::session_lifetime_ms) return usage_error("--ttl is at most 24h");
  auto exchange = SVC_TRY(Exchange::open(context));
  const Network& network = exchange.network();
  const auto message = SVC_TRY(message_for(exchange));
  if (print_message)
    return Answer{.data = Json::object({{"message", message}}), .text = context.environment().for_out(message + "\n")};
  const auto& named = wallet ? wallet : context.globals().signer;
  const auto wallets = named ? std::vector<WalletInfo>() : SVC_TRY(list_wallets(**context.paths(), network.name));
  const std::string name = named ? *named : SVC_TRY(only_wallet(wallets, network.name, " with --wallet"));
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

Result<Answer> log_out(Context& context, bool all) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  std::size_t removed = 0;
  const auto leave = [&](Sessions& sessions) { removed = drop(context, sessions, all); };
  auto sessions = SVC_TRY(load_sessions(*paths, network.text, context.now_ms()));
  leave(sessions);
  // A name that is mistyped must not look like the end of that session.
  if (removed == 0 && context.globals().signer) SVC_TRY(expect_signer_is_filed(context, *paths, network.text));
  if (context.globals().dry_run)
    return planned("logout", Json::object({{"network", network.text}, {"would_remove", removed}}));
  SVC_TRY(sweep_sessions(*paths, network.text));
  if (removed > 0) SVC_TRY(change_sessions(*paths, network.text, context.now_ms(), leave));
  return Answer{.data = Json::object({{"network", network.text}, {"removed", removed}})};
}

// With --auth agent commands sign with an agent's key wherever the API accepts one.
Result<void> name_agent(Context& context, const NetworkName& name, Json& data) {
  const AuthChoice auth_choice = context.globals().auth;
  if (auth_choice == AuthChoice::owner || auth_choice == AuthChoice::admin || auth_choice == AuthChoice::none)
    return usage_error("--auth: whoami tells of auto, hmac and agent");
  if (auth_choice != AuthChoice::agent) return {};
  const auto choice = choose_agent(context, name.text, server_ahead_ms(context));
  if (choice && choice->own_key) return {};
  const auto refused = choice ? choice->refused : choice.error();
  if (refused && context.is_typed("auth")) return *refused;
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
  if (account) data.set("acting_account", to_string(*account));
  return {};
}

// Asks the server for tier and clock difference, and whose the API key is: only the server knows that of a key of the
// environment, and two sandboxes of one machine can be mistaken for each other. A refused credential ends the command.
Result<void> ask_server(Context& context, Json& data, bool of_environment) {
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto reply = SVC_TRY(exchange.read<api::ops::GetRateLimit>());
  data.set("tier", reply.string_at("tier"));
  if (const auto facts = exchange.fresh_facts()) data.set("skew_ms", (*facts)->skew_ms);
  data.set("verified", true);
  if (data.string_at("auth") != "hmac") return {};
  const auto target = SVC_TRY(exchange.read<api::ops::GetDepositTarget>());
  const std::string owner = target.text_at("account");
  const auto told = data.string_at(of_environment ? "acting_account" : "owner");
  if (told && parse_address(*told) != parse_address(owner)) {
    const std::string key =
        of_environment ? std::string("SVC_API_KEY") : "the stored API key " + std::string(data.text_at("key_id"));
    return guard("wrong_account", key, " is a key of account ", owner, " on this server, and ",
                 of_environment ? "SVC_ACCOUNT says " : "the session is of ", std::string(*told))
        .to_try({of_environment ? "export SVC_ACCOUNT=" + owner
                                : "svc -n " + data.text_at("network") + " login --wallet " + data.text_at("wallet")});
  }
  if (!of_environment) return {};
  data.set("owner", owner);
  data.set("acting_account", owner);
  context.facts().account = owner;
  return {};
}

Result<Answer> who_am_i(Context& context, bool verify) {
  const auto name = SVC_TRY(context.network_name());
  const auto config = SVC_TRY(context.config());
  const Paths& paths = **context.paths();
  const auto sessions = SVC_TRY(load_sessions(paths, name.text, context.now_ms()));
  const Session* session = current_session_of(context, sessions);
  if (context.globals().signer)
    session = sessions.find_wallet(*context.globals().signer);
  else if (context.globals().account && sessions.find(*context.globals().account) != nullptr)
    session = sessions.find(*context.globals().account);
  const Funds funds = funds_of(name.text, settings_of(*config, name.text));
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
  const auto in_session = session != nullptr ? std::optional(session->account) : std::nullopt;
  const auto owner = given ? given->account : in_session;
  const auto acting = !given && context.globals().account ? context.globals().account : owner;
  const bool open = session != nullptr && session->has_token();
  // By the server's clock; the stored time is by ours.
  const auto ends_ms = open ? std::optional(session->expires_at_ms + session->server_ahead_ms) : std::nullopt;
  Json data = Json::object({{"network", name.text},
                            {"funds", to_string(funds)},
                            {"owner", owner},
                            {"wallet", session != nullptr ? Json(session->wallet) : Json()},
                            {"acting_account", acting},
                            {"auth", key_id ? "hmac"
                                     : open ? "session"
                                            : "none"},
                            {"key_id", key_id},
                            {"agent", nullptr},
                            {"session", session == nullptr        ? "none"
                                        : session->out_of_reach() ? "out of reach"
                                        : open                    ? "open"
                                                                  : "expired"},
                            {"token_expires", ends_ms ? Json(rfc3339(*ends_ms)) : Json()},
                            {"token_expires_ms", ends_ms},
                            {"tier", nullptr},
                            {"skew_ms", nullptr},
                            {"verified", false}});
  SVC_TRY(name_agent(context, name, data));
  if (const auto shown = data.string_at("acting_account")) context.facts().account = std::string(*shown);
  if (verify) SVC_TRY(ask_server(context, data, given.has_value()));
  const auto skew_ms = data.integer_at("skew_ms");
  if (ends_ms && skew_ms && context.now_ms() + *skew_ms >= *ends_ms) data.set("session", "expired");
  return Answer{.data = std::move(data), .view = {{}, Layout::sheet}};
}

// Those of the account's open session; none without one.
Rings rings_of_session(Context& context, const Network& network, const Address& account) {
  const auto sessions = load_sessions(**context.paths(), network.name, context.now_ms());
  const Session* session = sessions ? sessions->find(account) : nullptr;
  return session != nullptr ? session->rings : Rings{};
}

// Stores it for the account; the name under which it is stored.
Result<std::string> keep_key(Context& context, const ApiKeyRecord& record, const Secret& secret, const Rings& before) {
  const auto lock = SVC_TRY(lock_rings(**context.paths(), record.network, record.account));
  const Rings now = rings_of_session(context, **context.network(), record.account);
  if (now.empty() && before.empty()) return internal_error("the session ended meanwhile");
  // After a logout in the meantime the old ring is used, which the wallet opens.
  return store_api_key(**context.paths(), record, secret, now.empty() ? before.front() : now.front());
}

struct CreateKeyFlags {
  std::optional<std::string> label, secret_file, name;
  PlainWrite write;

  void declare(Arguments& arguments) {
    arguments.add(label, {"--label", "a name to remember the key by", "TEXT"});
    arguments.add(secret_file, {"--print-secret-to", "also write the secret to this new file, mode 0600", "FILE"});
    arguments.add(name, {"--store", "keep it here under this name (default: its id)", "NAME"});
    write.declare(arguments, "the key works as soon as it is answered");
  }
};

Result<Answer> create_key(Context& context, const CreateKeyFlags& flags) {
  const auto& [label, secret_file, name, write] = flags;
  auto exchange = SVC_TRY(Exchange::open(context));
  const Network& network = exchange.network();
  // Checked before there is a key whose secret cannot be written.
  if (secret_file) SVC_TRY(check_new_given(*secret_file));
  if (name) SVC_TRY(check_api_key_name(**context.paths(), network.name, *name));
  if (!context.globals().dry_run) SVC_TRY(check_room_for_key(**context.paths(), network.name));
  Call call = call_of<api::ops::CreateKey>({.label = label});
  if (!label) call.carry({});  // the body may be absent altogether
  call.look_up = {command_line(context, "keys list")};
  const auto credential = SVC_TRY(choose_credential(context, network, call));
  const Address account = credential.account.value_or(Address{});
  const Rings before = rings_of_session(context, network, account);
  const auto reply = SVC_TRY(exchange.call(call));
  const auto key_id = reply.body.string_at("key_id");
  const auto secret = reply.body.string_at("secret");
  if (!key_id || !secret) return internal_error("the server's answer has no key_id and secret");
  if (!signing::HmacKey::from_hex(*secret))
    return internal_error("key ", *key_id, " was made, and its secret is not hex text, so it is of no use")
        .to_try({command_line(context, "keys delete " + std::string(*key_id))});
  const ApiKeyRecord record{.name = name.value_or(std::string(*key_id)),
                            .key_id = std::string(*key_id),
                            .network = network.name,
                            .account = account,
                            .label = label,
                            .created_at_ms = context.now_ms()};
  const Secret kept{std::string(*secret)};
  // Written first: it may be on another disk.
  const auto printed = secret_file ? write_new_given(*secret_file, std::string(*secret) + "\n") : Result<void>();
  const auto stored = keep_key(context, record, kept, before);
  if (!stored) {
    const bool is_elsewhere = printed && secret_file;
    // Whatever the cause is: a repeat would make one more key.
    return failed(ExitCode::internal, is_elsewhere ? stored.error().code : "key_secret_lost", "key ", record.key_id,
                  " was made, but its secret ", is_elsewhere ? "is in " + *secret_file + " alone" : "could not be kept",
                  ": ", stored.error().message)
        .with_details(Json::object({{"key_id", record.key_id}}))
        .to_try({command_line(context, "keys delete " + record.key_id)});
  }
  if (!printed)
    return failed(
               ExitCode::internal, printed.error().code, "key ", record.key_id,
               " was made and is stored here, but its secret could not be written for you: ", printed.error().message)
        .to_try({command_line(context, "keys list"), command_line(context, "keys delete " + record.key_id)});
  return Answer{.data = Json::object({{"key_id", record.key_id},
                                      {"network", network.name},
                                      {"account", to_string(record.account)},
                                      {"limit", reply.body.value_at("limit")},
                                      {"label", label},
                                      {"stored_as", "keys/" + network.name + "/api/" + *stored + ".json"}})};
}

// The server's keys, with what is stored here of them.
Result<void> add_stored_keys(Context& context, Answer& answer, const Given& given) {
  const auto network = context.network();
  const ApiKeys kept = network ? list_api_keys(**context.paths(), (*network)->name) : ApiKeys{};
  context.notices(kept.unreadable);
  answer.rows = Json::list(answer.data.items(), [&](Json row) {
    const ApiKeyRecord* record = nullptr;  // the latest
    for (const ApiKeyRecord& one : kept.records)
      if (row.string_at("key_id").value_or("") == one.key_id) record = &one;
    row.set("here", record != nullptr);
    if (record != nullptr) row.set("stored_as", record->name).set("created_at_ms", record->created_at_ms);
    return row;
  });
  if (!given.contains("--all-local")) return {};
  for (const ApiKeyRecord& record : kept.records) {
    if (outbox::find_row(*answer.rows, "key_id", record.key_id) != nullptr) continue;
    answer.rows->push(Json::object({{"key_id", record.key_id},
                                    {"label", record.label},
                                    {"created_at_ms", record.created_at_ms},
                                    {"here", "only here"},
                                    {"stored_as", record.name}}));
  }
  return {};
}

Answer deleted_key(const std::string& key_id, const std::string& network, bool on_server, bool here) {
  return {.data =
              Json::object({{"key_id", key_id}, {"network", network}, {"deleted", on_server}, {"forgotten", here}})};
}

// Of this machine; the server is not asked.
Result<Answer> forget_key(Context& context, const std::string& key) {
  const auto [name, paths] = SVC_TRY(context.network_files());
  if (context.globals().dry_run) return planned("forget_key", Json::object({{"key_id", key}, {"network", name.text}}));
  const auto record = find_api_key(*paths, name.text, key);
  if (!record) {
    // A file that cannot be read may be the one that is meant.
    const ApiKeys keys = list_api_keys(*paths, name.text);
    if (!keys.unreadable.empty()) return keys.unreadable.front();
    return absent("key_not_found", "API key ", key, " is not kept here for network ", name.text);
  }
  SVC_TRY(forget_api_key(*paths, *record));
  return deleted_key(record->key_id, name.text, false, true);
}

Result<Answer> delete_key(Context& context, std::string key, bool forget, const PlainWrite& write) {
  if (forget) return forget_key(context, key);
  auto exchange = SVC_TRY(Exchange::open(context));
  const std::string& network = exchange.network().name;
  const auto record = find_api_key(**context.paths(), network, key);
  if (record) key = record->key_id;
  Call call = call_of<api::ops::DeleteKey>({.key_id = key});
  call.direction = Direction::way_out;
  if (record) call.account = record->account;
  call.look_up = {command_line(context, "keys list")};
  const auto sent = write.send(context, exchange, call);
  // A key that the service does not know is of no use here.
  const bool is_unknown = !sent && sent.error().exit == ExitCode::not_found;
  bool gone = false;
  if (record && (sent || is_unknown)) {
    const auto forgotten = forget_api_key(**context.paths(), *record);
    gone = forgotten && *forgotten;
    if (!forgotten) context.notice("key_file", forgotten.error().message);
  }
  if (is_unknown && gone)
    context.notice("key_forgotten", "the service has no API key " + key + "; it is forgotten here");
  SVC_TRY(sent);
  return deleted_key(key, network, true, gone);
}

}  // namespace

std::vector<CommandRow> auth_commands() {
  return {
      {"login", "--wallet NAME", "Open a session for a wallet",
       "--wallet alice --password-file ~/password  # a session of 24 hours",
       Output{"network address wallet expires_at expires_at_ms:integer | message", "network address expires_at"},
       calls(
           log_in,
           {{"--wallet", "wallet to log in with (default: --signer, or the only one)", "NAME"},
            {"--ttl",
             "close the session and its API keys after this time (default and most: 24h; the keys until logout)", "D"},
            {"--print-message", "print what would be signed, and stop"}})},
      {"logout", "", "Forget a session", "# forget the session", Output{"network removed:integer"},
       calls(log_out, {{"--all", "every session of the network"}})},
      {"whoami", "", "Show who commands act for",
       "# who commands act for\n"
       "svc -n local --json whoami --verify  # the same, asking the server as well",
       Output{
           "network funds owner? wallet? acting_account? auth key_id? agent? session token_expires? "
           "token_expires_ms:integer? tier? skew_ms:integer? verified:boolean",
           "network funds owner wallet acting_account auth key_id agent session token_expires tier skew_ms verified"},
       calls(who_am_i, {{"--verify", "ask the server as well (costs nothing)"}}), Repeats::yes},
      {"keys create", "", "Create an API key and keep it here",
       "--label bot  # an API key; its secret is sealed on disk\n"
       "--store robot  # kept here under a name of its own",
       Output{"key_id network account limit:integer? label? stored_as", "key_id network stored_as"},
       calls(create_key, {no_field("--limit")})},
      {"keys list", "", "List the API keys of the server", "# keys of the account",
       operation<api::ops::ListKeys>(
           {.arguments = {own_flag("--all-local", "also keys kept here that the server does not list")},
            .columns = columns<api::ApiKeyInfo>("key_id label created@+created_at_ms tier +here +stored_as"),
            .then = add_stored_keys})},
      {"keys delete", "KEY_ID", "Delete an API key", "$KEY  # take one away from whoever has it",
       Output{"key_id network deleted:boolean forgotten:boolean", "key_id network deleted"},
       calls(delete_key, {{"KEY_ID", "key to delete on the server, or its name here"},
                          {"--forget", "only forget the copy kept here; the server is not asked"}})},
  };
}

}  // namespace svc::cli
