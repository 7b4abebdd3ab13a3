// Whoever signs for a wallet: its key in this process, the unlock agent that holds it, or a program or service
// outside. What it signed is checked before anybody relies on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/result.h"
#include "cli/client/context.h"
#include "signing/key.h"
#include "signing/keystore.h"

namespace svc::cli {

// Typed data: its digest, and the document for those who want to see what they sign. Made when it is asked for.
struct TypedText {
  signing::Hash32 digest{};
  std::function<std::string()> document;
};

class Signer {
 public:
  virtual ~Signer() = default;
  [[nodiscard]] virtual const Address& address() const = 0;
  [[nodiscard]] virtual Result<signing::Signature, Failure> sign(const TypedText& typed) const = 0;
  // EIP-191: a text as wallets sign it.
  [[nodiscard]] virtual Result<signing::Signature, Failure> sign_message(std::string_view text) const = 0;
  // A bare hash, as agents sign requests. Exit 2 from signers that never sign what they cannot show.
  [[nodiscard]] virtual Result<signing::Signature, Failure> sign_digest(const signing::Hash32& digest) const = 0;
  // The key that opens the wallet's ring key on that network; always the same.
  [[nodiscard]] virtual Result<signing::SealKey, Failure> ring_seal(std::string_view network) const = 0;
};

// A key in this process.
[[nodiscard]] std::unique_ptr<Signer> key_signer(const signing::PrivateKey& key);

// What a private key answers, wherever it is held.
[[nodiscard]] signing::SealKey ring_seal_of(const signing::PrivateKey& key, std::string_view network);

// The wallet of that name, or what --signer says instead of a name: exec:CMD, or http://HOST[:PORT] for JSON-RPC.
// Asks the unlock agent first, then for the password. Development keys are refused but on local.
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open_signer(Context& context, std::string_view network,
                                                                   const std::string& wallet);

// True if it signs without asking anybody for a password.
[[nodiscard]] bool signs_unasked(Context& context, std::string_view network, const std::string& wallet);

// True for exec:CMD and http://...
[[nodiscard]] bool is_external_signer(std::string_view name);

// Signers outside: a program that is asked on its standard input (exec:CMD), or a JSON-RPC service such as a
// wallet's (http://HOST[:PORT]). docs/signers.md describes both.

// Asks for the address. Exit 4 if the signer cannot be reached or answers something else.
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open_external_signer(Context& context, const std::string& spec);

}  // namespace svc::cli
