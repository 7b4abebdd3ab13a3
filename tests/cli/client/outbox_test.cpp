// A write may be interrupted at any point: before it is sent, on its way, or on the way back. It is never sent twice,
// and its outcome is found.
#include "cli/store/outbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <regex>

#include "api/operation_table.h"
#include "cli/client/proof.h"
#include "cli/client_machine.h"
#include "cli/output_check.h"
#include "sim/gateway/http_server_loop.h"

namespace svc::cli {
namespace SVC_FILE {

// Thrown where the process ends: nothing runs after it, and no answer is recorded.
struct PowerCut {};

enum class Cut {
  before_sending,  // recorded, but not sent
  request,         // the request does not arrive
  answer,          // the request arrives, but not the answer
  power_before,    // power loss before the request arrives
  power_after,     // power loss after the request arrived
};

// For the names of the test cases.
void PrintTo(Cut cut, std::ostream* out) {
  constexpr std::array names{"before_sending", "request", "answer", "power_before", "power_after"};
  *out << names[static_cast<std::size_t>(cut)];
}

Intercepted lost() {
  return unanswered(api::Delivery::unknown);
}

Intercepted not_sent() {
  return unanswered(api::Delivery::not_sent, "connection refused");
}

// Interrupts the first write and passes everything after it.
void cut_first_write(ClientMachine& machine, Cut cut) {
  machine.intercept = [&machine, cut, done = false](const api::HttpRequest& request) mutable -> Intercepted {
    if (!is_write(request) || done) return {};
    done = true;
    if (cut == Cut::power_before) throw PowerCut{};
    if (cut == Cut::before_sending) return not_sent();
    if (cut == Cut::request) return lost();
    machine.deliver(request);
    if (cut == Cut::power_after) throw PowerCut{};
    return lost();
  };
}

std::size_t writes_sent(const ClientMachine& machine) {
  return static_cast<std::size_t>(std::count_if(machine.sent.begin(), machine.sent.end(), is_write));
}

// Every kind of write, with the commands needed before it.
struct Write {
  std::vector<std::string> before;
  std::string line;
  bool without_window = false;    // its signature does not expire, so it cannot be proved that the write never arrived
  bool secret_in_answer = false;  // accepted, but useless without its answer
};

const std::string password = " --password-file @";
const std::string resting = "buy 0.1 BTC-USDX-PERP @ 30000 --client-id resting";
const std::string isolated = "margin mode set BTC-USDX-PERP isolated";
const std::string offer = "--signer bob sell 1 BTC-USDX-PERP @ 60000";
const std::string position = "buy 0.1 BTC-USDX-PERP";

const std::vector<Write> writes = {
    {{}, "buy 0.1 BTC-USDX-PERP @ 30000"},
    {{}, "sell 0.1 BTC-USDX-PERP @ 90000"},
    {{}, "orders place BTC-USDX-PERP --side buy --size 0.1 --price 30000"},
    {{offer}, "buy 0.1 BTC-USDX-PERP"},
    {{}, "orders batch --file @orders"},
    {{resting}, "orders amend RESTING --price 29990"},
    {{resting}, "orders cancel --client-id resting"},
    {{resting}, "orders cancel-all"},
    {{offer, isolated, position}, "margin add BTC-USDX-PERP 50"},
    {{offer, isolated, position, "margin add BTC-USDX-PERP 1000"}, "margin remove BTC-USDX-PERP 5"},
    {{}, "margin mode set BTC-USDX-PERP isolated"},
    {{}, "margin leverage BTC-USDX-PERP 5"},
    {{}, "account cancel-on-disconnect on"},
    {{}, "deposits submit --amount 25"},
    {{"transfers enroll" + password}, "transfers send 5 --to BOB" + password},
    {{}, "transfers enroll" + password},
    {{}, "withdrawals submit 25" + password, true},
    {{}, "keys create --label second", true, true},
    {{"keys create --label second"}, "keys delete KEY", true},
    {{}, "agents register 0x00000000000000000000000000000000000000aa" + password, true},
    {{"agents register 0x00000000000000000000000000000000000000aa" + password},
     "agents revoke 0x00000000000000000000000000000000000000aa"},
    {{}, "faucet claim"},
    {{}, "faucet credit --amount 5"},
    {{}, "api POST /orders -d @body"},
};

class LostConnection : public testing::TestWithParam<Cut> {
 protected:
  static sim::SandboxOptions options() {
    sim::SandboxOptions options;
    options.faucet = true;
    return options;
  }

  // Sets up a machine for the write, and returns the line with its placeholders replaced.
  std::string prepare(ClientMachine& machine, const Write& write) {
    const bool two = !write.before.empty() && (write.before[0] == offer || write.line.find("BOB") != std::string::npos);
    const Address bob = two ? machine.add_trader("bob") : Address{};
    if (two) {
      EXPECT_EQ(machine.run("-n local transfers enroll" + filled(machine, password)).exit, 0);
    }
    machine.add_trader("alice");
    machine.write(
        "orders",
        R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000","time_in_force":"GTC"})"
        "\n");
    machine.write(
        "body",
        R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000","time_in_force":"GTC","client_id":"typed"})");
    for (const std::string& line : write.before) {
      const RunResult ran = machine.run("-n local " + filled(machine, line));
      EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.err;
    }
    std::string line = filled(machine, write.line);
    if (const auto at = line.find("BOB"); at != std::string::npos) line.replace(at, 3, to_string(bob));
    if (const auto at = line.find("KEY"); at != std::string::npos && line.find("delete KEY") != std::string::npos) {
      const auto rows = machine.run("-n local --json keys list").rows();
      line.replace(line.find("KEY", at), 3, rows.back().string_at("key_id").value_or(""));
    }
    if (const auto at = line.find("RESTING"); at != std::string::npos) {
      const Json order = machine.run("-n local --json orders get --client-id resting").document();
      line.replace(at, 7, order.string_at("data.order_id").value_or(order.string_at("data.id").value_or("")));
    }
    machine.clock.advance(1);  // what ends at the very moment of a look may have ended before or after it
    machine.sent.clear();
    machine.slept_ms = 0;
    return line;
  }

