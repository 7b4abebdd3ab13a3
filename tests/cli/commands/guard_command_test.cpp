// A bot under guard: whatever happens to it, its orders are cancelled, and only its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// A bot that does one thing each time the guard looks at it.
class Bot final : public SupervisedProgram {
 public:
  using Life = std::function<Seen(int look)>;
  Bot(Life life, bool& stopped) : life_(std::move(life)), stopped_(stopped) {}
  Seen look() override { return life_(looks_++); }
  void stop() override { stopped_ = true; }

 private:
  Life life_;
  bool& stopped_;
  int looks_ = 0;
};

class GuardedBot : public testing::Test {
 protected:
  GuardedBot() { alice = machine.add_trader("alice"); }

  void bot_does(std::function<SupervisedProgram::Seen(int look, const std::string& prefix)> life) {
    machine.program = [this, life = std::move(life)](const Variables& variables) {
      const std::string prefix = variables.front().second;
      return std::make_unique<Bot>([life, prefix](int look) { return life(look, prefix); }, stopped);
    };
  }
  void buys(const std::string& client_id, const std::string& price) {
    EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ " + price + " --client-id " + client_id).exit, 0);
  }
  std::vector<std::string> open_orders() {
    std::vector<std::string> ids;
    const auto rows = machine.run("-n local --json orders list").rows();
    for (const Json& order : rows) ids.emplace_back(order.string_at("client_id").value_or(""));
    return ids;
  }
  // The types of the printed lines.
  static std::string types(const RunResult& ran) {
    std::string all;
    std::size_t at = 0;
    while (at < ran.out.size()) {
      const auto end = ran.out.find('\n', at);
      const auto line = parse_json(ran.out.substr(at, end - at));
      EXPECT_TRUE(line.has_value());
      if (line) all += std::string(line->string_at("type").value_or("?")) + " ";
      at = end + 1;
    }
    return all;
  }

  ClientMachine machine;
  Address alice;
  bool stopped = false;
};

TEST_F(GuardedBot, WhenItEndsItsOrdersAreCancelledAndOthersStay) {
  buys("mine", "30000");
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30001");
    if (look == 1) buys(prefix + "2", "30002");
    return {.printed = true, .exit = look == 2 ? std::optional(0) : std::nullopt};
  });
  const RunResult ran = machine.run("-n local guard -- bot --fast");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled cancelled end ");
  EXPECT_EQ(open_orders(), std::vector<std::string>{"mine"});
}

TEST_F(GuardedBot, WhenItsAccountIsLoggedOutItsOrdersAreCancelledAllTheSame) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30001");
    if (look == 1) {
      EXPECT_EQ(machine.run("-n local logout --all").exit, 0);
    }
    return {.printed = true, .exit = look == 2 ? std::optional(0) : std::nullopt};
  });
  const RunResult ran = machine.run("-n local guard --flatten -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled end ");
}

TEST_F(GuardedBot, IsNotDoneWhileAnOrderOfItsMayStillArrive) {
  struct PowerCut {};
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look > 0) return {.exit = 0};
    machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
      if (request.method == "POST") throw PowerCut{};
      return std::nullopt;
    };
    EXPECT_THROW(buys(prefix + "1", "30001"), PowerCut);
    machine.slept_ms = 0;
    return {};
  });
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger end ");
  EXPECT_GE(machine.slept_ms, 30 * second_ms) << "its signature was good for so long";
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST_F(GuardedBot, WhoseCancelsLoseTheirAnswersIsToldHowManyOrdersWereCancelled) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look > 0) return {.exit = 0};
    for (int i = 1; i <= 4; ++i) buys(prefix + std::to_string(i), std::to_string(30'000 + i));
    int lost = 0;
    machine.intercept = [this, lost](const api::HttpRequest& request) mutable -> Intercepted {
      if (request.method != "DELETE" || lost++ >= 2) return std::nullopt;
      static_cast<void>(machine.deliver(request));
      return unanswered(api::Delivery::unknown);
    };
    return {};
  });
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "\"clean\":true,\"cancelled\":4"));
}

