// The log of writes on a disk that tears, loses and damages data, and fills up.
#include "cli/store/write_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "cli/client_machine.h"
#include "cli/machine/paths.h"
#include "cli/program.h"

namespace svc::cli {
namespace SVC_FILE {

namespace fs = std::filesystem;
using outbox::Durable;
using outbox::Log;

Json intent(const std::string& id, TimestampMs at_ms = 0) {
  Json record = Json::object({{"type", "intent"}, {"id", id}, {"time_ms", at_ms}, {"operation", "place_order"}});
  return record.set("look_for", Json::object({{"path", "/orders"}}));
}

Json outcome(const std::string& id) {
  return Json::object({{"type", "outcome"}, {"id", id}, {"exit", 0}, {"open", false}});
}

class WriteLog : public testing::Test {
 protected:
  WriteLog() {
    environment_.variables = {{"HOME", home_.path().string()}};
    environment_.clock = &clock_;
    environment_.sleep_ms = [](std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  }

  Log open() { return {environment_, *find_paths(environment_), "local"}; }
  fs::path folder() const { return home_.path() / ".local/state/svc/journal/local"; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder()))
      if (entry.path().extension() == ".ndjson") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }
  void write(const std::string& text) const { std::ofstream(files().back(), std::ios::binary) << text; }
  std::vector<std::string> open_ids() {
    std::vector<std::string> ids;
    const auto intents = open().open_intents();
    EXPECT_TRUE(intents.has_value());
    for (const auto& one : *intents) ids.emplace_back(one.line.string_at("id").value_or(""));
    return ids;
  }

  FreshHome home_;
  ManualClock clock_{machine_start_ms};
  Environment environment_;
};

using Ids = std::vector<std::string>;

// A look at the lock takes time as well, more than the pause after it on a busy machine.
TEST_F(WriteLog, WaitsForALockByTheClock) {
  class Held final : public outbox::LogDisk {
   public:
    explicit Held(std::int64_t& uptime_ms) : uptime_ms_(uptime_ms) {}
    Result<std::vector<std::string>> names() const override { return std::vector<std::string>{"log-1.ndjson"}; }
    Result<std::string> read(const std::string&) const override { return std::string(); }
    Result<std::uint64_t> append(const std::string&, std::string_view) override { return 0; }
    Result<void> sync(const std::string&) override { return {}; }
    Result<void> add(const std::string&, std::string_view) override { return {}; }
    Result<std::optional<FileLock>> try_lock(std::uint64_t, outbox::Hold) override {
      uptime_ms_ += 10;
      return std::optional<FileLock>();
    }
    Result<bool> is_locked(std::uint64_t) override { return true; }

   private:
    std::int64_t& uptime_ms_;
  };
  std::int64_t uptime_ms = 0;
  environment_.uptime_ms = [&] { return uptime_ms; };
  environment_.sleep_ms = [&](std::int64_t ms) { uptime_ms += ms; };
  environment_.open_log = [&](const fs::path&) { return std::make_unique<Held>(uptime_ms); };
  Log log = open();
  EXPECT_FALSE(log.append(intent("one"), Durable::at_once));
  EXPECT_FALSE(log.append(outcome("one"), Durable::eventually)) << "nor is it waited for twice";
  EXPECT_LT(uptime_ms, outbox::log_patience_ms + 40);
}

TEST_F(WriteLog, ATornTailDamagesNoOtherLine) {
  ASSERT_TRUE(open().append(intent("whole"), Durable::at_once));
  const std::string before = file_text(files().back());
  ASSERT_TRUE(open().append(intent("torn"), Durable::at_once));
  const std::string both = file_text(files().back());
  for (std::size_t size = before.size(); size <= both.size(); ++size) {
    // After a power cut, unsynced data may be torn or zeroed.
    for (const bool zeros : {false, true}) {
      std::string left = both.substr(0, size);
      if (zeros) left.resize(both.size() + 100, '\0');
      write(left);
      ASSERT_TRUE(open().append(intent("next"), Durable::at_once));
      const bool is_whole = size + 1 >= both.size() && !(zeros && size + 1 == both.size());
      const Ids expected = is_whole ? Ids{"whole", "torn", "next"} : Ids{"whole", "next"};
      EXPECT_EQ(open_ids(), expected) << size << " of " << both.size() << zeros;
    }
  }
}

TEST_F(WriteLog, AChangedByteDamagesAtMostItsLine) {
  for (const char* id : {"one", "two", "three"}) ASSERT_TRUE(open().append(intent(id), Durable::at_once));
  const std::string text = file_text(files().back());
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int bit : {0, 3, 6}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      write(changed);
      const Ids left = open_ids();
      EXPECT_GE(left.size(), 2u) << at;
      for (const std::string& id : left) EXPECT_TRUE(id == "one" || id == "two" || id == "three") << id;
    }
  }
}

