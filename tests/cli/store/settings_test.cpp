// Where settings come from: flag, environment, profile, project, user; and what a project must not set.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/client_machine.h"
#include "cli/program.h"
#include "cli/store/config.h"
#include "cli/store/toml.h"

namespace svc::cli {
namespace SVC_FILE {

// The source of a setting, from `config get`.
std::string source(ClientMachine& machine, const std::string& line) {
  return machine.run("--json " + line).document().text_at("data.source");
}

TEST(SettingLayers, GuardsAreSettingsOfTheirNetwork) {
  ClientMachine machine;
  const auto value = [&](const std::string& key) {
    return machine.run("config get " + key + " --template '{value} {source}'").out;
  };
  EXPECT_EQ(value("guards.mainnet.order_notional_max"), "10000 built-in\n");
  EXPECT_EQ(value("guards.local.order_notional_max"), "- not set\n");
  ASSERT_EQ(machine.run("config set guards.order_notional_max 500").exit, 0);
  ASSERT_EQ(machine.run("config set guards.mainnet.order_notional_max 20000").exit, 0);
  EXPECT_TRUE(value("guards.mainnet.order_notional_max").starts_with("20000 user ("));
  EXPECT_TRUE(value("guards.testnet.order_notional_max").starts_with("- not set"));
  EXPECT_EQ(machine.run("--json config explain guards.mainnet.order_notional_max").rows().size(), 3u);
  EXPECT_TRUE(has(machine.run("config list").out, "guards.mainnet.order_notional_max\t20000"));
  EXPECT_EQ(machine.run("config get guards.mainnet.order_notional").exit, 2);
}

TEST(SettingLayers, TheFirstThatSetsItWinsAndIsNamed) {
  ClientMachine machine;
  const std::string file = (machine.home() / ".config/svc/config.toml").string();
  const auto wins = [&](const std::string& flags) {
    return machine.run("config get tz " + flags + " --template '{value}'").out;
  };
  EXPECT_EQ(wins(""), "utc\n");
  ASSERT_EQ(machine.run("config set tz Asia/Tokyo").exit, 0);
  EXPECT_EQ(wins(""), "Asia/Tokyo\n");
  EXPECT_EQ(source(machine, "config get tz"), "user (" + file + ", line 4)");
  std::filesystem::create_directories(machine.home() / "work/deep");
  machine.write("work/.svc.toml", "[defaults]\ntz = 'Asia/Seoul'\n");
  machine.working_folder = machine.home() / "work/deep";
  EXPECT_EQ(wins(""), "Asia/Seoul\n");
  ASSERT_EQ(machine.run("profile add desk --tz Europe/Paris").exit, 0);
  EXPECT_EQ(wins("-P desk"), "Europe/Paris\n");
  ASSERT_EQ(machine.run("profile use desk").exit, 0);
  EXPECT_EQ(wins(""), "Europe/Paris\n");
  machine.variables["SVC_TZ"] = "Europe/Rome";
  EXPECT_EQ(wins(""), "Europe/Rome\n");
  EXPECT_EQ(wins("--tz Europe/Oslo"), "Europe/Oslo\n");
  const auto rows = machine.run("--json config explain tz --tz Europe/Oslo").rows();
  std::string order;
  for (const Json& layer : rows) {
    order += std::string(*layer.string_at("layer")) + (layer.find("wins")->truth() ? "* " : " ");
  }
  EXPECT_EQ(order, "flag* environment profile project user built-in ");
  ASSERT_EQ(machine.run("config set tz --unset").exit, 0);
  ASSERT_EQ(machine.run("profile remove desk").exit, 0);
  machine.variables.erase("SVC_TZ");
  machine.working_folder.clear();
  EXPECT_EQ(wins(""), "utc\n");
}

TEST(SettingLayers, AFileThatOnlyAPersonCanEditIsToldWhichLineIsMissing) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("config set tz utc").exit, 0);
  machine.write(".config/svc/config.toml", "[profiles.\"a.b\"]\noutput = \"csv\"\n");
  const RunResult ran = machine.run("profile use a.b");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_TRUE(has(ran.err, "the line of profile must stand before the first section"));
}