  static std::string filled(const ClientMachine& machine, std::string line) {
    for (const auto& [mark, name] :
         {std::pair{"file @orders", "orders"}, {"file @", "password"}, {"-d @body", "body"}}) {
      const std::string text(mark);
      const auto at = line.find(text);
      if (at == std::string::npos) continue;
      const bool data = text == "-d @body";
      line.replace(at, text.size(), (data ? "-d @" : "file ") + (machine.home() / name).string());
    }
    return line;
  }
};

TEST_P(LostConnection, EveryWriteIsSentOnceAndItsOutcomeIsFound) {
  for (const Write& write : writes) {
    ClientMachine machine(options());
    const std::string line = prepare(machine, write);
    SCOPED_TRACE(line);
    cut_first_write(machine, GetParam());
    const RunResult ran = machine.run("-n local --json " + line);
    if (GetParam() == Cut::before_sending) {
      EXPECT_EQ(ran.exit, 0) << ran.out << "nothing had left, so it was sent again";
      EXPECT_EQ(writes_sent(machine), 2u);
      EXPECT_EQ(machine.open_entries(), 0u);
      continue;
    }
    EXPECT_EQ(writes_sent(machine), 1u) << "never twice";
    EXPECT_LE(machine.slept_ms, 30'000) << "half a minute";
    if (GetParam() == Cut::request) {
      EXPECT_EQ(ran.exit, 11) << ran.out;
      EXPECT_EQ(machine.open_entries(), 1u);
      const std::string id = ran.document().text_at("error.details.outbox");
      const RunResult resolved = machine.run("-n local outbox resolve " + id + filled(machine, password));
      const bool never = write.without_window;
      EXPECT_EQ(resolved.exit, never ? 11 : 0) << resolved.out;
      EXPECT_EQ(machine.open_entries(), never ? 1u : 0u);
    } else if (write.secret_in_answer) {
      EXPECT_EQ(ran.code(), "key_secret_lost");
      EXPECT_EQ(machine.open_entries(), 0u);
    } else {
      EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
      EXPECT_EQ(machine.open_entries(), 0u);
      const Json document = ran.document();
      std::string command = document.text_at("schema").substr(4);  // "svc.orders.cancel/1"
      command = command.substr(0, command.find('/'));
      std::ranges::replace(command, '.', ' ');
      EXPECT_EQ(check_output(command, *document.find("data")), std::nullopt) << ran.out << "the shape of the answer";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OnTheLine, LostConnection, testing::Values(Cut::before_sending, Cut::request, Cut::answer));

class PowerLoss : public LostConnection {};

TEST_P(PowerLoss, TheNextRunSettlesEveryWrite) {
  for (const Write& write : writes) {
    ClientMachine machine(options());
    const std::string line = prepare(machine, write);
    SCOPED_TRACE(line);
    cut_first_write(machine, GetParam());
    EXPECT_THROW(machine.run("-n local " + line), PowerCut);
    EXPECT_EQ(writes_sent(machine), 1u);
    const auto left = machine.run("-n local --json outbox list").rows();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].string_at("state"), "cut_off");

    machine.clock.advance(minute_ms);
    const RunResult resolved = machine.run("-n local --json outbox resolve" + filled(machine, password));
    const Json row = resolved.rows().at(0);
    const bool arrived = GetParam() == Cut::power_after;
    const bool never = !arrived && write.without_window;
    if (never) {
      EXPECT_EQ(resolved.exit, 11) << resolved.out;
      EXPECT_EQ(machine.open_entries(), 1u) << "it stays until somebody drops it";
      continue;
    }
    EXPECT_EQ(resolved.exit, 0) << resolved.out;
    EXPECT_EQ(row.string_at("verdict"), arrived ? "accepted" : "not_accepted") << resolved.out;
    EXPECT_EQ(machine.open_entries(), 0u);
    EXPECT_EQ(writes_sent(machine), 1u) << "looking sends nothing that writes";
  }
}

TEST_P(PowerLoss, TheRepeatIsRefusedUnlessItIsMeant) {
  const std::vector<Write> costly = {
      {{}, "buy 0.1 BTC-USDX-PERP @ 30000"},
      {{}, "withdrawals submit 25" + password},
      {{}, "deposits submit --amount 25"},
      {{"transfers enroll" + password}, "transfers send 5 --to BOB" + password},
      {{offer, isolated, position}, "margin add BTC-USDX-PERP 50"},
      {{}, "bridge withdraw 25"},
  };
  const bool arrived = GetParam() == Cut::power_after;
  for (const Write& write : costly) {
    ClientMachine machine(options());
    const std::string line = prepare(machine, write);
    SCOPED_TRACE(line);
    cut_first_write(machine, GetParam());
    EXPECT_THROW(machine.run("-n local " + line), PowerCut);
    machine.sent.clear();
    for (int i = 0; i < 2; ++i) {
      const RunResult repeat = machine.run("-n local --json " + line);
      EXPECT_EQ(repeat.exit, 14) << repeat.out;
      EXPECT_EQ(repeat.code(), "duplicate_intent") << repeat.out;
      EXPECT_TRUE(has(repeat.out, arrived ? "was accepted, though" : "is not known whether"));
    }
    EXPECT_EQ(writes_sent(machine), 0u);
    EXPECT_EQ(machine.run("-n local --allow-duplicate " + line).exit, 0);
    EXPECT_EQ(writes_sent(machine), 1u);
  }
}

TEST_P(PowerLoss, TheRepeatOfWhatOutboxResolveFoundIsRefused) {
  if (GetParam() != Cut::power_after) return;  // what did not arrive may be sent again
  for (const Write& write :
       {Write{{}, "buy 0.1 BTC-USDX-PERP @ 30000"}, Write{{}, "withdrawals submit 25" + password}}) {
    ClientMachine machine(options());
    const std::string line = prepare(machine, write);
    cut_first_write(machine, GetParam());
    EXPECT_THROW(machine.run("-n local " + line), PowerCut);
    ASSERT_EQ(machine.run("-n local outbox resolve").exit, 0) << line;
    const RunResult repeat = machine.run("-n local --json " + line);
    EXPECT_EQ(repeat.code(), "duplicate_intent") << repeat.out;
    EXPECT_EQ(machine.run("-n local --allow-duplicate " + line).exit, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheMachine, PowerLoss, testing::Values(Cut::power_before, Cut::power_after));

TEST(Proof, TheRowOfAnotherCommandProvesNothing) {
  TraderMachine machine;
  const std::string withdraw = "-n local --json withdrawals submit 25" + password;
  const std::string line = withdraw.substr(0, withdraw.find('@')) + (machine.home() / "password").string();
  cut_first_write(machine, Cut::request);
  const RunResult lost_one = machine.run(line);
  EXPECT_EQ(lost_one.exit, 11);
  EXPECT_EQ(machine.run(line + " --allow-duplicate").exit, 0) << "the user repeats it";
  const std::string id = lost_one.document().text_at("error.details.outbox");
  const RunResult resolved = machine.run("-n local --json outbox resolve " + id);
  EXPECT_EQ(resolved.exit, 11) << resolved.out;
  EXPECT_TRUE(has(resolved.out, R"("verdict":"not_seen")"));
}

// The first command is lost while the second, which is the same, is answered.
TEST(Proof, OfTwoEqualCommandsAtOnceOneAnswerProvesOneOnly) {
  const std::vector<std::string> setup{offer, isolated, position, "margin add BTC-USDX-PERP 1000"};
  for (const std::string line : {"deposits submit --amount 25", "margin add BTC-USDX-PERP 5"}) {
    SCOPED_TRACE(line);
    ClientMachine machine;
    machine.add_trader("bob");
    machine.add_trader("alice");
    for (const std::string& before : setup) ASSERT_EQ(machine.run("-n local " + before).exit, 0) << before;
    machine.clock.advance(1);
    bool is_second = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!is_write(request) || is_second) return {};
      is_second = true;
      machine.clock.advance(1);
      EXPECT_EQ(machine.run("-n local " + line).exit, 0);
      return lost();
    };
    const RunResult first = machine.run("-n local --json " + line);
    EXPECT_EQ(first.exit, 11) << first.out;
    machine.clock.advance(minute_ms);
    const RunResult resolved = machine.run("-n local --json outbox resolve");
    EXPECT_TRUE(has(resolved.out, R"("verdict":"not_accepted")"));
  }
}

TEST(Proof, ACommandThatIsSentDuringALookIsNotTakenForTheLostOne) {
  TraderMachine machine;
  const std::string line = "deposits submit --amount 25";
  int writes_seen = 0;
  bool is_sent = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request)) return ++writes_seen == 1 ? lost() : Intercepted();
    if (writes_seen != 1 || request.path() != "/deposits" || std::exchange(is_sent, true)) return {};
    machine.clock.advance(1);
    EXPECT_EQ(machine.run("-n local --allow-duplicate " + line).exit, 0);
    return {};
  };
  EXPECT_EQ(machine.run("-n local --json " + line).exit, 11);
  EXPECT_EQ(writes_seen, 2);
}

