#include "vopr/plan.h"

#include <algorithm>

#include "base/random.h"

namespace svc::vopr {
namespace {

constexpr std::array<std::string_view, fault_count> fault_names{
    "connection refused", "request lost",      "request cut",      "request late",  "request twice",
    "answer lost",        "answer cut",        "answer false",     "client killed", "client power",
    "client disk error",  "client disk full",  "client pause",     "client clock",  "server killed",
    "server power",       "server disk error", "server disk full", "server damage", "server clock"};

constexpr std::array<std::string_view, static_cast<std::size_t>(Step::Kind::count)> step_names{"place",
                                                                                               "place again",
                                                                                               "batch",
                                                                                               "cancel",
                                                                                               "cancel-all",
                                                                                               "amend",
                                                                                               "deposit",
                                                                                               "read",
                                                                                               "watch",
                                                                                               "list outbox",
                                                                                               "resolve",
                                                                                               "client clock",
                                                                                               "client power",
                                                                                               "client disk full",
                                                                                               "server clock",
                                                                                               "server kill",
                                                                                               "server power",
                                                                                               "server stop",
                                                                                               "server disk full",
                                                                                               "long history"};

// The maximum frequency of each step; a seed draws its own weights below.
struct Share {
  Step::Kind kind;
  std::uint64_t weight;
};
constexpr Share client_shares[] = {{Step::Kind::place, 12},      {Step::Kind::place_again, 2}, {Step::Kind::batch, 2},
                                   {Step::Kind::cancel, 3},      {Step::Kind::cancel_all, 1},  {Step::Kind::amend, 2},
                                   {Step::Kind::deposit, 1},     {Step::Kind::read, 1},        {Step::Kind::watch, 1},
                                   {Step::Kind::list_outbox, 1}, {Step::Kind::resolve, 3}};

struct Trouble {
  Step::Kind kind;
  Fault fault;
};
constexpr Trouble troubles[] = {
    {Step::Kind::client_clock, Fault::client_clock},         {Step::Kind::client_power, Fault::client_power},
    {Step::Kind::client_disk_full, Fault::client_disk_full}, {Step::Kind::server_clock, Fault::server_clock},
    {Step::Kind::server_kill, Fault::server_killed},         {Step::Kind::server_power, Fault::server_power},
    {Step::Kind::server_disk_full, Fault::server_disk_full}};

constexpr std::int64_t busy_ms = 90 * second_ms;  // steps of the first phase begin within it

Step::Kind draw_client_step(Prng& chance, const std::vector<std::uint64_t>& weights) {
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  std::uint64_t drawn = chance.below(sum);
  std::size_t i = 0;
  for (; drawn >= weights[i]; ++i) drawn -= weights[i];
  return client_shares[i].kind;
}

}  // namespace

std::string_view to_string(Fault fault) {
  return fault_names[static_cast<std::size_t>(fault)];
}

std::string_view to_string(Step::Kind kind) {
  return step_names[static_cast<std::size_t>(kind)];
}

bool is_of_a_client(Step::Kind kind) {
  return kind <= Step::Kind::resolve;
}

Plan draw_plan(std::uint64_t seed) {
  Prng chance(seed, "plan");
  Plan plan{.seed = seed};
  // Half of the kinds are off; the others are rare, occasional or frequent.
  constexpr std::uint32_t how_often[] = {5, 30, 120};
  for (std::uint32_t& per_mille : plan.per_mille)
    per_mille = chance.below(2) == 0 ? 0 : how_often[chance.below(std::size(how_often))];

  // A client cannot keep a budget if requests are delayed or its clock is wrong.
  plan.is_busy = chance.below(8) == 0;
  if (plan.is_busy) {
    for (const Fault fault : {Fault::request_late, Fault::request_twice, Fault::client_clock, Fault::server_clock,
                              Fault::client_power, Fault::client_disk_error, Fault::client_disk_full})
      plan.per_mille[static_cast<std::size_t>(fault)] = 0;
  }

  std::vector<std::uint64_t> weights;
  for (const Share& share : client_shares) weights.push_back(chance.below(4) == 0 ? 0 : 1 + chance.below(share.weight));
  weights.front() = std::max<std::uint64_t>(weights.front(), 4);  // without orders nothing happens
  const std::uint64_t count = (plan.is_busy ? 20 : 4) + chance.below(20);
  // Close together or far apart: the first collide, in the second case signatures expire.
  const std::int64_t span_ms = plan.is_busy || chance.below(2) == 0 ? busy_ms / 30 : busy_ms;
  for (std::uint64_t i = 0; i < count; ++i) {
    plan.steps.push_back({.kind = draw_client_step(chance, weights),
                          .at_ms = chance.between(0, span_ms),
                          .client = chance.below(clients),
                          .chance = chance.next()});
  }
  for (const Trouble& trouble : troubles) {
    if (plan.of(trouble.fault) == 0) continue;
    for (std::uint64_t left = chance.below(3); left > 0; --left)
      plan.steps.push_back({.kind = trouble.kind,
                            .at_ms = chance.between(0, span_ms),
                            .client = chance.below(clients),
                            .chance = chance.next()});
  }
  if (chance.below(4) == 0)
    plan.steps.push_back(
        {.kind = Step::Kind::server_stop, .at_ms = chance.between(0, span_ms), .chance = chance.next()});
  // Writes whose answers were lost, which then end, and then more orders than an account's history shows.
  constexpr std::uint64_t seeds_per_long_history = 400;
  if (!plan.is_busy && chance.below(seeds_per_long_history) == 0) {
    for (const Fault fault : {Fault::answer_lost, Fault::client_killed})
      plan.per_mille[static_cast<std::size_t>(fault)] = 200;
    constexpr std::int64_t until_ended_ms = 35 * second_ms, until_forgotten_ms = 50 * second_ms;
    plan.steps.push_back({.kind = Step::Kind::cancel_all, .at_ms = span_ms + until_ended_ms, .chance = chance.next()});
    plan.steps.push_back(
        {.kind = Step::Kind::long_history, .at_ms = span_ms + until_forgotten_ms, .chance = chance.next()});
  }
  std::stable_sort(plan.steps.begin(), plan.steps.end(),
                   [](const Step& a, const Step& b) { return a.at_ms < b.at_ms; });
  return plan;
}

std::string describe(const Plan& plan) {
  std::string text = "seed " + std::to_string(plan.seed) + ", " + std::to_string(plan.steps.size()) + " steps";
  for (std::size_t i = 0; i < fault_count; ++i) {
    if (plan.per_mille[i] == 0) continue;
    text += ", " + std::string(fault_names[i]) + " " + std::to_string(plan.per_mille[i]) + " per mille";
  }
  return text;
}

}  // namespace svc::vopr
