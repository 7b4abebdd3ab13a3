// How scenario files are read, what is wrong with bad ones, and how differences are told.

#include <gtest/gtest.h>

#include "base/text.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {
namespace SVC_FILE {

constexpr const char* market = R"("markets": [{"id": "X", "tick": "1", "lot": "1", "tiers": [["0", "0.1", "0.05"]]}])";

// A JSON vector with these steps and this expectation.
std::string vector(const std::string& steps, const std::string& expect) {
  return std::string(R"({"vectors": [{"id": "T", "given": {)") + market + R"(, "steps": [)" + steps +
         R"(]}, "expect": )" + expect + "}]}";
}

std::vector<std::string> differences_of(const std::string& text) {
  const auto report = run_scenarios(text);
  if (!report) return {"file: " + report.error()};
  std::vector<std::string> all;
  for (const ScenarioResult& result : report->results) {
    all.insert(all.end(), result.differences.begin(), result.differences.end());
  }
  return all;
}

using Lines = std::vector<std::string>;

constexpr const char* funded =
    R"({"op": "deposit", "account": "A", "amount": "100"}, {"op": "set_mark", "market": "X", "price": "10"})";

TEST(ScenarioText, AnAmendmentMentionsAPriceOfItsOrdersMarketAlone) {
  const auto differences = differences_of(
      "market E tick 0.01 lot 0.0001\nmarket Z tick 0.001 lot 1 max_order_size 10000000\n"
      "= A the largest order of Z is not limited by prices of E\n"
      "deposit bob 20000000\nmark E 3000 Z 0.5\nbob buys 10000000 @ 0.45 in Z as z\n"
      "bob sells 60 @ 3000 as e1\namend e1 @ 59500 as e2\namend e2 @ 59600 as e3\n"
      "orders\n  label  status\n  z      Open\n  e3     Open\n");
  EXPECT_EQ(differences, std::vector<std::string>());
}

TEST(ScenarioText, TheHighestPriceOfAMarketBoundsItsOrders) {
  const auto differences = differences_of(
      "market X tick 1 lot 1 band 0.9 max_price 12\n= A two prices\ndeposit bob 1000\nmark X 10\n"
      "bob buys 1 @ 12\nbob buys 1 @ 13 -> InvalidPrice\n");
  EXPECT_EQ(differences, std::vector<std::string>());
}

TEST(ScenarioText, ARowOfDotsNeedsItsRecordAndComparesNothing) {
  const std::string story = "market X tick 1 lot 1\n= A b\ndeposit bob 100000\nmark X 10\nbob buys 2 @ 10 as a\n";
  EXPECT_EQ(
      differences_of(story + "orders\n  label status\n  a .\naccounts\n  name\n  bob\nvenue\n  fee_treasury\n  .\n"),
      Lines());
  EXPECT_EQ(differences_of(story + "orders\n  label status\n  b .\n"), Lines{"orders.b: expected {}, got nothing"});
}

TEST(ScenarioText, AMarketInQuotesIsTheOneWithoutThem) {
  EXPECT_EQ(differences_of("market \"Y Z\" tick 1 lot 1\nmarket \"Q\" tick 1 lot 1\n= A b\ndeposit bob 100000\n"
                           "mark \"Y Z\" 10 Q 10\nbob buys 1 @ 10 in Q\nbob buys 2 @ 10 in \"Y Z\"\n"
                           "book \"Y Z\"\n  ----\n  10 | 2 bob\nbook \"Q\"\n  ----\n  10 | 1 bob\n"
                           "markets\n  id status\n  \"Y Z\" active\n"),
            Lines());
}

TEST(ScenarioText, BadFilesSayWhatWasExpectedAndWhere) {
  struct Row {
    std::string text;
    const char* error;
  };
  const Row rows[] = {
      {"", "file: no scenario: expected a line"},
      {"{\n\"vectors\": [,", "file: not JSON at line 2, column 13"},
      {"{}", "file: expected an object with a list of vectors"},
      {R"({"vectors": [], "vectors": []})", "file: member `vectors` occurs twice"},
      {std::string(200'000, '['), "file: nested deeper than 64 levels"},
      {R"({"vectors": [{"title": "x"}]})", "a vector must have an id"},
      {vector(R"({"op": "jump"})", "{}"), "step 1: unknown op jump"},
      {vector(R"({"op": "deposit", "account": "A"})", "{}"), "step 1: amount must be a string"},
      {vector(R"({"op": "deposit", "account": "A", "amount": 1.5})", "{}"), "step 1: amount must be a string"},
      {vector(R"({"op": "deposit", "account": "A", "amount": "1", "memo": ""})", "{}"), "step 1: unknown field memo"},
      {vector(R"({"op": "set_mark", "market": "Y", "price": "1"})", "{}"), "step 1: no market Y"},
      {vector(R"({"op": "advance_ms", "ms": 251702300799999}, {"op": "advance_ms", "ms": 1})", "{}"),
       "step 2: time would pass the year 9999"},
      {R"({"vectors": [{"id": "x", "given": {"markets": [{"id": "X"}], "open_order": 1, "steps": []}, "expect": {}}]})",
       "given: unknown field open_order"},
      {R"({"vectors": [{"id": "x", "given": {"markets": [{"id": "X"}], "steps": []}, "expects": {}}]})",
       "expect must be an object"},
      {"nonsense", "file: no scenario: expected a line"},
      {"market X\n= A b\nnonsense", "file: line 3: neither a step nor an expectation: nonsense"},
      {"market X\n= A b\nalice buys", "file: line 3: expected a quantity at the end of the line"},
      {"market X\n= A b\nalice buys 1 @ 1 loudly", "file: line 3: unknown term \"loudly\""},
      {"market X\n= A b\nalice buys 1 @ 1 GTC FOK", "file: line 3: tif is given twice"},
      {"market X\n= A b\nalice buys 1 stop 9 profit 8", "file: line 3: trigger_price is given twice"},
      {"market X tick 1 tick 2\n= A b\nwait 1", "file: line 1: tick is given twice"},
      {"market X\n= A b\nmark X 1 X 2", "file: line 3: X is given twice"},
      {"market X\n= A b\naccounts\n  name name\n  alice alice", "file: line 4: column name stands twice"},
      {"market X\n= A b\naccounts\n  name balance\n  alice 1\n  alice 2",
       "file: line 6: a line above says what balance is here"},
      {"market X\n= A b\norders\n  label status\n  a Open\nwait 1\norders\n  label status\n  a Filled",
       "file: line 9: a line above says what status is here"},
      {"market X\n= A b\ntrades\n  price\n  1\ntrades\n  price\n  2",
       "file: line 6: a line above says what trades is here"},
      {"market X\n= A b\nevents\n  halt market X\nevents", "file: line 5: a line above says what risk_events is here"},
      {"market X\n= A b\nbook\n  ---\nbook\n  ---", "file: line 5: a line above says what X is here"},
      {"market X\n= A b\nvenue\n  fee_treasury\n  -\n  0", "file: line 6: a line above says what fee_treasury is here"},
      {"market X\n= A b\ntrades\n  is_liquidation\n  true", "file: line 5: is_liquidation is yes or no"},
      {"market X\n= A b\naccounts\n  name balance\n  \"alice\\x\" 7", "file: line 5: no text in quotes: \"alice\\x\""},
      {"market X\n= A b\ntrades buys 5 @ 10", "file: line 3: unexpected \"buys\""},
      {"market X\n= A b\naccounts\n  alice 7",
       "file: line 4: expected names of columns in this line, and values below it"},
      {"market X\n= A b\ntrades\n  buy 1 10", "file: line 4: trades have no column buy"},
      {"market X\n= A b\nbook\n   10 | 3 bob\n", "file: line 3: a book needs a line of dashes"},
      {"market X\n= A b\naccounts\n  name balance\n  alice\n", "file: line 5: expected 2 columns, as in line 4"},
      {"= A b\n", "file: line 1: no market is described"},
      {"market X\n= A b\norders\n  label state\n  a Open", "file: line 4: orders have no column state"},
      {"market X\n= A b\nvenue\n  fees\n  1", "file: line 4: venue has no column fees"},
      {"market X\n= A b\nbob sell 2", "file: line 3: neither a step nor an expectation: bob sell"},
      {"market X\n= A b\ndeposit alice many", "line 3: amount is not a decimal number: many"},
      {"market X\n= A b\nmark X one", "line 3: marks: X must be a decimal or a fraction such as 1/3: one"},
  };
  for (const Row& row : rows) {
    const Lines found = differences_of(row.text);
    ASSERT_FALSE(found.empty()) << row.text;
    EXPECT_TRUE(found.front().starts_with(row.error)) << found.front();
  }
}

TEST(ScenarioText, APartOfAMarketThatIsNoneSaysItsBounds) {
  for (const std::string name : {"partial_frac", "backstop", "band", "liq_band", "wfr"}) {
    const auto said = [&](const std::string& value) {
      const std::string spec = R"([{"id": "X", ")" + name + R"(": ")" + value + R"("}])";
      return differences_of(R"({"vectors": [{"id": "T", "given": {"markets": )" + spec +
                            R"(, "steps": []}, "expect": {}}]})");
    };
    for (const char* value : {"0", "-0.1", "1.01", "4/3"})
      EXPECT_EQ(said(value), Lines{"market: " + name + " must be above 0 and at most 1"}) << value;
    for (const char* value : {"1", "0.001"}) EXPECT_EQ(said(value), Lines{}) << name << " " << value;
  }
}

TEST(ScenarioText, ADifferenceNamesFieldStepAndBothValues) {
  const std::string steps = std::string(funded) +
                            R"(, {"op": "place", "account": "A", "market": "X", "side": "Buy", "quantity": "1",
                                  "price": "10", "label": "o"},
                                 {"op": "snapshot", "name": "s"}, {"op": "withdraw", "account": "A", "amount": "1000"})";
  const std::string expect = R"({"final": {"accounts": {"A": {"balance": "101"}, "B": {}}},
      "snapshots": {"s": {"insurance_fund": "1"}},
      "orders": {"o": {"status": "Filled"}, "p": {}},
      "books": {"X": {"bids": [], "asks": [{"price": "1"}]}},
      "trades": [], "rejects": [{"step": 2, "error": "InvalidPrice"}]})";
  EXPECT_EQ(differences_of(vector(steps, expect)),
            (Lines{"books.X.asks[1]: expected price 1, got nothing",
                   "books.X.bids[1]: expected nothing, got account A, price 10, remaining 1",
                   "final.accounts.A.balance (step 5): expected 101, got 100",
                   "final.accounts.B (step 5): expected {}, got nothing",
                   "orders.o.status (step 3): expected Filled, got Open", "orders.p: expected {}, got nothing",
                   "rejects (step 2): expected InvalidPrice, got acceptance",
                   "rejects (step 5): expected acceptance, got InsufficientBalance",
                   "snapshots.s.insurance_fund (step 4): expected 1, got 0"}));
}

