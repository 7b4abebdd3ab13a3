// version, explain
#include <array>
#include <charconv>

#include "api/error_catalog.h"
#include "api/version.h"
#include "cli/arguments.h"
#include "cli/commands/groups.h"
#include "cli/exchange/refusal.h"
#include "cli/exit_code.h"
#include "cli/header_catalog.h"
#include "cli/local_codes.h"
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

constexpr std::array about_rows{
    CommandRow{"explain", "CODE", "Tell what an error code, an exit code or a header means", make<Explain>},
    CommandRow{"version", "", "Show the versions of program and API", make<Version>},
};

}  // namespace

std::span<const CommandRow> about_commands() {
  return about_rows;
}

}  // namespace svc::cli
