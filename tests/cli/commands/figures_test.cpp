// The figures in tables: known values by the right clock and under the right name, or no column at all.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/client/watch_loop.h"
#include "cli/client_machine.h"
#include "cli/commands/command_table.h"
#include "cli/commands/output_shape.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string btc = "BTC-USDX-PERP";

// Alice holds 0.2 BTC; bob has orders on both sides.
struct Holder : ClientMachine {
  Holder() {
    variables["SVC_NETWORK"] = "local";
    add_trader("bob");
    EXPECT_EQ(run("buy 1 " + btc + " @ 59900").exit, 0);
    EXPECT_EQ(run("sell 1 " + btc + " @ 60100").exit, 0);
    add_trader("alice");
    EXPECT_EQ(run("buy 0.2 " + btc).exit, 0);
  }
  // The cells of the first row, by column.
  std::map<std::string, std::string> row(const std::string& line) {
    const RunResult ran = run(line + " -o tsv");
    std::istringstream in(ran.out);
    std::string names, cells;
    std::getline(in, names);
    std::getline(in, cells);
    std::map<std::string, std::string> found;
    std::istringstream name(names), cell(cells);
    for (std::string one, value; std::getline(name, one, '\t') && std::getline(cell, value, '\t');) found[one] = value;
    return found;
  }
};

TEST(Figures, APositionShowsItsMarkPriceAndMargin) {
  Holder machine;
  auto row = machine.row("positions list");
  EXPECT_EQ(row["mark"], "60000");
  EXPECT_EQ(row["margin"], "300");
  const Json isolated = *parse_json(R"({"margin_mode":"isolated","margin_used":"600.54","allocated_margin":"650.54"})");
  EXPECT_EQ(margin_behind(isolated), "650.54");
  // An older service sends no allocation: then nothing is shown, not the requirement.
  EXPECT_EQ(margin_behind(*parse_json(R"({"margin_mode":"isolated","margin_used":"600.54"})")), "-");
  EXPECT_EQ(machine.row("account show")["margin_used"], "300");
}

TEST(Figures, AnIsolatedPositionShowsItsAllocatedMargin) {
  ClientMachine machine;
  machine.variables["SVC_NETWORK"] = "local";
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("sell 0.1 " + btc + " @ 60054").exit, 0);
  machine.add_trader("alice");
  ASSERT_EQ(machine.run("margin mode set btc isolated").exit, 0);
  ASSERT_EQ(machine.run("margin leverage btc 10").exit, 0);
  ASSERT_EQ(machine.run("buy 0.1 " + btc + " @ 60054").exit, 0);
  const auto margin = [&] { return machine.run("positions list --no-header --fields margin").out; };
  EXPECT_EQ(margin(), "600.54\n");
  ASSERT_EQ(machine.run("margin add btc 50").exit, 0);
  EXPECT_EQ(margin(), "650.54\n");
  // The requirement by size is a different figure; --json has both.
  const Json position = machine.run("--json positions list").rows().front();
  EXPECT_EQ(position.string_at("margin_used"), "600");
  EXPECT_EQ(position.string_at("allocated_margin"), "650.54");
}

