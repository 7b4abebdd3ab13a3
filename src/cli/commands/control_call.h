// Requests to the control surface of a sandbox, /_svc/...
#pragma once

#include "api/contract/control.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"
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
void copy_members(const Json& from, std::initializer_list<std::string_view> names, Json& to);

// Puts the markets of a --markets file, and their prices, into the options.
Result<void> take_markets(Context& context, const std::string& file, sim::SandboxOptions& options);

// Text for attributes and content of XML reports; control characters as in tables.
[[nodiscard]] std::string xml_text(std::string_view text);
// Writes the report that --junit asks for.
Result<void> write_junit(const std::string& file, const std::string& report);

}  // namespace svc::cli
