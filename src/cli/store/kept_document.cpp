#include "cli/store/kept_document.h"

namespace svc::cli {

Result<std::optional<Json>, Failure> KeptDocument::read() const {
  const auto text = SVC_TRY(read_private(file_));
  if (!text) return std::optional<Json>{};
  auto document = parse_json(*text);
  if (!document || document->integer_at("version") != version_) return unexpected(damaged());
  return std::optional(std::move(*document));
}

Result<std::optional<Json>, Failure> KeptDocument::read(std::string_view member) const {
  const auto document = SVC_TRY(read());
  if (!document) return std::optional<Json>{};
  const Json* value = document->find(member);
  if (value == nullptr) return unexpected(damaged());
  return std::optional(*value);
}

Json KeptDocument::read_if_usable() const {
  const auto document = read();
  return document ? document->value_or(Json()) : Json();
}

Result<void, Failure> KeptDocument::write(const Json& members) const {
  const Json document = Json::object({{"version", version_}}).set_all(members);
  return write_private(file_, document.dump() + "\n");
}

}  // namespace svc::cli
