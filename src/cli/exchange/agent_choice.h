// Who acts, and with which key, where an agent's key is to sign.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "cli/secrets/agent_store.h"

namespace svc::cli {

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
  bool nobody_since_logout = false;           // others than `selected` do not come in question
  std::optional<std::string> kept{};          // the agent that this shell signs with
  bool is_typed = false;                      // --auth agent, rather than a setting that holds for all commands
  std::vector<AgentRecord> agents{};          // filed here
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
