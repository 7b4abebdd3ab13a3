// Requests damaged at random, by a fixed seed: every answer is one the catalogue knows, in the shape its
// operation promises, and what was not damaged still works afterwards.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/random.h"
#include "contract/sample_request.h"
#include "contract/venue.h"

namespace svc::contract {
namespace SVC_FILE {

constexpr std::uint64_t seed = 20231114;
constexpr int rounds = 20'000;

char any_byte(Prng& prng) {
  static constexpr std::string_view telling = "\"\\{}[]:,%/.?&=#0-1eE \t\r\n";
  if (prng.below(2) == 0) return telling[prng.below(telling.size())];
  return static_cast<char>(prng.below(256));
}

// Changes, inserts, removes or repeats a few bytes.
void damage(std::string& text, Prng& prng) {
  for (std::uint64_t times = 1 + prng.below(3); times > 0; --times) {
    const std::size_t at = text.empty() ? 0 : prng.below(text.size());
    switch (prng.below(4)) {
      case 0: text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), any_byte(prng)); break;
      case 1:
        if (!text.empty()) text[at] = any_byte(prng);
        break;
      case 2: text.erase(at, prng.below(4)); break;
      default: text.insert(at, text.substr(at, prng.below(8))); break;
    }
  }
}

void damage(api::HttpRequest& request, Prng& prng) {
  switch (prng.below(5)) {
    case 0: damage(request.target, prng); break;
    case 1: damage(request.method, prng); break;
    case 2: damage(request.body, prng); break;
    default: {
      api::Headers damaged;
      const std::size_t chosen = request.headers.size() == 0 ? 0 : prng.below(request.headers.size());
      std::size_t index = 0;
      for (const api::Header& field : request.headers) {
        std::string name(field.name), value(field.value);
        if (index++ == chosen) damage(prng.below(3) == 0 ? name : value, prng);
        damaged.add(name, value);
      }
      request.headers = damaged;
    }
  }
}

TEST(DamagedRequest, IsAlwaysAnsweredInTheWordsOfTheCatalogue) {
  sim::NetworkSettings settings;
  settings.faucet = true;
  settings.limits.multiplier = 0;
  Venue venue(Handlers::answer_empty, settings);
  Prng prng(seed);
  const auto operations = every_operation();
  std::set<int> met;
  for (int round = 0; round < rounds; ++round) {
    const api::OperationEntry& entry = operations[prng.below(operations.size())];
    api::HttpRequest request = sample_request(entry, entry.operation->twin && prng.below(2) == 0);
    // Half of them are signed after the damage was done, so that it reaches the decoders.
    const bool damaged_first = prng.below(2) == 0;
    if (damaged_first) damage(request.body, prng);
    request = venue.authorised(*entry.operation, std::move(request));
    if (!damaged_first) damage(request, prng);

    const api::HttpResponse response = venue.send(std::move(request));
    met.insert(response.status);
    static const std::set<int> known{101, 200, 201, 204, 400, 401, 403, 404, 405, 422, 426};
    ASSERT_TRUE(known.contains(response.status))
        << "round " << round << ": " << response.status << " " << response.body;
    if (response.body.empty()) continue;
    JsonReader reader(response.body, limits::record_json_depth_max);
    std::string_view value;
    ASSERT_TRUE(reader.any(value) && reader.at_end()) << "round " << round << ": " << response.body;
    ASSERT_EQ(response.status == 401, response.body == R"({"code":"unauthorized"})");
  }
  EXPECT_TRUE(met.contains(200) && met.contains(400) && met.contains(401) && met.contains(404) && met.contains(405));
}

}  // namespace SVC_FILE
}  // namespace svc::contract
