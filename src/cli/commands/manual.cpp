// man
#include <array>

#include "cli/arguments.h"
#include "cli/commands/groups.h"
#include "cli/context.h"
#include "cli/manual/pages.h"

namespace svc::cli {
namespace {

class Manual final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("PAGE", page_, "orders, exit-codes, networks, sandbox, ... (default: svc)");
    arguments.flag("--list", list_, "list the pages");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (list_) {
      Answer answer{.data = Json::array(),
                    .view = {{{"page", "page"}, {"section", "section"}, {"summary", "summary"}}, Layout::rows}};
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

constexpr std::array manual_rows{
    CommandRow{"man", "[PAGE]", "Print a manual page", make<Manual>},
};

}  // namespace

std::span<const CommandRow> manual_commands() {
  return manual_rows;
}

}  // namespace svc::cli
