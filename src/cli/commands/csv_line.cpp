#include "cli/commands/csv_line.h"

namespace svc::cli {

Result<std::vector<std::string>, std::string> split_csv(std::string_view line) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (inside) return unexpected(std::string("a quote is not closed"));
  return cells;
}

}  // namespace svc::cli
