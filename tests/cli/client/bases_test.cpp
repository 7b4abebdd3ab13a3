// A network with several REST bases of one deployment: what goes on to the next base, what does not, and what every
// base is held to before it gets anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "cli/client/budget.h"
#include "cli/client/server_facts.h"
#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "cli/stream_line.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string a = "http://localhost:9090";
const std::string b = "http://localhost:9091";
const std::string c = "http://localhost:9092";

bool is_discovery(const api::HttpRequest& request) {
  return request.path().ends_with("/metadata") || request.path().ends_with("/openapi.json");
}

std::string metadata(const std::string& network, const std::string& deployment) {
  return R"({"current_api_version":"0.9.0","min_api_version":"0.8.0","network":")" + network + R"(","deployment":")" +
         deployment + R"(","signing_domain":{"name":"Svc Exchange","version":"1","chain_id":20056}})";
}

// Local has three bases: three nodes before one exchange. What arrives at which is written down.
class Bases : public ::testing::Test {
 protected:
  explicit Bases(sim::SandboxOptions options = {}) : machine(std::move(options)) {
    machine.add_trader("alice");
    machine.variables["SVC_LOCAL_URL"] = a + " " + b + " " + c;
    machine.clock.advance(hour_ms);
    machine.slept_ms = 0;
    pass(nullptr);
  }

  // Requests first meet this; what it lets pass arrives.
  void pass(InterceptAt fate) {
    machine.intercept_at = [this, fate = std::move(fate)](const std::string& origin,
                                                          const api::HttpRequest& request) -> Intercepted {
      arrived.emplace_back(origin, request);
      return fate ? fate(origin, request) : std::nullopt;
    };
  }
  RunResult run(const std::string& line) {
    arrived.clear();
    return machine.run("-n local --json " + line);
  }

  // The bases at which such requests arrived, in order: "ab".
  template <class Wanted>
  std::string at(Wanted wanted) const {
    std::string letters;
    for (const auto& [origin, request] : arrived)
      if (wanted(request)) letters += origin == a ? 'a' : origin == b ? 'b' : 'c';
    return letters;
  }
  std::string writes() const { return at(is_write); }
  std::string reads(const std::string& path) const {
    return at([&](const api::HttpRequest& request) { return !is_write(request) && request.path() == path; });
  }
  // What must not reach another deployment.
  std::string exposed() const {
    return at([](const api::HttpRequest& request) {
      return is_write(request) || request.headers.contains("Authorization") || request.headers.contains("X-Signature");
    });
  }
  static bool warns(const RunResult& ran, std::string_view code) {
    const Json document = ran.document();
    const auto& warnings = document.find("warnings")->items();
    return std::ranges::any_of(warnings, [&](const Json& one) { return one.string_at("code") == code; });
  }
  std::size_t open_entries() { return run("outbox list").rows().size(); }

  ClientMachine machine;
  std::vector<std::pair<std::string, api::HttpRequest>> arrived;
  const std::string order = "buy 0.1 BTC-USDX-PERP @ 30000 --client-id mine";
};

TEST_F(Bases, TheFirstIsUsedWhileItAnswers) {
  EXPECT_EQ(run("orders list").exit, 0);
  EXPECT_EQ(run(order).exit, 0);
  EXPECT_EQ(writes(), "a");
  EXPECT_EQ(at([](const api::HttpRequest&) { return true; }).find_first_not_of('a'), std::string::npos);
}

TEST_F(Bases, AReadGoesOnToTheNextThatAnswers) {
  machine.down = {a, b};
  for (const std::string line : {"orders list", "markets list"}) {
    const RunResult ran = run(line);
    EXPECT_EQ(ran.exit, 0) << line << ran.out;
    EXPECT_EQ(ran.document().string_at("meta.base"), c) << line;
    machine.clock.advance(hour_ms);
  }
  EXPECT_EQ(machine.slept_ms, 0) << "another base needs no pause";
}