TEST(SettingLayers, AnInvalidValueIsNotWritten) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("config set output yaml").exit, 2);
  EXPECT_EQ(machine.run("config set colour never").exit, 2);
  EXPECT_EQ(machine.run("config set output").exit, 2);
  for (const char* setting : {"api_version banana", "ca /nope", "signer zork", "password_file /nope"})
    EXPECT_EQ(machine.run("config set " + std::string(setting)).exit, 2) << setting;
  EXPECT_EQ(machine.read(".config/svc/config.toml"), "");
}

TEST(SettingLayers, AnInvalidValueIsReportedWithItsLayerAndIgnored) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("config set tz Mars").exit, 2);
  EXPECT_EQ(machine.run("config set color loud").exit, 2);
  EXPECT_EQ(machine.run("config set auth owner").exit, 2);
  ASSERT_EQ(machine.run("config set output csv").exit, 0);
  for (const auto& [name, value] : {std::pair{"SVC_TZ", "Mars"},
                                    {"SVC_RETRIES", "many"},
                                    {"SVC_OUTPUT", "yaml"},
                                    {"SVC_TIMEOUT", "0"},
                                    {"SVC_COLOR", "loud"},
                                    {"SVC_IDLE_LOCK", "x"}}) {
    machine.variables[name] = value;
    for (const char* line : {"-n local markets list", "-n local buy 0.1 BTC-USDX-PERP @ 59000", "config list",
                             "-n local orders cancel-all"}) {
      const RunResult ran = machine.run(line);
      EXPECT_EQ(ran.exit, 0) << name << line << ran.err;
      EXPECT_TRUE(has(ran.err, "note: " + std::string(name) + ": "));
      EXPECT_FALSE(has(ran.err, "--tz"));
    }
    machine.variables.erase(name);
  }
  machine.variables["SVC_OUTPUT"] = "yaml";
  EXPECT_TRUE(machine.run("-n local markets list").out.starts_with("market,")) << "the layer below speaks";
  EXPECT_TRUE(has(machine.run("config explain output").out, "yaml"));
  machine.variables.erase("SVC_OUTPUT");
  machine.write(".config/svc/config.toml", "[defaults]\ntz = \"Mars\"\n");
  EXPECT_EQ(machine.run("config set tz --unset").exit, 0);
  EXPECT_FALSE(has(machine.read(".config/svc/config.toml"), "Mars"));
  machine.working_folder = machine.home();
  machine.write(".svc.toml", "[defaults]\ntz = \"Mars\"\n");
  const RunResult ran = machine.run("-n local markets list");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, ".svc.toml, line 2: tz: "));
}

// An invalid proxy never leads to a direct connection, but it can be repaired, and the way out works.
TEST(SettingLayers, AnInvalidProxyStopsAllButTheWayOut) {
  TraderMachine machine;
  machine.variables["SVC_PROXY"] = "socks9://pigeon:1";
  const RunResult list = machine.run("-n local markets list");
  EXPECT_EQ(list.exit, 2);
  EXPECT_TRUE(has(list.err, "SVC_PROXY: "));
  EXPECT_EQ(machine.run("config list").exit, 0);
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
}

TEST(SettingLayers, AFileNamedByAFlagReplacesTheUsersOwn) {
  ClientMachine machine;
  const std::string file =
      machine.write("ci.toml", "[defaults]\noutput = \"csv\"\n[networks.local]\nrest = \"http://h:1\"\n");
  EXPECT_TRUE(machine.run("network list --config " + file).out.starts_with("name,funds,"));
  EXPECT_EQ(machine.run("network list --config " + file + "x").exit, 2);
  std::filesystem::permissions(file, std::filesystem::perms(0666));
  EXPECT_EQ(machine.run("network list --config " + file).exit, 14);
}

