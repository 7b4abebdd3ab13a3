#include "cli/outputs.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "cli/command_table.h"
#include "cli/output_shape.h"
#include "cli/schema_reading.h"

namespace svc::cli {
namespace {

// Whether the data comes in the envelope that all commands share.
enum class As : std::uint8_t {
  document,
  list,   // a document that is no array and is shown as the rows of one
  lines,  // printed as the command runs, in one form whatever is asked for
};

struct Output {
  std::string_view command;
  std::string_view shape;         // see output_shape.h
  std::string_view columns = {};  // separated by blanks; none: the members of the record; "-": it prints no rows
  std::string_view note = {};     // where the shape alone would leave questions
  As as = As::document;
};

constexpr std::array outputs{
#include "cli/outputs.def"
};

const Output* find_output(std::string_view command) {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const Output& one) { return one.command == command; });
  return found == outputs.end() ? nullptr : &*found;
}

Json data_schema(const CommandRow& row) {
  const Output* output = find_output(row.path);
  auto schema = parse_json(schema_of_shape(output == nullptr ? "*" : output->shape));
  SVC_ASSERT(schema.has_value());
  return std::move(*schema);
}

bool prints_lines(const CommandRow& row) {
  const Output* output = find_output(row.path);
  return output != nullptr && output->as == As::lines;
}

bool is_free(const CommandRow& row) {
  const Output* output = find_output(row.path);
  return output == nullptr || output->shape == "*";
}

Failure not_there(const CommandRow& row, std::string_view flag, std::string_view name) {
  const std::string command = "svc " + std::string(row.path);
  const std::vector<std::string> columns = output_columns(row);
  std::string known;
  for (const std::string& one : columns) known += (known.empty() ? "" : ", ") + one;
  if (prints_lines(row)) return usage_error(std::string(flag) + ": " + command + " prints as it runs, and no columns");
  if (columns.empty()) return usage_error(std::string(flag) + ": " + command + " has no columns of its own; --jq picks from its JSON");
  return usage_error(std::string(flag) + ": no column \"" + std::string(name) + "\"; " + command + " has " + known);
}

constexpr std::string_view error_schema =
    R"({"type":["object","null"],"properties":{"code":{"type":"string"},"category":{"type":"string"},)"
    R"("message":{"type":"string"},"retryable":{"type":"boolean"},"retry_after_ms":{"type":["integer","null"]},)"
    R"("details":{"type":["object","null"]},"actions":{"type":"array","items":{"type":"string"}}},)"
    R"("required":["code","category","message","retryable","retry_after_ms","details","actions"]})";

}  // namespace

std::string output_schema(const CommandRow& row) {
  const Output* output = find_output(row.path);
  std::string name = "svc." + std::string(row.path) + "/" + std::to_string(row.schema_version);
  std::replace(name.begin(), name.end(), ' ', '.');
  const std::string data = schema_of_shape(output == nullptr ? "*" : output->shape);
  std::string head = R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":)" + quoted_json(name);
  if (output != nullptr && !output->note.empty()) head += R"(,"description":)" + quoted_json(output->note);
  if (prints_lines(row)) return head + (data == "{}" ? "}" : "," + data.substr(1));
  std::string columns;
  for (const std::string& column : output_columns(row)) columns += (columns.empty() ? "" : ",") + quoted_json(column);
  return head + R"(,"type":"object","properties":{"schema":{"const":)" + quoted_json(name) +
         R"(},"ok":{"type":"boolean"},"network":{"type":["string","null"]},"account":{"type":["string","null"]},"data":)" +
         (data == "{}" ? data : R"({"anyOf":[)" + data + R"(,{"type":"null"}]})") +
         R"(,"warnings":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},)" +
         R"("message":{"type":"string"}},"required":["code","message"]}},"error":)" + std::string(error_schema) +
         R"(,"meta":{"type":"object"}},"required":["schema","ok","network","account","data","warnings","error","meta"])" +
         R"(,"x-columns":[)" + columns + "]}";
}

std::optional<std::string> check_output(const CommandRow& row, const Json& data) {
  return mismatch(data, data_schema(row), "data");
}

std::vector<std::string> output_columns(const CommandRow& row) {
  const Output* output = find_output(row.path);
  if (output == nullptr || output->as == As::lines) return {};
  if (output->columns == "-") return {};
  if (output->columns.empty()) return member_names(data_schema(row));
  std::vector<std::string> names;
  for (std::string_view rest = output->columns; !rest.empty();) {
    const auto blank = rest.find(' ');
    names.emplace_back(rest.substr(0, blank));
    rest = blank == std::string_view::npos ? std::string_view{} : rest.substr(blank + 1);
  }
  return names;
}

bool prints_list(const CommandRow& row) {
  const Output* output = find_output(row.path);
  if (output == nullptr || output_columns(row).empty()) return false;
  return output->as == As::list || data_schema(row).string_at("type") == "array";
}

std::vector<std::string> output_members(const CommandRow& row, const Json& record) {
  const Json schema = data_schema(row);
  return member_names(form_of(record, schema));
}

Result<void, Failure> check_field(const CommandRow& row, std::string_view field) {
  const std::vector<std::string> columns = output_columns(row);
  if (std::find(columns.begin(), columns.end(), field) != columns.end()) return {};
  return unexpected(not_there(row, "--fields", field));
}

Result<void, Failure> check_place(const CommandRow& row, std::string_view place) {
  const std::vector<std::string> columns = output_columns(row);
  if (std::find(columns.begin(), columns.end(), place) != columns.end()) return {};
  if (!prints_lines(row) && (is_free(row) || may_have(data_schema(row), place))) return {};
  return unexpected(not_there(row, "--template", place));
}

std::vector<std::string_view> commands_without_output() {
  std::vector<std::string_view> missing;
  for (const std::string_view path : command_paths()) {
    if (find_output(path) == nullptr) missing.push_back(path);
  }
  return missing;
}

}  // namespace svc::cli