TEST(Proof, AnAmendmentIsNotProvedIfTermsThatItDidNotNameHaveChanged) {
  TraderMachine machine;
  const Json placed = machine.run("-n local --json " + resting).document();
  const std::string amend = "-n local --json orders amend " + placed.text_at("data.order.id") + " --size 0.3";
  cut_first_write(machine, Cut::request);
  EXPECT_EQ(machine.run(amend + " --no-reconcile").exit, 11);
  EXPECT_EQ(machine.run(amend + " --price 29990").exit, 0);
  const RunResult resolved = machine.run("-n local --json outbox resolve");
  EXPECT_FALSE(has(resolved.out, R"("verdict":"accepted")"));
}

TEST(Proof, AFillMayHaveMovedMargin) {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  for (const std::string& before : {offer, isolated, position}) ASSERT_EQ(machine.run("-n local " + before).exit, 0);
  cut_first_write(machine, Cut::request);
  EXPECT_EQ(machine.run("-n local --no-reconcile margin add BTC-USDX-PERP 600").exit, 11);
  EXPECT_EQ(machine.run("-n local " + position).exit, 0);
  machine.clock.advance(2 * minute_ms);
  const RunResult resolved = machine.run("-n local --json outbox resolve");
  EXPECT_TRUE(has(resolved.out, "a fill may have moved margin"));
}

TEST(Proof, AWriteSentWithNoReconcileIsFoundByOutboxResolve) {
  TraderMachine machine;
  cut_first_write(machine, Cut::answer);
  EXPECT_EQ(machine.run("-n local --no-reconcile deposits submit --amount 25").exit, 11);
  EXPECT_EQ(machine.run("-n local outbox resolve").exit, 0);
}

// The service's clock is ahead: what rests may be from before the cancel.
TEST(Proof, ALostCancelAllStaysUnknownWhileAnOpenOrderMayBeOlder) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local " + resting).exit, 0);
  cut_first_write(machine, Cut::request);
  machine.clock.advance(-second_ms);
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 11);
}

// Two equal commands at once, and neither is answered: two new rows prove both, one proves neither.
TEST(Proof, AsManyRowsAsCommandsProveThemAll) {
  for (const bool both_arrive : {true, false}) {
    TraderMachine machine;
    const std::string line = "-n local deposits submit --amount 25";
    bool is_second = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!is_write(request)) return {};
      const bool arrives = !is_second || both_arrive;
      if (!std::exchange(is_second, true)) {
        EXPECT_THROW(machine.run(line), PowerCut);
      }
      if (arrives) machine.deliver(request);
      throw PowerCut{};
    };
    EXPECT_THROW(machine.run(line), PowerCut);
    const RunResult resolved = machine.run("-n local --json outbox resolve");
    const auto document = resolved.rows();
    ASSERT_EQ(document.size(), 2u);
    for (const Json& row : document)
      EXPECT_EQ(row.string_at("verdict"), both_arrive ? "accepted" : "unknown") << resolved.out;
    EXPECT_EQ(machine.open_entries(), both_arrive ? 0u : 2u);
  }
}

TEST(Outbox, TheNextWriteSettlesEntriesOfACrash) {
  TraderMachine machine;
  cut_first_write(machine, Cut::power_after);
  EXPECT_THROW(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id mine"), PowerCut);
  const RunResult next = machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(next.exit, 0);
  EXPECT_TRUE(has(next.err, "mine of 2026-09-21T12:00:00"));
  EXPECT_TRUE(has(next.err, "was accepted (order"));
  EXPECT_EQ(machine.open_entries(), 0u);
  const auto journal = machine.journal("local");
  EXPECT_TRUE(std::any_of(journal.begin(), journal.end(),
                          [](const Json& line) { return line.string_at("verdict") == "accepted"; }));
}

TEST(Outbox, AnotherWriteOrAnOwnIdIsNoRepeatOfALostWrite) {
  for (const std::string write : {"buy 0.1 BTC-USDX-PERP @ 30001", "sell 0.1 BTC-USDX-PERP @ 90000",
                                  "buy 0.1 BTC-USDX-PERP @ 30000 --client-id second",
                                  R"(api POST /orders -d '{"market_id":"BTC-USDX-PERP","side":"Buy","quantity":"0.1",)"
                                  R"("order_type":"Limit","price":"30000","time_in_force":"GTC","client_id":"raw"}')",
                                  R"(api POST /orders/batch -d '[{"market_id":"BTC-USDX-PERP","side":"Buy",)"
                                  R"("order_type":"Limit","quantity":"0.1","price":"30000","time_in_force":"GTC",)"
                                  R"("client_id":"raw"}]')"}) {
    TraderMachine machine;
    cut_first_write(machine, Cut::power_after);
    EXPECT_THROW(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000"), PowerCut);
    EXPECT_EQ(machine.run("-n local " + write).exit, 0) << write;
    EXPECT_EQ(machine.open_entries(), 0u) << write;
  }
}

TEST(Outbox, AnOrderWithRelativeTermsIsRecognisedAsItWasTyped) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  cut_first_write(machine, Cut::power_after);
  EXPECT_THROW(machine.run("-n local buy 0.1 btc @ bid+1t"), PowerCut);  // it moves the bid
  const RunResult repeat = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ BID+1t");
  EXPECT_EQ(repeat.code(), "duplicate_intent") << repeat.out;
  EXPECT_EQ(machine.run("-n local buy 0.1 btc @ bid+2t").exit, 0) << "another order";
}

TEST(Outbox, ACancelOfAllTellsOfAnOrderThatMayStillArrive) {
  TraderMachine machine;
  cut_first_write(machine, Cut::power_before);
  EXPECT_THROW(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000"), PowerCut);
  const auto is_told = [&](const std::string& line) {
    const Json document = machine.run("-n local --json " + line).document();
    const auto& warnings = document.find("warnings")->items();
    return std::ranges::any_of(warnings, [](const Json& one) { return one.string_at("code") == "unsettled"; });
  };
  EXPECT_TRUE(is_told("orders cancel-all"));
  EXPECT_TRUE(is_told("flatten"));
  machine.clock.advance(3 * minute_ms);
  EXPECT_FALSE(is_told("orders cancel-all")) << "by now it has arrived, or never will";
}

TEST(Outbox, AnotherWriteInBetweenDoesNotMakeTheRepeatOfALostOnePass) {
  TraderMachine machine;
  const std::string line = "-n local buy 0.1 BTC-USDX-PERP @ 30000";
  cut_first_write(machine, Cut::power_after);
  EXPECT_THROW(machine.run(line), PowerCut);
  EXPECT_EQ(machine.run("-n local margin leverage BTC-USDX-PERP 5").exit, 0);
  EXPECT_EQ(machine.open_entries(), 1u) << "orders are looked for before orders";
  EXPECT_EQ(machine.run(line).exit, 14);
  EXPECT_EQ(machine.run(line + " --allow-duplicate").exit, 0);
  EXPECT_EQ(machine.run(line).exit, 0) << "the lost one is dealt with";
}

TEST(Outbox, TheLinesOfALostBatchAreRepeatsInAnotherBatchAndAlone) {
  const std::string order =
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000"})"
      "\n";
  for (const bool arrived : {false, true}) {
    TraderMachine machine;
    const std::string batch = "-n local orders batch --file ";
    cut_first_write(machine, arrived ? Cut::power_after : Cut::power_before);
    EXPECT_THROW(machine.run(batch + machine.write("one", order).string()), PowerCut);
    machine.sent.clear();
    EXPECT_EQ(machine.run(batch + machine.write("copy", order + "\n").string()).exit, 14);
    EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 14);
    EXPECT_EQ(writes_sent(machine), 0u);
  }
}

TEST(Outbox, AReduceOnlyOrderIsNoRepeatHoweverItIsTyped) {
  TraderMachine machine;
  const std::string line = R"(-n local --json api POST /orders -d '{"market_id":"BTC-USDX-PERP","side":"Sell",)"
                           R"("order_type":"Limit","quantity":"0.1","price":"90000","time_in_force":"GTC",)"
                           R"("reduce_only":true}')";
  cut_first_write(machine, Cut::power_before);
  EXPECT_THROW(machine.run(line), PowerCut);
  EXPECT_NE(machine.run(line).exit, 14);
}

TEST(Outbox, TheRepeatIsRefusedWhileTheFirstRunLooks) {
  TraderMachine machine;
  const std::string line = "-n local --json buy 0.1 BTC-USDX-PERP @ 30000";
  int writes = 0;
  bool is_repeated = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request)) return ++writes == 1 ? lost() : Intercepted();
    if (writes == 1 && !is_repeated) {
      is_repeated = true;
      EXPECT_EQ(machine.run(line).exit, 14);
    }
    return {};
  };
  EXPECT_EQ(machine.run(line).exit, 11);
  EXPECT_TRUE(is_repeated);
  EXPECT_EQ(writes, 1);
}

