// A table made to fit the width of a terminal: addresses and hashes lose their middle, then sentences their end, then
// columns of less need go, the last first, and at last ids lose their middle as well. Numbers and names are never
// touched, so a table may stay too wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

// Characters, counting a UTF-8 sequence as one.
[[nodiscard]] std::size_t width_of(std::string_view text);

// `spare`: whether a column may go; empty: none. Names without a header are empty texts.
void fit(std::vector<std::vector<std::string>>& rows, std::vector<std::string>& names, std::vector<bool> spare,
         std::size_t width, bool utf8);

}  // namespace svc::cli
