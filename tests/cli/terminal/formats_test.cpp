// --jq, --template, --wide, --tz, --record: other ways to show the same answer.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "cli/client_machine.h"
#include "cli/machine/programs.h"
#include "cli/terminal/display_zone.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(Jq, FiltersTheDocumentAndPrintsStringsWithoutQuotes) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local markets list --jq '.data[].market_id'").out,
            "BTC-USDX-PERP\nETH-USDX-PERP\nSOL-USDX-PERP\n");
  EXPECT_EQ(machine.run("-n local markets list --jq '.data|map(.tick_size)'").out, "[\"0.5\",\"0.01\",\"0.001\"]\n");
  EXPECT_EQ(machine.run("-n local markets list -o ndjson --jq 'select(.type==\"end\")|.ok'").out, "true\n");
  EXPECT_EQ(machine.run("-n local markets list --jq empty").out, "");
  machine.out_is_terminal = true;
  EXPECT_EQ(machine.run("-n local markets list --jq '.data|length'").out, "3\n")
      << "although documents have lines there";
  machine.out_is_terminal = false;
}

TEST(Jq, AnInvalidExpressionIsRefusedBeforeAnythingIsSent) {
  TraderMachine machine;
  machine.sent.clear();
  const RunResult ran = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000 --jq '.data['");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_TRUE(has(ran.err, "--jq: "));
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(machine.run("-n local markets list --jq . -o csv").exit, 2);
  EXPECT_EQ(machine.run("-n local markets list --jq . --template '{market}'").exit, 2);
}

TEST(Jq, AFailureIsReportedOnStandardErrorWithItsExitCode) {
  ClientMachine machine;
  const RunResult ran = machine.run("-n local account show --jq .error.category");
  EXPECT_EQ(ran.exit, 4);
  EXPECT_EQ(ran.out, "authentication\n");
  EXPECT_TRUE(ran.err.starts_with("svc: ")) << ran.err;
}

TEST(Jq, AnExpressionThatFailsOnTheAnswerIsAFailure) {
  ClientMachine machine;
  const RunResult ran = machine.run("-n local markets list --jq .data.nothing");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(has(ran.err, "the command itself succeeded"));
}

TEST(Jq, AModuleIsNotFoundAndNothingIsSent) {
  ClientMachine machine;
  for (const char* expression : {"'import \"a\" as a; .'", "'include \"a\"; .'"}) {
    const RunResult ran = machine.run(std::string("-n local markets list --jq ") + expression);
    EXPECT_EQ(ran.exit, 2) << expression;
    EXPECT_TRUE(has(ran.err, "module not found"));
  }
  EXPECT_TRUE(machine.sent.empty());
}

TEST(Jq, HaltErrorIsAFailureAndHaltIsNone) {
  ClientMachine machine;
  const RunResult ran = machine.run("-n local markets list --jq '\"none is open\"|halt_error(3)'");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_TRUE(has(ran.err, "none is open"));
  const RunResult halted = machine.run("-n local markets list --jq '(.data|length), halt'");
  EXPECT_EQ(halted.exit, 0) << halted.err;
  EXPECT_EQ(halted.out, "3\n");
}

TEST(Jq, LargeNumbersAndDecimalsKeepTheirDigits) {
  ClientMachine machine;
  machine.intercept = [](const api::HttpRequest&) {
    return answered(200, R"([{"market_id":"M","tick_size":"0.10","nonce":18446744073709551615}])");
  };
  EXPECT_EQ(machine.run("-n local markets list --jq '.data[0]|.tick_size,.extra.nonce'").out,
            "0.10\n18446744073709551615\n");
}

int signals_noted = 0;

// Where Ctrl-C is only noted, as in a shell, it would not end what goes on inside libjq.
TEST(Jq, AnExpressionWithoutAnEndEndsWithTheProcess) {
  const auto hang = [] {
    ::signal(SIGINT, [](int) { ++signals_noted; });
    std::jthread presses([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      ::kill(::getpid(), SIGINT);
    });
    ClientMachine().run("network list --jq 'repeat(1)|select(. > 1)'");
  };
  EXPECT_EXIT(hang(), testing::KilledBySignal(SIGINT), "");
}

TEST(Jq, ASignalThatCameBeforeDisturbsNoFilter) {
  const auto before = ::signal(SIGINT, [](int) { ++signals_noted; });
  ClientMachine machine;
  machine.interrupted = [] { return true; };
  signals_noted = 0;
  ::raise(SIGINT);
  const RunResult ran = machine.run("network list --jq '.data|length|. > 0'");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "true\n");
  ::raise(SIGINT);
  EXPECT_EQ(signals_noted, 2) << "the handler is back";
  ::signal(SIGINT, before);
}

