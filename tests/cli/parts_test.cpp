// Small parts: spelling, dates, the configuration's grammar, nonces, redaction.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <thread>

#include "cli/arguments/spelling.h"
#include "cli/client/client_id.h"
#include "cli/client/redaction.h"
#include "cli/client/server_facts.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "cli/store/config.h"
#include "cli/store/nonce_file.h"
#include "cli/store/session.h"
#include "cli/store/toml.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(Spelling, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("orders", "orders"), 0u);
  EXPECT_EQ(edit_distance("ordres", "orders"), 1u);
  EXPECT_EQ(edit_distance("order", "orders"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Spelling, SuggestsNothingForADifferentWord) {
  constexpr std::array<std::string_view, 3> words{"buy", "sell", "orders"};
  EXPECT_EQ(nearest("byu", words), "buy");
  EXPECT_EQ(nearest("odrers", words), "orders");
  EXPECT_EQ(nearest("xyz", words), std::nullopt);
  EXPECT_EQ(nearest("", words), std::nullopt);
}

TEST(HttpDate, IsParsedStrictly) {
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784'111'777'000);
  EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 23:59:59 GMT"), 1'709'251'199'000);
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 CET"), std::nullopt);
  EXPECT_EQ(parse_http_date("Tue, 31 Feb 2026 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date("Sun, 06 Foo 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date("Sun, -6 Nov 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date(""), std::nullopt);
}

TEST(Toml, ReadsSupportedValuesAndNamesTheLineOfOthers) {
  const auto entries =
      parse_toml("version = 1 # one\n\n[networks.local]\nrest = \"http://x/#\\\"\\\\\" # there\nfaucet = true\n");
  ASSERT_TRUE(entries.has_value());
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[1].section, "networks.local");
  EXPECT_EQ((*entries)[1].value, "http://x/#\"\\");
  EXPECT_EQ((*entries)[1].line, 4u);
  for (const std::string_view bad :
       {"a = 'x", "a = \"x", "a = \"x\" y", "= 1", "a", "[a", "[a]b", "a = [[1]]", "a = [{b = 1}]"}) {
    const auto refused = parse_toml("\n" + std::string(bad));
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_TRUE(refused.error().starts_with("line 2: ")) << refused.error();
  }
}

TEST(Toml, ReplacesASectionInPlaceAndKeepsTheRest) {
  const std::string before =
      "# top\nversion = 1\n\n[networks.a]\n# about a\nrest = \"1\"\n\n[defaults]\noutput = \"csv\"\n";
  EXPECT_EQ(replace_section(before, "networks.a", {{"rest", "2"}}),
            "# top\nversion = 1\n\n[networks.a]\nrest = \"2\"\n# about a\n\n[defaults]\noutput = \"csv\"\n");
  EXPECT_EQ(replace_section(before, "networks.a", {}),
            "# top\nversion = 1\n\n# about a\n\n[defaults]\noutput = \"csv\"\n");
  EXPECT_EQ(replace_section(before, "networks.b", {{"rest", "\"3\\"}}),
            before + "\n[networks.b]\nrest = \"\\\"3\\\\\"\n");
  EXPECT_EQ(replace_section("", "x", {{"k", "v"}}), "[x]\nk = \"v\"\n");
}

TEST(Json, RefusesInvalidDocuments) {
  EXPECT_FALSE(parse_json("").has_value());
  EXPECT_FALSE(parse_json("{\"a\":1}x").has_value());
  EXPECT_FALSE(parse_json("[1,]").has_value());
  EXPECT_FALSE(parse_json("\"\xff\"").has_value());
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')).has_value());
  EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')).has_value());
}

TEST(Json, QuotesEveryByte) {
  EXPECT_EQ(quoted_json("a\"\\\n\t\x01\x7f"), R"("a\"\\\n\t\u0001\u007f")");
  EXPECT_EQ(quoted_json("é🐎"), "\"é🐎\"");
  EXPECT_EQ(quoted_json("\xff\xc0\xaf\xed\xa0\x80"),
            "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Redaction, ReachesSecretsAtAnyDepth) {
  EXPECT_EQ(
      shown_body(R"({"a":[{"secret":"abc","key":"k"}],"token":"t","signature":1})", Mask::size),
      R"json({"a":[{"secret":"(redacted, 3 characters)","key":"k"}],"token":"(redacted, 1 characters)","signature":1})json");
  EXPECT_EQ(shown_body("secret=abc", Mask::size), "(10 bytes that are not JSON)");
  EXPECT_EQ(shown_header("x-signature", "abc", Mask::size), "(redacted, 3 characters)");
  EXPECT_EQ(shown_header("authorization", "Bearer x", Mask::placeholder), "Bearer $SVC_TOKEN");
  EXPECT_EQ(shown_header("x-timestamp", "1", Mask::size), "1");
  EXPECT_EQ(shown_header("x-timestamp", "1", Mask::placeholder), "$SVC_TIMESTAMP");
  EXPECT_EQ(shown_header("X-API-Key", "k", Mask::placeholder), "$SVC_API_KEY");
  EXPECT_EQ(shown_header("x-action-signature", "s", Mask::placeholder), "$SVC_ACTION_SIGNATURE");
  EXPECT_EQ(shown_header("X-Admin-Secret", "abc", Mask::size), "(redacted, 3 characters)");
  EXPECT_EQ(shown_body(R"({"Signature":"abc","admin_secret":"d"})", Mask::placeholder),
            R"({"Signature":"$SVC_SIGNATURE","admin_secret":"$SVC_ADMIN_SECRET"})");
}

TEST(Redaction, ReachesSecretsInTheQuery) {
  EXPECT_EQ(shown_target("/ws?token=abc&x=1", Mask::size), "/ws?token=(redacted, 3 characters)&x=1");
  EXPECT_EQ(shown_target("/ws?x=1&%74oken=a%20b&Token=c&token=", Mask::placeholder),
            "/ws?x=1&%74oken=$SVC_TOKEN&Token=$SVC_TOKEN&token=");
  for (const std::string plain : {"/orders?market_id=ETH-USDX-PERP&&cursor=a=b&", "/orders", "/orders?", "?token"})
    EXPECT_EQ(shown_target(plain, Mask::size), plain);
  EXPECT_EQ(shown_target("/ws?tok%6en%=abc&x%zz=&x=1", Mask::placeholder), "/ws?tok%6en%=$SVC_SECRET&x%zz=&x=1")
      << "a name with a broken escape may be that of a secret";
  EXPECT_TRUE(has_secret("/ws?token=abc"));
  EXPECT_FALSE(has_secret("/ws?tokens=abc"));
  EXPECT_EQ(curl_command({.method = "GET", .target = "/ws?token=abc", .headers = {}, .body = {}}, "http://h"),
            "curl -sS -X GET 'http://h/ws?token='\"$SVC_TOKEN\"''");
  EXPECT_EQ(shown_body(R"({"password":"a","mnemonic":"b c","api_secret":"d","passphrase":"e"})", Mask::placeholder),
            R"({"password":"$SVC_PASSWORD","mnemonic":"$SVC_MNEMONIC","api_secret":"$SVC_API_SECRET",)"
            R"("passphrase":"$SVC_PASSPHRASE"})");
}

TEST(Redaction, CurlCommandsAreQuotedForTheShell) {
  const api::HttpRequest request{
      .method = "POST", .target = "/a'b?c=$d", .headers = {{"X-Signature", "s"}}, .body = R"({"t":"it's $HOME"})"};
  const std::string expected =
      "curl -sS -X POST 'http://h/a'\\''b?c=$d' -H 'X-Signature: '\"$SVC_SIGNATURE\"'' --data-binary "
      "'{\"t\":\"it'\\''s $HOME\"}'";
  EXPECT_EQ(curl_command(request, "http://h"), expected);
  EXPECT_EQ(
      curl_command({.method = "GET", .target = "/", .headers = {{"$SVC_MINE", "$SVC_TOKEN"}}, .body = {}}, "http://h"),
      "curl -sS -X GET 'http://h/' -H '$SVC_MINE: $SVC_TOKEN'")
      << "the user's own text is no placeholder";
  EXPECT_EQ(curl_command({.method = "HEAD", .target = "/", .headers = {}, .body = {}}, "http://h"),
            "curl -sS -I 'http://h/'");
  EXPECT_EQ(curl_command({.method = "A&`id`", .target = "/", .headers = {}, .body = {}}, "http://h"),
            "curl -sS -X 'A&`id`' 'http://h/'");
}

TEST(Redaction, CurlCommandsExpandNothingOfTheUsersOwn) {
  const api::HttpRequest request{.method = "POST",
                                 .target = "/a?b=$SVC_API_KEY",
                                 .headers = {{"X-Signature", "s"}, {"X-Note", "$SVC_TOKEN"}},
                                 .body = R"({"label":"$SVC_ADMIN_SECRET \u0024SVC_TOKEN","token":"t"})"};
  EXPECT_EQ(curl_command(request, "http://h"),
            "curl -sS -X POST 'http://h/a?b=$SVC_API_KEY' -H 'X-Signature: '\"$SVC_SIGNATURE\"'' -H 'X-Note: "
            "$SVC_TOKEN' --data-binary '{\"label\":\"$SVC_ADMIN_SECRET "
            "$SVC_TOKEN\",\"token\":\"'\"$SVC_TOKEN\"'\"}'");
}

TEST(ClientId, SortsByTimeAndNeverRepeats) {
  ManualClock clock(machine_start_ms);
  Prng chance(1);
  Environment environment;
  environment.clock = &clock;
  environment.random = [&](std::span<std::uint8_t> bytes) {
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(chance.next());
  };
  std::set<std::string> seen;
  std::string last;
  for (int i = 0; i < 100; ++i) {
    const std::string id = make_client_id(environment);
    EXPECT_EQ(id.size(), 30u);
    EXPECT_EQ(client_id_made_ms(id), clock.now_ms());
    EXPECT_TRUE(seen.insert(id).second);
    EXPECT_LT(last.substr(0, 14), id.substr(0, 14));
    last = id;
    clock.advance(1);
  }
  EXPECT_EQ(client_id_made_ms("mine"), std::nullopt);
  EXPECT_EQ(client_id_made_ms("svc-" + std::string(26, 'U')), std::nullopt) << "no digit of that base";
}

TEST(Nonces, AreStrictlyIncreasingAcrossProcesses) {
  ClientMachine machine;
  Paths paths;
  paths.state = machine.state();
  const Address signer{};
  std::array<std::vector<std::uint64_t>, 4> taken;
  std::vector<std::jthread> takers;
  for (auto& mine : taken) {
    takers.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto nonce = take_nonce(paths, "local", signer, machine_start_ms);
        ASSERT_TRUE(nonce.has_value());
        mine.push_back(*nonce);
      }
    });
  }
  takers.clear();
  std::set<std::uint64_t> all;
  for (const auto& mine : taken) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(all.size(), 100u);
  EXPECT_EQ(*all.begin(), static_cast<std::uint64_t>(machine_start_ms));
  EXPECT_EQ(*all.rbegin(), static_cast<std::uint64_t>(machine_start_ms) + 99);
  EXPECT_EQ(*take_nonce(paths, "local", signer, machine_start_ms + 5'000),
            static_cast<std::uint64_t>(machine_start_ms) + 5'000);
  EXPECT_EQ(*take_nonce(paths, "testnet", signer, 7), 7u) << "each network counts for itself";
}

TEST(Nonces, AreOverwrittenInPlaceOnceTheSignerIsKnown) {
  ClientMachine machine;
  Paths paths;
  paths.state = machine.state();
  const auto file = paths.nonces("local");
  const auto inode = [&] {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return status.st_ino;
  };
  const auto take = [&](const Address& signer) { return take_nonce(paths, "local", signer, machine_start_ms).value(); };
  const std::uint64_t first = take(Address{});
  const auto made = inode();
  EXPECT_EQ(take(Address{}), first + 1);
  EXPECT_EQ(inode(), made) << "the same file";
  Address other;
  other.bytes[0] = 1;
  (void)take(other);
  EXPECT_NE(inode(), made) << "a signer more is another length: replaced whole";
  EXPECT_EQ(take(Address{}), first + 2);
  EXPECT_EQ(*peek_nonce(paths, "local", other, machine_start_ms), first + 1);
}

TEST(Nonces, OneThatIsWrittenInPartIsNotBelowTheFormerOne) {
  ClientMachine machine;
  Paths paths;
  paths.state = machine.state();
  const auto text = [&] { return read_private(paths.nonces("local")).value().value(); };
  const std::uint64_t former = take_nonce(paths, "local", Address{}, 1'700'000'000'899).value();
  const std::string before = text();
  (void)take_nonce(paths, "local", Address{}, 1'700'000'001'000);
  const std::string after = text();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t cut = 0; cut <= after.size(); ++cut) {
    machine.write(".local/state/svc/nonces/local", after.substr(0, cut) + before.substr(cut));
    EXPECT_GT(peek_nonce(paths, "local", Address{}, 0).value(), former) << cut;
  }
}

TEST(Nonces, ADamagedFileIsAFailure) {
  ClientMachine machine;
  Paths paths;
  paths.state = machine.state();
  ASSERT_TRUE(take_nonce(paths, "local", Address{}, 1).has_value());
  machine.write(".local/state/svc/nonces/local", "{");
  EXPECT_FALSE(take_nonce(paths, "local", Address{}, 2).has_value());
}

Paths paths_of(const ClientMachine& machine) {
  return {.config = machine.home() / "config/svc",
          .data = machine.data(),
          .state = machine.state(),
          .cache = machine.home() / "cache/svc",
          .runtime = machine.state() / "run"};
}

constexpr int writers = 4, writes = 12;

// Each thread writes under its own names.
void all_at_once(const std::function<void(int writer, int count)>& write) {
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (int count = 0; count < writes; ++count) write(writer, count);
    });
  }
  for (std::thread& one : threads) one.join();
}

