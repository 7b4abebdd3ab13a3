// A table made to fit the width of a terminal: times lose their milliseconds, addresses and hashes their middle, then
// sentences their end; then columns go that hold nothing, and those of less need, the last first; then ids lose their
// middle as well, other columns go, the last first, and at last core columns, the first one first. Numbers and names
// are never touched. Where no column is core the first one stays.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/answer.h"

namespace svc::cli {

// Characters, counting a UTF-8 sequence as one.
[[nodiscard]] std::size_t width_of(std::string_view text);

// An id as a table that is too wide shows it: "00010000..0576"; anything else as it is.
[[nodiscard]] std::string shortened_id(std::string id, bool utf8);

// `needs` of the columns; empty: all are `always`. Names without a header are empty texts.
void fit(std::vector<std::vector<std::string>>& rows, std::vector<std::string>& names, std::vector<Column::Need> needs,
         std::size_t width, bool utf8);

// Takes one column out of the rows, and out of names and needs as far as there are any.
void drop_column(std::vector<std::vector<std::string>>& rows, std::vector<std::string>& names,
                 std::vector<Column::Need>& needs, std::size_t column);
// Whether no row has anything there.
[[nodiscard]] bool holds_nothing(const std::vector<std::vector<std::string>>& rows, std::size_t column);

}  // namespace svc::cli
