#include "sim/gateway/single_header.h"

namespace svc::sim {
SingleHeader single_header(const api::Headers& headers, std::string_view name) {
  SingleHeader found;
  for (const api::Header& field : headers) {
    if (!api::same_header_name(field.name, name)) continue;
    if (found.state != SingleHeader::State::absent || field.value.empty()) return {SingleHeader::State::unusable, {}};
    found = {SingleHeader::State::present, field.value};
  }
  return found;
}

}  // namespace svc::sim
