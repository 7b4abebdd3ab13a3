// Addresses that money may be sent to, per network. A new address cannot be used at once, so that a minute at an
// unattended terminal is not enough to take the money.
#pragma once

#include "base/address.h"
#include "base/clock.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

namespace svc::cli::guards {

struct ListedAddress {
  std::string label;
  Address address;
  TimestampMs added_at_ms = 0;
  TimestampMs usable_from_ms = 0;
};

// In the order in which they were added.
Result<std::vector<ListedAddress>> load_addresses(const Paths& paths, std::string_view network);
// Exit 6 if the label or the address is already listed.
Result<void> add_address(const Paths& paths, std::string_view network, ListedAddress address);
// By label or address; nullopt if it is not listed.
Result<std::optional<ListedAddress>> remove_address(const Paths& paths, std::string_view network,
                                                    std::string_view which);

// Exit 14: address_not_listed or address_cooling_down.
Result<void> check_listed(const Paths& paths, std::string_view network, const Address& address, TimestampMs now_ms);

}  // namespace svc::cli::guards
