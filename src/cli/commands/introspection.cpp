// commands, schema: the command tree and the shapes of its output, for programs.
#include <charconv>

#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/error_catalog.h"
#include "api/version.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/client/refusal.h"
#include "cli/commands/command.h"
#include "cli/commands/command_table.h"
#include "cli/commands/completion.h"
#include "cli/commands/examples.h"
#include "cli/commands/header_catalog.h"
#include "cli/commands/help.h"
#include "cli/commands/manual.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/read.h"
#include "cli/store/completion_values.h"
#include "cli/terminal/failure.h"

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
  return Json::object({{"command", row.path},
                       {"usage", row.usage},
                       {"summary", row.summary},
                       {"schema", schema_name(row)},
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

}  // namespace

std::span<const CommandRow> introspection_commands() {
  static const CommandRow rows[]{
      {"commands", "", "List every command with its flags", make<ListCommands>},
      {"schema", "COMMAND...", "Show the JSON Schema of what a command prints with --json", make<ShowSchema>},
  };
  return rows;
}

// version, explain

namespace {

class Version final : public Command {
 public:
  Result<Answer, Stop> run(Context&) override {
    return Answer{
        .data = Json::object({{"program", "svc"}, {"version", program_version}, {"api_version", api::client_version}})};
  }
};

// What to do about an error of this kind.
std::string_view advice(api::Category category) {
  switch (category) {
    case api::Category::auth: return "svc why tells what the server does not; svc whoami shows who signs";
    case api::Category::not_found: return "list what there is; what belongs to others is not found either";
    case api::Category::conflict: return "read what the service has, then decide again";
    case api::Category::invalid: return "mend the request; svc markets list shows ticks and lots";
    case api::Category::forbidden: return "do not send it again; the account or the network may not do this";
    case api::Category::rate_limited: return "wait as retry_after_ms says; svc limits shows the budgets";
    case api::Category::unavailable: return "nothing happened; send it again after a pause";
    case api::Category::ambiguous: return "do not send it again; look for it by its client id first";
    case api::Category::insufficient: return "svc account show tells what is free";
    case api::Category::halted: return "svc markets status MARKET tells when it trades again";
    case api::Category::version: return "upgrade svc, or call the path that took its place";
    case api::Category::internal: return "the service failed; svc venue health shows its parts";
  }
  return {};
}

// A number is an exit code; anything else is an error code or a header of the API.
class Explain final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("CODE", code_, "error code, exit code or header");
  }
  Result<Answer, Stop> run(Context&) override {
    const View sheet{{}, Layout::sheet};
    int number = 0;
    const auto [stop, error] = std::from_chars(code_.data(), code_.data() + code_.size(), number);
    if (error == std::errc{} && stop == code_.data() + code_.size()) {
      for (const ExitMeaning& meaning : exit_meanings()) {
        if (static_cast<int>(meaning.code) != number) continue;
        return Answer{.data = Json::object({{"exit", number},
                                            {"category", meaning.category},
                                            {"meaning", meaning.meaning},
                                            {"may_retry", meaning.may_retry}}),
                      .view = sheet};
      }
    } else if (const auto known = api::find_error(code_)) {
      const api::ErrorInfo& info = api::info(*known);
      return Answer{.data = Json::object({{"code", info.spelling},
                                          {"http", info.status},
                                          {"category", api::to_string(info.category)},
                                          {"exit", static_cast<int>(exit_of(info.category))},
                                          {"retry", api::to_string(info.retry)},
                                          {"meaning", info.meaning},
                                          {"what_to_do", advice(info.category)}}),
                    .view = sheet};
    } else if (const HeaderInfo* header = find_header(code_)) {
      return Answer{.data = Json::object({{"header", header->name},
                                          {"sent_by", header->by == SentBy::client ? "client" : "server"},
                                          {"meaning", header->meaning}}),
                    .view = sheet};
    } else if (const LocalCode* ours = find_local_code(code_)) {
      return Answer{.data = Json::object({{"code", ours->code},
                                          {"http", nullptr},
                                          {"category", meaning_of(ours->exit).category},
                                          {"exit", static_cast<int>(ours->exit)},
                                          {"retry", meaning_of(ours->exit).may_retry},
                                          {"meaning", ours->meaning},
                                          {"what_to_do", ours->what_to_do}}),
                    .view = sheet};
    }
    return unexpected(
        Stop(Failure{.exit = ExitCode::not_found,
                     .code = "code_unknown",
                     .message = "\"" + code_ + "\" is no exit code, no error code and no header of the API"}));
  }

 private:
  std::string code_;
};

// completion; and what completion starts by itself

class Completion final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("SHELL", shell_, "bash, zsh or fish"); }
  Result<Answer, Stop> run(Context&) override {
    for (const std::string_view shell : completion_shells) {
      if (shell != shell_) continue;
      const std::string script(completion_script(shell));
      return Answer{.data = Json::object({{"shell", shell}, {"script", script}}), .text = script, .raw = script};
    }
    return unexpected(Stop(usage_error("completion is there for bash, zsh and fish, not \"" + shell_ + "\"")));
  }

 private:
  std::string shell_;
};

// Started apart from everything by completion: reads what it will need next time.
class Refresh final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto read = [&](const Call& call) {
      auto reply = exchange.call(call);
      return reply ? std::move(reply->body) : Json();
    };
    const Json markets = read(call_of<api::ops::ListMarkets>());
    const Json orders = read(call_of<api::ops::ListOrders>());
    SVC_TRY(keep_for_completion(**context.paths(), exchange.network().name, markets, orders, context.now_ms()));
    return Answer{};
  }
};

}  // namespace

std::span<const CommandRow> hidden_commands() {
  static const CommandRow rows[]{{"__refresh", "", "Read what completion needs", make<Refresh>}};
  return rows;
}

// man

namespace {

class Manual final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("PAGE", page_, "orders, exit-codes, networks, sandbox, ... (default: svc)");
    arguments.flag("--list", list_, "list the pages");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (list_) {
      Answer answer{.data = Json::array()};
      for (const ManualPage& page : manual_pages()) {
        answer.data.push(Json::object({{"page", page.name}, {"section", page.number}, {"summary", page.summary}}));
      }
      return answer;
    }
    auto page = manual_page(page_ ? (page_->starts_with("svc") ? *page_ : "svc-" + *page_) : "svc");
    if (page) {
      const std::string source = roff(*page);
      // A terminal gets what a person can read; man -l and package builders read a pipe.
      const bool person = context.environment().out_is_terminal;
      return Answer{.data = Json::object({{"page", page->name}, {"section", page->number}, {"source", source}}),
                    .text = person ? plain_text(*page) : source,
                    .raw = source};
    }
    Failure failure = usage_error("there is no manual page " + page_.value_or("svc"));
    failure.actions = {"svc man --list"};
    return unexpected(Stop(std::move(failure)));
  }

 private:
  std::optional<std::string> page_;
  bool list_ = false;
};

}  // namespace

std::span<const CommandRow> completion_commands() {
  static const CommandRow rows[]{
      {"completion", "SHELL", "Print what makes a shell complete svc commands", make<Completion>},
      {"man", "[PAGE]", "Print a manual page", make<Manual>},
      {"explain", "CODE", "Tell what an error code, an exit code or a header means", make<Explain>},
      {"version", "", "Show the versions of program and API", make<Version>},
  };
  return rows;
}

}  // namespace svc::cli
