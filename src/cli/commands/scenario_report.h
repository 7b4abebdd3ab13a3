// What `svc local scenario run` has to tell, in the forms that people, TAP readers and build servers read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/json.h"
#include "sim/sim.h"

namespace svc::cli {

// One file and what its scenarios came to.
struct ToldFile {
  std::string path;
  sim::scenario::ScenarioReport report;
};

// "N passed, N failed"; formulas, which are not run, are in neither number.
[[nodiscard]] std::string closing_line(std::span<const ToldFile> files);
[[nodiscard]] std::size_t failures(std::span<const ToldFile> files);

// One line per scenario, the differences of a failed one below it, the closing line last.
[[nodiscard]] std::string render_lines(std::span<const ToldFile> files);
// Test Anything Protocol, version 13; the closing line is a comment.
[[nodiscard]] std::string render_tap(std::span<const ToldFile> files);
// JUnit XML: a suite per file.
[[nodiscard]] std::string render_junit(std::span<const ToldFile> files);
// Rows of file, id, title, verdict and differences.
[[nodiscard]] Json rows_of(std::span<const ToldFile> files);

// Texts inside XML reports.

// For attributes and content alike; control characters as in tables.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace svc::cli
