// What may have gone wrong with a request that was refused, and what speaks for and against it.
//
// The service answers every failed authentication alike, on purpose. Everything that can be derived again here
// is: the string that was signed, who signed, how far the clock was off, where the key is filed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/client/context.h"
#include "cli/terminal/json.h"

namespace svc::cli {
class Exchange;
}

namespace svc::cli::why {

enum class Verdict : std::uint8_t { confirmed, possible, ruled_out };
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Hypothesis {
  std::string name;  // "the clock is off"
  Verdict verdict = Verdict::possible;
  std::string evidence;
};

// A request that failed, as FailureLog keeps it.
struct Case {
  Context& context;
  Exchange& exchange;
  const Json& record;

  [[nodiscard]] std::string text(std::string_view path) const {
    return std::string(record.string_at(path).value_or(""));
  }
  [[nodiscard]] bool was_unauthorized() const { return record.integer_at("status") == 401; }
};

// nullopt where the question does not arise.
using Test = std::optional<Hypothesis> (*)(const Case&);
[[nodiscard]] std::span<const Test> tests();

}  // namespace svc::cli::why