// The run of the first one has ended without a word, so that its entry looks like one that is being sent.
TEST(Outbox, TheRepeatIsRefusedWhileAnotherProcessLooks) {
  TraderMachine machine;
  const std::string line = "-n local --json buy 0.1 BTC-USDX-PERP @ 30000";
  cut_first_write(machine, Cut::power_after);
  EXPECT_THROW(machine.run(line), PowerCut);
  bool is_repeated = false;
  machine.intercept = [&](const api::HttpRequest&) -> Intercepted {
    if (!std::exchange(is_repeated, true)) {
      EXPECT_EQ(machine.run(line).exit, 14);
    }
    return {};
  };
  EXPECT_EQ(machine.run("-n local outbox resolve").exit, 0);
  EXPECT_TRUE(is_repeated);
}

TEST(Outbox, TheRepeatIsRefusedWhateverTheServersClockSays) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local local time advance 2h").exit, 0);
  const std::string line = "-n local buy 0.1 BTC-USDX-PERP @ 30000";
  cut_first_write(machine, Cut::power_after);
  EXPECT_THROW(machine.run(line), PowerCut);
  EXPECT_EQ(machine.run(line).exit, 14);
}

TEST(Outbox, AfterAnHourTheSameWriteIsNoRepeat) {
  TraderMachine machine;
  cut_first_write(machine, Cut::power_after);
  EXPECT_THROW(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000"), PowerCut);
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 14);
  machine.clock.advance(hour_ms + second_ms);
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  EXPECT_EQ(machine.open_entries(), 0u);
}

const std::string stop_9 = " BTC-USDX-PERP @ 30000 --client-id stop-9";

TEST(Proof, AnEarlierOrderWithTheSameClientIdProvesNothing) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1" + stop_9).exit, 0);
  cut_first_write(machine, Cut::request);
  const RunResult ran = machine.run("-n local --json buy 0.2" + stop_9);
  EXPECT_EQ(ran.exit, 7) << ran.out;
  EXPECT_TRUE(has(ran.out, "was an earlier order's"));
  EXPECT_EQ(machine.open_entries(), 0u);
}

// Ids of transfers are those of the payer, and the list has what came in as well.
TEST(Proof, ATransferOfTheOtherPartyUnderTheSameIdProvesNothing) {
  ClientMachine machine;
  const Address bob = machine.add_trader("bob");
  const Address alice = machine.add_trader("alice");
  for (const char* who : {"alice", "bob"})
    ASSERT_EQ(machine.run(std::string("-n local --signer ") + who + " transfers enroll" + machine.with_password).exit,
              0);
  const auto pays = [&](const std::string& who, const Address& whom, const std::string& terms) {
    return machine
        .run("-n local --json --signer " + who + " transfers send " + terms + " --to " + to_string(whom) +
             machine.with_password)
        .exit;
  };
  ASSERT_EQ(pays("bob", alice, "1 --id inv-1"), 0);
  cut_first_write(machine, Cut::request);
  EXPECT_EQ(pays("alice", bob, "5 --id inv-1"), 11) << "it did not arrive";
  bool is_first = true;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_write(request) || !std::exchange(is_first, false)) return {};
    machine.deliver(request);
    EXPECT_EQ(pays("bob", alice, "2 --id inv-2"), 0);
    return lost();
  };
  EXPECT_EQ(pays("alice", bob, "6 --id inv-2"), 0) << "it arrived";
}

TEST(Proof, ARepeatUnderTheSameKeyMakesNoSecondWithdrawal) {
  TraderMachine machine;
  const std::string line = "-n local --json bridge withdraw 25 --idempotency-key q3";
  machine.intercept = after(machine, is_write, lost());
  EXPECT_EQ(machine.run(line + " --no-reconcile").exit, 11);
  machine.intercept = {};
  EXPECT_EQ(machine.run(line + " --no-reconcile").exit, 0) << "as the first run advises";
  machine.clock.advance(2 * minute_ms);
  const RunResult found = machine.run("-n local --json outbox resolve");
  EXPECT_TRUE(has(found.out, R"("verdict":"accepted")"));
  EXPECT_EQ(machine.open_entries(), 0u);
  EXPECT_EQ(machine.run("-n local --json bridge withdrawals list").rows().size(), 1u);
}

// The first copy is on its way while the second is refused.
TEST(Proof, ARefusedRepeatSaysNothingOfTheWithdrawalBeforeIt) {
  for (const int status : {403, 429, 503}) {
    SCOPED_TRACE(status);
    TraderMachine machine;
    std::optional<api::HttpRequest> first;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!is_write(request)) return {};
      if (!std::exchange(first, request)) return lost();
      const std::string code = status == 403   ? "RESTRICTED_JURISDICTION"
                               : status == 429 ? "RATE_LIMIT_EXCEEDED"
                                               : "service_unavailable";
      return answered(status, R"({"code":")" + code + R"(","message":"m"})", {{"Retry-After", "120"}});
    };
    const RunResult ran = machine.run("-n local --json bridge withdraw 25");
    EXPECT_EQ(ran.exit, 11) << ran.out;
    EXPECT_EQ(machine.open_entries(), 1u);
    machine.intercept = {};
    machine.deliver(*first);
    machine.clock.advance(2 * minute_ms);
    EXPECT_EQ(machine.run("-n local outbox resolve").exit, 0);
    EXPECT_EQ(machine.open_entries(), 0u) << "it was paid";
  }
}

TEST(Proof, TheLostAnswerToARepeatIsFoundInTheFirstOnesRow) {
  TraderMachine machine;
  const std::string line = "-n local --json bridge withdraw 25 --idempotency-key q4";
  ASSERT_EQ(machine.run(line).exit, 0);
  machine.clock.advance(second_ms);
  machine.intercept = after(machine, is_write, lost());
  const RunResult repeat = machine.run(line);
  EXPECT_EQ(repeat.exit, 0) << repeat.out;
  EXPECT_EQ(machine.open_entries(), 0u);
}

// The snapshot gives the ids of rows out again.
TEST(Proof, ARowOfBeforeARevertIsNotTakenForTheNewOne) {
  TraderMachine machine;
  const std::string line = "-n local withdrawals submit 25" + machine.with_password;
  ASSERT_EQ(machine.run("-n local local snapshot before").exit, 0);
  ASSERT_EQ(machine.run(line).exit, 0);
  ASSERT_EQ(machine.run("-n local local revert before").exit, 0);
  machine.clock.advance(second_ms);
  cut_first_write(machine, Cut::answer);
  EXPECT_EQ(machine.run(line + " --allow-duplicate").exit, 0);
  EXPECT_EQ(machine.open_entries(), 0u);
}

