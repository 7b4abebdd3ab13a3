// Parsing of a command's arguments.
#include <gtest/gtest.h>

#include <set>

#include "cli/arguments/arguments.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"

namespace svc::cli {
namespace SVC_FILE {

// "-f,--file" is two names.
std::vector<std::string> names_of(const Declared& declared) {
  const std::string& all = declared.names;
  const auto comma = all.find(',');
  if (comma == std::string::npos) return {all};
  return {all.substr(0, comma), all.substr(comma + 1)};
}

TEST(Arguments, NoCommandDeclaresANameTwice) {
  for (const CommandRow& row : command_rows()) {
    const CommandFlags taken(row);
    std::set<std::string> names;
    for (const Declared& declared : taken.arguments.declared())
      for (const std::string& name : names_of(declared)) EXPECT_TRUE(names.insert(name).second) << row.path << name;
  }
}

struct Taker {
  Arguments arguments;
  std::string market;
  std::vector<std::string> rest;
  bool verbose = false;
  bool quiet = false;
  std::optional<std::string> file;
  std::optional<std::string> files;
  std::optional<std::string> wait;
  std::vector<std::string> each;

  Taker() {
    arguments.positional("MARKET", market, "");
    arguments.remaining("REST", rest, "");
    arguments.flag("-v,--verbose", verbose, "");
    arguments.flag("-q,--quiet", quiet, "");
    arguments.text("-f,--file", file, "FILE", "");
    arguments.text("--files", files, "N", "");
    arguments.texts("--each", each, "NAME", "");
    arguments.text_or("--wait", wait, "open", "STATE", "");
  }
};

TEST(Arguments, ANameIsRecognisedInEverySpelling) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"M", "-vq", "-f", "x", "--wait"},
           {"-f", "x", "M", "--quiet", "--verbose", "--wait=open"},
           {"--file=x", "-q", "-v", "M", "--wait"},
           {"-qvfx", "M", "--wait"},
       }) {
    Taker taker;
    ASSERT_TRUE(taker.arguments.parse(words).has_value()) << words.front();
    EXPECT_TRUE(taker.verbose && taker.quiet);
    EXPECT_EQ(taker.market, "M");
    EXPECT_EQ(taker.file, "x");
    EXPECT_EQ(taker.wait, "open");
    EXPECT_FALSE(taker.files.has_value());
  }
}

TEST(Arguments, WordsAfterTwoDashesAreNotFlags) {
  Taker taker;
  ASSERT_TRUE(taker.arguments.parse({"M", "--", "--file", "-v"}).has_value());
  EXPECT_EQ(taker.rest, (std::vector<std::string>{"--file", "-v"}));
  EXPECT_FALSE(taker.verbose || taker.file);
  Taker other;
  ASSERT_TRUE(other.arguments.parse({"M", "--", "--wait", "--"}).has_value());
  EXPECT_EQ(other.rest, (std::vector<std::string>{"--wait", "--"})) << "as typed";
  EXPECT_FALSE(other.wait.has_value());
}

TEST(Arguments, AFlagThatMayBeRepeatedTakesOneWordEachTimeAndNoTwoDashes) {
  Taker taker;
  ASSERT_TRUE(taker.arguments.parse({"--each", "a", "M", "--each=b", "--each", "c", "--", "--file", "-v"}).has_value());
  EXPECT_EQ(taker.each, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(taker.market, "M");
  EXPECT_EQ(taker.rest, (std::vector<std::string>{"--file", "-v"}));
  EXPECT_FALSE(taker.verbose || taker.file);
}

TEST(Arguments, RepeatedIncompleteAndUnknownFlagsAreRefused) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"M", "--file", "x", "-f", "y"}, {"M", "--file"}, {"M", "--fil", "x"}, {"M", "-x"}, {"--file", "x"}}) {
    Taker taker;
    EXPECT_FALSE(taker.arguments.parse(words).has_value()) << words.back();
  }
}

TEST(Arguments, OnlyFreeTextMayBeEmpty) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{""},
                                                                                     {"M", "--file", ""},
                                                                                     {"M", "-f", ""},
                                                                                     {"M", "--each", "a", "--each", ""},
                                                                                     {"M", "--file="},
                                                                                     {"M", "--file=", "x"},
                                                                                     {"--each=", "M", "--quiet"}}) {
    Taker taker;
    const auto parsed = taker.arguments.parse(words);
    ASSERT_FALSE(parsed.has_value()) << words.back();
    EXPECT_TRUE(parsed.error().message.ends_with(" is empty")) << parsed.error().message;
  }
  Arguments arguments;
  std::optional<std::string> text, label;
  arguments.positional("TEXT", text, "");
  arguments.text("--label", label, "TEXT", "");
  ASSERT_TRUE(arguments.parse({"", "--label", ""}).has_value());
  EXPECT_EQ(text, "");
  EXPECT_EQ(label, "");
}

TEST(Arguments, AFlagIsNoValueOfTheFlagBeforeIt) {
  for (const std::string flag : {"--quiet", "-q", "--wait", "--wait=open", "--files=x", "--quite"}) {
    Taker taker;
    const auto parsed = taker.arguments.parse({"M", "--file", flag});
    ASSERT_FALSE(parsed.has_value()) << flag;
    EXPECT_NE(parsed.error().message.find("--file needs a value"), std::string::npos) << parsed.error().message;
  }
  Taker taker;
  ASSERT_TRUE(taker.arguments.parse({"M", "--file=--quiet", "--each", "-5", "--", "--file", "-q"}).has_value());
  EXPECT_EQ(taker.file, "--quiet");
  EXPECT_EQ(taker.each, std::vector<std::string>{"-5"});
}

}  // namespace SVC_FILE
}  // namespace svc::cli
