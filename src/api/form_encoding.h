// Query strings as forms, and percent escapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::api {

enum class Plus : bool { is_itself, is_blank };

// nullopt if an escape is broken or the bytes are not UTF-8.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

// Letters, digits and "-._~" stand for themselves, a blank becomes '+' if Plus::is_blank, all else %XX.
[[nodiscard]] std::string percent_encode(std::string_view text, Plus plus);

// The value of the first parameter of that name, still encoded; nullopt if there is none.
[[nodiscard]] std::optional<std::string_view> find_parameter(std::string_view query, std::string_view name);

}  // namespace svc::api
