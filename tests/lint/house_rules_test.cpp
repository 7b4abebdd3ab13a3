// House rules that are cheap to check and expensive to forget, each with the way to do it instead.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lint/source_tree.h"
#include "surroundings.h"

namespace svc::lint {
namespace SVC_FILE {

struct Rule {
  const char* name;
  const char* pattern;               // of code, comments and string literals stripped
  std::vector<std::string> folders;  // where it holds
  std::vector<std::string> exempt;   // path prefixes that are the one right place
  const char* instead;
};

const std::vector<Rule> rules = {
    {"wall clock",
     R"(\b(system_clock|steady_clock)::now|\btime\(nullptr\)|\bgettimeofday\b)",
     {"src"},
     {"src/base/clock.cpp", "src/api/http/channel", "src/sim/gateway/http_server", "src/sim/sandbox", "src/cli/"},
     "take a Clock"},
    {"hidden randomness",
     R"(\brand\(\)|std::random_device|std::mt19937)",
     {"src"},
     {},
     "take a Prng or an entropy source"},
    {"environment", R"(\bgetenv\b)", {"src"}, {"src/cli/"}, "pass the value in"},
    {"floating point near money",
     R"(\b(double|float|stod|strtod)\b)",
     {"src/base", "src/signing", "src/sim/engine", "src/sim/sequencer", "src/sim/actors"},
     {},
     "fixed.h"},
    {"standard output",
     R"(std::cout|std::cerr|\bprintf\()",
     {"src"},
     {"src/base/assert.cpp", "src/cli/"},
     "return a value; cli renders it"},
    // The exempt one looks up by key; listed, it is sorted first.
    {"unordered iteration",
     R"(unordered_(map|set))",
     {"src/sim/engine", "src/sim/actors"},
     {"src/sim/engine/client_ids.h"},
     "an ordered container"},
    {"detached thread", R"(\.detach\(\))", {"src"}, {"src/api/http/channel"}, "std::jthread"},
    // A lock without a name is given back at once.
    {"unnamed lock", R"(^\s*SVC_TRY\(.*(\block\w*|\bhold\w*|FileLock::take)\()", {"src"}, {}, "give it a name"},
    {"raw new", R"(\bnew [A-Za-z_]+[\(\{\[])", {"src"}, {}, "std::make_unique"},
    {"disabled test", R"(DISABLED_|GTEST_SKIP|EXPECT_TRUE\(true\))", {"tests"}, {"tests/lint/"}, "fix or delete it"},
};

// The line without its comment, string literals emptied.
std::string code_of(const std::string& text) {
  std::string code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) break;
    code.push_back(text[i]);
    if (text[i] != '"') continue;
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\') ++i;
    }
    code.push_back('"');
  }
  return code;
}

bool starts_with_any(const std::string& path, const std::vector<std::string>& prefixes) {
  for (const auto& prefix : prefixes) {
    if (path.starts_with(prefix)) return true;
  }
  return false;
}

TEST(HouseRules, HoldInEveryFile) {
  std::vector<SourceFile> files = read_tree("src", {".h", ".cpp"});
  for (auto& file : read_tree("tests", {".h", ".cpp"})) files.push_back(std::move(file));
  constexpr auto fast = std::regex::ECMAScript | std::regex::optimize;
  std::vector<std::regex> patterns;
  for (const auto& rule : rules) patterns.emplace_back(rule.pattern, fast);
  for (const auto& file : files) {
    std::vector<std::string> code;
    for (const auto& line : file.lines) code.push_back(code_of(line.text));
    for (std::size_t r = 0; r < rules.size(); ++r) {
      if (!starts_with_any(file.path, rules[r].folders) || starts_with_any(file.path, rules[r].exempt)) continue;
      for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i].empty()) continue;
        EXPECT_FALSE(std::regex_search(code[i], patterns[r]))
            << place(file, file.lines[i]) << ": " << rules[r].name << "; instead: " << rules[r].instead;
      }
    }
  }
}

TEST(HouseRules, EveryHeaderIsIncludedOnce) {
  for (const auto& file : read_tree("src", {".h"})) {
    bool once = false;
    for (const auto& line : file.lines) once = once || line.text == "#pragma once";
    EXPECT_TRUE(once) << file.path << " lacks #pragma once";
  }
}