TEST(Profile, StoresAndShowsTheSigner) {
  ClientMachine machine;
  const RunResult added = machine.run("profile add day -n local --auth agent");
  EXPECT_EQ(added.exit, 0) << added.err;
  EXPECT_EQ(machine.run("profile list --fields name,auth -o csv").out, "name,auth\nday,agent\n");
}

TEST(Profile, NamesItsFilesFromEverywhere) {
  ClientMachine machine;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(machine.home());
  const RunResult added = machine.run("profile add day -n local --password-file password");
  std::filesystem::current_path(before);
  EXPECT_EQ(added.exit, 0) << added.err;
  EXPECT_NE(machine.read(".config/svc/config.toml").find('"' + (machine.home() / "password").string() + '"'),
            std::string::npos);
  EXPECT_EQ(machine.run("profile add day -n local --signer zork").exit, 2) << "there is no such wallet";
}

TEST(Settings, AreNotSaidToBeRemovedWhileTheyStand) {
  ClientMachine machine;
  std::filesystem::create_directories(machine.home() / ".config/svc");
  std::filesystem::permissions(machine.home() / ".config/svc", std::filesystem::perms::owner_all);
  machine.write(".config/svc/config.toml",
                "version = 1\nnetworks.foo = { rest = \"http://127.0.0.1:1\", funds = \"play\" }\n"
                "defaults = { output = \"json\" }\n");
  EXPECT_EQ(machine.run("network show foo").exit, 0);
  EXPECT_EQ(machine.run("network remove foo").exit, 2);
  EXPECT_EQ(machine.run("config set output --unset").exit, 2);
  EXPECT_TRUE(has(machine.read(".config/svc/config.toml"), "foo"));
}

TEST(Profile, ImpliesANetworkForReadsAndNeverForWritesOnRealFunds) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("network add mainnet --rest https://exchange.example/v1").exit, 0);
  machine.add_wallet("mainnet", "alice");
  ASSERT_EQ(machine.run("profile add real -n mainnet --signer alice").exit, 0);
  ASSERT_EQ(machine.run("profile add play -n local").exit, 0);
  EXPECT_EQ(machine.run("markets list").exit, 2);
  EXPECT_EQ(machine.run("-P play markets list").exit, 0);
  EXPECT_EQ(machine.run("-P nobody markets list").exit, 2);
  machine.variables["SVC_API_KEY"] = "k";
  machine.variables["SVC_API_SECRET"] = "c2VjcmV0";
  const RunResult refused = machine.run("-P real orders cancel-all --confirm mainnet");
  EXPECT_EQ(refused.exit, 14) << refused.err;
  EXPECT_TRUE(machine.sent.empty() || machine.sent.back().method == "GET");
  const RunResult rows = machine.run("profile list -o csv");
  EXPECT_EQ(rows.out,
            "name,network,account,signer,auth,output,in_use\nplay,local,,,,,false\nreal,mainnet,,alice,,,false\n");
}

TEST(ProjectFile, MayChangeDisplayButNothingAboutMoney) {
  ClientMachine machine;
  machine.working_folder = machine.home();
  for (const char* text :
       {"profile = \"x\"\n", "[defaults]\nsigner = \"x\"\n", "[defaults]\npassword_file = \"x\"\n",
        "[defaults]\nproxy = \"http://x:1\"\n", "[defaults]\nca = \"/x\"\n", "[networks.local]\nrest = \"http://x\"\n",
        "[defaults]\nnetwork = \"local\"\n", "[aliases]\nmine = \"orders list\"\n"}) {
    machine.write(".svc.toml", text);
    const RunResult ran = machine.run("-n local markets list");
    EXPECT_EQ(ran.exit, 14) << text;
    EXPECT_TRUE(has(ran.err, ".svc.toml, line "));
  }
  EXPECT_TRUE(machine.origins.empty());
  machine.write(".svc.toml", "[defaults]\noutput = \"csv\"\n");
  EXPECT_TRUE(machine.run("-n local markets list").out.starts_with("market,"));
  std::filesystem::permissions(machine.home() / ".svc.toml", std::filesystem::perms(0664));
  EXPECT_EQ(machine.run("-n local markets list").exit, 14);
}

