#include "cli/exchange/signed_note.h"

#include "base/hex.h"

namespace svc::cli {

std::string explain_struct(std::string_view type, const signing::Domain& domain, const signing::Hash32& digest,
                           const Address& signer) {
  return std::string(type) + ", EIP-712 under the " +
         (domain.salt ? "registration domain (salted)" : "action domain (no salt)") + ": name \"" + domain.name +
         "\", version " + domain.version + ", chainId " + std::to_string(domain.chain_id) + ", signer " +
         to_string(signer) + "\ndigest " + to_hex_0x(digest) + "\n";
}

Result<signing::Signature, Failure> sign_struct(Context& context, const Signer& signer, const signing::Domain& domain,
                                                const TypedText& typed) {
  if (context.globals().print_canonical) {
    const auto document = parse_json(typed.document());
    const auto type = document ? document->string_at("primaryType") : std::nullopt;
    context.environment().err(explain_struct(type.value_or("struct"), domain, typed.digest, signer.address()));
  }
  return signer.sign(typed);
}

Result<signing::Signature, Failure> sign_text(Context& context, const Signer& signer, const std::string& text) {
  if (context.globals().print_canonical) {
    context.environment().err("text, EIP-191 (personal_sign), signer " + to_string(signer.address()) + ":\n" + text +
                              "\n");
  }
  return signer.sign_message(text);
}

}  // namespace svc::cli
