// status, doctor, whoami --verify, explain: what the program knows of itself and its credentials.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <regex>

#include "api/error_catalog.h"
#include "api/header_names.h"
#include "base/files.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/failure.h"
#include "surroundings.h"

namespace svc::cli {
namespace SVC_FILE {

namespace fs = std::filesystem;

std::string state_of(const RunResult& ran, std::string_view check) {
  const Json document = ran.document();
  const Json* rows = document.find("data");
  for (const Json& row : rows->items()) {
    if (row.string_at("check") == check) return row.text_at("state");
  }
  return "absent";
}

// With --ttl the API keys expire with the session.
void add_trader_for_a_day(ClientMachine& machine) {
  machine.add_trader("alice");
  const std::string password = (machine.home() / "password").string();
  EXPECT_EQ(machine.run("-n local login --ttl 25h --wallet alice --password-file " + password).exit, 2);
  EXPECT_EQ(machine.run("-n local login --ttl 24h --wallet alice --password-file " + password).exit, 0);
}

TEST(Status, FailsBeforeASessionEnds) {
  ClientMachine machine;
  const std::string line = "-n local --json status --exit-code --expires-within ";
  EXPECT_EQ(machine.run(line + "1h").exit, 4);
  add_trader_for_a_day(machine);
  machine.sent.clear();
  const RunResult good = machine.run(line + "2h");
  EXPECT_EQ(good.exit, 0) << good.out;
  EXPECT_EQ(state_of(good, "session"), "ok");
  EXPECT_EQ(state_of(good, "api_key"), "ok");
  EXPECT_EQ(machine.run(line + "1d").exit, 0);
  machine.clock.advance(1);
  const RunResult soon = machine.run(line + "1d");
  EXPECT_EQ(soon.exit, 4);
  EXPECT_EQ(state_of(soon, "session"), "warn");
  EXPECT_EQ(machine.run("-n local status --expires-within 1d").exit, 0);
  machine.clock.advance(day_ms);
  EXPECT_EQ(state_of(machine.run(line + "1h"), "session"), "fail");
  EXPECT_TRUE(machine.sent.empty());
}

TEST(Status, IsOfTheAccountThatIsNamed) {
  TraderMachine machine;
  const Address bob = machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local logout --signer bob").exit, 0);
  const std::string line = "-n local --json status --exit-code --expires-within 1h";
  EXPECT_EQ(machine.run(line + " --signer alice").exit, 0);
  EXPECT_EQ(machine.run(line + " -a " + to_string(bob)).exit, 4);
  EXPECT_EQ(machine.run(line + " --signer bob").exit, 4);
}

TEST(Status, AServerThatDoesNotAnswerIsNoMatterOfCredentials) {
  ClientMachine machine;
  add_trader_for_a_day(machine);
  machine.down.insert("http://localhost:9090");
  const RunResult ran = machine.run("-n local --json status --verify --exit-code --expires-within 1h");
  EXPECT_EQ(ran.exit, 10) << ran.out;
  EXPECT_EQ(state_of(ran, "session"), "ok");
  machine.clock.advance(1);
  EXPECT_EQ(machine.run("-n local status --verify --exit-code --expires-within 1d").exit, 4) << "it ends soon as well";
}

TEST(Status, ARefusedCredentialIsAFailure) {
  TraderMachine machine;
  const std::string line = "-n local --json status --verify --exit-code";
  EXPECT_EQ(machine.run(line).exit, 0) << machine.run(line).out;
  machine.intercept = when(to("", "/account/rate-limit"), answered(401, R"({"error":"Unauthorized"})"));
  const RunResult refused = machine.run(line);
  EXPECT_EQ(refused.exit, 4) << refused.out;
  EXPECT_EQ(state_of(refused, "credential"), "fail");
  const RunResult doctor = machine.run("-n local --json doctor");
  EXPECT_EQ(doctor.exit, 1);
  EXPECT_EQ(state_of(doctor, "credential"), "fail");
}

TEST(Status, ASessionEndsByTheServersClockIfKnown) {
  ClientMachine machine;
  add_trader_for_a_day(machine);
  const std::string line = "-n local --json status --verify --exit-code";
  machine.server_ahead_ms = 23 * hour_ms + minute_ms;
  EXPECT_EQ(state_of(machine.run(line), "session"), "warn");
  machine.server_ahead_ms = day_ms + minute_ms;
  EXPECT_EQ(state_of(machine.run(line), "session"), "fail");
  EXPECT_EQ(state_of(machine.run("-n local --json status"), "session"), "ok") << "which asks nobody";
}

TEST(Status, ATooLargeSkewIsAFailure) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("network add far --rest http://127.0.0.1:9 --funds play").exit, 0);
  machine.server_ahead_ms = 24 * second_ms;
  EXPECT_EQ(state_of(machine.run("-n far --json doctor"), "clock"), "ok");
  machine.server_ahead_ms = 27 * second_ms;
  const RunResult late = machine.run("-n far --json doctor");
  EXPECT_EQ(late.exit, 1);
  EXPECT_EQ(state_of(late, "clock"), "fail");
  EXPECT_TRUE(has(late.out, "timedatectl set-ntp true"));
  EXPECT_EQ(machine.run("-n far --json status --verify --exit-code").exit, 4);
}

