// admin tiers list, set, reset
#include "cli/commands/admin.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <set>

#include "api/contract/admin.h"
#include "api/tiers.h"
#include "cli/arguments/arguments.h"
#include "cli/commands/batch.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"
#include "cli/commands/report.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

std::string_view default_tier() {
  return api::tier_texts[static_cast<std::size_t>(api::default_tier)];
}

class ListTiers final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--tier", tier_, api::tier_texts, "only this tier");
    access_.declare(arguments, false);
  }
  Result<Answer, Failure> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    Answer answer = answer_of(SVC_TRY(access_.call(context, exchange, call_of<api::ops::ListTiers>())));
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
  OperatorAccess access_;
};

// Changes the tier of one account; the rows show the old one, which the server's answer does not have.
template <bool resets>
class ChangeTier final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account");
    if (!resets) arguments.positional("TIER", tier_, "Pro, MarketMaker or Unlimited");
    arguments.choice("--expect", expected_, api::tier_texts, "refuse unless this is the tier now");
    access_.declare(arguments, true);
  }
  Result<Answer, Failure> run(Context& context) override {
    const auto address = parse_address(address_);
    if (!address) return unexpected(usage_error("\"", address_, "\" is not an address: 0x and 40 hex digits"));
    const std::optional<std::string> wanted = resets ? std::string(default_tier()) : tier_spelling(tier_);
    if (!wanted) return unexpected(usage_error("TIER must be one of Pro, MarketMaker, Unlimited, not \"", tier_, "\""));
    auto exchange = SVC_TRY(Exchange::open(context));
    SVC_TRY(access_.check_reason(exchange));
    std::string old = "-";  // a dry run asks nobody
    if (!context.globals().dry_run) {
      const auto present = SVC_TRY(access_.present(context, exchange));
      const auto found = present.find(to_string(*address));
      old = found == present.end() ? std::string(default_tier()) : found->second;
      if (expected_ && tier_spelling(old) != expected_) {
        return unexpected(guard("unexpected_tier", to_string(*address), " has tier ", old, ", not ", *expected_,
                                "; nothing was changed"));
      }
    }
    Answer answer = answer_of(SVC_TRY(access_.change(context, exchange, {*address, old, *wanted, resets})));
    answer.rows = answer.data;
    answer.rows->set("old", old);
    return answer;
  }

 private:
  std::string address_, tier_;
  std::optional<std::string> expected_;
  OperatorAccess access_;
};

// admin tiers diff, apply

constexpr std::uint64_t changes_default_max = 20;

// The flags of both, and their plan.
struct PlanSource {
  std::optional<std::string> csv, plan_file;
  std::optional<std::uint64_t> changes_max;
  bool prune = false;
  OperatorAccess access;

  void declare(Arguments& arguments, bool applies) {
    arguments.text("-f,--file", csv, "CSV", "address,tier and maybe expect,note; - for standard input");
    arguments.flag("--prune", prune, "put accounts that the file does not name back to the default tier");
    arguments.integer("--max-changes", changes_max, "N", "refuse a plan with more changes (default 20)");
    arguments.text("--plan", plan_file, "FILE",
                   applies ? "go on only if the plan is still the one in this file" : "write the plan to a new file");
    access.declare(arguments, applies);
  }

  Result<std::vector<TierChange>, Failure> plan(Context& context, Exchange& exchange) {
    if (!csv) return unexpected(usage_error("--file names the CSV; - is standard input"));
    const auto text = SVC_TRY(read_text(context, *csv, "the file of --file"));
    const auto wanted = SVC_TRY(parse_tiers(text));
    if (prune && wanted.empty() && !changes_max) {
      return unexpected(
          usage_error("the file names no account, so --prune would put every account back to the "
                      "default tier; if that is meant, say how many with --max-changes N"));
    }
    const auto present = SVC_TRY(access.present(context, exchange));
    auto changes = SVC_TRY(plan_tiers(wanted, present, prune));
    if (changes.size() > changes_max.value_or(changes_default_max)) {
      return unexpected(guard("too_many_changes", "the plan has ", changes.size(), " changes; --max-changes allows ",
                              changes_max.value_or(changes_default_max), ". Nothing was changed"));
    }
    return changes;
  }
};

class DiffTiers final : public Command {
 public:
  void declare(Arguments& arguments) override { source_.declare(arguments, false); }
  Result<Answer, Failure> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(source_.plan(context, exchange));
    const Json plan = plan_document(exchange.network().name, changes);
    if (source_.plan_file) SVC_TRY(write_new_given(*source_.plan_file, plan.dump() + "\n"));
    return Answer{.data = *plan.find("changes")};
  }

 private:
  PlanSource source_;
};

class ApplyTiers final : public Command {
 public:
  void declare(Arguments& arguments) override { source_.declare(arguments, true); }

