// addresses list, add, remove

#include "cli/arguments/durations.h"
#include "cli/client/guards.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"
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

class ListAddresses final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.text("--label", label_, "LABEL", "only this one"); }
  Result<Answer, Failure> run(Context& context) override {
    const auto [network, paths] = SVC_TRY(context.network_files());
    const auto all = SVC_TRY(guards::load_addresses(*paths, network.text));
    Answer answer{.data = Json::array()};
    for (const ListedAddress& one : all)
      if (!label_ || one.label == *label_) answer.data.push(row_of(one, network.text));
    return answer;
  }

 private:
  std::optional<std::string> label_;
};

class AddAddress final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("LABEL", first_, "a name for it: letters, digits, - and _");
    arguments.positional("ADDRESS", second_, "0x and 40 hex digits; alone with --label");
    arguments.text("--label", flag_label_, "LABEL", "same as LABEL");
    arguments.text("--cooldown", cooldown_, "D", "time before it can be used (default and least: the network's)");
  }
  Result<Answer, Failure> run(Context& context) override {
    const bool by_flag = flag_label_ && first_ && !second_;
    const bool by_place = !flag_label_ && first_ && second_;
    if (!by_flag && !by_place) return unexpected(usage_error("give LABEL ADDRESS, or ADDRESS --label LABEL"));
    const std::string& label = by_flag ? *flag_label_ : *first_;
    const std::string& typed = by_flag ? *first_ : *second_;
    SVC_TRY(check_wallet_name(label));
    const auto address = parse_address(SVC_TRY(read_address("ADDRESS", typed)));
    const auto network = SVC_TRY(context.network());
    if (!network->is_local() && is_dev_address(*address)) {
      return unexpected(guard("dev_target", to_string(*address),
                              " is an account of the public development phrase: "
                              "anybody can take what arrives there"));
    }
    const auto rest_ms = SVC_TRY(cooldown_ms(context, *network));
    ListedAddress listed{.label = label,
                         .address = *address,
                         .added_at_ms = context.now_ms(),
                         .usable_from_ms = context.now_ms() + rest_ms};
    const Json row = row_of(listed, network->name);
    if (context.globals().dry_run) return unexpected(dry_run(row));
    SVC_TRY(guards::add_address(**context.paths(), network->name, std::move(listed)));
    return Answer{.data = row};
  }

 private:
  // At least that of the network; only the configuration can shorten it.
  Result<std::int64_t, Failure> cooldown_ms(Context& context, const Network& network) const {
    const auto config = SVC_TRY(context.config());
    const auto terms = SVC_TRY(guards::terms_of(config->guards, network.name, network.real_funds()));
    const std::int64_t least_ms = terms.address_cooldown_ms.value_or(0);
    if (!cooldown_) return least_ms;
    const auto asked_ms = SVC_TRY(parse_duration("--cooldown", *cooldown_));
    if (asked_ms >= least_ms) return asked_ms;
    return unexpected(guard("cooldown_too_short", "an address of network ", network.name, " rests at least ",
                            least_ms / second_ms, " s"));
  }

  std::optional<std::string> first_, second_, flag_label_, cooldown_;
};

class RemoveAddress final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("LABEL", given_, "label or address");
    arguments.text("--label", label_, "LABEL", "same as LABEL");
  }
  Result<Answer, Failure> run(Context& context) override {
    if (given_.has_value() == label_.has_value()) return unexpected(usage_error("give LABEL or --label"));
    const std::string& which = given_ ? *given_ : *label_;
    const auto [network, paths] = SVC_TRY(context.network_files());
    if (context.globals().dry_run) return unexpected(dry_run(Json::object({{"remove", which}})));
    const auto removed = SVC_TRY(guards::remove_address(*paths, network.text, which));
    if (!removed) {
      return unexpected(absent("address_not_found", which, " is not on the list of network ", network.text));
    }
    return Answer{.data = row_of(*removed, network.text)};
  }

 private:
  std::optional<std::string> given_, label_;
};

}  // namespace

std::span<const CommandRow> address_commands() {
  static const CommandRow rows[]{
      {"addresses list", "", "List addresses that money may be sent to", make<ListAddresses>, Repeats::yes},
      {"addresses add", "LABEL ADDRESS", "Allow an address, usable after its cool-down", make<AddAddress>},
      {"addresses remove", "LABEL", "Take an address off the list", make<RemoveAddress>},
  };
  return rows;
}

}  // namespace svc::cli
