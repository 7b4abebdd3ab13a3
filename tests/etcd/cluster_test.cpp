// Several nodes that serve one exchange on a real etcd, each a process of its own.

#include <gtest/gtest.h>

#include "api/stream/ws_client.h"
#include "base/archive.h"
#include "etcd/etcd_server_double.h"
#include "etcd/served_sandbox.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/cluster/cluster_node.h"
#include "sim/venue.h"

namespace svc::sim {
namespace SVC_FILE {

using Json = nlohmann::json;

struct Cluster : testing::Test {
  void start_nodes(FlowKind flow, ClockMode clock) {
    for (const char* name : {"a", "b", "c"}) {
      nodes.push_back(std::make_unique<ServedSandbox>(etcd, name, flow, clock));
      nodes.back()->start();
      EXPECT_NE(nodes.back()->url(), "") << nodes.back()->error();
    }
  }
  void start_all() {
    start_nodes(FlowKind::none, ClockMode::manual);
    for (const auto& node : nodes) EXPECT_TRUE(comes_true([&] { return node->let_time_pass(); })) << node->name();
  }
  // Tries again for a while: leases end, news arrive.
  static bool comes_true(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 1'000; ++tries) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  bool all_agree() {
    return comes_true([&] {
      const Json first = nodes.front()->status();
      return std::ranges::all_of(nodes, [&](const auto& node) {
        const Json status = node->status();
        return status["sequence"] == first["sequence"] && status["state_hash"] == first["state_hash"] &&
               node->now() == nodes.front()->now();
      });
    });
  }

  static Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream(const ServedSandbox& node) {
    return api::open_websocket({.dial = {.origin = *api::parse_url(node.url())}, .target = "/v1/stream"});
  }
  static bool ends(api::MessageLink& stream) {
    return comes_true([&] {
      const auto event = stream.next(20);
      return event && event->kind == api::LinkEvent::Kind::ended;
    });
  }

  // Why one more node does not start; empty if it does.
  [[nodiscard]] std::string refusal_of(const std::string& name, api::NetworkId network) const {
    SandboxOptions options;
    options.port = 0;
    options.name = name;
    options.network = network;
    options.etcd = etcd.address();
    const SystemClock machine;
    const auto opened = Sandbox::open(options, machine);
    return opened ? std::string() : opened.error();
  }

