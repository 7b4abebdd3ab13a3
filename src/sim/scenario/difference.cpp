// Differences between expected and actual results, as messages that a reader can act on.
#include "base/decimal.h"
#include "sim/scenario/scenario_file.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

std::optional<engine::Rational> number(const json& value) {
  if (value.is_number_integer()) return engine::parse_rational(value.dump());
  return value.is_string() ? engine::parse_rational(value.get_ref<const std::string&>()) : std::nullopt;
}

bool is_fraction(const json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('/') != std::string::npos;
}

// A price per unit need not be a decimal: then the engine's is a fraction, and the expected text may be rounded to
// 1e-6 up or down.
bool same_number(const json& expected, const json& actual) {
  const auto a = number(expected);
  const auto b = number(actual);
  if (!a || !b) return false;
  const i128 left = static_cast<i128>(a->num) * b->den;
  const i128 right = static_cast<i128>(b->num) * a->den;
  if (left == right) return true;
  if (!is_fraction(actual) || is_fraction(expected)) return false;
  const i128 apart = left < right ? right - left : left - right;
  return apart <= (static_cast<i128>(a->den) * b->den - 1) / usdx_one;
}

std::string shown(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string text;
  for (const auto& [name, member] : value.items()) {
    if (name != "step") text += (text.empty() ? "" : ", ") + name + " " + shown(member);
  }
  return text.empty() ? "{}" : text;
}

class Comparison {
 public:
  explicit Comparison(const std::vector<std::size_t>& lines) : lines_(lines) {}

  std::vector<std::string> found;

  // `at` is the path; `step` is that of the innermost record with a step, 0 if there is none.
  void compare(const json& expected, const json& actual, const std::string& at, std::size_t step) {
    if (expected.is_object() && actual.is_object()) return compare_objects(expected, actual, at, step);
    if (expected.is_array() && actual.is_array()) return compare_lists(expected, actual, at, step);
    if (expected != actual && !same_number(expected, actual)) differ(at, step, shown(expected), shown(actual));
  }

  // Both lists name their steps, so that one additional refusal does not shift the others.
  void compare_rejects(const json& expected, const json& actual) {
    if (!expected.is_array()) return differ("rejects", 0, "a list", "something else");
    std::map<std::size_t, std::pair<std::string, std::string>> by_step;
    for (const json& row : expected) {
      const bool sound = row.is_object() && row.contains("step") && row["step"].is_number_unsigned() &&
                         row.contains("error") && row["error"].is_string();
      if (!sound) return differ("rejects", 0, "rows of step and error", shown(row));
      std::string& error = by_step[row["step"].get<std::size_t>()].first;
      if (!error.empty()) return differ("rejects", row["step"].get<std::size_t>(), "one error of a step", "two");
      error = row["error"].get<std::string>();
    }
    for (const json& row : actual) by_step[row["step"].get<std::size_t>()].second = row["error"].get<std::string>();
    constexpr const char* accepted = "acceptance";
    for (const auto& [step, errors] : by_step) {
      if (errors.first == errors.second) continue;
      differ("rejects", step, errors.first.empty() ? accepted : errors.first,
             errors.second.empty() ? accepted : errors.second);
    }
  }

 private:
  void differ(const std::string& at, std::size_t step, const std::string& expected, const std::string& got) {
    const std::string when = step == 0 ? "" : " (" + place_of(step, lines_) + ")";
    found.push_back(at + when + ": expected " + expected + ", got " + got);
  }

  static std::size_t step_of(const json& record, std::size_t otherwise) {
    if (!record.is_object()) return otherwise;
    // A record of an account or label named "step" has another value there.
    const auto own = record.find("step");
    return own == record.end() || !own->is_number_integer() ? otherwise : own->get<std::size_t>();
  }

  void compare_objects(const json& expected, const json& actual, const std::string& at, std::size_t step) {
    step = step_of(actual, step);
    for (const auto& [name, value] : expected.items()) {
      const std::string here = at.empty() ? name : at + "." + name;
      const auto other = actual.find(name);
      if (at.empty() && name == "rejects") {
        compare_rejects(value, *other);
      } else if (other == actual.end()) {
        differ(here, step, shown(value), "nothing");
      } else if (name == "price" && other->is_null() && value == "0") {
        continue;  // an order without a price
      } else {
        compare(value, *other, here, step);
      }
    }
  }

  void compare_lists(const json& expected, const json& actual, const std::string& at, std::size_t step) {
    const std::size_t rows = std::max(expected.size(), actual.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string here = at + "[" + std::to_string(i + 1) + "]";
      if (i >= actual.size()) {
        differ(here, step, shown(expected[i]), "nothing");
      } else if (i >= expected.size()) {
        differ(here, step_of(actual[i], step), "nothing", shown(actual[i]));
      } else {
        compare(expected[i], actual[i], here, step);
      }
    }
  }

  const std::vector<std::size_t>& lines_;
};

}  // namespace

std::string place_of(std::size_t step, const std::vector<std::size_t>& lines) {
  if (step == 0 || step > lines.size()) return "step " + std::to_string(step);
  return "line " + std::to_string(lines[step - 1]);
}

std::vector<std::string> differences(const json& expected, const json& actual, const std::vector<std::size_t>& lines) {
  Comparison comparison(lines);
  comparison.compare(expected, actual, "", 0);
  return std::move(comparison.found);
}

}  // namespace svc::sim::scenario
