// Requests to the control surface of a sandbox, /_svc/...
#pragma once

#include <fstream>

#include "api/contract/control.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"
#include "cli/commands/read.h"
#include "cli/terminal/text.h"
#include "sim/sim.h"

namespace svc::cli {

namespace control = api::control;

// One call to it.
template <class Op>
Result<Reply> ask_sandbox(Context& context, const typename Op::Request& request = {}) {
  auto exchange = SVC_TRY(Exchange::open(context));
  return exchange.call(call_of<Op>(request));
}

// Copies those of the members that are there.
inline void copy_members(const Json& from, std::initializer_list<std::string_view> names, Json& to) {
  for (const std::string_view name : names)
    if (const Json* value = from.find(name)) to.set(name, *value);
}

// Puts the markets of a --markets file, and their prices, into the options.
inline Result<void> take_markets(Context& context, const std::string& file, sim::SandboxOptions& options) {
  auto listed = sim::parse_markets_file(SVC_TRY(read_bytes(context, file, "--markets file")));
  if (!listed) return usage_error("--markets: " + listed.error());
  options.markets = std::move(listed->markets);
  options.start_prices = std::move(listed->prices);
  return {};
}

// Text for attributes and content of the XML report that --junit asks for; control characters as in tables.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> entities{
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}}};
  std::string out = escaped(text);
  for (const auto& [character, entity] : entities) out = with_each(out, character, entity);
  return out;
}

inline Result<void> write_junit(const std::string& file, const std::string& report) {
  std::ofstream stream(file, std::ios::binary);
  stream << report << std::flush;
  if (!stream) return usage_error("--junit " + file + ": cannot be written");
  return {};
}

}  // namespace svc::cli