TEST_F(Bases, AReadGoesOnIfItsAnswerIsLostOrTheBaseIsUnavailable) {
  for (const auto& fate : {unanswered(api::Delivery::unknown), answered(503, ""), answered(502, "<html>")}) {
    for (const std::string line : {"account show", "markets list"}) {
      pass([&](const std::string& origin, const api::HttpRequest& request) {
        return origin == a && !is_discovery(request) ? fate : std::nullopt;
      });
      const RunResult ran = run(line);
      EXPECT_EQ(ran.exit, 0) << line << ran.out;
      EXPECT_TRUE(warns(ran, "base_left")) << ran.out;
      machine.clock.advance(hour_ms);
    }
  }
  EXPECT_EQ(machine.slept_ms, 0);
}

TEST_F(Bases, AnAnswerIsAnAnswerWhateverItsStatus) {
  for (const int status : {400, 404, 409, 500}) {
    pass([&](const std::string&, const api::HttpRequest& request) {
      return is_discovery(request) ? std::nullopt : answered(status, R"({"code":"no","message":"no"})");
    });
    EXPECT_NE(run("markets list").exit, 0);
    EXPECT_EQ(reads("/markets"), "a") << status;
  }
}

TEST_F(Bases, IfNoneAnswersAllWereTriedAndThatIsReported) {
  machine.down = {a, b, c};
  for (const std::string& line : std::vector<std::string>{"orders list", "markets list", order, "orders cancel-all"}) {
    machine.sent.clear();
    const RunResult ran = run(line);
    EXPECT_EQ(ran.exit, 10) << line << ran.out;
    EXPECT_TRUE(has(ran.document().text_at("error.message"), "all 3 bases of the network were tried"))
        << line << ran.out;
    EXPECT_LE(machine.sent.size(), 24u) << line;
  }
  EXPECT_EQ(open_entries(), 0u);
}

TEST_F(Bases, TheAnswerOfABaseIsShownRatherThanARefusedConnection) {
  ASSERT_EQ(run("orders list").exit, 0);
  machine.down = {a};
  pass([](const std::string& origin, const api::HttpRequest& request) {
    return origin == a || is_discovery(request)
               ? std::nullopt
               : answered(503, R"({"code":"service_unavailable","message":"this node is behind"})");
  });
  const RunResult ran = run("orders list");
  EXPECT_EQ(ran.exit, 10) << ran.out;
  EXPECT_EQ(ran.code(), "service_unavailable") << ran.out;
  EXPECT_TRUE(has(ran.document().text_at("error.message"), "all 3 bases of the network were tried"));
}

TEST_F(Bases, ASandboxThatIsABaseIsNoAdviceIfNoneAnswers) {
  const auto runs = [&](const std::string& name, const std::string& url) {
    const Json file = Json::object({{"url", url}, {"pid", ::getpid()}, {"network", "local"}});
    EXPECT_TRUE(write_private(machine.state() / ("run/local/" + name + ".json"), file.dump()).has_value());
  };
  runs("second", "http://127.0.0.1:9091");
  runs("other", "http://127.0.0.1:7777");
  machine.down = {a, b, c};
  const RunResult ran = run("orders list");
  EXPECT_EQ(ran.exit, 10) << ran.out;
  EXPECT_TRUE(has(ran.out, "sandbox other runs at http://127.0.0.1:7777"));
  EXPECT_FALSE(has(ran.out, "second"));
}

