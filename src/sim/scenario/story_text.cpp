// The text form of scenario files: read, and rewritten with actual results.
#include "sim/scenario/expectations.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

// One scenario of a text.
struct ParsedStory {
  ToldScenario told;
  std::vector<Expectation> expectations{};
  std::size_t steps_before = 0;  // of this story
  std::string looked_at{};       // the snapshot for the lines after the last step

  [[nodiscard]] std::string first_market() const { return *told.markets.front()->find<std::string>("id"); }

  void add_step(Record step, const TextLine& line) {
    told.steps.push_back(std::move(step));
    told.lines->push_back(line.number);
  }

  // "... -> Refusal" at the end of a step.
  void read_step_line(const TextLine& line) {
    if (line.words.size() <= 2 || line.words[line.words.size() - 2] != "->")
      return add_step(read_step(line, first_market()), line);
    TextLine step = line;
    step.words.resize(line.words.size() - 2);
    add_step(read_step(step, first_market()), line);
    told.expect["rejects"].push_back({{"step", told.steps.size()}, {"error", line.words.back()}});
  }

  // Reads a step or an expectation; returns how many lines it took.
  std::size_t read(std::span<const TextLine> lines) {
    auto expectation = Expectation::at(lines, first_market());
    if (!expectation) {
      read_step_line(lines.front());
      looked_at.clear();
      return 1;
    }
    // An expectation of the state here: a snapshot that the next step ends.
    if (expectation->of_state() && looked_at.empty()) {
      looked_at = "line " + std::to_string(lines.front().number);
      Record snapshot;
      snapshot.set("op", std::string("snapshot"));
      snapshot.set("name", looked_at);
      add_step(std::move(snapshot), lines.front());
    }
    expectation->look_at(looked_at);
    expectation->read(told.expect);
    expectations.push_back(std::move(*expectation));
    return expectations.back().lines();
  }
};

struct ParsedFile {
  std::string topic{};
  std::vector<ParsedStory> stories{};
};

ParsedFile read_file(std::string_view text) {
  const std::vector<TextLine> lines = lines_of(text);
  ParsedFile file;
  std::vector<std::optional<Record>> markets;
  std::optional<json> open_orders;
  std::vector<TextLine> beginning;  // common lines before the first story
  for (std::size_t at = 0; at < lines.size();) {
    const TextLine& line = lines[at];
    if (line.words[0] == "=") {
      // Markets right below the title replace those of the file.
      std::vector<std::optional<Record>> own;
      while (++at < lines.size() && lines[at].words[0] == "market") own.push_back(read_market(lines[at]));
      if (own.empty()) own = markets;
      if (own.empty()) fail(line, "no market is described");
      if (line.words.size() < 2) fail(line, "expected = ID TITLE");
      ParsedStory story{.told = {.id = line.words[1],
                                 .title = line.joined(2),
                                 .markets = std::move(own),
                                 .steps = {},
                                 .open_orders = open_orders,
                                 .lines = json::array(),
                                 .expect = {{"rejects", json::array()}}}};
      for (const TextLine& before : beginning) story.read_step_line(before);
      story.steps_before = beginning.size();
      file.stories.push_back(std::move(story));
    } else if (!file.stories.empty()) {
      at += file.stories.back().read(std::span(lines).subspan(at));
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
  if (file.stories.empty()) throw LineError{"no scenario: expected a line \"= ID TITLE\""};
  return file;
}

Result<ParsedFile, std::string> read_text(std::string_view text) {
  try {
    return read_file(text);
  } catch (const LineError& error) {
    return unexpected(error.text);
  }
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

Result<ToldFile, std::string> read_story_text(std::string_view text) {
  auto file = SVC_TRY(read_text(text));
  ToldFile told{.topic = std::move(file.topic), .scenarios = {}};
  for (ParsedStory& story : file.stories) told.scenarios.push_back(std::move(story.told));
  return told;
}

Result<std::string, std::string> update_story_text(std::string_view text) {
  if (!is_story_text(text)) return unexpected("only the text form is rewritten, not JSON");
  const auto told = SVC_TRY(read_text(text));
  // Each line of the text, with its replacement.
  std::vector<std::string> lines = split(text, '\n');
  std::vector<bool> gone(lines.size() + 1);
  std::vector<Scenario> scenarios;
  std::vector<json> outcomes;
  for (const ParsedStory& story : told.stories) {
    Vector vector = vector_of(story.told);
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
  for (std::size_t i = 0; i < told.stories.size(); ++i) {
    const Scenario& scenario = scenarios[i];
    const json& outcome = outcomes[i];
    const std::size_t steps_before = told.stories[i].steps_before;
    for (std::size_t step = i == 0 ? 0 : steps_before; step < scenario.steps.size(); ++step) {
      if (step < steps_before && !is_alike(step)) continue;
      const std::string expected = refusal_at(scenario.expect["rejects"], step + 1);
      const std::string came = refusal_at(outcome["rejects"], step + 1);
      std::string& line = lines[scenario.lines[step] - 1];
      if (expected != came) line = with_refusal(line, !expected.empty(), came);
    }
    for (const Expectation& expectation : told.stories[i].expectations) {
      const auto rows = expectation.corrected(outcome);
      if (!rows) continue;
      // A row takes the place of one that was there, with its comment; further ones follow the last.
      std::size_t last = expectation.head().number;
      auto row = rows->begin();
      for (const TextLine& told_row : expectation.rows()) {
        gone[told_row.number - 1] = row == rows->end();
        if (row == rows->end()) continue;
        last = told_row.number;
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