TEST(StateFiles, ConcurrentChangesAreNeverLost) {
  const ClientMachine machine;
  const Paths paths = paths_of(machine);
  all_at_once([&](int writer, int count) {
    const std::string name = "w" + std::to_string(writer) + "-" + std::to_string(count);
    EXPECT_TRUE(store_profile(paths, name, {{{"network", "local"}}}).has_value());
    NetworkConfig said;
    if (writer % 2 == 0) said.rest = {"http://h:1/v1"};
    if (writer % 2 == 1) said.funds = "play";
    EXPECT_TRUE(store_network(paths, name, said).has_value());
    EXPECT_TRUE(store_network(paths, "shared", said).has_value());
    EXPECT_TRUE(store_entry(paths, "aliases", name, "orders list").has_value());
    EXPECT_TRUE(change_sessions(paths, "local", 0, [&](Sessions& sessions) {
                  Address account{};
                  account.bytes.back() = static_cast<std::uint8_t>(writer * writes + count);
                  sessions.enter({.account = account, .wallet = name, .expires_at_ms = 1, .token = {}});
                }).has_value());
  });
  const auto config = load_config(paths);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->profiles.size(), std::size_t{writers * writes});
  EXPECT_EQ(config->aliases.size(), std::size_t{writers * writes});
  EXPECT_EQ(config->networks.size(), std::size_t{writers * writes + 1});
  EXPECT_EQ(config->networks.at("shared").entries().size(), 2u) << "each said one half of it";
  const auto sessions = load_sessions(paths, "local", 0);
  ASSERT_TRUE(sessions.has_value());
  EXPECT_EQ(sessions->all.size(), std::size_t{writers * writes});
}

}  // namespace SVC_FILE
}  // namespace svc::cli