// Names are the author's, also where a record has a member of that name.
TEST(ScenarioText, AnythingMayBeCalledStepOrHaveBlanksInItsName) {
  EXPECT_EQ(differences_of(
                "market X\n= A b\ndeposit step 1000\ndeposit \"b c\" 1000\nmark X 10\n\"b c\" buys 5 @ 10 as step\n"
                "orders\n  label status\n  step Open\naccounts\n  name balance\n  step 1000\n  \"b c\" 1000\n"),
            Lines{});
}

TEST(ScenarioText, AWordMovesNoTerminalAndIsReadAsItWas) {
  for (const std::string text : {"a\u001b[31m\u009b2m\u202e", "\x7f", "\u200b", "\U000e0041", "two words\n"}) {
    const std::string word = word_of(text);
    EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return is_printable(c) || c == ' '; })) << word;
    EXPECT_EQ(nlohmann::json::parse(word), text);
  }
  EXPECT_EQ(word_of("caf\u00e9"), "caf\u00e9");
}

TEST(ScenarioText, AStepHasOneError) {
  const std::string expect =
      R"({"rejects": [{"step": 1, "error": "MarketHalted"}, {"step": 1, "error": "InvalidPrice"}]})";
  EXPECT_EQ(differences_of(vector(R"({"op": "deposit", "account": "A", "amount": "1"})", expect)),
            Lines{"rejects (step 1): expected one error of a step, got two"});
}