  Result<Answer, Failure> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    SVC_TRY(source_.access.check_reason(exchange));
    const auto changes = SVC_TRY(source_.plan(context, exchange));
    const Json plan = plan_document(exchange.network().name, changes);
    SVC_TRY(compare(plan));
    if (changes.empty()) return Answer{.data = Json::array()};
    for (const TierChange& change : changes) {
      context.say(concat("plan: ", change.action(), " ", to_string(change.address), " ", change.old_tier, " -> ",
                         change.new_tier));
    }
    SVC_TRY(confirm_changes(context, changes.size()));
    return apply(context, exchange, changes, plan);
  }

 private:
  Result<void, Failure> compare(const Json& plan) const {
    if (!source_.plan_file) return {};
    const auto given =
        SVC_TRY(read_given(*source_.plan_file, "the file of --plan", limits::input_bytes_max, LooseMode::accept));
    const auto approved = parse_json(given);
    if (approved && approved->dump() == plan.dump()) return {};
    return unexpected(guard("plan_changed", "the plan is no longer the one in ", *source_.plan_file,
                            "; nothing was changed. Look at it again with admin tiers diff"));
  }

  Result<Answer, Failure> apply(Context& context, Exchange& exchange, const std::vector<TierChange>& changes,
                                const Json& plan) {
    ProgressLine progress(context, "applying", "tiers");
    const auto send = [&](std::size_t i) -> Result<void, Failure> {
      const auto reply = source_.access.change(context, exchange, changes[i]);
      progress.at(i + 1, changes.size());
      SVC_TRY(reply);
      return {};
    };
    // Goes on after a failure that concerns one account alone.
    const auto goes_on = [](ExitCode failure) {
      return failure == ExitCode::not_found || failure == ExitCode::invalid || failure == ExitCode::conflict;
    };
    return send_changes({.rows = plan.find("changes")->items(),
                         .what = "tiers were changed",
                         .send = send,
                         .goes_on = goes_on,
                         .look_again = command_line(context, "admin tiers diff -f " + *source_.csv)});
  }

  PlanSource source_;
};

}  // namespace

std::span<const CommandRow> admin_commands() {
  static const CommandRow rows[]{
      {"admin tiers list", "", "List the accounts whose tier was set", make<ListTiers>, Repeats::yes},
      {"admin tiers set", "ADDR TIER", "Set the tier of an account", make<ChangeTier<false>>},
      {"admin tiers reset", "ADDR", "Put an account back to the default tier", make<ChangeTier<true>>},
      {"admin tiers diff", "-f CSV", "Show what would change to bring the tiers to a file", make<DiffTiers>,
       Repeats::yes},
      {"admin tiers apply", "-f CSV", "Bring the tiers to a file", make<ApplyTiers>},
  };
  return rows;
}

namespace {

constexpr std::size_t rows_max = 10'000;
constexpr std::int64_t plan_version = 1;
constexpr std::int64_t audit_version = 1;

bool same_tier(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, absl::ascii_tolower, absl::ascii_tolower);
}

struct Header {
  std::vector<std::string> names;

  [[nodiscard]] std::string cell(const std::vector<std::string>& cells, std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::string() : cells[static_cast<std::size_t>(found - names.begin())];
  }
};

Result<Header, Failure> header_of(std::size_t line, std::vector<std::string> names) {
  for (const std::string_view needed : {"address", "tier"}) {
    if (std::ranges::find(names, needed) == names.end())
      return unexpected(bad_line(line, "the header needs a column ", needed));
  }
  for (const std::string& name : names) {
    if (name != "address" && name != "tier" && name != "expect" && name != "note")
      return unexpected(bad_line(line, "unknown column \"", name, "\"; there are address, tier, expect, note"));
  }
  return Header{std::move(names)};
}

Result<std::string, Failure> tier_of(std::size_t line, const std::string& text) {
  if (const auto tier = tier_spelling(text)) return *tier;
  return unexpected(bad_line(line, "tier must be one of Pro, MarketMaker, Unlimited, not \"", text, "\""));
}

Result<WantedTier, Failure> row_of(std::size_t line, const Header& header, const std::vector<std::string>& cells) {
  if (cells.size() != header.names.size()) {
    return unexpected(bad_line(line, "expected ", header.names.size(), " cells, found ", cells.size()));
  }
  const std::string address_text = header.cell(cells, "address");
  const auto address = parse_address(address_text);
  if (!address) return unexpected(bad_line(line, "\"", address_text, "\" is not an address: 0x and 40 hex digits"));
  const auto tier = SVC_TRY(tier_of(line, header.cell(cells, "tier")));
  WantedTier wanted{.line = line, .address = *address, .tier = tier, .expect = {}};
  const std::string expect = header.cell(cells, "expect");
  if (!expect.empty()) wanted.expect = SVC_TRY(tier_of(line, expect));
  return wanted;
}

}  // namespace

std::optional<std::string> tier_spelling(std::string_view text) {
  for (const std::string_view tier : api::tier_texts) {
    if (same_tier(tier, text)) return std::string(tier);
  }
  return std::nullopt;
}

