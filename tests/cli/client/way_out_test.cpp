// What stops an order must not stop a cancel: a process that hangs, a full disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "cli/client/connection.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "sim/gateway/http_server_loop.h"

namespace svc::cli {
namespace SVC_FILE {

std::filesystem::path lane_of(const ClientMachine& machine) {
  for (const auto& file : std::filesystem::directory_iterator(machine.state() / "nonces"))
    if (file.path().extension() == ".lane") return file.path();
  return {};
}

// Folders in place of the files there: not even root can write them.
void lock_out(const ClientMachine& machine, const char* folder) {
  for (const auto& file : std::filesystem::directory_iterator(machine.state() / folder)) {
    std::filesystem::remove(file.path());
    std::filesystem::create_directory(file.path());
    std::filesystem::permissions(file.path(), std::filesystem::perms::owner_all);
  }
}

// With a signed action.
RunResult run_signed(ClientMachine& machine, const std::string& line) {
  return machine.run("-n local " + line + machine.with_password);
}

TEST(WayOut, ACancelDoesNotWaitForAnotherProcessAndAnOrderWaitsForALimitedTime) {
  TraderMachine machine;
  ASSERT_EQ(run_signed(machine, "buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  ASSERT_FALSE(lane_of(machine).empty());
  const auto held = FileLock::take(lane_of(machine));
  ASSERT_TRUE(held.has_value());

  machine.slept_ms = 0;
  const RunResult order = run_signed(machine, "buy 0.1 BTC-USDX-PERP @ 59001");
  EXPECT_EQ(order.exit, 10) << order.err;
  EXPECT_TRUE(has(order.err, "wallet_busy"));
  EXPECT_TRUE(has(order.err, "waiting for another svc"));
  EXPECT_LE(machine.slept_ms, 31 * second_ms);

  machine.slept_ms = 0;
  const RunResult cancel = run_signed(machine, "orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "without a signed action: another svc"));
  EXPECT_LT(machine.slept_ms, second_ms);
  EXPECT_EQ(machine.open_orders(), 0u);
}

TEST(WayOut, AFullDiskStopsOrdersButNoCancel) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  machine.sent.clear();
  lock_out(machine, "journal/local");
  const RunResult order = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59001");
  EXPECT_NE(order.exit, 0);
  EXPECT_TRUE(has(order.err, "nothing was sent"));
  lock_out(machine, "buckets");
  EXPECT_NE(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59001").exit, 0);
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET");
  const RunResult cancel = machine.run("-n local orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "sent all the same"));
  const RunResult list = machine.run("-n local --json orders list");
  EXPECT_EQ(list.exit, 0) << list.err;
  EXPECT_TRUE(list.rows().empty());
}

TEST(WayOut, AMissingPasswordStopsOrdersButNoCancel) {
  TraderMachine machine;
  std::filesystem::permissions(machine.write("loose", "a password"), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  machine.write("wrong", "another password");
  for (const std::string file : {"missing", "loose", "wrong"}) {
    const std::string with = " --password-file " + (machine.home() / file).string();
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
    EXPECT_NE(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000" + with).exit, 0) << file;
    const RunResult cancel = machine.run("-n local orders cancel-all" + with);
    EXPECT_EQ(cancel.exit, 0) << file << cancel.err;
    EXPECT_TRUE(has(cancel.err, "sent without a signed action: "));
    EXPECT_EQ(machine.open_orders(), 0u);
    EXPECT_EQ(machine.run("-n local flatten" + with).exit, 0) << file;
    EXPECT_NE(machine.run("-n local orders cancel-all --action sign" + with).exit, 0) << "a signature was demanded";
  }
}

// Its agent has an order in the book.
struct AgentMachine : TraderMachine {
  AgentMachine() {
    EXPECT_EQ(run_signed(*this, "agents new bot").exit, 0);
    EXPECT_EQ(run_signed(*this, "--signer alice agents register bot --expires 7d").exit, 0);
    EXPECT_EQ(run_signed(*this, "--auth agent buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  }
};

TEST(WayOut, UsesTheAccountsApiKeyIfTheAgentCannotSign) {
  AgentMachine machine;
  machine.write("wrong", "another password");
  const std::string wrong = " --password-file " + (machine.home() / "wrong").string();
  EXPECT_EQ(machine.run("-n local --auth agent buy 0.1 BTC-USDX-PERP @ 59000" + wrong).exit, 4);
  const RunResult cancel = machine.run("-n local --auth agent orders cancel-all" + wrong);
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "signed with an API key of the account"));
  EXPECT_EQ(machine.open_orders(), 0u);
}

TEST(WayOut, NoncesThatCannotBeWrittenStopAnAgentsOrdersButNoneOfItsCancels) {
  AgentMachine machine;
  lock_out(machine, "nonces");
  machine.sent.clear();
  EXPECT_EQ(run_signed(machine, "--auth agent buy 0.1 BTC-USDX-PERP @ 59001").exit, 1);
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET");
  const RunResult cancel = run_signed(machine, "--auth agent orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "a nonce that is not written down"));
  const auto sent = std::ranges::find(machine.sent, "DELETE", &api::HttpRequest::method);
  ASSERT_NE(sent, machine.sent.end());
  EXPECT_TRUE(sent->headers.find("x-agent").has_value());
  EXPECT_EQ(machine.open_orders(), 0u);
  EXPECT_EQ(run_signed(machine, "--auth agent flatten").exit, 0);
}

TEST(WayOut, AnAgentsCancelDoesNotWaitForAnotherProcessOfTheAgent) {
  AgentMachine machine;
  for (const std::string price : {"59001", "59002"})
    ASSERT_EQ(run_signed(machine, "--auth agent buy 0.1 BTC-USDX-PERP @ " + price).exit, 0);
  std::vector<FileLock> held;
  for (const auto& file : std::filesystem::directory_iterator(machine.state() / "nonces")) {
    if (file.path().extension() != ".lane") continue;
    auto lane = FileLock::take(file.path());
    ASSERT_TRUE(lane.has_value());
    held.push_back(std::move(*lane));
  }
  ASSERT_FALSE(held.empty());
  machine.slept_ms = 0;
  const RunResult cancel = run_signed(machine, "--auth agent orders cancel-all --side buy");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "another svc is sending with wallet"));
  EXPECT_FALSE(has(cancel.err, "a nonce that is not written down"));
  EXPECT_LT(machine.slept_ms, second_ms) << "once for all three";
  EXPECT_EQ(machine.open_orders(), 0u);
}

TEST(WayOut, ReportsErrorsInFilesAndFlags) {
  TraderMachine machine;
  const auto config = machine.home() / ".config/svc";
  std::filesystem::create_directories(config);
  std::filesystem::permissions(config, std::filesystem::perms::owner_all);
  const struct {
    std::string name;
    std::function<void()> breaks;
    std::string flags;
    int order_exit;
    std::string told;
  } rows[] = {
      {"a setting", [&] { machine.write(".config/svc/config.toml", "[defaults]\ntz = \"Mars\"\n"); }, "", 0,
       "line 2: tz"},
      {"no TOML", [&] { machine.write(".config/svc/config.toml", "[defaults]\ntz = = 1\n"); }, "", 2, "line 2"},
      {"an unknown column", [&] { machine.write(".config/svc/config.toml", ""); }, " --fields zork", 2, "zork"},
      {"a filter", [] {}, " --jq .[", 2, "shown without that"},
      {"a record that cannot be kept", [] {}, " --record /nowhere/file", 10, "sent all the same"},
      {"a record that is no file", [] {}, " --record -", 2, "sent all the same"},
      {"a loose session",
       [&] {
         std::filesystem::permissions(machine.state() / "sessions/local.json", std::filesystem::perms::group_read,
                                      std::filesystem::perm_options::add);
       },
       "", 14, "used all the same"},
  };
  for (const auto& row : rows) {
    machine.variables.erase("SVC_TZ");
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0) << row.name;
    row.breaks();
    EXPECT_EQ(machine.run("-n local --allow-duplicate buy 0.1 BTC-USDX-PERP @ 58000" + row.flags).exit, row.order_exit)
        << row.name;
    const RunResult cancel = machine.run("-n local orders cancel-all" + row.flags);
    EXPECT_EQ(cancel.exit, 0) << row.name << cancel.err;
    EXPECT_TRUE(has(cancel.err, row.told)) << row.name << cancel.err;
    EXPECT_EQ(machine.run("-n local flatten" + row.flags).exit, 0) << row.name;
    machine.write(".config/svc/config.toml", "");
  }
}

TEST(WayOut, APipeInPlaceOfAFileDoesNotBlock) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  const auto config = machine.home() / ".config/svc";
  std::filesystem::create_directories(config);
  std::filesystem::permissions(config, std::filesystem::perms::owner_all);
  std::vector<std::filesystem::path> files{config / "config.toml"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(machine.home())) {
    if (entry.path().filename() == "metadata.json") files.push_back(entry.path());
  }
  EXPECT_EQ(files.size(), 2u);
  for (const auto& file : files) {
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    const RunResult cancel = machine.run("-n local orders cancel-all");
    EXPECT_EQ(cancel.exit, 0) << file << cancel.err;
    EXPECT_EQ(machine.run("-n local flatten").exit, 0) << file;
    std::filesystem::remove(file);
  }
}

TEST(WayOut, APipeInPlaceOfTheLogDoesNotBlock) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  for (const auto& entry : std::filesystem::directory_iterator(machine.state() / "journal/local")) {
    if (!entry.path().filename().string().starts_with("log-")) continue;
    std::filesystem::remove(entry.path());
    ASSERT_EQ(::mkfifo(entry.path().c_str(), 0600), 0);
  }
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59001").exit, 1);
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
}

TEST(WayOut, ARecordThatNobodyReadsHoldsUpNothing) {
  TraderMachine machine;
  const std::string pipe = (machine.home() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  const RunResult order = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59001 --record " + pipe);
  EXPECT_EQ(order.exit, 10) << order.err;
  const RunResult cancel = machine.run("-n local orders cancel-all --record " + pipe);
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "nobody reads it; sent all the same"));
  // A reader that stands still.
  const Descriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK)), writer(::open(pipe.c_str(), O_WRONLY));
  ASSERT_TRUE(writer);
  ::fcntl(writer.get(), F_SETFL, O_NONBLOCK);
  const std::string filling(4'096, 'x');
  while (::write(writer.get(), filling.data(), filling.size()) > 0) continue;
  for (const std::string line : {"buy 0.1 BTC-USDX-PERP @ 59002", "orders cancel-all"}) {
    const RunResult unread = machine.run("-n local " + line + " --record " + pipe);
    EXPECT_EQ(unread.exit, 0) << unread.err;
    EXPECT_TRUE(has(unread.err, "did not take a request"));
  }
  EXPECT_EQ(machine.open_orders(), 0u);
  // One that goes on later gets no half record.
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  std::string read(4'096, '\0');
  const auto drain = [&] {
    while (::read(reader.get(), read.data(), read.size()) > 0) continue;
  };
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "DELETE") drain();
    return std::nullopt;
  };
  EXPECT_EQ(machine.run("-n local orders cancel-all --side buy --record " + pipe).exit, 0);
  EXPECT_LT(::read(reader.get(), read.data(), read.size()), 0) << read;
}

TEST(WayOut, AnActionThatIsRefusedIsLeftOut) {
  TraderMachine machine;
  ASSERT_EQ(run_signed(machine, "buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (!request.headers.contains("X-Action-Signature")) return std::nullopt;
    return answered(401, R"({"error":"Unauthorized"})");
  };
  EXPECT_EQ(run_signed(machine, "buy 0.1 BTC-USDX-PERP @ 59001").exit, 4);
  EXPECT_EQ(run_signed(machine, "orders cancel-all --action sign").exit, 4);
  const RunResult cancel = run_signed(machine, "orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "without a signed action: the service refused it"));
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(WayOut, AnOldTimeFromACacheDoesNotStopACancel) {
  for (const bool tells_its_age : {true, false}) {
    TraderMachine machine;
    std::filesystem::remove_all(machine.home() / ".cache");
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!request.target.ends_with("/metadata")) return std::nullopt;
      EXPECT_EQ(request.headers.find("Cache-Control"), "no-cache");
      api::HttpResponse kept = machine.sandbox.handle(request);
      kept.headers.set("Date", sim::http_date(machine.sandbox.clock().now_ms() - 120 * second_ms));
      if (tells_its_age) kept.headers.set("Age", "120");
      return Intercepted(std::move(kept));
    };
    EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
    EXPECT_EQ(std::ranges::count_if(machine.sent, to("DELETE")), tells_its_age ? 1 : 2) << "the refusal tells the time";
  }
}

TEST(WayOut, AWrongTimeOfAnIntermediaryDoesNotStopACancel) {
  TraderMachine machine;
  std::filesystem::remove_all(machine.home() / ".cache");
  machine.server_ahead_ms = 40 * second_ms;  // in each Date, and nowhere else
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
}

TEST(WayOut, ACancelWaitsForNoListAndNoMetadataThatHangs) {
  TraderMachine machine;
  machine.timeout_ms = 0;
  bool is_refused = false;
  const auto hangs = [&] {
    machine.clock.advance(machine.timeout_ms);
    machine.slept_ms += machine.timeout_ms;
    return unanswered(api::Delivery::unknown, "no answer in time");
  };
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "GET" && request.path() == "/orders") return hangs();
    if (is_refused && request.target.ends_with("/metadata")) return hangs();
    if (request.method == "DELETE" && !std::exchange(is_refused, true)) return answered(401, "{}");
    return std::nullopt;
  };
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id one").exit, 0);
  machine.slept_ms = 0;
  machine.run("-n local orders cancel-all");
  EXPECT_LE(machine.slept_ms, 6 * second_ms);
  is_refused = true;
  machine.slept_ms = 0;
  machine.sent.clear();
  machine.run("-n local orders cancel 00000000-0000-0000-0000-000000000001");
  EXPECT_TRUE(std::ranges::any_of(machine.sent, to("DELETE")));
  EXPECT_LE(machine.slept_ms, 6 * second_ms);
}

TEST(WayOut, FlattenWaitsForAReadThatHangsOnceAndNotForEachRepeat) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  for (const bool everything : {false, true}) {
    machine.intercept = [&, everything](const api::HttpRequest& request) -> Intercepted {
      if (request.method != "GET" || (!everything && request.path() != "/positions")) return std::nullopt;
      machine.clock.advance(machine.timeout_ms);
      return unanswered(api::Delivery::unknown, "no answer in time");
    };
    machine.sent.clear();
    const std::int64_t began_ms = machine.clock.now_ms();
    EXPECT_EQ(machine.run("-n local flatten").exit, 15);
    EXPECT_LE(machine.clock.now_ms() - began_ms, read_patience_way_out_ms + 2 * identity_patience_way_out_ms);
    EXPECT_EQ(std::ranges::count(machine.sent, "DELETE", &api::HttpRequest::method), 1);
    machine.clock.advance(hour_ms);
  }
  // One that fails at once is repeated as before.
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    const bool fails = request.path() == "/positions" && std::ranges::count_if(machine.sent, [](const auto& one) {
                                                           return one.path() == "/positions";
                                                         }) <= limits::read_retries_default;
    return fails ? unanswered(api::Delivery::unknown) : std::nullopt;
  };
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n local flatten").exit, 0);
}

