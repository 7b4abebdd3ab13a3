// Client ids of orders: "svc-" and a ULID, so that they sort by time and never repeat; or one that follows from what
// is ordered, so that the same is found again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/client/context.h"
#include "cli/machine/environment.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

[[nodiscard]] std::string make_client_id(const Environment& environment);
// What the ids of all orders of this run begin with: a guard gives it to its bot, and cancels what begins so. Empty
// outside of one; exit 2 if it leaves no room for an id. (D-782)
[[nodiscard]] Result<std::string, Failure> client_id_prefix(const Environment& environment);
// An id for an order: the prefix, and a new one.
[[nodiscard]] Result<std::string, Failure> make_order_id(const Environment& environment);
// When it was made, by the clock of that time; nullopt if its form is another one.
[[nodiscard]] std::optional<TimestampMs> client_id_made_ms(std::string_view client_id);
// The same for the same text, 130 bits of its hash.
[[nodiscard]] std::string derive_client_id(std::string_view text);
// 26 characters of Crockford's base 32: 48 bits of milliseconds, 80 bits of chance.
[[nodiscard]] std::string make_ulid(const Environment& environment);

// Commands to type next.

// "svc -n testnet --signer bob orders get --client-id ...": for the network of this run, and for whom it acts if that
// was said.
[[nodiscard]] std::string command_line(Context& context, std::string_view command);

}  // namespace svc::cli
