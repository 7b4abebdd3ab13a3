// Unambiguous JSON text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "base/result.h"

namespace svc::signing {

// One JSON value and nothing after it. Also refuses an object that repeats a member, and nesting deeper than
// limits::signing_json_depth_max. The error says what was found where.
[[nodiscard]] Result<nlohmann::json, std::string> parse_json_document(std::string_view text);

// Reads keystore files as other tools write them: member names in any case, hex with or without 0x,
// numbers as JSON integers or decimal text.

// The member with that name in any case; nullptr if absent, or present in two spellings.
[[nodiscard]] const nlohmann::json* loose_find(const nlohmann::json& object, std::string_view name);

// nullopt if absent or of another type.
[[nodiscard]] std::optional<std::string> loose_text(const nlohmann::json& object, std::string_view name);
[[nodiscard]] std::optional<std::uint64_t> loose_uint(const nlohmann::json& object, std::string_view name);
[[nodiscard]] std::optional<Bytes> loose_bytes(const nlohmann::json& object, std::string_view name);

}  // namespace svc::signing
