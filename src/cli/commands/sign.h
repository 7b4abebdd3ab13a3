// What the signing commands print: one JSON object with the same members for all of them, null where
// one does not apply, so that any implementation can be compared with this one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/terminal/answer.h"
#include "signing/hash.h"
#include "signing/key.h"

namespace svc::cli {

struct SigningFacts {
  std::optional<std::string> canonical;  // of a request, or a message
  std::optional<std::string> type;       // of a struct, with the types it refers to
  std::optional<signing::Hash32> domain_separator;
  std::optional<signing::Hash32> struct_hash;
  std::optional<signing::Hash32> digest;
  std::optional<std::string> signature;
  std::optional<Address> address;
};

[[nodiscard]] Json describe(const SigningFacts& facts);

// Printed as JSON in every format.
[[nodiscard]] Answer signing_answer(Json data);

// Signs the digest if there is a key.
void sign(SigningFacts& facts, const std::optional<signing::PrivateKey>& key);

// A request body or document: a file, or - for standard input; empty without a flag.
[[nodiscard]] Result<std::string, Failure> read_document(Context& context, std::string_view flag,
                                                         const std::optional<std::string>& file);

}  // namespace svc::cli
