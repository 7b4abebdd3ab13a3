#include "sim/gateway/auth_refusal.h"

#include "base/assert.h"

namespace svc::sim {

std::string_view to_string(AuthFault fault) {
  switch (fault) {
    case AuthFault::missing_credential: return "missing_credential";
    case AuthFault::unlisted_credential: return "unlisted_credential";
    case AuthFault::ambiguous_credential: return "ambiguous_credential";
    case AuthFault::repeated_or_empty_header: return "repeated_or_empty_header";
    case AuthFault::malformed_timestamp: return "malformed_timestamp";
    case AuthFault::timestamp_outside_window: return "timestamp_outside_window";
    case AuthFault::malformed_nonce: return "malformed_nonce";
    case AuthFault::nonce_not_increasing: return "nonce_not_increasing";
    case AuthFault::malformed_signature: return "malformed_signature";
    case AuthFault::signature_mismatch: return "signature_mismatch";
    case AuthFault::unknown_key: return "unknown_key";
    case AuthFault::malformed_agent: return "malformed_agent";
    case AuthFault::unknown_agent: return "unknown_agent";
    case AuthFault::malformed_session_token: return "malformed_session_token";
    case AuthFault::unknown_session: return "unknown_session";
    case AuthFault::wrong_admin_secret: return "wrong_admin_secret";
    case AuthFault::action_required: return "action_required";
    case AuthFault::action_incomplete: return "action_incomplete";
    case AuthFault::action_not_formed: return "action_not_formed";
    case AuthFault::malformed_acting_account: return "malformed_acting_account";
    case AuthFault::signer_not_entitled: return "signer_not_entitled";
    case AuthFault::wrong_login: return "wrong_login";
    case AuthFault::other_networks_name: return "other_networks_name";
  }
  SVC_ASSERT(false);
}

}  // namespace svc::sim