// The service forgets a key after a day, and would pay a second time.
TEST(Proof, AKeyOfYesterdayIsNotUsedAgain) {
  TraderMachine machine;
  const std::string line = " bridge withdraw 25 --idempotency-key day1";
  ASSERT_EQ(machine.run("-n local" + line).exit, 0);
  machine.clock.advance(day_ms - minute_ms);
  EXPECT_EQ(machine.run("-n local" + line).exit, 0) << "it is known yet, and pays nothing";
  machine.clock.advance(minute_ms);
  const RunResult again = machine.run("-n local --json" + line);
  EXPECT_EQ(again.exit, 14) << again.out;
  EXPECT_EQ(again.code(), "old_idempotency_key") << again.out;
  EXPECT_EQ(machine.run("-n local --json bridge withdrawals list").rows().size(), 1u);
  EXPECT_EQ(machine.run("-n local --allow-duplicate" + line).exit, 0);
}

TEST(Proof, AnOrderMatchesOnlyWithItsTermsAndCreationTime) {
  struct Row {
    std::int64_t later_ms;  // than the order of another machine
    std::string size;
    int exit;
  };
  const Row rows[] = {{0, "0.2", 11}, {10'000, "0.1", 11}, {60'000, "0.1", 7}, {60'000, "0.2", 7}};
  for (const Row& row : rows) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local buy 0.1" + stop_9).exit, 0);
    std::filesystem::remove_all(machine.state() / "journal");
    machine.clock.advance(row.later_ms);
    cut_first_write(machine, Cut::request);
    const RunResult ran = machine.run("-n local --json buy " + row.size + stop_9);
    EXPECT_EQ(ran.exit, row.exit) << row.later_ms << " " << row.size << ran.out;
  }
}

// The clocks of client and server may differ by more than measured: an id generated for the write decides nevertheless.
TEST(Proof, AnOrderWithAFreshGeneratedIdMatchesWhateverTheClocks) {
  for (const auto& [id, exit] : {std::pair{"", 0}, std::pair{" --client-id mine", 11}}) {
    TraderMachine machine;
    std::optional<TimestampMs> sent_ms;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!is_write(request) && request.path() != "/orders") return {};
      api::HttpResponse answer = machine.deliver(request);
      if (is_write(request)) {
        sent_ms = machine.clock.now_ms();
        return lost();
      }
      const std::string member = "\"created_at\":";
      const std::string earlier = std::to_string(sent_ms.value_or(0) - 10'000);
      if (const auto at = answer.body.find(member); at != std::string::npos)
        answer.body.replace(at + member.size(), earlier.size(), earlier);
      return answer;
    };
    const RunResult ran = machine.run(std::string("-n local --json buy 0.1 BTC-USDX-PERP @ 30000") + id);
    EXPECT_EQ(ran.exit, exit) << id << ran.out;
  }
}

// The answer of the first write is lost, and what follows shows other members.
RunResult run_with_a_loss(ClientMachine& machine, const std::string& line, const std::regex& members,
                          const std::string& shown, bool arrives = true) {
  bool is_lost = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    const bool loses = is_write(request) && !std::exchange(is_lost, true);
    if (loses && !arrives) return lost();
    api::HttpResponse answer = machine.deliver(request);
    if (loses) return lost();
    if (!is_write(request)) answer.body = std::regex_replace(answer.body, members, shown);
    answer.headers.set("Date", sim::http_date(machine.sandbox.clock().now_ms()));
    return answer;
  };
  const RunResult ran = machine.run("-n local --json " + line);
  machine.intercept = {};
  return ran;
}

const std::regex times(R"re("(created_at|updated_at|created_at_ms|completed_at_ms|registeredAt)":\d+)re");

// D-1142
TEST(Proof, ATimeThatCannotBeReadProvesNoAge) {
  for (const char* time : {R"("$1":null)", R"("$1":"2026-11-22T10:00:00Z")", R"("$1":1795000000)"}) {
    TraderMachine machine;
    const auto lose_the_answer_to = [&](const std::string& line) {
      return run_with_a_loss(machine, line, times, time);
    };
    const RunResult own = lose_the_answer_to("buy 0.1 BTC-USDX-PERP @ 30000");
    EXPECT_EQ(own.exit, 0) << "no other order has its id: " << own.out;
    EXPECT_EQ(lose_the_answer_to("buy 0.1" + stop_9).exit, 11) << time;
    machine.clock.advance(10 * minute_ms);
    const std::string id = own.document().text_at("data.order.id");
    // An order that began when this one ended replaced it, in whatever unit both times are.
    const int amended = std::string_view(time).ends_with("000000") ? 0 : 11;
    EXPECT_EQ(lose_the_answer_to("orders amend " + id + " --size 0.2").exit, amended) << time;
    const RunResult cancel = run_with_a_loss(machine, "orders cancel-all", times, time, false);
    EXPECT_EQ(cancel.exit, 11) << time;
    EXPECT_TRUE(has(cancel.out, "may be from before"));
  }
}

TEST(Proof, ATimeInAnotherUnitProvesNoAge) {
  TraderMachine machine;
  const RunResult ran = run_with_a_loss(machine, "buy 0.1" + stop_9, times, R"("$1":1795000000000000)");
  EXPECT_EQ(ran.exit, 11) << ran.out;
}

TEST(Proof, AnOrderOfTheFutureMayBeFromBeforeACancelAll) {
  for (const char* time : {R"("$1":1895000000000)", R"("$1":1795000000000000)"}) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
    const RunResult ran = run_with_a_loss(machine, "orders cancel-all", times, time, false);
    EXPECT_EQ(ran.exit, 11) << ran.out;
    EXPECT_TRUE(has(ran.out, "may be from before"));
  }
}

TEST(Proof, AnOrderWhoseStatusCannotBeReadIsNotCalledAccepted) {
  TraderMachine machine;
  const std::regex status(R"re("status":"Open")re");
  const RunResult ran = run_with_a_loss(machine, "buy 0.1 BTC-USDX-PERP @ 30000", status, R"("status":null)");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  EXPECT_TRUE(has(ran.out, "the status of the order cannot be read"));
}

TEST(Proof, ARowWithoutItsIdDoesNotProveThatAnAgentIsGone) {
  TraderMachine machine;
  const std::string agent = "0x00000000000000000000000000000000000000a";  // and a digit
  for (const char* digit : {"a", "b"})
    ASSERT_EQ(machine.run("-n local agents register " + agent + digit + machine.with_password).exit, 0);
  const std::regex other("\"address\":\"" + agent + "b\"", std::regex::icase);
  const RunResult ran = run_with_a_loss(machine, "agents revoke " + agent + "a", other, R"("address":null)");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  EXPECT_TRUE(has(ran.out, "shows no address"));
}

TEST(Proof, AnOrderOfTheSameTermsThatShowsNoClientIdIsNotPassedOver) {
  TraderMachine machine;
  const std::regex ids(R"re("client_id":"[^"]*")re");
  const RunResult ran = run_with_a_loss(machine, "buy 0.1 BTC-USDX-PERP @ 30000", ids, R"("client_id":null)");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  EXPECT_TRUE(has(ran.out, "shows no client id"));
}

// As one of a web page.
TEST(Proof, AnOrderWithoutAClientIdDoesNotHideThatAnotherIsMissing) {
  TraderMachine machine;
  const std::string order =
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.3","price":"29000","time_in_force":"GTC"})";
  ASSERT_EQ(machine.run({"-n", "local", "api", "POST", "/orders", "-d", order}).exit, 0);
  ASSERT_TRUE(has(machine.run("-n local -o raw orders list").out, R"("client_id":null)"));
  for (const char* line : {"orders get --client-id other", "orders cancel --client-id other", "orders reconcile other"})
    EXPECT_EQ(machine.run(std::string("-n local ") + line).exit, 5) << line;
}

TEST(Proof, OfABatchComparesEachOrder) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1" + stop_9).exit, 0);
  const auto line = [](std::string_view size, std::string_view id) {
    return R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":")" + std::string(size) +
           R"(","price":"30000","client_id":")" + std::string(id) + "\"}\n";
  };
  const auto file = machine.write("two", line("0.2", "stop-9") + line("0.1", "new"));
  cut_first_write(machine, Cut::request);
  const RunResult ran = machine.run("-n local --json orders batch --file " + file.string());
  EXPECT_EQ(ran.exit, 11) << ran.out;
  const RunResult resolved =
      machine.run("-n local --json outbox resolve " + ran.document().text_at("error.details.outbox"));
  EXPECT_TRUE(has(resolved.out, "not_accepted"));
}

