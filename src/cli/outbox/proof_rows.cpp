#include "cli/outbox/proof_rows.h"

#include <algorithm>

#include "base/decimal.h"
#include "cli/outbox/bounds.h"

namespace svc::cli::outbox {

bool same_number(std::string_view a, std::string_view b) {
  const auto x = parse_decimal(a);
  const auto y = parse_decimal(b);
  return x && y && *x == *y;
}

const Json* find_row(const Json& rows, const std::function<bool(const Json&)>& matches) {
  const auto found = std::find_if(rows.items().begin(), rows.items().end(), matches);
  return found == rows.items().end() ? nullptr : &*found;
}

Json values_of(const Json& rows, std::string_view key) {
  Json values = Json::array();
  for (const Json& row : rows.items()) values.push(member_text(row, key));
  return values;
}

std::string member_text(const Json& row, std::string_view key) {
  const Json* member = row.find(key);
  return member == nullptr ? std::string() : member->text();
}

bool holds(const Json& list, std::string_view text) {
  return find_row(list, [&](const Json& one) { return one.text() == text; }) != nullptr;
}

std::string last_segment(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto end = query.find('&');
    const std::string_view one = query.substr(0, end);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=') {
      return std::string(one.substr(name.size() + 1));
    }
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
  }
  return {};
}

Result<Reach, Stop> each_page(Exchange& exchange, const PageCall& page,
                              const std::function<bool(const Json& rows)>& go_on) {
  std::optional<std::string> cursor;
  for (int pages = 0; pages < history_pages_max; ++pages) {
    const auto reply = SVC_TRY(exchange.call(page(cursor)));
    if (!go_on(reply.body)) return Reach::whole;
    const auto next = reply.headers.find("X-Next-Cursor");
    if (!next) return Reach::whole;
    cursor = std::string(*next);
  }
  return Reach::cut;
}

}  // namespace svc::cli::outbox
