// Acknowledged writes of 64 writers with the log on an etcd, beside a bare loop of batches of the same size to the same
// etcd, and beside the log in a folder. Turns are taken in one run, and the median turn counts.
//
//   etcd_bench etcd://127.0.0.1:2379,...
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/archive.h"
#include "base/fibers.h"
#include "sim/etcd/etcd_state.h"
#include "sim/sequencer/journal.h"
#include "sim/sequencer/sequencer.h"

namespace {

using namespace svc;
using Clock = std::chrono::steady_clock;

constexpr auto lasts = std::chrono::milliseconds(1'000);  // one turn of one contestant
constexpr int turns = 7;
constexpr std::size_t crowd = 64;

engine::Deposit deposit_of(std::size_t writer) {
  Address account{};
  account.bytes[0] = static_cast<std::uint8_t>(writer + 1);
  return {.account = account, .amount = {usdx_one}};
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// Counts commits: all units of one have one append.
class CountingLog final : public sim::CommandLog {
 public:
  explicit CountingLog(sim::CommandLog& log) : log_(log) {}
  Result<std::uint64_t, sim::LogError> append(TimestampMs at_ms, std::span<const sim::Unit* const> units,
                                              const std::optional<sim::StateMark>& mark) override {
    ++commits;
    return log_.append(at_ms, units, mark);
  }
  bool wants_mark() const override { return log_.wants_mark(); }

  std::atomic<std::uint64_t> commits{0};

 private:
  sim::CommandLog& log_;
};

struct Rate {
  double writes = 0;  // a second
  double group = 0;   // writes in a commit
};

class Desk {
 public:
  explicit Desk(sim::DurableLog& log) : log_(log) {}

  Rate turn() {
    std::atomic<bool> over{false};
    std::atomic<std::uint64_t> writes{0};
    const std::uint64_t commits = log_.commits;
    const auto begin = Clock::now();
    {
      Fibers fibers(1);
      for (std::size_t writer = 0; writer < crowd; ++writer) {
        const bool runs = fibers.run([&, writer] {
          for (; !over; ++writes)
            if (!sequencer_.submit(sim::CommandBody(deposit_of(writer)))) fail("a write was refused");
        });
        if (!runs) fail("too many writers");
      }
      std::this_thread::sleep_for(lasts);
      over = true;
    }
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    return {.writes = static_cast<double>(writes) / took,
            .group = static_cast<double>(writes) / static_cast<double>(log_.commits - commits)};
  }

 private:
  SystemClock clock_;
  CountingLog log_;
  sim::Services services_{sim::ServiceTerms{}};
  sim::Sequencer sequencer_{{}, services_, clock_, log_, clock_.now_ms()};
};

// Puts of as many bytes as a batch of that many units has, and nothing else.
class BareLoop {
 public:
  explicit BareLoop(const sim::EtcdAddress& address) : client_(address.members, sim::dial_by_http()) {}

  double turn(double group) {
    const auto units = static_cast<std::uint64_t>(group + 0.5);
    const std::string unit = to_archive(sim::Unit{.body = sim::CommandBody(deposit_of(0))});
    std::string batch(48, 'h');
    for (std::uint64_t i = 0; i < units; ++i) batch += unit;
    std::uint64_t puts = 0;
    const auto begin = Clock::now();
    for (; Clock::now() - begin < lasts; ++puts)
      if (!client_.commit({.puts = {{.key = "bare/" + std::to_string(++number_), .value = batch}}}))
        fail("etcd refused a put");
    return static_cast<double>(puts * units) / std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  sim::EtcdClient client_;
  std::uint64_t number_ = 0;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 || !sim::is_etcd_address(words[1])) fail("usage: etcd_bench etcd://HOST:PORT,...");
  auto address = sim::parse_etcd_address(words[1]);
  if (!address) fail(address.error());
  address->name = "bench-" + std::to_string(SystemClock().now_ms());
  const SystemClock machine;
  auto state = sim::EtcdState::open({.address = *address, .node = "bench"}, machine);
  if (!state) fail(state.error());
  const sim::LogFacts facts{.identity = {{"network", "bench"}}, .opening = {}};
  auto on_etcd = (*state)->open_log("local", facts);
  if (!on_etcd || !(*on_etcd)->begin()) fail("the log on etcd cannot be written");
  std::string name = (std::filesystem::temp_directory_path() / "svc-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  auto in_folder = sim::Journal::open(folder / "log.db", facts);
  if (!in_folder || !(*in_folder)->begin()) fail("the log in a folder cannot be written");
  {
    Desk etcd(**on_etcd);
    Desk sqlite(**in_folder);
    BareLoop bare(*address);
    (void)etcd.turn();
    (void)sqlite.turn();
    std::vector<double> writes, group, to_bare, to_sqlite;
    for (int turn = 0; turn < turns; ++turn) {
      const Rate ours = etcd.turn();
      const double alone = bare.turn(ours.group);
      const Rate folder_rate = sqlite.turn();
      writes.push_back(ours.writes);
      group.push_back(ours.group);
      to_bare.push_back(ours.writes / alone);
      to_sqlite.push_back(ours.writes / folder_rate.writes);
    }
    std::printf("64 writers, log on etcd: %.0f writes a second, %.1f in a batch\n", median(writes), median(group));
    std::printf("log on etcd / bare loop of the same batches: %.2f\n", median(to_bare));
    std::printf("log on etcd / log in a folder: %.2f\n", median(to_sqlite));
  }
  std::filesystem::remove_all(folder);
  return 0;
}