TEST(WayOut, ARateLimitedReadIsRepeatedNoLongerThanOneThatHangs) {
  TraderMachine machine;
  machine.intercept = when(to("", "/positions"),
                           answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", {{"Retry-After", "1"}}));
  machine.slept_ms = 0;
  EXPECT_EQ(machine.run("-n local flatten").exit, 15);
  EXPECT_LE(machine.slept_ms, 31 * second_ms);
  EXPECT_GE(machine.slept_ms, 25 * second_ms);
}

TEST(WayOut, ARateLimitedReadIsRepeatedWhenTheServiceSaidAlsoIfThatIsLater) {
  TraderMachine machine;
  const TimestampMs free_at_ms = machine.clock.now_ms() + 45 * second_ms;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/positions" || machine.clock.now_ms() >= free_at_ms) return std::nullopt;
    return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", {{"Retry-After", "45"}});
  };
  const RunResult ran = machine.run("-n local flatten");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
}

TEST(WayOut, ADamagedSessionFileDoesNotStopANamedWalletWithItsPassword) {
  for (const std::string text : {"garbage", "", R"({"version":9,"sessions":[]})"}) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
    machine.write(".local/state/svc/sessions/local.json", text);
    EXPECT_EQ(machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP @ 59001" + machine.with_password).exit, 4)
        << text;
    EXPECT_EQ(machine.run("-n local orders cancel-all" + machine.with_password).exit, 4) << "nobody is named";
    for (const std::string whose : {"--signer alice", "-a alice"}) {
      const RunResult left = machine.run("-n local " + whose + " flatten" + machine.with_password);
      EXPECT_EQ(left.exit, 0) << text << left.err;
      EXPECT_TRUE(has(left.err, "is damaged or of another version"));
    }
    std::filesystem::remove(machine.state() / "sessions/local.json");
    EXPECT_EQ(machine.run("-n local --signer alice orders cancel-all" + machine.with_password).exit, 0)
        << "nor one that is not there";
  }
}

