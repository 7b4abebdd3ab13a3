// What stops an order must not stop a cancel: another process that hangs, a disk that takes nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cli/desk.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

std::filesystem::path lane_of(const Desk& desk) {
  for (const auto& file : std::filesystem::directory_iterator(desk.state() / "nonces"))
    if (file.path().extension() == ".lane") return file.path();
  return {};
}

// Signs the action as well.
Ran run_signed(Desk& desk, const std::string& line) {
  return desk.run("-n local " + line + " --password-file " + (desk.home() / "password").string());
}

TEST(WayOut, ACancelDoesNotWaitForAnotherProcessAndAnOrderDoesNotForEver) {
  Desk desk;
  desk.seat("alice");
  ASSERT_EQ(run_signed(desk, "buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  ASSERT_FALSE(lane_of(desk).empty());
  const auto held = FileLock::take(lane_of(desk));
  ASSERT_TRUE(held.has_value());

  desk.slept_ms = 0;
  const Ran order = run_signed(desk, "buy 0.1 BTC-USDX-PERP @ 59001");
  EXPECT_EQ(order.exit, 10) << order.err;
  EXPECT_NE(order.err.find("wallet_busy"), std::string::npos) << order.err;
  EXPECT_NE(order.err.find("waiting for another svc"), std::string::npos) << order.err;
  EXPECT_LE(desk.slept_ms, 31 * second_ms);

  desk.slept_ms = 0;
  const Ran cancel = run_signed(desk, "orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_NE(cancel.err.find("without a signed action: another svc"), std::string::npos) << cancel.err;
  EXPECT_LT(desk.slept_ms, second_ms);
  EXPECT_TRUE(desk.run("-n local --json orders list").document().find("data")->items().empty());
}

TEST(WayOut, ADiskThatTakesNothingStopsOrdersAndNoCancel) {
  Desk desk;
  desk.seat("alice");
  ASSERT_EQ(desk.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  // Folders where files should be: nobody can write there, not even an administrator.
  for (const char* folder : {"journal/local", "buckets"}) {
    for (const auto& file : std::filesystem::directory_iterator(desk.state() / folder)) {
      std::filesystem::remove(file.path());
      std::filesystem::create_directory(file.path());
      std::filesystem::permissions(file.path(), std::filesystem::perms::owner_all);
    }
  }
  desk.sent.clear();
  EXPECT_NE(desk.run("-n local buy 0.1 BTC-USDX-PERP @ 59001").exit, 0);
  for (const api::HttpRequest& request : desk.sent) EXPECT_EQ(request.method, "GET");
  const Ran cancel = desk.run("-n local orders cancel-all");
  EXPECT_EQ(cancel.exit, 0) << cancel.err;
  EXPECT_NE(cancel.err.find("sent all the same"), std::string::npos) << cancel.err;
  const Ran list = desk.run("-n local --json orders list");
  EXPECT_EQ(list.exit, 0) << list.err;
  EXPECT_TRUE(list.document().find("data")->items().empty());
}

// A sandbox of the same name elsewhere, say: that it does not know the order says nothing of the one that was asked.
TEST(WayOut, AnotherServerProvesNothingOfAWrite) {
  Desk desk;
  desk.seat("alice");
  desk.variables["SVC_LOCAL_URL"] = "http://localhost:9090";
  desk.intercept =
      [](const api::HttpRequest& request) -> std::optional<Result<api::HttpResponse, api::TransportError>> {
    if (request.method == "GET") return std::nullopt;
    return Result<api::HttpResponse, api::TransportError>(
        unexpected(api::TransportError{.delivery = api::Delivery::unknown, .reason = "reset"}));
  };
  ASSERT_EQ(desk.run("-n local --no-reconcile buy 0.1 BTC-USDX-PERP @ 59000").exit, 11);
  desk.intercept = nullptr;
  desk.clock.advance(minute_ms);
  // It still runs, and another one is asked.
  std::filesystem::create_directories(desk.state() / "run/local");
  for (const char* folder : {"run", "run/local"})
    std::filesystem::permissions(desk.state() / folder, std::filesystem::perms::owner_all);
  desk.write(".local/state/svc/run/local/main.json",
             R"({"url":"http://localhost:9090","pid":)" + std::to_string(::getpid()) + "}");
  desk.variables["SVC_LOCAL_URL"] = "http://localhost:9191";
  const Ran elsewhere = desk.run("-n local --json outbox resolve");
  EXPECT_EQ(elsewhere.exit, 11) << elsewhere.out;
  EXPECT_NE(elsewhere.out.find("it was sent to http://localhost:9090"), std::string::npos) << elsewhere.out;
  desk.variables["SVC_LOCAL_URL"] = "http://localhost:9090";
  const Ran there = desk.run("-n local --json outbox resolve");
  EXPECT_EQ(there.exit, 0) << there.out;
  EXPECT_NE(there.out.find("not_accepted"), std::string::npos) << there.out;
}

}  // namespace
}  // namespace svc::cli
