// Signers outside: a program that is asked on its standard input (exec:CMD), or a JSON-RPC service such as a
// wallet's (http://HOST[:PORT]). docs/signers.md describes both.
#pragma once

#include <memory>
#include <string>

#include "cli/secrets/signer.h"

namespace svc::cli {

// Asks for the address. Exit 4 if the signer cannot be reached or answers something else.
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open_external_signer(Context& context, const std::string& spec);

}  // namespace svc::cli
