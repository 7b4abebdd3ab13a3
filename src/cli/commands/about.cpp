// version, explain
#include <array>
#include <charconv>

#include "api/error_catalog.h"
#include "api/version.h"
#include "cli/arguments.h"
#include "cli/commands/groups.h"
#include "cli/exit_code.h"
#include "cli/program_version.h"

namespace svc::cli {
namespace {

class Version final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context&) override {
    return Answer{
        .data = Json::object({{"program", "svc"}, {"version", program_version}, {"api_version", api::client_version}}),
        .view = {{{"program", "program"}, {"version", "version"}, {"api_version", "api_version"}}}};
  }
};

// A number is an exit code, anything else an error code of the API.
class Explain final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("CODE", code_, "error code or exit code"); }
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
                                          {"retry", api::to_string(info.retry)},
                                          {"meaning", info.meaning}}),
                    .view = sheet};
    }
    return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                   .code = "code_unknown",
                                   .message = "\"" + code_ + "\" is no exit code and no error code of the API"}));
  }

 private:
  std::string code_;
};

constexpr std::array rows{
    CommandRow{"explain", "CODE", "Tell what an error or exit code means", make<Explain>},
    CommandRow{"version", "", "Show the versions of program and API", make<Version>},
};

}  // namespace

std::span<const CommandRow> about_commands() {
  return rows;
}

}  // namespace svc::cli
