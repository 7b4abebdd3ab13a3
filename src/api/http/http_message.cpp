#include "api/http/http_message.h"

#include "base/text.h"

namespace svc::api {

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const Header& field : *this)
    if (same_header_name(field.name, name)) return field.value;
  return std::nullopt;
}

void Headers::remove(std::string_view name) {
  const auto has_name = [&](const Place& place) {
    return same_header_name({text_.data() + place.begin, place.name_size}, name);
  };
  places_.erase(std::remove_if(places_.begin(), places_.end(), has_name), places_.end());
}

void Headers::clear(std::size_t bytes_kept_max) {
  if (text_.capacity() > bytes_kept_max) *this = {};
  places_.clear();
  text_.clear();
}

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpRequest::query() const {
  std::string_view rest = target;
  static_cast<void>(take_line(rest, '?'));
  return rest;
}

// It is enough to find the tag in the list: our tags contain no comma, and no quote inside.
bool has_tagged(const Headers& headers, std::string_view etag) {
  const auto known = headers.find("If-None-Match");
  return known && (*known == "*" || known->find(etag) != std::string_view::npos);
}

std::optional<std::int64_t> retry_after_ms(const Headers& headers) {
  constexpr std::int64_t seconds_max = 86'400, second_ms = 1'000;
  const auto seconds = parse_integer<std::int64_t>(headers.find("Retry-After").value_or(""));
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::min(*seconds, seconds_max) * second_ms;
}

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
  auto decoded = percent_decode_bytes(text, plus);
  if (decoded && !is_utf8(*decoded)) decoded.reset();
  return decoded;
}

}  // namespace svc::api
