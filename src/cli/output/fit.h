// A table made to fit the width of a terminal: times lose their milliseconds, addresses and hashes their middle, then
// sentences their end; then columns go that hold nothing, and those of less need, the last first; then ids lose their
// middle as well, and at last other columns go, the last first. Numbers and names are never touched, and the first
// column always stays.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

// Characters, counting a UTF-8 sequence as one.
[[nodiscard]] std::size_t width_of(std::string_view text);

// An id as a table that is too wide shows it: "00010000..0576"; anything else as it is.
[[nodiscard]] std::string shortened_id(std::string id, bool utf8);

// `spare`: whether a column may go; empty: none. Names without a header are empty texts.
void fit(std::vector<std::vector<std::string>>& rows, std::vector<std::string>& names, std::vector<bool> spare,
         std::size_t width, bool utf8);

}  // namespace svc::cli