// root may look into every folder, so this thread does without that.
TEST(ProjectFile, InAFolderThatIsClosedToUsIsNobodys) {
  const FreshHome folder;
  const std::filesystem::path shut = folder.path() / "shut", open = folder.path() / "open";
  std::filesystem::create_directories(shut / "deep");
  std::filesystem::create_directories(open);
  std::ofstream(shut / ".svc.toml") << "[defaults]\n";
  std::ofstream(open / ".svc.toml") << "[defaults]\n";
  namespace fs = std::filesystem;
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(shut, fs::perms(0));
  fs::permissions(open / ".svc.toml", fs::perms(0));
  constexpr uid_t nobody = 65'534;
  const uid_t before = static_cast<uid_t>(::setfsuid(nobody));
  Config config;
  const auto hidden = load_project(config, shut);
  const bool found = !config.project_file.empty();
  const auto unreadable = load_project(config, open);
  ::setfsuid(before);
  fs::permissions(shut, fs::perms(0700));
  ASSERT_TRUE(hidden.has_value()) << hidden.error().message;
  EXPECT_FALSE(found);
  ASSERT_FALSE(unreadable.has_value());
  EXPECT_TRUE(has(unreadable.error().message, "open/.svc.toml: Permission denied"));
}

TEST(ProjectFile, NeverStopsTheWayOut) {
  TraderMachine machine;
  std::filesystem::create_directories(machine.home() / "work/deep");
  machine.working_folder = machine.home() / "work/deep";
  for (const char* text : {"[[[", "[defaults]\ntz = ", "[defaults]\nsigner = 'x'\n", "\xff\xfe"}) {
    machine.write("work/.svc.toml", text);
    machine.sent.clear();
    const RunResult refused = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000");
    EXPECT_TRUE(refused.exit == 2 || refused.exit == 14) << text << refused.exit;
    EXPECT_TRUE(machine.sent.empty()) << text;
    for (const char* line : {"orders cancel-all", "flatten --yes", "positions close BTC-USDX-PERP",
                             "sell 0.1 BTC-USDX-PERP --reduce-only", "shell -c '\\q'", "keystore lock"}) {
      const RunResult ran = machine.run("-n local " + std::string(line));
      EXPECT_TRUE(ran.exit == 0 || ran.exit == 5 || ran.exit == 7) << text << line << ran.err;
      EXPECT_TRUE(has(ran.err, "note: passed over: ")) << text << line << ran.err;
      EXPECT_TRUE(has(ran.err, "work/.svc.toml")) << text << line << ran.err;
    }
    const std::string login = "-n local login --wallet alice" + machine.with_password;
    EXPECT_NE(machine.run(login).exit, 0) << text;
    std::filesystem::remove(machine.home() / "work/.svc.toml");
    ASSERT_EQ(machine.run(login).exit, 0);
  }
  machine.write("work/.svc.toml", "[defaults]\noutput = 'json'\n");
  std::filesystem::permissions(machine.home() / "work/.svc.toml", std::filesystem::perms(0666));
  EXPECT_EQ(machine.run("-n local orders list").exit, 14);
  const RunResult cancel = machine.run("-n local orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_FALSE(cancel.out.starts_with("{")) << "and nothing of it holds";
}

TEST(Alias, StandsForACommandAndHidesNone) {
  ClientMachine machine;
  ASSERT_EQ(machine.run({"alias", "set", "ticks", "markets list --fields tick --no-header"}).exit, 0);
  EXPECT_EQ(machine.run("ticks -n local").out, "0.5\n0.01\n0.001\n");
  EXPECT_EQ(machine.run({"alias", "set", "orders", "markets list"}).exit, 2);
  EXPECT_EQ(machine.run({"alias", "set", "twice", "ticks"}).exit, 2);
  EXPECT_EQ(machine.run("alias list --no-header").out, "ticks\tmarkets list --fields tick --no-header\n");
  ASSERT_EQ(machine.run("alias remove ticks").exit, 0);
  EXPECT_EQ(machine.run("ticks -n local").exit, 2);
  EXPECT_EQ(machine.run("alias remove ticks").exit, 5);
}

TEST(Alias, OfSeveralLinesIsKeptAndRunAsOneLine) {
  ClientMachine machine;
  const std::string command = "markets list\n\t--fields tick\n--no-header";
  const RunResult made = machine.run({"alias", "set", "ticks", command});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(machine.run("alias list --json").rows().at(0).string_at("command"), command);
  EXPECT_EQ(machine.run("ticks -n local").out, "0.5\n0.01\n0.001\n");
  ASSERT_EQ(machine.run({"alias", "set", "marks", "markets list"}).exit, 0) << "the file can still be edited";
  ASSERT_EQ(machine.run("alias remove ticks").exit, 0);
}

TEST(Alias, ConfirmsNothing) {
  ClientMachine machine;
  EXPECT_EQ(machine.run({"alias", "set", "out", "funds withdraw 5 --confirm mainnet"}).exit, 2);
  ASSERT_TRUE(make_private_folder(machine.home() / ".config/svc").has_value());
  machine.write(".config/svc/config.toml", "[aliases]\nbb = \"orders cancel-all --confirm=mainnet\"\n");
  const RunResult ran = machine.run("bb");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_TRUE(has(ran.err, "an alias cannot hold --confirm"));
}

TEST(Alias, NamesNoNetwork) {
  ClientMachine machine;
  for (const std::string flag :
       {"-n mainnet", "-nmainnet", "-qn mainnet", "--network mainnet", "--network=mainnet", "-n"}) {
    EXPECT_EQ(machine.run({"alias", "set", "out", "orders cancel-all " + flag}).exit, 2) << flag;
    ASSERT_TRUE(make_private_folder(machine.home() / ".config/svc").has_value());
    machine.write(".config/svc/config.toml", "[aliases]\nout = \"orders cancel-all " + flag + "\"\n");
    const RunResult ran = machine.run("out");
    EXPECT_EQ(ran.exit, 2);
    EXPECT_TRUE(has(ran.err, "an alias cannot hold --network"));
  }
  EXPECT_EQ(machine.run({"alias", "set", "mine", "orders list -ojson --profile desk"}).exit, 0);
}

TEST(Proxy, APasswordComesFromTheEnvironmentAloneAndIsNotShown) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("config set proxy http://joe:S3cret@host:9").exit, 2);
  EXPECT_EQ(machine.run("--proxy http://joe:S3cret@host:9 config list").exit, 2);
  EXPECT_EQ(machine.run("config set proxy http://host:9").exit, 0);
  machine.variables["SVC_PROXY"] = "http://joe:S3cret@host:9";
  for (const std::string line : {"config get proxy", "config list", "config explain proxy"}) {
    const RunResult ran = machine.run(line);
    EXPECT_FALSE(has(ran.out, "S3cret"));
    EXPECT_TRUE(has(ran.out, "http://***@host:9"));
  }
  machine.variables["SVC_PROXY"] = "http://joe:S3cret@host:999999";
  EXPECT_FALSE(has(machine.run("config explain proxy").out, "S3cret"));
}

