#include "cli/store/allow_list.h"

#include "cli/store/kept_document.h"
#include "cli/terminal/render.h"

namespace svc::cli::guards {
namespace {

KeptDocument list_of(const Paths& paths, std::string_view network) {
  return {paths.addresses(network), 1, "list of addresses", "without it none is listed: add them again"};
}

Result<void> store(const Paths& paths, std::string_view network, const std::vector<ListedAddress>& all) {
  Json rows = Json::list(all, [](const ListedAddress& one) {
    return Json::object({{"label", one.label},
                         {"address", to_string(one.address)},
                         {"added_at_ms", one.added_at_ms},
                         {"usable_from_ms", one.usable_from_ms}});
  });
  return list_of(paths, network).write(Json::object({{"network", network}, {"addresses", std::move(rows)}}));
}

}  // namespace

Result<std::vector<ListedAddress>> load_addresses(const Paths& paths, std::string_view network) {
  const KeptDocument file = list_of(paths, network);
  const Json rows = SVC_TRY(file.read("addresses")).value_or(Json::array());
  std::vector<ListedAddress> all;
  for (const Json& row : rows.items()) {
    const auto address = row.address_at("address");
    const auto usable_ms = row.integer_at("usable_from_ms");
    if (!address || !usable_ms) return unexpected(file.damaged());
    all.push_back({.label = row.text_at("label"),
                   .address = *address,
                   .added_at_ms = row.integer_at("added_at_ms").value_or(0),
                   .usable_from_ms = *usable_ms});
  }
  return all;
}

Result<void> add_address(const Paths& paths, std::string_view network, ListedAddress address) {
  const auto held = SVC_TRY(list_of(paths, network).lock());
  auto all = SVC_TRY(load_addresses(paths, network));
  for (const ListedAddress& one : all) {
    if (one.address != address.address && one.label != address.label) continue;
    return failed("address_listed", one.label, " ", to_string(one.address), " is on the list of network ", network,
                  " already");
  }
  all.push_back(std::move(address));
  return store(paths, network, all);
}

Result<std::optional<ListedAddress>> remove_address(const Paths& paths, std::string_view network,
                                                    std::string_view which) {
  const auto held = SVC_TRY(list_of(paths, network).lock());
  auto all = SVC_TRY(load_addresses(paths, network));
  const auto address = parse_address(which);
  const auto found = std::find_if(all.begin(), all.end(), [&](const ListedAddress& one) {
    return one.label == which || (address && one.address == *address);
  });
  if (found == all.end()) return std::optional<ListedAddress>{};
  ListedAddress removed = std::move(*found);
  all.erase(found);
  SVC_TRY(store(paths, network, all));
  return std::optional(std::move(removed));
}

Result<void> check_listed(const Paths& paths, std::string_view network, const Address& address, TimestampMs now_ms) {
  const auto all = SVC_TRY(load_addresses(paths, network));
  const auto found = std::ranges::find(all, address, &ListedAddress::address);
  if (found == all.end()) {
    return guard("address_not_listed", to_string(address), " is not on the list of addresses that network ", network,
                 " may send to")
        .to_try({concat("svc -n ", network, " addresses add LABEL ", to_string(address))});
  }
  if (found->usable_from_ms <= now_ms) return {};
  return guard("address_cooling_down", found->label, " was added at ", rfc3339(found->added_at_ms),
               " and can be used from ", rfc3339(found->usable_from_ms));
}

}  // namespace svc::cli::guards
