// Every operation and every twin, answered by a whole sandbox with success and with something to say.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/codec.h"
#include "api/message_codec.h"
#include "api/operation_table.h"
#include "contract/real_venue.h"
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

class Answers : public testing::Test {
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

  RealVenue venue;
};

TEST_F(Answers, AreTheSuccessOfTheirOperationAndFitItsRecord) {
  const auto records = misfits();
  for_each_answer([&](const api::OperationEntry& entry, bool, const api::HttpResponse& response) {
    const api::Operation& operation = *entry.operation;
    ASSERT_EQ(response.status, operation.success) << response.body;
    const Json body = Json::parse(response.body, nullptr, false);
    ASSERT_FALSE(body.is_discarded()) << response.body;
    EXPECT_EQ(records.at(operation.name)(response), "") << response.body;
    EXPECT_TRUE(!is_trivial(body) || may_be_empty.contains(operation.name)) << response.body;
  });
  // And that is what the sandbox says of itself.
  const Json report = venue.look("/_svc/coverage");
  for (const Json& row : report["operations"]) {
    if (row["success"] == 101) continue;
    EXPECT_TRUE(row["met"].get<bool>()) << row["operation"] << (row["twin"].get<bool>() ? " (twin)" : "");
  }
  EXPECT_EQ(venue.look("/_svc/invariants")["violations"], Json::array());
}

}  // namespace SVC_FILE
}  // namespace svc::contract
