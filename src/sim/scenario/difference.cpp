#include "sim/scenario/difference.h"

#include "base/decimal.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

bool same_value(const json& expected, const json& actual) {
  if (!expected.is_string() || !actual.is_string()) return expected == actual;
  const auto& a = expected.get_ref<const std::string&>();
  const auto& b = actual.get_ref<const std::string&>();
  if (a == b) return true;
  const auto number_a = parse_decimal(a);
  const auto number_b = parse_decimal(b);
  return number_a && number_b && *number_a == *number_b;
}

std::string shown(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void compare(const json& expected, const json& actual, const std::string& path, std::vector<std::string>& found) {
  const auto differ = [&](const std::string& got) {
    found.push_back(path + ": expected " + shown(expected) + ", got " + got);
  };
  if (expected.is_object()) {
    if (!actual.is_object()) return differ(shown(actual));
    for (const auto& [name, value] : expected.items()) {
      const std::string here = path.empty() ? name : path + "." + name;
      const auto other = actual.find(name);
      if (other == actual.end()) {
        found.push_back(here + ": expected " + shown(value) + ", got nothing");
      } else {
        compare(value, *other, here, found);
      }
    }
    return;
  }
  if (expected.is_array()) {
    if (!actual.is_array() || expected.size() != actual.size()) return differ(shown(actual));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      compare(expected[i], actual[i], path + "[" + std::to_string(i + 1) + "]", found);
    }
    return;
  }
  if (!same_value(expected, actual)) differ(shown(actual));
}

}  // namespace

std::vector<std::string> differences(const json& expected, const json& actual) {
  std::vector<std::string> found;
  compare(expected, actual, "", found);
  return found;
}

}  // namespace svc::sim::scenario