TEST_F(GuardedBot, DoesNotWaitForALostOrderWithoutAClientId) {
  bot_does([&](int look, const std::string&) -> SupervisedProgram::Seen {
    if (look > 0) return {.exit = 0};
    machine.intercept = when(to("POST"), unanswered(api::Delivery::unknown));
    const std::string order = R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.01",)"
                              R"("price":"30000"})";
    EXPECT_EQ(machine.run({"-n", "local", "api", "POST", "/orders", "-d", order, "--no-reconcile"}).exit, 11);
    return {};
  });
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger end ");
}

TEST_F(GuardedBot, HasCancelsThatNameTheMarket) {
  sim::SandboxOptions options;
  options.strict_market_ids = true;
  ClientMachine strict(options);
  strict.add_trader("alice");
  strict.program = [&](const Variables& variables) {
    const std::string id = variables.front().second + "1";
    const auto life = [&strict, id](int look) -> SupervisedProgram::Seen {
      if (look > 0) return {.exit = 0};
      EXPECT_EQ(strict.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id " + id).exit, 0);
      return {};
    };
    return std::make_unique<Bot>(life, stopped);
  };
  const RunResult ran = strict.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled end ");
}

TEST_F(GuardedBot, IsToldThatTheGuardDoesNotCancelOrdersWithOtherIds) {
  machine.variables["SVC_CLIENT_ID_PREFIX"] = "bot-";
  machine.input = R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.01",)"
                  R"("price":"30000","client_id":"mine"})";
  const RunResult ran = machine.run("-n local orders batch -f -");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "begins with bot-, and this is mine"));
}

TEST_F(GuardedBot, IsNotLeftAloneByCtrlZ) {
  const auto is_ignored = [] {
    struct sigaction now {};
    EXPECT_EQ(::sigaction(SIGTSTP, nullptr, &now), 0);
    return now.sa_handler == SIG_IGN;
  };
  bot_does([&](int, const std::string&) -> SupervisedProgram::Seen {
    EXPECT_TRUE(is_ignored());
    return {.exit = 0};
  });
  EXPECT_EQ(machine.run("-n local guard -- bot").exit, 0);
  EXPECT_FALSE(is_ignored());
}

TEST_F(GuardedBot, IsNotLeftAloneByAFullDiskButTheExitCodeTells) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    machine.disk_is_full = false;
    if (look == 0) buys(prefix + "1", "30001");
    machine.disk_is_full = true;
    return {.printed = true, .exit = look == 2 ? std::optional(0) : std::nullopt};
  });
  machine.disk_is_full = true;
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_TRUE(has(ran.err, "standard output cannot be written"));
  machine.disk_is_full = false;
  EXPECT_TRUE(open_orders().empty());
}

TEST_F(GuardedBot, JqAndColumnFormatsAreRefusedBeforeItStarts) {
  bool started = false;
  bot_does([&](int, const std::string&) -> SupervisedProgram::Seen {
    started = true;
    return {.exit = 0};
  });
  EXPECT_EQ(machine.run("-n local guard -o csv -- bot").exit, 2);
  const RunResult filtered = machine.run("-n local guard --client-id-prefix pp- --jq .client_id -- bot");
  EXPECT_EQ(filtered.exit, 2);
  EXPECT_TRUE(has(filtered.out + filtered.err, "pipe its output into jq")) << filtered.err;
  EXPECT_FALSE(started);
}

// A bot that runs svc: its orders have the guard's prefix and account, without a flag.
TEST_F(GuardedBot, SvcOrdersUseTheGuardsPrefixAndAccount) {
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  machine.program = [this](const Variables& handed) {
    return std::make_unique<Bot>(
        [this, handed](int look) -> SupervisedProgram::Seen {
          if (look > 0) return {.exit = 0};
          for (const auto& [name, value] : handed) machine.variables[name] = value;
          machine.write("orders", R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1",)"
                                  R"("price":"30002","time_in_force":"GTC"})"
                                  "\n");
          for (const std::string& line : {std::string("buy 0.1 BTC-USDX-PERP @ 30001"),
                                          "orders batch --file " + (machine.home() / "orders").string()}) {
            const RunResult ran = machine.run("-n local --json " + line);
            EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
            EXPECT_TRUE(has(ran.out, "\"pp-svc-"));
            EXPECT_EQ(ran.document().string_at("account"), to_string(alice)) << ran.out;
          }
          const RunResult other = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30003 --client-id mine");
          EXPECT_TRUE(has(other.err, "whose client id begins with pp-"));
          for (const auto& [name, value] : handed) machine.variables.erase(name);
          return {};
        },
        stopped);
  };
  const RunResult ran = machine.run("-n local --signer alice guard --client-id-prefix pp- -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled cancelled end ");
  EXPECT_EQ(open_orders().size(), 1u) << "bob's";
}

