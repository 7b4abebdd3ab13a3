#include "signing/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/limits.h"

namespace svc::signing {
namespace {

using nlohmann::json;

// The library's parser takes five times as long, and every command opens sealed files.
class DocumentReader {
 public:
  explicit DocumentReader(std::string_view text) : text_(text), reader_(text, limits::signing_json_depth_max) {}

  Result<json, std::string> document() {
    json root;
    if (read(root, 0) && reader_.at_end()) return root;
    return unexpected(error_.empty() ? "not JSON at " + place() : error_);
  }

 private:
  // False: there is no whole value, or error_ says what is wrong with it.
  bool read(json& value, std::size_t depth) {
    using Next = JsonReader::Next;
    const Next next = reader_.peek();
    if (depth == limits::signing_json_depth_max && (next == Next::object || next == Next::array)) {
      error_ = "nested deeper than " + std::to_string(depth) + " levels";
      return false;
    }
    if (next == Next::object) return read_object(value = json::object(), depth);
    if (next == Next::array) return read_array(value = json::array(), depth);
    if (next == Next::string) return reader_.string((value = "").get_ref<std::string&>());
    // A number, true, false or null.
    std::string_view word;
    if (!reader_.any(word)) return false;
    value = json::parse(word, nullptr, false);
    return !value.is_discarded();
  }

  bool read_object(json& value, std::size_t depth) {
    if (!reader_.open_object()) return false;
    for (std::string name; reader_.next_member(name);) {
      const auto [member, is_new] = value.get_ref<json::object_t&>().try_emplace(name);
      if (!is_new) error_ = "member `" + name + "` occurs twice";
      if (!is_new || !read(member->second, depth + 1)) return false;
    }
    return !reader_.failed();
  }

  bool read_array(json& value, std::size_t depth) {
    if (!reader_.open_array()) return false;
    while (reader_.next_element()) {
      value.push_back(nullptr);
      if (!read(value.back(), depth + 1)) return false;
    }
    return !reader_.failed();
  }

  // Nothing of what was read is told: it may be a secret.
  [[nodiscard]] std::string place() const {
    const std::string_view before = text_.substr(0, reader_.offset());
    const auto line_start = before.rfind('\n') + 1;  // 0 on the first line
    return "line " + std::to_string(1 + std::ranges::count(before, '\n')) + ", column " +
           std::to_string(1 + before.size() - line_start);
  }

  std::string_view text_;
  JsonReader reader_;
  std::string error_;
};

}  // namespace

Result<json, std::string> parse_json_document(std::string_view text) {
  return DocumentReader(without_byte_order_mark(text)).document();
}

}  // namespace svc::signing