TEST_F(WriteLog, OpenIntentsAreCarriedToTheNextFile) {
  ASSERT_TRUE(open().append(intent("open", 7), Durable::at_once));
  Log log = open();
  for (int i = 0; files().size() < 3; ++i) {
    const std::string id = "closed-" + std::to_string(i);
    ASSERT_TRUE(log.append(intent(id, i), Durable::at_once));
    ASSERT_TRUE(log.append(outcome(id), Durable::eventually));
    ASSERT_LT(i, 20'000);
  }
  EXPECT_EQ(open_ids(), Ids{"open"});
  for (const fs::path& file : files()) EXPECT_LE(fs::file_size(file), outbox::log_bytes + 1'000) << file;
  // Each file begins with a copy; no intent is lost and nothing written is gone.
  std::map<std::string, int> intents;
  ASSERT_TRUE(log.read(0, [&](const Json& line) {
    if (line.string_at("type") == "intent") ++intents[line.text_at("id")];
  }));
  EXPECT_EQ(intents["open"], 3);
  EXPECT_EQ(std::count_if(intents.begin(), intents.end(), [](const auto& one) { return one.second == 1; }),
            static_cast<std::ptrdiff_t>(intents.size()) - 1);
  ASSERT_TRUE(log.append(outcome("open"), Durable::eventually));
  EXPECT_EQ(open_ids(), Ids{});
}

// A second name says that the first may not be on the disk yet: whoever appends next syncs the folder.
TEST_F(WriteLog, AFileHasOneNameOnceThatIsOnTheDisk) {
  ASSERT_TRUE(open().append(intent("one"), Durable::at_once));
  const fs::path file = files().back();
  EXPECT_EQ(fs::hard_link_count(file), 1u);
  fs::create_hard_link(file, folder() / "fresh");  // its maker was killed
  ASSERT_TRUE(open().append(intent("two"), Durable::at_once));
  EXPECT_EQ(open_ids(), (Ids{"one", "two"}));
  for (int i = 0; files().size() < 2; ++i) {
    ASSERT_TRUE(open().append(outcome("closed-" + std::to_string(i) + std::string(20'000, 'x')), Durable::eventually));
    ASSERT_LT(i, 100);
  }
  for (const fs::path& each : files()) EXPECT_EQ(fs::hard_link_count(each), 1u) << each;
  EXPECT_EQ(open_ids(), (Ids{"one", "two"}));
}

TEST_F(WriteLog, TooManyOpenIntentsStayInTheirFile) {
  Log log = open();
  for (int i = 0; i == 0 || fs::file_size(files().back()) < outbox::log_bytes + outbox::log_bytes / 8; ++i)
    ASSERT_TRUE(log.append(intent("open-" + std::to_string(i) + std::string(2'000, 'x')), Durable::eventually));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(WriteLog, ConcurrentWritersLoseNothing) {
  constexpr int writers = 8, each = 120;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      Log log = open();
      for (int i = 0; i < each; ++i) {
        const std::string id = std::to_string(writer) + "-" + std::to_string(i) + std::string(500, 'x');
        EXPECT_TRUE(log.append(intent(id), Durable::eventually));
        if (i % 10 == 0) continue;
        EXPECT_TRUE(log.append(outcome(id), Durable::eventually));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(open_ids().size(), static_cast<std::size_t>(writers * each / 10));
  EXPECT_GT(files().size(), 1u);
}

TEST_F(WriteLog, AnIdHasOneHolderAndIsFreeAfterItEnds) {
  Log log = open();
  Log other = open();
  auto held = log.try_hold("one");
  ASSERT_TRUE(held && *held);
  EXPECT_TRUE(other.is_held("one").value());
  EXPECT_FALSE(other.is_held("two").value());
  EXPECT_FALSE(other.try_hold("one").value());
  held->reset();
  EXPECT_FALSE(other.is_held("one").value());
}

// Records the operations on a log in their order; and simulates a full disk.
class WatchedDisk final : public outbox::LogDisk {
 public:
  struct Trace {
    std::vector<std::string> steps;
    std::optional<std::size_t> room;            // bytes left; nullopt: enough
    std::optional<std::size_t> failing_append;  // the coming append that fails
  };
  WatchedDisk(const fs::path& folder, Trace& trace) : disk_(outbox::open_log_folder(folder)), trace_(trace) {}

  Result<std::vector<std::string>, Failure> names() const override { return disk_->names(); }
  Result<std::string, Failure> read(const std::string& name) const override { return disk_->read(name); }
  Result<std::uint64_t, Failure> append(const std::string& name, std::string_view text) override {
    trace_.steps.emplace_back("append");
    if (trace_.failing_append && (*trace_.failing_append)-- == 0) {
      trace_.failing_append.reset();
      return unexpected(Failure{.exit = ExitCode::internal, .code = "file_error", .message = "input/output error"});
    }
    if (!trace_.room || *trace_.room >= text.size()) return disk_->append(name, text);
    static_cast<void>(disk_->append(name, text.substr(0, *trace_.room)));
    trace_.room = 0;
    return unexpected(Failure{.exit = ExitCode::internal, .code = "file_error", .message = "no space left"});
  }
  Result<void, Failure> sync(const std::string& name) override {
    trace_.steps.emplace_back("sync");
    return disk_->sync(name);
  }
  Result<void, Failure> add(const std::string& name, std::string_view text) override { return disk_->add(name, text); }
  Result<std::optional<FileLock>, Failure> try_lock(std::uint64_t key, outbox::Hold hold) override {
    return disk_->try_lock(key, hold);
  }
  Result<bool, Failure> is_locked(std::uint64_t key) override { return disk_->is_locked(key); }

 private:
  std::unique_ptr<outbox::LogDisk> disk_;
  Trace& trace_;
};

struct TracedMachine : ClientMachine {
  TracedMachine() {
    add_trader("alice");
    open_log = [this](const fs::path& folder) { return std::make_unique<WatchedDisk>(folder, trace); };
    intercept = [this](const api::HttpRequest& request) {
      if (request.method != "GET") trace.steps.push_back(request.method);
      return Intercepted();
    };
  }
  WatchedDisk::Trace trace;
};

TEST(CommandLog, IsSyncedOnceBeforeTheFirstByteIsSent) {
  TracedMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  EXPECT_EQ(machine.trace.steps, (std::vector<std::string>{"append", "sync", "POST", "append"}));
}

TEST(CommandLog, AfterAFullDiskRecordsTheNextIntent) {
  for (const std::size_t room : {0u, 1u, 40u, 300u}) {
    TracedMachine machine;
    machine.trace.room = room;
    EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id full").exit, 1);
    EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0) << "the way out needs no disk";
    EXPECT_EQ(std::count(machine.trace.steps.begin(), machine.trace.steps.end(), "POST"), 0);
    machine.trace.room.reset();
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id next").exit, 0);
    EXPECT_EQ(machine.run("-n local journal show next").exit, 0) << room;
    EXPECT_EQ(machine.run("-n local --json orders reconcile --all").rows().back().string_at("client_id"), "next");
    EXPECT_EQ(machine.open_entries(), 0u);
  }
}

TEST(CommandLog, RecordsAPendingRefusalBeforeTheOrderIsSentAgain) {
  TracedMachine machine;
  bool refused = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "POST") return std::nullopt;
    machine.trace.steps.push_back("POST");
    if (std::exchange(refused, true)) return std::nullopt;
    return answered(429, R"({"code":"rate_limit_exceeded"})", {{"Retry-After", "1"}});
  };
  machine.trace.failing_append = 1;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  EXPECT_EQ(machine.trace.steps, (std::vector<std::string>{"append", "sync", "POST", "append", "append", "sync",
                                                           "append", "POST", "append"}));
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(CommandLog, ALostCancelIsLookedUpDespiteAFullDisk) {
  TracedMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  machine.trace.room = 0;
  machine.intercept = after(machine, to("DELETE"), unanswered(api::Delivery::unknown, "reset"));
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