TEST_F(GuardedBot, ALoginElsewhereChangesNothing) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30001");
    if (look == 1) machine.add_trader("bob");
    return {.exit = look == 1 ? std::optional(0) : std::nullopt};
  });
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled end ");
  EXPECT_TRUE(machine.run("-n local --signer alice --json orders list").rows().empty());
}

TEST_F(GuardedBot, CancelsThatAreRefusedEndAfterAMinute) {
  bot_does([&](int, const std::string& prefix) -> SupervisedProgram::Seen {
    buys(prefix + "1", "30001");
    EXPECT_EQ(
        machine.run("-n local local fault add --operation cancel_order --status 400 --code invalid_parameter").exit, 0);
    return {.exit = 0};
  });
  machine.slept_ms = 0;
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_NE(ran.exit, 0);
  EXPECT_FALSE(has(types(ran), "cancelled")) << ran.out;
  EXPECT_LT(machine.slept_ms, 2 * minute_ms);
  EXPECT_EQ(open_orders().size(), 1u);
}

TEST_F(GuardedBot, ItsExitCodeIsReturnedInOneDocumentAsWell) {
  // The last ones are also of ours.
  for (const int exit : {42, 1, 4, 10}) {
    bot_does([&](int, const std::string&) -> SupervisedProgram::Seen { return {.exit = exit}; });
    const RunResult ran = machine.run("-n local -o json guard -- bot");
    EXPECT_EQ(ran.exit, exit) << ran.err;
    EXPECT_EQ(ran.code(), "bot_failed") << ran.out;
    EXPECT_EQ(ran.document().string_at("error.category"), "program_exit") << ran.out;
  }
}

TEST_F(GuardedBot, ATooLongPrefixIsRefusedBeforeAnythingIsSent) {
  machine.variables["SVC_CLIENT_ID_PREFIX"] = std::string(35, 'p');
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30001").exit, 2);
  machine.variables["SVC_CLIENT_ID_PREFIX"] = std::string(34, 'p');
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30001").exit, 0);
}

// Its orders would be refused, or have ids of its own that the guard does not find.
TEST_F(GuardedBot, IsNotStartedWithAPrefixThatNoIdCanBeginWith) {
  bool started = false;
  bot_does([&](int, const std::string&) -> SupervisedProgram::Seen {
    started = true;
    return {.exit = 0};
  });
  for (const std::string& prefix : {std::string(35, 'p'), std::string("m m-"), std::string("mm\n")}) {
    const RunResult ran = machine.run({"-n", "local", "guard", "--client-id-prefix", prefix, "--", "bot"});
    EXPECT_EQ(ran.exit, 2) << ran.err;
    EXPECT_TRUE(has(ran.out + ran.err, "--client-id-prefix must be at most 34 printable characters"));
  }
  EXPECT_FALSE(started);
  EXPECT_EQ(machine.run({"-n", "local", "guard", "--client-id-prefix", std::string(34, 'p'), "--", "bot"}).exit, 0);
  EXPECT_TRUE(started);
}

TEST_F(GuardedBot, AnOrderInFlightIsCancelledByTheNextRound) {
  bot_does([&](int, const std::string&) -> SupervisedProgram::Seen { return {.exit = 3}; });
  int lists = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    const bool list = request.method == "GET" && request.path() == "/orders";
    if (list && ++lists == 2) buys("bot-late", "30000");
    return {};
  };
  const RunResult ran = machine.run("-n local guard --client-id-prefix bot- -- bot");
  EXPECT_EQ(ran.exit, 3) << "the bot's own exit code";
  EXPECT_EQ(types(ran), "start trigger cancelled end ");
  EXPECT_TRUE(open_orders().empty());
}

TEST_F(GuardedBot, SilenceStopsIt) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30000");
    return {.printed = look < 5};
  });
  const TimestampMs before_ms = machine.clock.now_ms();
  const RunResult ran = machine.run("-n local guard --stale 30s -- bot");
  EXPECT_EQ(ran.exit, 14);
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(has(ran.out, "\"reason\":\"stale\""));
  EXPECT_GE(machine.clock.now_ms() - before_ms, 30 * second_ms);
  EXPECT_LT(machine.clock.now_ms() - before_ms, 35 * second_ms);
  EXPECT_TRUE(open_orders().empty());
}