TEST(WayOut, AfterALogoutANameAloneOpensNoApiKey) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  ASSERT_EQ(machine.run("-n local keystore unlock alice" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local logout").exit, 0);
  const std::string wrong = " --password-file " + machine.write("wrong", "not this one\n").string();
  for (const std::string auth : {"", " --auth hmac"}) {
    for (const std::string whose : {"--signer alice", "-a alice"}) {
      const std::string line = "-n local " + whose + auth + " orders cancel-all";
      EXPECT_EQ(machine.run(line).exit, 4) << line << ": unlocked is not proven";
      EXPECT_NE(machine.run(line + wrong).exit, 0) << line;
    }
    EXPECT_EQ(machine.run("-n local" + auth + " orders cancel-all" + machine.with_password).exit, 4)
        << "nobody is named";
  }
  EXPECT_EQ(machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP @ 59001" + machine.with_password).exit, 4);
  const RunResult left = machine.run("-n local --signer alice --json orders cancel-all" + machine.with_password);
  EXPECT_EQ(left.exit, 0) << left.err;
  EXPECT_TRUE(has(left.out, "svc-")) << "it was there until now: " << left.out;
}

TEST(WayOut, ASettingWithAnUnknownNameIsReportedAndNoAccountIsGuessed) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("config set signer zork").exit, 2);
  machine.variables["SVC_SIGNER"] = "zork";
  const RunResult guess = machine.run("-n local orders cancel-all");
  EXPECT_EQ(guess.exit, 5);
  EXPECT_TRUE(has(guess.err, "(signer is set by SVC_SIGNER)"));
  EXPECT_EQ(machine.run("-n local --signer alice orders cancel-all").exit, 0);
  machine.variables.erase("SVC_SIGNER");
  machine.variables["SVC_PROFILE"] = "zork";
  const RunResult profile = machine.run("-n local orders cancel-all");
  EXPECT_EQ(profile.exit, 2);
  EXPECT_TRUE(has(profile.err, "(SVC_PROFILE)"));
  const RunResult certain = machine.run("-n local --signer alice orders cancel-all");
  EXPECT_EQ(certain.exit, 0) << certain.err;
  EXPECT_TRUE(has(certain.err, "(SVC_PROFILE); passed over"));
  machine.variables.erase("SVC_PROFILE");
  machine.variables["SVC_CONFIG"] = "/nope";
  const RunResult config = machine.run("-n local orders cancel-all");
  EXPECT_EQ(config.exit, 0);
  EXPECT_TRUE(has(config.err, "SVC_CONFIG: there is no file /nope; no configuration is used"));
}

