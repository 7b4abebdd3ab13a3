// local scenario run
#include <filesystem>

#include "cli/commands/control_call.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/render.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;
using sim::scenario::ScenarioResult;
using sim::scenario::Verdict;

// One file and what its scenarios came to.
struct ToldFile {
  std::string path;
  sim::scenario::ScenarioReport report;
};

std::string_view word(Verdict verdict) {
  return verdict == Verdict::passed ? "passed" : verdict == Verdict::failed ? "failed" : "skipped";
}

// How many scenarios have this verdict; without one, how many there are.
std::size_t count(std::span<const ToldFile> files, std::optional<Verdict> verdict = {}) {
  std::size_t sum = 0;
  for (const ToldFile& file : files) sum += verdict ? file.report.count(*verdict) : file.report.results.size();
  return sum;
}

// Escaped: texts of files must not end a line or move the cursor.
std::string name_of(const ScenarioResult& result) {
  return escaped(result.title.empty() ? result.id : result.id + "  " + result.title);
}

constexpr std::string_view no_steps = "no steps: a formula";

// "N passed, N failed"; formulas, which are not run, are in neither number.
std::string closing_line(std::span<const ToldFile> files) {
  return concat(count(files, Verdict::passed), " passed, ", count(files, Verdict::failed), " failed");
}

// One line per scenario, the differences of a failed one below it, the closing line last.
std::string render_lines(std::span<const ToldFile> files) {
  std::string text;
  for (const ToldFile& file : files) {
    for (const ScenarioResult& result : file.report.results) {
      const bool skipped = result.verdict == Verdict::skipped;
      text += concat(word(result.verdict), skipped ? "  " : "   ", name_of(result));
      if (skipped) text += concat("  (", no_steps, ")");
      text += "\n";
      for (const std::string& difference : result.differences) text += "         " + escaped(difference) + "\n";
    }
  }
  return text + closing_line(files) + "\n";
}

// Test Anything Protocol, version 13; the closing line is a comment.
std::string render_tap(std::span<const ToldFile> files) {
  std::string text = concat("TAP version 13\n1..", count(files), "\n");
  std::size_t number = 0;
  for (const ToldFile& file : files) {
    for (const ScenarioResult& result : file.report.results) {
      const bool failed = result.verdict == Verdict::failed;
      // An unescaped '#' would begin a directive.
      text += concat(failed ? "not ok " : "ok ", ++number, " - ", with_each(name_of(result), "#", "\\#"));
      if (result.verdict == Verdict::skipped) text += concat(" # SKIP ", no_steps);
      text += "\n";
      if (!failed) continue;
      text += "  ---\n  file: " + Json(file.path).dump() + "\n  differences:\n";
      for (const std::string& difference : result.differences) text += "    - " + Json(difference).dump() + "\n";
      text += "  ...\n";
    }
  }
  return text + "# " + closing_line(files) + "\n";
}

