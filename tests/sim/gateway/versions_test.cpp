// The API versions that a deployment serves, according to its settings.
#include <gtest/gtest.h>

#include "sim/gateway/version_gate.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

Reply ask(TestExchange& exchange, const char* version) {
  api::Headers headers;
  if (version != nullptr) headers.set("X-Svc-Api-Version", version);
  return exchange.send("GET", "/v1/markets", "", headers);
}

TEST(ApiVersions, TheMinimumIsASetting) {
  SandboxOptions options = test_options();
  options.versions.policy.minimum = {0, 8, 5};
  TestExchange exchange(options);
  const Reply refused = ask(exchange, "v0.8.4");
  EXPECT_EQ(refused.status, 426);
  EXPECT_EQ(refused.code(), "api_version_unsupported");
  EXPECT_EQ(refused.body["min_version"], "0.8.5");
  EXPECT_EQ(refused.body["current_version"], "0.9.0");
  EXPECT_EQ(refused.headers.find("X-Svc-Api-Min-Version"), "0.8.5");
  for (const char* served : {"v0.8.5", "0.8.5-rc.1", "0.9.0", "1.0.0"}) EXPECT_EQ(ask(exchange, served).status, 200);
  EXPECT_EQ(exchange.get("/metadata").body["min_api_version"], "0.8.5");
}

TEST(ApiVersions, DuringTheDeprecationWindowNothingFailsAndAfterItsSunsetItDoes) {
  SandboxOptions options = test_options();
  options.versions.policy.deprecated_below = api::ApiVersion{0, 9, 0};
  options.versions.deprecated_since_ms = test_start_ms;
  options.versions.sunset_ms = test_start_ms + hour_ms;
  TestExchange exchange(options);
  const Reply served = ask(exchange, "0.8.9");
  EXPECT_EQ(served.status, 200);
  EXPECT_EQ(served.headers.find("Deprecation"), "@1700000000");
  EXPECT_EQ(served.headers.find("Sunset"), "Tue, 14 Nov 2023 23:13:20 GMT");
  EXPECT_FALSE(ask(exchange, "0.9.0").headers.contains("Deprecation"));
  exchange.control("/time", {{"advance_ms", hour_ms}});
  EXPECT_EQ(ask(exchange, "0.8.9").status, 426);
  EXPECT_EQ(ask(exchange, "0.9.0").status, 200);
}

TEST(ApiVersions, AfterTheSunsetEveryDocumentNamesTheNewMinimum) {
  SandboxOptions options = test_options();
  options.versions.policy.deprecated_below = api::ApiVersion{0, 9, 0};
  options.versions.sunset_ms = test_start_ms + hour_ms;
  TestExchange exchange(options);
  const auto guide = [&] {
    return exchange.sandbox.handle({.method = "GET", .target = "/llms.txt", .headers = {}, .body = ""}).body;
  };
  EXPECT_EQ(exchange.get("/metadata").body["min_api_version"], "0.8.0");
  EXPECT_NE(guide().find("at least 0.8.0"), std::string::npos);
  EXPECT_NE(guide().find("Versions below 0.9.0 are deprecated"), std::string::npos) << "where `Link` leads";
  exchange.control("/time", {{"advance_ms", hour_ms}});
  const Json metadata = exchange.get("/metadata").body;
  EXPECT_EQ(metadata["min_api_version"], "0.9.0");
  EXPECT_EQ(metadata["api_version"]["min_supported"], "0.9.0");
  EXPECT_NE(guide().find("at least 0.9.0"), std::string::npos);
}

TEST(ApiVersions, ADeprecationWithoutDatesBeginsNowAndLastsForTheTimeOfSupport) {
  SandboxOptions options = test_options();
  options.versions.policy.deprecated_below = api::ApiVersion{0, 9, 0};
  TestExchange exchange(options);
  const Reply served = ask(exchange, "0.8.9");
  EXPECT_EQ(served.headers.find("Deprecation"), "@1700000000");
  EXPECT_EQ(served.headers.find("Sunset"), "Tue, 28 Nov 2023 22:13:20 GMT");
  EXPECT_TRUE(served.headers.contains("Link"));
  EXPECT_EQ(exchange.get("/metadata").body["api_version"]["sunset"], "2023-11-28T22:13:20.000Z");
  exchange.control("/time", {{"advance_ms", version_support_ms}});
  EXPECT_EQ(ask(exchange, "0.8.9").status, 426);
}

TEST(ApiVersions, OnlyStreamHandshakesBypassTheMinimum) {
  TestExchange exchange;
  const Reply refused =
      exchange.send("GET", "/v1/markets", "", {{"X-Svc-Api-Version", "0.1.0"}, {"Upgrade", "websocket"}});
  EXPECT_EQ(refused.status, 426);
  EXPECT_EQ(refused.code(), "api_version_unsupported");
}

TEST(ApiVersions, AnUpgradeMayBeOneOfAList) {
  using Fields = api::Headers;
  EXPECT_TRUE(is_websocket_upgrade(Fields{{"Upgrade", "h2c, WebSocket"}}));
  EXPECT_TRUE(is_websocket_upgrade(Fields{{"Upgrade", "h2c"}, {"upgrade", "websocket"}}));
  EXPECT_FALSE(is_websocket_upgrade(Fields{{"Upgrade", "websocketx, h2c"}}));
  EXPECT_FALSE(is_websocket_upgrade(Fields{}));
}

TEST(ApiVersions, TheGraceIsASetting) {
  TestExchange lenient;
  EXPECT_EQ(ask(lenient, nullptr).status, 200);
  EXPECT_EQ(ask(lenient, "latest").status, 200);
  EXPECT_EQ(lenient.get("/_svc/requests").body["requests"].back()["note"], "unreadable API version latest");

  SandboxOptions options = test_options();
  options.versions.header_required = true;
  TestExchange strict(options);
  for (const char* version : {static_cast<const char*>(nullptr), "latest", "0.7.0"}) {
    EXPECT_EQ(ask(strict, version).status, 426);
    EXPECT_EQ(ask(strict, version).body["min_version"], "0.8.0");
  }
  EXPECT_EQ(ask(strict, "0.9.0").status, 200);
  EXPECT_EQ(strict.get("/metadata").status, 200);  // discovery is never blocked
}

TEST(ApiVersions, SettingsThatContradictEachOtherAreRefused) {
  const auto refused = [](auto set) {
    SandboxOptions options = test_options();
    set(options.versions);
    return refusal(options).value_or("");
  };
  EXPECT_EQ(refused([](VersionTerms& terms) {
              terms.policy.minimum = {1, 0, 0};
            }),
            "--min-api-version is above the current version, 0.9.0");
  EXPECT_EQ(refused([](VersionTerms& terms) {
              terms.policy.deprecated_below = api::ApiVersion{0, 8, 0};
            }),
            "--deprecated-below lies above the minimum version, 0.8.0, and at most at the current one, 0.9.0");
  EXPECT_EQ(refused([](VersionTerms& terms) { terms.sunset_ms = 1; }),
            "--deprecated-since and --sunset go with --deprecated-below");
  const auto announced = [](TimestampMs since_ms, TimestampMs sunset_ms) {
    return [=](VersionTerms& terms) {
      terms.policy.deprecated_below = api::ApiVersion{0, 9, 0};
      terms.deprecated_since_ms = since_ms;
      terms.sunset_ms = sunset_ms;
    };
  };
  EXPECT_EQ(refused(announced(1'000, 1'000)), "");
  EXPECT_EQ(refused(announced(1'001, 1'000)), "--deprecated-since must not be after --sunset");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