// One that accepts connections and answers nothing must not use up the time in which a cancel looks for a base.
TEST_F(Bases, ACancelGoesOnFromABaseThatHangs) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"orders cancel-all", hour_ms}, {"flatten", hour_ms}, {"orders cancel-all", 1}, {"flatten", 1}};
  for (const auto& [line, later_ms] : rows) {
    ASSERT_EQ(run("buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
    machine.clock.advance(later_ms);
    pass([&](const std::string& origin, const api::HttpRequest&) -> Intercepted {
      if (origin != a) return {};
      machine.clock.advance(machine.timeout_ms);
      return unanswered(api::Delivery::unknown, "timed out");
    });
    const std::int64_t began_ms = machine.clock.now_ms();
    const RunResult ran = run(line);
    EXPECT_EQ(ran.exit, 0) << line << ran.out;
    EXPECT_EQ(writes(), "b") << line;
    EXPECT_LE(machine.clock.now_ms() - began_ms, identity_patience_way_out_ms) << line;
    EXPECT_TRUE(run("orders list").rows().empty());
    pass(nullptr);
    machine.clock.advance(hour_ms);
  }
}

TEST_F(Bases, TheBaseThatAnsweredIsWhereTheNextRunBeginsUntilItIsOld) {
  machine.down = {a};
  ASSERT_EQ(run("markets list").exit, 0);
  machine.down.clear();
  machine.clock.advance(loopback_identity_lifetime_ms - 1);
  EXPECT_EQ(run("markets list").exit, 0);
  EXPECT_EQ(reads("/markets"), "b");
  EXPECT_EQ(run("--dry-run markets list").document().string_at("data.url"), b + "/markets");
  machine.clock.advance(1);
  EXPECT_EQ(run("markets list").exit, 0);
  EXPECT_EQ(reads("/markets"), "a");
}

TEST_F(Bases, AreEachAskedBeforeTheyGetAnythingSigned) {
  ASSERT_EQ(run("keys list").exit, 0);
  EXPECT_EQ(at(is_discovery), "a");
  machine.down = {a};
  ASSERT_EQ(run("keys list").exit, 0);
  EXPECT_EQ(at(is_discovery), "b") << "what the first said does not speak for the second";
  EXPECT_EQ(run("keys list").exit, 0);
  EXPECT_EQ(at(is_discovery), "") << "asked a moment ago";
}

TEST_F(Bases, ABaseOfAnotherDeploymentOrNetworkIsRefusedAndGetsNothing) {
  struct Row {
    std::string metadata, code;
  };
  for (const Row& row :
       {Row{metadata("local", "another"), "wrong_deployment"}, Row{metadata("testnet", "svc-local"), "wrong_network"},
        Row{R"({"network":"local","signing_domain":{"name":"Another"}})", "wrong_deployment"}}) {
    for (const std::string line : {"keys list", "markets list", "orders list", "orders cancel-all", "ws token",
                                   "buy 0.1 BTC-USDX-PERP @ 30000", "doctor"}) {
      // Both are of one deployment; then the second one is replaced.
      pass([](const std::string&, const api::HttpRequest&) { return std::nullopt; });
      machine.down.clear();
      machine.clock.advance(hour_ms / 2);
      ASSERT_EQ(run("keys list").exit, 0);
      machine.down = {a};
      ASSERT_EQ(run("markets list").exit, 0);
      pass([&](const std::string& origin, const api::HttpRequest& request) {
        return origin == b && is_discovery(request) ? answered(200, row.metadata) : std::nullopt;
      });
      machine.clock.advance(hour_ms / 2);
      const RunResult ran = run(line);
      EXPECT_EQ(ran.exit, 14) << line << row.metadata << ran.out;
      EXPECT_EQ(ran.code(), row.code) << line << ran.out;
      EXPECT_EQ(exposed(), "") << line << row.metadata;
      EXPECT_EQ(at([](const api::HttpRequest&) { return true; }).find('c'), std::string::npos) << "never passed over";
    }
  }
}

TEST_F(Bases, WhatAnotherBaseSaidLastCountsUntilItSaysSomethingElse) {
  std::string of_a = metadata("local", "old");
  const auto tell = [&](const std::string& origin, const api::HttpRequest& request) {
    return is_discovery(request) ? answered(200, origin == a ? of_a : metadata("local", "new")) : std::nullopt;
  };
  pass(tell);
  ASSERT_EQ(run("markets list").exit, 0);
  ASSERT_EQ(run("network discover").exit, 0);
  machine.down = {a};
  EXPECT_EQ(run("orders list").code(), "wrong_deployment") << "a cannot be asked whether it has changed";
  machine.down.clear();
  of_a = metadata("local", "new");
  pass([&](const std::string& origin, const api::HttpRequest& request) {
    return origin == a && !is_discovery(request) ? unanswered(api::Delivery::not_sent) : tell(origin, request);
  });
  EXPECT_EQ(run("orders list").exit, 0) << "all were deployed anew";
}

TEST_F(Bases, ASilentBaseNeedsAConfirmationOfItsOwn) {
  pass([&](const std::string& origin, const api::HttpRequest& request) {
    return origin == b && is_discovery(request) ? answered(200, R"({"current_api_version":"0.9.0"})") : std::nullopt;
  });
  ASSERT_EQ(run("keys list").exit, 0);
  machine.down = {a};
  EXPECT_EQ(run("keys list").exit, 3);
  EXPECT_EQ(exposed(), "");
  EXPECT_EQ(run("--confirm local keys list").exit, 0);
  EXPECT_EQ(exposed(), "b");
}

// Bytes that left, by base. A transport that fails says whether any left.
TEST_F(Bases, NoWriteIsEverSentTwice) {
  const std::vector<std::string> lines{"buy 0.1 BTC-USDX-PERP @ 30000",
                                       "sell 0.1 BTC-USDX-PERP @ 90000",
                                       "orders cancel-all",
                                       "margin mode set BTC-USDX-PERP isolated",
                                       "account cancel-on-disconnect on",
                                       "deposits submit --amount 25",
                                       "withdrawals submit 25" + machine.with_password,
                                       "keys create --label second",
                                       "ws token"};
  enum class Fate { refused, cut_before, cut_after, unavailable, passes };
  for (const std::string& line : lines) {
    for (const Fate first : {Fate::refused, Fate::cut_before, Fate::cut_after, Fate::unavailable}) {
      for (const Fate second : {Fate::refused, Fate::cut_before, Fate::passes}) {
        std::map<std::string, std::size_t> bytes;
        pass([&](const std::string& origin, const api::HttpRequest& request) -> Intercepted {
          if (!is_write(request) || origin == c) {
            if (is_write(request)) bytes[origin] += request.target.size() + request.body.size();
            return std::nullopt;
          }
          const Fate fate = origin == a ? first : second;
          if (fate == Fate::refused) return unanswered(api::Delivery::not_sent);
          bytes[origin] += request.target.size() + request.body.size();
          if (fate == Fate::cut_before) return unanswered(api::Delivery::unknown);
          if (fate == Fate::unavailable) return answered(503, R"({"code":"service_unavailable","message":"behind"})");
          if (fate == Fate::passes) return std::nullopt;
          machine.deliver(request);
          return unanswered(api::Delivery::unknown);
        });
        machine.clock.advance(2 * minute_ms);
        const RunResult ran = run(line);
        EXPECT_LE(bytes.size(), 1u) << line << int(first) << int(second) << ran.out;
        EXPECT_EQ(std::ranges::count_if(
                      arrived, [&](const auto& one) { return is_write(one.second) && bytes.contains(one.first); }),
                  1)
            << line << int(first) << int(second) << ran.out;
        EXPECT_TRUE(first != Fate::refused || second == Fate::cut_before || ran.exit == 0) << line << ran.out;
        for (const Json& entry : run("outbox list").rows()) {
          const RunResult dropped = run("outbox drop --yes " + entry.text_at("id"));
          ASSERT_EQ(dropped.exit, 0) << line << dropped.out << dropped.err;
        }
      }
    }
  }
}

TEST_F(Bases, AWriteGoesOnOnlyIfNothingOfItLeft) {
  machine.down = {a};
  const RunResult ran = run(order);
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(writes(), "b");
  std::vector<std::string> bases;
  for (const Json& line : machine.journal("local"))
    if (line.string_at("operation") == "place_order") bases.push_back(line.text_at("look_for.sent_to"));
  ASSERT_FALSE(bases.empty());
  EXPECT_EQ(bases.back(), b) << "the log has the base that was used";
}

TEST_F(Bases, AWriteWhoseConnectionIsRefusedAfterTheProofGoesOn) {
  pass([&](const std::string& origin, const api::HttpRequest& request) {
    return origin == a && is_write(request) ? unanswered(api::Delivery::not_sent) : std::nullopt;
  });
  EXPECT_EQ(run(order).exit, 0);
  EXPECT_EQ(writes(), "ab");
  EXPECT_EQ(machine.slept_ms, 0);
  EXPECT_EQ(open_entries(), 0u);
}

// Its server repeats the first answer, so a second copy is harmless; but only the node that got the first surely knows.
TEST_F(Bases, AWriteWithAnIdempotencyKeyIsRepeatedAtItsOwnBase) {
  std::size_t count = 0;
  pass([&](const std::string&, const api::HttpRequest& request) {
    return is_write(request) ? unanswered(count++ == 0 ? api::Delivery::unknown : api::Delivery::not_sent)
                             : std::nullopt;
  });
  EXPECT_EQ(run("bridge withdraw 25").exit, 11);
  EXPECT_EQ(writes(), "aaa") << "sent once, and refused twice";
}

TEST_F(Bases, ALostWriteIsLookedForAtAnyBase) {
  pass([&](const std::string& origin, const api::HttpRequest& request) -> Intercepted {
    if (origin != a || !is_write(request)) return std::nullopt;
    machine.deliver(request);
    machine.down = {a};
    return unanswered(api::Delivery::unknown);
  });
  const RunResult ran = run(order);
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_TRUE(warns(ran, "reconciled")) << ran.out;
  EXPECT_EQ(writes(), "a");
  EXPECT_EQ(open_entries(), 0u);
}

// A base that is behind the others shows neither the write nor that it will not come.
TEST_F(Bases, AbsenceProvesNothingAtABaseThatIsBehind) {
  std::string state = "degraded";
  pass([&](const std::string& origin, const api::HttpRequest& request) -> Intercepted {
    if (origin == a && is_write(request)) return unanswered(api::Delivery::unknown);
    if (request.path() == "/status") return answered(200, R"({"status":")" + state + "\"}");
    return std::nullopt;
  });
  ASSERT_EQ(run("--no-reconcile " + order).exit, 11);
  machine.down = {a};
  machine.clock.advance(minute_ms);
  const RunResult behind = run("outbox resolve");
  EXPECT_EQ(behind.exit, 11) << behind.out;
  EXPECT_TRUE(has(behind.out, "not_seen"));
  state = "operational";
  const RunResult level = run("outbox resolve");
  EXPECT_EQ(level.exit, 0) << level.out;
  EXPECT_TRUE(has(level.out, "not_accepted"));
}