TEST(Proxy, ANoticeSaysThatOneThatWasTypedIsNotUsedForThisMachine) {
  ClientMachine machine;
  const std::string note = "note: --proxy names another machine, and is not used for addresses of this one\n";
  EXPECT_EQ(machine.run("-n local --proxy http://far:9 markets list").err, note);
  const RunResult document = machine.run("-n local --json --proxy socks5://far:9 markets list");
  EXPECT_EQ(document.document().at("warnings")->items().at(0).string_at("code"), "proxy_passed_over") << document.out;
  for (const std::string flag : {"", "--proxy none", "--proxy http://127.0.0.1:9", "--quiet --proxy http://far:9"})
    EXPECT_EQ(machine.run("-n local " + flag + " markets list").err, "") << flag;
  machine.variables["SVC_PROXY"] = "http://far:9";
  EXPECT_EQ(machine.run("-n local markets list").err, "") << "it was not typed";
}

TEST(Guard, IsRefusedForAnImpossibleNetworkAndNotedForAnUnknownOne) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("config set guards.Desk.order_notional_max 10").exit, 2);
  const RunResult unknown = machine.run("config set guards.dsk.order_notional_max 10");
  EXPECT_EQ(unknown.exit, 0) << unknown.err;
  EXPECT_TRUE(has(unknown.err, "no network is called dsk yet"));
  EXPECT_EQ(machine.run("config set guards.local.order_notional_max 10").err, "");
}

