#include "cli/secrets/signer.h"

#include "cli/secrets/dev_keys.h"
#include "cli/secrets/external_signer.h"
#include "cli/secrets/secret_input.h"
#include "cli/secrets/wallet_store.h"
#include "cli/unlock/unlock_client.h"
#include "signing/hmac.h"
#include "signing/personal_message.h"

namespace svc::cli {
namespace {

class KeySigner final : public Signer {
 public:
  explicit KeySigner(const signing::PrivateKey& key) : key_(key) {}
  const Address& address() const override { return key_.address(); }
  Result<signing::Signature, Failure> sign(const TypedText& typed) const override { return key_.sign(typed.digest); }
  Result<signing::Signature, Failure> sign_message(std::string_view text) const override {
    return key_.sign(signing::personal_message_digest(text));
  }
  Result<signing::Signature, Failure> sign_digest(const signing::Hash32& digest) const override {
    return key_.sign(digest);
  }
  Result<signing::SealKey, Failure> ring_seal(std::string_view network) const override {
    return ring_seal_of(key_, network);
  }

 private:
  signing::PrivateKey key_;
};

}  // namespace

std::unique_ptr<Signer> key_signer(const signing::PrivateKey& key) {
  return std::make_unique<KeySigner>(key);
}

// A pseudo-random function of the wallet's key that nothing else computes: signatures are over digests, and this
// is a MAC of a text of our own.
signing::SealKey ring_seal_of(const signing::PrivateKey& key, std::string_view network) {
  return signing::SealKey(signing::HmacKey(key.reveal()).sign("svc ring key, version 1\n" + std::string(network)));
}

bool is_external_signer(std::string_view name) {
  return name.starts_with("exec:") || name.starts_with("http://") || name.starts_with("https://");
}

bool signs_unasked(Context& context, std::string_view network, const std::string& wallet) {
  return is_external_signer(wallet) || password_given(context) || unlock::holds(context, network, wallet);
}

Result<std::unique_ptr<Signer>, Failure> open_signer(Context& context, std::string_view network,
                                                     const std::string& wallet) {
  const auto allowed =
      [&](Result<std::unique_ptr<Signer>, Failure> signer) -> Result<std::unique_ptr<Signer>, Failure> {
    if (!signer) return signer;
    SVC_TRY(refuse_dev_key((*signer)->address(), network));
    return signer;
  };
  if (is_external_signer(wallet)) return allowed(open_external_signer(context, wallet));
  if (unlock::holds(context, network, wallet)) return allowed(unlock::open(context, network, wallet));
  const auto key = SVC_TRY(unlock_wallet(context, network, wallet));
  return allowed(key_signer(key));
}

}  // namespace svc::cli