// JUnit XML: a suite per file.
std::string render_junit(std::span<const ToldFile> files) {
  const auto counts = [](std::size_t tests, std::size_t failed, std::size_t skipped) {
    return concat(" tests=\"", tests, "\" failures=\"", failed, "\" errors=\"0\" skipped=\"", skipped, "\"");
  };
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"svc local scenario run\"" +
                     counts(count(files), count(files, Verdict::failed), count(files, Verdict::skipped)) + ">\n";
  for (const ToldFile& file : files) {
    const auto& report = file.report;
    text += "  <testsuite name=\"" + xml_text(file.path) + "\"" +
            counts(report.results.size(), report.count(Verdict::failed), report.count(Verdict::skipped)) + ">\n";
    for (const ScenarioResult& result : report.results) {
      text += "    <testcase classname=\"" + xml_text(report.topic.empty() ? file.path : report.topic) + "\" name=\"" +
              xml_text(name_of(result)) + "\"";
      if (result.verdict == Verdict::passed) {
        text += "/>\n";
        continue;
      }
      text += ">\n";
      if (result.verdict == Verdict::skipped) text += "      <skipped message=\"" + xml_text(no_steps) + "\"/>\n";
      if (result.verdict == Verdict::failed) {
        text += "      <failure message=\"" + xml_text(result.differences.front()) + "\">";
        for (const std::string& difference : result.differences) text += xml_text(difference) + "\n";
        text += "</failure>\n";
      }
      text += "    </testcase>\n";
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

// Rows of file, id, title, verdict and differences.
Json rows_of(std::span<const ToldFile> files) {
  Json rows = Json::array();
  for (const ToldFile& file : files) {
    for (const ScenarioResult& result : file.report.results)
      rows.push(Json::object({{"file", file.path},
                              {"id", result.id},
                              {"title", result.title},
                              {"verdict", word(result.verdict)},
                              {"differences", Json::list(result.differences)}}));
  }
  return rows;
}

bool is_scenario_file(const fs::path& path) {
  return path.extension() == ".json" || path.extension() == ".scenario";
}

// The scenario files below a folder, sorted by path; of a file the file itself.
Result<std::vector<std::string>> files_of(const std::string& given) {
  std::error_code error;
  const fs::file_status status = fs::status(given, error);
  if (!fs::exists(status)) return usage_error(given + ": no such file or folder");
  if (!fs::is_directory(status)) return std::vector{given};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(given, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file() && is_scenario_file(entry->path())) files.push_back(entry->path().string());
  }
  if (error) return usage_error(given + ": " + error.message());
  if (files.empty()) return usage_error(given + ": no .json or .scenario file in this folder");
  std::sort(files.begin(), files.end());
  return files;
}

// Replaces the text in the file, and returns the new one.
Result<std::string> rewritten(Context& context, const std::string& path, const std::string& text) {
  auto updated = sim::scenario::update_story_text(text);
  if (!updated) return usage_error(path + ": " + updated.error());
  if (*updated == text) return text;
  if (context.globals().dry_run) {
    context.say("would rewrite " + path);
    return text;
  }
  SVC_TRY(replace_given(path, *updated));
  context.say("rewrote " + path);
  return std::move(*updated);
}

Result<Answer> run_scenarios(Context& context, const std::vector<std::string>& files, bool tap,
                             const std::optional<std::string>& junit, bool rewrites) {
  if (files.empty()) return usage_error("name a scenario file, or a folder of them");
  std::vector<ToldFile> told;
  for (const std::string& given : files) {
    const auto paths = SVC_TRY(files_of(given));
    for (const std::string& path : paths) {
      auto text = SVC_TRY(read_given(path, "scenario file", limits::input_bytes_max, LooseMode::accept));
      if (rewrites) text = SVC_TRY(rewritten(context, path, text));
      auto report = sim::scenario::run_scenarios(text);
      if (!report) return usage_error(path + ": " + report.error());
      told.push_back({path, std::move(*report)});
    }
  }
  if (junit && !context.globals().dry_run) SVC_TRY(write_junit(*junit, render_junit(told)));
  Answer answer{.data = rows_of(told), .text = tap ? render_tap(told) : render_lines(told)};
  if (count(told, Verdict::failed) > 0)
    answer.failure = failed("scenario_failed", closing_line(told), ": not everything came as expected");
  return answer;
}

}  // namespace

std::vector<CommandRow> scenario_commands() {
  return {{"local scenario run", "FILE...", "Tell stories of trading and compare what comes of them",
           "~/story.scenario  # a story with steps and checks", Output{"[] file id title verdict differences:list"},
           calls(run_scenarios, {{"FILE", "scenario file, or a folder of them"},
                                 {"--tap", "print the Test Anything Protocol"},
                                 {"--junit", "write a JUnit report to this file as well", "FILE"},
                                 {"--update", "rewrite what is expected, where it differs, with what came"}})}};
}

}  // namespace svc::cli
