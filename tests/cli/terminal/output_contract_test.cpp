// The output contract, for every command.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "cli/client_machine.h"
#include "cli/commands/command_table.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(OutputContract, EveryDocumentHasAllKeysAlsoOnFailure) {
  const std::vector<std::string> keys{"schema", "ok", "network", "account", "data", "warnings", "error", "meta"};
  TraderMachine machine;
  for (const std::string_view path : command_paths()) {
    // One runs until it is stopped, the other prints what its lines print.
    if (path == "serve" || path == "shell") continue;
    const RunResult ran = machine.run("-n local --json " + std::string(path));
    const Json document = ran.document();
    EXPECT_EQ(document.keys(), keys) << path;
    std::string schema = "svc." + std::string(path) + "/1";
    std::replace(schema.begin(), schema.end(), ' ', '.');
    EXPECT_EQ(document.string_at("schema"), schema);
    EXPECT_EQ(document.find("ok")->truth(), ran.exit == 0) << path << ran.out;
    EXPECT_EQ(document.find("error")->is(Json::Kind::null), ran.exit == 0) << path;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << path;
    if (ran.exit != 0) {
      EXPECT_FALSE(document.string_at("error.category").value_or("").empty()) << path;
    }
  }
}

TEST(OutputContract, AnEmptyResultIsAnEmptyList) {
  TraderMachine machine;
  for (const std::string line : {"orders list", "orders history", "fills list", "positions list", "local list"}) {
    EXPECT_EQ(machine.run("-n local --json " + line).document().find("data")->dump(), "[]") << line;
    const RunResult rows = machine.run("-n local --no-header " + line);
    EXPECT_EQ(rows.out, "") << line;
    EXPECT_EQ(rows.exit, 0) << line;
  }
}

TEST(OutputContract, QuietSilencesOnlyStandardError) {
  TraderMachine machine;
  const std::string order = "-n local buy 0.1 BTC-USDX-PERP @ 59000";
  EXPECT_FALSE(machine.run(order).err.empty());
  const RunResult quiet = machine.run("-q " + order);
  EXPECT_TRUE(quiet.err.empty()) << quiet.err;
  EXPECT_FALSE(quiet.out.empty());
}

TEST(OutputContract, AClosedPipeIsExit141AndSaysWhereTheWriteIs) {
  TraderMachine machine;
  machine.reader_is_gone = true;
  const RunResult placed = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(placed.exit, 141);
  EXPECT_TRUE(has(placed.err, "svc: a write was sent; svc -n local journal list tells what became of it"));
  EXPECT_EQ(machine.journal("local").back().string_at("outcome"), "accepted");
  const RunResult read = machine.run("-n local orders list");
  EXPECT_EQ(read.exit, 141);
  EXPECT_EQ(read.err, "");
  EXPECT_EQ(machine.run("--help").exit, 141);
}

TEST(OutputContract, AReaderOfNotesThatGoesAwayEndsNothing) {
  const auto write_notes = [] {
    int ends[2];
    if (::pipe(ends) != 0) return;
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    process_environment().err("note: the first of several writes\n");
    ::_exit(0);
  };
  EXPECT_EXIT(write_notes(), testing::ExitedWithCode(0), "");
}

TEST(OutputContract, TheVersionIsADocumentWhereJsonIsAskedFor) {
  ClientMachine machine;
  const std::string document = machine.run("version --json").out;
  for (const std::string line : {"--version --json", "--json --version", "--version -o json"})
    EXPECT_EQ(machine.run(line).out, document) << line;
  EXPECT_TRUE(machine.run("--version").out.starts_with("svc "));
}

TEST(OutputContract, VerboseNamesTheDestinationOnStandardError) {
  TraderMachine machine;
  const RunResult ran = machine.run("-n local -v account show");
  EXPECT_TRUE(has(ran.err, "local: play funds, http://localhost:9090 (SVC_LOCAL_URL), account 0x"));
  EXPECT_TRUE(has(ran.err, "GET /account: 200 after 0 ms"));
  EXPECT_EQ(ran.out, machine.run("-n local account show").out);
}

TEST(OutputContract, FormatsShowTheSameRecords) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local markets list -o csv --fields market,tick").out,
            "market,tick\nBTC-USDX-PERP,0.5\nETH-USDX-PERP,0.01\nSOL-USDX-PERP,0.001\n");
  EXPECT_EQ(machine.run("-n local markets list --fields tick,market --no-header").out,
            "0.5\tBTC-USDX-PERP\n0.01\tETH-USDX-PERP\n0.001\tSOL-USDX-PERP\n");
  const RunResult lines = machine.run("-n local markets list -o ndjson");
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 4);
  EXPECT_TRUE(has(lines.out, "\n{\"type\":\"end\",\"schema\":\"svc.markets.list/1\",\"ok\":true,"));
  const RunResult raw = machine.run("-n local markets list -o raw");
  EXPECT_EQ(raw.out, machine.run("-n local api GET /markets").out);
}