TEST(Address, WithAWrongDigitInMixedCaseIsRefused) {
  TraderMachine machine;
  const std::string good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const std::string bad = good.substr(0, 41) + "e";
  EXPECT_EQ(machine.run("-n local addresses add good " + good).exit, 0);
  for (const std::string line : {"addresses add bad ", "agents register ", "transfers send 5 --to "}) {
    const RunResult ran = machine.run("-n local " + line + bad);
    EXPECT_EQ(ran.exit, 2) << line << ran.err;
    EXPECT_TRUE(has(ran.err, "has a wrong digit"));
  }
}

TEST(Toml, IsReadCompletelyAndChangedLineByLine) {
  const std::string text =
      "# top\nversion = 1\n\n[a.b] # about\nx = 'one'   # why\ny = [\"p\", \"q\"]\n\n[c]\nz = true\n";
  const auto entries = parse_toml(text);
  ASSERT_TRUE(entries.has_value());
  ASSERT_EQ(entries->size(), 4u);
  EXPECT_EQ((*entries)[1].section + "." + (*entries)[1].key + "=" + (*entries)[1].value, "a.b.x=one");
  EXPECT_EQ((*entries)[1].line, 5u);
  EXPECT_EQ((*entries)[2].items, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(replace_entry(text, "c", "z", "no"), text.substr(0, text.size() - 9) + "z = \"no\"\n");
  EXPECT_EQ(replace_entry(text, "c", "w", "1"), text + "w = \"1\"\n");
  EXPECT_EQ(replace_entry(text, "", "v", "2"), "# top\nversion = 1\nv = \"2\"\n" + text.substr(text.find("\n[a.b]")));
  EXPECT_EQ(replace_entry(text, "d", "k", "\"q\""), text + "\n[d]\nk = \"\\\"q\\\"\"\n");
  EXPECT_FALSE(has(replace_entry(text, "a.b", "x", std::nullopt), "x ="));
  EXPECT_TRUE(has(parse_toml("a = 1\nb = \n").error(), "line 2"));
}

TEST(Toml, AValueOfAnotherKindIsReadAsItStands) {
  const auto entries = parse_toml(
      "a = 0.5  # about\nb = 2026-01-01\nc = [1.50, -inf]\nd = { \"é\" = 1e3, e = 07:00:00 }\nf = \"\\u00e9\"\n");
  ASSERT_TRUE(entries) << entries.error();
  std::string shown;
  for (const TomlEntry& entry : *entries) {
    shown += entry.key + "=" + entry.value;
    for (const std::string& item : entry.items) shown += item + ",";
    shown += ' ';
  }
  EXPECT_EQ(shown, "a=0.5 b=2026-01-01 c=1.50,-inf, e=07:00:00 é=1e3 f=é ");
}

TEST(Settings, ANumberInTheFileIsTakenAndAValueOfAnotherKindIsReportedAndNotUsed) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("config set tz UTC").exit, 0);  // makes the folder
  machine.write(".config/svc/config.toml", "[defaults]\ntimeout = 0.5\n");
  const RunResult taken = machine.run("-n local markets list");
  EXPECT_EQ(taken.exit, 0) << taken.err;
  EXPECT_EQ(machine.timeout_ms, 500) << taken.err;
  for (const char* line : {"retries = 2.5", "tz = 2026-01-01", "output = [\"csv\"]", "output = 1979-05-27T07:32:00Z"}) {
    machine.write(".config/svc/config.toml", std::string("[defaults]\n") + line + "\n");
    const RunResult ran = machine.run("-n local markets list");
    EXPECT_EQ(ran.exit, 0) << line << ran.err;
    EXPECT_TRUE(has(ran.err, "config.toml, line 2")) << line << ran.err;
    EXPECT_FALSE(has(ran.err, "unknown key")) << line << ran.err;
  }
}

