// A shell keeps the account and the address it was opened with, whatever happens in other terminals.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// Lines of the shell itself do to the user's files what another terminal would do.
RunResult in_shell(ClientMachine& machine, const std::vector<std::string>& lines, const std::string& flags = "") {
  std::vector<std::string> words{"-n", "local", "--json", "shell", "--keep-going"};
  if (!flags.empty()) words.insert(words.end(), {"--signer", flags});
  for (const std::string& line : lines) words.insert(words.end(), {"-c", line});
  machine.sent.clear();
  machine.origins.clear();
  return machine.run(words);
}

// The accounts of the answers with that schema, in order.
std::vector<std::string> accounts(const RunResult& ran, std::string_view schema) {
  std::vector<std::string> found;
  for (std::string_view rest = ran.out; !rest.empty();) {
    const auto feed = rest.find('\n');
    const auto one = parse_json(rest.substr(0, feed));
    if (one && one->string_at("schema") == schema) found.emplace_back(one->string_at("account").value_or("none"));
    rest.remove_prefix(feed == std::string_view::npos ? rest.size() : feed + 1);
  }
  return found;
}

std::string login_as(const ClientMachine& machine, const std::string& wallet) {
  return "login --wallet " + wallet + machine.with_password;
}

TEST(ShellPinned, OrdersUseTheAccountTheShellWasOpenedWith) {
  ClientMachine machine;
  const std::string bob = to_string(machine.add_trader("bob"));
  const std::string alice = to_string(machine.add_trader("alice"));
  const std::string buy = "buy 0.1 BTC-USDX-PERP @ 59000";
  const RunResult ran = in_shell(machine, {login_as(machine, "bob"), buy, buy + " --signer bob", "whoami"});
  EXPECT_EQ(accounts(ran, "svc.buy/1"), (std::vector<std::string>{alice, bob})) << ran.out;
  EXPECT_EQ(accounts(ran, "svc.whoami/1"), std::vector<std::string>{alice});
  EXPECT_TRUE(has(ran.err, "this shell goes on with wallet alice"));
}

TEST(ShellPinned, NoOtherWalletActsAfterItsWalletHasLoggedOut) {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  const RunResult ran = in_shell(machine, {"logout", "buy 0.1 BTC-USDX-PERP @ 59000"});
  EXPECT_EQ(ran.exit, 4) << ran.out;
  EXPECT_TRUE(has(ran.out, "wallet alice, which this shell acts for, is not logged in"));
  for (const api::HttpRequest& request : machine.sent) EXPECT_NE(request.target, "/v1/orders");
  // A shell that was given another account keeps that one.
  EXPECT_EQ(in_shell(machine, {"orders list"}, "bob").exit, 0);
}

TEST(ShellPinned, TheFirstSessionStays) {
  ClientMachine machine;
  const std::string bob = to_string(machine.add_trader("bob"));
  machine.add_trader("alice");
  ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
  const RunResult ran = in_shell(machine, {login_as(machine, "bob"), login_as(machine, "alice"), "orders list"});
  EXPECT_EQ(accounts(ran, "svc.orders.list/1"), std::vector<std::string>{bob}) << ran.out;
}

TEST(ShellPinned, AProfileChangeElsewhereHasNoEffect) {
  ClientMachine machine;
  const std::string bob = to_string(machine.add_trader("bob"));
  const std::string alice = to_string(machine.add_trader("alice"));
  ASSERT_EQ(machine.run("-n local -a " + bob + " profile add his").exit, 0);
  const RunResult ran = in_shell(machine, {"profile use his", "orders list", "orders list -P his"});
  EXPECT_EQ(accounts(ran, "svc.orders.list/1"), (std::vector<std::string>{alice, bob})) << ran.out << ran.err;
}

TEST(ShellPinned, AnotherAddressOfItsNetworkIsNotUsed) {
  ClientMachine machine;
  const std::string add = "network add desk --funds play --rest http://";
  ASSERT_EQ(machine.run(add + "one.localhost:9090/v1").exit, 0);
  machine.origins.clear();
  const RunResult ran =
      machine.run({"-n", "desk", "shell", "--keep-going", "-c", "markets list", "-c", add + "two.localhost:9090/v1",
                   "-c", "markets list", "-c", "watch trades BTC-USDX-PERP"});
  EXPECT_EQ(ran.exit, 14) << ran.err;
  EXPECT_TRUE(
      has(ran.err, "the network desk that this shell was opened on, at http://one.localhost:9090, is gone or has"));
  // The second is asked only whether its funds are play.
  EXPECT_EQ(machine.origins, (std::vector<std::string>{"http://one.localhost:9090", "http://two.localhost:9090"}));
  EXPECT_EQ(machine.streams_opened, 0U);
}

TEST(ShellPinned, ItsSandboxMayRestartButNotBeReplaced) {
  ClientMachine machine;
  const auto runtime = machine.home() / "run";
  std::filesystem::create_directories(runtime / "svc/local");
  for (const char* folder : {"", "svc", "svc/local"})
    std::filesystem::permissions(runtime / folder, std::filesystem::perms::owner_all);
  machine.variables["XDG_RUNTIME_DIR"] = runtime.string();
  machine.add_trader("alice");
  machine.variables.erase("SVC_LOCAL_URL");
  const auto report = [&](const std::string& name, const std::string& port) {
    machine.write("run/svc/local/" + name,
                  "{\"url\":\"http://localhost:" + port + "\",\"pid\":" + std::to_string(::getpid()) + "}");
    return (runtime / "svc/local" / name).string();
  };
  const std::string mine = report("mine.json", "9090");
  const std::string moved = report("moved", "9093");  // no ready report yet
  const std::string other = report("other", "9091");
  const std::string impostor = report("impostor", "9090");
  const auto copy = [](const std::string& from, const std::string& to) { return "\\! cp -p " + from + " " + to; };
  const std::string kept = mine + ".kept";
  const auto ended_by = [&](const std::vector<std::string>& before) {
    std::filesystem::copy_file(mine, kept, std::filesystem::copy_options::overwrite_existing);
    auto lines = before;
    lines.emplace_back("orders list");
    const RunResult ran = in_shell(machine, lines);
    for (const std::string& origin : machine.origins) EXPECT_EQ(origin, "http://localhost:9090");
    std::filesystem::copy_file(kept, mine, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::remove(other + ".json");
    std::filesystem::remove(impostor + ".json");
    return ran.exit;
  };
  EXPECT_EQ(ended_by({copy(other, other + ".json")}), 0) << "a second one beside it";
  EXPECT_EQ(ended_by({"\\! rm " + mine, copy(kept, mine)}), 0) << "the same again";
  EXPECT_EQ(ended_by({"\\! rm " + mine}), 14);
  EXPECT_EQ(ended_by({copy(other, other + ".json"), "\\! rm " + mine}), 14) << "another one is left";
  EXPECT_EQ(ended_by({copy(impostor, impostor + ".json"), "\\! rm " + mine}), 14) << "another one at its address";
  EXPECT_EQ(ended_by({copy(moved, mine)}), 14) << "the same elsewhere";
}

}  // namespace SVC_FILE
}  // namespace svc::cli