TEST_F(GuardedBot, ALossStopsItAndClosesThePosition) {
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local --signer bob sell 0.1 BTC-USDX-PERP @ 60000").exit, 0);
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) {
      EXPECT_EQ(machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP --client-id " + prefix + "1").exit, 0);
    }
    if (look == 1) {
      EXPECT_EQ(machine.run("local price BTC-USDX-PERP 58000").exit, 0);
    }
    if (look == 2) {
      EXPECT_EQ(machine.run("-n local --signer bob buy 0.1 BTC-USDX-PERP @ 57990").exit, 0);
    }
    return {.printed = true};
  });
  const RunResult ran = machine.run("-n local --signer alice guard --max-loss 150 --flatten -- bot");
  EXPECT_EQ(ran.exit, 14) << ran.out << ran.err;
  EXPECT_EQ(types(ran), "start trigger flattened end ");
  EXPECT_EQ(machine.run("-n local --json --signer alice positions list").rows().size(), 0u);
}

TEST_F(GuardedBot, IsToldOnceForEachOutageThatALossCannotBeJudged) {
  const std::int64_t began_ms = machine.clock.now_ms();
  machine.intercept = [&](const api::HttpRequest& request) {
    const bool is_out = (machine.clock.now_ms() - began_ms) / (20 * second_ms) % 2 == 1;
    return is_out && request.path() == "/account" ? answered(503, "{}") : Intercepted();
  };
  bot_does([&](int, const std::string&) -> SupervisedProgram::Seen {
    const bool is_over = machine.clock.now_ms() - began_ms >= 95 * second_ms;
    return {.printed = true, .exit = is_over ? std::optional(0) : std::nullopt};
  });
  const RunResult ran = machine.run("-n local guard --max-loss 150 -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  for (const std::string told : {"the account's loss is not judged", "the account's loss is judged again"}) {
    const std::size_t first = ran.err.find(told), second = ran.err.find(told, first + 1);
    ASSERT_NE(second, std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find(told, second + 1), std::string::npos) << ran.err;
  }
}

TEST_F(GuardedBot, FlatteningEndsWhenEveryPositionIsClosed) {
  machine.add_trader("bob");
  for (const std::string market : {"BTC-USDX-PERP", "ETH-USDX-PERP"}) {
    const std::string price = market.starts_with("BTC") ? "60000" : "3000";
    ASSERT_EQ(machine.run("-n local --signer bob sell 0.2 " + market + " @ " + price).exit, 0);
    ASSERT_EQ(machine.run("-n local --signer alice buy 0.2 " + market + " @ " + price).exit, 0);
    const std::string bid = market.starts_with("BTC") ? "59990" : "2999";
    ASSERT_EQ(machine.run("-n local --signer bob buy 0.05 " + market + " @ " + bid).exit, 0);
  }
  ASSERT_EQ(machine.run("local halt BTC-USDX-PERP").exit, 0);
  bot_does([](int, const std::string&) -> SupervisedProgram::Seen { return {.exit = 0}; });
  int looks = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "GET" || request.path() != "/positions") return {};
    if (++looks == 2) {
      EXPECT_EQ(machine.run("local resume BTC-USDX-PERP").exit, 0);
    }
    if (looks == 3) {
      for (const std::string rest : {"0.15 BTC-USDX-PERP @ 59990", "0.15 ETH-USDX-PERP @ 2999"})
        EXPECT_EQ(machine.run("-n local --signer bob buy " + rest).exit, 0);
    }
    return {};
  };
  const RunResult ran = machine.run("-n local --signer alice guard --flatten -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_EQ(machine.run("-n local --json --signer alice positions list").rows().size(), 0u);
}