// Two types of one name link without a word, and one's destructor ends the other's life.
TEST(HouseRules, NoTypeOfANamespaceIsDefinedTwice) {
  const std::regex opened(R"(^namespace ([\w:]+) \{)");
  const std::regex type(
      R"(^(?:struct|class|union|enum class) (\w+)(?![\w<])[^;]*$|^SVC_(?:RECORD\(|RECORD_(?:AFTER|BEFORE)\(\w+, |OPERATION\()(\w+),)");
  std::map<std::string, std::string> known;
  for (const auto& file : read_tree("src", {".h"})) {
    std::string inside;
    for (const auto& line : file.lines) {
      std::smatch match;
      if (std::regex_search(line.text, match, opened)) inside = match[1];
      if (!std::regex_search(line.text, match, type)) continue;
      const auto [first, fresh] = known.emplace(inside + "::" + match[1].str() + match[2].str(), place(file, line));
      EXPECT_TRUE(fresh) << first->first << " is defined at " << place(file, line) << " and at " << first->second;
    }
  }
}

TEST(HouseRules, NothingIsLeftForLater) {
  // Spelled in halves so that this file passes its own rule.
  const std::regex later(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  for (const char* folder : {"src", "tests", "scripts", "docs"}) {
    for (const auto& file : read_tree(folder, {".h", ".cpp", ".md", ".mjs", ".txt"})) {
      for (const auto& line : file.lines) {
        EXPECT_FALSE(std::regex_search(line.text, later)) << place(file, line) << ": " << line.text;
      }
    }
  }
}

TEST(HouseRules, EveryTestThatADocumentNamesByItsPathIsThere) {
  const std::regex named("`(tests/[^` ]*)`");
  for (const auto& file : read_tree("docs", {".md"})) {
    for (const auto& line : file.lines) {
      for (std::sregex_iterator it(line.text.begin(), line.text.end(), named), end; it != end; ++it)
        EXPECT_TRUE(std::filesystem::exists(test::source_folder() / (*it)[1].str())) << place(file, line);
    }
  }
}

TEST(HouseRules, DecisionsAreNumberedOnceAndEveryCitationExists) {
  std::set<std::string> known;
  const std::regex heading(R"(^### (D-\d{3,4}) )");
  const std::regex citation(R"(\bD-\d{3,4}\b)");
  for (const auto& file : read_tree("docs/decisions", {".md"})) {
    for (const auto& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line.text, match, heading)) continue;
      EXPECT_TRUE(known.insert(match[1]).second) << place(file, line) << ": " << match[1] << " stands twice";
    }
  }
  for (const char* folder : {"src", "tests", "docs"}) {
    for (const auto& file : read_tree(folder, {".h", ".cpp", ".md"})) {
      for (const auto& line : file.lines) {
        for (std::sregex_iterator it(line.text.begin(), line.text.end(), citation), end; it != end; ++it) {
          EXPECT_TRUE(known.contains(it->str()))
              << place(file, line) << ": " << it->str() << " is not in docs/decisions";
        }
      }
    }
  }
}

TEST(HouseRules, TestsThatDocumentsNameExist) {
  std::set<std::string> known;
  const std::regex declared(R"(^TEST(?:_[FP])?\((\w+), (\w+)\))");
  for (const auto& file : read_tree("tests", {".cpp"})) {
    for (const auto& line : file.lines) {
      std::smatch match;
      if (std::regex_search(line.text, match, declared)) known.insert(match[1].str() + "." + match[2].str());
    }
  }
  const std::regex cited(R"(`([A-Z]\w+\.[A-Z]\w+)`)");
  for (const auto& file : read_tree("docs", {"complaints.md", "real_funds.md"})) {
    for (const auto& line : file.lines) {
      for (std::sregex_iterator at(line.text.begin(), line.text.end(), cited), end; at != end; ++at) {
        EXPECT_TRUE(known.contains((*at)[1])) << place(file, line) << ": no test is called " << (*at)[1];
      }
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc::lint