TEST(Figures, ALiquidationFeeIsShownApartFromTheTradingFee) {
  Holder machine;
  machine.out_is_terminal = true;
  machine.variables["NO_COLOR"] = "1";
  EXPECT_FALSE(has(machine.run("fills list").out, "liquidation_fee"));  // nobody was liquidated
  const std::string alice = machine.run("--json whoami").document().text_at("data.owner");
  ASSERT_EQ(machine.run("local liquidate " + alice).exit, 0);
  const RunResult shown = machine.run("fills list");
  EXPECT_TRUE(has(shown.out, "liquidation_fee"));
  const auto fills = machine.run("--json fills list").rows();
  ASSERT_GE(fills.size(), 2U);
  const std::string fee = fills.front().text_at("liquidation_fee");
  EXPECT_GT(parse_decimal(fee)->coefficient, 0) << fee;
  EXPECT_EQ(fills.front().string_at("fee"), "0");
  EXPECT_EQ(fills.back().find("liquidation_fee"), nullptr);
  // csv always has the column, because its readers expect the same ones each time.
  const std::string csv = machine.run("fills list -o csv --fields fee,liquidation_fee --no-header").out;
  EXPECT_TRUE(csv.starts_with("0," + fee + "\n")) << csv;
  EXPECT_TRUE(csv.ends_with(",\n")) << csv;
  const std::string all = machine.run("fills list -o csv").out;
  EXPECT_TRUE(all.starts_with("time,market,side,price,size,fee,liquidation_fee,")) << all;
  const Json line = Json::object({{"type", "event"}, {"channel", "fills"}, {"payload", fills.front()}});
  EXPECT_TRUE(has(watch_text(line), " fee 0 liquidation fee " + fee + " "));
  const Json plain = Json::object({{"type", "event"}, {"channel", "fills"}, {"payload", fills.back()}});
  EXPECT_FALSE(has(watch_text(plain), "liquidation"));
}

TEST(Figures, AConditionalOrderShowsItsTriggerAndWhenItTriggered) {
  Holder machine;
  const std::string place = "orders place btc --side sell --size 0.1 ";
  ASSERT_EQ(machine.run(place + "--type stop-market --trigger-price 55000").exit, 0);
  ASSERT_EQ(machine.run(place + "--type trailing-stop --trailing-bps 75").exit, 0);
  ASSERT_EQ(machine.run(place + "--type stop-limit --trigger-price 59950 --price 61000").exit, 0);
  ASSERT_EQ(machine.run(place + "--type trailing-limit --trailing-bps 80 --limit-offset-bps 10").exit, 0);
  const auto cells = [&](const std::string& type) {
    const RunResult ran =
        machine.run("orders list -o csv --no-header --fields type,price,trigger,offset_bps,triggered_at");
    std::istringstream in(ran.out);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(type + ",")) return line;
    return std::string();
  };
  EXPECT_EQ(cells("StopMarket"), "StopMarket,,55000,,");
  EXPECT_EQ(cells("TrailingStop"), "TrailingStop,,,75,");
  EXPECT_EQ(cells("TrailingLimit"), "TrailingLimit,,,80,");  // it gets a price when it triggers
  EXPECT_EQ(cells("StopLimit"), "StopLimit,61000,59950,,");
  ASSERT_EQ(machine.run("local price btc 59900").exit, 0);
  EXPECT_TRUE(cells("StopLimit").starts_with("StopLimit,61000,59950,,2026-09-21T12:0")) << cells("StopLimit");
  // A table has the time if there is one; a single order never shows a price that it does not have.
  machine.out_is_terminal = true;
  machine.out_columns = 200;
  machine.variables["NO_COLOR"] = "1";
  EXPECT_TRUE(has(machine.run("orders list").out, "triggered_at"));
  for (const Json& order : machine.run("--json orders list").rows()) {
    const std::string id = order.text_at("id");
    const std::string price = machine.run("orders get " + id + " --fields price -o tsv").out;
    EXPECT_EQ(price, order.string_at("order_type") == "StopLimit" ? "price\t61000\n" : "price\t-\n") << order.dump();
    const Json line = Json::object({{"type", "event"},
                                    {"channel", "orders"},
                                    {"payload", Json::object({{"OrderUpdate", Json::object({{"order", order}})}})}});
    const std::string text = watch_text(line);
    EXPECT_FALSE(has(text, "@ 0 "));
    const bool stop = order.string_at("order_type") == "StopMarket";
    const bool trails = order.string_at("order_type") == "TrailingStop";
    const bool trails_to_limit = order.string_at("order_type") == "TrailingLimit";
    const char* told = stop              ? "StopMarket trigger 55000"
                       : trails          ? "TrailingStop trailing 75 bps"
                       : trails_to_limit ? "TrailingLimit trailing 80 bps"
                                         : " fired 12:0";
    EXPECT_TRUE(has(text, told));
  }
  ASSERT_EQ(machine.run("orders cancel-all").exit, 0);
  const std::string ended = machine.run("orders history -o csv --no-header --fields type,price,triggered_at").out;
  EXPECT_TRUE(has(ended, "stop_market,,\n"));
  EXPECT_TRUE(has(ended, "stop_limit,61000,2026-09-21T12:0"));
}

