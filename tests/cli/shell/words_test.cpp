// Lines of the shell: words, values, shorthand, completion, the status line.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/arguments/line_words.h"
#include "cli/client_machine.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/shell.h"
#include "cli/shell/status_line.h"

namespace svc::cli {
namespace SVC_FILE {

using Words = std::vector<std::string>;

Result<Line, Failure> split(std::string_view text) {
  return split_line(
      text, [](std::string_view name) { return name == "size" ? std::optional<std::string>("0.1 x") : std::nullopt; });
}

TEST(ShellLine, SplitsLikeAPosixShell) {
  const std::pair<std::string_view, Words> rows[] = {
      {"", {}},
      {"  orders   list ", {"orders", "list"}},
      {"sign message 'a \"b\" c'", {"sign", "message", "a \"b\" c"}},
      {R"(a "b \"c\" \\ \n" d\ e)", {"a", R"(b "c" \ \n)", "d e"}},
      {"a '' b", {"a", "", "b"}},
      {"orders list # all of them", {"orders", "list"}},
      {"a#b", {"a#b"}},
      {R"(\watch 2)", {"\\watch", "2"}},
      {"buy :size", {"buy", "0.1 x"}},
      {"a:size ':size' :", {"a:size", ":size", ":"}},
  };
  for (const auto& [text, words] : rows) {
    const auto line = split(text);
    ASSERT_TRUE(line.has_value()) << text;
    EXPECT_EQ(line->words, words) << text;
    EXPECT_FALSE(line->pipe.has_value()) << text;
  }
}

TEST(ShellLine, TextAfterABarIsForAnotherProgram) {
  const auto line = split("orders list --jq '.a | .b' | sort -k 2 | head ");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->words, (Words{"orders", "list", "--jq", ".a | .b"}));
  EXPECT_EQ(line->pipe, "sort -k 2 | head");
}

TEST(ShellLine, RefusesOpenQuotesAndUnknownValues) {
  for (const std::string_view text : {"a 'b", "a \"b", "a\\", "| wc", "a |", "buy :unknown"}) {
    EXPECT_FALSE(split(text).has_value()) << text;
  }
}

TEST(ShellLine, JoinedWordsSplitIntoTheSameWords) {
  const Words words{"buy", "0.1", "@", "it's", "", "a|b", ":x", "\\", "#no", "a\"b"};
  const auto line = split(join_words(words));
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->words, words);
}

ShellState trading() {
  ShellState state{.network = "local"};
  state.market = "BTC-USDX-PERP";
  state.aliases["flat"] = {"positions", "list"};
  state.aliases["orders"] = {"orders", "cancel-all"};  // hides no command
  state.aliases["buy"] = {"sell"};
  state.aliases["loop"] = {"pool"};
  state.aliases["pool"] = {"loop"};
  state.last_rows =
      Json::array({Json::object({{"id", "id-1"}}), Json::object({{"order", Json::object({{"id", "id-2"}})}}),
                   Json::object({{"market", "X"}})});
  return state;
}

