#include "api/json_schema.h"

#include <limits>

#include "api/codec.h"
#include "api/json_writer.h"
#include "base/assert.h"
#include "base/limits.h"

namespace svc::api {
namespace {

constexpr FieldInfo no_field{};

class SchemaWriter {
 public:
  SchemaWriter(std::string& out, const SchemaOptions& options) : json_(out), options_(options) {}

  void body(const TypeInfo& type) {
    if (const FieldInfo* whole = type.kind == Kind::record ? whole_body_of(type) : nullptr) {
      value(whole->type(), *whole);
    } else if (type.kind == Kind::record) {
      record(type);
    } else {
      value(type, no_field);
    }
  }

  // A field's schema: its type's, with its description and its default.
  void field(const FieldInfo& field, const TypeInfo& record) {
    json_.begin_object();
    members(field.type(), field);
    if (options_.described) json_.key("description").text(field.doc);
    if (field.may_be_absent && is_scalar(field.type().kind)) default_of(field, record);
    json_.end_object();
  }

 private:
  static bool is_scalar(Kind kind) { return kind <= Kind::number || kind == Kind::enumeration; }

  void value(const TypeInfo& type, const FieldInfo& field) {
    json_.begin_object();
    members(type, field);
    json_.end_object();
  }

  // The members of the schema object, whose braces are the caller's.
  void members(const TypeInfo& type, const FieldInfo& field);
  void record(const TypeInfo& type);
  void record_members(const TypeInfo& type);

  void enumeration(const EnumNames& names) {
    json_.key("type").text("string").key("enum").begin_array();
    for (const std::string_view text : names.texts) json_.text(text);
    json_.end_array();
  }

  void default_of(const FieldInfo& field, const TypeInfo& record) {
    struct Context {
      SchemaWriter& writer;
      const FieldInfo& field;
    } context{*this, field};
    record.with_default(&context, [](void* opaque, const void* fresh) {
      auto& c = *static_cast<Context*>(opaque);
      const TypeInfo& type = c.field.type();
      const std::string text = write_text(type, c.field, member_of(c.field, fresh));
      const bool quoted = type.kind == Kind::text || type.kind == Kind::decimal || type.kind == Kind::enumeration;
      c.writer.json_.key("default");
      quoted ? c.writer.json_.text(text) : c.writer.json_.raw(text);
    });
  }

  [[nodiscard]] bool is_required(const FieldInfo& field) const {
    if (options_.direction == Direction::response) return !field.omitted_if_empty;
    return !may_be_absent(field) && field.type().kind != Kind::optional;
  }

  JsonWriter json_;
  const SchemaOptions& options_;
};

void SchemaWriter::members(const TypeInfo& type, const FieldInfo& field) {
  switch (type.kind) {
    case Kind::text:
    case Kind::secret: json_.key("type").text("string"); return;
    case Kind::boolean: json_.key("type").text("boolean"); return;
    case Kind::int64: json_.key("type").text("integer").key("format").text("int64"); return;
    case Kind::uint64: json_.key("type").text("integer").key("format").text("uint64").key("minimum").integer(0); return;
    case Kind::uint32: {
      const std::uint32_t most = field.maximum != 0 ? field.maximum : std::numeric_limits<std::uint32_t>::max();
      json_.key("type").text("integer").key("minimum").integer(field.maximum != 0 ? 1 : 0).key("maximum").integer(most);
      return;
    }
    case Kind::decimal:
      json_.key("type").text("string").key("format").text("decimal").key("pattern").text("^-?[0-9]+(\\.[0-9]+)?$");
      return;
    case Kind::number: json_.key("type").text("number"); return;
    case Kind::json_object: json_.key("type").text("object"); return;
    case Kind::address: json_.key("type").text("string").key("pattern").text("^0x[0-9a-fA-F]{40}$"); return;
    case Kind::market_id:
      json_.key("type").text("string").key("pattern").text("^[A-Z0-9]+(-[A-Z0-9]+)*$");
      json_.key("maxLength").integer(limits::market_id_chars_max);
      return;
    case Kind::enumeration: enumeration(field.spelling != nullptr ? *field.spelling : *type.names); return;
    case Kind::custom:
      if (options_.reference_prefix.empty())
        json_.key("allOf").begin_array().raw(type.custom->schema).end_array();
      else
        json_.key("$ref").text(std::string(options_.reference_prefix) + std::string(type.name));
      return;
    case Kind::optional:
      json_.key("anyOf").begin_array();
      value(type.element(), field);
      json_.begin_object().key("type").text("null").end_object().end_array();
      return;
    case Kind::list:
      json_.key("type").text("array").key("items");
      value(type.element(), field);
      return;
    case Kind::map:
      json_.key("type").text("object").key("additionalProperties");
      value(type.element(), field);
      return;
    case Kind::record:
      if (options_.reference_prefix.empty()) {
        record_members(type);
      } else {
        json_.key("$ref").text(std::string(options_.reference_prefix) + std::string(type.name));
      }
      return;
  }
  SVC_ASSERT(false);
}

void SchemaWriter::record(const TypeInfo& type) {
  json_.begin_object();
  record_members(type);
  json_.end_object();
}

void SchemaWriter::record_members(const TypeInfo& type) {
  if (type.as_array) {
    json_.key("type").text("array").key("prefixItems").begin_array();
    for (const FieldInfo& f : type.fields) field(f, type);
    json_.end_array().key("items").boolean(false).key("minItems").integer(type.fields.size());
    return;
  }
  json_.key("type").text("object").key("properties").begin_object();
  for (const FieldInfo& f : type.fields) {
    if (f.in != In::body) continue;
    json_.key(f.name);
    field(f, type);
  }
  json_.end_object().key("required").begin_array();
  for (const FieldInfo& f : type.fields) {
    if (f.in == In::body && is_required(f)) json_.text(f.name);
  }
  json_.end_array();
  if (options_.direction == Direction::request) json_.key("additionalProperties").boolean(false);
}

}  // namespace

std::string schema_of(const TypeInfo& type, const SchemaOptions& options) {
  if (type.kind == Kind::custom) return std::string(type.custom->schema);
  std::string schema;
  SchemaWriter(schema, options).body(type);
  return schema;
}

std::string schema_of(const FieldInfo& field, const TypeInfo& record, const SchemaOptions& options) {
  std::string schema;
  SchemaWriter(schema, options).field(field, record);
  return schema;
}

}  // namespace svc::api
