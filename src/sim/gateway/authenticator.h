// Identifies the caller and who authorised the trade: the six schemes of the API and the signed action beside them.
//
//   hmac              X-API-Key, X-Timestamp, X-Signature
//   agent             X-Agent, X-Timestamp, X-Nonce, X-Signature; or X-Agent and a signed action alone
//   bearer            Authorization: Bearer SESSION
//   admin             Authorization: Bearer SECRET
//   owner_signature   X-Timestamp, X-Signature and, on writes, X-Nonce: read here, verified by the handler,
//                     which knows the struct
//   wallet_signature  in the body: verified by the handler; other credentials are ignored
//
// Order of checks, the same in every scheme: clock skew, format, look-up, signature, entitlement, nonce. A key or
// session that the operation does not list is ignored beside a listed credential and proves nothing alone; an agent is
// refused wherever it is not listed. (D-226) Thread-safe.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "api/operation.h"
#include "base/address.h"
#include "base/archive.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "signing/hmac.h"
#include "signing/key.h"
#include "sim/services/services.h"

namespace svc::sim {

struct NetworkSettings;

// Why a credential was not accepted: shown in the sandbox's request log, never to the caller. (API: Errors)
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
  unknown_session,    // never opened, or expired
  revoked_meanwhile,  // the key or agent, while the write waited for the log
  wrong_admin_secret,
  action_required,
  action_incomplete,  // some of its headers, not all
  action_not_formed,  // the body does not determine what the action would sign
  malformed_acting_account,
  signer_not_entitled,  // neither the account nor an active agent of it
  wrong_login,
  unknown_stream_token,  // never minted, used or expired; or the key or agent that minted it stands no more
  other_networks_name,   // signed under a name that several networks share and another one owns
};
[[nodiscard]] constexpr std::string_view to_string(AuthFault fault) {
  return enumerator_names<AuthFault, AuthFault::other_networks_name>[static_cast<std::size_t>(fault)];
}

struct AuthRefusal {
  AuthFault fault = AuthFault::missing_credential;
  std::string note;        // particulars, no secrets: "31000 ms behind"
  bool recovered = false;  // a signature was recovered without success
  std::string expected{};  // the text that should have been signed; empty: it was not formed
};

// Whether an account was ever paid anything. If absent, no account was.
using AccountProbe = std::function<bool(const Address&)>;

struct AuthRequest {
  const api::Operation& operation;
  signing::RequestParts parts;  // what was signed
  const api::Headers& headers;
  TimestampMs now_ms;
  bool body_is_json;            // or the body is empty; otherwise no action can be formed
  std::size_t order_count = 0;  // of a batch
};

// A caller whose credential was verified.
struct Caller {
  Address account{};                       // the account; its budgets pay
  std::shared_ptr<const ApiKey> key = {};  // hmac only
  std::optional<Address> agent = {};       // agent only
};

// An action signed by its account or by an active agent of it.
struct VerifiedAction {
  Address account;
  Address signer;
};

// The owner's signature of a request; not verified yet.
struct OwnerSignature {
  signing::Signature signature;
  TimestampMs timestamp_ms = 0;
  std::optional<std::uint64_t> nonce = {};  // writes only
};

struct Authentication {
  // True once the caller is known: an account, or the operator.
  [[nodiscard]] bool proven() const { return caller.has_value() || operator_secret; }
  // What the request needs to stand until it happens.
  [[nodiscard]] Entitlements entitlements() const;

  const char* credential = "none";  // for the request log: "hmac", "agent", "action", ...
  bool operator_secret = false;
  std::optional<Caller> caller = {};  // hmac, agent, bearer
  std::optional<VerifiedAction> action = {};
  std::optional<OwnerSignature> owner = {};
  std::optional<signing::Unformed> unformed_action = {};  // why the body gives no action; the request must fail
  std::string expected = {};                              // the text that was to be signed; empty: none
};

// Whether a request bears a credential in its header, good or bad.
[[nodiscard]] bool bears_credential(const api::Headers& headers);

// Recovers signers, and knows those of the latest signatures: whoever sends a signed request again, which no budget may
// stop, costs no recovery. Thread-safe. (D-1152)
class Signers {
 public:
  explicit Signers(std::function<decltype(signing::recover)> recover = signing::recover)
      : recover_(std::move(recover)) {}

  // As signing::recover().
  [[nodiscard]] std::optional<Address> of(const signing::Hash32& digest, const signing::Signature& signature);

 private:
  using Signed = std::pair<signing::Hash32, signing::Signature>;
  struct Hash {
    // Of the signature: one text may come with any number of them.
    std::size_t operator()(const Signed& one) const {
      return boost::hash_range(one.second.bytes.begin(), one.second.bytes.end());
    }
  };

  const std::function<decltype(signing::recover)> recover_;
  Ranked<LockRank::counter> mutex_;
  boost::unordered_flat_map<Signed, Address, Hash> known_;
  std::deque<Signed> oldest_first_;
};

class Authenticator {
 public:
  // All of them outlive this. An empty admin secret refuses every admin request.
  Authenticator(const Services& services, const AccountProbe& has_money, const NetworkSettings& settings);

  // Whether a request for it has to prove anything here.
  [[nodiscard]] static bool asks_for_proof(const api::Operation& operation) {
    return !operation.auth.is_public() && !operation.auth.has(api::Auth::ws_token);
  }

  // Whether verifying this request recovers a signature, the expensive part; handlers that verify are not covered.
  [[nodiscard]] static bool recovers(const api::Operation& operation, const api::Headers& headers);

  // Adds nonces to be spent to `spent`, whatever the result: fresh as far as is known here; the writer decides.
  [[nodiscard]] Result<Authentication, AuthRefusal> authenticate(const AuthRequest& request, SpentNonces& spent) const;

 private:
  struct Credential;

  [[nodiscard]] Result<Credential, AuthRefusal> prove_hmac(const AuthRequest& request) const;
  [[nodiscard]] Result<Credential, AuthRefusal> prove_agent(const AuthRequest& request) const;
  [[nodiscard]] Result<Credential, AuthRefusal> prove_session(const AuthRequest& request) const;
  [[nodiscard]] Result<Authentication, AuthRefusal> prove_admin(const AuthRequest& request) const;
  [[nodiscard]] Result<Authentication, AuthRefusal> read_owner_signature(const AuthRequest& request) const;
  // Verifies the caller's credential and the action, if any, together: their nonces are spent at once.
  [[nodiscard]] Result<Authentication, AuthRefusal> prove_caller(const AuthRequest& request, SpentNonces& spent) const;
  [[nodiscard]] Result<void, AuthRefusal> verify_action(const AuthRequest& request, Credential& credential) const;
  // Whether the venue knows the account: unknown accounts have no nonces here. (D-233)
  [[nodiscard]] bool knows(const Address& account, TimestampMs now_ms) const;
  // Unix milliseconds in base 10, within limits::auth_window_ms of the server's clock unless any time is taken.
  [[nodiscard]] Result<TimestampMs, AuthRefusal> timestamp_of(const AuthRequest& request, std::string_view name) const;

  const Services& services_;
  const AccountProbe& has_money_;
  const NetworkSettings& settings_;
  signing::Hash32 action_separator_;
  signing::HmacKey decoy_key_;
  mutable Signers signers_;
};

}  // namespace svc::sim
