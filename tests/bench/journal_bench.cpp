// Acknowledged durable writes: one writer, 64 writers, and SQLite alone with commits of the size that the 64 had.
//
// Every write is a deposit that is logged, applied and answered; a writer sends the next one when it has its answer.
// Writers are fibers, as the requests of a server with a state folder are; 64 threads are shown beside them. All take
// short turns, so that a disk whose speed changes is the same for all, and the median turn counts. The disk is that of
// the temporary folder.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/fibers.h"
#include "bench/bare_journal.h"
#include "sim/sequencer/sequencer.h"

namespace {

using namespace svc;
using Clock = std::chrono::steady_clock;

constexpr auto lasts = std::chrono::milliseconds(250);  // one turn of one contestant
constexpr int turns = 9;
constexpr std::size_t crowd = 64;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

engine::Deposit deposit_of(std::size_t writer) {
  Address account{};
  account.bytes[0] = static_cast<std::uint8_t>(writer + 1);
  return {.account = account, .amount = {usdx_one}};
}

// All contestants but the threads have one thread at a time: on one core they meet the same disk, whose interrupts
// come to one core as well. Threads begun later inherit it.
void use_cores(int count) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int core = 0; core < count; ++core) CPU_SET(static_cast<std::size_t>(core), &cores);
  (void)::sched_setaffinity(0, sizeof(cores), &cores);
}

struct Rate {
  double writes = 0;   // a second
  double commits = 0;  // a second
  double p50_s = 0;
  double p99_s = 0;

  [[nodiscard]] double group() const { return writes / commits; }
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
  bool wants_mark() const override { return journal_.wants_mark(); }

  std::atomic<std::uint64_t> commits{0};

 private:
  sim::Journal& journal_;
};

std::unique_ptr<sim::Journal> journal_at(const std::filesystem::path& path) {
  auto journal = sim::Journal::open(path, {.identity = {{"network", "bench"}}, .opening = {}});
  if (journal && (*journal)->begin()) return std::move(*journal);
  std::fprintf(stderr, "%s\n", journal ? "the journal cannot be written" : journal.error().c_str());
  std::exit(1);
}

// Writers of one sequencer with its journal.
class Desk {
 public:
  enum class As : bool { fibers, threads };

  explicit Desk(const std::filesystem::path& path) : journal_(journal_at(path)) {
    while (log_.commits < bench::BareJournal::warm_up_commits) (void)turn(crowd, As::fibers);
  }

  Rate turn(std::size_t writers, As kind) {
    std::atomic<bool> over{false};
    std::vector<std::vector<double>> waits(writers);
    waits.front().reserve(1u << 18);
    const auto write = [&](std::size_t writer) {
      // All fibers have one thread here.
      std::vector<double>& own = waits[kind == As::fibers ? 0 : writer];
      for (auto sent = Clock::now(); !over;) {
        if (!sequencer_.submit(sim::CommandBody(deposit_of(writer)))) std::exit(1);
        const auto answered = Clock::now();
        own.push_back(std::chrono::duration<double>(answered - sent).count());
        sent = answered;
      }
    };
    const std::uint64_t commits = log_.commits;
    const auto begin = Clock::now();
    if (kind == As::fibers) {
      Fibers fibers(1);
      for (std::size_t writer = 0; writer < writers; ++writer)
        if (!fibers.run([&write, writer] { write(writer); })) std::exit(1);
      std::this_thread::sleep_for(lasts);
      over = true;
    } else {
      std::vector<std::jthread> threads;
      for (std::size_t writer = 0; writer < writers; ++writer) threads.emplace_back(write, writer);
      std::this_thread::sleep_for(lasts);
      over = true;
    }
    const double took = seconds_since(begin);
    std::vector<double> all;
    for (const auto& some : waits) all.insert(all.end(), some.begin(), some.end());
    std::ranges::sort(all);
    return {.writes = static_cast<double>(all.size()) / took,
            .commits = static_cast<double>(log_.commits - commits) / took,
            .p50_s = all[all.size() / 2],
            .p99_s = all[all.size() * 99 / 100]};
  }

 private:
  SystemClock clock_;
  std::unique_ptr<sim::Journal> journal_;
  CountingLog log_{*journal_};
  sim::Services services_{sim::ServiceTerms{}};
  sim::Sequencer sequencer_{{}, services_, clock_, log_, clock_.now_ms()};
};

// What was found in each turn.
class Figures {
 public:
  void add(double value) { values_.push_back(value); }
  // The middle one, and from where to where they went.
  void print(const char* what) {
    std::ranges::sort(values_);
    std::printf("%s: %.2f (%.2f to %.2f)\n", what, values_[values_.size() / 2], values_.front(), values_.back());
  }

 private:
  std::vector<double> values_;
};

}  // namespace

int main() {
  std::string name = (std::filesystem::temp_directory_path() / "svc-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  Figures many_to_one, many_to_bare, group, one_p99, many_p99, threads_to_bare, threads_group, threads_p99, commit_us;
  {
    use_cores(1);
    Desk one(folder / "one.db");
    Desk many(folder / "many.db");
    Desk threads(folder / "threads.db");
    bench::BareJournal bare(folder / "bare.db", {.body = sim::CommandBody(deposit_of(0))});
    for (int turn = 0; turn < turns; ++turn) {
      const Rate single = one.turn(1, Desk::As::fibers);
      const Rate sixty_four = many.turn(crowd, Desk::As::fibers);
      const double alone = bare.turn(static_cast<std::size_t>(sixty_four.group() + 0.5), lasts);
      use_cores(CPU_SETSIZE);
      const Rate threaded = threads.turn(crowd, Desk::As::threads);
      use_cores(1);
      const double alone_again = bare.turn(static_cast<std::size_t>(threaded.group() + 0.5), lasts);
      many_to_one.add(sixty_four.writes / single.writes);
      many_to_bare.add(sixty_four.writes / alone);
      group.add(sixty_four.group());
      one_p99.add(single.p99_s / single.p50_s);
      many_p99.add(sixty_four.p99_s * sixty_four.commits);
      threads_to_bare.add(threaded.writes / alone_again);
      threads_group.add(threaded.group());
      threads_p99.add(threaded.p99_s * threaded.commits);
      commit_us.add(1e6 / single.commits);
      if (std::getenv("SVC_BENCH_RATES") != nullptr)
        std::fprintf(stderr, "one %.0f  many %.0f (%.0f commits)  bare %.0f  threads %.0f  bare %.0f\n", single.writes,
                     sixty_four.writes, sixty_four.commits, alone, threaded.writes, alone_again);
    }
  }
  std::filesystem::remove_all(folder);
  many_to_one.print("64 writers / one writer, acknowledged writes a second");
  many_to_bare.print("64 writers / bare SQLite loop with as many rows a commit");
  group.print("units in a commit of the 64");
  many_p99.print("p99 of a write of the 64, in commits");
  one_p99.print("p99 of a write of one writer, in median writes");
  threads_to_bare.print("64 threads / bare SQLite loop with as many rows a commit");
  threads_group.print("units in a commit of the 64 threads");
  threads_p99.print("p99 of a write of the 64 threads, in commits");
  commit_us.print("a write of one writer, in millionths of a second");
  return 0;
}
