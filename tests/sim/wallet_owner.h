// The owner of an account, who signs withdrawals and transfers with the wallet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "signing/domain.h"
#include "signing/hash.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {

// Deviations from a correct signature.
struct OwnerTerms {
  std::optional<std::uint64_t> nonce = {};  // the next one, if absent
  std::optional<signing::PrivateKey> signer = {};
  std::string deployment = "svc-local";  // in the struct and in the request
  std::string domain_name = "Svc Exchange";
  std::int64_t skew_ms = 0;
};

// The body by which the wallet makes a key its agent, signed under that domain.
[[nodiscard]] Json agent_registration(const signing::PrivateKey& wallet, const signing::PrivateKey& agent,
                                      TimestampMs expires_at_ms, std::uint64_t nonce, const signing::Domain& domain);

class Owner {
 public:
  Owner(TestExchange& exchange, const signing::PrivateKey& wallet) : exchange_(exchange), wallet_(wallet) {}
  // Development account number `index`.
  Owner(TestExchange& exchange, std::size_t index);

  [[nodiscard]] std::string account() const { return to_string(wallet_.address()); }
  [[nodiscard]] const signing::PrivateKey& wallet() const { return wallet_; }

  // Signs `units` of 0.000001 USDX, whatever the body says.
  [[nodiscard]] Json withdrawal(const Json& amount, std::uint64_t units, const OwnerTerms& terms = {});
  Reply withdraw(const std::string& amount, const OwnerTerms& terms = {});

  Reply enroll(const OwnerTerms& terms = {});
  Reply pay(const std::string& recipient, const std::string& amount, const std::string& id,
            const OwnerTerms& terms = {});
  Reply list(const std::string& limit = "", const std::string& cursor = "", const OwnerTerms& terms = {});
  Reply read(const std::string& id, const OwnerTerms& terms = {});

  [[nodiscard]] std::uint64_t next_nonce() { return ++nonce_; }

 private:
  [[nodiscard]] std::string sign(const signing::Hash32& struct_hash, const OwnerTerms& terms) const;
  [[nodiscard]] std::uint64_t stamp(const OwnerTerms& terms) const;
  Reply send(std::string_view method, const std::string& target, const std::string& body,
             const signing::Hash32& struct_hash, std::optional<std::uint64_t> nonce, const OwnerTerms& terms) const;

  TestExchange& exchange_;
  signing::PrivateKey wallet_;
  std::uint64_t nonce_ = 0;
};

}  // namespace svc::sim
