// login, logout, whoami
#include <utility>

#include "api/contract/account.h"
#include "api/contract/auth.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/client/credentials.h"
#include "cli/client/outgoing.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "signing/key.h"

namespace svc::cli {
namespace {

class Login final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--wallet", wallet_, "NAME", "wallet to log in with (default: --signer, or the only one)");
    arguments.text("--ttl", ttl_, "D", "close the session and its API keys after this time (default and most: 24h; the keys until logout)");
    arguments.flag("--print-message", print_message_, "print what would be signed, and stop");
  }

  Result<Answer, Stop> run(Context& context) override {
    std::int64_t ttl_ms = limits::session_lifetime_ms;
    if (ttl_) {
      const auto given = SVC_TRY(parse_duration("--ttl", *ttl_));
      ttl_ms = std::min(given, ttl_ms);
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    const Network& network = exchange.network();
    const auto message = SVC_TRY(message_for(exchange));
    if (print_message_) {
      return Answer{.data = Json::object({{"message", message}}), .text = message + "\n"};
    }
    const auto name = SVC_TRY(wallet_name(context, network));
    const auto signer = SVC_TRY(open_signer(context, network.name, name));
    const auto signature = SVC_TRY(sign_text(context, *signer, message));
    Call call = call_of<api::ops::Login>({.message = message, .signature = signing::to_string(signature)});
    call.look_up = {"svc -n " + network.name + " login --wallet " + name};
    context.facts().account = to_string(signer->address());
    const auto reply = SVC_TRY(exchange.call(call));
    // Who sets an end means the API keys as well.
    return open_session(context, exchange, name, *signer, reply, {.ttl_ms = ttl_ms, .keys_stay = !ttl_});
  }

 private:
  // The constant text names the signing domain; without it there is nothing to sign. (API: Networks, rule 6)
  static Result<std::string, Stop> message_for(Exchange& exchange) {
    SVC_TRY(exchange.prove_host());
    const auto facts = SVC_TRY(exchange.facts());
    const auto name = domain_name(*facts, exchange.network());
    if (!name) return unexpected(Stop(nothing_signed(name.error(), exchange.network())));
    return signing::login_message(*name);
  }

  Result<std::string, Failure> wallet_name(Context& context, const Network& network) const {
    if (wallet_) return *wallet_;
    if (context.globals().signer) return *context.globals().signer;
    const auto wallets = SVC_TRY(list_wallets(**context.paths(), network.name));
    if (wallets.size() == 1) return wallets.front().name;
    Failure failure = usage_error(wallets.empty() ? "no wallet is filed under network " + network.name
                                                  : "several wallets are filed under network " + network.name +
                                                        "; say which with --wallet");
    failure.actions = {"svc -n " + network.name + (wallets.empty() ? " keystore new NAME" : " keystore list")};
    return unexpected(failure);
  }

  struct Lasting {
    std::int64_t ttl_ms = 0;
    bool keys_stay = false;
  };
  static Result<Answer, Stop> open_session(Context& context, Exchange& exchange, const std::string& wallet,
                                           const Signer& key, const Reply& reply, const Lasting& lasting) {
    const Network& network = exchange.network();
    const auto facts = SVC_TRY(exchange.facts());
    const std::int64_t ahead_ms = correction_ms(*facts);
    const auto token = reply.body.string_at("token");
    const auto address = parse_address(reply.body.string_at("address").value_or(""));
    if (!token || token->empty() || address != key.address()) {
      return unexpected(Stop(internal_error("the server's answer to the login has no token for this wallet")));
    }
    const TimestampMs expires_at_ms = context.now_ms() + lasting.ttl_ms;
    const Paths& paths = **context.paths();
    const auto enter = [&](const Rings& rings) -> Result<void, Failure> {
      SVC_TRY(change_sessions(paths, network.name, context.now_ms(), [&](Sessions& sessions) {
        sessions.enter({.account = key.address(),
                        .wallet = wallet,
                        .expires_at_ms = expires_at_ms,
                        .server_ahead_ms = ahead_ms,
                        .keys_stay = lasting.keys_stay,
                        .token = Secret(std::string(*token)),
                        .rings = rings});
      }));
      return {};
    };
    SVC_TRY(renew_rings(paths, network.name, key, context.environment(), enter));
    if (Pinned* shell = context.pinned(); shell != nullptr && !context.globals().signer)
      shell->keep_session({.account = key.address(), .wallet = wallet});
    const auto pinned = pinned_session(context);
    if (pinned && pinned->account != key.address()) {
      context.notice("shell_account", "this shell goes on with wallet " + pinned->wallet + "; for " + wallet +
                                          " open another one, or put --signer " + wallet + " into a line");
    }
    Json data = Json::object({{"network", network.name},
                              {"address", to_string(key.address())},
                              {"wallet", wallet},
                              {"expires_at", rfc3339(expires_at_ms + ahead_ms)},
                              {"expires_at_ms", expires_at_ms + ahead_ms}});
    return Answer{.data = std::move(data)};
  }

  std::optional<std::string> wallet_;
  std::optional<std::string> ttl_;
  bool print_message_ = false;
};

class Logout final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.flag("--all", all_, "every session of the network"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto network = SVC_TRY(context.network_name());
    const auto paths = SVC_TRY(context.paths());
    std::size_t removed = 0;
    const auto leave = [&](Sessions& sessions) { removed = drop(context, sessions); };
    auto sessions = SVC_TRY(load_sessions(*paths, network.text, context.now_ms()));
    leave(sessions);
    if (context.globals().dry_run) {
      return unexpected(dry_run(Json::object(
          {{"dry_run", true}, {"operation", "logout"}, {"network", network.text}, {"would_remove", removed}})));
    }
    SVC_TRY(sweep_sessions(*paths, network.text));
    if (removed > 0) {
      const auto changed = change_sessions(*paths, network.text, context.now_ms(), leave);
      if (!changed) return unexpected(Stop(changed.error()));
    }
    return Answer{.data = Json::object({{"network", network.text}, {"removed", removed}})};
  }

