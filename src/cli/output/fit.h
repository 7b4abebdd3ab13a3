// A table made to fit the width of a terminal: addresses and hashes lose their middle, then sentences
// their end. Numbers, ids and names are never touched, so a table may stay too wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

// Characters, counting a UTF-8 sequence as one.
[[nodiscard]] std::size_t width_of(std::string_view text);

void fit(std::vector<std::vector<std::string>>& rows, const std::vector<std::string>& names, std::size_t width,
         bool utf8);

}  // namespace svc::cli
