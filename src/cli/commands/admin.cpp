// admin tiers list, set, reset
#include "cli/commands/admin.h"

#include <map>
#include <set>

#include "api/contract/admin.h"
#include "api/tiers.h"
#include "cli/commands/batch.h"
#include "cli/commands/operation_command.h"
#include "cli/commands/report.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace {

constexpr std::size_t rows_max = 10'000;
constexpr std::int64_t plan_version = 1;
constexpr std::int64_t audit_version = 1;
constexpr std::uint64_t changes_default_max = 20;

Result<void> check_header(std::size_t line, const std::vector<std::string>& names) {
  for (const std::string_view needed : {"address", "tier"}) {
    if (!is_among(needed, names)) return bad_line(line, "the header needs a column ", needed);
  }
  for (const std::string& name : names) {
    if (name != "address" && name != "tier" && name != "expect" && name != "note")
      return bad_line(line, "unknown column \"", name, "\"; there are address, tier, expect, note");
    if (std::ranges::count(names, name) > 1) return bad_line(line, "column ", name, " stands twice");
  }
  return {};
}

Json row_of(const TierChange& change) {
  return Json::object({{"address", to_string(change.address)},
                       {"action", change.action()},
                       {"old", change.old_tier},
                       {"new", to_string(change.new_tier)}});
}

// The present tiers as the server spells them; accounts that are not listed have the default.
using PresentTiers = std::map<Address, std::string>;

Result<PresentTiers> present_tiers(Context& context, Exchange& exchange, OperatorAccess& access) {
  const auto listed = SVC_TRY(access.call(context, exchange, call_of<api::ops::ListTiers>()));
  PresentTiers tiers;
  for (const Json& row : listed.body.items()) {
    const auto address = row.address_at("address");
    if (address) tiers.insert_or_assign(*address, row.text_at("tier"));
  }
  return tiers;
}

std::string tier_now(const PresentTiers& present, const Address& address) {
  const auto found = present.find(address);
  return found == present.end() ? std::string(to_string(api::default_tier)) : found->second;
}

// In the order of the CSV. With `prune`, accounts that it does not name follow, back to the default, by address. Exit
// 14 if an account does not have the expected tier.
Result<std::vector<TierChange>> plan_tiers(const std::vector<WantedTier>& wanted, PresentTiers present, bool prune) {
  std::vector<TierChange> changes;
  for (const WantedTier& want : wanted) {
    const std::string now = tier_now(present, want.address);
    present.erase(want.address);
    // What is as wanted already needs no change: a file of which some lines were done can be applied again.
    const auto tier = api::parse<api::Tier>(now);
    if (tier == want.tier) continue;
    if (want.expect && tier != want.expect) {
      return guard("unexpected_tier", "line ", want.line, ": ", to_string(want.address), " has tier ", now, ", not ",
                   to_string(*want.expect), "; nothing was changed");
    }
    changes.push_back({want.address, now, want.tier, want.tier == api::default_tier});
  }
  for (const auto& [address, tier] : present)
    if (prune && api::parse<api::Tier>(tier) != api::default_tier)
      changes.push_back({address, tier, api::default_tier, true});
  return changes;
}

// The plan as a file, to be approved and compared.
Json plan_document(const Exchange& exchange, const std::vector<TierChange>& changes) {
  return Json::object({{"version", plan_version},
                       {"network", exchange.network().name},
                       {"changes", Json::list(changes, [](const TierChange& one) { return row_of(one); })}});
}

Result<Answer> list_tiers(Context& context, const std::optional<api::Tier>& tier, OperatorAccess& access) {
  auto exchange = SVC_TRY(Exchange::open(context));
  Answer answer = answer_of(SVC_TRY(access.call(context, exchange, call_of<api::ops::ListTiers>())));
  if (!tier) return answer;
  Json chosen = Json::array();
  for (const Json& row : answer.data.items()) {
    if (api::parse<api::Tier>(row.text_at("tier")) == tier) chosen.push(row);
  }
  answer.data = std::move(chosen);
  return answer;
}

