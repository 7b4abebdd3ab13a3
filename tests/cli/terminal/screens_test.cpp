// Pages and charts drawn with characters.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/commands/pages.h"
#include "cli/terminal/canvas.h"
#include "cli/terminal/chart.h"

namespace svc::cli {
namespace SVC_FILE {

std::string painted(const Page& page, int width, int height, TimestampMs now_ms = 1'000) {
  Canvas canvas(width, height, Glyphs::ascii);
  page.paint(canvas, {.now_ms = now_ms, .heard_ms = 1'000});
  return canvas.text();
}

api::StreamNews event(const api::StreamKey& key, std::string payload) {
  return {.kind = api::StreamNews::Kind::event, .key = key, .payload = std::move(payload)};
}

std::string page_of_two_levels(int height) {
  BookPage page("BTC-USDX-PERP");
  page.take(event(
      page.channels().front(),
      R"({"bids":[[60000,1.5],[59999.5,0.5]],"asks":[[60000.5,0.25],[60001,1]],"nonce":7,"timestamp":1790000000000})"));
  return painted(page, 60, height);
}

TEST(BookPage, IsALadderWithTheBestPricesInTheMiddle) {
  EXPECT_EQ(page_of_two_levels(8),
            "\n"
            "          price           size          total\n"
            "        60001.0           1.00           1.25  #######\n"
            "        60000.5           0.25           0.25  #\n"
            "  spread 0.5  (0.08 bps)             14:13:20.000  change 7\n"
            "        60000.0           1.50           1.50  #########\n"
            "        59999.5           0.50           2.00  ############\n"
            "\n");
}

TEST(BookPage, OfFiveLinesShowsTheBestOfBothSides) {
  EXPECT_EQ(page_of_two_levels(5),
            "\n"
            "        60000.5           0.25           0.25  ##\n"
            "  spread 0.5  (0.08 bps)             14:13:20.000  change 7\n"
            "        60000.0           1.50           1.50  ############\n"
            "\n");
}

TEST(BookPage, OfHugeAndTinySizesHasBarsToScale) {
  BookPage page("BTC-USDX-PERP");
  constexpr int levels = 600;
  std::string bids = R"(["1000","0.000000000000000001"])";
  for (int i = 1; i < levels; ++i) bids += concat(",[\"", 1'000 - i, "\",\"1000000000000000000\"]");
  page.take(event(page.channels().front(), R"({"bids":[)" + bids + R"(],"asks":[],"nonce":1,"timestamp":1})"));
  constexpr int width = 240, height = 2 * levels + 4;
  std::istringstream lines(painted(page, width, height));
  std::vector<std::ptrdiff_t> bars;
  std::string line, last;
  while (std::getline(lines, line)) {
    if (line.find("1000000000000000000") == std::string::npos) continue;
    bars.push_back(std::ranges::count(line, '#'));
    last = line;
  }
  ASSERT_EQ(bars.size(), levels - 1U);
  EXPECT_TRUE(std::ranges::is_sorted(bars));
  EXPECT_NE(last.find(" 599000000000000000000.000000000000000000 "), std::string::npos) << last;
  EXPECT_NEAR(static_cast<double>(bars[bars.size() / 2]), static_cast<double>(bars.back()) / 2, 1);
  EXPECT_GT(bars.back(), 100);
}

TEST(Canvas, SharesOfLargeNumbersAreExact) {
  constexpr i128 large = 1'000'000'000'000'000'000;
  EXPECT_EQ(share({large, 0}, {2 * large * large, 18}, 640), 320);
  EXPECT_EQ(share({large * large, 18}, {large, 0}, 640), 640);
  EXPECT_EQ(share({1, 18}, {large, 0}, 640), 0);
  EXPECT_EQ(share({large, 0}, {1, 18}, 640), INT32_MAX);
  EXPECT_EQ(share({1, 0}, {3, 1}, 9), 30);
  EXPECT_EQ(spread_in_bps({large, 18}, {large, 0}), "20000");
}

TEST(BookPage, ShowsNoLevelsOfADoubtfulBook) {
  BookPage page("BTC-USDX-PERP");
  page.take(event(page.channels().front(), R"({"bids":[[60000,1]],"asks":[],"nonce":1,"timestamp":1})"));
  EXPECT_NE(painted(page, 80, 24).find("60000"), std::string::npos);
  EXPECT_NE(painted(page, 80, 24, 100'000).find("no book: the server is silent"), std::string::npos);
  EXPECT_EQ(painted(page, 80, 24, 100'000).find("60000"), std::string::npos);
}

TEST(BookPage, SaysWhetherOneSideIsEmptyOrBothAre) {
  for (const auto& [levels, says] : {std::pair{R"("bids":[[60000,1]],"asks":[])", "one side is empty"},
                                     {R"("bids":[],"asks":[[60000,1]])", "one side is empty"},
                                     {R"("bids":[],"asks":[])", "the book is empty"}}) {
    BookPage page("BTC-USDX-PERP");
    page.take(event(page.channels().front(), std::string("{") + levels + R"(,"nonce":1,"timestamp":1})"));
    EXPECT_NE(painted(page, 80, 24).find(says), std::string::npos) << levels;
  }
}

TEST(TopPage, PartsWithoutRowsLeaveTheirLinesToTheOthersInALowWindow) {
  TopPage page(true, "alice");
  const Json none = *parse_json("[]");
  page.answered("positions", none);
  page.answered("orders", none);
  page.answered("tickers", *parse_json(R"({"BTC-USDX-PERP":{"symbol":"BTC-USDX-PERP","bid":60000},)"
                                       R"("ETH-USDX-PERP":{"symbol":"ETH-USDX-PERP","bid":3000}})"));
  page.answered("fills", none);
  const std::string text = painted(page, 90, 14);
  for (const char* part : {"no open position", "no open order", "BTC-USDX-PERP", "ETH-USDX-PERP", "no fill yet"})
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
}

TEST(Pages, FitWindowsOfAnySize) {
  BookPage book("BTC-USDX-PERP");
  book.take(event(book.channels().front(), R"({"bids":[[60000,1]],"asks":[[60001,1]],"nonce":1,"timestamp":1})"));
  TradesPage trades("BTC-USDX-PERP");
  trades.take(event(trades.channels().front(), R"({"id":"a","side":"buy","price":60000,"amount":1,"timestamp":1})"));
  PositionsPage positions;
  TopPage top(true);
  const Json rows =
      *parse_json(R"([{"market_id":"BTC-USDX-PERP","side":"Long","size":"1.234567890123","entry_price":"60000"}])");
  for (Page* page : {static_cast<Page*>(&positions), static_cast<Page*>(&top)}) {
    page->answered("positions", rows);
    page->answered("orders", rows);
    page->answered("tickers", *parse_json(R"({"BTC-USDX-PERP":{"symbol":"BTC-USDX-PERP","bid":60000}})"));
    page->answered("account", *parse_json(R"({"equity":"10000.123456","balance":"1","available_margin":"1"})"));
    page->answered(
        "limits", *parse_json(R"({"buckets":{"key":{"limit":20,"remaining":5},"order":{"limit":20,"remaining":20}}})"));
  }
  for (const Page* page : {static_cast<const Page*>(&book), static_cast<const Page*>(&trades),
                           static_cast<const Page*>(&positions), static_cast<const Page*>(&top)}) {
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {20, 5}, {80, 24}, {300, 80}}) {
      const std::string text = painted(*page, width, height);
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), height);
    }
  }
  EXPECT_NE(painted(top, 80, 24).find("equity 10000.123456"), std::string::npos);
  EXPECT_NE(painted(top, 80, 24).find("key #      5/20"), std::string::npos) << painted(top, 80, 24);
}

// A page whose numbers are not parts of one another.
TopPage full_page() {
  TopPage page(true, "alice");
  page.answered("tickers", *parse_json(R"({"BTC-USDX-PERP":{"symbol":"BTC-USDX-PERP","bid":60010.5,"ask":60020.5,)"
                                       R"("last":60030.5,"markPrice":60040.5,"change":-170.25,"baseVolume":13.028}})"));
  page.answered("account",
                *parse_json(R"({"equity":"19996.593125","balance":"18888.77","available_margin":"17777.66"})"));
  page.answered("limits", *parse_json(R"({"buckets":{"key":{"limit":20,"remaining":5}}})"));
  page.answered(
      "positions",
      *parse_json(R"([{"market_id":"BTC-USDX-PERP","side":"Long","size":"0.123456","entry_price":"3150.6789",)"
                  R"("liquidation_price":"2999.123456","unrealized_pnl":"-15.987654","margin_mode":"isolated",)"
                  R"("margin_used":"600.54","allocated_margin":"650.54","leverage":40}])"));
  page.answered("orders",
                *parse_json(R"([{"market_id":"BTC-USDX-PERP","side":"Sell","order_type":"StopMarket","price":"0",)"
                            R"("quantity":"0.777","filled_qty":"0.111","status":"Open","trigger_price":"2950.5"},)"
                            R"({"market_id":"BTC-USDX-PERP","side":"Sell","order_type":"TrailingStop","price":"0",)"
                            R"("quantity":"0.888","filled_qty":"0.222","status":"Open","trailing_offset_bps":75},)"
                            R"({"market_id":"BTC-USDX-PERP","side":"Sell","order_type":"StopLimit","price":"3333.5",)"
                            R"("quantity":"0.999","filled_qty":"0.333","status":"Open","trigger_price":"3444.5",)"
                            R"("triggered_at":1790000001000}])"));
  page.answered(
      "fills",
      *parse_json(
          R"([{"market_id":"BTC-USDX-PERP","side":"buy","size":"0.4321","price":"60050.25",)"
          R"("fee":"0.990182","liquidation_fee":"1.234567","taker_or_maker":"taker","timestamp":1790000000000}])"));
  return page;
}

TEST(Pages, ShowNumbersCompletelyOrNotAtAll) {
  const TopPage page = full_page();
  std::set<std::string> whole;
  const auto words_of = [](const std::string& text) {
    std::istringstream in(text);
    std::set<std::string> words;
    for (std::string word; in >> word;)
      if (word.find_first_of("0123456789") != std::string::npos) words.insert(word);
    return words;
  };
  whole = words_of(painted(page, 300, 60));
  for (const char* figure :
       {"19996.593125", "650.54", "2950.5", "75bps", "0.990182", "1.234567", "-15.987654", "14:13:20", "14:13:21"})
    EXPECT_TRUE(whole.contains(figure)) << figure << painted(page, 300, 60);
  EXPECT_FALSE(whole.contains("600.54"));
  EXPECT_FALSE(whole.contains("0"));  // the stop order has no price
  whole.insert({"1", "2", "3"});      // "... 2 more"
  for (const auto& [width, height] : {std::pair{80, 24}, {60, 20}, {40, 12}, {50, 16}, {100, 30}, {71, 18}, {33, 9}}) {
    const std::string text = painted(page, width, height);
    for (const std::string& word : words_of(text)) EXPECT_TRUE(whole.contains(word)) << word << " of\n" << text;
    for (const char* shared : {"40cross", "levmode", "6Open"}) EXPECT_EQ(text.find(shared), std::string::npos) << text;
  }
  EXPECT_NE(painted(page, 40, 12).find("0.123456"), std::string::npos) << painted(page, 40, 12);
  // Size and price of an order stay longest.
  for (const int width : {60, 40, 30}) {
    const std::string text = painted(page, width, 40);
    for (const char* figure : {"0.777", "0.999", "3333.5"})
      EXPECT_NE(text.find(figure), std::string::npos) << width << text;
  }
}

TEST(Pages, OfBookAndTradesDropColumnsInNarrowWindows) {
  BookPage book("BTC-USDX-PERP");
  book.take(event(book.channels().front(),
                  R"({"bids":[[60000.25,1234.5678]],"asks":[[60001.25,8765.4321]],"nonce":1,"timestamp":1})"));
  TradesPage trades("BTC-USDX-PERP");
  trades.take(event(trades.channels().front(),
                    R"({"id":"a","side":"buy","price":60000.25,"amount":1234.5678,"timestamp":1790000000000})"));
  for (int width = 12; width <= 90; ++width) {
    const std::string ladder = painted(book, width, 12);
    EXPECT_NE(ladder.find("60000.25"), std::string::npos) << width << ladder;
    EXPECT_EQ(ladder.find("1234.5678") != std::string::npos, ladder.find("size") != std::string::npos) << ladder;
    EXPECT_EQ(ladder.find("1234") != std::string::npos, ladder.find("1234.5678") != std::string::npos) << ladder;
    const std::string tape = painted(trades, width, 6);
    EXPECT_NE(tape.find("60000.25"), std::string::npos) << width << tape;
    EXPECT_EQ(tape.find("1234") != std::string::npos, tape.find("1234.5678") != std::string::npos) << tape;
  }
}

TEST(TradesPage, ShowsTheNewestFirstAndNoneTwice) {
  TradesPage page("BTC-USDX-PERP");
  const std::string old = R"({"id":"a","side":"sell","price":60000,"amount":0.5,"timestamp":1000})";
  page.answered("trades", *parse_json("[" + old + "]"));
  page.take(event(page.channels().front(), old));
  page.take(event(page.channels().front(), R"({"id":"b","side":"buy","price":60001,"amount":1,"timestamp":2000})"));
  EXPECT_EQ(painted(page, 64, 5),
            "\n"
            " time                    price            size  side\n"
            " 00:00:02.000            60001               1  buy   #########\n"
            " 00:00:01.000            60000             0.5  sell  ####\n"
            "\n");
}

TEST(Canvas, ReplacesControlCharacters) {
  Canvas canvas(20, 1, Glyphs::unicode);
  canvas.put(0, 0,
             "a\x1b[2Jb\n\xC2\x9B"
             "c");
  EXPECT_EQ(canvas.text(), "a?[2Jb??c\n");
}

TEST(Canvas, ReplacesWhatTurnsOrHidesText) {
  Canvas canvas(20, 1, Glyphs::unicode);
  canvas.put(0, 0, "a\u202eb\u2066c\u200bd\ufeff\xff");
  EXPECT_EQ(canvas.text(), "a?b?c?d??\n");
}

TEST(Canvas, CountsColumnsAsTheTerminalDoes) {
  Canvas canvas(8, 4, Glyphs::unicode);
  EXPECT_EQ(canvas.put(0, 0, "\u9375e\u0301|"), 4) << "a wide character, and a letter with the accent that joins it";
  canvas.put_right(8, 0, "\u9375");
  canvas.put(7, 1, "\u9375", Style::plain);
  canvas.put(0, 2, "\u9375\u9375");
  canvas.put(1, 2, "ab");
  canvas.put(-1, 3, "\u9375x");
  EXPECT_EQ(canvas.text(), "\u9375e\u0301|  \u9375\n\n ab\n x\n");
  Canvas joined(4, 2, Glyphs::unicode);
  EXPECT_EQ(joined.put(0, 0, "\u304b\u3099|"), 3) << "a mark that joins a wide character";
  joined.put(3, 1, "\u304b\u3099", Style::plain);
  EXPECT_EQ(joined.text(), "\u304b\u3099|\n\n");
  Canvas ascii(8, 1, Glyphs::ascii);
  EXPECT_EQ(ascii.put(0, 0, "\u9375|"), 2);
  EXPECT_EQ(ascii.text(), "?|\n");
}

ChartCandle candle(const char* open, const char* high, const char* low, const char* close) {
  return {.at_ms = 1'790'000'000'000,
          .open = *number_of(open),
          .high = *number_of(high),
          .low = *number_of(low),
          .close = *number_of(close),
          .volume = *number_of("1")};
}

TEST(Charts, DrawBodiesAndWicksToScale) {
  const Canvas chart = candle_chart("BTC 1m", {candle("1", "4", "0", "3"), candle("3", "3", "1", "2")},
                                    {.columns = 30, .lines = 9, .glyphs = Glyphs::ascii});
  EXPECT_EQ(chart.text(),
            "BTC 1m\n"
            "|                 4\n"
            "# %               3\n"
            "# %              <2\n"
            "# |               1\n"
            "|                 0\n"
            "\n"
            "# #               vol 1\n"
            "09-21T14:13\n");
}

TEST(Charts, ShowEveryNumberWhole) {
  const std::string last = candle_chart("", {candle("60000", "60010", "60000", "60005.5")}, {.columns = 60}).text();
  EXPECT_NE(last.find("60005.5"), std::string::npos) << last;
  auto large = candle("1234567.123456", "1234567.123457", "1234567.123456", "1234567.123457");
  large.volume = *number_of("1234567.12345678");
  const std::string wide = candle_chart("", {large}, {.columns = 60}).text();
  EXPECT_NE(wide.find("vol 1234567.12345678"), std::string::npos) << wide;
  EXPECT_NE(wide.find("1234567.123457"), std::string::npos) << wide;
  // The labels depend on the candles that fit beside them.
  std::vector<ChartCandle> many(100, candle("1", "2", "1", "2"));
  for (ChartCandle& one : many) one.volume = *number_of("2000");
  for (std::size_t i = 50; i < many.size(); ++i) many[i].volume = *number_of("1234.5678");
  const std::string text = candle_chart("", many, {.columns = 60, .glyphs = Glyphs::ascii}).text();
  EXPECT_NE(text.find(" vol 1234.5678\n"), std::string::npos) << text;
}

TEST(Charts, SparkLinesHaveEightHeights) {
  std::vector<Decimal> values;
  for (int i = 0; i < 8; ++i) values.push_back({.coefficient = i, .scale = 0});
  EXPECT_EQ(spark_line(values, 80, Glyphs::unicode), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(spark_line({values[3]}, 80, Glyphs::unicode).empty(), false);
  EXPECT_EQ(spark_line({}, 80, Glyphs::unicode), "");
}

TEST(Charts, WithoutDataSaySo) {
  EXPECT_EQ(area_chart("equity", {}, {}).text(), "equity\nnothing to draw\n");
}

}  // namespace SVC_FILE
}  // namespace svc::cli
