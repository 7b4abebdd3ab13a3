// Every operation and every twin, answered by a whole sandbox with success and with something to say.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/codec.h"
#include "api/operation_table.h"
#include "contract/real_venue.h"
#include "contract/response_reader.h"
#include "contract/venue.h"

namespace svc::contract {
namespace SVC_FILE {

using Json = nlohmann::json;

// Upgrades are met where there are connections; here their paths say 426. (tests/sim stream tokens)
bool is_upgrade(const api::Operation& operation) {
  return operation.success == 101;
}

// Lists that nothing in this story fills.
const std::set<std::string_view> may_be_empty{"list_account_adl", "list_adl_events"};

bool is_trivial(const Json& body) {
  return body.is_null() || (body.is_structured() && body.empty());
}

// What a body lacks or has too much, compared with the record that its operation answers with.
using Misfit = std::string (*)(const api::HttpResponse&);

template <class Op>
std::string misfit(const api::HttpResponse& response) {
  typename Op::Response record{};
  api::DecodeReport report;
  const auto decoded = api::decode_response(api::type_of<typename Op::Response>(), &record, response, &report);
  if (!decoded) return to_string(decoded.error());
  std::string text;
  for (const std::string& field : report.unknown_fields) text += "unknown " + field + "; ";
  for (const std::string& field : report.missing_fields) text += "missing " + field + "; ";
  return text;
}

std::map<std::string_view, Misfit> misfits() {
  std::map<std::string_view, Misfit> by_name;
  const auto add = [&]<class Op>() { by_name[Op::op.name] = misfit<Op>; };
  api::AllOps::for_each(add);
  api::LegacyOps::for_each(add);
  return by_name;
}

class Answers : public testing::TestWithParam<Site> {
 protected:
  template <class F>
  void for_each_answer(F f) {
    for (const api::OperationEntry& entry : every_operation()) {
      if (is_upgrade(*entry.operation)) continue;
      for (const bool twin : {false, true}) {
        if (twin && !entry.operation->twin) continue;
        SCOPED_TRACE(std::string(entry.operation->name) + (twin ? " (twin)" : ""));
        f(entry, twin, venue.send(venue.request_for(entry, twin)));
      }
    }
  }

  RealVenue venue{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Sites, Answers, testing::Values(Site::memory, Site::etcd, Site::cluster),
                         [](const auto& site) { return std::string(to_string(site.param)); });

TEST_P(Answers, AreTheSuccessOfTheirOperationAndFitItsRecord) {
  const auto records = misfits();
  for_each_answer([&](const api::OperationEntry& entry, bool, const api::HttpResponse& response) {
    const api::Operation& operation = *entry.operation;
    ASSERT_EQ(response.status, operation.success) << response.body;
    const Json body = Json::parse(response.body, nullptr, false);
    ASSERT_FALSE(body.is_discarded()) << response.body;
    EXPECT_EQ(records.at(operation.name)(response), "") << response.body;
    EXPECT_TRUE(!is_trivial(body) || may_be_empty.contains(operation.name)) << response.body;
  });
  // And that is what the sandbox says of itself. Each node has its own report.
  std::map<std::string, bool> met;
  for (const Json& report : venue.look_everywhere("/_svc/coverage"))
    for (const Json& row : report["operations"])
      if (row["success"] != 101)
        met[row["operation"].get<std::string>() + (row["twin"].get<bool>() ? " (twin)" : "")] |= row["met"].get<bool>();
  for (const auto& [operation, was_met] : met) EXPECT_TRUE(was_met) << operation;
  for (const Json& report : venue.look_everywhere("/_svc/invariants")) EXPECT_EQ(report["violations"], Json::array());
}

// Nonces, client ids, idempotency keys and single-use challenges are decided in the log.
TEST(SentToThreeNodesAtOnce, TheSameRequestHappensOnce) {
  constexpr int rounds = 5;
  RealVenue venue(Site::cluster);
  const auto expect_one_success = [&](const char* what, const api::HttpRequest& request) {
    std::string told;
    int successes = 0;
    for (const api::HttpResponse& answer : venue.send_to_all(request)) {
      successes += answer.status < 300 ? 1 : 0;
      told += std::to_string(answer.status) + ' ' + answer.body + '\n';
    }
    EXPECT_EQ(successes, 1) << what << '\n' << told;
  };
  // Each node answers, and all tell of the same one.
  const auto expect_one_id = [&](const char* what, const api::HttpRequest& request) {
    std::set<std::string> ids;
    for (const api::HttpResponse& answer : venue.send_to_all(request)) {
      EXPECT_LT(answer.status, 300) << what << ' ' << answer.body;
      const Json body = Json::parse(answer.body);
      ids.insert((body.contains("order") ? body["order"] : body).value("id", ""));
    }
    EXPECT_EQ(ids.size(), 1u) << what;
  };
  for (int round = 0; round < rounds; ++round) {
    expect_one_success("signed action", venue.order_with_action());
    for (const char* name : {"submit_withdrawal", "submit_transfer", "register_agent", "register_wallet"})
      expect_one_success(name, venue.request_for(*api::find_operation(name), false));
    expect_one_id("client id", venue.order_with_client_id());
    expect_one_id("idempotency key", venue.request_for(*api::find_operation("create_bridge_withdrawal"), false));
  }
  for (const Json& report : venue.look_everywhere("/_svc/invariants")) EXPECT_EQ(report["violations"], Json::array());
}

// The clock stands still: nothing is refilled.
TEST(SentToThreeNodesAtOnce, ABudgetIsSpentOnce) {
  const auto accepted = [](Site site) {
    RealVenue venue(site, 1);
    const api::HttpRequest look = venue.request_for(*api::find_operation("list_orders"), false);
    venue.control("/time", {{"advance_ms", 2 * second_ms}});
    std::size_t count = 0;
    for (std::size_t sent = 0; sent < 60;) {
      const auto answers = venue.send_to_all(look);
      sent += answers.size();
      for (const api::HttpResponse& answer : answers) {
        EXPECT_TRUE(answer.status == 200 || answer.status == 429) << answer.body;
        count += answer.status == 200 ? 1 : 0;
      }
    }
    return count;
  };
  const std::size_t by_one_node = accepted(Site::memory);
  EXPECT_GT(by_one_node, 0u);
  EXPECT_LT(by_one_node, 60u);
  EXPECT_EQ(accepted(Site::cluster), by_one_node);
}

}  // namespace SVC_FILE
}  // namespace svc::contract
