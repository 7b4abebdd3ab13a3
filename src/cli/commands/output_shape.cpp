#include "cli/commands/output_shape.h"

#include "api/contract/control.h"
#include "api/openapi.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "cli/client/proof.h"
#include "cli/commands/command_table.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

struct Record {
  std::string_view name;
  std::string_view members;
};

// Our own records inside other records.
constexpr std::array records{
    Record{"argument", "names:[text] value? positional:boolean required:boolean choices:[text]? doc"},
    Record{"hypothesis", "hypothesis verdict evidence"},
    Record{"signed_action", "type signer nonce digest"},
    Record{"journal_intent",
           "version:integer type=intent id time time_ms:integer command operation method target? account? "
           "client_ids:[text]? nonce? body_sha256? body:any -look_for:any -unknown:boolean -carried:boolean"},
    Record{"journal_outcome",
           "version:integer type=outcome id time time_ms:integer status:integer? code? outcome exit:integer "
           "-row? -open:boolean"},
    Record{"journal_reconciled",
           "version:integer type=reconciled id time time_ms:integer verdict evidence? -row? -open:boolean"},
    Record{"stall", "line:integer bucket what"},
    Record{"bucket_forecast",
           "bucket limit:integer remaining:integer requests:integer tokens:integer finish_ms:integer "
           "stall_line:integer? stalled_ms:integer"},
    Record{"account_key", "index:integer address private_key balance"},
    Record{"served_network", "network url host deployment domain_name"},
};

Json schema_of_record(std::string_view record);

// Finds an operation of the API or of the control surface.
const api::OperationEntry* find_operation(std::string_view name) {
  if (const auto* entry = api::find_operation(name)) return entry;
  const auto all = api::control::all_operations();
  return found_in(all, name, [](const api::OperationEntry& one) { return one.operation->name; });
}

Json type_schema(std::string_view type) {
  return Json::object({{"type", type}});
}

Json list_schema(Json items) {
  return Json::object({{"type", "array"}, {"items", std::move(items)}});
}

Json any_of(std::vector<Json> forms) {
  return Json::object({{"anyOf", Json::array(std::move(forms))}});
}

Json schema_of_type(std::string_view type) {
  if (type == "any") return Json::object();
  if (type.ends_with("[]")) return schema_of_record(type);
  if (type.starts_with('[')) return list_schema(schema_of_type(type.substr(1, type.size() - 2)));
  for (const Record& one : records)
    if (one.name == type) return schema_of_record(one.members);
  if (find_operation(type) != nullptr) return schema_of_record(type);
  return type_schema(type == "text" ? "string" : type == "list" ? "array" : type);
}

Json or_null(const Json& schema) {
  const auto type = schema.string_at("type");
  if (!type || schema.keys().size() > 1) return any_of({schema, type_schema("null")});
  return Json::object({{"type", Json::array({*type, "null"})}});
}

void add_member(std::string_view word, Json& properties, Json& required) {
  const bool may_be_absent = word.starts_with('-');
  if (may_be_absent) word.remove_prefix(1);
  const bool nullable = word.ends_with('?');
  if (nullable) word.remove_suffix(1);
  const auto sign = word.find_first_of(":=");
  const std::string_view name = word.substr(0, sign);
  const std::string_view rest = sign == std::string_view::npos ? "text" : word.substr(sign + 1);
  const bool is_word = sign != std::string_view::npos && word[sign] == '=';
  Json schema = is_word ? Json::object({{"const", rest}}) : schema_of_type(rest);
  if (nullable && !schema.keys().empty()) schema = or_null(schema);
  if (!may_be_absent) required.push(name);
  properties.append(std::string(name), std::move(schema));
}