// A history with so many later orders that it is not read completely.
Intercepted endless_history(ClientMachine& machine, const api::HttpRequest& request) {
  if (request.path() != "/orders/history" || request.query().find("endTime") != std::string::npos) return {};
  api::HttpResponse answer = machine.deliver(request);
  answer.body = "[]";
  answer.headers.set("X-Next-Cursor", "more");
  return answer;
}

TEST(Proof, AnIncompleteListProvesNothing) {
  TraderMachine machine;
  bool done = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request) && !std::exchange(done, true)) return lost();
    return endless_history(machine, request);
  };
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  machine.clock.advance(10 * minute_ms);
  const Json row = machine.run("-n local --json outbox resolve").rows().at(0);
  EXPECT_EQ(row.string_at("verdict"), "unknown") << row.dump();
  EXPECT_EQ(machine.open_entries(), 1u);
}

TEST(Proof, AnEmptyCursorEndsAList) {
  TraderMachine machine;
  bool done = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request) && !std::exchange(done, true)) return lost();
    if (request.path() != "/orders/history" && request.path() != "/fills") return {};
    api::HttpResponse answer = machine.deliver(request);
    answer.headers.set("X-Next-Cursor", "");
    return answer;
  };
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 11);
  machine.clock.advance(10 * minute_ms);
  const Json row = machine.run("-n local --json outbox resolve").rows().at(0);
  EXPECT_EQ(row.string_at("verdict"), "not_accepted") << row.dump();
}

// The list of bridge withdrawals has no pages and shows the newest: a full one may not go back to the write.
TEST(Proof, AFullListOfBridgeWithdrawalsProvesNothing) {
  for (const std::size_t rows : {std::size_t{api::bridge_withdrawals_listed_max}, std::size_t{99}}) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local bridge withdraw 30").exit, 0);
    bool is_lost = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (is_write(request)) {
        is_lost = true;
        return lost();
      }
      if (!is_lost || !request.target.ends_with("/bridge/withdrawals")) return {};
      api::HttpResponse answer = machine.deliver(request);
      const std::string row = parse_json(answer.body)->items().at(0).dump();
      const std::size_t id = row.find("wdl_");
      answer.body = "[";
      for (std::size_t i = 0; i < rows; ++i) {
        const std::string later = "wdl_later" + std::to_string(i);
        answer.body += (i == 0 ? "" : ",") + row.substr(0, id) + later + row.substr(row.find('"', id));
      }
      answer.body += "]";
      return answer;
    };
    EXPECT_EQ(machine.run("-n local --json bridge withdraw 25").exit, 11);
    machine.clock.advance(10 * minute_ms);
    const Json row = machine.run("-n local --json outbox resolve").rows().at(0);
    EXPECT_EQ(row.string_at("verdict"), rows == 99 ? "not_accepted" : "unknown") << row.dump();
  }
}

TEST(Proof, ALaterLookThatFailsDoesNotUndoAnEarlierOne) {
  TraderMachine machine;
  bool is_refused = false;
  int looks = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    is_refused = is_refused || is_write(request);
    const bool is_look = is_refused && request.method == "GET" && request.target == "/orders";
    return is_look && ++looks > 1 ? lost() : Intercepted{};
  };
  const RunResult ran = machine.run("-n local orders cancel 00010000-0000-4000-8000-00000000ffff");
  EXPECT_EQ(ran.exit, 5) << ran.err << ran.out;
  EXPECT_GT(looks, 1);
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(Proof, ALongHistoryIsReadAroundTheTimeOfTheWrite) {
  TraderMachine machine;
  bool done = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request) && !std::exchange(done, true)) {
      machine.deliver(request);
      return lost();
    }
    return endless_history(machine, request);
  };
  // The order ends at once, so it is only in the history.
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000 --tif IOC");
  EXPECT_EQ(ran.exit, 19) << ran.out;
  EXPECT_EQ(ran.document().string_at("data.order.status"), "Cancelled") << ran.out;
}

TEST(Proof, ExpiryNeedsAMinuteOfUptimeBesidesTheServersDate) {
  TraderMachine machine;
  cut_first_write(machine, Cut::request);
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 11);
  const auto verdict = [&] {
    const Json row = machine.run("-n local --json outbox resolve").rows().at(0);
    return row.text_at("verdict");
  };
  // A proxy whose Date is ahead; then a wall clock that was set.
  machine.server_ahead_ms = 20'000;
  EXPECT_EQ(verdict(), "not_seen");
  machine.clock.advance(hour_ms);
  machine.uptime_ahead_ms = -hour_ms;
  EXPECT_EQ(verdict(), "not_seen");
  machine.uptime_ahead_ms += minute_ms;
  EXPECT_EQ(verdict(), "not_accepted");
}

TEST(Proof, ADateThatCannotBeReadLeavesTheServersTimeKnown) {
  TraderMachine machine;
  bool is_later = false, was_looked_for = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request)) return lost();
    was_looked_for = was_looked_for || (is_later && !request.path().ends_with("/metadata"));
    if (!was_looked_for) return {};
    api::HttpResponse answer = machine.deliver(request);
    answer.headers.set("Date", "soon");
    return answer;
  };
  for (const char* order : {"buy 0.1 BTC-USDX-PERP @ 30000", "buy 0.1 ETH-USDX-PERP @ 1000"})
    ASSERT_EQ(machine.run(std::string("-n local --no-reconcile ") + order).exit, 11) << order;
  machine.clock.advance(hour_ms);
  is_later = true;
  const RunResult ran = machine.run("-n local --json outbox resolve");
  const auto rows = ran.rows();
  ASSERT_EQ(rows.size(), 2u) << ran.out;
  for (const Json& row : rows) EXPECT_EQ(row.string_at("verdict"), "not_accepted") << ran.out;
}

TEST(Proof, AfterARebootTheUptimeCounts) {
  TraderMachine machine;
  cut_first_write(machine, Cut::request);
  EXPECT_EQ(machine.run("-n local --no-reconcile buy 0.1 BTC-USDX-PERP @ 30000").exit, 11);
  machine.clock.advance(hour_ms);
  machine.uptime_ahead_ms = -(machine.clock.now_ms() - machine_start_ms + hour_ms) + 59'000;
  EXPECT_TRUE(has(machine.run("-n local --json outbox resolve").out, "not_seen"));
  machine.uptime_ahead_ms += second_ms;
  EXPECT_TRUE(has(machine.run("-n local --json outbox resolve").out, "not_accepted"));
}

TEST(Outbox, TheLookUpAfterALostAnswerEndsWithinHalfAMinute) {
  for (const bool is_dead : {true, false}) {
    TraderMachine machine;
    bool done = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (is_write(request)) {
        done = true;
        return lost();
      }
      if (!done) return {};
      // A server that accepts no connection, and one whose clock stands still.
      if (is_dead) {
        machine.clock.advance(2 * machine.timeout_ms);
        return not_sent();
      }
      api::HttpResponse answer{.status = 200, .headers = {}, .body = "[]"};
      answer.headers.set("Date", "Mon, 21 Sep 2026 12:00:00 GMT");
      return answer;
    };
    const TimestampMs before_ms = machine.clock.now_ms();
    EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 11);
    EXPECT_LE(machine.clock.now_ms() - before_ms, 30'000) << is_dead;
  }
}