TEST(Figures, DailyAndTotalVolumeHaveDifferentNames) {
  Holder machine;
  auto row = machine.row("markets summary --market btc");
  EXPECT_EQ(row["volume_24h_usdx"], "12020");
  EXPECT_EQ(row["volume_total_usdx"], "12020");
  // The first word of a column names it.
  const std::string busiest = "markets summary --fields market --no-header --limit 1 --sort ";
  EXPECT_EQ(machine.run(busiest + "volume:desc").out, "BTC-USDX-PERP\n");
  EXPECT_EQ(machine.run(busiest + "vol").exit, 2);
  machine.clock.advance(2 * day_ms);
  ASSERT_EQ(machine.run("local price btc 60000").exit, 0);
  row = machine.row("markets summary --market btc");
  EXPECT_EQ(row["volume_24h_usdx"], "0");
  EXPECT_EQ(row["volume_total_usdx"], "12020");
}

TEST(Figures, LeverageIsShownWithOrWithoutAPosition) {
  Holder machine;
  EXPECT_EQ(machine.row("margin leverage eth 7")["previous"], "25");
  EXPECT_EQ(machine.row("margin leverage eth 8")["previous"], "7");
  EXPECT_EQ(machine.row("margin mode get eth")["leverage"], "8");
  EXPECT_EQ(machine.row("margin mode set eth isolated")["previous"], "cross");
  const std::string state = machine.run("account state").out;
  EXPECT_TRUE(has(state, "settings\tBTC-USDX-PERP cross 40x, ETH-USDX-PERP isolated 8x, "));
  auto market = machine.row("markets list --mine --market eth");
  EXPECT_EQ(market["leverage"], "8");
  EXPECT_EQ(market["mode"], "isolated");
  auto preview = machine.row("buy 1 eth @ 2900 --preview");
  EXPECT_EQ(preview["leverage"], "8");
  EXPECT_EQ(preview["mode"], "isolated");
  // A size by leverage is refused if the account's leverage is lower.
  const RunResult refused = machine.run("buy max@20x eth @ 2900");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(has(refused.err, "the leverage of ETH-USDX-PERP is set to 8"));
  EXPECT_TRUE(has(refused.err, "margin leverage ETH-USDX-PERP 20"));
}

TEST(Figures, NoColumnIsNamedForDataTheServiceDoesNotSend) {
  const auto columns = [](const char* path) {
    std::vector<std::string> words;
    std::istringstream in(path);
    for (std::string word; in >> word;) words.push_back(word);
    const auto names = output_columns(find_command(words)->row->path);
    return std::set<std::string>(names.begin(), names.end());
  };
  for (const auto& [command, column] :
       std::vector<std::pair<const char*, const char*>>{{"fills list", "pnl"},
                                                        {"positions closed", "fees"},
                                                        {"positions closed", "funding"},
                                                        {"markets summary", "change"},
                                                        {"markets summary", "oi"},
                                                        {"markets mark-price", "index"},
                                                        {"limits", "local_estimate"},
                                                        {"keys list", "limit"},
                                                        {"keys create", "limit"},
                                                        {"admin tiers list", "note"},
                                                        {"orders preview", "margin_after"}})
    EXPECT_FALSE(columns(command).contains(column)) << command << " " << column;
  EXPECT_TRUE(columns("orders preview").contains("equity_after"));
  // Each name has one unit: amounts in USDX say so.
  EXPECT_TRUE(columns("markets summary").contains("volume_24h_usdx"));
  EXPECT_TRUE(columns("markets summary").contains("volume_total_usdx"));
  EXPECT_TRUE(columns("sell").contains("est_price"));
  EXPECT_TRUE(columns("venue volume").contains("volume_usdx"));
  EXPECT_TRUE(columns("account portfolio-history").contains("volume_usdx"));
  EXPECT_TRUE(columns("markets tickers").contains("volume"));
}