// The members of these names, at any depth, may also be null.
Json with_null(const Json& schema, std::span<const std::string_view> names) {
  if (schema.is(Json::Kind::array))
    return Json::list(schema.items(), [&](const Json& one) { return with_null(one, names); });
  if (!schema.is(Json::Kind::object)) return schema;
  Json changed = Json::object();
  for (const auto& [key, member] : schema.members()) {
    Json value = with_null(member, names);
    const bool is_named = is_among(key, names) && value.find("type") != nullptr;
    changed.append(std::string(key), is_named ? or_null(value) : std::move(value));
  }
  return changed;
}

Json schema_of_record(std::string_view record) {
  if (const api::OperationEntry* entry = find_operation(record)) {
    const Json schema = *parse_json(api::schema_of(entry->response(), {.direction = api::Direction::response}));
    const outbox::Proof* proof = outbox::find_proof(entry->operation->name);
    return proof == nullptr || proof->lost.empty() ? schema : with_null(schema, proof->lost);
  }
  if (record.ends_with("[]") && record.find(' ') == std::string_view::npos) {
    const Json list = schema_of_record(record.substr(0, record.size() - 2));
    const Json* items = list.find("items");
    SVC_ASSERT(items != nullptr);
    return *items;
  }
  Json properties = Json::object(), required = Json::array();
  for (const std::string_view word : pieces_of(record, " ")) add_member(word, properties, required);
  return type_schema("object").set("properties", std::move(properties)).set("required", std::move(required));
}

// As JSON Schema; "{}" for "*".
Json schema_of_shape(std::string_view shape) {
  constexpr std::string_view list = "[] ";
  constexpr std::string_view either = " | ";
  if (shape == "*") return Json::object();
  if (shape.starts_with(list)) return list_schema(schema_of_shape(shape.substr(list.size())));
  if (shape.find(either) == std::string_view::npos) return schema_of_record(shape);
  std::vector<Json> forms;
  for (const std::string_view form : pieces_of(shape, either)) forms.push_back(schema_of_shape(form));
  return any_of(std::move(forms));
}

// The schema of the records inside lists.
const Json& record_schema(const Json& schema) {
  const Json* inner = &schema;
  while (const Json* items = inner->find("items")) inner = items;
  return *inner;
}

// The names of the members of a record, or of each record of a list, in their order; of several forms all of them.
std::vector<std::string> member_names(const Json& schema) {
  const Json& record = record_schema(schema);
  std::vector<std::string> names;
  if (const Json* properties = record.find("properties")) names = properties->keys();
  for (const Json& form : record.items_at("anyOf")) {
    for (std::string& name : member_names(form))
      if (!is_among(name, names)) names.push_back(std::move(name));
  }
  return names;
}

// Of several forms the one that the record has; the schema itself if there is only one.
const Json& form_of(const Json& record, const Json& schema) {
  const Json& forms = record_schema(schema);
  const Json* any = forms.find("anyOf");
  if (any == nullptr) return forms;
  const auto has_all = [&](const Json& form) {
    const auto has = [&](const Json& name) { return record.find(name.text()) != nullptr; };
    return std::ranges::all_of(form.items_at("required"), has);
  };
  const auto found = std::ranges::find_if(any->items(), has_all);
  return found == any->items().end() ? forms : *found;
}

// True if the schema does not exclude that a record has something at the path: "order.id".
bool may_have(const Json& schema, std::string_view path) {
  const Json& record = record_schema(schema);
  if (path.empty()) return true;
  if (const Json* any = record.find("anyOf"))
    return std::ranges::any_of(any->items(), [&](const Json& one) { return may_have(one, path); });
  const auto dot = path.find('.');
  const std::string_view rest = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  if (const Json* properties = record.find("properties")) {
    if (const Json* member = properties->find(path.substr(0, dot))) return may_have(*member, rest);
    const Json* others = record.find("additionalProperties");
    return others != nullptr && others->is(Json::Kind::object);
  }
  // An object without a description may have any member; a text has none.
  const Json* type = record.find("type");
  if (type == nullptr) return record.find("const") == nullptr;
  if (type->is(Json::Kind::string)) return type->text() == "object";
  return std::ranges::any_of(type->items(), [](const Json& one) { return one.text() == "object"; });
}