TEST_F(GuardedBot, FlatteningThatTheBookDoesNotTakeIsToldAsSuch) {
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local --signer bob sell 0.2 BTC-USDX-PERP @ 60000").exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice buy 0.2 BTC-USDX-PERP @ 60000").exit, 0);
  ASSERT_EQ(machine.run("-n local --signer bob buy 0.05 BTC-USDX-PERP @ 59990").exit, 0);
  bot_does([](int, const std::string&) -> SupervisedProgram::Seen { return {.exit = 0}; });
  const RunResult ran = machine.run("-n local --signer alice guard --flatten -- bot");
  EXPECT_EQ(ran.exit, 15) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, R"("size":"0.2","filled":"0.05")"));
  EXPECT_TRUE(has(ran.out, R"("clean":false,"cancelled":0)"));
}

TEST_F(GuardedBot, FlatteningTellsAPositionThatCannotBeRead) {
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local --signer bob sell 0.2 BTC-USDX-PERP @ 60000").exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice buy 0.2 BTC-USDX-PERP @ 60000").exit, 0);
  std::string positions = machine.run("-n local -o raw --signer alice positions list").out;
  const std::string_view side = R"("side":"Long")";
  ASSERT_TRUE(has(positions, side));
  positions.replace(positions.find(side), side.size(), R"("side":null)");
  bot_does([](int, const std::string&) -> SupervisedProgram::Seen { return {.exit = 0}; });
  machine.intercept = when(to("GET", "/positions"), answered(200, positions, {{"Content-Type", "application/json"}}));
  const RunResult ran = machine.run("-n local --signer alice guard --flatten -- bot");
  EXPECT_EQ(ran.exit, 15) << ran.out << ran.err;
  EXPECT_TRUE(types(ran).starts_with("start trigger failed ")) << ran.out;
  EXPECT_TRUE(has(ran.out, R"("market":"BTC-USDX-PERP")"));
}

TEST_F(GuardedBot, AnUnreachableServiceIsRetried) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30000");
    return {.exit = look == 1 ? std::optional(0) : std::nullopt};
  });
  int refusals = 9;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "GET" || request.path() != "/orders" || refusals-- <= 0) return {};
    return unanswered(api::Delivery::not_sent, "connection refused");
  };
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger venue_lost venue_lost venue_lost cancelled end ");
  EXPECT_TRUE(open_orders().empty());
}

TEST_F(GuardedBot, IsNotHeldUpByABaseThatHangsSinceItBegan) {
  const std::string first = "http://127.0.0.1:9001", second = "http://127.0.0.1:9002";
  machine.variables["SVC_LOCAL_URL"] = first + " " + second;
  bool hangs = false;
  machine.intercept_at = [&](const std::string& origin, const api::HttpRequest&) -> Intercepted {
    if (!hangs || origin != first) return {};
    machine.clock.advance(machine.timeout_ms);
    return unanswered(api::Delivery::unknown, "timed out");
  };
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30000");
    hangs = look == 1;
    return {.exit = look == 1 ? std::optional(0) : std::nullopt};
  });
  const TimestampMs began_ms = machine.clock.now_ms();
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled end ");
  EXPECT_LE(machine.clock.now_ms() - began_ms, 5 * second_ms);
  hangs = false;
  EXPECT_TRUE(open_orders().empty());
}

TEST_F(GuardedBot, GoesOnWhenAnotherSandboxStarts) {
  const auto runs = [&](const std::string& name, const std::string& url) {
    machine.write(".local/state/svc/run/local/" + name + ".json",
                  R"({"url":")" + url + R"(","pid":)" + std::to_string(::getpid()) + "}");
  };
  std::filesystem::create_directories(machine.state() / "run/local");
  for (const char* folder : {"run", "run/local"})
    std::filesystem::permissions(machine.state() / folder, std::filesystem::perms::owner_all);
  machine.variables.erase("SVC_LOCAL_URL");
  runs("one", "http://localhost:9090");
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    if (look == 0) buys(prefix + "1", "30000");
    if (look == 1) runs("two", "http://localhost:9191");
    return {.exit = look == 1 ? std::optional(0) : std::nullopt};
  });
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger cancelled end ");
  EXPECT_EQ(machine.run("-n local orders list").exit, 2);  // other commands must say which one
}

