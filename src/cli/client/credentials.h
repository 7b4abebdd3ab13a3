// Chooses the credential of a call, only from what is stored for its network.
#pragma once

#include <memory>
#include <variant>

#include "base/address.h"
#include "base/secret.h"
#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/client/signers.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "signing/hmac.h"

namespace svc::cli {

struct NoCredential {};
struct HmacCredential {
  std::string key_id;
  std::shared_ptr<const signing::HmacKey> key;
};
struct AgentCredential {
  std::shared_ptr<const Signer> signer;
  Address address;
};
struct BearerCredential {
  Secret token;  // session token or operator secret
};

struct Credential {
  std::variant<NoCredential, HmacCredential, AgentCredential, BearerCredential> how;
  std::optional<Address> account;     // whose credential it is, if known
  std::optional<std::string> wallet;  // the wallet that can sign for it

  [[nodiscard]] std::string_view scheme() const;  // "none", "hmac", "agent", "bearer"
  [[nodiscard]] std::string key() const;          // id of the API key, address of the agent; empty for others
};

// The session of a line that names none: that of this run or its shell. If there is none yet, that of the last login,
// which this run keeps.
[[nodiscard]] const Session* current_session_of(Context& context, const Sessions& sessions);

// SVC_API_KEY, SVC_API_SECRET and SVC_ACCOUNT, for containers, which get credentials as environment variables. nullopt
// if they are not set. A key belongs to one network: exit 14 if SVC_API_KEY_NETWORK names another, and on real funds if
// it is missing. (D-640)
Result<std::optional<Credential>> credential_from_environment(Context& context, const std::string& network,
                                                              Funds funds);

// That credential where it replaces a session: not if --signer was typed, nor if a setting names a signer and the key
// may be of another network.
Result<std::optional<Credential>> credential_in_place_of_session(Context& context, const Network& network);
// Its account, for what a session or a wallet proves; exit 14 if it does not say.
Result<std::optional<Address>> account_in_place_of_session(Context& context, const Network& network);

// Exit 5 if --signer names no wallet that is stored here.
Result<void> expect_signer_is_filed(Context& context, const Paths& paths, const std::string& network);

// The wallet that signs for this run; nullopt for a credential of the environment, or if nobody is logged in.
Result<std::optional<std::string>> signer_of_run(Context& context, const Network& network);

// Exit 2 if --auth agent was typed and no agent may sign the operation. What the owner signs asks before it opens the
// owner's key.
Result<void> check_agent_may_sign(const Context& context, const api::Operation& operation);

// Exit 4 with the command that would help if there is none.
Result<Credential> choose_credential(Context& context, const Network& network, const Call& call);

// Keeps the credential of orders in memory for the rest of the run, for when it cannot be opened again: a logout, a
// lock or a damaged file must not keep a guard from cancelling. From then on nobody is asked for a password.
void hold_credential(Context& context, const Network& network);

// Which account acts and which agent key signs, for --auth agent.

// Everything that the choice depends on.
struct AgentQuestion {
  struct Named {
    std::string wallet;
    std::optional<Address> address{};  // nullopt: no such wallet is stored here
    bool owns = false;                 // it owns an account: it has a session, API keys or agents here
  };
  std::string network;
  std::optional<Named> signer{};      // --signer
  std::optional<Address> account{};   // -a
  std::optional<Address> selected{};  // by the last login or by the shell
  bool logged_out = false;            // no account but `selected` may be chosen
  std::optional<std::string> kept{};  // the agent that this shell already signs with
  bool is_typed = false;              // --auth agent was typed, not set for all commands
  std::vector<AgentRecord> agents{};  // stored here
  TimestampMs now_ms = 0;
};

struct AgentChoice {
  // The agents to try, in this order: one, or on the way out all of the account's.
  std::vector<AgentRecord> agents{};
  // The account's agents that have expired by our clock, which may be wrong: the last resort of the way out.
  std::vector<AgentRecord> expired{};
  // The account of those agents, and of the API key that replaces them: the named or selected one. nullopt: not known.
  std::optional<Address> account{};
  // Why no agent can sign, or that several could. An order then fails, unless `own_key` is set.
  std::optional<Failure> refused{};
  bool own_key = false;  // no agent of the account is stored here: its API key signs all commands
};

// Never chooses an account that was neither named nor selected. (D-781)
[[nodiscard]] AgentChoice choose_agent(const AgentQuestion& question);
// The server's clock minus ours, as it was measured last; 0 if the network cannot be found or was never asked.
[[nodiscard]] std::int64_t server_ahead_ms(Context& context);
// The same, for what is stored here; `ahead_ms`: the server's clock minus ours.
Result<AgentChoice> choose_agent(Context& context, std::string_view network, std::int64_t ahead_ms);

}  // namespace svc::cli