  EtcdProcess etcd;
  std::vector<std::unique_ptr<ServedSandbox>> nodes;
};

TEST_F(Cluster, AWriteOnAnyNodeReachesEveryNode) {
  start_all();
  EXPECT_TRUE(all_agree());
  const std::int64_t began = nodes.front()->now().get<std::int64_t>();
  for (int i = 0; i < 5; ++i)
    for (const auto& node : nodes) EXPECT_TRUE(node->let_time_pass());
  EXPECT_TRUE(all_agree());
  EXPECT_EQ(nodes.back()->now().get<std::int64_t>(), began + 15 * minute_ms);
}

TEST_F(Cluster, AnotherNodeLeadsWhenTheLeaderIsKilledOrPaused) {
  start_all();
  nodes[0]->end(SIGKILL);
  for (const auto& other : {std::cref(nodes[1]), std::cref(nodes[2])})
    ASSERT_TRUE(comes_true([&] { return other.get()->let_time_pass(); }));
  nodes[0]->start();
  EXPECT_TRUE(comes_true([&] { return nodes[0]->let_time_pass(); }));
  EXPECT_TRUE(all_agree());
  // Whoever leads now is paused for longer than its lease.
  for (const auto& node : nodes) {
    const Json before = node->now();
    node->stop();
    const auto& other = node == nodes[0] ? nodes[1] : nodes[0];
    EXPECT_TRUE(comes_true([&] { return other->let_time_pass(); }));
    node->go_on();
    EXPECT_TRUE(comes_true([&] { return node->let_time_pass(); })) << before;
    EXPECT_TRUE(all_agree());
  }
}

// The id of the newest trade that the node shows; empty: none.
std::string newest_trade(const ServedSandbox& node) {
  const Json trades = node.ask("GET", "/markets/BTC-USDX-PERP/trades?limit=1");
  return trades.is_array() && !trades.empty() ? trades[0].value("id", "") : "";
}

TEST_F(Cluster, BotsKeepTradingWhenAnotherNodeLeads) {
  start_nodes(FlowKind::bots, ClockMode::real);
  const auto trades_at = [&](const ServedSandbox& node) {
    const std::string before = newest_trade(node);
    return comes_true([&] { return newest_trade(node) != before; });
  };
  for (const auto& node : nodes) EXPECT_TRUE(trades_at(*node));
  nodes[0]->end(SIGKILL);
  for (const auto& node : {std::cref(nodes[1]), std::cref(nodes[2])}) {
    ASSERT_TRUE(comes_true([&] { return node.get()->status()["cluster"]["leader"] != "a"; }));
    EXPECT_TRUE(trades_at(*node.get()));
  }
}

TEST_F(Cluster, ANodeThatMissedWhatTheLeaderPassedOnReadsTheLog) {
  start_all();
  nodes[2]->stop();
  // More than wait for a node that does not answer.
  for (std::size_t i = 0; i < limits::peer_rows_waiting_max * 2; ++i) ASSERT_TRUE(nodes[0]->let_time_pass());
  nodes[2]->go_on();
  EXPECT_TRUE(all_agree());
}

TEST_F(Cluster, ANodeEndsWhileAWriteWaitsForALeaderAndForEtcd) {
  start_all();
  etcd.pause();
  nodes[0]->stop();
  const signing::PrivateKey wallet = *signing::PrivateKey::from_hex(std::string(64, '5'));
  const std::string message = signing::login_message(nodes[1]->domain_name());
  const Json login{{"message", message},
                   {"signature", to_string(wallet.sign(signing::personal_message_digest(message)))}};
  {
    const std::jthread writer([&] { static_cast<void>(nodes[1]->ask("POST", "/v1/auth/login", login.dump())); });
    EXPECT_TRUE(comes_true([&] { return nodes[1]->status()["cluster"]["takes_writes"] == false; }));
    EXPECT_EQ(nodes[2]->ask("GET", "/v1/account")["code"], "unauthorized") << "refused in any case";
    EXPECT_EQ(nodes[1]->end(SIGTERM), 0);
  }
  etcd.go_on();
  nodes[0]->go_on();
}

// Others may write what it does not see, and cancel the orders of those who believe that they are connected.
TEST_F(Cluster, ANodeThatIsCutOffEndsItsStreamsAndSaysHowOldItsPricesAre) {
  start_nodes(FlowKind::bots, ClockMode::real);
  const ServedSandbox& node = *nodes[1];
  const auto ticker_ms = [&] { return node.ask("GET", "/v1/markets/BTC-USDX-PERP/ticker")["timestamp"]; };
  const auto stream = open_stream(node);
  ASSERT_TRUE(stream) << stream.error().reason;
  etcd.pause();
  nodes[0]->stop();
  EXPECT_TRUE(ends(**stream));
  EXPECT_EQ(open_stream(node).error().status, 503);
  EXPECT_EQ(node.status()["cluster"]["takes_writes"], false);
  const Json then = ticker_ms();
  EXPECT_TRUE(comes_true([&] { return node.now() > then; }));
  EXPECT_EQ(ticker_ms(), then);
  etcd.go_on();
  nodes[0]->go_on();
  EXPECT_TRUE(comes_true([&] { return open_stream(node).has_value(); }));
  EXPECT_TRUE(comes_true([&] { return ticker_ms() > then; }));
}

// The others count its streams as lost.
TEST_F(Cluster, ANodeWhoseEntryEndsClosesItsStreamsUntilItHasAnother) {
  start_all();
  const ServedSandbox& node = *nodes[1];
  const auto stream = open_stream(node);
  ASSERT_TRUE(stream) << stream.error().reason;
  EtcdClient client(etcd.address().members, dial_by_http());
  const auto entry = client.read_one("svc/node/b");
  ASSERT_TRUE(entry && *entry);
  ASSERT_TRUE(client.revoke_lease((*entry)->lease));
  EXPECT_TRUE(ends(**stream));
  EXPECT_TRUE(comes_true([&] { return node.status()["cluster"]["takes_writes"] == true; }));
  EXPECT_TRUE(open_stream(node));
}

TEST_F(Cluster, ANodeThatLostItsNameToAnotherRefusesRequestsAndSaysWhy) {
  start_all();
  const ServedSandbox& node = *nodes[1];
  const auto stream = open_stream(node);
  ASSERT_TRUE(stream) << stream.error().reason;
  EtcdClient client(etcd.address().members, dial_by_http());
  const NodeEntry other{.name = "b", .process = 7, .place = {.host = "127.0.0.1", .port = 1}};
  ASSERT_TRUE(client.commit({.puts = {{.key = "svc/node/b", .value = to_archive(other)}}}));
  EXPECT_TRUE(ends(**stream));
  EXPECT_TRUE(comes_true([&] {
    return node.status()["cluster"]["problem"] == "another node has the name b: give this one another --name";
  })) << node.status()["cluster"];
  EXPECT_EQ(node.status()["cluster"]["takes_writes"], false);
  EXPECT_EQ(open_stream(node).error().status, 503);
  ASSERT_TRUE(client.commit({.removals = {{.key = "svc/node/b"}}}));
  EXPECT_TRUE(comes_true([&] { return node.status()["cluster"]["takes_writes"] == true; }));
  EXPECT_TRUE(open_stream(node));
  EXPECT_TRUE(all_agree());
}

TEST_F(Cluster, ANodeWhoseEntryIsRemovedWritesItAgain) {
  start_all();
  EtcdClient client(etcd.address().members, dial_by_http());
  const std::string key = "svc/node/b";
  ASSERT_TRUE(client.commit({.removals = {{.key = key}}}));
  EXPECT_TRUE(comes_true([&] {
    const auto entry = client.read_one(key);
    return entry && entry->has_value();
  }));
  EXPECT_TRUE(comes_true([&] { return nodes[1]->let_time_pass(); }));
}

TEST_F(Cluster, NodesWhoseEtcdLostItsDataNameNoLeader) {
  start_all();
  etcd.lose_data();
  for (const auto& node : nodes) {
    EXPECT_TRUE(comes_true([&] {
      return node->status()["cluster"]["problem"].dump().find("the data of etcd was lost") != std::string::npos;
    })) << node->name();
    EXPECT_TRUE(node->status()["cluster"]["leader"].is_null()) << node->name();
  }
}

TEST_F(Cluster, ANameIsServedByOneNode) {
  start_all();
  const std::string refused = refusal_of("b", api::NetworkId::local);
  EXPECT_NE(refused.find("a node of the name b serves"), std::string::npos) << refused;
}

// What is written may wait for as long as etcd does not answer.
TEST_F(Cluster, NodesCutOffFromEtcdEndTheirStreams) {
  start_nodes(FlowKind::bots, ClockMode::real);
  for (const auto& node : nodes) {
    const auto stream = open_stream(*node);
    ASSERT_TRUE(stream) << stream.error().reason;
    etcd.pause();
    EXPECT_TRUE(ends(**stream)) << node->name();
    etcd.go_on();
    for (const auto& other : nodes)
      EXPECT_TRUE(comes_true([&] { return open_stream(*other).has_value(); })) << other->name();
  }
}

TEST_F(Cluster, ScaledClocksStayTogetherWhenALeaderHasToWait) {
  for (const char* name : {"a", "b"}) {
    nodes.push_back(std::make_unique<ServedSandbox>(etcd, name, FlowKind::none, ClockMode::scaled));
    nodes.back()->options.clock.rate = Ppm{60 * ppm_one};
    nodes.back()->start();
    ASSERT_NE(nodes.back()->url(), "") << nodes.back()->error();
  }
  const auto ahead_ms = [&] {
    const std::int64_t at_leader = nodes[0]->now().get<std::int64_t>();
    return nodes[1]->now().get<std::int64_t>() - at_leader;
  };
  EXPECT_TRUE(comes_true([&] { return nodes[1]->status()["cluster"]["takes_writes"] == true; }));
  etcd.pause();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  etcd.go_on();
  EXPECT_TRUE(comes_true([&] { return std::abs(ahead_ms()) < minute_ms / 2; })) << ahead_ms();
}

// Two networks in one state would execute each other's writes.
TEST_F(Cluster, ANodeOfAnotherNetworkIsRefused) {
  start_all();
  const std::string refused = refusal_of("d", api::NetworkId::testnet);
  EXPECT_NE(refused.find("keeps network local, and a state keeps one"), std::string::npos) << refused;
}

// The document is larger than a request of a client may be.
TEST_F(Cluster, AStateIsLoadedThroughANodeThatFollows) {
  start_all();
  Json state = nodes[2]->ask("GET", "/_svc/state");
  ASSERT_EQ(state["status_code"], 200);
  state.erase("status_code");
  EXPECT_TRUE(nodes[0]->let_time_pass());
  const std::string roomy = state.dump() + std::string(2 * limits::http_body_bytes_max, ' ');
  for (const auto& node : nodes) {
    const Json loaded = node->ask("PUT", "/_svc/state", roomy);
    EXPECT_EQ(loaded["status_code"], 200) << node->name() << loaded;
  }
  EXPECT_TRUE(all_agree());
}

TEST_F(Cluster, AnyNodeSendsARequestAsAnAccount) {
  start_all();
  const std::string path = "/_svc/accounts/" + to_string(dev_accounts(1, Usdx{})[0].address) + "/requests";
  for (const auto& node : nodes) {
    const Json answer = node->ask("POST", path, R"({"method":"GET","path":"/account"})");
    EXPECT_EQ(answer["status_code"], 200) << node->name() << answer;
  }
  EXPECT_TRUE(all_agree());
}

// Clients repeat a 503.
TEST_F(Cluster, ARequestWhoseLeaderEndsBeforeItAnswersIsNotSaidToHaveDoneNothing) {
  start_all();
  const std::string path = "/_svc/accounts/" + to_string(dev_accounts(1, Usdx{})[0].address) + "/requests";
  const Json order{{"method", "POST"},
                   {"path", "/orders"},
                   {"body",
                    {{"market_id", "BTC-USDX-PERP"},
                     {"side", "Buy"},
                     {"order_type", "Limit"},
                     {"quantity", "0.1"},
                     {"price", "40404"},
                     {"time_in_force", "GTC"}}}};
  const std::string late = R"({"route":"/orders","method":"POST","latency_ms":60000})";
  ASSERT_EQ(nodes[0]->ask("POST", "/_svc/faults", late)["status_code"], 200);
  const auto was_done = [&] {
    return nodes[2]->ask("GET", "/v1/markets/BTC-USDX-PERP/orderbook").dump().find("40404") != std::string::npos;
  };
  Json answer;
  {
    const std::jthread client([&] { answer = nodes[1]->ask("POST", path, order.dump()); });
    EXPECT_TRUE(comes_true(was_done));
    nodes[0]->end(SIGKILL);
  }
  EXPECT_EQ(answer["status_code"], 500) << answer;
  EXPECT_EQ(answer["code"], "INTERNAL_ERROR");
}

TEST_F(Cluster, RevertsAndResetsReachEveryNodeFromAnyNode) {
  start_all();
  EXPECT_EQ(nodes[1]->ask("POST", "/_svc/snapshots", R"({"name":"here"})")["status_code"], 200);
  const Json then = nodes[2]->now();
  EXPECT_TRUE(nodes[2]->let_time_pass());
  EXPECT_EQ(nodes[2]->ask("POST", "/_svc/snapshots/here/revert")["status_code"], 200);
  EXPECT_TRUE(all_agree());
  EXPECT_EQ(nodes[0]->now(), then);
  EXPECT_EQ(nodes[1]->ask("POST", "/_svc/reset", "{}")["status_code"], 200);
  EXPECT_TRUE(all_agree());
}

TEST_F(Cluster, AStoppedClockThatIsMovedSendsTheFiguresOfTheVenueOnEveryNode) {
  start_all();
  std::vector<std::unique_ptr<api::MessageLink>> streams;
  for (const auto& node : nodes) {
    auto stream = api::open_websocket({.dial = {.origin = *api::parse_url(node->url())}, .target = "/v1/stream"});
    ASSERT_TRUE(stream) << stream.error().reason;
    ASSERT_TRUE((*stream)->send(R"({"subscribe":["stats"]})"));
    ASSERT_TRUE((*stream)->send(R"({"op":"sync"})"));
    EXPECT_TRUE(comes_true([&] {
      const auto event = (*stream)->next(20);
      return event && event->text.find("synced") != std::string::npos;
    }));
    streams.push_back(std::move(*stream));
  }
  EXPECT_EQ(nodes[1]->ask("POST", "/_svc/time", R"({"advance_ms":3000})")["status_code"], 200);
  for (const auto& stream : streams)
    EXPECT_TRUE(comes_true([&] {
      const auto event = stream->next(20);
      return event && event->text.find("Stats") != std::string::npos;
    }));
}

TEST_F(Cluster, BotsThatAFollowerSwitchesOffHaveLeftWhenItAnswers) {
  start_nodes(FlowKind::bots, ClockMode::manual);
  for (const auto& node : nodes) EXPECT_TRUE(comes_true([&] { return node->let_time_pass(); })) << node->name();
  const auto levels = [&] {
    const Json book = nodes[1]->ask("GET", "/v1/markets/BTC-USDX-PERP/orderbook");
    return book["bids"].size() + book["asks"].size();
  };
  EXPECT_GT(levels(), 0u);
  EXPECT_EQ(nodes[1]->ask("POST", "/_svc/flow", R"({"bots":false})")["status_code"], 200);
  EXPECT_EQ(levels(), 0u);
}

TEST_F(Cluster, ALeaderThatNoOtherNodeReachesLetsAnotherOneLead) {
  nodes.push_back(std::make_unique<ServedSandbox>(etcd, "a", FlowKind::none, ClockMode::manual));
  nodes[0]->options.advertise = "127.0.0.1:1";
  nodes.push_back(std::make_unique<ServedSandbox>(etcd, "b", FlowKind::none, ClockMode::manual));
  for (const auto& node : nodes) node->start();
  EXPECT_TRUE(nodes[0]->let_time_pass());
  EXPECT_FALSE(nodes[1]->let_time_pass());
  EXPECT_TRUE(comes_true([&] { return nodes[1]->status()["cluster"]["leader"] == "b"; }));
  for (const auto& node : nodes) EXPECT_TRUE(comes_true([&] { return node->let_time_pass(); })) << node->name();
  const std::string problem = nodes[0]->status()["cluster"].value("problem", "");
  EXPECT_EQ(problem, "no other node reaches this one at 127.0.0.1:1; is --advertise right?");
}

TEST_F(Cluster, ANodeTellsThatItsClockIsNotThatOfTheLeaderAndGoesByThatOne) {
  const auto leader = std::make_unique<ServedSandbox>(etcd, "a", FlowKind::none, ClockMode::real);
  leader->start();
  for (const auto& [off_ms, words] : {std::pair{hour_ms, "ahead of"}, std::pair{-hour_ms, "behind"}}) {
    const ManualClock machine(SystemClock().now_ms() + off_ms);
    SandboxOptions options = leader->options;
    options.name = "b";
    const auto try_again = [](const std::string&) {  // the leader is found a moment after it has told where it is
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return true;
    };
    auto venue = Venue::open(options, machine, {.try_again = try_again});
    ASSERT_TRUE(venue) << venue.error();
    Venue& opened = **venue;
    Sandbox node(std::move(*venue));
    opened.set_port(1);
    std::string problem;
    EXPECT_TRUE(comes_true([&] {
      const auto answer = node.handle({.method = "GET", .target = "/_svc/status", .headers = {}, .body = {}});
      problem = Json::parse(answer.body)["cluster"].value("problem", "");
      return problem.find(words) != std::string::npos;
    })) << problem;
    // A clock that has run ahead does not go back.
    if (off_ms > 0) continue;
    const auto time = node.handle({.method = "GET", .target = "/_svc/time", .headers = {}, .body = {}});
    EXPECT_NEAR(Json::parse(time.body)["now_ms"].get<double>(), leader->now().get<double>(), minute_ms);
  }
}

// A way to a node that takes requests and does not answer.
struct Mute final : api::Transport {
  explicit Mute(std::atomic<int>& requests) : requests_(requests) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    if (request.body != to_archive(std::vector<std::string>())) ++requests_;
    return unexpected(api::TransportError{.delivery = api::Delivery::unknown, .reason = "no answer"});
  }