// Any text is read or refused with its line number; failed assertions of the library count as refusals.
TEST(Toml, NoTextStopsTheProgram) {
  const std::vector<std::string> broken{"\n[[[",
                                        "\n[[[a]]]",
                                        "\n[[=",
                                        "\n[[\n",
                                        "\n[=",
                                        "\né = 1",
                                        "\n[é]",
                                        "\na = é",
                                        "\na = 1 é",
                                        "\n \ufe80 = 1",
                                        "\na." + std::string(100'000, '.'),
                                        "\na = " + std::string(100'000, '['),
                                        "\na = " + std::string(100'000, '{')};
  for (const std::string& text : broken) {
    const auto read = parse_toml(text);
    ASSERT_FALSE(read.has_value()) << text.substr(0, 20);
    EXPECT_TRUE(read.error().starts_with("line 2: ")) << text.substr(0, 20) << read.error();
  }
  std::string deep = "x = 1\na";
  for (int part = 0; part < 100'000; ++part) deep += ".a";
  EXPECT_TRUE(parse_toml(deep + " = 1\n").error().starts_with("line 2: "));
  const std::string sound =
      "# top\nversion = 1\n[a.b]\nx = 'one'\ny = [\"p\", 3]\n[[c]]\nz = true\n[c.\"d e\"]\nw = {k = \"\"\"t\"\"\", l = "
      "1979-05-27T07:32:00Z}\nv = 0x1F\nu = -inf\n";
  const std::string pieces = "[]{}=.,'\"\\#\n -+_:\t0aTZ\x7f\xc3\xff";
  Prng chance(11);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(chance.next() % bound); };
  for (int round = 0; round < 20'000; ++round) {
    std::string text = sound;
    for (std::size_t change = 1 + below(4); change > 0; --change) {
      const std::size_t at = below(text.size());
      if (below(2) == 0)
        text.insert(at, 1 + below(3), pieces[below(pieces.size())]);
      else
        text.erase(at, 1 + below(8));
    }
    const auto read = parse_toml(text);
    EXPECT_TRUE(read || read.error().starts_with("line ")) << text << read.error();
  }
}

TEST(Aliases, HoldInADamagedAndInANamedConfiguration) {
  TraderMachine machine;
  ASSERT_TRUE(make_private_folder(machine.home() / ".config/svc").has_value());
  const std::string aliases = "[aliases]\nout = \"orders cancel-all\"\n";
  machine.write(".config/svc/config.toml", aliases + "[defaults]\noutput = 7 7\n");
  const RunResult ran = machine.run("-n local out");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "what can be read of the file holds"));
  std::filesystem::permissions(machine.home() / ".config/svc/config.toml", std::filesystem::perms(0644));
  const RunResult loose = machine.run("-n local out");
  EXPECT_EQ(loose.exit, 2);
  EXPECT_TRUE(has(loose.err, "the aliases cannot be read: "));
  machine.write(".config/svc/config.toml", "");
  EXPECT_EQ(machine.run("-n local out").exit, 2);
  const std::string named = machine.write("named.toml", aliases).string();
  EXPECT_EQ(machine.run("-n local out --config " + named).exit, 0);
}

TEST(StandardInput, ThatCannotBeReadIsNoEmptyInput) {
  const int before = ::dup(STDIN_FILENO);
  const int folder = ::open("/", O_RDONLY | O_DIRECTORY);
  ::dup2(folder, STDIN_FILENO);
  const auto read = process_environment().read_input(100);
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(folder);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error(), "Is a directory");
}

}  // namespace SVC_FILE
}  // namespace svc::cli
