#include "cli/commands/operator_desk.h"

#include "api/ops/admin.h"
#include "cli/arguments.h"
#include "cli/commands/write_flags.h"
#include "cli/files/private_file.h"
#include "cli/render.h"

namespace svc::cli {
namespace {

constexpr std::int64_t audit_version = 1;

}  // namespace

void OperatorDesk::declare(Arguments& arguments, bool changes) {
  secret_.declare(arguments);
  if (!changes) return;
  arguments.text("--reason", reason_, "TEXT", "why; kept in the audit file (needed on real funds)");
  write_.declare(arguments);
}

Result<void, Stop> OperatorDesk::check_reason(const Exchange& exchange) const {
  if (reason_ && reason_->empty()) return unexpected(Stop(usage_error("--reason is empty")));
  if (reason_ || !exchange.network().real_funds()) return {};
  return unexpected(
      Stop(usage_error("network " + exchange.network().name + " holds real funds: say why with --reason")));
}

Result<Reply, Stop> OperatorDesk::call(Context& context, Exchange& exchange, Call call, const PlainWrite& write) {
  if (!opened_) {
    auto secret = SVC_TRY(secret_.read(context));
    opened_ = std::move(secret);
  }
  call.admin_secret = *opened_;
  call.look_up = {command_line(context, "admin tiers list")};
  return write.send(context, exchange, call);
}

Result<PresentTiers, Stop> OperatorDesk::present(Context& context, Exchange& exchange) {
  const auto listed = SVC_TRY(call(context, exchange, call_of<api::ops::ListTiers>()));
  PresentTiers tiers;
  for (const Json& row : listed.body.items()) {
    const auto address = parse_address(row.string_at("address").value_or(""));
    if (address) tiers.insert_or_assign(to_string(*address), std::string(row.string_at("tier").value_or("")));
  }
  return tiers;
}

Result<Reply, Stop> OperatorDesk::change(Context& context, Exchange& exchange, const TierChange& change) {
  Call request;
  if (change.reset) {
    request = call_of<api::ops::ResetTier>({.address = change.address});
  } else {
    api::Tier tier{};
    for (std::size_t i = 0; i < std::size(api::tier_texts); ++i)
      if (api::tier_texts[i] == change.new_tier) tier = static_cast<api::Tier>(i);
    request = call_of<api::ops::SetTier>({.address = change.address, .tier = tier});
  }
  auto reply = call(context, exchange, std::move(request), write_);
  const auto* failure = reply ? nullptr : std::get_if<Failure>(&reply.error().why);
  if (!reply && failure == nullptr) return reply;  // a dry run changes nothing
  const TimestampMs now_ms = context.now_ms();
  const Json line = Json::object({{"version", audit_version},
                                  {"time", rfc3339(now_ms)},
                                  {"time_ms", now_ms},
                                  {"by", context.environment().variable("USER")},
                                  {"command", context.row().path},
                                  {"address", to_string(change.address)},
                                  {"action", change.action()},
                                  {"old", change.old_tier},
                                  {"new", change.new_tier},
                                  {"reason", reason_},
                                  {"result", failure == nullptr ? "done" : failure->code}});
  const std::filesystem::path file = (*context.paths())->state / "audit" / (exchange.network().name + ".ndjson");
  // The change is made: that its record cannot be written must not hide it.
  if (const auto kept = append_private(file, line.dump() + "\n"); !kept) context.notice("audit", kept.error().message);
  return reply;
}

}  // namespace svc::cli