Output output_of(std::string_view command) {
  const CommandRow* row = find_row(command);
  return row == nullptr ? Output{"*"} : row->output;
}

bool shows_no_rows(const Output& output) {
  return output.as == As::lines || output.columns == "-";
}

Failure not_there(std::string_view command, std::string_view flag, std::string_view name) {
  const std::string shown = "svc " + std::string(command);
  const std::string begin = std::string(flag) + ": ";
  const std::vector<std::string> columns = output_columns(command);
  if (output_of(command).as == As::lines) return usage_error(begin + shown + " prints as it runs, and no columns");
  if (columns.empty()) return usage_error(begin + shown + " has no columns of its own; --jq picks from its JSON");
  return usage_error(begin + "no column \"" + std::string(name) + "\"; " + shown + " has " + joined(columns));
}

}  // namespace

Json data_schema(std::string_view command) {
  return schema_of_shape(output_of(command).shape);
}

Json output_schema(const CommandRow& row) {
  const std::string_view command = row.path;
  const Output output = output_of(command);
  Json data = data_schema(command);
  Json schema =
      Json::object({{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", schema_name(row)}});
  if (!output.note.empty()) schema.set("description", output.note);
  if (output.as == As::lines) return schema.set_all(data);
  // With --dry-run or --curl the data is the plan, such as the request that would be sent.
  const Json plan = type_schema("object")
                        .set("properties", Json::object({{"dry_run", Json::object({{"const", true}})}}))
                        .set("required", Json::array({"dry_run"}));
  if (!data.keys().empty()) data = any_of({data, plan, type_schema("null")});
  Json error = schema_of_record(
      "code category message retryable:boolean retry_after_ms:integer? details:object? actions:[text]");
  error.set("type", Json::array({"object", "null"}));
  const Json text_or_null = or_null(type_schema("string"));
  const Json properties = Json::object({{"schema", Json::object({{"const", schema_name(row)}})},
                                        {"ok", type_schema("boolean")},
                                        {"network", text_or_null},
                                        {"account", text_or_null},
                                        {"data", std::move(data)},
                                        {"warnings", schema_of_shape("[] code message")},
                                        {"error", std::move(error)},
                                        {"meta", type_schema("object")}});
  return schema.set("type", "object")
      .set("properties", properties)
      .set("required", Json::list(properties.keys()))
      .set("x-columns", Json::list(output_columns(command)));
}

std::vector<Column> shown_columns(std::string_view command) {
  const CommandRow* row = find_row(command);
  if (row == nullptr || shows_no_rows(row->output)) return {};
  if (row->output.columns.empty() && row->operation) return row->operation->terms.columns;
  return ColumnTerms{row->output.columns};
}

std::vector<std::string> output_columns(std::string_view command) {
  if (shows_no_rows(output_of(command))) return {};
  std::vector<std::string> names;
  for (const Column& column : shown_columns(command)) names.emplace_back(column.name);
  return names.empty() ? member_names(data_schema(command)) : names;
}

bool prints_list(std::string_view command) {
  if (output_columns(command).empty()) return false;
  return output_of(command).as == As::list || data_schema(command).string_at("type") == "array";
}

std::vector<std::string> output_members(std::string_view command, const Json& record) {
  const Json schema = data_schema(command);
  return member_names(form_of(record, schema));
}

Result<void> check_field(std::string_view command, std::string_view field) {
  const std::vector<std::string> columns = output_columns(command);
  if (is_among(field, columns)) return {};
  return not_there(command, "--fields", field);
}

Result<void> check_place(std::string_view command, std::string_view place) {
  if (check_field(command, place)) return {};
  const Output output = output_of(command);
  if (output.as != As::lines && (output.shape == "*" || may_have(data_schema(command), place))) return {};
  return not_there(command, "--template", place);
}

}  // namespace svc::cli