 private:
  std::atomic<int>& requests_;
};

struct PeerLinkTest : testing::Test {
  ManualClock clock{1'000'000};
  std::atomic<int> requests{0};
  PeerLink link{{.host = "127.0.0.1", .port = 1},
                Secret("secret"),
                1,
                [this](const api::HostPort&, std::int64_t) { return std::make_unique<Mute>(requests); },
                clock};
};

TEST_F(PeerLinkTest, ASilentNodeIsNotAskedForBudgetsForAWhile) {
  const auto ask = [&](PeerCall what) {
    Waiter waiter;
    std::string reason;
    link.add(what, "", [&](const Result<std::string, PeerError>& answer) {
      reason = answer ? "an answer" : answer.error().reason;
      waiter.wake();
    });
    link.send_waiting();
    waiter.wait();
    return reason;
  };
  EXPECT_EQ(ask(PeerCall::charge), "no answer");
  EXPECT_EQ(ask(PeerCall::charge), "127.0.0.1:1 did not answer just now");
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(ask(PeerCall::position), "no answer");
  EXPECT_EQ(ask(PeerCall::position), "no answer");
  EXPECT_EQ(requests, 3);
  clock.advance(limits::peer_silence_ms);
  EXPECT_EQ(ask(PeerCall::charge), "no answer");
  EXPECT_EQ(requests, 4);
}

TEST_F(PeerLinkTest, TellsWhyMessagesFail) {
  link.add(PeerCall::rows, "", [](const Result<std::string, PeerError>&) {});
  link.send_waiting();
  EXPECT_TRUE(Cluster::comes_true([&] { return link.trouble(PeerCall::rows) == "no answer"; }));
  EXPECT_TRUE(Cluster::comes_true([&] { return link.trouble(PeerCall::submit) == "no answer"; }))
      << "connections are opened before they are needed";
}

TEST(EtcdState, AStartWaitsWhileEtcdElects) {
  EtcdServerDouble server;
  const ManualClock clock(1'000'000);
  std::vector<std::string> reasons;
  EtcdState::Terms terms{.address = {.members = {{.host = "one", .port = 1}}},
                         .node = "a",
                         .dial = server.dial(),
                         .may_follow = true,
                         .try_again = [&](const std::string& reason) { return reasons.push_back(reason), true; }};
  server.fail("txn", EtcdServerDouble::Fault::no_quorum, 2);
  EXPECT_TRUE(EtcdState::open(terms, clock));
  const std::string reason = "etcd://one:1/svc does not answer (etcd: etcdserver: request timed out)";
  EXPECT_EQ(reasons, (std::vector{reason, reason}));
  server.fail("txn", EtcdServerDouble::Fault::no_quorum);
  terms.try_again = [](const std::string&) { return false; };
  const auto refused = EtcdState::open(terms, clock);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "--state: etcd://one:1/svc: etcd: etcdserver: request timed out");
}