TEST(Doctor, AFolderWithoutRoomIsAFailure) {
  TraderMachine machine;
  EXPECT_EQ(state_of(machine.run("-n local --json doctor"), "files"), "ok");
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit all {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &all), 0);
  const struct rlimit little { .rlim_cur = 32u << 10, .rlim_max = all.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const RunResult full = machine.run("-n local --json doctor");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &all), 0);
  ::signal(SIGXFSZ, before);
  EXPECT_EQ(full.exit, 1) << full.out;
  EXPECT_TRUE(has(full.out, "cannot write"));
}

TEST(WhoAmI, VerifiedShowsTierAndClock) {
  ClientMachine machine;
  const Address alice = machine.add_trader("alice");
  const RunResult plain = machine.run("-n local --json whoami");
  EXPECT_EQ(plain.document().find("data")->find("verified")->truth(), false);
  machine.server_ahead_ms = 4'000;
  const Json data = *machine.run("-n local --json whoami --verify").document().find("data");
  EXPECT_EQ(data.string_at("owner"), to_string(alice));
  EXPECT_EQ(data.string_at("acting_account"), to_string(alice));
  EXPECT_EQ(data.string_at("auth"), "hmac");
  EXPECT_EQ(data.string_at("tier"), "pro");
  EXPECT_GE(data.integer_at("skew_ms").value_or(0), 3'500);
  EXPECT_TRUE(data.find("verified")->truth());
  ASSERT_EQ(machine.run("-n local keys delete " + std::string(*data.string_at("key_id"))).exit, 0);
  EXPECT_EQ(machine.run("-n local whoami --verify").exit, 4);
}

TEST(WhoAmI, ANamedSignerSignsWhateverAccountIsNamed) {
  ClientMachine machine;
  const Address alice = machine.add_trader("alice");
  const std::string bob = to_string(machine.add_trader("bob"));
  const Json both = *machine.run("-n local --json --signer alice -a " + bob + " whoami").document().find("data");
  EXPECT_EQ(both.string_at("wallet"), "alice");
  EXPECT_EQ(both.string_at("owner"), to_string(alice));
  EXPECT_EQ(both.string_at("acting_account"), bob);
  const Json account = *machine.run("-n local --json -a " + bob + " whoami").document().find("data");
  EXPECT_EQ(account.string_at("wallet"), "bob");
}

TEST(WhoAmI, VerifyRefusesAKeyThatIsAnotherAccountsOnThisServer) {
  TraderMachine machine;
  const std::string owner = "0x00000000000000000000000000000000000000b0";
  machine.intercept = when(to("", "/account/deposit-target"), answered(200, R"({"account":")" + owner + R"("})"));
  const RunResult refused = machine.run("-n local --json whoami --verify");
  EXPECT_EQ(refused.exit, 14) << refused.out;
  EXPECT_EQ(refused.code(), "wrong_account");
  EXPECT_TRUE(has(refused.out, owner));
}

TEST(Doctor, FindsProblemsAndFixesSome) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("-n local doctor").exit, 0) << machine.run("-n local doctor").out;
  const fs::path keys = machine.data() / "keys";
  fs::permissions(keys, fs::perms::others_read, fs::perm_options::add);
  fs::create_directories(machine.state() / "run/local");
  for (const auto& part : {machine.state() / "run", machine.state() / "run/local"})
    fs::permissions(part, fs::perms::owner_all);
  machine.write(".local/state/svc/run/local/gone.json", R"({"url":"http://127.0.0.1:5","pid":2147483646})");
  const RunResult bad = machine.run("--json doctor --offline");
  EXPECT_EQ(bad.exit, 1);
  EXPECT_EQ(state_of(bad, "files"), "fail");
  EXPECT_EQ(state_of(bad, "sandboxes"), "warn");
  const RunResult planned = machine.run("--json doctor --offline --fix --dry-run");
  EXPECT_EQ(planned.exit, 0) << planned.out;
  EXPECT_TRUE(has(planned.out, "would close " + keys.string() + " to others"));
  EXPECT_TRUE(has(planned.out, "would remove what is left of "));
  EXPECT_NE(fs::status(keys).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(fs::exists(machine.state() / "run/local/gone.json"));
  const RunResult mended = machine.run("--json doctor --offline --fix");
  EXPECT_EQ(mended.exit, 0) << mended.out;
  EXPECT_EQ(fs::status(keys).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(machine.state() / "run/local/gone.json"));
  machine.variables["SVC_API_SECRET"] = "c2VjcmV0";
  const RunResult noticed = machine.run("--json doctor --offline");
  EXPECT_EQ(state_of(noticed, "environment"), "warn");
  EXPECT_FALSE(has(noticed.out, "c2VjcmV0"));
}

TEST(Doctor, DoesNotSayThatASandboxIsGoneIfItsFileIsNotRead) {
  ClientMachine machine;
  const fs::path file = machine.state() / "run/local/runs.json";
  ASSERT_TRUE(write_private(file, concat(R"({"url":"http://127.0.0.1:5","pid":)", ::getpid(), "}")).has_value());
  fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(state_of(machine.run("--json doctor --offline"), "sandboxes"), "absent") << "its process runs";
  fs::remove(file);
  fs::create_directory(file);  // it cannot be read, also by root
  for (const char* command : {"--json doctor --offline", "--json doctor --offline --fix"}) {
    const RunResult doctor = machine.run(command);
    EXPECT_EQ(state_of(doctor, "sandboxes"), "warn") << doctor.out;
    EXPECT_TRUE(has(doctor.out, "not read, so that its sandbox is not found: " + file.string() + " is no plain file"));
    EXPECT_FALSE(has(doctor.out, "is gone"));
  }
  EXPECT_TRUE(fs::exists(file));
}

TEST(Doctor, OfflineSendsNothing) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local doctor --offline").exit, 0);
  EXPECT_TRUE(machine.origins.empty());
  machine.intercept = [](const api::HttpRequest&) { return unanswered(api::Delivery::not_sent, "nobody is there"); };
  const RunResult ran = machine.run("-n local --json doctor");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_EQ(state_of(ran, "network"), "fail");
}

TEST(Explain, KnowsEveryApiCodeHeaderAndCancelReason) {
  ClientMachine machine;
  for (const api::ErrorInfo& one : api::error_catalog()) {
    const Json data = *machine.run("--json explain " + std::string(one.spelling)).document().find("data");
    EXPECT_EQ(data.string_at("code"), one.spelling);
    // The category that a failure with this code prints.
    const auto exit = data.integer_at("exit");
    ASSERT_TRUE(exit) << one.spelling;
    const Json by_exit = *machine.run("--json explain " + std::to_string(*exit)).document().find("data");
    EXPECT_EQ(data.string_at("category"), by_exit.string_at("category")) << one.spelling;
    EXPECT_FALSE(data.string_at("what_to_do").value_or("").empty()) << one.spelling;
  }
  for (const api::HeaderInfo& one : api::header_table)
    EXPECT_EQ(machine.run("explain " + std::string(one.name)).exit, 0) << one.name;
  EXPECT_EQ(machine.run("explain retry-after").exit, 0);
  for (const std::string_view reason : std::span(trade::cancel_reason_texts).subspan(1))
    EXPECT_EQ(machine.run({"explain", std::string(reason)}).exit, 0) << reason;
  EXPECT_EQ(machine.run("explain X-Nothing").exit, 5);
}

TEST(Explain, EveryLocalCodeIsListedWithItsExit) {
  ClientMachine machine;
  const std::regex code(
      R"re((?:\b(guard|absent)\(|notice\(|refusal\(|code = |not_there\(|failed\((?:ExitCode::([a-z_]+),)?)\s*)re"
      R"re("([a-z]+(?:_[a-z]+)*)")re");
  const std::map<std::string, std::string> exit_of{{"guard", "local_guard"}, {"absent", "not_found"}};
  for (const auto& entry : fs::recursive_directory_iterator(test::source_folder() / "src/cli")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    const std::string text = file_text(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at) {
      const std::string found = (*at)[3];
      if (found == "profile" || found == "alias") continue;  // the first half of profile_unknown
      const LocalCode* local = find_local_code(found);
      EXPECT_TRUE(local != nullptr || api::find_error(found))
          << entry.path().filename() << ": " << found << " is missing in local_codes.def";
      std::string exit = (*at)[1].matched ? exit_of.at((*at)[1]) : (*at)[2];
      // A failure without an exit code has that of the table; of a code that the service has as well, the explanation
      // is the service's.
      if (exit.empty() && at->str().starts_with("failed(") && !api::find_error(found))
        exit = meaning_of(local->exit).category;
      if (exit.empty()) continue;
      EXPECT_EQ(machine.run("explain --json " + found).document().string_at("data.category"),
                exit == "outcome_unknown" ? "ambiguous" : exit)
          << entry.path().filename() << ": " << found;
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