TEST(Figures, ASparkLineIsNoRecord) {
  Holder machine;
  for (const std::string format : {"csv", "tsv", "ndjson", "json"}) {
    const std::string plain = machine.run("venue stats -o " + format).out;
    const std::string out = machine.run("venue stats --spark -o " + format).out;
    EXPECT_EQ(std::ranges::count(out, '\n'), std::ranges::count(plain, '\n')) << out;
    EXPECT_FALSE(has(out, "fills per second"));
  }
  EXPECT_TRUE(has(machine.run("venue stats --spark -o table").out, "fills per second"));
}

TEST(Figures, AStoredKeyShowsItsCreationTime) {
  Holder machine;
  EXPECT_EQ(machine.row("keys list --signer alice")["created"].substr(0, 10), "2026-09-21");
}

TEST(Figures, AgesAndExpiriesUseTheServersClock) {
  ClientMachine machine;
  machine.variables["SVC_NETWORK"] = "local";
  machine.server_ahead_ms = 20'000;  // by its Date header
  machine.add_trader("alice");
  ASSERT_EQ(machine.run("buy 0.1 " + btc + " @ 59000").exit, 0);
  const std::string age = machine.run("orders list --fields age --no-header").out;
  EXPECT_TRUE(age == "20s\n" || age == "21s\n") << age;
  const Json token = machine.run("--json ws token").document();
  const auto ends_ms = token.integer_at("data.expires_at_ms");
  ASSERT_TRUE(ends_ms);
  EXPECT_GE(*ends_ms, machine.clock.now_ms() + 60'000 + 19'000);
  EXPECT_LE(*ends_ms, machine.clock.now_ms() + 60'000 + 21'000);
}

TEST(Confirmation, OfAnOrderIsOneLineOnATerminal) {
  Holder machine;
  machine.out_is_terminal = true;
  machine.out_columns = 80;
  machine.variables["NO_COLOR"] = "1";
  const RunResult rests = machine.run("buy 0.1 btc @ 59000");
  EXPECT_TRUE(rests.out.starts_with("buy 0.1 BTC-USDX-PERP @ 59000: Open  0")) << rests.out;
  EXPECT_EQ(std::count(rests.out.begin(), rests.out.end(), '\n'), 1);
  EXPECT_LE(rests.out.size(), 81U);
  EXPECT_EQ(rests.err, "");  // the notice on unsigned actions came with the first order of the day
  const RunResult filled = machine.run("sell 0.1 btc");
  EXPECT_TRUE(filled.out.starts_with("sell 0.1 BTC-USDX-PERP: Filled 0.1 at 59900  0")) << filled.out;
  const RunResult stop =
      machine.run("orders place btc --side sell --size 0.1 --type stop-market --trigger-price 55000");
  EXPECT_TRUE(stop.out.starts_with("sell 0.1 BTC-USDX-PERP StopMarket trigger 55000: Open  ")) << stop.out;
  EXPECT_LE(stop.out.size(), 81U) << stop.out;
  // Programs get columns.
  machine.out_is_terminal = false;
  EXPECT_TRUE(machine.run("buy 0.1 btc @ 59000").out.starts_with("order_id\tclient_id\t"));
}

TEST(Notices, OfUnsignedActionsAppearOnceADayWithTheRemedy) {
  Holder machine;
  const std::string said = "svc keystore unlock alice";
  machine.clock.advance(day_ms / 2 + 1);
  EXPECT_FALSE(has(machine.run("buy 0.1 btc @ 59000").err, said));
  EXPECT_TRUE(has(machine.run("--json buy 0.1 btc @ 59000").out, said));
}

