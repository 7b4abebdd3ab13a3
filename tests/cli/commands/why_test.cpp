// The service answers every failed authentication alike; `why` finds the cause.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace SVC_FILE {

// Verdict and evidence of a hypothesis about the latest failure.
std::string verdict_on(ClientMachine& machine, const std::string& hypothesis) {
  const RunResult ran = machine.run("-n local --json why");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  const Json document = ran.document();
  for (const Json& row : document.at("data.hypotheses")->items()) {
    if (row.string_at("hypothesis") != hypothesis) continue;
    return row.text_at("verdict") + ": " + row.text_at("evidence");
  }
  return "not raised\n" + ran.out;
}

TEST(Why, TheClockIsOffAndTheSandboxSaysSo) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("local fault add --route /account --skew 31s --count 1").exit, 0);
  ASSERT_EQ(machine.run("-n local account show").exit, 4);
  EXPECT_EQ(verdict_on(machine, "what the sandbox itself noted").substr(0, 10), "confirmed:");
  EXPECT_EQ(verdict_on(machine, "the signed path is not the logical one"), "ruled out: signed /account, sent /account");
  EXPECT_EQ(verdict_on(machine, "the signature is not the key's"),
            "ruled out: signing the same string again gives the same signature");
  EXPECT_EQ(verdict_on(machine, "the server does not know the key").substr(0, 10), "ruled out:");
}

TEST(Why, TheClockWasCorrectedByLessThanASecond) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("local fault add --route /account --skew 31s --count 1").exit, 0);
  ASSERT_EQ(machine.run("-n local account show").exit, 4);
  const auto folder = machine.state() / "failures/local";
  const auto file = folder / list_private(folder).front();
  const auto told_with = [&](std::int64_t corrected_ms) {
    auto record = parse_json(file_text(file));
    record->set("signed_at_ms", *record->integer_at("at_ms") + corrected_ms);
    EXPECT_TRUE(write_private(file, record->dump()).has_value());
    return verdict_on(machine, "the clock is off");
  };
  EXPECT_TRUE(has(told_with(-400), "corrected by -0.4 s;"));
  EXPECT_TRUE(has(told_with(400), "corrected by 0.4 s;"));
  EXPECT_TRUE(has(told_with(-1'400), "corrected by -1.4 s;"));
}

TEST(Why, ACodeOfTheServerCannotMoveTheCursor) {
  TraderMachine machine;
  machine.intercept = when(to("", "/orders"), answered(400, R"({"code":"Bad\u001b[31m\u202e","message":"m"})"));
  ASSERT_NE(machine.run("-n local orders list").exit, 0);
  const RunResult ran = machine.run("-n local why");
  EXPECT_TRUE(has(ran.err, "Bad\\u001b[31m\\u202e"));
  EXPECT_EQ((ran.err + ran.out).find('\x1b'), std::string::npos) << ran.err;
}

TEST(Why, TheKeyWasDeletedOnTheServer) {
  TraderMachine machine;
  const Json keys = machine.run("-n local --json keys list").document();
  const std::string id = keys.find("data")->items().at(0).text_at("key_id");
  ASSERT_EQ(machine.run("-n local api DELETE /keys/" + id).exit, 0);
  ASSERT_EQ(machine.run("-n local account show").exit, 4);
  EXPECT_EQ(verdict_on(machine, "the server does not know the key"),
            "confirmed: the server lists no key " + id + ": deleted, or minted elsewhere; svc -n local keys create");
}

TEST(Why, TheSessionOfAnotherAccountDoesNotListTheKey) {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  machine.intercept = when(to("", "/account"), answered(401, R"({"code":"unauthorized"})"));
  ASSERT_EQ(machine.run("-n local --signer bob account show").exit, 4);
  EXPECT_EQ(verdict_on(machine, "the server does not know the key").substr(0, 9), "possible:");
}

TEST(Why, TheSandboxWasRestarted) {
  TraderMachine machine;
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/account" && request.path() != "/keys") return {};
    return answered(401, R"({"code":"unauthorized"})");
  };
  ASSERT_EQ(machine.run("-n local account show").exit, 4);
  const std::string verdict = verdict_on(machine, "this sandbox was started anew");
  EXPECT_TRUE(has(verdict, "svc -n local login --wallet NAME, then svc -n local keys create"));
}

TEST(Why, NamesTheRemedyEachTimeAlsoForSessions) {
  TraderMachine machine;
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/account" && request.path() != "/keys") return {};
    return answered(401, R"({"code":"unauthorized"})");
  };
  for (const char* line : {"-n local account show", "-n local keys list"}) {
    ASSERT_EQ(machine.run(line).exit, 4);
    const std::string first = verdict_on(machine, "this sandbox was started anew");
    EXPECT_TRUE(has(first, "svc -n local login --wallet NAME")) << line << first;
    EXPECT_EQ(verdict_on(machine, "this sandbox was started anew"), first);
  }
}

TEST(Why, TheKeyIsOfAnotherNetwork) {
  TraderMachine machine;
  const std::string id = machine.run("-n local --json keys list").rows().at(0).text_at("key_id");
  ASSERT_EQ(machine.run("network add desk --funds play --rest http://localhost:9090").exit, 0);
  machine.variables["SVC_API_KEY"] = id;
  machine.variables["SVC_API_SECRET"] = "00";
  ASSERT_EQ(machine.run("-n desk account show").exit, 4);
  const Json document = machine.run("-n desk --json why").document();
  const auto& rows = document.at("data.hypotheses")->items();
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Json& row) {
    return row.string_at("evidence") == "key " + id + " is filed under local" &&
           row.string_at("verdict") == "confirmed";
  })) << document.dump();
}

