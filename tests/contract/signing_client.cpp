#include "contract/signing_client.h"

#include "api/operation_list.h"
#include "base/assert.h"
#include "base/json_text.h"
#include "signing/action_request.h"
#include "signing/domain.h"
#include "signing/hmac.h"

namespace svc::contract {
namespace {

signing::RequestParts signed_parts_of(const api::HttpRequest& request) {
  return {.method = request.method, .path = request.path(), .query = request.query(), .body = request.body};
}

}  // namespace

signing::PrivateKey key_of(char digit) {
  const auto key = signing::PrivateKey::from_hex(std::string(64, digit));
  SVC_ASSERT(key);
  return *key;
}

api::HttpRequest SigningClient::with_key(api::HttpRequest request, const Participant& who) const {
  const auto hmac = signing::HmacKey::from_hex(who.key_secret);
  SVC_ASSERT(hmac);
  const TimestampMs now_ms = stamp();
  const std::string signature = hmac->sign_hex(signing::hmac_canonical(signed_parts_of(request), now_ms));
  request.headers.set("X-API-Key", who.key_id);
  request.headers.set("X-Timestamp", std::to_string(now_ms));
  request.headers.set("X-Signature", signature);
  return request;
}

api::HttpRequest SigningClient::with_agent(api::HttpRequest request, const Participant& who,
                                           std::uint64_t nonce) const {
  const TimestampMs now_ms = stamp();
  const auto digest = signing::agent_request_digest(signing::agent_canonical(signed_parts_of(request), now_ms, nonce));
  request.headers.set("X-Agent", to_string(who.agent.address()));
  request.headers.set("X-Timestamp", std::to_string(now_ms));
  request.headers.set("X-Nonce", std::to_string(nonce));
  request.headers.set("X-Signature", to_string(who.agent.sign(digest)));
  return request;
}

api::HttpRequest SigningClient::with_bearer(api::HttpRequest request, std::string_view token) const {
  request.headers.set("Authorization", "Bearer " + std::string(token));
  return request;
}

api::HttpRequest SigningClient::with_owner_signature(api::HttpRequest request, std::uint64_t nonce) const {
  request.headers.set("X-Timestamp", std::to_string(stamp()));
  request.headers.set("X-Nonce", std::to_string(nonce));
  request.headers.set("X-Signature", to_string(key_of('1').sign({})));
  return request;
}

api::HttpRequest SigningClient::with_action(api::HttpRequest request, const Participant& who,
                                            const ActionTerms& terms) const {
  const TimestampMs now_ms = stamp();
  const auto action = api::action_at(signed_parts_of(request), {.account = terms.account.value_or(who.account()),
                                                                .domain = terms.deployment,
                                                                .timestamp_ms = static_cast<std::uint64_t>(now_ms),
                                                                .nonce = terms.nonce});
  SVC_ASSERT(action);
  const auto digest = signing::typed_data_digest(signing::separator(signing::action_domain(terms.domain_name)),
                                                 signing::struct_hash(*action));
  request.headers.set("X-Action-Signature", to_string(terms.signer.value_or(who.wallet).sign(digest)));
  request.headers.set("X-Action-Timestamp", std::to_string(now_ms));
  request.headers.set("X-Action-Nonce", std::to_string(terms.nonce));
  if (terms.account) request.headers.set("X-Acting-Account", to_string(*terms.account));
  return request;
}

std::string login_body(const signing::PrivateKey& wallet, std::string_view domain_name) {
  const std::string message = signing::login_message(domain_name);
  std::string body;
  JsonWriter(body)
      .begin_object()
      .key("message")
      .text(message)
      .key("signature")
      .text(to_string(wallet.sign(signing::personal_message_digest(message))))
      .end_object();
  return body;
}

}  // namespace svc::contract
