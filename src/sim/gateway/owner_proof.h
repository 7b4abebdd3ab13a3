// For handlers of operations that only the account's owner can authorise: the signature is over a struct
// that the handler alone can form. What fails is the opaque 401, with its reason in the request log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/error_catalog.h"
#include "base/address.h"
#include "base/result.h"
#include "signing/hash.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {

// Signature in the body (withdrawal): one of these structs, under the action domain, must have been signed by
// `claimed`. Its nonce is spent. Answers which of them it was.
[[nodiscard]] Result<std::size_t, api::ApiError> prove_wallet(RequestContext& context, const Address& claimed,
                                                              std::span<const signing::Hash32> struct_hashes,
                                                              std::string_view signature, std::uint64_t nonce);

// Signature in the headers (transfers): the struct, under the action domain, must have been signed by
// `claimed` for this deployment, which `deployment` names as the struct does. On writes its nonce is spent. The
// struct's timestamp and nonce are those of context.authentication.owner.
[[nodiscard]] Result<void, api::ApiError> prove_owner(RequestContext& context, const Address& claimed,
                                                      std::string_view deployment, const signing::Hash32& struct_hash);

}  // namespace svc::sim
