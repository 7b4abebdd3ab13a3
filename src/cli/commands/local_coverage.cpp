// local coverage
#include <algorithm>
#include <array>
#include <fstream>

#include "api/form_encoding.h"
#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/read.h"
#include "cli/commands/xml_text.h"

namespace svc::cli {
namespace {

std::string list_text(const Json& row, std::string_view name) {
  std::string text;
  if (const Json* list = row.find(name))
    for (const Json& item : list->items()) text += (text.empty() ? "" : ",") + item.text();
  return text;
}

std::string statuses_of(const Json& row) {
  std::string text;
  const Json* statuses = row.find("statuses");
  if (statuses == nullptr) return text;
  for (std::size_t i = 0; i < statuses->keys().size(); ++i)
    text += (text.empty() ? "" : ",") + statuses->keys()[i] + ":" + statuses->items()[i].text();
  return text;
}

// An operation fails that was never answered with success; what of its errors was not met is told beside it.
std::string coverage_junit(const Json& coverage) {
  const Json none = Json::array();
  const Json* found = coverage.find("operations");
  const Json& operations = found == nullptr ? none : *found;
  const auto missed = [](const Json& row) { return row.find("met") == nullptr || !row.find("met")->truth(); };
  const auto failures = std::count_if(operations.items().begin(), operations.items().end(), missed);
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"coverage\" tests=\"" +
      std::to_string(operations.items().size()) + "\" failures=\"" + std::to_string(failures) + "\">\n";
  for (const Json& row : operations.items()) {
    const auto text = [&](std::string_view name) { return xml_text(row.string_at(name).value_or("")); };
    out +=
        "    <testcase classname=\"" + text("operation") + "\" name=\"" + text("method") + " " + text("path") + "\">\n";
    if (missed(row)) out += "      <failure message=\"never answered with success\"/>\n";
    out += "      <system-out>statuses " + xml_text(statuses_of(row)) +
           "; codes never met: " + xml_text(list_text(row, "codes_missing")) + "</system-out>\n    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

// What the requests so far covered, one line per operation and twin.
class ShowCoverage final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--missing", missing_, "only operations of which something was never met");
    arguments.text("--tag", tag_, "NAME", "set a tag here and now, for --from");
    arguments.text("--from", from_, "TAG", "only what was asked since that tag was set");
    arguments.text("--junit", junit_, "FILE", "write a JUnit report to this file as well");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(open_sandbox(context));
    // What is told belongs to the time before the tag.
    Call call = control_get("/coverage");
    if (from_) call.query = "from=" + api::percent_encode(*from_, api::Plus::is_blank);
    auto reply = SVC_TRY(exchange.call(call));
    if (tag_) {
      const auto set = exchange.call(control_post("/coverage", Json::object({{"tag", *tag_}})));
      if (!set) return unexpected(set.error());
    }
    if (junit_) {
      std::ofstream stream(*junit_, std::ios::binary);
      stream << coverage_junit(reply.body) << std::flush;
      if (!stream) return unexpected(Stop(usage_error("--junit " + *junit_ + ": cannot be written")));
    }
    const View view{{{"operation", "operation"},
                     {"method", "method"},
                     {"path", "path"},
                     {"hit", "requests"},
                     {"met", "met"},
                     {"statuses", "", statuses_of},
                     {"codes_seen", "", [](const Json& row) { return list_text(row, "codes_met"); }},
                     {"codes_missing", "", [](const Json& row) { return list_text(row, "codes_missing"); }}}};
    Answer answer = answer_of(std::move(reply), view);
    Json rows = Json::array();
    if (const Json* operations = answer.data.find("operations")) {
      for (const Json& row : operations->items()) {
        const Json* met = row.find("met");
        const bool whole = met != nullptr && met->truth() && list_text(row, "codes_missing").empty();
        if (!missing_ || !whole) rows.push(row);
      }
    }
    answer.rows = std::move(rows);
    context.say(summary(answer.data));
    return answer;
  }

 private:
  static std::string summary(const Json& data) {
    std::string text;
    for (const std::string_view what : {"operations", "successes", "errors", "codes"}) {
      const auto met = data.integer_at("met." + std::string(what));
      const auto all = data.integer_at("of." + std::string(what));
      text += (text.empty() ? "met: " : ", ") + std::to_string(met.value_or(0)) + " of " +
              std::to_string(all.value_or(0)) + " " + std::string(what);
    }
    return text;
  }

  bool missing_ = false;
  std::optional<std::string> tag_, from_, junit_;
};

constexpr std::array local_coverage_rows{
    CommandRow{"local coverage", "", "Show which operations, statuses and errors were met", make<ShowCoverage>, 1,
               Repeats::yes},
};

}  // namespace

std::span<const CommandRow> local_coverage_commands() {
  return local_coverage_rows;
}

}  // namespace svc::cli
