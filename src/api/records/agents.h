// Agent keys: who may trade for an account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/record.h"
#include "api/records/page.h"
#include "base/address.h"
#include "base/clock.h"

namespace svc::api {

// Signed by the wallet as RegisterAgent; expires_at must be sent to be signed (absent: 30 days ahead).
struct RegisterAgentRequest {
  Address wallet{};
  Address agent{};
  std::uint64_t nonce = 0;
  std::string signature{};
  std::optional<TimestampMs> expires_at{};
  std::optional<std::string> label{};
  std::optional<std::uint64_t> chain_id{};

  static constexpr FieldInfo fields[] = {
      field<&RegisterAgentRequest::wallet>("wallet", "The account that delegates and signs")
          .refused_as(ErrorCode::bad_wallet),
      field<&RegisterAgentRequest::agent>("agent", "The key that may trade").refused_as(ErrorCode::bad_agent),
      field<&RegisterAgentRequest::nonce>("nonce", "Nonce of the signed struct"),
      field<&RegisterAgentRequest::signature>("signature", "65 bytes in hex"),
      field<&RegisterAgentRequest::expires_at>("expires_at", "Unix milliseconds, 1 to 90 days ahead").omit_when_empty(),
      field<&RegisterAgentRequest::label>("label", "A name to remember it by").omit_when_empty(),
      field<&RegisterAgentRequest::chain_id>("chain_id", "Chain id of the signing domain").omit_when_empty()};
};

struct RegisteredAgent {
  Address agent_address{};
  TimestampMs expires_at = 0;

  static constexpr FieldInfo fields[] = {field<&RegisteredAgent::agent_address>("agent_address", "Agent"),
                                         field<&RegisteredAgent::expires_at>("expires_at", "Unix milliseconds")};
};

struct AgentInfo {
  Address address{};
  TimestampMs expires_at = 0;
  TimestampMs registered_at = 0;
  std::optional<std::string> label{};

  static constexpr FieldInfo fields[] = {field<&AgentInfo::address>("address", "Agent"),
                                         field<&AgentInfo::expires_at>("expiresAt", "Unix milliseconds"),
                                         field<&AgentInfo::registered_at>("registeredAt", "Unix milliseconds"),
                                         field<&AgentInfo::label>("label", "The name given at registration")};
};

struct AgentRef {
  Address address{};

  static constexpr FieldInfo fields[] = {field<&AgentRef::address>("address", "Agent").path()};
};

struct RevokedAgent {
  Address address{};
  bool revoked = true;

  static constexpr FieldInfo fields[] = {field<&RevokedAgent::address>("address", "Agent"),
                                         field<&RevokedAgent::revoked>("revoked", "Always true")};
};

}  // namespace svc::api
