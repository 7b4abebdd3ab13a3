// A participant as the outside world sees one, and how it signs its requests.
//
// Requests are signed as they are given: with the logical path as their target. Whoever sends them under
// a base prefixes it afterwards, as clients do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "signing/key.h"

namespace svc::contract {

struct Participant {
  signing::PrivateKey wallet;
  signing::PrivateKey agent;
  std::string key_id;
  std::string key_secret;
  std::string session;

  [[nodiscard]] const Address& account() const { return wallet.address(); }
};

// The private key whose 64 digits are all this one.
[[nodiscard]] signing::PrivateKey key_of(char digit);

// What an action says besides the trade. What is absent is the participant's own.
struct ActionTerms {
  std::uint64_t nonce = 1;
  std::optional<signing::PrivateKey> signer = {};
  std::optional<Address> account = {};
  std::string deployment = "svc-local";
  std::string domain_name = "Svc Exchange";
};

class SigningClient {
 public:
  explicit SigningClient(const Clock& clock) : clock_(clock) {}

  [[nodiscard]] api::HttpRequest with_key(api::HttpRequest request, const Participant& who) const;
  [[nodiscard]] api::HttpRequest with_agent(api::HttpRequest request, const Participant& who,
                                            std::uint64_t nonce) const;
  [[nodiscard]] api::HttpRequest with_bearer(api::HttpRequest request, std::string_view token) const;
  [[nodiscard]] api::HttpRequest with_owner_signature(api::HttpRequest request, std::uint64_t nonce) const;
  [[nodiscard]] api::HttpRequest with_action(api::HttpRequest request, const Participant& who,
                                             const ActionTerms& terms) const;

  std::int64_t skew_ms = 0;  // how far the signer's clock is ahead of the venue's

 private:
  [[nodiscard]] TimestampMs stamp() const { return clock_.now_ms() + skew_ms; }

  const Clock& clock_;
};

// The body of POST /auth/login for that wallet.
[[nodiscard]] std::string login_body(const signing::PrivateKey& wallet, std::string_view domain_name = "Svc Exchange");

}  // namespace svc::contract