TEST(ShellShorthand, ExpandsToCommandLineWords) {
  const std::pair<Words, Words> rows[] = {
      {{"buy", "0.01", "@", "65000"}, {"buy", "0.01", "BTC-USDX-PERP", "@", "65000"}},
      {{"buy", "0.01", "@65000"}, {"buy", "0.01", "BTC-USDX-PERP", "@65000"}},
      {{"sell", "0.01"}, {"sell", "0.01", "BTC-USDX-PERP"}},
      {{"sell", "--tif", "ioc", "0.01"}, {"sell", "--tif", "ioc", "0.01", "BTC-USDX-PERP"}},
      {{"sell", "0.01", "ETH-USDX-PERP"}, {"sell", "0.01", "ETH-USDX-PERP"}},
      {{"sell", "50%"}, {"sell", "50%pos", "BTC-USDX-PERP", "--reduce-only"}},
      {{"sell", "50%", "@", "ask"}, {"sell", "50%pos", "--reduce-only", "BTC-USDX-PERP", "@", "ask"}},
      {{"sell", "50%", "ETH-USDX-PERP", "--reduce-only"}, {"sell", "50%pos", "ETH-USDX-PERP", "--reduce-only"}},
      {{"sell", "--tif", "ioc", "50%"}, {"sell", "--tif", "ioc", "50%pos", "BTC-USDX-PERP", "--reduce-only"}},
      {{"buy", "--", "50%", "BTC-USDX-PERP"}, {"buy", "--reduce-only", "--", "50%pos", "BTC-USDX-PERP"}},
      {{"buy", "--notional", "1000", "ETH-USDX-PERP"}, {"buy", "--notional", "1000", "ETH-USDX-PERP"}},
      {{"sell", "0.5%pos"}, {"sell", "0.5%pos", "BTC-USDX-PERP"}},
      {{"buy"}, {"buy"}},
      {{"markets", "book"}, {"markets", "book", "BTC-USDX-PERP"}},
      {{"markets", "list"}, {"markets", "list"}},
      {{"orders", "list"}, {"orders", "list"}},
      {{"flat", "--json"}, {"positions", "list", "--json"}},
      {{"x", "1", "2", "--yes"}, {"orders", "cancel", "id-1", "id-2", "--yes"}},
  };
  for (const auto& [typed, meant] : rows) {
    const auto whole = expand_shorthand(typed, trading());
    ASSERT_TRUE(whole.has_value()) << join_words(typed);
    EXPECT_EQ(*whole, meant) << join_words(typed);
  }
}

TEST(ShellShorthand, RefusesMissingRows) {
  for (const Words& typed : {Words{"x"}, Words{"x", "0"}, Words{"x", "3"}, Words{"x", "4"}, Words{"x", "1a"},
                             Words{"."}, Words{".", "2"}, Words{"loop"}}) {
    EXPECT_FALSE(expand_shorthand(typed, trading()).has_value()) << join_words(typed);
  }
}

TEST(ShellHistory, KeepsNoSecrets) {
  EXPECT_TRUE(may_be_kept("buy 0.1 @ 65000"));
  EXPECT_FALSE(may_be_kept(" buy 0.1 @ 65000"));
  EXPECT_FALSE(may_be_kept("keystore import me --from -"));
  EXPECT_FALSE(may_be_kept("orders list --proxy http://u:pw@h:1"));
  EXPECT_FALSE(may_be_kept("orders list --proxy 'http://u:p /w@h:1'"));
  EXPECT_FALSE(may_be_kept("orders list --proxy u:pw@h:1"));
  for (const char* proxy :
       {"'u:pw @h:1'", "\"u:pw @h:1\"", "u:'pw '@h:1", "u:'pw\t'@h:1", "u:pw\\ @h:1", "u:'p w @x @h:1'"})
    EXPECT_FALSE(may_be_kept(std::string("orders list --proxy ") + proxy)) << proxy;
  EXPECT_TRUE(may_be_kept("sell :size BTC-USDX-PERP @ 65000"));
  EXPECT_TRUE(may_be_kept("network add x --rest http://h:1/v1"));
  EXPECT_FALSE(may_be_kept("\\set token abc"));
  EXPECT_FALSE(may_be_kept("login --wallet alice"));
  EXPECT_FALSE(may_be_kept("\\!echo secret"));
  EXPECT_FALSE(may_be_kept("'api' GET /markets -H X-Key:secret"));
  EXPECT_FALSE(may_be_kept("-n testnet login --wallet alice"));
  EXPECT_FALSE(may_be_kept("buy 1 @ 2" + std::string(history_line_bytes_max, ' ')));
  const std::string digits(64, 'a');
  EXPECT_FALSE(may_be_kept("sign message 0x" + digits));
  EXPECT_TRUE(may_be_kept("sign message 0x" + digits.substr(1)));
  const std::string eleven = "test test test test test test test test test test test";
  EXPECT_FALSE(may_be_kept(eleven + " junk"));
  EXPECT_FALSE(may_be_kept("Zoo  \"" + eleven + "\""));
  EXPECT_FALSE(may_be_kept("orders list " + eleven + " junk"));
  EXPECT_FALSE(may_be_kept("1. test 2. test 3.test 4.test test,test,test;test-test test test test"));
  EXPECT_TRUE(has_key(eleven + "\njunk"));
  EXPECT_TRUE(has_key(eleven + "\r\n12. junk"));
  std::string groups;
  for (int i = 0; i < 16; ++i) groups += "abcd ";
  EXPECT_FALSE(may_be_kept("sign message " + groups));
  std::ranges::replace(groups, ' ', ':');
  EXPECT_FALSE(may_be_kept("sign message " + groups));
  EXPECT_TRUE(may_be_kept("sign message " + groups.substr(5)));
  EXPECT_TRUE(has_key(digits.substr(32) + "\n\n" + digits.substr(32)));
  EXPECT_TRUE(has_key(digits.substr(24) + "\r\n" + digits.substr(40)));
  EXPECT_TRUE(may_be_kept("orders cancel 00010000-0000-4000-8000-000000000001 00010000-0000-4000-8000-000000000002"));
  EXPECT_TRUE(may_be_kept(eleven + " testing"));
  EXPECT_TRUE(may_be_kept(eleven));
  const Aliases aliases{{"enter", {"login", "--wallet"}}, {"go", {"enter"}}, {"round", {"round", "trip"}}};
  EXPECT_FALSE(may_be_kept("enter alice", aliases));
  EXPECT_FALSE(may_be_kept("go alice", aliases));
  EXPECT_TRUE(may_be_kept("round and round", aliases));
}