TEST(OutputContract, AFailureInNdjsonIsInTheEndLine) {
  ClientMachine machine;
  const RunResult ran = machine.run("-n local -o ndjson account show");
  EXPECT_EQ(ran.exit, 4);
  EXPECT_TRUE(ran.out.starts_with("{\"type\":\"end\",")) << ran.out;
  EXPECT_TRUE(ran.err.empty());
}

TEST(OutputContract, UnknownFieldsAreShownUnderExtra) {
  ClientMachine machine;
  machine.intercept = [](const api::HttpRequest&) -> Intercepted {
    return answered(200, R"([{"market_id":"BTC-USDX-PERP","tick_size":"0.50","shape":{"a":[1]}}])");
  };
  const RunResult ran = machine.run("-n local --json markets list");
  EXPECT_EQ(ran.document().find("data")->dump(),
            R"([{"market_id":"BTC-USDX-PERP","tick_size":"0.50","extra":{"shape":{"a":[1]}}}])");
}

TEST(OutputContract, JsonOnATerminalShowsWhatMisleadsAsEscapes) {
  ClientMachine machine;
  const std::string name = "a\u202eb";
  machine.intercept = [&](const api::HttpRequest&) -> Intercepted {
    return answered(200, R"([{"market_id":"BTC-USDX-PERP","tick_size":"0.50","name":")" + name + "\"}]");
  };
  const RunResult piped = machine.run("-n local --json markets list");
  EXPECT_TRUE(has(piped.out, name));
  machine.out_is_terminal = true;
  const RunResult shown = machine.run("-n local --json markets list");
  EXPECT_TRUE(has(shown.out, "a\\u202eb"));
  EXPECT_EQ(shown.rows().front().string_at("extra.name"), name);
}

TEST(OutputContract, DigitsAreKeptAndLargeIntegersBecomeStrings) {
  const auto document =
      parse_json(R"({"a":0.10,"b":1e-7,"c":18446744073709551615,"d":9007199254740992,"e":9007199254740993,"f":-1})");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->dump(),
            R"({"a":0.10,"b":1e-7,"c":18446744073709551615,"d":9007199254740992,"e":9007199254740993,"f":-1})");
  EXPECT_EQ(document->dump(LargeIntegers::as_text),
            R"({"a":0.10,"b":1e-7,"c":"18446744073709551615","d":9007199254740992,"e":"9007199254740993","f":-1})");
}

TEST(OutputContract, TextFromAServerCannotMoveTheCursor) {
  const Json row = Json::object({{"name", "a\x1b[2Jb\tc\nd\xC2\x9B"}});
  EXPECT_EQ(row.dump(), R"({"name":"a\u001b[2Jb\tc\nd\u009b"})");
  const Answer answer{.data = row};
  const auto shown = render_rows(answer, {.format = Format::tsv, .header = false, .color = false, .fields = {}});
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(*shown, "a\\u001b[2Jb\\tc\\nd\\u009b\n");
  const auto csv = render_rows(answer, {.format = Format::csv, .header = false, .color = false, .fields = {}});
  ASSERT_TRUE(csv.has_value());
  EXPECT_EQ(*csv, "\"a\\u001b[2Jb\tc\nd\\u009b\"\n");
}

TEST(OutputContract, OnlyAClosedPipeIsABrokenPipe) {
  ClientMachine machine;
  machine.disk_is_full = true;
  const RunResult full = machine.run("version");
  EXPECT_EQ(full.exit, 1);
  EXPECT_TRUE(has(full.err, "cannot be written"));
  machine.disk_is_full = false;
  machine.reader_is_gone = true;
  EXPECT_EQ(machine.run("version").exit, 141);
}

TEST(OutputContract, ARefusalIsPrintedUnchangedInRawOutput) {
  ClientMachine machine;
  const std::string body = "{\"code\": \"gone\",  \"message\":\"m\"}";
  machine.intercept = [&](const api::HttpRequest&) { return answered(410, body); };
  for (const char* line : {"-n local -o raw markets list", "-n local api GET /markets"}) {
    const RunResult ran = machine.run(line);
    EXPECT_EQ(ran.exit, 16) << line;
    EXPECT_EQ(ran.out, body) << line;
    EXPECT_TRUE(has(ran.err, "gone")) << line;
  }
}

TEST(OutputContract, AUsageErrorHasTheGivenNetwork) {
  ClientMachine machine;
  for (const char* line : {"-n local --json orders lst", "--network=local --json orders list --nope"}) {
    EXPECT_EQ(machine.run(line).document().string_at("network"), "local") << line;
  }
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(OutputContract, HelpIsAlsoACommand) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("help").out, machine.run("--help").out);
  EXPECT_EQ(machine.run("help orders place").out, machine.run("orders place --help").out);
  EXPECT_EQ(machine.run("help nonsense").exit, 2);
}

