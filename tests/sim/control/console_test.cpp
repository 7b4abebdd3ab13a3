// The console's files as served, and who gets them.
#include "sim/control/console_page.h"

#include <gtest/gtest.h>

#include <set>

#include "base/encoding.h"
#include "signing/hash.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr const char* chart_library = "/_svc/console/vendor/lightweight-charts.mjs";

class Console : public ::testing::Test {
 protected:
  api::HttpResponse ask(const std::string& target, api::Headers headers = {}, const std::string& method = "GET",
                        std::string_view peer = "127.0.0.1") {
    if (!headers.contains("Host")) headers.set("Host", "localhost:9090");
    return exchange.sandbox.handle({.method = method, .target = target, .headers = std::move(headers), .body = {}},
                                   peer);
  }
  static std::string header_of(const api::HttpResponse& response, std::string_view name) {
    return std::string(response.headers.find(name).value_or("absent"));
  }

  TestExchange exchange;
};

TEST_F(Console, IsItsIndexAtItsPath) {
  for (const char* target : {"/_svc/console", "/_svc/console/", "/_svc/console/index.html", "/_svc/console?x=1"}) {
    const auto page = ask(target);
    EXPECT_EQ(page.status, 200) << target;
    EXPECT_EQ(header_of(page, "Content-Type"), "text/html; charset=utf-8") << target;
    EXPECT_TRUE(page.body.starts_with("<!doctype html>")) << target;
  }
}

TEST_F(Console, HasEveryFileUnderItsOwnNameAndType) {
  std::set<std::string_view> types;
  for (const ConsoleFile& file : console_files()) {
    const auto answer = ask("/_svc/console/" + std::string(file.name));
    EXPECT_EQ(answer.status, 200) << file.name;
    EXPECT_EQ(answer.body, file.content) << file.name;
    EXPECT_FALSE(answer.body.empty()) << file.name;
    EXPECT_EQ(header_of(answer, "Content-Type"), file.content_type) << file.name;
    types.insert(file.content_type);
  }
  EXPECT_TRUE(types.contains("text/javascript; charset=utf-8"));
  EXPECT_FALSE(types.contains(""));
}