TEST(ShellHistory, StaysShortEnoughToBeRead) {
  ClientMachine machine;
  const std::filesystem::path file = machine.state() / "history" / "local";
  auto history = History::open(file);
  ASSERT_TRUE(history.has_value());
  for (int i = 0; i < 1'100; ++i)
    ASSERT_TRUE(history->add("buy 0.1 @ " + std::to_string(i) + std::string(3'900, ' ')).has_value());
  EXPECT_LE(std::filesystem::file_size(file), history_bytes_max);
  const auto again = History::open(file);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->lines(), history->lines());
  EXPECT_EQ(trimmed(again->lines().back(), " "), "buy 0.1 @ 1099");

  std::string many, large(5 << 20, 'x');
  for (std::size_t i = 0; i < history_lines_max + 200; ++i)
    many += "buy 0.1 @ " + std::to_string(i) + std::string(280, ' ') + '\n';
  machine.write(".local/state/svc/history/local", many);
  EXPECT_EQ(History::open(file)->lines().size(), history_lines_max);
  machine.write(".local/state/svc/history/local", large);
  EXPECT_TRUE(History::open(file)->lines().empty()) << "too long to be read, and set aside";
}

TEST(ShellCompletion, OffersTheDeclaredWords) {
  Known known;
  known.markets = {{"BTC-USDX-PERP", ""}, {"ETH-USDX-PERP", ""}};
  known.orders = {{"id-1", "Buy 1"}};
  for (const char* id : {"mine", "a#b", "it's", "a\"b", "q|touch", "back\\slash", "\\q|touch", "\\x", ":market", ";x"})
    known.client_ids.push_back({id, ""});
  const ValueSource stored = [](ValueKind kind) {
    return kind == ValueKind::account ? std::vector<Candidate>{{"0x71", "alice"}} : std::vector<Candidate>{};
  };
  const auto texts = [&](std::string_view before) {
    Words all;
    for (const Candidate& one : suggestions(before, trading(), known, stored)) all.push_back(one.text);
    return all;
  };
  EXPECT_EQ(texts("posi"), (Words{"positions"}));
  EXPECT_EQ(texts("use E"), (Words{"ETH-USDX-PERP"}));
  EXPECT_EQ(texts("buy 0.1 "), (Words{"BTC-USDX-PERP", "ETH-USDX-PERP"}));
  EXPECT_EQ(texts("orders cancel "), (Words{"id-1"}));
  EXPECT_EQ(texts("orders get --client-id "), (Words{";x", "a#b", "mine"})) << "others mean something else when typed";
  EXPECT_EQ(texts("orders list -a "), (Words{"0x71"}));
  EXPECT_EQ(texts("watch pos"), (Words{"positions"}));
  EXPECT_EQ(texts("watch book E"), (Words{"ETH-USDX-PERP"}));
  EXPECT_EQ(texts("buy 0.1 BTC-USDX-PERP --tif g"), (Words{"gtc"}));
  EXPECT_EQ(texts("\\wat"), (Words{"\\watch"}));
  EXPECT_EQ(texts("svc orders pla"), (Words{"place"}));
  EXPECT_TRUE(texts("nonsense ").empty());
  EXPECT_EQ(common_rest("E", {{"ETH-A", ""}, {"ETH-B", ""}}), "TH-");
}

TEST(ShellCompletion, HintsShowMissingArguments) {
  EXPECT_EQ(hint_of("buy ", {}), "SIZE MARKET [@ PRICE]");
  EXPECT_EQ(hint_of("buy 0.1", {}), " MARKET [@ PRICE]");
  EXPECT_EQ(hint_of("buy --tif gtc 0.1 ", {}), "MARKET [@ PRICE]");
  EXPECT_EQ(hint_of("buy 0.1 BTC-USDX-PERP @ ", {}), "PRICE");
  EXPECT_EQ(hint_of("buy 0.1 @ ", {}), "PRICE");
  for (const char* line : {"buy 0.1 @", "buy 0.1 @ 59000", "buy 0.1 @ 59000 ", "buy 0.1 @59000 "})
    EXPECT_EQ(hint_of(line, {}), "") << line;
  EXPECT_EQ(hint_of("markets trades --sort price ", {}), hint_of("markets trades ", {})) << "a flag of every list";
  EXPECT_EQ(hint_of("orders", {}), "");
}

TEST(ShellCompletion, HintsLeaveOutTheMarketInUse) {
  const ShellState state{.market = "BTC-USDX-PERP"};
  EXPECT_EQ(hint_of("buy ", state), "SIZE [@ PRICE]");
  EXPECT_EQ(hint_of("buy 0.1", state), " [@ PRICE]");
  EXPECT_EQ(hint_of("buy 0.1 ", state), "[@ PRICE]");
  EXPECT_EQ(hint_of("buy 0.1 @ ", state), "PRICE");
  EXPECT_EQ(hint_of("buy 0.1 ETH-USDX-PERP ", state), "[@ PRICE]");
}

TEST(ShellScreen, CountsColumnsNotBytes) {
  EXPECT_EQ(shown_width("\1\033[36m\1abc\1\033[0m\1>"), 4U);
  EXPECT_EQ(shown_width("\033[1;31mé\033[0m"), 1U);
  EXPECT_EQ(cut_to_width("héllo", 2), "hé");
  EXPECT_EQ(utf8_character("é"), static_cast<wchar_t>(0xe9));
  EXPECT_EQ(utf8_character("\xff"), static_cast<wchar_t>(0xfffd));
}

TEST(ShellStatus, DropsPartsThatDoNotFit) {
  StatusFacts facts;
  facts.equity = "10000";
  facts.available = "9849.55";
  facts.margin_percent = 2;
  facts.budgets = {{"R", 10, 20}, {"T", 20, 20}};
  facts.read_ms = 1'000;
  EXPECT_EQ(status_text(facts, 1'250, 80),
            "equity 10000 | free 9849.55 | margin 2% | R ##... T ##### | read 250ms ago");
  EXPECT_EQ(status_text(facts, 1'250, 30), "equity 10000 | free 9849.55");
  EXPECT_EQ(status_text(facts, 7'000, 32), "as of 6000ms ago | equity 10000");  // stale after the same time as a page
  EXPECT_EQ(status_text(facts, 41'000, 30), "as of 40s ago | equity 10000");
  EXPECT_EQ(status_text({}, 0, 80), "");
}

TEST(ShellStatus, ReadsTheAccountFromTheAnswers) {
  StatusFacts facts;
  const auto envelope = parse_json(
      R"({"data":{"summary":{"total_equity":"1000","available_margin":"899.10","margin_used":"100.000001","open_orders_count":3}},"meta":{"skew_ms":-7}})");
  ASSERT_TRUE(envelope.has_value());
  take_account(facts, *envelope);
  EXPECT_EQ(facts.available, "899.10");
  EXPECT_EQ(facts.margin_percent, 11);  // rounded up
  EXPECT_EQ(facts.open_orders, 3);
  EXPECT_EQ(facts.skew_ms, -7);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
