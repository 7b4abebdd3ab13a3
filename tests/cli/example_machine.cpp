#include "cli/example_machine.h"

#include <gtest/gtest.h>

namespace svc::cli {
namespace {

constexpr std::string_view agent_address = "0x00000000000000000000000000000000000000a9";

sim::SandboxOptions options() {
  sim::SandboxOptions options;
  options.faucet = true;
  options.admin_secret = Secret(std::string("operator-secret"));
  return options;
}

void replace(std::string& line, std::string_view what, const std::string& by) {
  line = with_each(line, what, by);
}

}  // namespace

ExampleMachine::ExampleMachine() : machine(options()) {
  machine.run("local snapshot quiet");
  other_ = machine.add_trader("bob");
  machine.run("-n local transfers enroll" + machine.with_password);
  machine.run("-n local buy 1 BTC-USDX-PERP @ 59990");
  machine.add_trader("alice");
  machine.run("network add mainnet --rest https://exchange.example/v1");
  machine.write("admin", "operator-secret\n");
  machine.write("key", "00000000000000000000000000000000000000000000000000000000000012d4\n");
  machine.write("hmac", "00112233445566778899aabbccddeeff\n");
  machine.write("orders.ndjson",
                R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"58000","quantity":"0.01"})"
                "\n"
                R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"57900","quantity":"0.01"})"
                "\n");
  machine.write("tiers.csv", "address,tier\n" + to_string(other_) + ",MarketMaker\n");
  machine.write("order.json",
                R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"60000",)"
                R"("time_in_force":"GTC"})");
  machine.write("desk.toml", "[markets.ETH-USDX-PERP]\nleverage = 5\n");
  machine.write(
      "typed.json",
      R"({"types":{"EIP712Domain":[{"name":"name","type":"string"}],"Note":[{"name":"text","type":"string"}]},)"
      R"("primaryType":"Note","domain":{"name":"Svc"},"message":{"text":"hello"}})");
  machine.write(
      "story.scenario",
      "topic matching\nmarket X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0 band 0.9\n"
      "deposit alice 1000\ndeposit bob 1000\nmark X 10\n\n= FIFO-01 best price first\n"
      "bob sells 2 @ 11\nalice buys 1 @ 12\nbook\n    11 | 1 bob\n    --------\n");
}

std::string ExampleMachine::id_of(const std::string& line, std::string_view path) {
  const RunResult ran = machine.run(line);
  EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.out << ran.err;
  return std::string(ran.document().at(path) == nullptr ? "" : ran.document().at(path)->text());
}

void ExampleMachine::log_in() {
  for (const char* name : {"bob", "alice"}) {
    EXPECT_EQ(machine.run("-n local login --wallet " + std::string(name) + machine.with_password).exit, 0);
  }
}

std::string ExampleMachine::ready(std::string_view example) {
  std::string line(example.substr(std::string_view("svc ").size()));
  replace(line, "~/", machine.home().string() + "/");
  const auto needs = [&](std::string_view name) { return line.find(name) != std::string::npos; };
  if (needs("$ORDER")) {
    replace(line, "$ORDER", id_of("-n local --json buy 0.01 BTC-USDX-PERP @ 59000", "data.order.id"));
  }
  if (needs("$CLIENT")) {
    machine.run("-n local --json buy 0.01 BTC-USDX-PERP @ 59000 --client-id mine-1");
    replace(line, "$CLIENT", "mine-1");
  }
  if (needs("transfers")) machine.run("-n local --signer alice flatten");
  if (needs("state.svc")) {
    std::filesystem::remove(machine.home() / "state.svc");
    if (!needs("local dump")) machine.run("local dump " + (machine.home() / "state.svc").string());
  }
  if (needs("$KEY")) replace(line, "$KEY", id_of("-n local --json keys create", "data.key_id"));
  if (needs("$TRANSFER")) {
    replace(line, "$TRANSFER",
            id_of("-n local --json transfers send 1 --to " + to_string(other_) + " --id t-3" + machine.with_password,
                  "data.id"));
  }
  if (needs("$SIGNATURE")) {
    replace(line, "$SIGNATURE",
            id_of("--json sign message hello --key-file " + (machine.home() / "key").string(), "data.signature"));
  }
  if (needs("$WITHDRAWAL")) {
    replace(line, "$WITHDRAWAL", id_of("-n local --json bridge withdraw 1", "data.id"));
  }
  if (needs("$DEPOSIT")) {
    machine.run("local bridge deposit " + machine.run("-n local --json whoami").document().text_at("data.owner") +
                " 10");
    const Json list = machine.run("-n local --json bridge deposits list").document();
    const Json* rows = list.find("data");
    const bool any = rows != nullptr && !rows->items().empty();
    EXPECT_TRUE(any) << list.dump();
    replace(line, "$DEPOSIT", any ? rows->items().front().text_at("id") : "");
  }
  if (needs("$HOLDER") || needs("local reset")) machine.run("local snapshot before-distress");
  if (needs("$HOLDER")) {
    machine.run("local fill " + id_of("-n local --json --signer alice buy 0.5 BTC-USDX-PERP @ 60000", "data.order.id"));
    replace(line, "$HOLDER", id_of("-n local --json --signer alice whoami", "data.owner"));
  }
  if (needs("$ENTRY")) {
    machine.intercept = when(is_write, unanswered(api::Delivery::unknown));
    machine.run("-n local --no-reconcile margin leverage BTC-USDX-PERP 7");
    machine.intercept = nullptr;
    const Json list = machine.run("-n local --json outbox list").document();
    const Json* rows = list.find("data");
    const bool any = rows != nullptr && !rows->items().empty();
    EXPECT_TRUE(any) << list.dump();
    replace(line, "$ENTRY", any ? rows->items().front().text_at("id") : "");
  }
  if (needs(" why")) machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000.3");
  if (needs("local record")) {
    machine.run("local snapshot before-recording");
    machine.run("local revert quiet");
    if (!needs("start")) machine.run("local record start");
  }
  if (needs("local settle")) machine.run("local halt SOL-USDX-PERP");
  if (needs("positions close") || needs("flatten")) {
    machine.run("-n local --signer bob sell 0.1 BTC-USDX-PERP @ 60000");
    machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP @ 60000");
  }
  replace(line, "$ADDR", to_string(other_));
  replace(line, "$AGENT", std::string(agent_address));
  const bool real = line.starts_with("-n mainnet");
  machine.variables["SVC_API_KEY"] = real ? "key" : "";
  machine.variables["SVC_API_SECRET"] = real ? "00112233445566778899aabbccddeeff" : "";
  machine.variables["SVC_API_KEY_NETWORK"] = real ? "mainnet" : "";
  return line;
}

void ExampleMachine::tidy(std::string_view example) {
  machine.variables["SVC_API_KEY"] = "";
  const auto is = [&](std::string_view part) { return example.find(part) != std::string_view::npos; };
  if (is("config set")) machine.run("config set output --unset");
  if (is("profile use")) machine.run("profile use --none");
  if (is("$HOLDER") || is("local reset")) {
    machine.run("local revert before-distress");
    log_in();
  }
  if (is("local record")) {
    machine.run("local record stop");
    machine.run("local revert before-recording");
    log_in();
  }
  if (is(" logout") || is("local revert") || is("local load") || is("time advance") || is("keystore lock")) log_in();
}

}  // namespace svc::cli
