// admin tiers list, set, reset
#include <array>

#include "api/ops/admin.h"
#include "api/tiers.h"
#include "cli/commands/groups.h"
#include "cli/commands/operator_desk.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

std::string_view default_tier() {
  return api::tier_texts[static_cast<std::size_t>(api::default_tier)];
}

class ListTiers final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--tier", tier_, api::tier_texts, "only this tier");
    desk_.declare(arguments, false);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = SVC_TRY(desk_.call(context, exchange, call_of<api::ops::ListTiers>()));
    Answer answer = answer_of(std::move(reply), {{{"address", "address"}, {"tier", "tier"}}});
    if (!tier_) return answer;
    Json chosen = Json::array();
    for (const Json& row : answer.data.items()) {
      if (tier_spelling(row.string_at("tier").value_or("")) == tier_) chosen.push(row);
    }
    answer.data = std::move(chosen);
    return answer;
  }

 private:
  std::optional<std::string> tier_;
  OperatorDesk desk_;
};

// One account. The tier before, which the server does not tell, is shown beside the one after.
class ChangeTier : public Command {
 public:
  Result<Answer, Stop> run(Context& context) final {
    const auto address = parse_address(address_);
    if (!address) {
      return unexpected(Stop(usage_error("\"" + address_ + "\" is not an address: 0x and 40 hex digits")));
    }
    const auto wanted = SVC_TRY(wanted_tier());
    auto exchange = SVC_TRY(Exchange::open(context));
    SVC_TRY(desk_.check_reason(exchange));
    std::string old = "-";  // a dry run asks nobody
    if (!context.globals().dry_run) {
      const auto present = SVC_TRY(desk_.present(context, exchange));
      const auto found = present.find(to_string(*address));
      old = found == present.end() ? std::string(default_tier()) : found->second;
      if (expected_ && tier_spelling(old) != expected_) {
        return unexpected(Stop(guard("unexpected_tier", to_string(*address) + " has tier " + old + ", not " +
                                                            *expected_ + "; nothing was changed")));
      }
    }
    auto reply = SVC_TRY(desk_.change(context, exchange, {*address, old, wanted, resets_}));
    Answer answer = answer_of(std::move(reply), {{{"address", "address"}, {"old", "old"}, {after_, "tier"}}});
    answer.rows = answer.data;
    answer.rows->set("old", old);
    return answer;
  }

 protected:
  ChangeTier(std::string_view after, bool resets) : after_(after), resets_(resets) {}
  [[nodiscard]] virtual Result<std::string, Failure> wanted_tier() const = 0;

  std::string_view after_;
  bool resets_;
  std::string address_;
  std::optional<std::string> expected_;
  OperatorDesk desk_;
};

class SetTier final : public ChangeTier {
 public:
  SetTier() : ChangeTier("new", false) {}
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account");
    arguments.positional("TIER", tier_, "Pro, MarketMaker or Unlimited");
    arguments.choice("--expect", expected_, api::tier_texts, "refuse unless this is the tier now");
    desk_.declare(arguments, true);
  }

 private:
  Result<std::string, Failure> wanted_tier() const override {
    if (const auto tier = tier_spelling(tier_)) return *tier;
    return unexpected(usage_error("TIER must be one of Pro, MarketMaker, Unlimited, not \"" + tier_ + "\""));
  }
  std::string tier_;
};

class ResetTier final : public ChangeTier {
 public:
  ResetTier() : ChangeTier("default", true) {}
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account");
    arguments.choice("--expect", expected_, api::tier_texts, "refuse unless this is the tier now");
    desk_.declare(arguments, true);
  }

 private:
  Result<std::string, Failure> wanted_tier() const override { return std::string(default_tier()); }
};

constexpr std::array admin_rows{
    CommandRow{"admin tiers list", "", "List the accounts whose tier was set", make<ListTiers>, 1, Repeats::yes},
    CommandRow{"admin tiers set", "ADDR TIER", "Set the tier of an account", make<SetTier>},
    CommandRow{"admin tiers reset", "ADDR", "Put an account back to the default tier", make<ResetTier>},
};

}  // namespace

std::span<const CommandRow> admin_commands() {
  return admin_rows;
}

}  // namespace svc::cli