TEST(Tables, FitEightyColumnsByDroppingColumns) {
  Holder machine;
  for (const char* line :
       {"buy 0.123 btc @ 59000.5 --client-id a-rather-long-client-id-of-mine",
        "orders place btc --side sell --size 0.1 --type stop-limit --price 51000 --trigger-price 55000"})
    EXPECT_EQ(machine.run(line).exit, 0);
  machine.out_is_terminal = true;
  machine.variables["NO_COLOR"] = "1";
  for (const std::size_t width : {std::size_t{80}, std::size_t{60}, std::size_t{40}}) {
    machine.out_columns = width;
    for (const char* command :
         {"orders list", "orders history", "fills list", "positions list", "positions closed", "account activity",
          "markets list", "markets summary", "markets tickers", "deposits list", "keys list", "journal list"}) {
      const RunResult ran = machine.run(command);
      EXPECT_EQ(ran.exit, 0) << command << ran.err;
      std::istringstream in(ran.out);
      for (std::string text; std::getline(in, text);) EXPECT_LE(text.size(), width) << command << "\n" << ran.out;
    }
  }
  for (const std::size_t width : {std::size_t{80}, std::size_t{60}}) {
    machine.out_columns = width;
    const std::string orders = machine.run("orders list").out;
    for (const char* word : {"BTC-USDX-PERP", "buy", "59000.5", "0.123", "55000"})
      EXPECT_TRUE(has(orders, word)) << word << "\n" << orders;
  }
  // In narrow terminals size and price stay.
  for (const std::size_t width : {std::size_t{50}, std::size_t{40}, std::size_t{24}}) {
    machine.out_columns = width;
    for (const char* command : {"orders list", "orders history", "fills list"}) {
      const std::string text = machine.run(command).out;
      const bool at_market = command == std::string_view("orders history");  // all ended orders had no price
      EXPECT_NE(text.substr(0, text.find('\n')).find("price") != std::string::npos, at_market) << text;
      EXPECT_TRUE(has(text.substr(0, text.find('\n')), "size")) << text;
      EXPECT_FALSE(has(text, "type"));
    }
  }
}

TEST(Formats, JsonIsIndentedOnATerminalAndMissingValuesAreEmptyInCsv) {
  Holder machine;
  machine.out_is_terminal = true;
  const RunResult shown = machine.run("--json markets mark-price btc");
  EXPECT_TRUE(has(shown.out, "\n  \"data\": {\n    \"market_id\": \"BTC-USDX-PERP\""));
  EXPECT_TRUE(parse_json(shown.out));
  machine.out_is_terminal = false;
  EXPECT_EQ(machine.run("--json markets mark-price btc").out.find('\n'),
            machine.run("--json markets mark-price btc").out.size() - 1);
  ASSERT_EQ(machine.run("buy 0.1 btc @ 59000").exit, 0);
  EXPECT_EQ(machine.run("orders list -o csv --fields side,price,trigger --no-header").out, "buy,59000,\n");
  EXPECT_EQ(machine.run("orders list -o tsv --fields side,price,trigger --no-header").out, "buy\t59000\t-\n");
  EXPECT_EQ(machine.run("fills list -o csv --fields side --no-header").out, "buy\n");
}