TEST_F(Bases, AWriteThatIsTurnedAwayIsNotSentOnButTheNextRunBeginsElsewhere) {
  pass([&](const std::string& origin, const api::HttpRequest& request) {
    return origin == a && is_write(request) ? answered(503, R"({"code":"service_unavailable","message":"behind"})")
                                            : std::nullopt;
  });
  const RunResult refused = run(order);
  EXPECT_EQ(refused.exit, 10) << refused.out;
  EXPECT_EQ(writes(), "a");
  EXPECT_TRUE(has(refused.document().text_at("error.message"), "what comes next begins with " + b));
  EXPECT_EQ(open_entries(), 0u);
  EXPECT_EQ(run(order).exit, 0);
  EXPECT_EQ(writes(), "b");
}

TEST_F(Bases, ShareOneBudget) {
  const auto spent = [&](const std::string& line) {
    const auto left = [&] {
      Paths paths;
      paths.state = machine.state();
      auto file = budget::BucketFile::open(paths, "local");
      EXPECT_TRUE(file.has_value());
      return file->milli_left(
          {.bucket = budget::bucket_hash("ip"), .per_second_default = limits::client_reads_per_second, .cost = 1},
          machine.clock.now_ms());
    };
    const std::int64_t before = left();
    EXPECT_EQ(run(line).exit, 0);
    return before - left();
  };
  EXPECT_EQ(spent("markets list"), 1'000);
  machine.down = {a};
  ASSERT_EQ(run("markets list").exit, 0);
  EXPECT_EQ(spent("markets list"), 1'000);
  EXPECT_EQ(reads("/markets"), "b");
}

TEST_F(Bases, SessionsKeysAndNoncesAreThoseOfTheNetwork) {
  machine.down = {a};
  EXPECT_EQ(run("account show").exit, 0) << "the key was made at the first base";
  EXPECT_EQ(run("keys list").exit, 0) << "the session too";
  EXPECT_EQ(run(order + " --action sign" + machine.with_password).exit, 0);
  machine.down = {b, c};
  machine.clock.advance(hour_ms);
  EXPECT_EQ(run("sell 0.1 BTC-USDX-PERP @ 90000 --action sign" + machine.with_password).exit, 0) << "a higher nonce";
}

TEST_F(Bases, WhyTellsWhereTheRequestWent) {
  pass([&](const std::string& origin, const api::HttpRequest& request) {
    const bool is_meant = origin == b && request.path() == "/markets";
    if (is_meant) machine.clock.advance(1);  // failures are explained in the order of time
    return is_meant ? answered(404, R"({"code":"not_found","message":"no markets"})") : std::nullopt;
  });
  machine.down = {a};
  ASSERT_NE(run("markets list").exit, 0);
  const RunResult why = run("why");
  EXPECT_EQ(why.document().string_at("data.sent_to"), b) << why.out;
}

TEST_F(Bases, TheDoctorAsksEach) {
  machine.down = {b};
  pass([&](const std::string& origin, const api::HttpRequest& request) {
    return origin == c && is_discovery(request) ? answered(200, metadata("local", "another")) : std::nullopt;
  });
  std::vector<std::string> rows;
  for (const Json& row : run("doctor").rows())
    if (row.string_at("check") == "base") rows.push_back(row.text_at("state") + " " + row.text_at("detail"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].starts_with("warn " + b + ": connect")) << rows[0];
  EXPECT_TRUE(rows[1].starts_with("fail " + c + " is of another deployment")) << rows[1];
}

TEST_F(Bases, AStreamThatIsCutGoesOnAtTheNextBaseWithoutAGap) {
  machine.variables["SVC_NETWORK"] = "local";
  machine.add_trader("bob");
  const auto trade = [&](const std::string& size) {
    EXPECT_EQ(machine.run("--signer bob sell " + size + " BTC-USDX-PERP @ 60000").exit, 0);
    EXPECT_EQ(machine.run("--signer alice buy " + size + " BTC-USDX-PERP @ 60000").exit, 0);
  };
  machine.meanwhile = {[&] { trade("0.1"); },
                       [&] {
                         machine.cut_streams();
                         machine.down = {a, b};
                         trade("0.2");
                       }};
  const RunResult ran = machine.run("--signer alice -o ndjson watch fills --count 2 --fail-on-gap");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_EQ(machine.stream_origins, (std::vector{a, c}));
  EXPECT_TRUE(has(ran.out, R"("size":"0.2")"));
  EXPECT_FALSE(has(ran.out, R"("type":"gap")"));
}

TEST_F(Bases, AStreamThatIsRefusedOpensAtTheNextBase) {
  machine.down = {a};
  machine.meanwhile = {[&] { machine.cut_streams(); }};
  EXPECT_EQ(machine.run("-n local watch --public stats --for 1m").exit, 0);
  ASSERT_EQ(machine.stream_origins.size(), 2u);
  EXPECT_EQ(machine.stream_origins[0], b);
  EXPECT_EQ(machine.stream_origins[1], c) << "the next after the cut";
}

TEST_F(Bases, AStreamEndsBeforeItGoesOnToAnotherDeployment) {
  machine.meanwhile = {[&] {
    machine.down = {a};
    pass([](const std::string& origin, const api::HttpRequest& request) {
      return origin == b && is_discovery(request) ? answered(200, metadata("local", "another")) : std::nullopt;
    });
    machine.cut_streams();
  }};
  const RunResult ran = machine.run("-n local -o ndjson watch --public stats --for 1m");
  EXPECT_EQ(ran.exit, 14) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "wrong_deployment"));
}

