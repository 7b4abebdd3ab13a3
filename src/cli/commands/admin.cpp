// admin tiers list, set, reset
#include <array>

#include "api/ops/admin.h"
#include "cli/commands/groups.h"
#include "cli/commands/read.h"
#include "cli/commands/write_flags.h"
#include "cli/secrets/admin_secret.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array tier_names{"Pro"sv, "MarketMaker"sv, "Unlimited"sv};

class AdminCommand : public Command {
 public:
  void declare(Arguments& arguments) override { secret_.declare(arguments); }

 protected:
  Result<Reply, Stop> call(Context& context, Exchange& exchange, Call call) {
    if (!opened_) {
      auto secret = secret_.read(context);
      if (!secret) return unexpected(Stop(secret.error()));
      opened_ = std::move(*secret);
    }
    call.admin_secret = *opened_;
    call.look_up = {command_line(context, "admin tiers list")};
    return exchange.call(call);
  }

  // What the account has now; who is not listed has the default (API: Limits, Tiers).
  Result<std::string, Stop> present_tier(Context& context, Exchange& exchange, const Address& address) {
    if (context.globals().dry_run) return std::string("-");  // nobody is asked
    const auto listed = call(context, exchange, call_of<api::ops::ListTiers>());
    if (!listed) return unexpected(listed.error());
    for (const Json& row : listed->body.items()) {
      if (parse_address(row.string_at("address").value_or("")) == address)
        return std::string(row.string_at("tier").value_or(""));
    }
    return std::string(tier_names.front());
  }

 private:
  AdminSecretFlags secret_;
  std::optional<Secret> opened_;
};

// Tier names compare without case (API: Limits).
bool same_tier(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

class ListTiers final : public AdminCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--tier", tier_, tier_names, "only this tier");
    AdminCommand::declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    auto reply = call(context, *exchange, call_of<api::ops::ListTiers>());
    if (!reply) return unexpected(reply.error());
    Answer answer = answer_of(std::move(*reply), {{{"address", "address"}, {"tier", "tier"}}});
    if (!tier_) return answer;
    Json chosen = Json::array();
    for (const Json& row : answer.data.items()) {
      if (same_tier(row.string_at("tier").value_or(""), *tier_)) chosen.push(row);
    }
    answer.data = std::move(chosen);
    return answer;
  }

 private:
  std::optional<std::string> tier_;
};

// The tier before, which the server does not tell, beside the one after.
Answer change_of(Reply reply, const std::string& old, std::string_view after) {
  Answer answer = answer_of(std::move(reply), {{{"address", "address"}, {"old", "old"}, {after, "tier"}}});
  answer.rows = answer.data;
  answer.rows->set("old", old);
  return answer;
}

Result<Address, Failure> address_of(const std::string& text) {
  const auto address = parse_address(text);
  if (!address) return unexpected(usage_error("\"" + text + "\" is not an address: 0x and 40 hex digits"));
  return *address;
}

class SetTier final : public AdminCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account");
    arguments.positional("TIER", tier_, "Pro, MarketMaker or Unlimited");
    arguments.choice("--expect", expected_, tier_names, "refuse unless this is the tier now");
    arguments.planned("--reason");
    AdminCommand::declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto address = address_of(address_);
    if (!address) return unexpected(Stop(address.error()));
    const auto tier = tier_of(tier_);
    if (!tier) return unexpected(Stop(tier.error()));
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const auto old = present_tier(context, *exchange, *address);
    if (!old) return unexpected(old.error());
    if (expected_ && !context.globals().dry_run && !same_tier(*old, *expected_))
      return unexpected(Stop(guard("unexpected_tier", to_string(*address) + " has tier " + *old + ", not " +
                                                          *expected_ + "; nothing was changed")));
    auto reply = call(context, *exchange, call_of<api::ops::SetTier>({.address = *address, .tier = *tier}));
    if (!reply) return unexpected(reply.error());
    return change_of(std::move(*reply), *old, "new");
  }

 private:
  static Result<api::Tier, Failure> tier_of(const std::string& text) {
    for (std::size_t i = 0; i < tier_names.size(); ++i) {
      if (same_tier(tier_names[i], text)) return static_cast<api::Tier>(i);
    }
    return unexpected(usage_error("TIER must be one of Pro, MarketMaker, Unlimited, not \"" + text + "\""));
  }

  std::string address_;
  std::string tier_;
  std::optional<std::string> expected_;
};

class ResetTier final : public AdminCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account");
    AdminCommand::declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto address = address_of(address_);
    if (!address) return unexpected(Stop(address.error()));
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const auto old = present_tier(context, *exchange, *address);
    if (!old) return unexpected(old.error());
    auto reply = call(context, *exchange, call_of<api::ops::ResetTier>({.address = *address}));
    if (!reply) return unexpected(reply.error());
    return change_of(std::move(*reply), *old, "default");
  }

 private:
  std::string address_;
};

constexpr std::array rows{
    CommandRow{"admin tiers list", "", "List the accounts whose tier was set", make<ListTiers>},
    CommandRow{"admin tiers set", "ADDR TIER", "Set the tier of an account", make<SetTier>},
    CommandRow{"admin tiers reset", "ADDR", "Put an account back to the default tier", make<ResetTier>},
};

}  // namespace

std::span<const CommandRow> admin_commands() {
  return rows;
}

}  // namespace svc::cli