TEST_F(GuardedBot, ACancelWithoutAnAnswerDoesNotDelayTheOthers) {
  bot_does([&](int look, const std::string& prefix) -> SupervisedProgram::Seen {
    for (int i = 0; look == 0 && i < 4; ++i) buys(prefix + std::to_string(i), std::to_string(30'000 + i));
    return {.exit = look == 1 ? std::optional(0) : std::nullopt};
  });
  int cancels = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "DELETE" || ++cancels != 1) return {};
    return answered(502, "bad gateway");
  };
  machine.slept_ms = 0;
  const RunResult ran = machine.run("-n local guard -- bot");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(types(ran), "start trigger failed cancelled cancelled cancelled cancelled end ");
  EXPECT_LT(machine.slept_ms, second_ms);
  EXPECT_TRUE(open_orders().empty());
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST_F(GuardedBot, ASignalDecidesTheExitCode) {
  const std::pair<int, int> exits[] = {{SIGINT, 130}, {SIGTERM, 143}};
  for (const auto& [signal, exit] : exits) {
    bot_does([signal](int, const std::string&) -> SupervisedProgram::Seen { return {.signal = signal}; });
    const RunResult ran = machine.run("-n local guard -- bot");
    EXPECT_EQ(ran.exit, exit);
    EXPECT_EQ(types(ran), "start trigger end ");
    EXPECT_TRUE(has(ran.err, "svc: stopped by a signal"));
  }
}

TEST_F(GuardedBot, DoesNotStartIfItCouldNotBeStopped) {
  bool started = false;
  machine.program = [&](const Variables&) -> std::unique_ptr<SupervisedProgram> {
    started = true;
    return nullptr;
  };
  machine.intercept = when(to("", "/account"), unanswered(api::Delivery::not_sent, "connection refused"));
  EXPECT_EQ(machine.run("-n local guard -- bot").exit, 10);
  EXPECT_FALSE(started);
  EXPECT_EQ(machine.run("-n local guard").exit, 2);
}

TEST_F(GuardedBot, SecretVariablesArePassedOnOnlyByName) {
  Variables seen;
  machine.variables["SVC_API_SECRET"] = "00";
  machine.program = [&](const Variables& variables) {
    seen = variables;
    return std::make_unique<Bot>([](int) -> SupervisedProgram::Seen { return {.exit = 0}; }, stopped);
  };
  machine.variables["SVC_API_KEY"] = "k";
  EXPECT_EQ(machine.run("-n local --signer alice guard --pass-env SVC_API_SECRET -- bot").exit, 0);
  EXPECT_EQ(seen.back(), (std::pair<std::string, std::string>{"SVC_API_SECRET", "00"}));
  EXPECT_EQ(machine.run("-n local --signer alice guard --pass-env SVC_API_SECRETS -- bot").exit, 2);
  for (const char* password : {"--password-file -", "--password-fd 0"}) {
    EXPECT_EQ(machine.run("-n local guard " + std::string(password) + " -- bot").exit, 2) << "the bot reads it too";
  }
}

TEST(SupervisedProgram, AreProcessesThatEndWithTheGuard) {
  auto program = start_process({"/bin/sh", "-c", "echo $GREETING >&2; exec sleep 60"}, {{"GREETING", "hello"}});
  ASSERT_TRUE(program.has_value());
  EXPECT_FALSE((*program)->look().exit.has_value());
  (*program)->stop();
  EXPECT_EQ((*program)->look().exit, 143);
  EXPECT_FALSE(start_process({"/nowhere/bot"}, {}).has_value());
}

TEST(HelperRun, ReturnsTheProgramsStandardOutput) {
  const auto run = [](const std::string& script, const std::string& input = {}) {
    return run_helper({.words = {"/bin/sh", "-c", script}, .input = input, .bytes_max = 100, .timeout_ms = 20'000});
  };
  EXPECT_EQ(run("cat", "hello\n").value(), "hello\n");
  EXPECT_EQ(run("echo secret", std::string(200'000, 'x')).value(), "secret\n") << "it need not read its input";
  const auto hanging =
      run_helper({.words = {"/bin/sh", "-c", "echo secret; exec >&-; sleep 20"}, .bytes_max = 100, .timeout_ms = 200});
  EXPECT_TRUE(has(hanging.error(), "too long")) << "it closed its output and went on";
  EXPECT_EQ(run("sleep 20 2>/dev/null & echo secret").value(), "secret\n")
      << "it left a program behind that holds its output";
  EXPECT_TRUE(has(run("exit 3").error(), "exit 3"));
  EXPECT_TRUE(has(run("head -c 101 /dev/zero").error(), "too long"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
