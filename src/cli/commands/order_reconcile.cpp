// orders reconcile
#include <algorithm>
#include <array>
#include <map>

#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/exchange/journal_reader.h"
#include "cli/outbox/bounds.h"
#include "cli/outbox/proof.h"

namespace svc::cli {
namespace {

struct Sought {
  outbox::SoughtOrder order;
  std::string intent;  // "orders place"
  outbox::Entry sent;  // for whom; empty if that is not known
};

outbox::Entry sent_by(const JournalRecord& record) {
  const auto text = [&](std::string_view path) { return std::string(record.intent.string_at(path).value_or("")); };
  return {.id = {},
          .command = {},
          .operation = {},
          .path = {},
          .query = {},
          .account = text("account"),
          .wallet = text("look_for.wallet"),
          .scheme = text("look_for.scheme"),
          .key = text("look_for.key")};
}

// An order that was accepted has left a trace; one that is not seen was refused, or has not arrived yet.
class ReconcileOrders final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("CLIENT_ID", client_id_, "your own id of the order");
    arguments.flag("--all", all_, "every order that the journal says was sent");
    arguments.text("--since", since_, "TIME", "with --all: sent at or after this time (default: a day ago)");
  }

  Result<Answer, Stop> run(Context& context) override {
    if (client_id_.has_value() == all_) return unexpected(Stop(usage_error("give either CLIENT_ID or --all")));
    if (since_ && !all_) return unexpected(Stop(usage_error("--since belongs to --all")));
    TimestampMs since_ms = context.now_ms() - day_ms;
    if (since_) {
      const DisplayZone zone = context.presentation().zone.value_or(DisplayZone());
      const auto parsed = SVC_TRY(parse_time_word("--since", *since_, zone));
      since_ms = parsed.at(context.now_ms(), zone);
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    auto sought = SVC_TRY(orders_sent(context, exchange.network().name, since_ms));
    SVC_TRY(leave_out_others(context, exchange, sought));
    return look(context, exchange, sought, client_id_ ? context.now_ms() - day_ms : since_ms);
  }

 private:
  // What was sent for another account than the one that is asked now proves nothing here. (D-780)
  static Result<void, Failure> leave_out_others(Context& context, Exchange& exchange, std::vector<Sought>& sought) {
    std::map<std::pair<std::string, std::string>, std::optional<Failure>> of_others;
    std::optional<Failure> why;
    const auto is_anothers = [&](const Sought& one) {
      if (one.sent.account.empty() && one.sent.key.empty()) return false;
      const auto [known, is_new] = of_others.try_emplace({one.sent.account, one.sent.key});
      if (is_new) {
        const auto can = exchange.can_tell_of(one.sent);
        if (!can && can.error().code == another_account_code) known->second = can.error();
      }
      if (known->second) why = known->second;
      return known->second.has_value();
    };
    const auto others = std::erase_if(sought, is_anothers);
    if (others > 0 && sought.empty()) return unexpected(*why);
    if (others > 0) {
      context.notice("other_accounts", std::to_string(others) + (others == 1 ? " order was" : " orders were") +
                                           " sent for other accounts and not looked for; --signer names one");
    }
    return {};
  }

  Result<std::vector<Sought>, Failure> orders_sent(Context& context, const std::string& network,
                                                   TimestampMs since_ms) const {
    const auto records =
        SVC_TRY(read_journal(context.environment(), **context.paths(), network, client_id_ ? 0 : since_ms));
    std::vector<Sought> sought;
    for (const JournalRecord& record : records) {
      if (!record.operation.starts_with("place_order")) continue;
      for (std::size_t i = 0; i < record.client_ids.size(); ++i) {
        if (client_id_ && *client_id_ != record.client_ids[i]) continue;
        sought.push_back({.order = order_of(record, i), .intent = record.command, .sent = sent_by(record)});
      }
    }
    // An order of another machine: nothing is known of when it was sent.
    if (client_id_ && sought.empty()) sought.push_back({.order = {.client_id = *client_id_}, .intent = {}, .sent = {}});
    return sought;
  }

  // What was sent as that one of the write.
  static outbox::SoughtOrder order_of(const JournalRecord& record, std::size_t index) {
    const Json* body = record.intent.find("body");
    const bool is_batch = body != nullptr && body->is(Json::Kind::array);
    const Json* asked = !is_batch ? body : index < body->items().size() ? &body->items()[index] : nullptr;
    return {.client_id = record.client_ids[index],
            .asked = asked == nullptr ? Json() : *asked,
            .signed_at_ms = record.intent.integer_at("look_for.signed_at_ms")};
  }

  static Result<Answer, Stop> look(Context& context, Exchange& exchange, const std::vector<Sought>& sought,
                                   TimestampMs since_ms) {
    Answer answer{.data = Json::array(),
                  .view = {{{"client_id", "client_id"},
                            {"intent", "intent"},
                            {"found", "found"},
                            {"order_id", "order.id"},
                            {"status", "order.status"},
                            {"verdict", "verdict"}}}};
    if (sought.empty()) return answer;
    outbox::Period period{.since_ms = std::min(since_ms, context.now_ms()), .near_ms = context.now_ms()};
    std::vector<outbox::SoughtOrder> orders;
    for (const Sought& one : sought) {
      orders.push_back(one.order);
      period.since_ms = std::min(period.since_ms, one.order.signed_at_ms.value_or(period.since_ms));
    }
    period.since_ms -= outbox::clock_slack_ms;
    const auto findings = SVC_TRY(outbox::find_orders(exchange, period, orders));
    for (std::size_t i = 0; i < sought.size(); ++i) {
      const outbox::Finding& finding = findings.at(i);
      const bool found = finding.verdict == outbox::Verdict::accepted;
      Json row = Json::object({{"client_id", sought[i].order.client_id},
                               {"intent", sought[i].intent.empty() ? Json() : Json(sought[i].intent)},
                               {"found", found},
                               {"verdict", to_string(finding.verdict)}});
      const Json* order = found ? finding.record.find("order") : nullptr;
      row.set("order", order != nullptr ? *order : finding.record);
      answer.data.push(std::move(row));
    }
    if (sought.size() == 1 && findings.front().verdict == outbox::Verdict::not_seen) {
      return unexpected(
          Stop(Failure{.exit = ExitCode::not_found, .code = "order_not_found", .message = findings.front().evidence}));
    }
    return answer;
  }

  std::optional<std::string> client_id_;
  bool all_ = false;
  std::optional<std::string> since_;
};

constexpr std::array order_reconcile_rows{
    CommandRow{"orders reconcile", "CLIENT_ID | --all", "Compare orders that were sent with what the venue has",
               make<ReconcileOrders>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> order_reconcile_commands() {
  return order_reconcile_rows;
}

}  // namespace svc::cli