// From then on bob is the current wallet, not alice.
void log_in_bob(ClientMachine& machine) {
  const std::string& with = machine.with_password;
  EXPECT_EQ(machine.run("-n local keystore new bob --kdf scrypt:4096" + with).exit, 0);
  EXPECT_EQ(machine.run("-n local login --wallet bob" + with).exit, 0);
}

TEST(WayOut, ATypedAccountCountsForMoreThanASignerOrVersionThatASettingNames) {
  TraderMachine machine;
  log_in_bob(machine);
  for (const char* signer : {"gone", "http://127.0.0.1:1", "bob"}) {
    machine.variables["SVC_SIGNER"] = signer;
    EXPECT_EQ(machine.run("-n local -a alice orders cancel-all").exit, 0) << signer;
    EXPECT_EQ(machine.run("-n local -a alice flatten").exit, 0) << signer;
  }
  machine.variables.erase("SVC_SIGNER");
  machine.variables["SVC_API_VERSION"] = "0.0.1";
  EXPECT_EQ(machine.run("-n local -a alice orders list").exit, 16);
  EXPECT_EQ(machine.run("-n local -a alice orders cancel-all").exit, 0);
  EXPECT_EQ(machine.run("-n local --api-version 0.0.1 -a alice orders cancel-all").exit, 16) << "it was asked for";
}

