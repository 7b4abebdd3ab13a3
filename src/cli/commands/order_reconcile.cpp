// orders reconcile
#include <algorithm>
#include <array>

#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/exchange/journal_reader.h"
#include "cli/outbox/proof.h"

namespace svc::cli {
namespace {

struct Sought {
  std::string client_id;
  TimestampMs at_ms = 0;
  std::string intent;  // "orders place"
};

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
      const auto parsed = parse_time("--since", *since_);
      if (!parsed) return unexpected(Stop(parsed.error()));
      since_ms = *parsed;
    }
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const auto sought = orders_sent(context, exchange->network().name, since_ms);
    if (!sought) return unexpected(Stop(sought.error()));
    return look(context, *exchange, *sought);
  }

 private:
  Result<std::vector<Sought>, Failure> orders_sent(Context& context, const std::string& network,
                                                   TimestampMs since_ms) const {
    const auto records = read_journal(**context.paths(), network, client_id_ ? 0 : since_ms);
    if (!records) return unexpected(records.error());
    std::vector<Sought> sought;
    for (const JournalRecord& record : *records) {
      if (!record.operation.starts_with("place_order")) continue;
      for (const std::string& id : record.client_ids) {
        if (!client_id_ || *client_id_ == id) sought.push_back({id, record.at_ms, record.command});
      }
    }
    // An order of another machine: nothing is known of when it was sent.
    if (client_id_ && sought.empty()) sought.push_back({*client_id_, since_ms, {}});
    return sought;
  }

  static Result<Answer, Stop> look(Context& context, Exchange& exchange, const std::vector<Sought>& sought) {
    Answer answer{.data = Json::array(),
                  .view = {{{"client_id", "client_id"},
                            {"intent", "intent"},
                            {"found", "found"},
                            {"order_id", "order.id"},
                            {"status", "order.status"},
                            {"verdict", "verdict"}}}};
    if (sought.empty()) return answer;
    outbox::Entry entry{
        .id = {}, .at_ms = context.now_ms(), .command = {}, .operation = "place_orders", .path = {}, .query = {}};
    for (const Sought& one : sought) {
      entry.client_ids.push_back(one.client_id);
      entry.at_ms = std::min(entry.at_ms, one.at_ms);
    }
    const std::optional<Secret> none;
    const auto finding = outbox::find_proof(entry.operation)->look(exchange, {.entry = entry, .admin_secret = none});
    if (!finding) return unexpected(finding.error());
    std::size_t missing = 0;
    for (std::size_t i = 0; i < sought.size(); ++i) {
      const Json* order = i < finding->record.items().size() ? finding->record.items()[i].find("order") : nullptr;
      const bool refused = order != nullptr && order->string_at("status") == "Rejected";
      if (order == nullptr) ++missing;
      Json row = Json::object({{"client_id", sought[i].client_id},
                               {"intent", sought[i].intent.empty() ? Json() : Json(sought[i].intent)},
                               {"found", order != nullptr},
                               {"verdict", order == nullptr ? "not_seen"
                                           : refused        ? "rejected"
                                                            : "accepted"}});
      row.set("order", order != nullptr ? *order : Json());
      answer.data.push(std::move(row));
    }
    if (sought.size() == 1 && missing == 1) {
      return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                     .code = "order_not_found",
                                     .message = "no order and no fill with client id " + sought.front().client_id}));
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