TEST(Outbox, AResultThatWasNotShownIsShownAgain) {
  TraderMachine machine;
  cut_first_write(machine, Cut::answer);
  ASSERT_EQ(machine.run("-n local --no-reconcile buy 0.1 BTC-USDX-PERP @ 30000").exit, 11);
  machine.disk_is_full = true;
  EXPECT_EQ(machine.run("-n local --json outbox resolve").exit, 1);
  machine.disk_is_full = false;
  const RunResult again = machine.run("-n local --json outbox resolve");
  EXPECT_TRUE(has(again.out, R"("verdict":"accepted")"));
  EXPECT_EQ(machine.open_entries(), 0u);
}

// Also where the answer is a failure, because a wait has ended.
TEST(Outbox, TheRepeatOfAWriteWhoseAnswerCouldNotBePrintedIsRefused) {
  for (const std::string write : {"buy 0.1 BTC-USDX-PERP @ 30000", "bridge withdraw 10 --wait --wait-timeout 1s"}) {
    TraderMachine machine;
    const std::string line = "-n local --json " + write;
    machine.disk_is_full = true;
    EXPECT_EQ(machine.run(line).exit, 1);
    machine.disk_is_full = false;
    const RunResult repeat = machine.run(line);
    EXPECT_EQ(repeat.code(), "duplicate_intent") << repeat.out;
    const int exit = machine.run("-n local --allow-duplicate " + write).exit;
    EXPECT_EQ(machine.run(line).exit, exit) << "the one before was shown";
  }
}

TEST(Outbox, AWriteThatFailedAfterAcceptanceIsLookedUp) {
  TraderMachine machine;
  machine.intercept = after(machine, is_write, answered(500, R"({"code":"INTERNAL_ERROR","message":"m"})"));
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(Outbox, WithNoReconcileEndsWithExitElevenAndKeepsTheEntry) {
  TraderMachine machine;
  cut_first_write(machine, Cut::answer);
  machine.sent.clear();
  const RunResult ran = machine.run("-n local --json --no-reconcile buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(ran.exit, 11);
  EXPECT_EQ(machine.slept_ms, 0);
  const std::string id = ran.document().text_at("error.details.outbox");
  EXPECT_EQ(machine.run("-n local outbox drop " + id).exit, 3) << "forgetting needs a yes";
  const RunResult resolved = machine.run("-n local --json outbox resolve " + id);
  EXPECT_EQ(resolved.exit, 0) << resolved.out;
  EXPECT_EQ(resolved.rows()[0].string_at("evidence").value_or("").substr(0, 6), "order ");
  EXPECT_EQ(machine.run("-n local outbox resolve " + id).exit, 5);
}

TEST(Outbox, AnEntryOfARunningProcessIsLeftAlone) {
  TraderMachine machine;
  bool looked = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_write(request) || looked) return {};
    looked = true;
    const auto list = machine.run("-n local --json outbox list").rows();
    EXPECT_EQ(list.at(0).string_at("state"), "sending");
    EXPECT_EQ(machine.run("-n local --json outbox resolve").rows().size(), 0u);
    for (const std::string command : {"resolve ", "drop --yes "}) {
      const RunResult refused = machine.run("-n local outbox " + command + list.at(0).text_at("id"));
      EXPECT_EQ(refused.exit, 10);
      EXPECT_TRUE(has(refused.err, "entry_busy"));
    }
    return {};
  };
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  EXPECT_TRUE(looked);
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(Outbox, ABatchWithALostAnswerIsReportedPerOrder) {
  TraderMachine machine;
  machine.write("orders.csv",
                "market_id,side,order_type,quantity,price,time_in_force,client_id\n"
                "BTC-USDX-PERP,Buy,Limit,0.1,30000,GTC,one\n"
                "BTC-USDX-PERP,Buy,Limit,30,30000,GTC,two\n"
                "BTC-USDX-PERP,Buy,Limit,0.1,30001,GTC,three\n");
  cut_first_write(machine, Cut::answer);
  const RunResult ran =
      machine.run("-n local --json orders batch --format csv --file " + (machine.home() / "orders.csv").string());
  EXPECT_EQ(ran.exit, 15) << ran.out << ran.err;
  const auto rows = ran.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].string_at("outcome"), "ok");
  EXPECT_EQ(rows[1].string_at("error"), "not_there");
  EXPECT_EQ(rows[2].string_at("outcome"), "ok");
}

TEST(Outbox, OnlyAWriteWithAnIdempotencyKeyIsSentAgain) {
  TraderMachine machine;
  machine.sent.clear();
  cut_first_write(machine, Cut::answer);
  const RunResult ran = machine.run("-n local --json bridge withdraw 25");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  ASSERT_EQ(writes_sent(machine), 2u);
  std::vector<std::string> keys;
  for (const api::HttpRequest& request : machine.sent) {
    if (const auto key = request.headers.find("Idempotency-Key")) keys.emplace_back(*key);
  }
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(machine.run("-n local --json bridge withdrawals list").rows().size(), 1u);
  EXPECT_EQ(machine.open_entries(), 0u);
}

// An answer that says something else than what was asked for counts as no answer.
TEST(Outbox, AnAnswerThatContradictsTheWriteIsNoSuccess) {
  struct Row {
    std::string line;
    std::string said, instead;
  };
  const Row rows[] = {
      {"account cancel-on-disconnect on", R"("enabled":true)", R"("enabled":false)"},
      {"orders cancel-all", R"("status":"Cancelled")", R"("status":"Open")"},
      {"orders cancel-all --market BTC-USDX-PERP", R"("market_id":"BTC-USDX-PERP")", R"("market_id":"ETH-USDX-PERP")"},
      {"buy 0.1 BTC-USDX-PERP @ 30001", R"("price":"30001")", R"("price":"0")"},
      {"buy 0.1 BTC-USDX-PERP --type trailing-stop --trailing-bps 150 --force", R"("trailing_offset_bps":150)",
       R"("trailing_offset_bps":15)"},
  };
  for (const Row& row : rows) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
    bool altered = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!is_write(request)) return {};
      api::HttpResponse answer = machine.deliver(request);
      const auto at = answer.body.find(row.said);
      EXPECT_NE(at, std::string::npos) << row.line << answer.body;
      if (at != std::string::npos) answer.body.replace(at, row.said.size(), row.instead);
      altered = true;
      return answer;
    };
    const RunResult ran = machine.run("-n local --json " + row.line);
    EXPECT_TRUE(altered) << row.line << ran.out;
    const Json document = ran.document();
    const Json* warnings = document.find("warnings");
    const bool is_found =
        ran.exit == 0 && !warnings->items().empty() &&
        std::ranges::any_of(warnings->items(), [](const Json& one) { return one.string_at("code") == "reconciled"; });
    EXPECT_TRUE(is_found || ran.exit == 11) << row.line << ran.out;
  }
}

TEST(Outbox, AServiceWithoutClientIdsProvesNothing) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_write(request)) return lost();
    api::HttpResponse answer = machine.sandbox.handle(request);
    for (auto at = answer.body.find(R"("client_id":")"); at != std::string::npos;
         at = answer.body.find(R"("client_id":")")) {
      const auto end = answer.body.find('"', at + 13);
      answer.body.replace(at, end + 1 - at, R"("other":0)");
    }
    return answer;
  };
  const RunResult ran = machine.run("-n local --json buy 0.2 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(ran.exit, 11) << ran.out;
}

TEST(Outbox, EveryWriteOperationHasAProofOrIsListedWithoutOne) {
  const std::vector<std::string_view> none{"create_deposit_address", "register_wallet"};
  for (const api::Operation* operation : api::AllOps::operations) {
    if (!operation->is_write()) continue;
    const bool listed = std::find(none.begin(), none.end(), operation->name) != none.end();
    const bool proved = outbox::find_proof(operation->name) != nullptr || !operation->changes_something();
    EXPECT_NE(proved, listed) << operation->name;
  }
}