TEST(OutputContract, HelpAndRefusedLinesAreOneDocumentToo) {
  ClientMachine machine;
  for (const std::string line : {"help", "--help", "help orders", "help orders place", "buy --help", "help all"}) {
    const Json document = machine.run("--json " + line).document();
    EXPECT_EQ(document.string_at("schema"), "svc.help/1") << line;
    EXPECT_EQ(document.string_at("data.text"), machine.run(line).out) << line;
  }
  EXPECT_EQ(machine.run("--json help nonsense").code(), "usage");
  EXPECT_EQ(machine.run("--jq .ok help").out, "true\n");
  for (const std::string line : {"orders list --bogus", "nonsense", "orders get", "buy 1 BTC-USDX-PERP --tif zzz"}) {
    const RunResult ran = machine.run("--jq .error.code " + line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_EQ(ran.out, "usage\n") << line;
  }
}

TEST(OutputContract, TheHelpFitsOneScreenAndListsEveryCommand) {
  constexpr std::size_t lines_max = 48;
  constexpr std::size_t columns_max = 80;
  ClientMachine machine;
  const std::string screen = machine.run("--help").out;
  EXPECT_LE(std::ranges::count(screen, '\n'), static_cast<std::ptrdiff_t>(lines_max));
  std::istringstream lines(screen + machine.run("help flags").out + machine.run("buy --help").out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns_max) << line;
  const std::string all = machine.run("help all").out;
  for (const std::string_view path : command_paths()) {
    const std::string noun(path.substr(0, path.find(' ')));
    EXPECT_TRUE(std::regex_search(screen, std::regex("[ ]" + noun + "[ ,\n]"))) << path;
    EXPECT_EQ(count_of(all, "\n  " + std::string(path) + "  "), 1u) << path;
  }
}

TEST(OutputContract, TheHelpNamesNothingThatIsNoCommand) {
  ClientMachine machine;
  const std::string screen = machine.run("--help").out;
  const std::string listed =
      screen.substr(screen.find("  Sign in"), screen.find("\n\nThere is") - screen.find("  Sign in"));
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    const std::string words = line.substr(12);
    const bool is_noun = words.find(' ') < words.find(',');  // "orders place, preview"
    const std::string firsts = is_noun ? words.substr(0, words.find(' ')) : words;
    for (const std::string_view word : pieces_of(firsts, ", "))
      EXPECT_EQ(machine.run("help " + std::string(word)).exit, 0) << word;
  }
}

TEST(OutputContract, NoChoiceIsPrintedTwice) {
  ClientMachine machine;
  const std::string help = machine.run("orders place --help").out;
  EXPECT_EQ(count_of(help, "post-only"), 3u) << "the flag, its meaning, and a value of --tif";
  EXPECT_EQ(count_of(help, "take-profit-limit"), 1u);
}

TEST(CommandTable, EveryNameFindsItsRowWhateverFollows) {
  std::set<std::string_view> seen;
  for (const std::string_view path : command_paths()) {
    EXPECT_TRUE(seen.insert(path).second) << path;
    std::vector<std::string> words;
    for (std::string_view rest = path; !rest.empty();) {
      words.emplace_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.size(), words.back().size() + 1));
    }
    const std::size_t count = words.size();
    words.emplace_back("something");
    const auto found = find_command(words);
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(found->row->path, path);
    EXPECT_EQ(found->words, count) << path;
  }
}

TEST(CommandTable, SingularNounsAreAccepted) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local market list").out, machine.run("-n local markets list").out);
}

TEST(CommandTable, FlagsMayComeBeforeAndAfterTheName) {
  ClientMachine machine;
  const std::string plain = machine.run("-n local markets list -o csv").out;
  EXPECT_EQ(machine.run("markets -n local list -o csv").out, plain);
  EXPECT_EQ(machine.run("-o csv --network=local markets list").out, plain);
  EXPECT_EQ(machine.run("markets list -nlocal -ocsv").out, plain);
}

