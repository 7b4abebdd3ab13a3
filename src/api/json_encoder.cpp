#include <cstdint>

#include "api/codec.h"
#include "api/json_writer.h"
#include "api/values.h"
#include "base/assert.h"
#include "base/secret.h"

namespace svc::api {
namespace {

void write(std::string& out, const TypeInfo& type, const FieldInfo& field, const void* value);

bool is_left_out(const FieldInfo& field, const void* member) {
  const TypeInfo& type = field.type();
  return field.omitted_if_empty && type.container != nullptr && type.container->size(member) == 0;
}

void write_record(std::string& out, const TypeInfo& type, const void* value) {
  out += type.as_array ? '[' : '{';
  bool comma = false;
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::body) continue;
    const void* const member = member_of(field, value);
    if (is_left_out(field, member)) continue;
    if (comma) out += ',';
    comma = true;
    if (!type.as_array) {
      out += '"';
      out += field.name;  // a name of the tables has nothing to escape
      out += "\":";
    }
    write(out, field.type(), field, member);
  }
  out += type.as_array ? ']' : '}';
}

void write_list(std::string& out, const TypeInfo& type, const FieldInfo& field, const void* value) {
  out += '[';
  const std::size_t size = type.container->size(value);
  const TypeInfo& element = type.element();
  for (std::size_t i = 0; i < size; ++i) {
    if (i != 0) out += ',';
    write(out, element, field, type.container->at(value, i));
  }
  out += ']';
}

void write_map(std::string& out, const TypeInfo& type, const FieldInfo& field, const void* value) {
  struct Context {
    std::string& out;
    const TypeInfo& element;
    const FieldInfo& field;
    bool comma = false;
  } context{out, type.element(), field};
  out += '{';
  type.container->each(value, &context, [](void* opaque, const std::string& key, const void* element) {
    auto& c = *static_cast<Context*>(opaque);
    if (c.comma) c.out += ',';
    c.comma = true;
    append_json_string(c.out, key);
    c.out += ':';
    write(c.out, c.element, c.field, element);
  });
  out += '}';
}

void write(std::string& out, const TypeInfo& type, const FieldInfo& field, const void* value) {
  switch (type.kind) {
    case Kind::record: write_record(out, type, value); return;
    case Kind::list: write_list(out, type, field, value); return;
    case Kind::map: write_map(out, type, field, value); return;
    case Kind::optional:
      if (type.container->size(value) == 0) {
        out += "null";
      } else {
        write(out, type.element(), field, type.container->at(value, 0));
      }
      return;
    case Kind::custom: type.custom->write(out, value); return;
    case Kind::boolean: out += *static_cast<const bool*>(value) ? "true" : "false"; return;
    case Kind::int64: out += std::to_string(*static_cast<const std::int64_t*>(value)); return;
    case Kind::uint64: out += std::to_string(*static_cast<const std::uint64_t*>(value)); return;
    case Kind::uint32: out += std::to_string(*static_cast<const std::uint32_t*>(value)); return;
    case Kind::number: out += static_cast<const NumberText*>(value)->text; return;
    case Kind::json_object: out += static_cast<const JsonObjectText*>(value)->text; return;
    case Kind::text: append_json_string(out, *static_cast<const std::string*>(value)); return;
    case Kind::secret: append_json_string(out, static_cast<const Secret*>(value)->reveal()); return;
    case Kind::decimal: append_json_string(out, static_cast<const DecimalText*>(value)->text); return;
    case Kind::address:
    case Kind::market_id:
    case Kind::enumeration: append_json_string(out, write_text(type, field, value)); return;
  }
  SVC_ASSERT(false);
}

}  // namespace

void encode_json(std::string& out, const TypeInfo& type, const void* value) {
  static constexpr FieldInfo no_field{};
  const FieldInfo* body = type.kind == Kind::record ? whole_body_of(type) : nullptr;
  if (body != nullptr) {
    write(out, body->type(), *body, member_of(*body, value));
  } else {
    write(out, type, no_field, value);
  }
}

}  // namespace svc::api
