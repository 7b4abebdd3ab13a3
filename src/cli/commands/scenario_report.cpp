#include "cli/commands/scenario_report.h"

#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

using sim::scenario::ScenarioResult;
using sim::scenario::Verdict;

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return "passed";
    case Verdict::failed: return "failed";
    case Verdict::skipped: return "skipped";
  }
  return "";
}

std::size_t count(std::span<const ToldFile> files, Verdict verdict) {
  std::size_t sum = 0;
  for (const ToldFile& file : files) sum += file.report.count(verdict);
  return sum;
}

std::size_t count(std::span<const ToldFile> files) {
  std::size_t sum = 0;
  for (const ToldFile& file : files) sum += file.report.results.size();
  return sum;
}

// Texts of files must not end a line of ours or move the cursor.
std::string name_of(const ScenarioResult& result) {
  return escaped(result.title.empty() ? result.id : result.id + "  " + result.title);
}

// A '#' would begin a directive.
std::string tap_name(const ScenarioResult& result) {
  std::string text;
  for (const char c : name_of(result)) {
    if (c == '#') text += '\\';
    text += c;
  }
  return text;
}

constexpr std::string_view no_steps = "no steps: a formula";

}  // namespace

std::size_t failures(std::span<const ToldFile> files) {
  return count(files, Verdict::failed);
}

std::string closing_line(std::span<const ToldFile> files) {
  return std::to_string(count(files, Verdict::passed)) + " passed, " + std::to_string(failures(files)) + " failed";
}

std::string render_lines(std::span<const ToldFile> files) {
  std::string text;
  for (const ToldFile& file : files) {
    for (const ScenarioResult& result : file.report.results) {
      text += std::string(word(result.verdict)) + (result.verdict == Verdict::skipped ? "  " : "   ") + name_of(result);
      if (result.verdict == Verdict::skipped) text += "  (" + std::string(no_steps) + ")";
      text += "\n";
      for (const std::string& difference : result.differences) text += "         " + escaped(difference) + "\n";
    }
  }
  return text + closing_line(files) + "\n";
}

std::string render_tap(std::span<const ToldFile> files) {
  std::string text = "TAP version 13\n1.." + std::to_string(count(files)) + "\n";
  std::size_t number = 0;
  for (const ToldFile& file : files) {
    for (const ScenarioResult& result : file.report.results) {
      const bool failed = result.verdict == Verdict::failed;
      text += (failed ? "not ok " : "ok ") + std::to_string(++number) + " - " + tap_name(result);
      if (result.verdict == Verdict::skipped) text += " # SKIP " + std::string(no_steps);
      text += "\n";
      if (!failed) continue;
      text += "  ---\n  file: " + Json(file.path).dump() + "\n  differences:\n";
      for (const std::string& difference : result.differences) text += "    - " + Json(difference).dump() + "\n";
      text += "  ...\n";
    }
  }
  return text + "# " + closing_line(files) + "\n";
}

std::string render_junit(std::span<const ToldFile> files) {
  const auto counts = [](std::size_t tests, std::size_t failed, std::size_t skipped) {
    return " tests=\"" + std::to_string(tests) + "\" failures=\"" + std::to_string(failed) +
           "\" errors=\"0\" skipped=\"" + std::to_string(skipped) + "\"";
  };
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"svc local scenario run\"" +
                     counts(count(files), failures(files), count(files, Verdict::skipped)) + ">\n";
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

Json rows_of(std::span<const ToldFile> files) {
  Json rows = Json::array();
  for (const ToldFile& file : files) {
    for (const ScenarioResult& result : file.report.results) {
      Json differences = Json::array();
      for (const std::string& difference : result.differences) differences.push(difference);
      rows.push(Json::object({{"file", file.path},
                              {"id", result.id},
                              {"title", result.title},
                              {"verdict", word(result.verdict)},
                              {"differences", std::move(differences)}}));
    }
  }
  return rows;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace svc::cli