TEST(Batch, ReadsTheOutputOfOrdersList) {
  Holder machine;
  ASSERT_EQ(machine.run("buy 0.3 btc @ 59800 --client-id mine").exit, 0);
  ASSERT_EQ(machine.run("orders place btc --side sell --size 0.1 --type stop-market --trigger-price 55000").exit, 0);
  ASSERT_EQ(machine.run("--signer bob sell 1.1 btc @ 59800").exit, 0);  // takes 0.1 of an order
  const std::string before = machine.run("orders list -o csv --fields market,side,type,price,trigger,tif").out;
  machine.input = machine.run("orders list -o csv").out;
  ASSERT_EQ(machine.run("orders cancel-all").exit, 0);
  const RunResult again = machine.run("--json orders batch -f -");
  EXPECT_EQ(again.exit, 0) << again.out;
  EXPECT_EQ(machine.run("orders list -o csv --fields market,side,type,price,trigger,tif").out, before);
  const auto rows = machine.run("--json orders list").rows();
  std::set<std::string> sizes;
  for (const Json& order : rows) sizes.emplace(order.string_at("quantity").value_or(""));
  EXPECT_TRUE(sizes.contains("0.2")) << again.out;  // 0.3, of which 0.1 is filled
  // A name that is neither the wire's nor that list's is refused.
  machine.input = "market,side,type,price,size\nBTC-USDX-PERP,buy,Limit,59000,0.1\n";
  EXPECT_EQ(machine.run("orders batch -f -").exit, 2);
}

TEST(Transfers, FromAnAccountWithPositionsAreRefusedAsTemporary) {
  Holder machine;
  for (const char* who : {"bob", "alice"})
    EXPECT_EQ(machine.run("--signer " + std::string(who) + " transfers enroll" + machine.with_password).exit, 0);
  const std::string bob = machine.run("--json --signer bob whoami").document().text_at("data.owner");
  const std::string pay =
      "--json --signer alice transfers send 5 --allow-new-address --to " + bob + machine.with_password;
  const RunResult held = machine.run(pay);
  EXPECT_EQ(held.exit, 6) << held.out;  // because of the account's state, not of its rights
  EXPECT_EQ(held.code(), "TRANSFER_OUTFLOW_BLOCKED");
}

TEST(Transfers, ToAnAccountThatIsNotEnrolledAreRefusedAsTemporary) {
  Holder machine;
  ASSERT_EQ(machine.run("--signer alice transfers enroll" + machine.with_password).exit, 0);
  const std::string bob = machine.run("--json --signer bob whoami").document().text_at("data.owner");
  const RunResult refused =
      machine.run("--json --signer alice transfers send 5 --allow-new-address --to " + bob + machine.with_password);
  EXPECT_EQ(refused.exit, 6) << refused.out;
  EXPECT_EQ(refused.code(), "TRANSFER_ACCOUNT_INELIGIBLE");
  EXPECT_TRUE(has(refused.out, "svc -n local --signer alice transfers enroll"));
}

TEST(RelativeTerms, TheMaximumSizeLeavesRoomForFeeAndSlippage) {
  Holder machine;
  for (const char* line : {"sell max@40x btc", "sell max@10x btc @ 60000", "buy max@40x btc @ 60050"}) {
    ASSERT_EQ(machine.run("flatten").exit, 0);
    const RunResult ran = machine.run(std::string("--json ") + line);
    EXPECT_EQ(ran.exit, 0) << line << ran.out << ran.err;
  }
}

TEST(ShortWords, ExpandToFrequentCommands) {
  Holder machine;
  EXPECT_EQ(machine.run("pos").out, machine.run("positions list").out);
  EXPECT_EQ(machine.run("book btc --depth 1 --no-header").out,
            machine.run("markets book btc --depth 1 --no-header").out);
  EXPECT_EQ(machine.run("close btc").exit, 0);
  EXPECT_EQ(machine.run("--json pos").rows().size(), 0U);
}

TEST(Journal, IsFilteredByCountOrClientId) {
  Holder machine;
  ASSERT_EQ(machine.run("buy 0.1 btc @ 59000 --client-id first").exit, 0);
  ASSERT_EQ(machine.run("buy 0.1 btc @ 59100 --client-id second").exit, 0);
  EXPECT_EQ(machine.run("journal list --limit 1 --fields client_id --no-header").out, "second\n");
  EXPECT_EQ(machine.run("journal list --client-id first --fields client_id --no-header").out, "first\n");
  EXPECT_EQ(machine.run("journal list --since 1h --limit 2 --fields client_id --no-header").out, "first\nsecond\n");
  EXPECT_EQ(machine.run("journal list --limit 0").exit, 2);
}

