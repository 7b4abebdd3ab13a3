#include "api/json_writer.h"

namespace svc::api {
namespace {

constexpr char hex_digits[] = "0123456789abcdef";

constexpr bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += hex_digits[byte >> 4];
  out += hex_digits[byte & 0xf];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  // Nearly always nothing is to be escaped, which is seen without a branch per character.
  bool plain = true;
  for (const char c : text) plain &= is_plain(c);
  out += '"';
  if (plain) {
    out += text;
    out += '"';
    return;
  }
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_plain(text[i])) continue;
    out.append(text, start, i - start);
    append_escaped(out, text[i]);
    start = i + 1;
  }
  out.append(text, start, text.size() - start);
  out += '"';
}

void JsonWriter::separate() {
  if (comma_due_) out_ += ',';
  comma_due_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_due_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_due_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  comma_due_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace svc::api
