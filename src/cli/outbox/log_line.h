// One line of the log: a record with the checksum of its own text as its last member.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/json.h"

namespace svc::cli::outbox {

inline constexpr std::int64_t log_version = 2;

// {"version":2,"type":...,"id":..., the other members, "sum":"8 hex digits"}, without a line feed.
[[nodiscard]] std::string log_line(const Json& record);

// The record without its checksum; nullopt for a line that is torn or was changed. Version 1 had no checksums.
[[nodiscard]] std::optional<Json> read_log_line(std::string_view line);

// Type and id as they stand at the beginning of a line of this version, whole or not; for whoever passes over most of
// them. Empty if the line begins otherwise.
struct LineHead {
  std::string_view type{};
  std::string_view id{};
};
[[nodiscard]] LineHead head_of(std::string_view line);

}  // namespace svc::cli::outbox