TEST(Shell, AnEntryIsDroppedByNumberAndMustFitTickAndLot) {
  Holder machine;
  const auto shell = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> words{"--no-reconcile", "shell", "--keep-going"};
    for (const std::string& line : lines) words.insert(words.end(), {"-c", line});
    return machine.run(words);
  };
  const RunResult dropped = shell(
      {"use btc", "\\begin", "buy 0.1 @ 59000", "buy 0.2 @ 59000", "\\drop 1", "\\drop 7", "\\drop x", "\\commit"});
  EXPECT_TRUE(has(dropped.err, "dropped: "));
  EXPECT_TRUE(has(dropped.err, "entries 1 to 1 are held back"));
  EXPECT_EQ(machine.run("orders list --fields size --no-header").out, "0.2\n");
  const RunResult refused = shell({"\\begin", "buy 0.1 btc @ 59000.3", "buy 0.0001 btc @ 59000", "\\rollback"});
  EXPECT_TRUE(has(refused.err, "price 59000.3 is not a multiple of the tick 0.5; nothing was staged"));
  EXPECT_TRUE(has(refused.err, "quantity 0.0001"));
  EXPECT_TRUE(has(refused.err, "0 dropped"));
}

TEST(Shell, ExplainsThePasswordPromptAndReportsUnknownAccounts) {
  Holder machine;
  machine.in_is_terminal = false;
  const RunResult locked = machine.run({"--no-reconcile", "shell", "-c", "\\lock", "-c", "buy 0.1 btc @ 59000"});
  EXPECT_FALSE(has(locked.err, "nobody was here"));
  const RunResult nobody = machine.run("--signer zork orders list");
  EXPECT_EQ(nobody.exit, 5);
  EXPECT_TRUE(has(nobody.err, "no wallet is called \"zork\""));
}

TEST(Candles, OfAPeriodAreTheNewestOnes) {
  TraderMachine machine;
  machine.run("-n local local trade btc .01");
  machine.clock.advance(10 * minute_ms);
  machine.run("-n local local trade btc .01");
  const auto times = [&](const std::string& flags) {
    return machine.run("-n local --json markets candles btc " + flags).rows();
  };
  const auto newest = times("--limit 2");
  const auto within = times("--since 1h --limit 2");
  ASSERT_EQ(within.size(), 2u);
  ASSERT_EQ(newest.size(), 2u);
  EXPECT_EQ(within.front().dump(), newest.front().dump());
  EXPECT_LE(times("--since 3m --limit 100").size(), 4u);
}

TEST(NotFilled, IsRetryableAsItsExitCodeIs) {
  TraderMachine machine;
  const RunResult ran = machine.run("-n local --json buy 0.01 btc @ 10000 --tif ioc");
  ASSERT_EQ(ran.exit, 19) << ran.out;
  EXPECT_TRUE(ran.document().at("error.retryable")->truth()) << ran.out;
}

TEST(Book, DepthZeroIsRefused) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local book btc --depth 0").exit, 2);
}

TEST(UnknownCommand, OfAGroupListsTheGroupsCommands) {
  ClientMachine machine;
  EXPECT_TRUE(has(machine.run("cancel-all").err, "\"orders cancel-all\""));
  EXPECT_TRUE(has(machine.run("tickers").err, "\"markets tickers\""));
}

TEST(Jq, PrintsNothingOfAFailureThatTheExpressionDoesNotSelect) {
  ClientMachine machine;
  const RunResult ran = machine.run("--jq .data orders list --zork");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.out, "");
}

TEST(Leverage, AcceptsTheWrittenForms) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("-n local margin leverage btc 10x").exit, 0);
  EXPECT_EQ(machine.run("-n local buy 1. eth @ 1000").exit, 0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
