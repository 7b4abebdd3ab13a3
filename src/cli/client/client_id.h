// Client ids of orders: "svc-" and a ULID, so that they sort by time and never repeat; or an id derived from the order
// itself, so that the same order gets the same id again.
#pragma once

#include "base/clock.h"
#include "cli/client/context.h"
#include "cli/machine/environment.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

[[nodiscard]] std::string make_client_id(const Environment& environment);
// Exit 2 if no id can begin with the prefix that this flag or variable gives. (D-782)
Result<void> check_client_id_prefix(std::string_view given_by, std::string_view prefix);
// The prefix of all client ids of this run: a guard sets it for its bot and cancels the orders that have it. Empty
// outside of a guard; exit 2 if it leaves no room for an id. (D-782)
Result<std::string> client_id_prefix(const Environment& environment);
// A new id with the prefix.
Result<std::string> make_order_id(const Environment& environment);
// What a client id of an order must be, "must be 1 to ..."; nullopt if it is.
[[nodiscard]] std::optional<std::string> wrong_client_id(std::string_view id);
// What we made of the id, without the prefix of a guard before it; nullopt for ids of another form.
[[nodiscard]] std::optional<std::string_view> without_guard_prefix(std::string_view client_id);
// When the id was made, by the clock that made it; nullopt for ids of another form.
[[nodiscard]] std::optional<TimestampMs> client_id_made_ms(std::string_view client_id);
// Whether we made all of these ids; also true of none.
[[nodiscard]] bool are_ours(const std::vector<std::string>& client_ids);
// 130 bits of the text's hash: the same text gives the same id.
[[nodiscard]] std::string derive_client_id(std::string_view text);
// 26 characters of Crockford's base 32: 48 bits of milliseconds, 80 random bits.
[[nodiscard]] std::string make_ulid(const Environment& environment);

// Commands that messages suggest.

// "svc -n testnet --signer bob orders get --client-id ...": with this run's network, and its account or signer if one
// was given.
[[nodiscard]] std::string command_line(Context& context, std::string_view command);

}  // namespace svc::cli
