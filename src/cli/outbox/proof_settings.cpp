// Settings and credentials: what was asked for is in force, or it is not.
#include <array>

#include "api/market_id.h"
#include "api/ops/account.h"
#include "api/ops/admin.h"
#include "api/ops/agents.h"
#include "api/ops/auth.h"
#include "api/ops/margin.h"
#include "base/decimal.h"
#include "cli/commands/market_settings.h"
#include "cli/outbox/proof_rows.h"

namespace svc::cli::outbox {
namespace {

template <class Op>
Result<Json, Stop> read(Exchange& exchange, const typename Op::Request& request = {}) {
  auto reply = SVC_TRY(exchange.call(call_of<Op>(request)));
  return std::move(reply.body);
}

constexpr int usdx_digits = 6;

// All isolated margin of the account, in 1e-6 USDX: moving it changes nothing else.
Result<std::int64_t, Stop> isolated_total(Exchange& exchange, Json* account) {
  auto shown = SVC_TRY(read<api::ops::GetAccount>(exchange));
  const auto collateral = parse_scaled(shown.string_at("collateral").value_or(""), usdx_digits);
  const auto balance = parse_scaled(shown.string_at("balance").value_or(""), usdx_digits);
  if (!collateral || !balance) return unexpected(Stop(internal_error("the account's balance cannot be read")));
  if (account != nullptr) *account = std::move(shown);
  return *collateral - *balance;
}

Result<Json, Stop> before_margin(Exchange& exchange, const Call&) {
  const auto total = SVC_TRY(isolated_total(exchange, nullptr));
  return Json::object({{"isolated_micro_usdx", total}});
}

Result<Finding, Stop> look_margin(Exchange& exchange, const Wish& wish) {
  Json account;
  const auto now = SVC_TRY(isolated_total(exchange, &account));
  const auto before = wish.entry.before.integer_at("isolated_micro_usdx");
  const auto amount = parse_scaled(wish.entry.body.string_at("amount").value_or(""), usdx_digits);
  if (!before || !amount) return not_seen("what was there before is not known");
  const bool add = wish.entry.body.string_at("direction") == "add";
  const std::string shown = "isolated margin is " + format_scaled(now, usdx_digits) + " USDX";
  if (now == *before + (add ? *amount : -*amount)) {
    return accepted(Json::object({{"market_id", wish.entry.body.string_at("market_id")},
                                  {"allocated_margin", nullptr},
                                  {"collateral", account.string_at("collateral")}}),
                    shown);
  }
  if (now == *before) return not_seen(shown + ", as before");
  return unexpected(Stop(Failure{.exit = ExitCode::outcome_unknown,
                                 .code = "margin_moved_otherwise",
                                 .message = shown + ": something else moved as well, so this proves nothing"}));
}

std::optional<api::MarketId> market_in(const Wish& wish) {
  const auto market = wish.entry.body.string_at("market_id");
  if (!market || !api::is_market_id(*market)) return std::nullopt;
  return api::MarketId{std::string(*market)};
}

Result<Finding, Stop> look_mode(Exchange& exchange, const Wish& wish) {
  auto shown = SVC_TRY(read<api::ops::GetMarginMode>(exchange, {.market_id = market_in(wish)}));
  const std::string mode(shown.string_at("margin_mode").value_or("?"));
  if (mode == wish.entry.body.string_at("margin_mode")) return accepted(shown, "the mode is " + mode);
  return not_seen("the mode is " + mode);
}

Result<Finding, Stop> look_leverage(Exchange& exchange, const Wish& wish) {
  const auto market = market_in(wish);
  if (!market) return unclear("the write names no market");
  const auto set = MarketSettings(exchange).of(*market);
  if (!set) return unexpected(set.error());
  if (!set->leverage) return unclear("the service does not tell the leverage of " + market->text);
  const std::string told = "the leverage is " + *set->leverage;
  if (*set->leverage != member_text(wish.entry.body, "leverage")) return not_seen(told);
  return accepted(Json::object({{"market_id", market->text}, {"leverage", Json::number(*set->leverage)}}), told);
}

Result<Finding, Stop> look_disconnect(Exchange& exchange, const Wish& wish) {
  auto shown = SVC_TRY(read<api::ops::GetCancelOnDisconnect>(exchange));
  const Json* wanted = wish.entry.body.find("enabled");
  const Json* enabled = shown.find("enabled");
  const bool agrees = wanted != nullptr && enabled != nullptr && wanted->truth() == enabled->truth();
  const std::string told = enabled != nullptr && enabled->truth() ? "it is on" : "it is off";
  return agrees ? accepted(shown, told) : not_seen(told);
}

Result<Json, Stop> before_keys(Exchange& exchange, const Call&) {
  const auto rows = SVC_TRY(read<api::ops::ListKeys>(exchange));
  return Json::object({{"ids", values_of(rows, "key_id")}});
}

// The key may be there, but its secret was in the answer alone.
Result<Finding, Stop> look_key_made(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(read<api::ops::ListKeys>(exchange));
  const Json* ids = wish.entry.before.find("ids");
  const Json* row = ids == nullptr ? nullptr : find_row(rows, [&](const Json& key) {
    const auto label = wish.entry.body.string_at("label");
    const bool is_named_so = !label || key.string_at("label") == label;
    return is_named_so && !holds(*ids, key.string_at("key_id").value_or(""));
  });
  if (row == nullptr) return not_seen("no new key");
  const std::string id(row->string_at("key_id").value_or("?"));
  Finding finding = accepted(*row, "key " + id + " was made");
  const std::string svc = "svc -n " + exchange.network().name +
                          (wish.entry.wallet.empty() ? " " : " --signer " + wish.entry.wallet + " ");
  finding.unusable = Failure{.exit = ExitCode::internal,
                             .code = "key_secret_lost",
                             .message = "key " + id + " was made, but its secret was in the answer that was lost",
                             .actions = {svc + "keys delete " + id, svc + "keys create"}};
  return finding;
}

// Gone from a list.
template <class Op>
Result<Finding, Stop> look_gone(Exchange& exchange, const Wish& wish, std::string_view key, Json record) {
  const auto rows = SVC_TRY(read<Op>(exchange));
  const std::string id = last_segment(wish.entry.path);
  const auto same = [](std::string_view a, std::string_view b) {
    const auto x = parse_address(a);
    return a == b || (x && x == parse_address(b));
  };
  const Json* row = find_row(rows, [&](const Json& one) { return same(one.string_at(key).value_or(""), id); });
  if (row != nullptr) return not_seen(id + " is still there");
  return accepted(std::move(record), id + " is gone");
}

Result<Finding, Stop> look_key_deleted(Exchange& exchange, const Wish& wish) {
  const std::string id = last_segment(wish.entry.path);
  return look_gone<api::ops::ListKeys>(exchange, wish, "key_id", Json::object({{"key_id", id}, {"deleted", true}}));
}

Result<Finding, Stop> look_agent_revoked(Exchange& exchange, const Wish& wish) {
  const std::string id = last_segment(wish.entry.path);
  return look_gone<api::ops::ListAgents>(exchange, wish, "address", Json::object({{"address", id}, {"revoked", true}}));
}

Result<Finding, Stop> look_agent_registered(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(read<api::ops::ListAgents>(exchange));
  const auto agent = parse_address(wish.entry.body.string_at("agent").value_or(""));
  const Json* row = find_row(
      rows, [&](const Json& one) { return agent && parse_address(one.string_at("address").value_or("")) == agent; });
  if (row == nullptr) return not_seen("the agent is not registered");
  return accepted(
      Json::object({{"agent_address", row->string_at("address")}, {"expires_at", row->integer_at("expiresAt")}}),
      "the agent is registered");
}

Result<Json, Stop> list_tiers(Exchange& exchange, const Wish& wish) {
  if (!wish.admin_secret) {
    return unexpected(Stop(Failure{.exit = ExitCode::outcome_unknown,
                                   .code = "admin_secret_needed",
                                   .message = "only the operator can look this up: svc admin tiers list"}));
  }
  Call call = call_of<api::ops::ListTiers>();
  call.admin_secret = wish.admin_secret;
  auto reply = SVC_TRY(exchange.call(call));
  return std::move(reply.body);
}

const Json* tier_of(const Json& rows, std::string_view address) {
  const auto wanted = parse_address(address);
  return find_row(
      rows, [&](const Json& row) { return wanted && parse_address(row.string_at("address").value_or("")) == wanted; });
}

Result<Finding, Stop> look_tier_set(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(list_tiers(exchange, wish));
  const Json* row = tier_of(rows, wish.entry.body.string_at("address").value_or(""));
  const bool agrees = row != nullptr && row->string_at("tier") == wish.entry.body.string_at("tier");
  return agrees ? accepted(*row, "the tier is in force") : not_seen("the tier is another one");
}

Result<Finding, Stop> look_tier_reset(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(list_tiers(exchange, wish));
  const std::string address = last_segment(wish.entry.path);
  if (tier_of(rows, address) != nullptr) return not_seen("the account still has a tier of its own");
  return accepted(Json::object({{"address", address}, {"tier", nullptr}}), "the account has no tier of its own");
}

constexpr std::array setting_table{
    Proof{"adjust_margin", "the sum of isolated margins, against what it was", look_margin, before_margin},
    Proof{"set_margin_mode", "the market's margin mode", look_mode},
    Proof{"set_leverage", "the market's leverage", look_leverage},
    Proof{"set_cancel_on_disconnect", "the setting", look_disconnect},
    Proof{"create_key", "a new key of the account", look_key_made, before_keys},
    Proof{"delete_key", "the account's keys", look_key_deleted},
    Proof{"register_agent", "the account's agents", look_agent_registered},
    Proof{"revoke_agent", "the account's agents", look_agent_revoked},
    Proof{"set_tier", "tier overrides", look_tier_set},
    Proof{"reset_tier", "tier overrides", look_tier_reset},
};

}  // namespace

std::span<const Proof> setting_proofs() {
  return setting_table;
}

}  // namespace svc::cli::outbox
