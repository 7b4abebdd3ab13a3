// Compares the scenario runner with an engine that applies the same commands.
//
//   scenario_bench [STEPS]    prints how many steps a second the runner does for each of the engine's, and the
//                             microseconds of a step of both
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/verbs.h"

namespace {

using namespace svc;
using namespace svc::sim::scenario;

constexpr int turns = 5;
constexpr std::size_t traders = 10;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Traders quote in turn, and every second order trades.
std::string story(std::size_t steps) {
  std::string text =
      "topic speed\nmarket X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0 band 0.9\n\n= S "
      "many\n";
  const auto trader = [](std::size_t number) { return "trader" + std::to_string(number % traders); };
  for (std::size_t i = 0; i < traders; ++i) text += "deposit " + trader(i) + " 1000000\n";
  text += "mark X 100\n";
  for (std::size_t i = 0; i < steps; ++i)
    text += trader(i) + (i / traders % 2 == i % 2 ? " buys 1 @ " : " sells 1 @ ") +
            std::to_string(i % 4 == 0 ? 90 : 100) + '\n';
  return text;
}

double run_story(const std::string& text) {
  const double begin = seconds_now();
  const auto report = run_scenarios(text);
  const double seconds = seconds_now() - begin;
  if (!report || report->count(Verdict::passed) != 1) {
    std::fprintf(stderr, "scenario_bench: %s\n",
                 report ? report->results.front().differences.front().c_str() : report.error().c_str());
    std::exit(1);
  }
  return seconds;
}

double replay(const Scenario& scenario) {
  Cast cast{.markets = scenario.markets, .accounts = scenario.accounts};
  std::vector<Act> acts;
  for (const auto& step : scenario.steps) acts.push_back(act_of(step, "", cast));
  engine::Engine engine({.markets = scenario.markets});
  engine::EventLog events;
  const double begin = seconds_now();
  for (Act& act : acts) {
    events.clear();
    engine.apply({1'700'000'000'000, std::move(act.body)}, events);
  }
  return seconds_now() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t steps = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2'000;
  const std::string text = story(steps);
  const auto file = parse_scenario_file(text);
  if (!file || !file->vectors.front().scenario) {
    std::fprintf(stderr, "scenario_bench: %s\n", file ? file->vectors.front().error.c_str() : file.error().c_str());
    return 1;
  }
  std::vector<double> ratios, stories, replays;
  for (int turn = -1; turn < turns; ++turn) {
    const double mine = run_story(text);
    const double other = replay(*file->vectors.front().scenario);
    if (turn < 0) continue;  // warms up
    ratios.push_back(other / mine);
    stories.push_back(mine * 1e6 / static_cast<double>(steps));
    replays.push_back(other * 1e6 / static_cast<double>(steps));
  }
  for (auto* values : {&ratios, &stories, &replays}) std::sort(values->begin(), values->end());
  std::printf("%.4f (%.1f and %.2f us for each of %zu steps)\n", ratios[turns / 2], stories[turns / 2],
              replays[turns / 2], steps);
  return 0;
}
