#include <algorithm>
#include <charconv>

#include "api/stream_client.h"
#include "api/stream_client_limits.h"

namespace svc::api {
namespace {

// Ids are put between separators; one that holds any is left out, and then the mark is not checked.
bool fits(std::string_view row_id) {
  return std::all_of(row_id.begin(), row_id.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != ',' && c != '=' && c != ':'; });
}

}  // namespace

// KEY=SEQ, KEY=SEQ: (there was no row), KEY=SEQ:ROW_ID
std::string to_string(const StreamMarks& marks) {
  std::string text;
  for (const auto& [key, mark] : marks) {
    if (!text.empty()) text += ',';
    text += to_string(key) + "=" + std::to_string(mark.seq);
    if (mark.row_id && fits(*mark.row_id)) text += ":" + *mark.row_id;
  }
  return text;
}

Result<StreamMarks, std::string> parse_stream_marks(std::string_view text) {
  if (text.size() > stream_limits::cursor_chars_max) return unexpected(std::string("it is too long"));
  StreamMarks marks;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const auto equals = one.find('=');
    const auto key = parse_stream_key(one.substr(0, equals));
    if (!key || equals == std::string_view::npos) {
      return unexpected("\"" + std::string(one) + "\" is not CHANNEL=SEQUENCE[:ROW]");
    }
    const std::string_view rest = one.substr(equals + 1);
    const auto colon = rest.find(':');
    const std::string_view digits = rest.substr(0, colon);
    StreamMark mark;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mark.seq);
    if (error != std::errc{} || stop != digits.data() + digits.size()) {
      return unexpected("\"" + std::string(digits) + "\" is not a sequence");
    }
    if (colon != std::string_view::npos) mark.row_id = std::string(rest.substr(colon + 1));
    if (!marks.emplace(*key, std::move(mark)).second) return unexpected("it names " + to_string(*key) + " twice");
  }
  return marks;
}

}  // namespace svc::api
