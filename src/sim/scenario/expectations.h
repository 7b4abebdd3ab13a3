// The kinds of expectations: the word, the place of its records in `expect`, and their notation. Reading, rewriting
// and the output of sessions derive from one table (expectations.cpp).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {

// An expectation of a text: a line with a word of the table, and the more indented lines below it.
class Expectation {
 public:
  // The expectation that begins here, if any; `first_market` is the default market. Throws Unreadable.
  static std::optional<Expectation> at(std::span<const TextLine> lines, const std::string& first_market);

  [[nodiscard]] std::size_t lines() const { return 1 + rows_.size(); }
  // True if it is about the state at its place, which is a snapshot of this name; else it is about the whole story.
  [[nodiscard]] bool of_state() const;
  void look_at(const std::string& snapshot) { snapshot_ = snapshot; }

  // Throws Unreadable.
  void read(nlohmann::json& expect) const;

  [[nodiscard]] const TextLine& head() const { return head_; }
  [[nodiscard]] const std::vector<TextLine>& rows() const { return rows_; }
  // The corrected rows after these results; nullopt if they are right.
  [[nodiscard]] std::optional<std::vector<std::string>> corrected(const nlohmann::json& outcome) const;

  struct Kind;

 private:
  [[nodiscard]] std::vector<std::string> path(const std::string& key = "") const;
  // Those of a table or a list; throws Unreadable for an unknown one.
  void check_columns() const;

  const Kind* kind_ = nullptr;
  TextLine head_;
  std::vector<TextLine> rows_;
  std::string market_;
  std::string snapshot_;
};

// The first columns of tables.
struct ExpectedNames {
  std::vector<std::string> labels, accounts, markets;
};

// Every expectation, with '?' where results are still to be filled in.
[[nodiscard]] std::string open_expectations(const ExpectedNames& names, bool has_trades);

// The table of expectations for docs/scenarios.md.
[[nodiscard]] std::string expectations_in_markdown();

}  // namespace svc::sim::scenario
