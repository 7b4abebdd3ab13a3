#include "signing/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace svc::signing {

using nlohmann::json;

Result<json, std::string> parse_json_document(std::string_view text) {
  struct Refusal {
    std::string why;
  };
  std::vector<std::set<std::string>> names;  // met in the open objects and arrays, outermost first
  const auto watch = [&names](int depth, json::parse_event_t event, const json& parsed) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (level == limits::signing_json_depth_max)
        throw Refusal{"nested deeper than " + std::to_string(limits::signing_json_depth_max) + " levels"};
      names.resize(level);
      names.emplace_back();
    } else if (event == json::parse_event_t::key) {
      names.resize(level);
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names.back().insert(name).second) throw Refusal{"member `" + name + "` occurs twice"};
    }
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const Refusal& refusal) {
    return unexpected(refusal.why);
  } catch (const json::exception& error) {
    // Of the parser's message only the place: the rest shows what was read, which may be a secret.
    const std::string what = error.what();
    const std::size_t place = std::min(what.find("line "), what.size());
    return unexpected("not JSON at " + what.substr(place, what.find(": ", place) - place));
  }
}

}  // namespace svc::signing