Result<std::vector<WantedTier>, Failure> parse_tiers(std::string_view csv) {
  std::vector<WantedTier> wanted;
  std::optional<Header> header;
  std::set<Address> seen;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(csv)) {
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    auto cells = split_csv(line);
    if (!cells) return unexpected(bad_line(number, cells.error()));
    if (!header) {
      header = SVC_TRY(header_of(number, std::move(*cells)));
      continue;
    }
    if (wanted.size() == rows_max) return unexpected(usage_error("more than ", rows_max, " accounts"));
    auto row = SVC_TRY(row_of(number, *header, *cells));
    if (!seen.insert(row.address).second) return unexpected(bad_line(number, to_string(row.address), " stands twice"));
    wanted.push_back(std::move(row));
  }
  if (!header) return unexpected(usage_error("the file is empty; its header is address,tier"));
  return wanted;
}

Result<std::vector<TierChange>, Failure> plan_tiers(const std::vector<WantedTier>& wanted, const PresentTiers& present,
                                                    bool prune) {
  std::vector<TierChange> changes;
  std::set<std::string, std::less<>> named;
  for (const WantedTier& want : wanted) {
    const std::string address = to_string(want.address);
    named.insert(address);
    const auto found = present.find(address);
    const std::string now = found == present.end() ? std::string(default_tier()) : found->second;
    if (want.expect && !same_tier(*want.expect, now)) {
      return unexpected(guard("unexpected_tier", "line ", want.line, ": ", address, " has tier ", now, ", not ",
                              *want.expect, "; nothing was changed"));
    }
    if (!same_tier(now, want.tier)) changes.push_back({want.address, now, want.tier, want.tier == default_tier()});
  }
  for (const auto& [address, tier] : present) {
    const auto parsed = parse_address(address);
    if (!prune || named.contains(address) || !parsed || same_tier(tier, default_tier())) continue;
    changes.push_back({*parsed, tier, std::string(default_tier()), true});
  }
  return changes;
}

Json plan_document(std::string_view network, const std::vector<TierChange>& changes) {
  Json rows = Json::array();
  for (const TierChange& change : changes) {
    rows.push(Json::object({{"address", to_string(change.address)},
                            {"action", change.action()},
                            {"old", change.old_tier},
                            {"new", change.new_tier}}));
  }
  return Json::object({{"version", plan_version}, {"network", network}, {"changes", std::move(rows)}});
}

void OperatorAccess::declare(Arguments& arguments, bool changes) {
  secret_.declare(arguments);
  if (!changes) return;
  arguments.text("--reason", reason_, "TEXT", "why; kept in the audit file (needed on real funds)");
  write_.declare(arguments);
}

Result<void, Failure> OperatorAccess::check_reason(const Exchange& exchange) const {
  if (reason_ && reason_->empty()) return unexpected(usage_error("--reason is empty"));
  if (reason_ || !exchange.network().real_funds()) return {};
  return unexpected(usage_error("network ", exchange.network().name, " holds real funds: say why with --reason"));
}

Result<Reply, Failure> OperatorAccess::call(Context& context, Exchange& exchange, Call call, const PlainWrite& write) {
  if (!opened_) opened_ = SVC_TRY(secret_.read(context));
  call.admin_secret = *opened_;
  call.look_up = {command_line(context, "admin tiers list")};
  return write.send(context, exchange, call);
}

Result<PresentTiers, Failure> OperatorAccess::present(Context& context, Exchange& exchange) {
  const auto listed = SVC_TRY(call(context, exchange, call_of<api::ops::ListTiers>()));
  PresentTiers tiers;
  for (const Json& row : listed.body.items()) {
    const auto address = parse_address(row.string_at("address").value_or(""));
    if (address) tiers.insert_or_assign(to_string(*address), text_in(row, "tier"));
  }
  return tiers;
}

Result<Reply, Failure> OperatorAccess::change(Context& context, Exchange& exchange, const TierChange& change) {
  Call request;
  if (change.reset) {
    request = call_of<api::ops::ResetTier>({.address = change.address});
  } else {
    const auto text = std::ranges::find(api::tier_texts, change.new_tier);
    SVC_ASSERT(text != std::end(api::tier_texts));
    const auto tier = static_cast<api::Tier>(text - std::begin(api::tier_texts));
    request = call_of<api::ops::SetTier>({.address = change.address, .tier = tier});
  }
  auto reply = call(context, exchange, std::move(request), write_);
  const auto* failure = failure_in(reply);
  if (!reply && failure == nullptr) return reply;  // a dry run changes nothing
  const TimestampMs now_ms = context.now_ms();
  const Json line = Json::object({{"version", audit_version},
                                  {"time", rfc3339(now_ms)},
                                  {"time_ms", now_ms},
                                  {"by", user_name()},
                                  {"command", context.command()},
                                  {"address", to_string(change.address)},
                                  {"action", change.action()},
                                  {"old", change.old_tier},
                                  {"new", change.new_tier},
                                  {"reason", reason_},
                                  {"result", failure == nullptr ? "done" : failure->code}});
  const std::filesystem::path file = (*context.paths())->state / "audit" / (exchange.network().name + ".ndjson");
  // The change is made, so a failure to write its record is only a notice.
  if (const auto kept = append_private(file, line.dump() + "\n"); !kept) context.notice("audit", kept.error().message);
  return reply;
}

}  // namespace svc::cli