// Configuration.

std::string config_of(const ClientMachine& machine) {
  return machine.read(".config/svc/config.toml");
}

TEST(NetworkBases, AreKeptInTheirOrderAndShown) {
  ClientMachine machine;
  const std::string add = "--json network add team --funds play ";
  const RunResult added = machine.run(add + "--rest https://a.example/v1 --rest https://b.example/v1");
  ASSERT_EQ(added.exit, 0) << added.out;
  EXPECT_TRUE(has(config_of(machine), R"(rest = ["https://a.example/v1", "https://b.example/v1"])"));
  const Json shown = machine.run("--json network show team").document();
  EXPECT_EQ(shown.string_at("data.rest"), "https://a.example/v1");
  EXPECT_EQ(shown.at("data.bases")->dump(), R"(["https://a.example/v1","https://b.example/v1"])");
  EXPECT_TRUE(has(machine.run("-o csv network list").out, "https://a.example/v1 https://b.example/v1"));
  ASSERT_EQ(machine.run(add + "--ws wss://a.example/v1 --ws wss://b.example/v1").exit, 0);
  EXPECT_EQ(machine.run("--json network show team").document().at("data.streams")->dump(),
            R"(["wss://a.example/v1","wss://b.example/v1"])");
  ASSERT_EQ(machine.run(add + "--rest https://c.example/v1 --ws wss://c.example/v1").exit, 0);
  EXPECT_TRUE(has(config_of(machine), "rest = \"https://c.example/v1\"\nws = \"wss://c.example/v1\"\n"))
      << "one is written as before: " << config_of(machine);
  EXPECT_EQ(machine.run("--json network show team").document().at("data.bases")->dump(), R"(["https://c.example/v1"])");
}

TEST(NetworkBases, HaveALimitAndHostsOfTheirOwn) {
  ClientMachine machine;
  std::string line = "network add team --funds play";
  for (std::size_t i = 0; i < limits::rest_bases_max; ++i) line += " --rest https://h" + std::to_string(i) + ".example";
  EXPECT_EQ(machine.run(line).exit, 0);
  const std::string before = config_of(machine);
  const RunResult more = machine.run(line + " --rest https://more.example");
  EXPECT_EQ(more.exit, 2);
  EXPECT_TRUE(has(more.err, "a network has 1 to 8 bases"));
  EXPECT_EQ(machine.run("network add team --rest https://a.example/v1 --rest https://A.example:443/v2").exit, 2);
  EXPECT_EQ(machine.run("network add team --ws wss://a.example --ws wss://b.example").exit, 2) << "two for eight";
  EXPECT_EQ(config_of(machine), before);
  EXPECT_EQ(machine.run("network add team --ws wss://balancer.example").exit, 0) << "one for all";
}

TEST(NetworkBases, EachMustBeEncryptedAndOfNoOtherNetwork) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("network add mainnet --rest https://main.example/v1").exit, 0);
  EXPECT_EQ(machine.run("network add team --rest https://a.example --rest https://main.example/v1").exit, 14);
  EXPECT_EQ(machine.run("network add team --rest https://a.example --rest http://b.example").exit, 14);
  EXPECT_EQ(machine.run("network add team --rest https://a.example --rest wss://b.example").exit, 2);
  // Whoever wrote the file.
  machine.write(".config/svc/config.toml",
                "version = 1\n[networks.team]\nrest = ['http://localhost:9090', 'http://b.example']\n");
  machine.down = {a};
  const RunResult ran = machine.run("-n team --json markets list");
  EXPECT_EQ(ran.exit, 14) << ran.out;
  EXPECT_EQ(ran.code(), "plain_http") << ran.out;
  for (const api::HttpRequest& request : machine.sent)
    EXPECT_TRUE(is_discovery(request) || request.path() == "/markets") << request.path();
}

}  // namespace SVC_FILE
}  // namespace svc::cli
