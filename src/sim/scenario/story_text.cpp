// The text form of scenario files: read, and rewritten with actual results.
#include "sim/scenario/expectations.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

std::string first_market(const UncheckedScenario& scenario) {
  return *scenario.markets.front()->find<std::string>("id");
}

void add_step(UncheckedScenario& scenario, Record step, const TextLine& line) {
  scenario.steps.push_back(std::move(step));
  scenario.lines->push_back(line.number);
}

// "... -> Refusal" at the end of a step.
void read_step_line(UncheckedScenario& scenario, const TextLine& line) {
  if (line.words.size() <= 2 || line.words[line.words.size() - 2] != "->")
    return add_step(scenario, read_step(line, first_market(scenario)), line);
  TextLine step = line;
  step.words.resize(line.words.size() - 2);
  add_step(scenario, read_step(step, first_market(scenario)), line);
  scenario.expect["rejects"].push_back({{"step", scenario.steps.size()}, {"error", line.words.back()}});
}

// Reads a step or an expectation; returns how many lines it took. `looked_at`: the snapshot for the lines after the
// last step; empty: there is none yet.
std::size_t read_lines(UncheckedScenario& scenario, std::string& looked_at, std::span<const TextLine> lines) {
  auto expectation = Expectation::at(lines, first_market(scenario));
  if (!expectation) {
    read_step_line(scenario, lines.front());
    looked_at.clear();
    return 1;
  }
  // An expectation of the state here: a snapshot that the next step ends.
  if (expectation->of_state() && looked_at.empty()) {
    looked_at = "line " + std::to_string(lines.front().number);
    Record snapshot;
    snapshot.set("op", std::string("snapshot"));
    snapshot.set("name", looked_at);
    add_step(scenario, std::move(snapshot), lines.front());
  }
  expectation->look_at(looked_at);
  expectation->read(scenario.expect);
  scenario.expectations.push_back(std::move(*expectation));
  return scenario.expectations.back().lines();
}

UncheckedFile read_file(std::string_view text) {
  const std::vector<TextLine> lines = lines_of(text);
  UncheckedFile file;
  std::vector<std::optional<Record>> markets;
  std::optional<json> open_orders;
  std::vector<TextLine> beginning;  // common lines before the first story
  std::string looked_at;
  for (std::size_t at = 0; at < lines.size();) {
    const TextLine& line = lines[at];
    if (line.words[0] == "=") {
      // Markets right below the title replace those of the file.
      std::vector<std::optional<Record>> own;
      while (++at < lines.size() && lines[at].words[0] == "market") own.push_back(read_market(lines[at]));
      if (own.empty()) own = markets;
      if (own.empty()) fail(line, "no market is described");
      if (line.words.size() < 2) fail(line, "expected = ID TITLE");
      UncheckedScenario& scenario = file.scenarios.emplace_back();
      scenario.id = line.words[1];
      scenario.title = line.joined(2);
      scenario.markets = std::move(own);
      scenario.open_orders = open_orders;
      scenario.lines = json::array();
      scenario.expect = {{"rejects", json::array()}};
      for (const TextLine& before : beginning) read_step_line(scenario, before);
      scenario.steps_before = beginning.size();
      looked_at.clear();
    } else if (!file.scenarios.empty()) {
      at += read_lines(file.scenarios.back(), looked_at, std::span(lines).subspan(at));
    } else {
      ++at;
      if (line.words[0] == "topic") {
        file.topic = line.joined(1);
      } else if (line.words[0] == "market") {
        markets.push_back(read_market(line));
      } else if (line.words[0] == open_orders_word) {
        Words words(line);
        words.next("");
        open_orders = words.whole_number("the number of orders");
        words.finish();
      } else {
        beginning.push_back(line);
      }
    }
  }
  if (file.scenarios.empty()) throw Unreadable{"no scenario: expected a line \"= ID TITLE\""};
  return file;
}

// Replaces the words of a line and keeps its comment.
std::string with_words(const std::string& line, const std::string& words) {
  const std::string comment = line.substr(lines_of(line).front().length);
  const bool has_return = comment.empty() && line.ends_with('\r');
  return words + (comment.empty() ? "" : " " + comment) + (has_return ? "\r" : "");
}

// Replaces the refusal of a step by the actual one; an empty one removes it.
std::string with_refusal(const std::string& line, bool had_one, const std::string& refusal) {
  std::string step = line.substr(0, lines_of(line).front().length);
  if (had_one) step.resize(step.rfind("->"));
  step.resize(step.find_last_not_of(" \t\r") + 1);
  if (!refusal.empty()) step += " -> " + refusal;
  return with_words(line, step);
}

std::string refusal_at(const json& rejects, std::size_t step) {
  for (const json& row : rejects)
    if (row["step"] == step) return row["error"];
  return "";
}

}  // namespace

Result<UncheckedFile, std::string> read_story_text(std::string_view text) {
  try {
    return read_file(text);
  } catch (const Unreadable& error) {
    return unexpected(error.text);
  }
}

Result<std::string, std::string> update_story_text(std::string_view text) {
  if (!is_story_text(text)) return unexpected("only the text form is rewritten, not JSON");
  const UncheckedFile file = SVC_TRY(read_story_text(text));
  // Each line of the text, with its replacement.
  std::vector<std::string> lines = split(text, '\n');
  std::vector<bool> gone(lines.size() + 1);
  std::vector<Scenario> scenarios;
  std::vector<json> outcomes;
  for (const UncheckedScenario& unchecked : file.scenarios) {
    Vector vector = vector_of(unchecked);
    if (!vector.scenario) return unexpected(vector.error);
    scenarios.push_back(*std::move(vector.scenario));
    outcomes.push_back(run_story(scenarios.back()).outcome);
  }
  // A common step that ends otherwise in another story, with a market of its own, stays as it is.
  const auto is_alike = [&](std::size_t step) {
    return std::ranges::all_of(outcomes, [&](const json& outcome) {
      return refusal_at(outcome["rejects"], step + 1) == refusal_at(outcomes.front()["rejects"], step + 1);
    });
  };
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Scenario& scenario = scenarios[i];
    const json& outcome = outcomes[i];
    const std::size_t steps_before = file.scenarios[i].steps_before;
    for (std::size_t step = i == 0 ? 0 : steps_before; step < scenario.steps.size(); ++step) {
      if (step < steps_before && !is_alike(step)) continue;
      const std::string expected = refusal_at(scenario.expect["rejects"], step + 1);
      const std::string came = refusal_at(outcome["rejects"], step + 1);
      std::string& line = lines[scenario.lines[step] - 1];
      if (expected != came) line = with_refusal(line, !expected.empty(), came);
    }
    for (const Expectation& expectation : file.scenarios[i].expectations) {
      const auto rows = expectation.corrected(outcome);
      if (!rows) continue;
      // A row takes the place of one that was there, with its comment; further ones follow the last.
      std::size_t last = expectation.head().number;
      auto row = rows->begin();
      for (const TextLine& old_row : expectation.rows()) {
        gone[old_row.number - 1] = row == rows->end();
        if (row == rows->end()) continue;
        last = old_row.number;
        lines[last - 1] = with_words(lines[last - 1], *row++);
      }
      const std::string_view line_end = lines[last - 1].ends_with('\r') ? "\r" : "";
      for (; row != rows->end(); ++row) lines[last - 1].append("\n").append(*row).append(line_end);
    }
  }
  std::string updated;
  for (std::size_t line = 0; line < lines.size(); ++line)
    if (!gone[line]) updated += (line == 0 ? "" : "\n") + lines[line];
  return updated;
}

}  // namespace svc::sim::scenario