TEST_F(Console, IsShutOffFromEverythingElse) {
  const std::string page = ask("/_svc/console").body;
  const auto begin = page.find("<style>") + 7;
  const auto style = signing::sha256(std::string_view(page).substr(begin, page.find("</style>") - begin));
  const auto file = ask(chart_library);
  EXPECT_EQ(
      header_of(file, "Content-Security-Policy"),
      "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-" +
          to_base64(std::string(style.begin(), style.end())) +
          "'; img-src 'self' data:; connect-src 'self' "
          "ws://localhost:9090 wss://localhost:9090; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  // It would make the browser start a second process, and delay the first paint by 100 ms.
  EXPECT_EQ(header_of(file, "Cross-Origin-Opener-Policy"), "absent");
  EXPECT_EQ(header_of(file, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header_of(file, "Referrer-Policy"), "no-referrer");
  EXPECT_EQ(header_of(file, "Cross-Origin-Resource-Policy"), "same-origin");
  EXPECT_EQ(header_of(file, "Cache-Control"), "no-cache");
  EXPECT_EQ(header_of(file, "Access-Control-Allow-Origin"), "absent");
  EXPECT_EQ(header_of(file, "Set-Cookie"), "absent");
}

TEST_F(Console, HasTheStyleOfItsFirstPaintInThePage) {
  const std::string page = ask("/_svc/console").body;
  const std::string sheet = ask("/_svc/console/style.css").body;
  const auto begin = page.find("<style>") + 7;
  const std::string first = page.substr(begin, page.find("</style>") - begin);
  EXPECT_TRUE(sheet.starts_with(first));
  EXPECT_NE(first.find(".top {"), std::string::npos);
  EXPECT_EQ(page.find("<style>", begin), std::string::npos);
}

TEST_F(Console, IsSentOnceWhileItDoesNotChange) {
  const std::string etag = header_of(ask(chart_library), "ETag");
  EXPECT_TRUE(etag.starts_with("W/\"")) << etag;
  for (const std::string& known : {etag, etag.substr(2), "\"other\", " + etag, std::string("*")}) {
    const auto answer = ask(chart_library, {{"If-None-Match", known}});
    EXPECT_EQ(answer.status, 304) << known;
    EXPECT_EQ(answer.body, "") << known;
    EXPECT_EQ(header_of(answer, "ETag"), etag) << known;
  }
  EXPECT_EQ(ask(chart_library, {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(Console, IsCompressedForWhoTakesThat) {
  const auto plain = ask(chart_library);
  const auto packed = ask(chart_library, {{"Accept-Encoding", "gzip, deflate, br"}});
  EXPECT_EQ(header_of(plain, "Content-Encoding"), "absent");
  EXPECT_EQ(header_of(packed, "Content-Encoding"), "gzip");
  EXPECT_TRUE(packed.body.starts_with("\x1f\x8b"));
  EXPECT_LT(packed.body.size() * 2, plain.body.size());
  EXPECT_EQ(header_of(packed, "Vary"), "Accept-Encoding");
  EXPECT_EQ(header_of(packed, "ETag"), header_of(plain, "ETag"));
  EXPECT_EQ(header_of(ask(chart_library, {{"Accept-Encoding", "gzip;q=0"}}), "Content-Encoding"), "absent");
}

// The browser loads all of it before the first view is complete.
TEST_F(Console, AllItsFilesPackedStayBelowTheirBound) {
  std::size_t bytes = 0;
  for (const ConsoleFile& file : console_files()) bytes += file.packed.size();
  EXPECT_LT(bytes, 300'000u);
}

TEST_F(Console, IsOnlyRead) {
  EXPECT_EQ(ask(chart_library, {}, "HEAD").status, 200);
  const auto refused = ask(chart_library, {}, "POST");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(header_of(refused, "Allow"), "GET, HEAD");
  for (const char* target : {"/_svc/console/other.mjs", "/_svc/console/../status", "/_svc/console/vendor/",
                             "/_svc/console/vendor/package.json", "/_svc/consoles"})
    EXPECT_EQ(ask(target).status, 404) << target;
}

TEST_F(Console, IsForThisMachine) {
  EXPECT_EQ(ask(chart_library, {}, "GET", "192.0.2.1").status, 403);
  EXPECT_EQ(ask(chart_library, {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
  EXPECT_EQ(ask(chart_library, {{"Sec-Fetch-Site", "same-origin"}}).status, 200);
}

TEST(ConsoleElsewhere, AsksForTheTokenAsAPassword) {
  SandboxOptions options = test_options();
  options.control_token = Secret(std::string("open sesame"));
  TestExchange exchange(std::move(options));
  const auto ask = [&](const char* target, api::Headers headers) {
    headers.add("Host", "sandbox.example");
    return exchange.sandbox.handle({.method = "GET", .target = target, .headers = std::move(headers), .body = {}},
                                   "192.0.2.1");
  };
  const auto asked = ask(chart_library, {});
  EXPECT_EQ(asked.status, 401);
  EXPECT_EQ(asked.headers.find("WWW-Authenticate"), "Basic realm=\"svc\", charset=\"UTF-8\"");
  EXPECT_EQ(ask(chart_library, {{"Authorization", "Basic dXNlcjpvcGVuIHNlc2FtZQ=="}}).status, 200);
  EXPECT_EQ(ask("/_svc/status", {{"Authorization", "Basic dXNlcjpvcGVuIHNlc2FtZQ=="}}).status, 200);
  EXPECT_EQ(ask(chart_library, {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
  EXPECT_EQ(ask("/_svc/status", {}).status, 403);
}

TEST_F(Console, IsWhereABrowserThatAsksForTheRootIsSent) {
  const auto sent = ask("/", {{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}});
  EXPECT_EQ(sent.status, 307);
  EXPECT_EQ(header_of(sent, "Location"), "/_svc/console");
  for (const char* accept : {"application/json", "*/*"})
    EXPECT_EQ(ask("/", {{"Accept", accept}}).status, 404) << accept;
  EXPECT_EQ(ask("/", {}).status, 404);
  EXPECT_EQ(ask("/", {{"Accept", "text/html"}}, "POST").status, 404);
}

TEST_F(Console, NobodyIsSentThereWhoMayNotHaveIt) {
  const api::Header page{"Accept", "text/html"};
  EXPECT_EQ(ask("/", {page, {"Host", "rebound.example"}}).status, 404);
  EXPECT_EQ(ask("/", {page}, "GET", "192.0.2.1").status, 404);
  EXPECT_EQ(ask("/", {page, {"Sec-Fetch-Site", "cross-site"}}).status, 404);
}

TEST(ConsoleElsewhere, NoOtherNetworkSendsABrowserToTheConsole) {
  SandboxOptions options = test_options();
  options.network = api::NetworkId::testnet;
  TestExchange exchange(std::move(options));
  EXPECT_EQ(exchange.send("GET", "/", "", {{"Accept", "text/html"}}).status, 404);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