struct ChangeAccess : OperatorAccess {
  void declare(Arguments& arguments) { declare_change(arguments); }
};

// Changes the tier of one account; the rows show the old one, which the server's answer does not have.
Result<Answer> change_tier(Context& context, const std::string& typed, const std::optional<std::string>& typed_tier,
                           const std::optional<api::Tier>& expected, ChangeAccess& access) {
  const auto address = parse_address(SVC_TRY(read_address("ADDR", typed)));
  const api::Tier wanted = typed_tier ? SVC_TRY(read_tier("TIER", *typed_tier)) : api::default_tier;
  auto exchange = SVC_TRY(Exchange::open(context));
  SVC_TRY(access.check_reason(exchange));
  std::string old = "-";  // a dry run asks nobody
  if (!context.globals().dry_run) {
    old = tier_now(SVC_TRY(present_tiers(context, exchange, access)), *address);
    if (expected && api::parse<api::Tier>(old) != expected) {
      return guard("unexpected_tier", to_string(*address), " has tier ", old, ", not ", to_string(*expected),
                   "; nothing was changed");
    }
  }
  Answer answer = answer_of(SVC_TRY(access.change(context, exchange, {*address, old, wanted, !typed_tier})));
  answer.rows = answer.data;
  answer.rows->set("old", old);
  return answer;
}

Result<Answer> set_tier(Context& context, const std::string& address, const std::string& tier,
                        const std::optional<api::Tier>& expected, ChangeAccess& access) {
  return change_tier(context, address, tier, expected, access);
}

Result<Answer> reset_tier(Context& context, const std::string& address, const std::optional<api::Tier>& expected,
                          ChangeAccess& access) {
  return change_tier(context, address, std::nullopt, expected, access);
}

// The flags of `diff` and `apply`, and their plan.
template <bool applies>
struct PlanSource {
  std::optional<std::string> csv, plan_file;
  std::optional<std::uint64_t> changes_max;
  bool prune = false;
  std::conditional_t<applies, ChangeAccess, OperatorAccess> access;

  void declare(Arguments& arguments) {
    arguments.add(csv, {"-f,--file", "address,tier and maybe expect,note; - for standard input", "CSV"});
    arguments.add(prune, {"--prune", "put accounts that the file does not name back to the default tier"});
    arguments.add(changes_max, {"--max-changes", "refuse a plan with more changes (default 20)", "N"});
    arguments.add(
        plan_file,
        {"--plan", applies ? "go on only if the plan is still the one in this file" : "write the plan to a new file",
         "FILE"});
    access.declare(arguments);
  }

  Result<std::vector<TierChange>> plan(Context& context, Exchange& exchange) {
    if (!csv) return usage_error("--file names the CSV; - is standard input");
    const auto text = SVC_TRY(read_text(context, *csv, "the file of --file"));
    const auto wanted = SVC_TRY(parse_tiers(text));
    if (prune && wanted.empty() && !changes_max) {
      return usage_error(
          "the file names no account, so --prune would put every account back to the "
          "default tier; if that is meant, say how many with --max-changes N");
    }
    return plan_tiers(wanted, SVC_TRY(present_tiers(context, exchange, access)), prune);
  }

  // Of a plan with more changes than are allowed.
  [[nodiscard]] std::optional<Failure> too_many(const std::vector<TierChange>& changes) const {
    const std::uint64_t most = changes_max.value_or(changes_default_max);
    if (changes.size() <= most) return std::nullopt;
    return guard("too_many_changes", "the plan has ", changes.size(), " changes; --max-changes allows ", most,
                 ". Nothing was changed");
  }
};

Result<Answer> diff_tiers(Context& context, PlanSource<false>& source) {
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto changes = SVC_TRY(source.plan(context, exchange));
  const Json plan = plan_document(exchange, changes);
  if (source.plan_file) SVC_TRY(write_new_given(*source.plan_file, plan.dump() + "\n"));
  auto refused = source.too_many(changes);
  if (refused && !source.changes_max) {
    context.notice("too_many_changes", concat("apply takes ", changes.size(), " changes only with --max-changes"));
    refused.reset();
  }
  return Answer{.data = *plan.find("changes"), .failure = std::move(refused)};
}

