#include "cli/terminal/json.h"

#include <algorithm>

#include "base/assert.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "cli/terminal/text.h"

namespace svc::cli {
namespace {

bool exceeds_2_53(std::string_view digits) {
  std::string_view magnitude = digits;
  if (magnitude.starts_with('-')) magnitude.remove_prefix(1);
  if (magnitude.find_first_not_of("0123456789") != std::string_view::npos) return false;
  constexpr std::string_view bound = "9007199254740992";
  return magnitude.size() != bound.size() ? magnitude.size() > bound.size() : magnitude > bound;
}

// Members of a record. A larger object is a list by name, and is not looked through for each of its names.
constexpr std::size_t members_compared_max = 64;

struct ReadValues {
  std::size_t count = 0;
  std::string twice{};  // the name of a member that stands twice: nobody knows which one is meant
};

// Reads the next value; false if there is none that is whole, there were too many, or a member stands twice.
bool read_value(JsonReader& reader, Json& value, ReadValues& read) {
  if (++read.count > limits::json_values_max) return false;
  switch (reader.peek()) {
    case JsonReader::Next::object: {
      value = Json::object();
      std::string name;
      if (!reader.open_object()) return false;
      while (reader.next_member(name)) {
        if (value.keys().size() < members_compared_max && value.find(name) != nullptr) {
          read.twice = name;
          return false;
        }
        if (!read_value(reader, value.add(std::move(name)), read)) return false;
      }
      return !reader.failed();
    }
    case JsonReader::Next::array: {
      value = Json::array();
      if (!reader.open_array()) return false;
      while (reader.next_element())
        if (!read_value(reader, value.add(), read)) return false;
      return !reader.failed();
    }
    case JsonReader::Next::string: {
      std::string text;
      if (!reader.string(text)) return false;
      value = Json(std::move(text));
      return true;
    }
    case JsonReader::Next::number: {
      std::string_view digits;
      if (!reader.number(digits)) return false;
      value = Json::number(std::string(digits));
      return true;
    }
    case JsonReader::Next::boolean: {
      bool truth = false;
      if (!reader.boolean(truth)) return false;
      value = Json(truth);
      return true;
    }
    case JsonReader::Next::null: return reader.null();
    case JsonReader::Next::nothing: break;
  }
  std::string_view none;
  return reader.any(none);  // fails with the message that a value is expected
}

}  // namespace

Json Json::array(std::vector<Json> items) {
  Json json;
  json.kind_ = Kind::array;
  json.items_ = std::move(items);
  return json;
}

Json Json::object(std::initializer_list<std::pair<std::string_view, Json>> members) {
  Json json;
  json.kind_ = Kind::object;
  for (const auto& [key, value] : members) json.set(key, value);
  return json;
}

Json Json::number(std::string digits) {
  Json json;
  json.kind_ = Kind::number;
  json.text_ = std::move(digits);
  return json;
}

const Json* Json::find(std::string_view key) const {
  const auto known = std::find(keys_.begin(), keys_.end(), key);
  return known == keys_.end() ? nullptr : &items_[static_cast<std::size_t>(known - keys_.begin())];
}

Json Json::take(std::string_view key) {
  const Json* const value = find(key);
  return value == nullptr ? Json() : std::exchange(items_[static_cast<std::size_t>(value - items_.data())], Json());
}

const Json* Json::at(std::string_view dotted_path) const {
  const Json* here = this;
  while (here != nullptr && !dotted_path.empty()) here = here->find(take_line(dotted_path, '.'));
  return here;
}

std::optional<std::string_view> Json::string_at(std::string_view dotted_path) const {
  const Json* value = at(dotted_path);
  if (value == nullptr || !value->is(Kind::string)) return std::nullopt;
  return value->text_;
}

std::optional<Decimal> Json::decimal_at(std::string_view dotted_path) const {
  const auto value = parse_decimal(string_at(dotted_path).value_or(""));
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<Decimal> decimal_of(const Json* value) {
  if (value == nullptr || !(value->is(Json::Kind::string) || value->is(Json::Kind::number))) return std::nullopt;
  const auto number = parse_decimal(value->text());
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<std::int64_t> Json::integer_at(std::string_view dotted_path) const {
  const Json* value = at(dotted_path);
  if (value == nullptr || !value->is(Kind::number)) return std::nullopt;
  return parse_integer<std::int64_t>(value->text_);
}

Json& Json::set(std::string_view key, Json value) {
  const auto known = std::find(keys_.begin(), keys_.end(), key);
  if (known == keys_.end()) return append(std::string(key), std::move(value));
  SVC_ASSERT(kind_ == Kind::object);
  items_[static_cast<std::size_t>(known - keys_.begin())] = std::move(value);
  return *this;
}

Json& Json::append(std::string key, Json value) {
  add(std::move(key)) = std::move(value);
  return *this;
}

Json& Json::add(std::string key) {
  if (kind_ == Kind::null) kind_ = Kind::object;
  SVC_ASSERT(kind_ == Kind::object);
  keys_.push_back(std::move(key));
  return items_.emplace_back();
}

Json& Json::set_all(const Json& members) {
  for (std::size_t i = 0; i < members.keys_.size(); ++i) set(members.keys_[i], members.items_[i]);
  return *this;
}

Json& Json::push(Json value) {
  add() = std::move(value);
  return *this;
}

Json& Json::add() {
  if (kind_ == Kind::null) kind_ = Kind::array;
  SVC_ASSERT(kind_ == Kind::array);
  return items_.emplace_back();
}

std::string Json::dump(LargeIntegers large) const {
  std::string out;
  write(out, large, std::nullopt);
  return out;
}

std::string Json::indented(LargeIntegers large) const {
  std::string out;
  write(out, large, 0);
  return out;
}

void Json::write(std::string& out, LargeIntegers large, std::optional<std::size_t> depth) const {
  constexpr std::size_t step = 2;
  const auto new_line = [&](std::size_t level) { out += "\n" + std::string(level * step, ' '); };
  switch (kind_) {
    case Kind::null: out += "null"; return;
    case Kind::boolean: out += truth_ ? "true" : "false"; return;
    case Kind::number:
      out += large == LargeIntegers::as_text && exceeds_2_53(text_) ? quoted_json(text_) : text_;
      return;
    case Kind::string: out += quoted_json(text_); return;
    case Kind::array:
    case Kind::object:
      out += kind_ == Kind::array ? '[' : '{';
      for (std::size_t i = 0; i < items_.size(); ++i) {
        if (i > 0) out += ',';
        if (depth) new_line(*depth + 1);
        if (kind_ == Kind::object) {
          out += quoted_json(keys_[i]);
          out += depth ? ": " : ":";
        }
        items_[i].write(out, large, depth ? std::optional(*depth + 1) : std::nullopt);
      }
      if (depth && !items_.empty()) new_line(*depth);
      out += kind_ == Kind::array ? ']' : '}';
      return;
  }
}

std::string quoted_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return with_each(out, "\x7f", "\\u007f");  // a terminal takes it for a key
}

Result<Json, std::string> parse_json(std::string_view text) {
  const std::string_view json = without_byte_order_mark(text);
  JsonReader reader(json, limits::json_depth_max);
  Json document;
  ReadValues read;
  if (read_value(reader, document, read) && reader.at_end()) return document;
  if (read.count > limits::json_values_max)
    return unexpected(concat("the JSON has more than ", limits::json_values_max, " values"));
  return unexpected(concat("malformed JSON at byte ", text.size() - json.size() + reader.offset(), ": ",
                           !read.twice.empty() ? "the member " + read.twice + " stands twice"
                           : reader.failed()   ? reader.problem()
                                               : std::string("something follows the value")));
}

Json json_or_null(std::string_view text) {
  auto document = parse_json(text);
  return document ? std::move(*document) : Json();
}

Json json_or_text(std::string_view text) {
  auto document = parse_json(text);
  return document ? std::move(*document) : Json(text);
}

}  // namespace svc::cli