TEST(Why, OtherRefusalsAreExplainedFromTheCatalogue) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("-n local why").exit, 5) << "nothing has failed yet";
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000.3").exit, 7);
  EXPECT_TRUE(has(verdict_on(machine, "code InvalidTickSize"), "retry: never"));
}

TEST(Why, KeepsNoSecretOfTheRequest) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("local fault add --route /account --skew 31s --count 1").exit, 0);
  machine.sent.clear();
  ASSERT_EQ(machine.run("-n local account show").exit, 4);
  const auto signature = machine.sent.front().headers.find("X-Signature");
  ASSERT_TRUE(signature.has_value());
  for (const auto& file : std::filesystem::directory_iterator(machine.state() / "failures/local")) {
    const std::string text = machine.read(std::filesystem::relative(file.path(), machine.home()).string());
    EXPECT_FALSE(has(text, *signature));
  }
}

TEST(JournalCommands, ListShowAndExportTheLog) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id mine").exit, 0);
  const Json list = machine.run("-n local --json journal list").document();
  const Json& last = list.find("data")->items().back();
  EXPECT_EQ(last.string_at("client_id"), "mine");
  EXPECT_EQ(last.string_at("outcome"), "accepted");
  EXPECT_EQ(machine.run("-n local --json journal show mine").document().string_at("data.intent.body.price"), "30000");
  EXPECT_EQ(machine.run("-n local journal show nobody").exit, 5);
  EXPECT_TRUE(has(machine.run("-n local journal export").out, "\"price\":\"30000\""));
  const std::string redacted = machine.run("-n local journal export --redact").out;
  EXPECT_FALSE(has(redacted, "30000"));
  EXPECT_FALSE(has(redacted, "mine"));
  const auto shown_to_others = [&](const std::string& command) {
    const RunResult ran = machine.run("-n local --json " + command + " --redact");
    EXPECT_EQ(ran.exit, 0) << ran.out;
    // Only commands that ask the service name the account in their envelope; these do not.
    for (const char* secret : {"mine", "30000", "0x"}) EXPECT_FALSE(has(ran.out, secret));
    return ran.out;
  };
  EXPECT_TRUE(has(shown_to_others("journal list"), R"("client_id":"client-1")"));
  const std::string whole = shown_to_others("journal show mine");
  EXPECT_TRUE(has(whole, R"("account":"account-1","client_ids":["client-1"])"));
  EXPECT_TRUE(has(whole, R"("target":"/orders")"));
  EXPECT_FALSE(has(machine.run("-n local journal list --since 2026-09-22").out, "buy"));
}

TEST(JournalCommands, RedactedPartsNameAWriteAlike) {
  TraderMachine machine;
  machine.clock.advance(2 * hour_ms);
  for (const std::string id : {"one", "two"})
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id " + id).exit, 0);
  const auto last_of = [&](const std::string& command) {
    const Json document = machine.run("-n local --json journal " + command + " --redact").document();
    const Json& data = *document.find("data");
    return data.is(Json::Kind::array) ? data.items().back().text_at("id") : data.text_at("id");
  };
  const std::string name = last_of("export");
  EXPECT_NE(name, "write-1") << "the wallet's login and key came first";
  for (const std::string part :
       {"export --since 1h", "list --since 1h", "list --limit 1", "list --client-id two", "show two"})
    EXPECT_EQ(last_of(part), name) << part;
}

TEST(Keystore, IsResealedRenamedExportedAndDeleted) {
  ClientMachine machine;
  const std::string new_password = machine.write("new", "battery staple\n").string();
  ASSERT_EQ(machine.run("-n local keystore new alice" + machine.with_password).exit, 0);
  ASSERT_EQ(
      machine.run("-n local keystore passwd alice" + machine.with_password + " --new-password-file " + new_password)
          .exit,
      0);
  EXPECT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 4)
      << "the old password is none any more";
  const std::string password = " --password-file " + new_password;
  EXPECT_EQ(machine.run("-n local login --wallet alice" + password).exit, 0);
  EXPECT_EQ(machine.run("-n local keystore rename alice bob").exit, 6) << "a session leans on the name";
  ASSERT_EQ(machine.run("-n local logout").exit, 0);
  ASSERT_EQ(machine.run("-n local keystore rename alice bob").exit, 0);
  const std::string to = (machine.home() / "copy").string();
  ASSERT_EQ(machine.run("-n local keystore export bob --to " + to).exit, 0);
  EXPECT_TRUE(has(machine.read("copy"), "\"ciphertext\""));
  EXPECT_EQ(machine.run("-n local keystore export bob --to " + to).exit, 2) << "nothing is overwritten";
  const std::string plain = (machine.home() / "plain").string();
  EXPECT_EQ(machine.run("-n local keystore export bob --allow-plain-export --to " + plain + password).exit, 3);
  ASSERT_EQ(machine.run("-n local --yes keystore export bob --allow-plain-export --to " + plain + password).exit, 0);
  EXPECT_EQ(machine.read("plain").size(), 67u) << "0x, 64 digits, line feed";
  EXPECT_EQ(machine.run("-n local keystore delete bob").exit, 3);
  machine.in_is_terminal = true;
  machine.answers = {"alice"};
  EXPECT_EQ(machine.run("-n local keystore delete bob").exit, 3);
  machine.answers = {"bob"};
  EXPECT_EQ(machine.run("-n local keystore delete bob").exit, 0);
  EXPECT_EQ(machine.run("-n local keystore show bob").exit, 5);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
