// addresses list, add, remove
#include "cli/client/guards.h"
#include "cli/commands/operation_command.h"
#include "cli/store/allow_list.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

using guards::ListedAddress;

Json row_of(const ListedAddress& one, std::string_view network) {
  return Json::object({{"label", one.label},
                       {"address", to_string(one.address)},
                       {"network", network},
                       {"added_at_ms", one.added_at_ms},
                       {"usable_from_ms", one.usable_from_ms}});
}

Result<Answer, Failure> list_addresses(Context& context, const std::optional<std::string>& label) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  const auto all = SVC_TRY(guards::load_addresses(*paths, network.text));
  Answer answer{.data = Json::array()};
  for (const ListedAddress& one : all)
    if (!label || one.label == *label) answer.data.push(row_of(one, network.text));
  return answer;
}

// At least that of the network; only the configuration can shorten it.
Result<std::int64_t, Failure> cooldown_ms(Context& context, const Network& network,
                                          const std::optional<std::string>& typed) {
  const auto config = SVC_TRY(context.config());
  const auto terms = SVC_TRY(guards::terms_of(config->guards, network.name, network.real_funds()));
  const std::int64_t least_ms = terms.address_cooldown_ms.value_or(0);
  if (!typed) return least_ms;
  const auto asked_ms = SVC_TRY(parse_duration("--cooldown", *typed));
  if (asked_ms >= least_ms) return asked_ms;
  return unexpected(guard("cooldown_too_short", "an address of network ", network.name, " rests at least ",
                          least_ms / second_ms, " s"));
}

Result<Answer, Failure> add_address(Context& context, const std::optional<std::string>& first,
                                    const std::optional<std::string>& second,
                                    const std::optional<std::string>& flag_label,
                                    const std::optional<std::string>& cooldown) {
  const bool by_flag = flag_label && first && !second;
  const bool by_place = !flag_label && first && second;
  if (!by_flag && !by_place) return unexpected(usage_error("give LABEL ADDRESS, or ADDRESS --label LABEL"));
  const std::string& label = by_flag ? *flag_label : *first;
  const std::string& typed = by_flag ? *first : *second;
  SVC_TRY(check_wallet_name(label));
  const auto address = parse_address(SVC_TRY(read_address("ADDRESS", typed)));
  const auto network = SVC_TRY(context.network());
  SVC_TRY(guards::refuse_dev_target(*network, *address));
  const auto rest_ms = SVC_TRY(cooldown_ms(context, *network, cooldown));
  ListedAddress listed{.label = label,
                       .address = *address,
                       .added_at_ms = context.now_ms(),
                       .usable_from_ms = context.now_ms() + rest_ms};
  const Json row = row_of(listed, network->name);
  if (context.globals().dry_run) return unexpected(dry_run(row));
  SVC_TRY(guards::add_address(**context.paths(), network->name, std::move(listed)));
  return Answer{.data = row};
}

Result<Answer, Failure> remove_address(Context& context, const std::optional<std::string>& given,
                                       const std::optional<std::string>& label) {
  if (given.has_value() == label.has_value()) return unexpected(usage_error("give LABEL or --label"));
  const std::string& which = given ? *given : *label;
  const auto [network, paths] = SVC_TRY(context.network_files());
  if (context.globals().dry_run) return unexpected(dry_run(Json::object({{"remove", which}})));
  const auto removed = SVC_TRY(guards::remove_address(*paths, network.text, which));
  if (!removed) return unexpected(absent("address_not_found", which, " is not on the list of network ", network.text));
  return Answer{.data = row_of(*removed, network.text)};
}

}  // namespace

std::vector<CommandRow> address_commands() {
  return {
      {"addresses list", "", "List addresses that money may be sent to",
       calls(list_addresses, {{"--label", "only this one", "LABEL"}}), Repeats::yes},
      {"addresses add", "LABEL ADDRESS", "Allow an address, usable after its cool-down",
       calls(add_address, {{"LABEL", "a name for it: letters, digits, - and _"},
                           {"ADDRESS", "0x and 40 hex digits; alone with --label"},
                           {"--label", "same as LABEL", "LABEL"},
                           {"--cooldown", "time before it can be used (default and least: the network's)", "D"}})},
      {"addresses remove", "LABEL", "Take an address off the list",
       calls(remove_address, {{"LABEL", "label or address"}, {"--label", "same as LABEL", "LABEL"}})},
  };
}

}  // namespace svc::cli