 private:
  // Returns how many went.
  std::size_t drop(Context& context, Sessions& sessions) const {
    if (all_) return std::exchange(sessions, {}).all.size();
    const Session* chosen = current_session_of(context, sessions);
    if (context.globals().signer) chosen = sessions.find_wallet(*context.globals().signer);
    if (context.globals().account) chosen = sessions.find(*context.globals().account);
    if (chosen == nullptr) return 0;
    const Address account = chosen->account;
    const std::size_t gone = std::erase_if(sessions.all, [&](const Session& one) { return one.account == account; });
    // Nobody is put in the place of who left: the next order is for whom somebody names. (D-736)
    if (sessions.current == account) sessions.current.reset();
    return gone;
  }

  bool all_ = false;
};

class WhoAmI final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--verify", verify_, "ask the server as well (costs nothing)");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto name = SVC_TRY(context.network_name());
    const auto config = SVC_TRY(context.config());
    const Paths& paths = **context.paths();
    const auto sessions = SVC_TRY(load_sessions(paths, name.text, context.now_ms()));
    const Session* session = current_session_of(context, sessions);
    if (context.globals().signer) session = sessions.find_wallet(*context.globals().signer);
    if (context.globals().account && sessions.find(*context.globals().account) != nullptr) {
      session = sessions.find(*context.globals().account);
    }
    const auto known = config->networks.find(name.text);
    const NetworkConfig settings = known == config->networks.end() ? NetworkConfig{} : known->second;

    Json data = Json::object({{"network", name.text}, {"funds", to_string(funds_of(name.text, settings))}});
    data.set("owner", session ? Json(to_string(session->account)) : Json());
    data.set("wallet", session ? Json(session->wallet) : Json());
    std::optional<std::string> key_id;
    const auto keys = SVC_TRY(list_api_keys(paths, name.text));
    for (const ApiKeyRecord& key : keys) {
      if (session != nullptr && key.account == session->account) key_id = key.key_id;
    }
    // The environment comes before what is stored, as it does for commands that send something.
    std::optional<Credential> given;
    if (!context.globals().signer) {
      auto read = SVC_TRY(credential_from_environment(context, name.text, funds_of(name.text, settings)));
      given = std::move(read);
    }
    if (given) key_id = std::get<HmacCredential>(given->how).key_id;
    const std::optional<Address> acting = given                       ? given->account
                                          : context.globals().account ? context.globals().account
                                          : session != nullptr        ? std::optional(session->account)
                                                                      : std::nullopt;
    data.set("acting_account", acting ? Json(to_string(*acting)) : Json());
    const bool open = session != nullptr && session->has_token();
    data.set("auth", key_id ? Json("hmac") : open ? Json("session") : Json("none"));
    data.set("key_id", key_id);
    data.set("agent", nullptr);
    SVC_TRY(name_agent(context, name, acting, data));
    data.set("session", session == nullptr          ? Json("none")
                        : session->out_of_reach() ? Json("out of reach")
                                                  : Json(open ? "open" : "expired"));
    // By the server's clock, as it shows its times; what is kept here is ours.
    const auto ends_ms = open ? std::optional(session->expires_at_ms + session->server_ahead_ms) : std::nullopt;
    data.set("token_expires", ends_ms ? Json(rfc3339(*ends_ms)) : Json());
    data.set("token_expires_ms", ends_ms);
    if (const auto shown = data.string_at("acting_account")) context.facts().account = std::string(*shown);
    SVC_TRY(ask(context, data));

    return Answer{.data = std::move(data), .view = {{}, Layout::sheet}};
  }

 private:
  // With --auth agent, typed or set, commands sign with an agent's key wherever one is taken.
  static Result<void, Failure> name_agent(Context& context, const NetworkName& name,
                                          const std::optional<Address>& acting, Json& data) {
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

  // Tier and clock difference are the server's to tell; a refused credential ends the command.
  Result<void, Stop> ask(Context& context, Json& data) const {
    data.set("tier", nullptr);
    data.set("skew_ms", nullptr);
    data.set("verified", false);
    if (!verify_) return {};
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetRateLimit>()));
    data.set("tier", reply.body.string_at("tier"));
    if (const auto facts = exchange.fresh_facts()) data.set("skew_ms", (*facts)->skew_ms);
    data.set("verified", true);
    return {};
  }

  bool verify_ = false;
};

}  // namespace

std::span<const CommandRow> login_commands() {
  static const CommandRow rows[]{
      {"login", "--wallet NAME", "Open a session for a wallet", make<Login>},
      {"logout", "", "Forget a session", make<Logout>},
      {"whoami", "", "Show who commands act for", make<WhoAmI>, Repeats::yes},
  };
  return rows;
}

}  // namespace svc::cli
