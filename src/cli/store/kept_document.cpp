#include "cli/store/kept_document.h"

namespace svc::cli {

Result<FileLock, Failure> KeptDocument::lock(std::int64_t patience_ms) const {
  return FileLock::take(file_.string() + ".lock", patience_ms);
}

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
  Json document = Json::object({{"version", version_}});
  for (std::size_t i = 0; i < members.keys().size(); ++i) document.set(members.keys()[i], members.items()[i]);
  return write_private(file_, document.dump() + "\n");
}

Failure KeptDocument::damaged() const {
  return internal_error("the " + std::string(what_) + " " + file_.string() + " is damaged" +
                        (advice_.empty() ? "" : "; ") + std::string(advice_));
}

}  // namespace svc::cli