TEST(Jq, ASignalThatEndsTheProcessWithAMessageStaysSo) {
  struct sigaction during {};
  {
    const SignalMessageGuard words(SignalMessages{});
    const NotedSignalsEnd ends;
    ::sigaction(SIGINT, nullptr, &during);
  }
  EXPECT_NE(during.sa_handler, SIG_DFL);
}

TEST(Template, ReplacesColumnsAndMembers) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local markets list --template '{market}\\t{tick_size} {{x}}'").out,
            "BTC-USDX-PERP\t0.5 {x}\nETH-USDX-PERP\t0.01 {x}\nSOL-USDX-PERP\t0.001 {x}\n");
  EXPECT_EQ(machine.run("-n local markets list --template '{market} {nothing}'").exit, 2);
  for (const char* bad : {"{", "}", "{}", "\\q", "{a b}"}) {
    const RunResult ran = machine.run({"-n", "local", "markets", "list", "--template", bad});
    EXPECT_EQ(ran.exit, 2) << bad;
    EXPECT_TRUE(has(ran.err, "--template: ")) << bad << ran.err;
  }
  EXPECT_EQ(machine.run("-n local markets list --json --template x").exit, 2);
}

TEST(TimeZone, ChangesTextOutputButNotJson) {
  TraderMachine machine;
  const RunResult utc = machine.run("-n local whoami --template '{token_expires}'");
  EXPECT_EQ(utc.out, "2026-09-22T12:00:00.000Z\n");
  EXPECT_EQ(machine.run("-n local whoami --tz Europe/Berlin --template '{token_expires}'").out,
            "2026-09-22T14:00:00.000+02:00\n");
  EXPECT_EQ(machine.run("-n local whoami --tz Asia/Kathmandu -o csv --fields token_expires --no-header").out,
            "2026-09-22T17:45:00.000+05:45\n");
  EXPECT_EQ(machine.run("-n local --json whoami --tz Europe/Berlin").out, machine.run("-n local --json whoami").out);
  machine.variables["TZ"] = "America/New_York";
  EXPECT_EQ(machine.run("-n local whoami --template '{token_expires}'").out, utc.out);
  EXPECT_EQ(machine.run("-n local whoami --tz local --template '{token_expires}'").out,
            "2026-09-22T08:00:00.000-04:00\n");
  const auto order = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 59000").document();
  EXPECT_EQ(machine
                .run("-n local orders get " + order.text_at("data.order.id") +
                     " --tz Europe/Berlin --template '{created_at}'")
                .out,
            "2026-09-21T14:00:00.000+02:00\n");
  for (const char* bad : {"Mars/Olympus", "../../etc/passwd", "/etc/localtime", ""}) {
    EXPECT_EQ(machine.run({"-n", "local", "whoami", "--tz", bad}).exit, 2) << bad;
  }
}

TEST(TimeZone, OfTheEnvironmentMayBeAnOffsetAndIsNeverGuessed) {
  const auto shown_in = [](const std::string& tz) {
    const auto zone = DisplayZone::find("local", tz);
    return zone ? zone->shown("2026-11-29T10:36:39.332Z") : zone.error();
  };
  EXPECT_EQ(shown_in("<+14>-14"), "2026-11-30T00:36:39.332+14:00");
  EXPECT_EQ(shown_in("XYZ-5:30"), "2026-11-29T16:06:39.332+05:30");
  EXPECT_EQ(shown_in("UTC0"), "2026-11-29T10:36:39.332+00:00");
  EXPECT_EQ(shown_in("EST5"), "2026-11-29T05:36:39.332-05:00");
  for (const char* unknown : {"CET-1CEST,M3.5.0,M10.5.0/3", "Europe/Berlyn", "<+14-14", "XYZ25"})
    EXPECT_TRUE(has(shown_in(unknown), "names no zone")) << unknown;
}

TEST(Escaped, ShowsWhatIsUnseenAndPassesNoControlInBrokenText) {
  EXPECT_EQ(escaped("caf\u00e9 \u4e2d"), "caf\u00e9 \u4e2d");
  EXPECT_EQ(escaped("a\u00adb\u2060c\u200dd"), "a\\u00adb\\u2060c\\u200dd");
  EXPECT_EQ(escaped("\U000e0041"), "\\udb40\\udc41");
  EXPECT_EQ(escaped("\xe2\x1b[2J\x9b"), "\xe2\\u001b[2J\\u009b");
  EXPECT_EQ(escaped("a\n\tb", "\n"), "a\n\\tb");
}