Result<void> check_plan(const std::string& file, const Json& plan) {
  const auto given = SVC_TRY(read_given(file, "the file of --plan", limits::input_bytes_max, LooseMode::accept));
  if (json_or_null(given).dump() == plan.dump()) return {};
  return guard("plan_changed", "the plan is no longer the one in ", file,
               "; nothing was changed. Look at it again with admin tiers diff");
}

Result<Answer> apply_tiers(Context& context, PlanSource<true>& source) {
  auto exchange = SVC_TRY(Exchange::open(context));
  SVC_TRY(source.access.check_reason(exchange));
  context.note_unplanned("the changes, which depend on the present tiers");
  const auto changes = SVC_TRY(source.plan(context, exchange));
  const Json plan = plan_document(exchange, changes);
  if (source.plan_file) SVC_TRY(check_plan(*source.plan_file, plan));
  if (auto refused = source.too_many(changes)) {
    return Answer{.data = Json::list(plan.items_at("changes"), [](Json row) { return row.set("result", "not_sent"); }),
                  .failure = std::move(refused)};
  }
  if (changes.empty()) return Answer{.data = Json::array()};
  std::optional<ProgressLine> progress;  // once it is confirmed
  ChangePlan steps{.changes = {},
                   .done = "tiers were changed",
                   // Goes on after a failure that concerns one account alone.
                   .goes_on =
                       [](ExitCode failure) {
                         return failure == ExitCode::not_found || failure == ExitCode::invalid ||
                                failure == ExitCode::conflict;
                       },
                   .look_again = command_line(context, "admin tiers diff -f " + *source.csv)};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const TierChange& change = changes[i];
    const auto send = [&, i] {
      if (!progress) progress.emplace(context, "applying", "tiers");
      auto reply = source.access.change(context, exchange, changes[i]);
      progress->at(i + 1, changes.size());
      return reply;
    };
    steps.changes.push_back({.row = plan.find("changes")->items()[i],
                             .words = concat(change.action(), " ", to_string(change.address), " ", change.old_tier,
                                             " -> ", to_string(change.new_tier)),
                             .send = send});
  }
  return carry_out(context, std::move(steps));
}

}  // namespace

Result<api::Tier> read_tier(std::string_view name, const std::string& typed) {
  if (const auto tier = api::parse<api::Tier>(typed)) return *tier;
  return usage_error(name, " must be one of Pro, MarketMaker, Unlimited, not \"", typed, "\"");
}

Result<std::vector<WantedTier>> parse_tiers(std::string_view csv) {
  std::vector<WantedTier> wanted;
  std::vector<std::string> names;
  std::set<Address> seen;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(csv)) {
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    auto cells = SVC_TRY(split_csv(number, line));
    if (names.empty()) {
      SVC_TRY(check_header(number, cells));
      names = std::move(cells);
      continue;
    }
    if (wanted.size() == rows_max) return usage_error("more than ", rows_max, " accounts");
    if (cells.size() != names.size())
      return bad_line(number, "expected ", names.size(), " cells, found ", cells.size());
    const auto cell = [&](std::string_view name) {
      const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
      return place == names.size() ? std::string() : cells[place];
    };
    const auto address = SVC_TRY(in_line(number, read_address("address", cell("address"))));
    WantedTier row{.line = number,
                   .address = *parse_address(address),
                   .tier = SVC_TRY(in_line(number, read_tier("tier", cell("tier")))),
                   .expect = {}};
    if (const std::string expect = cell("expect"); !expect.empty())
      row.expect = SVC_TRY(in_line(number, read_tier("tier", expect)));
    if (!seen.insert(row.address).second) return bad_line(number, to_string(row.address), " stands twice");
    wanted.push_back(std::move(row));
  }
  if (names.empty()) return usage_error("the file is empty; its header is address,tier");
  return wanted;
}

