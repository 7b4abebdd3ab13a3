// What the wallet itself signed, for --print-canonical: lines on standard error, before the request's own.
#pragma once

#include <string_view>

#include "cli/context.h"
#include "cli/secrets/signer.h"
#include "signing/domain.h"

namespace svc::cli {

// A struct, and under which of the two domains it is.
[[nodiscard]] std::string explain_struct(std::string_view type, const signing::Domain& domain,
                                         const signing::Hash32& digest, const Address& signer);

// Tells of it, if that was asked for, and signs.
[[nodiscard]] Result<signing::Signature, Failure> sign_struct(Context& context, const Signer& signer,
                                                              const signing::Domain& domain, const TypedText& typed);
[[nodiscard]] Result<signing::Signature, Failure> sign_text(Context& context, const Signer& signer,
                                                            const std::string& text);

}  // namespace svc::cli