TEST(ReconcileOrders, ComparesTheJournalWithTheService) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id there").exit, 0);
  ASSERT_EQ(machine.run("-n local buy 30 BTC-USDX-PERP @ 30000 --client-id refused").exit, 12);
  ASSERT_EQ(machine.run("-n local buy 30 BTC-USDX-PERP @ 30000 --client-id refused").exit, 12);
  machine.intercept = [](const api::HttpRequest& request) { return is_write(request) ? not_sent() : Intercepted(); };
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30001").exit, 10) << "it never left";
  machine.intercept = {};
  const Json all = machine.run("-n local --json orders reconcile --all").document();
  ASSERT_EQ(all.find("data")->items().size(), 2u);
  EXPECT_EQ(all.find("data")->items()[0].string_at("verdict"), "accepted");
  EXPECT_EQ(all.find("data")->items()[1].string_at("verdict"), "not_seen");
  EXPECT_EQ(machine.run("-n local orders reconcile there").exit, 0);
  // An order that has ended is a row of the history.
  ASSERT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  const Json later = machine.run("-n local --json orders reconcile --all").document();
  EXPECT_EQ(check_output("orders reconcile", *later.find("data")), std::nullopt);
  EXPECT_EQ(machine.run("-n local orders reconcile refused").exit, 5);
  EXPECT_EQ(machine.run("-n local orders reconcile").exit, 2);
}

// Two wallets are logged in, and bob's is selected.
struct TwoWallets : ClientMachine {
  TwoWallets() {
    alice = add_trader("alice");
    add_trader("bob");
  }
  // Leaves the entry of a write of alice that arrived during a power loss.
  void cut_off(const std::string& line) {
    cut_first_write(*this, Cut::power_after);
    EXPECT_THROW(run("-n local --signer alice " + line), PowerCut);
    clock.advance(2 * minute_ms);
  }
  Address alice;
};

TEST(Outbox, AWriteIsSettledOnlyByItsOwnAccount) {
  for (const std::string line : {"buy 0.1 BTC-USDX-PERP @ 30000 --client-id q78", "orders cancel-all",
                                 "margin leverage BTC-USDX-PERP 5", "account cancel-on-disconnect on"}) {
    TwoWallets machine;
    machine.cut_off(line);
    for (const std::string how : {"", "--no-input "}) {
      const RunResult other = machine.run("-n local --json " + how + "outbox resolve");
      EXPECT_EQ(other.exit, 11) << line << other.out;
      const Json row = other.rows().front();
      EXPECT_EQ(row.string_at("verdict"), "unknown") << line;
      const std::string evidence = row.text_at("evidence");
      EXPECT_TRUE(has(evidence, to_string(machine.alice)));
      EXPECT_TRUE(has(evidence, "look with --signer alice"));
      EXPECT_EQ(machine.open_entries(), 1u) << line;
    }
    const RunResult own = machine.run("-n local --json --signer alice outbox resolve");
    EXPECT_EQ(own.exit, 0) << line << own.out;
    EXPECT_EQ(own.rows().front().string_at("verdict"), "accepted") << own.out;
    EXPECT_EQ(machine.open_entries(), 0u) << line;
  }
}

// Its look-up is signed by whichever wallet is selected.
TEST(Outbox, WhatTheOwnerSignsIsSettledOnlyByItsOwnAccount) {
  TwoWallets machine;
  ASSERT_EQ(machine.run("-n local --signer bob transfers enroll" + machine.with_password).exit, 0);
  machine.cut_off("transfers enroll" + machine.with_password);
  const RunResult other = machine.run("-n local --json outbox resolve" + machine.with_password);
  EXPECT_EQ(other.exit, 11) << other.out;
  EXPECT_TRUE(has(other.out, "look with --signer alice"));
  const RunResult own = machine.run("-n local --json --signer alice outbox resolve" + machine.with_password);
  EXPECT_EQ(own.exit, 0) << own.out;
  EXPECT_TRUE(has(own.out, R"("verdict":"accepted")"));
}

TEST(Outbox, TheLookUpCommandsNameTheWritesAccount) {
  TwoWallets machine;
  cut_first_write(machine, Cut::request);
  const RunResult lost =
      machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP @ 30000 --client-id q90 --no-reconcile");
  EXPECT_EQ(lost.exit, 11);
  EXPECT_TRUE(has(lost.err, "svc -n local --signer alice orders get --client-id q90"));
  EXPECT_TRUE(has(lost.err, "svc -n local --signer alice outbox resolve "));
}

// In another terminal bob logs in while alice's order is in flight.
TEST(Outbox, AConcurrentLoginDoesNotChangeTheAccountOfTheLookUp) {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  machine.intercept = [&, done = false](const api::HttpRequest& request) mutable -> Intercepted {
    if (!is_write(request) || done) return {};
    done = true;
    machine.run("-n local login --wallet bob" + machine.with_password);
    return lost();
  };
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000 --client-id mine");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  EXPECT_EQ(machine.open_entries(), 1u);
  EXPECT_TRUE(has(ran.out, "not seen when looked for"));
  const RunResult resolved = machine.run("-n local --json outbox resolve");
  EXPECT_EQ(resolved.exit, 11) << resolved.out;
  EXPECT_TRUE(has(resolved.out, "look with --signer alice"));
}

TEST(ReconcileOrders, ReadsTheAccountOfTheOrder) {
  TwoWallets machine;
  ASSERT_EQ(machine.run("-n local --signer alice buy 0.1 BTC-USDX-PERP @ 30000 --client-id hers").exit, 0);
  const RunResult other = machine.run("-n local --json orders reconcile hers");
  EXPECT_EQ(other.exit, 4) << other.out;
  EXPECT_EQ(other.code(), "another_account");
  EXPECT_EQ(machine.run("-n local --signer alice orders reconcile hers").exit, 0);
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id his").exit, 0);
  const RunResult all = machine.run("-n local --json orders reconcile --all");
  ASSERT_EQ(all.rows().size(), 1u) << all.out;
  EXPECT_EQ(all.rows().front().string_at("client_id"), "his");
  EXPECT_TRUE(has(all.err, "1 order was sent for other accounts"));
}

// An unreadable folder must not look as if there were no open writes, or no keys.
TEST(UnreadableFolder, IsAnErrorAndNotEmpty) {
  TraderMachine machine;
  const auto spoil = [&](const std::filesystem::path& folder) {
    const auto whole = folder.parent_path() / (folder.filename().string() + "-whole");
    std::filesystem::rename(folder, whole);
    std::filesystem::create_directory_symlink(folder, folder);  // a loop: nobody can read it, root neither
    return [=] {
      std::filesystem::remove(folder);
      std::filesystem::rename(whole, folder);
    };
  };
  const auto restore_log = spoil(machine.home() / ".local/state/svc/journal/local");
  for (const std::string line : {"outbox list", "outbox resolve", "journal list", "orders reconcile --all"}) {
    const RunResult ran = machine.run("-n local --json " + line);
    EXPECT_NE(ran.exit, 0) << line << ran.out;
    EXPECT_TRUE(has(ran.out, "cannot read")) << line << ran.out;
  }
  restore_log();
  const auto restore_keys = spoil(machine.home() / ".local/share/svc/keys/local");
  EXPECT_NE(machine.run("-n local keystore list").exit, 0);
  const RunResult order = machine.run("-n local --json orders list");
  EXPECT_TRUE(has(order.out, "cannot"));
  restore_keys();
  EXPECT_EQ(machine.run("-n local outbox list").exit, 0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