TEST(EtcdState, ANodeCountsAsGoneBeforeItsEntryEnds) {
  EtcdServerDouble server;
  ManualClock clock(1'000'000);
  const auto state = EtcdState::open(
      {.address = {.members = {{.host = "one", .port = 1}}}, .node = "a", .dial = server.dial(), .may_follow = true},
      clock);
  ASSERT_TRUE(state) << state.error();
  clock.advance(limits::etcd_lease_s * second_ms - limits::cluster_entry_margin_ms - 1);
  EXPECT_TRUE((*state)->has_entry());
  clock.advance(1);
  EXPECT_FALSE((*state)->has_entry());
}

TEST(EtcdState, FindsTheRoomOfAnEtcdWhoseAlarmIsStillSet) {
  EtcdServerDouble server;
  const ManualClock clock(1'000'000);
  const auto state = EtcdState::open(
      {.address = {.members = {{.host = "one", .port = 1}}}, .node = "a", .dial = server.dial()}, clock);
  ASSERT_TRUE(state) << state.error();
  EXPECT_TRUE((*state)->has_room());
  server.fill();
  EXPECT_FALSE((*state)->has_room());
  server.give_room();
  EXPECT_TRUE((*state)->has_room());
}

TEST(PeerInbox, AMessageIsActedUponOnce) {
  PeerInbox inbox;
  std::string answer;
  const PeerMessage first{.process = 1, .lane = 1, .number = 1};
  EXPECT_EQ(inbox.receive(first, answer), PeerInbox::Verdict::act);
  EXPECT_EQ(inbox.receive(first, answer), PeerInbox::Verdict::busy);
  inbox.finish(first, "done");
  EXPECT_EQ(inbox.receive(first, answer), PeerInbox::Verdict::known);
  EXPECT_EQ(answer, "done");
  EXPECT_EQ(inbox.receive({.process = 1, .lane = 2, .number = 1}, answer), PeerInbox::Verdict::act);
  EXPECT_EQ(inbox.receive({.process = 1, .lane = 1, .number = 2}, answer), PeerInbox::Verdict::act);
  EXPECT_EQ(inbox.receive(first, answer), PeerInbox::Verdict::late);
}

TEST(PeerMessage, HasOneText) {
  const auto read = parse_peer_message("18446744073709551615.2.3");
  ASSERT_TRUE(read);
  EXPECT_EQ(to_string(*read), "18446744073709551615.2.3");
  for (const char* text :
       {"", "1", "1.2", "1.2.", "1.2.3.", "1.2.3.4", "1..3", "-1.2.3", "1.2.x", "18446744073709551616.1.1"})
    EXPECT_FALSE(parse_peer_message(text)) << text;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
