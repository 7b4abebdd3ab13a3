// Acknowledged durable writes: one writer, 64 writers, and SQLite alone with commits of the size that the 64 had.
//
// Every write is a deposit that is logged, applied and answered; the disk is that of the temporary folder.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/archive.h"
#include "base/clock.h"
#include "sim/sequencer/journal.h"
#include "sim/sequencer/sequencer.h"
#include "sim/sequencer/sqlite_file.h"

namespace {

using namespace svc;
using Clock = std::chrono::steady_clock;

constexpr auto lasts = std::chrono::seconds(5);
constexpr std::size_t crowd = 64;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

engine::Deposit deposit_of(std::size_t writer) {
  Address account{};
  account.bytes[0] = static_cast<std::uint8_t>(writer + 1);
  return {.account = account, .amount = {usdx_one}};
}

struct Rate {
  double writes = 0;   // a second
  double commits = 0;  // a second
  double p50_ms = 0;
  double p99_ms = 0;
};

// Counts commits: all units of one have one append.
class CountingLog final : public sim::CommandLog {
 public:
  explicit CountingLog(sim::Journal& journal) : journal_(journal) {}

  Result<std::uint64_t, sim::LogError> append(TimestampMs at_ms, std::span<const sim::Unit* const> units,
                                              const std::optional<sim::StateMark>& mark) override {
    ++commits;
    return journal_.append(at_ms, units, mark);
  }
  Result<void, sim::LogError> read(std::uint64_t position,
                                   const std::function<bool(const sim::LogEntry&)>& each) const override {
    return journal_.read(position, each);
  }
  std::uint64_t last_position() const override { return journal_.last_position(); }
  bool wants_mark() const override { return journal_.wants_mark(); }

  std::atomic<std::uint64_t> commits{0};

 private:
  sim::Journal& journal_;
};

Rate measure(const std::filesystem::path& path, std::size_t writers) {
  auto journal = sim::Journal::open(path, {.identity = {{"network", "bench"}}, .opening = {}});
  if (!journal) {
    std::fprintf(stderr, "%s\n", journal.error().c_str());
    std::exit(1);
  }
  const SystemClock clock;
  CountingLog log(**journal);
  sim::Sequencer sequencer({}, clock, log);
  std::atomic<bool> over{false};
  std::vector<std::vector<double>> waits(writers);
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t writer = 0; writer < writers; ++writer)
      threads.emplace_back([&, writer] {
        while (!over) {
          const auto sent = Clock::now();
          if (!sequencer.submit(deposit_of(writer))) std::exit(1);
          waits[writer].push_back(1'000 * seconds_since(sent));
        }
      });
    std::this_thread::sleep_for(lasts);
    over = true;
  }
  const double took = seconds_since(begin);
  std::vector<double> all;
  for (const auto& some : waits) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  return {.writes = static_cast<double>(all.size()) / took,
          .commits = static_cast<double>(log.commits) / took,
          .p50_ms = all[all.size() / 2],
          .p99_ms = all[all.size() * 99 / 100]};
}

// The same bytes into the same kind of table, `group` rows a commit, and nothing else.
double bare(const std::filesystem::path& path, std::size_t group) {
  auto file = sim::SqliteFile::open(path);
  const auto run = [&](const char* sql) {
    if (!file || !file->run(sql)) std::exit(1);
  };
  run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  run("CREATE TABLE log (position INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, unit BLOB NOT NULL, link INTEGER NOT "
      "NULL)");
  auto insert = file->prepare("INSERT INTO log (position, at_ms, unit, link) VALUES (?, ?, ?, ?)");
  auto start = file->prepare("BEGIN IMMEDIATE");
  auto commit = file->prepare("COMMIT");
  const std::string unit = to_archive(sim::Unit{.command = deposit_of(0)});
  std::int64_t position = 0;
  const auto begin = Clock::now();
  while (Clock::now() - begin < lasts) {
    (void)start->step();
    start->reset();
    for (std::size_t i = 0; i < group; ++i) {
      ++position;
      insert->bind(1, position).bind(2, position).bind_blob(3, unit).bind(4, position);
      (void)insert->step();
      insert->reset();
    }
    (void)commit->step();
    commit->reset();
  }
  return static_cast<double>(position) / seconds_since(begin);
}

}  // namespace

int main() {
  std::string name = (std::filesystem::temp_directory_path() / "svc-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  const Rate one = measure(folder / "one.db", 1);
  const Rate many = measure(folder / "many.db", crowd);
  const auto group = std::max<std::size_t>(1, static_cast<std::size_t>(many.writes / many.commits + 0.5));
  const double alone = bare(folder / "bare.db", group);
  std::filesystem::remove_all(folder);
  std::printf("64 writers / one writer, acknowledged writes a second: %.1f\n", many.writes / one.writes);
  std::printf("units in a commit of the 64: %.1f\n", many.writes / many.commits);
  std::printf("64 writers / bare SQLite loop with %zu rows a commit: %.2f\n", group, many.writes / alone);
  std::printf("p99 of a write, in commits: one writer %.1f, 64 writers %.1f\n", one.p99_ms / one.p50_ms,
              many.p99_ms * many.commits / 1'000);
  return 0;
}
