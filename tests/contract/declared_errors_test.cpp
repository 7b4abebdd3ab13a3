// Every error that an operation declares, met on every one of its routes: in the envelope of the operation,
// with its status, and in the request log.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/operation_list.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "contract/sample_request.h"
#include "contract/venue.h"

namespace svc::contract {
namespace SVC_FILE {

using api::ErrorCode;

sim::NetworkSettings unmetered_with_faucet() {
  sim::NetworkSettings settings;
  settings.faucet = true;
  settings.limits.multiplier = 0;
  return settings;
}

// The body that the API promises for this code on this operation.
std::string expected_start(ErrorCode code, const api::Operation& operation) {
  const std::string spelling = '"' + std::string(api::spelling(code)) + '"';
  switch (code) {
    case ErrorCode::unauthorized: return R"({"code":"unauthorized"})";
    case ErrorCode::authoritative_margin_unavailable: return R"({"code":"authoritative_margin_unavailable"})";
    case ErrorCode::body_too_large:
    case ErrorCode::uri_too_long:
    case ErrorCode::header_too_large:
    case ErrorCode::rate_limit_exceeded:
    case ErrorCode::api_version_unsupported: return R"({"code":)" + spelling + R"(,"message":)";
    default: break;
  }
  switch (operation.envelope) {
    case api::Envelope::flat: return R"({"code":)" + spelling + R"(,"message":)";
    case api::Envelope::trading: return R"({"code":)" + spelling + R"(,"error":)" + spelling + R"(,"message":)";
    case api::Envelope::bridge: return R"({"error":{"code":)" + spelling + R"(,"message":)";
  }
  return {};
}

std::set<std::string_view> expected_headers(ErrorCode code) {
  switch (code) {
    case ErrorCode::rate_limit_exceeded:
      return {"retry-after", "x-ratelimit-bucket", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"};
    case ErrorCode::api_version_unsupported: return {"x-svc-api-min-version"};
    case ErrorCode::restricted_jurisdiction:
    case ErrorCode::us_restricted:
    case ErrorCode::geo_unresolved: return {"x-svc-block-reason"};
    case ErrorCode::upgrade_required: return {"upgrade"};
    default: return {};
  }
}

TEST(DeclaredErrors, EachIsAnsweredOnEveryRouteThatDeclaresIt) {
  Venue venue(Handlers::answer_empty, unmetered_with_faucet());
  for (const api::OperationEntry& entry : every_operation()) {
    const api::Operation& operation = *entry.operation;
    for (const bool twin : {false, true}) {
      if (twin && !operation.twin) continue;
      for (const api::OperationError& error : api::declared_errors(entry)) {
        if (sim::refuses_write(error.code)) continue;  // needs a write: tests/sim faults
        SCOPED_TRACE(std::string(operation.name) + (twin ? " (twin) " : " ") + std::string(api::spelling(error.code)));
        sim::FaultRule rule;
        rule.operation = operation.name;
        rule.effect = sim::FaultEffect::error;
        rule.code = error.code;
        ASSERT_TRUE(venue.gateway.faults().add(rule));
        const api::HttpResponse response = venue.send(venue.authorised(operation, sample_request(entry, twin)));
        EXPECT_EQ(venue.gateway.faults().clear(), 1u);

        EXPECT_EQ(response.status, error.status);
        EXPECT_TRUE(response.body.starts_with(expected_start(error.code, operation))) << response.body;
        JsonReader reader(response.body, limits::record_json_depth_max);
        std::string_view value;
        EXPECT_TRUE(reader.any(value) && reader.at_end()) << response.body;
        EXPECT_EQ(response.headers.find("Content-Type"), "application/json");
        for (const std::string_view name : expected_headers(error.code)) EXPECT_TRUE(response.headers.contains(name));
        EXPECT_EQ(venue.last_logged().rule, "fault");
        EXPECT_EQ(venue.last_logged().code, api::spelling(error.code));
      }
    }
  }
  // What was just met is what coverage says.
  for (const sim::RouteCoverage& route : venue.gateway.coverage().routes()) {
    for (const api::OperationError& error : api::declared_errors(*api::find_operation(route.operation->name)))
      EXPECT_TRUE(route.codes.contains(error.code) || sim::refuses_write(error.code))
          << route.operation->name << " " << api::spelling(error.code);
  }
}

// A code that no operation declares can only come from the edge: before a route is known, or from a stream.
TEST(DeclaredErrors, ACodeThatNoOperationDeclaresComesFromTheEdge) {
  std::set<ErrorCode> declared;
  for (const api::OperationEntry& entry : every_operation())
    for (const api::OperationError& error : api::declared_errors(entry)) declared.insert(error.code);
  std::set<std::string_view> others;
  for (const api::ErrorInfo& info : api::error_catalog())
    if (!declared.contains(info.code) && !info.is_of_frames) others.insert(info.spelling);
  const std::set<std::string_view> edge{"bad_request", "method_not_allowed", "request_timeout", "gone", "uri_too_long",
                                        "header_too_large", "not_implemented",
                                        // of the operator's commands
                                        "MarketNotHalted", "InsufficientRecapitalization",
                                        // sent by older deployments, known to clients
                                        "SIGNER_MISMATCH", "SIGNATURE_INVALID", "nonce_used"};
  for (const std::string_view spelling : others) EXPECT_TRUE(edge.contains(spelling)) << spelling;
}

}  // namespace SVC_FILE
}  // namespace svc::contract