TEST(CommandTable, EveryCommandHasHelp) {
  ClientMachine machine;
  std::string all = machine.run("--help").out + "\n---- svc help all\n" + machine.run("help all").out +
                    "\n---- svc help flags\n" + machine.run("help flags").out;
  for (const std::string_view path : command_paths()) {
    const RunResult ran = machine.run(std::string(path) + " --help");
    EXPECT_EQ(ran.exit, 0) << path;
    EXPECT_TRUE(has(ran.out, "Usage: svc " + std::string(path))) << path;
    EXPECT_TRUE(has(ran.out, "\nsvc help flags ")) << path;
    all += "\n---- svc " + std::string(path) + " --help\n" + ran.out;
  }
  EXPECT_TRUE(machine.origins.empty());
  expect_golden("help.txt", all);
}

TEST(Settings, ComeFromFlagThenEnvironmentThenConfiguration) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("network add testnet --rest https://testnet.example/v1").exit, 0);
  const std::string config = machine.read(".config/svc/config.toml");
  machine.write(".config/svc/config.toml", config + "\n# mine\n[defaults]\noutput = \"csv\"\ncolour = \"never\"\n");
  const RunResult configured = machine.run("network list");
  EXPECT_TRUE(configured.out.starts_with("name,funds,")) << configured.out;
  EXPECT_TRUE(has(configured.err, "line 9: unknown key colour"));
  machine.variables["SVC_OUTPUT"] = "tsv";
  EXPECT_TRUE(machine.run("network list").out.starts_with("name\tfunds\t"));
  EXPECT_TRUE(machine.run("network list --json").out.starts_with("{\"schema\""));
  machine.variables["SVC_OUTPUT"] = "yaml";
  EXPECT_TRUE(machine.run("network list").out.starts_with("name,funds,")) << "the layer below";
  machine.variables.erase("SVC_OUTPUT");
  // Changing a network keeps the user's other text.
  ASSERT_EQ(machine.run("network add testnet --ws wss://testnet.example/v1").exit, 0);
  ASSERT_EQ(machine.run("network add desk --rest http://localhost:1 --funds play").exit, 0);
  const std::string changed = machine.read(".config/svc/config.toml");
  EXPECT_TRUE(has(changed, "\n# mine\n"));
  EXPECT_TRUE(has(changed, "rest = \"https://testnet.example/v1\"\nws = \"wss://testnet.example/v1\"\n"));
  EXPECT_EQ(machine.run("network remove desk").exit, 0);
  EXPECT_EQ(machine.run("network show desk").exit, 5);
  machine.write(".config/svc/config.toml", "version = 1\n[networks.local]\nrest = http://x\n");
  EXPECT_EQ(machine.run("network list").exit, 2);
}

TEST(LocalNetwork, IsFoundByVariableThenConfigurationThenRunningSandboxThenDefault) {
  ClientMachine machine;
  const auto where = [&] { return machine.run("--json network show local").document().text_at("data.rest"); };
  EXPECT_EQ(where(), "http://localhost:9090");
  machine.variables["SVC_LOCAL_URL"] = "http://127.0.0.1:1";
  EXPECT_EQ(where(), "http://127.0.0.1:1");
  machine.variables.erase("SVC_LOCAL_URL");
  const auto folder = machine.state() / "run/local";
  std::filesystem::create_directories(folder);
  for (const auto& part : {machine.state(), machine.state() / "run", folder}) {
    std::filesystem::permissions(part, std::filesystem::perms::owner_all);
  }
  const std::string here = std::to_string(::getpid());
  machine.write(".local/state/svc/run/local/a.json", R"({"url":"http://127.0.0.1:4","pid":)" + here + "}");
  machine.write(".local/state/svc/run/local/gone.json", R"({"url":"http://127.0.0.1:5","pid":2147483646})");
  EXPECT_EQ(where(), "http://127.0.0.1:4");
  machine.write(".local/state/svc/run/local/b.json", R"({"url":"http://127.0.0.1:6","pid":)" + here + "}");
  const RunResult two = machine.run("-n local markets list");
  EXPECT_EQ(two.exit, 2);
  EXPECT_TRUE(has(two.err, "a at http://127.0.0.1:4, b at http://127.0.0.1:6"));
  ASSERT_EQ(machine.run("network add local --rest http://127.0.0.1:7").exit, 0);
  EXPECT_EQ(where(), "http://127.0.0.1:7");
}

}  // namespace SVC_FILE
}  // namespace svc::cli