TEST(WayOut, TheOwnWalletOfATypedAccountActsWithItsPasswordThoughAnotherIsLoggedIn) {
  TraderMachine machine;
  log_in_bob(machine);
  ASSERT_EQ(machine.run("-n local --signer bob keys create").exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice logout").exit, 0);
  EXPECT_EQ(machine.run("-n local -a alice buy 0.1 BTC-USDX-PERP @ 59000" + machine.with_password).exit, 4);
  EXPECT_EQ(machine.run("-n local -a alice orders cancel-all" + machine.with_password).exit, 0);
}

TEST(WayOut, ALockedSessionIsNotCalledExpired) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local keystore lock").exit, 0);
  const RunResult cancel = machine.run("-n local orders cancel-all");
  EXPECT_EQ(cancel.exit, 4);
  EXPECT_TRUE(has(cancel.err, "was locked"));
  EXPECT_FALSE(has(cancel.err, "has expired"));
}

TEST(WayOut, TheDoctorRunsWhateverIsWrong) {
  TraderMachine machine;
  const auto config = machine.home() / ".config/svc";
  std::filesystem::create_directories(config);
  std::filesystem::permissions(config, std::filesystem::perms::owner_all);
  const auto file = machine.write(".config/svc/config.toml", "[defaults]\n[defaults]\n");
  const RunResult doubled = machine.run("-n local doctor");
  EXPECT_TRUE(has(doubled.out, "configuration\tfail")) << doubled.out << doubled.err;
  machine.write(".config/svc/config.toml", "[defaults]\ntz = \"Mars\"\n");
  EXPECT_TRUE(has(machine.run("-n local doctor").out, "line 2: tz"));
  machine.write(".config/svc/config.toml", "[defaults]\n");
  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_TRUE(has(machine.run("-n local doctor").out, "configuration"));
  machine.write(".local/state/svc/sessions/local.json", "{");
  EXPECT_TRUE(has(machine.run("-n local doctor").out, "session\tfail"));
}

