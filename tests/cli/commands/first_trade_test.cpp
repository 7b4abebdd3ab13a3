// The first trade, typed by hand: two wallets log in and create keys; one places an order and the other takes it.
#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// Runs commands and keeps each with its output, as a session log.
class Session {
 public:
  explicit Session(ClientMachine& machine) : machine_(machine) {}
  RunResult run(const std::string& line) {
    const RunResult ran = machine_.run(line);
    log_ += "$ svc " + without_home(line) + "\n" + ran.out;
    if (!ran.err.empty()) log_ += "[stderr] " + without_home(ran.err);
    if (ran.exit != 0) log_ += "[exit " + std::to_string(ran.exit) + "]\n";
    return ran;
  }
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  [[nodiscard]] std::string without_home(const std::string& text) const {
    return with_each(text, machine_.home().string(), "~");
  }
  ClientMachine& machine_;
  std::string log_;
};

std::string hidden_keys(std::string text) {
  // Key ids are chosen randomly by the server.
  for (auto at = text.find("svc_"); at != std::string::npos; at = text.find("svc_", at + 1)) {
    for (std::size_t i = at + 4; i < at + 20 && i < text.size(); ++i) text[i] = '.';
  }
  return text;
}

std::string trade(ClientMachine& machine, const std::string& format) {
  Session session(machine);
  const std::string n = "-n local -o " + format + " ";
  for (const std::string name : {"alice", "bob"}) {
    session.run(n + "keystore new " + name + machine.with_password);
    session.run(n + "login --wallet " + name + machine.with_password);
    session.run(n + "keys create --label " + name);
    session.run(n + "deposits submit --amount 10000");
  }
  session.run(n + "--signer alice sell 0.25 BTC-USDX-PERP @ 60100");
  session.run(n + "markets book BTC-USDX-PERP");
  session.run(n + "--signer alice orders list");
  session.run(n + "--signer bob" + machine.with_password +
              " orders place BTC-USDX-PERP --side buy --size 0.1 --type market");
  for (const std::string name : {"alice", "bob"}) {
    session.run(n + "--signer " + name + " fills list");
    session.run(n + "--signer " + name + " positions list");
    session.run(n + "--signer " + name + " account show");
  }
  session.run(n + "account summary");
  session.run(n + "limits");
  session.run(n + "whoami");
  session.run(n + "markets list");
  session.run(n + "markets ticker BTC-USDX-PERP");
  session.run(n + "markets trades BTC-USDX-PERP");
  session.run(n + "--signer alice orders cancel-all");
  session.run(n + "--signer alice orders history");
  session.run(n + "deposits list");
  session.run(n + "keys list");
  session.run(n + "logout --all");
  session.run(n + "account show");
  return hidden_keys(session.log());
}

TEST(FirstTrade, ReadsWellAsTables) {
  ClientMachine machine;
  expect_golden("first_trade.table.txt", trade(machine, "table"));
}

TEST(FirstTrade, ReadsWellAsJson) {
  ClientMachine machine;
  expect_golden("first_trade.json.txt", trade(machine, "json"));
}

TEST(FirstTrade, IsTsvInAPipeAndATableOnATerminal) {
  TraderMachine machine;
  const RunResult piped = machine.run("-n local account show");
  EXPECT_TRUE(piped.out.starts_with("account\tbalance\tequity\t")) << piped.out;
  machine.out_is_terminal = true;
  const RunResult shown = machine.run("-n local account show --color never");
  EXPECT_TRUE(shown.out.starts_with("account     ")) << shown.out;
  EXPECT_TRUE(has(machine.run("-n local account show").out, "\x1b["));
  machine.variables["NO_COLOR"] = "1";
  EXPECT_FALSE(has(machine.run("-n local account show").out, "\x1b["));
}

TEST(Orders, AreFoundWithoutTheirMarket) {
  TraderMachine machine;
  const RunResult placed = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 59000");
  ASSERT_EQ(placed.exit, 0) << placed.out;
  const std::string id = placed.document().text_at("data.order.id");
  const RunResult open = machine.run("-n local --json orders get " + id);
  EXPECT_EQ(open.exit, 0) << open.out;
  EXPECT_EQ(open.document().string_at("data.id"), id);
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n local orders get 00010000-0000-4000-8000-000000009999").exit, 5);
  for (const api::HttpRequest& request : machine.sent) EXPECT_FALSE(has(request.target, "9999"));
}

TEST(WhoAmI, ShowsACredentialOfTheEnvironment) {
  ClientMachine machine;
  machine.variables["SVC_API_KEY"] = "key-of-a-container";
  machine.variables["SVC_API_SECRET"] = std::string(64, 'a');
  machine.variables["SVC_ACCOUNT"] = "0x0000000000000000000000000000000000000001";
  const RunResult ran = machine.run("-n local --json whoami");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  const Json document = ran.document();
  EXPECT_EQ(document.string_at("data.auth"), "hmac");
  EXPECT_EQ(document.string_at("data.key_id"), "key-of-a-container");
  EXPECT_EQ(document.string_at("data.acting_account"), "0x0000000000000000000000000000000000000001");
}

TEST(WhoAmI, ACredentialOfTheEnvironmentActsInPlaceOfTheSession) {
  TraderMachine machine;
  const std::string bob = to_string(machine.add_trader("bob"));
  const Json key = machine.run("-n local --signer bob --json api POST /keys").document();
  machine.run("-n local logout");
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  machine.variables["SVC_API_KEY"] = key.text_at("data.key_id");
  machine.variables["SVC_API_SECRET"] = key.text_at("data.secret");
  for (const std::string line : {"-n local --json whoami", "-n local --json whoami --verify"}) {
    machine.variables["SVC_ACCOUNT"] = bob;
    const Json told = machine.run(line).document();
    EXPECT_EQ(told.string_at("data.owner"), bob) << told.dump();
    EXPECT_EQ(told.string_at("data.acting_account"), bob);
    EXPECT_FALSE(told.string_at("data.wallet").has_value());
    EXPECT_EQ(told.string_at("data.session"), "none");
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