void OperatorAccess::declare_change(Arguments& arguments) {
  declare(arguments);
  arguments.add(reason_, {"--reason", "why; kept in the audit file (needed on real funds)", "TEXT"});
  write_.declare(arguments);
}

Result<void> OperatorAccess::check_reason(const Exchange& exchange) const {
  if (reason_ && reason_->empty()) return usage_error("--reason is empty");
  if (reason_ || !exchange.network().real_funds()) return {};
  return usage_error("network ", exchange.network().name, " holds real funds: say why with --reason");
}

Result<Reply> OperatorAccess::call(Context& context, Exchange& exchange, Call call, const PlainWrite& write) {
  if (!opened_) opened_ = SVC_TRY(secret_.read(context));
  call.admin_secret = *opened_;
  call.look_up = {command_line(context, "admin tiers list")};
  return write.send(context, exchange, call);
}

Result<Reply> OperatorAccess::change(Context& context, Exchange& exchange, const TierChange& change) {
  Call request = change.reset ? call_of<api::ops::ResetTier>({.address = change.address})
                              : call_of<api::ops::SetTier>({.address = change.address, .tier = change.new_tier});
  if (context.globals().dry_run) return call(context, exchange, std::move(request), write_);
  const std::filesystem::path file = (*context.paths())->state / "audit" / (exchange.network().name + ".ndjson");
  const std::string id = make_ulid(context.environment());
  const auto note = [&](std::string_view result) {
    const TimestampMs now_ms = context.now_ms();
    Json line = Json::object({{"version", audit_version},
                              {"id", id},
                              {"time", rfc3339(now_ms)},
                              {"time_ms", now_ms},
                              {"by", user_name()},
                              {"command", context.command()}});
    line.set_all(row_of(change)).set("reason", reason_).set("result", result);
    return append_private(file, line.dump() + "\n");
  };
  // Nothing is changed that is not on record, however this run ends.
  SVC_TRY(note("sending"));
  auto reply = call(context, exchange, std::move(request), write_);
  const auto* failure = failure_in(reply);
  if (const auto kept = note(failure == nullptr ? "done" : failure->code); !kept)
    context.notice("audit", kept.error().message);
  return reply;
}

std::vector<CommandRow> admin_commands() {
  const Argument account{"ADDR", "account"};
  const Argument expected{"--expect", "refuse unless this is the tier now", {}, api::tier_texts};
  return {
      {"admin tiers list", "", "List the accounts whose tier was set",
       "--admin-secret-file ~/admin  # accounts with a tier of their own", Output{"list_tiers", "address tier"},
       calls(list_tiers, {{"--tier", "only this tier", {}, api::tier_texts}}), Repeats::yes},
      {"admin tiers set", "ADDR TIER", "Set the tier of an account",
       "$ADDR MarketMaker --admin-secret-file ~/admin  # give one a tier", Output{"set_tier", "address old new=tier"},
       calls(set_tier, {account, {"TIER", "Pro, MarketMaker or Unlimited"}, expected})},
      {"admin tiers reset", "ADDR", "Put an account back to the default tier",
       "$ADDR --admin-secret-file ~/admin  # back to the default", Output{"reset_tier", "address old default=tier"},
       calls(reset_tier, {account, expected})},
      {"admin tiers diff", "-f CSV", "Show what would change to bring the tiers to a file",
       "-f ~/tiers.csv --admin-secret-file ~/admin  # what a file would change",
       Output{"[] address action old new", "address action old new result"}, calls(diff_tiers), Repeats::yes},
      {"admin tiers apply", "-f CSV", "Bring the tiers to a file",
       "-f ~/tiers.csv --max-changes 5 --yes --admin-secret-file ~/admin  # and change it",
       Output{"[] address action old new result"}, calls(apply_tiers)},
  };
}

}  // namespace svc::cli