TEST(WayOut, ADamagedKeyFileDoesNotAffectTheOthers) {
  TraderMachine machine;
  machine.write(".local/share/svc/keys/local/api/other.json", "{");
  const RunResult cancel = machine.run("-n local orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_TRUE(has(cancel.err, "is damaged"));
}

TEST(WayOut, AKeyWhoseSecretIsUnusableDoesNotAffectTheOthers) {
  TraderMachine machine;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_write(request)) return {};
    api::HttpResponse answer = machine.deliver(request);
    const auto at = answer.body.find(R"("secret":")");
    if (at != std::string::npos) answer.body.replace(at + 10, 4, "zzzz");
    return answer;
  };
  const RunResult made = machine.run("-n local --json keys create");
  EXPECT_NE(made.exit, 0);
  EXPECT_TRUE(has(made.out, "keys delete"));
  machine.intercept = {};
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
}

TEST(WayOut, AHangingLockHolderDoesNotBlock) {
  TraderMachine machine;
  ASSERT_EQ(run_signed(machine, "buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  const auto nonces = FileLock::take(machine.state() / "nonces/local.lock");
  const auto sessions = FileLock::take(machine.state() / "sessions/local.json.lock");
  ASSERT_TRUE(nonces.has_value());
  ASSERT_TRUE(sessions.has_value());
  const RunResult cancelled = run_signed(machine, "orders cancel-all");
  EXPECT_EQ(cancelled.exit, 0);
  EXPECT_FALSE(has(cancelled.err, "nothing was sent"));
  machine.clock.advance(25 * hour_ms);  // the session has expired, which cannot be recorded now
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
}

TEST(WayOut, ALargeSkewIsCorrectedOnlyForACancel) {
  ClientMachine machine(mainnet_options());
  machine.server_ahead_ms = 40 * second_ms;
  machine.run("network add mainnet --rest https://main.example");
  const RunResult order = machine.run("-n mainnet --confirm mainnet buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_NE(order.exit, 0);
  const RunResult cancel = machine.run("-n mainnet orders cancel-all");
  EXPECT_FALSE(has(cancel.err, "clock_skew"));
}

// Such as a sandbox of the same name elsewhere: that it does not know the order proves nothing.
TEST(WayOut, AnotherServerProvesNothingOfAWrite) {
  TraderMachine machine;
  machine.variables["SVC_LOCAL_URL"] = "http://localhost:9090";
  machine.intercept = when(is_write, unanswered(api::Delivery::unknown));
  ASSERT_EQ(machine.run("-n local --no-reconcile buy 0.1 BTC-USDX-PERP @ 59000").exit, 11);
  machine.intercept = nullptr;
  machine.clock.advance(minute_ms);
  // The first one still runs, and another one is asked.
  std::filesystem::create_directories(machine.state() / "run/local");
  for (const char* folder : {"run", "run/local"})
    std::filesystem::permissions(machine.state() / folder, std::filesystem::perms::owner_all);
  machine.write(".local/state/svc/run/local/main.json",
                R"({"url":"http://localhost:9090","pid":)" + std::to_string(::getpid()) + "}");
  machine.variables["SVC_LOCAL_URL"] = "http://localhost:9191";
  const RunResult elsewhere = machine.run("-n local --json outbox resolve");
  EXPECT_EQ(elsewhere.exit, 11) << elsewhere.out;
  EXPECT_TRUE(has(elsewhere.out, "it was sent to http://localhost:9090"));
  machine.variables["SVC_LOCAL_URL"] = "http://localhost:9090";
  const RunResult there = machine.run("-n local --json outbox resolve");
  EXPECT_EQ(there.exit, 0) << there.out;
  EXPECT_TRUE(has(there.out, "not_accepted"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