TEST(ScenarioText, NumbersCompareAsNumbers) {
  const char* const expect = R"({"final": {"accounts": {"A": {"balance": "100.0"}}, "insurance_fund": 0}})";
  EXPECT_EQ(differences_of(vector(funded, expect)), Lines{});
}

TEST(ScenarioText, AnOptionalFieldThatIsNullIsAbsent) {
  const std::string steps = std::string(funded) +
                            R"(, {"op": "place", "account": "A", "market": "X", "side": "Sell", "quantity": "1",
                                  "price": "10", "type": null, "tif": null, "trigger_price": null, "reduce_only": null,
                                  "trailing_offset_bps": null, "client_id": null, "label": null},
                                 {"op": "place", "account": "A", "market": "X", "side": "Buy", "quantity": "1",
                                  "price": "10", "stp": null},
                                 {"op": "operator_resume", "market": "X", "inject": null})";
  EXPECT_EQ(differences_of(vector(steps, R"({"trades": [{"taker": "A", "maker": "A"}],
                                             "rejects": [{"step": 5, "error": "MarketNotHalted"}]})")),
            Lines{});
}

TEST(ScenarioText, MarksAndIndexesAreRoundedToATickHalfUp) {
  const std::string steps = R"({"op": "deposit", "account": "A", "amount": "100"},
      {"op": "deposit", "account": "B", "amount": "100"}, {"op": "set_mark", "market": "X", "price": "19/2"},
      {"op": "place", "account": "A", "market": "X", "side": "Buy", "quantity": "1", "price": "10"},
      {"op": "place", "account": "B", "market": "X", "side": "Sell", "quantity": "1", "price": "10"},
      {"op": "set_mark", "market": "X", "price": "10.49"},
      {"op": "funding", "market": "X", "rate": "1/100", "index": "10.5"})";
  EXPECT_EQ(differences_of(vector(steps, R"({"final": {"accounts": {"A": {"positions": {"X":
      {"unrealized_pnl": "0", "funding": "-0.11"}}}}}})")),
            Lines{});
}

TEST(ScenarioText, AFractionMatchesItsDecimalRoundedEitherWay) {
  for (const char* const price : {"250/3", "83.333333", "83.333334"}) {
    const std::string text =
        "market X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0 band 0.9\n= A fraction\n"
        "deposit alice 1000\ndeposit bob 1000\nmark X 100\nbob sells 60 @ 100\nalice buys 60 @ 100\nmark X 75\nevents\n"
        "  adl bankruptcy_price " +
        std::string(price) + "\n";
    EXPECT_EQ(differences_of(text), Lines{}) << price;
  }
}

TEST(ScenarioText, ATextTellsLinesInsteadOfSteps) {
  const Lines found = differences_of(
      "# a comment\n\nmarket X tick 1 lot 1\ndeposit bob 10\n= A wrong\nwithdraw bob 5 -> MarketHalted\n"
      "accounts\n  name  balance\n  bob   6\n");
  EXPECT_EQ(found, (Lines{"rejects (line 6): expected MarketHalted, got acceptance",
                          "snapshots.line 7.accounts.bob.balance (line 7): expected 6, got 5"}));
}

}  // namespace SVC_FILE
}  // namespace svc::sim::scenario
