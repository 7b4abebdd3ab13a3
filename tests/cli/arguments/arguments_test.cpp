// Parsing of a command's arguments.
#include <gtest/gtest.h>

#include <set>

#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
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
    arguments.add(market, {"MARKET", ""});
    arguments.add(rest, {"REST", ""});
    arguments.add(verbose, {"-v,--verbose", ""});
    arguments.add(quiet, {"-q,--quiet", ""});
    arguments.add(file, {"-f,--file", "", "FILE"});
    arguments.add(files, {"--files", "", "N"});
    arguments.add(each, {"--each", "", "NAME"});
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
  Taker third;
  ASSERT_TRUE(third.arguments.parse({"M", "[a,b]", "-5", "--", "[c]"}).has_value());
  EXPECT_EQ(third.rest, (std::vector<std::string>{"[a,b]", "-5", "[c]"})) << "as typed";
  EXPECT_EQ(third.arguments.argument_places(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Arguments, AnUnexpectedWordIsSaidToBeWhatItIs) {
  Arguments arguments;
  std::optional<std::string> wait, limit;
  arguments.text_or("--wait", wait, "open", "STATE", "");
  arguments.add(limit, {"--limit", "", "N"});
  EXPECT_EQ(arguments.parse({"x"}).error().message, "unexpected argument \"x\"");
  EXPECT_EQ(arguments.parse({"-x", "y"}).error().message, "unknown flag -x");
  EXPECT_EQ(arguments.parse({"--", "--wait"}).error().message, "unexpected argument \"--wait\"");
  EXPECT_EQ(arguments.parse({"--wait=", "x"}).error().message, "--wait is empty");
  EXPECT_EQ(arguments.parse({"--limit=", "5"}).error().message, "--limit is empty");
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
                                                                                     {"--each=", "M", "--quiet"},
                                                                                     {"M", "--wait=", "x"}}) {
    Taker taker;
    const auto parsed = taker.arguments.parse(words);
    ASSERT_FALSE(parsed.has_value()) << words.back();
    EXPECT_TRUE(parsed.error().message.ends_with(" is empty")) << parsed.error().message;
  }
  Arguments arguments;
  std::optional<std::string> text, label;
  arguments.add(text, {"TEXT", ""});
  arguments.add(label, {"--label", "", "TEXT"});
  ASSERT_TRUE(arguments.parse({"", "--label", ""}).has_value());
  EXPECT_EQ(text, "");
  EXPECT_EQ(label, "");
  label.reset();
  ASSERT_TRUE(arguments.parse({"--label=", "word"}).has_value());
  EXPECT_EQ(text, "word") << "it is no value of the flag before it";
  EXPECT_EQ(label, "");
}

TEST(Arguments, AMarketThatIsEmptyCancelsNothing) {
  const auto found = find_command({"orders", "cancel-all"});
  ASSERT_TRUE(found.has_value());
  for (const std::vector<std::string>& behind : std::vector<std::vector<std::string>>{{}, {"--yes"}, {"-q"}}) {
    CommandFlags line(*found->row);
    const auto parsed = line.arguments.parse(followed_by({"--market="}, behind));
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().exit, ExitCode::usage);
    EXPECT_EQ(parsed.error().message, "--market is empty");
  }
}

TEST(Arguments, AFlagIsNoValueOfTheFlagBeforeIt) {
  for (const std::string flag : {"--quiet", "-q", "--wait", "--wait=open", "--files=x", "--quite"}) {
    Taker taker;
    const auto parsed = taker.arguments.parse({"M", "--file", flag});
    ASSERT_FALSE(parsed.has_value()) << flag;
    EXPECT_NE(parsed.error().message.find("--file needs a value"), std::string::npos) << parsed.error().message;
    Taker other;
    const auto letters = other.arguments.parse({"M", "-vf", flag});
    ASSERT_FALSE(letters.has_value()) << flag;
    EXPECT_NE(letters.error().message.find("-vf needs a value"), std::string::npos) << letters.error().message;
  }
  Taker taker;
  ASSERT_TRUE(taker.arguments.parse({"M", "--file=--quiet", "--each", "-5", "--", "--file", "-q"}).has_value());
  EXPECT_EQ(taker.file, "--quiet");
  EXPECT_EQ(taker.each, std::vector<std::string>{"-5"});
}

TEST(Arguments, AMisspeltFlagIsSuggestedWithoutItsValue) {
  for (const std::string flag : {"--wiat", "--wiat=open"}) {
    Taker taker;
    const auto parsed = taker.arguments.parse({"M", flag});
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().message, "unknown flag --wiat; did you mean --wait?");
  }
}

TEST(Arguments, AFlagWithoutAValueIsRefusedOne) {
  Taker taker;
  const auto parsed = taker.arguments.parse({"M", "--quiet=no"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message, "--quiet takes no value");
}

TEST(Arguments, TheFlagsOfARefusedLineAreUnderstood) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--nonsense", "-o", "JSON"}, {"-voJson", "x"}, {"--output=json", "-n"}, {"-n", "--json"}})
    EXPECT_EQ(wanted_format(usable_globals(words), std::nullopt), Format::json) << words.front();
  EXPECT_EQ(usable_globals({"-vn", "local", "--nonsense"}).globals.network, "local");
}

TEST(Arguments, EveryCommandReadsItsFlags) {
  for (const CommandRow& row : command_rows()) {
    const CommandFlags known(row);
    for (const Declared& declared : known.arguments.declared()) {
      if (declared.positional || !declared.value.empty()) continue;
      CommandFlags line(row);
      static_cast<void>(line.arguments.parse({declared.names.substr(0, declared.names.find(','))}));
      EXPECT_EQ(line.arguments.given(), std::vector{long_name(declared.names)}) << row.path;
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
