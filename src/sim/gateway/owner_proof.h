// For handlers of operations that only the account's owner can authorise: only the handler can form the signed
// struct. A failure is the opaque 401; the request log shows the reason.
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

// Signature in the body (withdrawal): `claimed` must have signed one of these structs, under the action domain. Its
// nonce is spent. Returns the index of the signed struct.
[[nodiscard]] Result<std::size_t, api::ApiError> prove_wallet(RequestContext& context, const Address& claimed,
                                                              std::span<const signing::Hash32> struct_hashes,
                                                              std::string_view signature, std::uint64_t nonce);

// Signature in the headers (transfers): `claimed` must have signed the struct, under the action domain, for this
// deployment, which `deployment` names as in the struct. On writes its nonce is spent. The struct's timestamp and
// nonce are those of context.authentication.owner.
[[nodiscard]] Result<void, api::ApiError> prove_owner(RequestContext& context, const Address& claimed,
                                                      std::string_view deployment, const signing::Hash32& struct_hash);

}  // namespace svc::sim