TEST(Escaped, NothingThatTheServerSendsMovesATerminal) {
  const std::string body = "a\u202eb\u009bc\x9b\x1b[31m\tz\n";
  TraderMachine machine;
  int status = 200;
  machine.intercept = [&](const api::HttpRequest& request) {
    return request.path() == "/llms.txt" ? answered(status, body,
                                                    {{"Link",
                                                      "v\u009b31m\x9b"
                                                      "1m"}})
                                         : Intercepted();
  };
  EXPECT_EQ(machine.run("-n local api GET /llms.txt").out, body) << "a program gets the bytes";
  EXPECT_EQ(machine.run("-n local -o raw api GET /llms.txt").out, body);
  machine.out_is_terminal = true;
  for (const int each : {200, 400}) {
    status = each;
    for (const std::string line : {"-n local api GET /llms.txt", "-n local -o raw api GET /llms.txt"}) {
      const RunResult ran = machine.run(line + " --debug-http");
      EXPECT_EQ(ran.out, "a\\u202eb\\u009bc\\u009b\\u001b[31m\tz\n") << line << status;
      EXPECT_TRUE(has(ran.err, "Link: v\\u009b31m\\u009b1m\n"));
      for (const char* obeyed : {"\u202e", "\x9b", "\x1b"}) EXPECT_FALSE(has(ran.err, obeyed)) << line << status;
    }
  }
}

TEST(Escaped, NoTextInJsonLinesMovesATerminal) {
  TraderMachine machine;
  machine.run({"-n", "local", "api", "POST", "/orders", "-d",
               R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.02",)"
               R"("time_in_force":"GTC","client_id":"a\u202eb"})"});
  const std::vector<std::string> lines[] = {{"-n", "local", "journal", "export"}, {"sign", "message", "a\u202eb"}};
  for (const auto& line : lines)
    EXPECT_TRUE(has(machine.run(line).out, "a\u202eb")) << "a program gets the text: " << line.back();
  machine.out_is_terminal = true;
  for (const auto& line : lines) {
    const RunResult ran = machine.run(line);
    EXPECT_TRUE(has(ran.out, "a\\u202eb")) << ran.out << ran.err;
    EXPECT_FALSE(has(ran.out, "\u202e")) << line.back();
  }
}

TEST(TimeZone, LeavesOtherCellsUnchanged) {
  const auto zone = DisplayZone::find("Europe/Berlin", std::nullopt);
  ASSERT_TRUE(zone.has_value());
  for (const char* cell : {"2026-13-01T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00.00Z", "-", "60100.5"}) {
    EXPECT_EQ(zone->shown(cell), cell);
  }
  EXPECT_EQ(zone->shown("2026-01-01T00:00:00Z"), "2026-01-01T01:00:00+01:00");
}

TEST(Width, ShortensAddressesThenSentencesThenDropsColumnsAndKeepsNumbers) {
  const std::string address = "0x71c7656ec7ab88b098defb751b7401b5f6d8976f";
  const std::string id = "00010000-0000-4000-8000-000000000001";
  using enum Column::Need;
  Grid grid{.names = {"id", "account", "size", "note"},
            .rows = {{id, address, "123456789012345678901234567890", "a long story of nothing"}},
            .needs = {always, always, always, if_it_fits}};
  const auto& rows = grid.rows;
  fit(grid, 200, true);
  EXPECT_EQ(rows[0][1], address);
  fit(grid, 106, true);
  EXPECT_EQ(rows[0], (std::vector<std::string>{id,
                                               "0x71c7\xE2\x80\xA6"
                                               "976f",
                                               "123456789012345678901234567890", "a long story of nothing"}));
  fit(grid, 99, false);
  EXPECT_EQ(rows[0][3], "a long story o..");
  fit(grid, 88, false);
  EXPECT_EQ(grid.names, (std::vector<std::string>{"id", "account", "size"}));
  EXPECT_EQ(rows[0][0], id);
  fit(grid, 70, false);
  EXPECT_EQ(rows[0][0], "00010000..0001");
  EXPECT_EQ(rows[0][2], "123456789012345678901234567890");
}

TEST(Width, CountsTheColumnsOfATerminal) {
  EXPECT_EQ(width_of("BTC-USDX-PERP"), 13u);
  EXPECT_EQ(width_of("鍵 ключ"), 7u) << "a wide character and four narrow ones";
  EXPECT_EQ(width_of("e\xCC\x81"), 1u) << "an accent joins its letter";
  EXPECT_EQ(width_of("0x71c7…976f"), 11u);
  EXPECT_EQ(width_of("\xFF\xFE"), 2u) << "bytes that are no character";

  Grid grid{.names = {"label"}, .rows = {{"鍵鍵鍵鍵 鍵鍵鍵鍵"}}};
  fit(grid, 16, true);
  EXPECT_EQ(grid.rows[0][0], "鍵鍵鍵鍵 鍵鍵鍵…");
}

