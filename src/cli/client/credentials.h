// The credential of a call, chosen from what is filed for its network and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/operation.h"
#include "base/address.h"
#include "base/result.h"
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
  signing::HmacKey key;
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
  std::optional<Address> account;     // whose credential it is, if that is known here
  std::optional<std::string> wallet;  // the wallet that can sign for it

  [[nodiscard]] std::string_view scheme() const;  // "none", "hmac", "agent", "bearer"
  [[nodiscard]] std::string key() const;          // id of the API key, address of the agent; empty for others
};

// The session that the shell of this line keeps to, if it runs in one that has found any.
[[nodiscard]] std::optional<PinnedSession> pinned_session(Context& context);
// The session that a line acts with if it names none: the shell's, else the last one that logged in.
[[nodiscard]] const Session* current_session_of(Context& context, const Sessions& sessions);

// SVC_API_KEY, SVC_API_SECRET and SVC_ACCOUNT: containers hand credentials over as environment variables.
// nullopt if they are not set. A key is of one network: exit 14 where SVC_API_KEY_NETWORK names another, and on real
// funds where it is missing. (D-640)
[[nodiscard]] Result<std::optional<Credential>, Failure> credential_from_environment(Context& context,
                                                                                     const std::string& network,
                                                                                     Funds funds);

// " (signer is set by SVC_SIGNER)": which layer said it, of a setting that cannot be used; empty if it was typed.
[[nodiscard]] std::string said_by_layer(Context& context, std::string_view setting);

// Fails with exit 4 and the command that would help if there is none.
[[nodiscard]] Result<Credential, Failure> choose_credential(Context& context, const Network& network, const Call& call);

// Who acts, and with which key, where an agent's key is to sign.

// All that the choice depends on.
struct AgentQuestion {
  struct Named {
    std::string wallet;
    std::optional<Address> address{};  // nullopt: no such wallet here
    bool owns = false;                 // it is an account's own: it has a session, API keys or agents here
  };
  std::string network;
  std::optional<Named> signer{};      // --signer
  std::optional<Address> account{};   // -a
  std::optional<Address> selected{};  // by the last login, or by the shell
  bool logged_out = false;            // others than `selected` do not come in question
  std::optional<std::string> kept{};  // the agent that this shell signs with
  bool is_typed = false;              // --auth agent, rather than a setting that holds for all commands
  std::vector<AgentRecord> agents{};  // filed here
  TimestampMs now_ms = 0;
};

struct AgentChoice {
  // That may sign, in turn: one, or on the way out each of the account's.
  std::vector<AgentRecord> agents{};
  // Whose they are and whose API key stands in: named or selected. nullopt: not known.
  std::optional<Address> account{};
  // Why no agent signs, or which of several is not known. An order needs one then, unless the account's own key does.
  std::optional<Failure> refused{};
  bool own_key = false;  // the account's API key signs all commands instead: none of its agents is filed here
};

// Nobody acts for an account that was neither named nor selected. (D-781)
[[nodiscard]] AgentChoice choose_agent(const AgentQuestion& question);
// The same, with what is filed here.
[[nodiscard]] Result<AgentChoice, Failure> choose_agent(Context& context, std::string_view network);

}  // namespace svc::cli
