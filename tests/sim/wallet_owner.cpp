#include "sim/wallet_owner.h"

#include "api/http/http_message.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "signing/actions.h"
#include "signing/domain.h"

namespace svc::sim {
namespace {

signing::PrivateKey dev_key(const TestExchange& exchange, std::size_t index) {
  return *signing::PrivateKey::from_hex(exchange.sandbox.accounts().at(index).private_key);
}

std::string encoded(const std::string& text) {
  return api::percent_encode(text, api::Plus::is_blank);
}

}  // namespace

Json agent_registration(const signing::PrivateKey& wallet, const signing::PrivateKey& agent, TimestampMs expires_at_ms,
                        std::uint64_t nonce, const signing::Domain& domain) {
  const auto hash = signing::struct_hash(signing::RegisterAgent{
      .agent = agent.address(), .expires_at_ms = static_cast<std::uint64_t>(expires_at_ms), .nonce = nonce});
  return {{"wallet", to_string(wallet.address())},
          {"agent", to_string(agent.address())},
          {"nonce", nonce},
          {"expires_at", expires_at_ms},
          {"signature", to_string(wallet.sign(signing::typed_data_digest(signing::separator(domain), hash)))}};
}

Owner::Owner(TestExchange& exchange, std::size_t index) : Owner(exchange, dev_key(exchange, index)) {}

std::uint64_t Owner::stamp(const OwnerTerms& terms) const {
  return static_cast<std::uint64_t>(exchange_.sandbox.clock().now_ms() + terms.skew_ms);
}

std::string Owner::sign(const signing::Hash32& struct_hash, const OwnerTerms& terms) const {
  const auto separator = signing::separator(signing::action_domain(terms.domain_name));
  return signing::to_string(terms.signer.value_or(wallet_).sign(signing::typed_data_digest(separator, struct_hash)));
}

Json Owner::withdrawal(const Json& amount, std::uint64_t units, const OwnerTerms& terms) {
  const std::uint64_t nonce = terms.nonce ? *terms.nonce : next_nonce();
  const signing::WithdrawIntent intent{.amount = units, .nonce = nonce};
  return {{"wallet", account()},
          {"amount", amount},
          {"nonce", nonce},
          {"signature", sign(signing::struct_hash(intent), terms)}};
}

Reply Owner::withdraw(const std::string& amount, const OwnerTerms& terms) {
  const auto units = parse_scaled(amount, usdx_decimals);
  SVC_ASSERT(units.has_value());
  return exchange_.post("/v1/withdrawals", withdrawal(amount, static_cast<std::uint64_t>(*units), terms));
}

Reply Owner::send(std::string_view method, const std::string& target, const std::string& body,
                  const signing::Hash32& struct_hash, std::optional<std::uint64_t> nonce,
                  const OwnerTerms& terms) const {
  api::Headers headers{{"X-Signature", sign(struct_hash, terms)}, {"X-Timestamp", std::to_string(stamp(terms))}};
  if (nonce) headers.set("X-Nonce", std::to_string(*nonce));
  return exchange_.send(method, target, body, std::move(headers));
}

Reply Owner::enroll(const OwnerTerms& terms) {
  const std::uint64_t nonce = terms.nonce ? *terms.nonce : next_nonce();
  const Json body{{"account", account()}, {"domain", terms.deployment}};
  return send(
      "POST", "/v1/transfers/enroll", body.dump(),
      signing::struct_hash(signing::EnrollTransferAccount{wallet_.address(), terms.deployment, stamp(terms), nonce}),
      nonce, terms);
}

Reply Owner::pay(const std::string& recipient, const std::string& amount, const std::string& id,
                 const OwnerTerms& terms) {
  const std::uint64_t nonce = terms.nonce ? *terms.nonce : next_nonce();
  const Json body{{"account", account()},
                  {"domain", terms.deployment},
                  {"recipient", recipient},
                  {"amount", amount},
                  {"client_transfer_id", id}};
  return send("POST", "/v1/transfers", body.dump(),
              signing::struct_hash(signing::TransferIntent{wallet_.address(), terms.deployment,
                                                           *parse_address(recipient), amount, id, stamp(terms), nonce}),
              nonce, terms);
}

Reply Owner::list(const std::string& limit, const std::string& cursor, const OwnerTerms& terms) {
  std::string target = "/v1/transfers?account=" + account() + "&domain=" + encoded(terms.deployment);
  if (!limit.empty()) target += "&limit=" + limit;
  if (!cursor.empty()) target += "&cursor=" + encoded(cursor);
  return send(
      "GET", target, "",
      signing::struct_hash(signing::ListTransfers{wallet_.address(), terms.deployment, limit, cursor, stamp(terms)}),
      std::nullopt, terms);
}

Reply Owner::read(const std::string& id, const OwnerTerms& terms) {
  return send("GET", "/v1/transfers/" + id + "?account=" + account() + "&domain=" + encoded(terms.deployment), "",
              signing::struct_hash(signing::ReadTransfer{wallet_.address(), terms.deployment, id, stamp(terms)}),
              std::nullopt, terms);
}

}  // namespace svc::sim