TEST(Width, CoreColumnsAreDroppedLastAndShortenedIdsBeforeThem) {
  using enum Column::Need;
  const auto names_at = [&](std::size_t width) {
    Grid grid{.names = {"order_id", "market", "type", "size"},
              .rows = {{"00010000-0000-4000-8000-000000000576", "BTC-USDX-PERP", "Limit", "0.25"}},
              .needs = {core, core, always, core}};
    fit(grid, width, false);
    return grid.names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_at(45), (Names{"order_id", "market", "type", "size"}));
  EXPECT_EQ(names_at(40), (Names{"order_id", "market", "size"}));
  EXPECT_EQ(names_at(30), (Names{"market", "size"}));
  EXPECT_EQ(names_at(15), (Names{"market"}));
  EXPECT_EQ(names_at(1), (Names{"market"}));
}

TEST(Width, OfSidePriceAndSizeTheSizeStays) {
  using enum Column::Need;
  const auto names_at = [&](std::size_t width) {
    Grid grid{.names = {"side", "price", "size"}, .rows = {{"buy", "60000", "0.25"}}, .needs = {vital, vital, vital}};
    fit(grid, width, false);
    return grid.names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_at(17), (Names{"side", "price", "size"}));
  EXPECT_EQ(names_at(16), (Names{"price", "size"}));
  EXPECT_EQ(names_at(10), (Names{"size"}));
}

TEST(Width, TablesAreShortenedOnlyOnATerminalAndNotWithWide) {
  TraderMachine machine;
  const std::string line = "-n local keystore list -o table";
  const std::string whole = machine.run(line).out;
  machine.out_is_terminal = true;
  machine.out_columns = 60;
  machine.variables["NO_COLOR"] = "1";
  EXPECT_TRUE(has(machine.run(line).out, ".."));
  EXPECT_EQ(machine.run(line + " --wide").out, whole);
}

TEST(Progress, IsShownOnATerminalAfterASecondAndCleared) {
  TraderMachine machine;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(machine.run("-n local buy 0.01 BTC-USDX-PERP @ 59000").exit, 0);
  machine.run("-n local orders cancel-all");
  int pages = 0;
  const auto slow = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("history") == std::string::npos || pages == 3) return std::nullopt;
    machine.clock.advance(700);
    api::HttpResponse page{.status = 200, .headers = {}, .body = "[{\"id\":\"1\"},{\"id\":\"2\"}]"};
    if (++pages < 3) page.headers.set("X-Next-Cursor", std::to_string(pages));
    return page;
  };
  machine.intercept = slow;
  machine.err_is_terminal = true;
  const RunResult shown = machine.run("-n local orders history --all");
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.err, "\r\x1b[Kreading 4 rows\r\x1b[Kreading 6 rows\r\x1b[K");
  pages = 0;
  EXPECT_EQ(machine.run("-n local -q orders history --all").err, "");
  pages = 0;
  machine.err_is_terminal = false;
  EXPECT_EQ(machine.run("-n local orders history --all").err, "");
}

TEST(Record, HoldsEachRequestAndAnswerWithoutSecrets) {
  TraderMachine machine;
  const std::string file = (machine.home() / "wire.ndjson").string();
  EXPECT_EQ(machine.run("-n local account show --record " + file).exit, 0);
  EXPECT_EQ(machine.run("-n local api GET /nowhere --record " + file).exit, 5);
  const std::string text = machine.read("wire.ndjson");
  EXPECT_FALSE(has(text, machine.sent.back().headers.find("X-Signature").value_or("none")));
  std::vector<Json> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const auto line = parse_json(std::string_view(text).substr(at, text.find('\n', at) - at));
    ASSERT_TRUE(line.has_value()) << text;
    lines.push_back(*line);
  }
  ASSERT_GE(lines.size(), 2u);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const Json& one) { return one.integer_at("status") == 404; }));
  EXPECT_EQ(lines.back().string_at("method"), "GET");
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  machine.sent.clear();
  const RunResult unkept = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000 --record /nowhere/wire");
  EXPECT_EQ(unkept.exit, 10);
  EXPECT_FALSE(has(unkept.err, "sandbox")) << "it was not asked: " << unkept.err;
  EXPECT_TRUE(machine.sent.empty());
  const RunResult refused = machine.run("-n local account show --record -");
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(has(refused.err, "- is no file to append to"));
  EXPECT_TRUE(machine.sent.empty());
}

}  // namespace SVC_FILE
}  // namespace svc::cli
