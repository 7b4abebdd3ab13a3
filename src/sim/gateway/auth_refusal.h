// Why a credential was not accepted. The caller never learns it: every one of these is the same opaque
// answer on the wire, and this is what the sandbox's request log shows instead. (API: Errors)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::sim {

enum class AuthFault : std::uint8_t {
  missing_credential,
  unlisted_credential,   // of a scheme the operation does not take
  ambiguous_credential,  // of two schemes at once
  repeated_or_empty_header,
  malformed_timestamp,
  timestamp_outside_window,
  malformed_nonce,
  nonce_not_increasing,
  malformed_signature,
  signature_mismatch,
  unknown_key,
  malformed_agent,
  unknown_agent,  // never registered, revoked or expired
  malformed_session_token,
  unknown_session,  // never opened, or over
  wrong_admin_secret,
  action_required,
  action_incomplete,  // some of its headers, not all
  action_not_formed,  // the body does not say what the action would sign
  malformed_acting_account,
  signer_not_entitled,  // neither the account nor an active agent of it
  wrong_login,
  other_networks_name,  // signed under a name that several networks have, and that is not this one's
};

[[nodiscard]] std::string_view to_string(AuthFault fault);

struct AuthRefusal {
  AuthFault fault = AuthFault::missing_credential;
  std::string note;        // particulars, no secrets: "31000 ms behind"
  bool recovered = false;  // a signature was recovered, in vain
};

}  // namespace svc::sim
