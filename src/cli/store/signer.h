// The signer of a wallet, wherever its key is.
#pragma once

#include "base/address.h"
#include "cli/terminal/failure.h"
#include "signing/key.h"
#include "signing/keystore.h"
#include "signing/typed_data.h"

namespace svc::cli {

// Typed data: its digest, and the document for signers that show what they sign; made on demand.
struct TypedText {
  signing::Hash32 digest{};
  std::function<std::string()> document;
};

class Signer {
 public:
  virtual ~Signer() = default;
  [[nodiscard]] virtual const Address& address() const = 0;
  virtual Result<signing::Signature> sign(const TypedText& typed) const { return sign_digest(typed.digest); }
  // EIP-191 personal message.
  virtual Result<signing::Signature> sign_message(std::string_view text) const {
    return sign_digest(signing::personal_message_digest(text));
  }
  // A bare hash, as agents sign requests. Exit 2 from signers that only sign what they can show.
  virtual Result<signing::Signature> sign_digest(const signing::Hash32& digest) const = 0;
  // The key that seals the wallet's ring keys on that network; always the same.
  virtual Result<signing::SealKey> ring_seal(std::string_view network) const = 0;
};

// A key in this process.
class KeySigner final : public Signer {
 public:
  explicit KeySigner(const signing::PrivateKey& key) : key_(key) {}
  const Address& address() const override { return key_.address(); }
  Result<signing::Signature> sign_digest(const signing::Hash32& digest) const override { return key_.sign(digest); }
  Result<signing::SealKey> ring_seal(std::string_view network) const override {
    return signing::ring_seal_of(key_, network);
  }

 private:
  signing::PrivateKey key_;
};

}  // namespace svc::cli
