// commands, schema: the command tree and the shapes of its output, for programs.
#include <array>

#include "cli/arguments.h"
#include "cli/command_table.h"
#include "cli/commands/groups.h"
#include "cli/context.h"
#include "cli/examples.h"
#include "cli/help.h"
#include "cli/outputs.h"

namespace svc::cli {
namespace {

Json described(const Declared& one) {
  Json flag = Json::object({{"names", Json::array()}});
  Json names = Json::array();
  std::string_view rest = one.names;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    names.push(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  flag.set("names", std::move(names));
  flag.set("value", one.value.empty() ? Json() : Json(one.value));
  flag.set("positional", one.positional);
  flag.set("required", one.required);
  Json choices = Json::array();
  for (const std::string_view choice : one.choices) choices.push(choice);
  flag.set("choices", one.choices.empty() ? Json() : std::move(choices));
  flag.set("doc", one.doc);
  return flag;
}

Json described(const CommandRow& row) {
  Json own = Json::array();
  for (const Declared& one : taken_by(row).own) own.push(described(one));
  Json lines = Json::array();
  for (const Example& example : examples_of(row)) lines.push(example.line);
  std::string schema = "svc." + std::string(row.path) + "/" + std::to_string(row.schema_version);
  for (char& c : schema) c = c == ' ' ? '.' : c;
  return Json::object({{"command", row.path},
                       {"usage", row.usage},
                       {"summary", row.summary},
                       {"schema", schema},
                       {"arguments", std::move(own)},
                       {"examples", std::move(lines)}});
}

class ListCommands final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--global", global_, "the flags of every command instead");
  }
  Result<Answer, Stop> run(Context&) override {
    Answer answer{.data = Json::array()};
    if (global_) {
      GlobalWords words;
      Arguments arguments;
      declare_globals(arguments, words);
      for (const Declared& one : arguments.declared()) answer.data.push(described(one));
      answer.view = {{{"names", "names"}, {"value", "value"}, {"doc", "doc"}}, Layout::rows};
      return answer;
    }
    for (const auto& group : command_groups()) {
      for (const CommandRow& row : group) answer.data.push(described(row));
    }
    answer.view = {{{"command", "command"}, {"usage", "usage"}, {"summary", "summary"}, {"schema", "schema"}},
                   Layout::rows};
    return answer;
  }

 private:
  bool global_ = false;
};

class ShowSchema final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.remaining("COMMAND", words_, "command, such as orders list");
  }
  Result<Answer, Stop> run(Context&) override {
    std::string shown;
    for (const std::string& word : words_) shown += (shown.empty() ? "" : " ") + word;
    // 'orders list' as one word is what a script has at hand.
    std::vector<std::string> words;
    for (std::size_t at = 0; at < shown.size();) {
      const auto blank = std::min(shown.find(' ', at), shown.size());
      words.push_back(shown.substr(at, blank - at));
      at = blank + 1;
    }
    const auto found = words.empty() ? std::nullopt : find_command(words);
    if (!found || found->words != words.size()) {
      Failure failure =
          usage_error(shown.empty() ? "schema needs the name of a command" : "unknown command \"" + shown + "\"");
      failure.actions = {"svc commands"};
      return unexpected(Stop(std::move(failure)));
    }
    const std::string text = output_schema(*found->row);
    auto document = parse_json(text);
    if (!document) return unexpected(Stop(internal_error("the schema cannot be read: " + document.error())));
    return Answer{.data = std::move(*document), .text = text + "\n", .raw = text + "\n"};
  }

 private:
  std::vector<std::string> words_;
};

constexpr std::array introspection_rows{
    CommandRow{"commands", "", "List every command with its flags", make<ListCommands>},
    CommandRow{"schema", "COMMAND...", "Show the JSON Schema of what a command prints with --json", make<ShowSchema>},
};

}  // namespace

std::span<const CommandRow> introspection_commands() {
  return introspection_rows;
}

}  // namespace svc::cli
