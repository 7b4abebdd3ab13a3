// Money in and out. What carries an id of ours is found by it; the rest is a new row of that amount, and what
// was there before is read before sending.
#include <array>

#include "api/ops/bridge.h"
#include "api/ops/funds.h"
#include "api/ops/transfers.h"
#include "cli/commands/listing.h"
#include "cli/outbox/bounds.h"
#include "cli/outbox/proof_rows.h"
#include "signing/transfer_intent.h"

namespace svc::cli::outbox {
namespace {

Json ids_before(const Json& rows) {
  return Json::object({{"ids", values_of(rows, "id")}});
}

// A row that was not there before, of that amount (any, if empty).
const Json* new_row(const Json& rows, const Json& before, std::string_view amount, std::string_view kind = {}) {
  const Json* ids = before.find("ids");
  if (ids == nullptr) return nullptr;
  return find_row(rows, [&](const Json& row) {
    const bool of_kind = kind.empty() || row.string_at("kind") == kind;
    const bool of_amount = amount.empty() || same_number(row.string_at("amount").value_or(""), amount);
    return of_kind && of_amount && !holds(*ids, member_text(row, "id"));
  });
}

// No such row: which says something only of a list that goes back to what was there before.
Finding absent(const Json& rows, std::size_t page_rows, const Json& before, std::string evidence) {
  const Json* ids = before.find("ids");
  const bool goes_back =
      ids != nullptr && find_row(rows, [&](const Json& row) { return holds(*ids, member_text(row, "id")); }) != nullptr;
  if (goes_back || rows.items().size() < page_rows) return not_seen(std::move(evidence));
  return unclear(evidence + " on a page that does not go back to the write");
}

template <class Op>
Result<Json, Stop> list_newest(Exchange& exchange) {
  auto reply = SVC_TRY(exchange.call(call_of<Op>({.limit = page_rows_max<typename Op::Request>()})));
  return std::move(reply.body);
}

template <class Op>
Result<Json, Stop> before_list(Exchange& exchange, const Call&) {
  const auto rows = SVC_TRY(list_newest<Op>(exchange));
  return ids_before(rows);
}

std::string_view amount_of(const Wish& wish) {
  return wish.entry.body.string_at("amount").value_or("");
}

std::string told(const Json& row, std::string_view noun) {
  return std::string(noun) + " " + member_text(row, "id") + " is " +
         std::string(row.string_at("status").value_or("there"));
}

Result<Finding, Stop> look_withdrawn(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(list_newest<api::ops::ListWithdrawals>(exchange));
  const Json* row = new_row(rows, wish.entry.before, amount_of(wish));
  if (row == nullptr) {
    return absent(rows, page_rows_max<api::ops::ListWithdrawals::Request>(), wish.entry.before,
                  "no new withdrawal of that amount");
  }
  return accepted(*row, told(*row, "withdrawal"));
}

template <const char* kind>
Result<Finding, Stop> look_deposited(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(list_newest<api::ops::ListDeposits>(exchange));
  const Json* row = new_row(rows, wish.entry.before, amount_of(wish), kind);
  if (row == nullptr) {
    return absent(rows, page_rows_max<api::ops::ListDeposits::Request>(), wish.entry.before,
                  "no new " + std::string(kind) + " of that amount");
  }
  return accepted(*row, told(*row, kind));
}

constexpr char deposit_kind[] = "deposit";
constexpr char faucet_kind[] = "faucet";

// The account's owner signs this read as well.
Result<Json, Stop> list_transfers(Exchange& exchange) {
  const auto owner = SVC_TRY(exchange.owner());
  api::TransfersRequest request{.account = owner.account, .domain = owner.terms.deployment};
  request.limit = page_rows_max<api::TransfersRequest>();
  Call call = call_of<api::ops::ListTransfers>(request);
  const bool limit_sent = call.query.find("limit=") != std::string::npos;
  call.owner_struct = [account = owner.account, domain = owner.terms.deployment,
                       limit = limit_sent ? std::to_string(request.limit) : std::string()](const OwnerStamp& stamp) {
    return owner_signed(signing::ListTransfers{
        .account = account, .domain = domain, .limit = limit, .cursor = "", .timestamp_ms = stamp.timestamp_ms});
  };
  auto reply = SVC_TRY(exchange.call(call));
  return std::move(reply.body);
}

Result<Finding, Stop> look_transferred(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(list_transfers(exchange));
  const std::string_view id = wish.entry.body.string_at("client_transfer_id").value_or("");
  const Json* row = find_row(rows, [&](const Json& one) { return one.string_at("client_transfer_id") == id; });
  if (row == nullptr) {
    const auto goes_back = [&](const Json& one) {
      return one.integer_at("committed_at").value_or(0) < wish.entry.at_ms - clock_slack_ms;
    };
    const bool is_whole = rows.items().size() < page_rows_max<api::TransfersRequest>() || find_row(rows, goes_back);
    const std::string evidence = "no transfer with id " + std::string(id);
    return is_whole ? not_seen(evidence) : unclear(evidence + " on a page that does not go back to the write");
  }
  const Json& asked = wish.entry.body;
  const auto recipient = parse_address(asked.string_at("recipient").value_or(""));
  const bool is_it = same_number(row->string_at("amount").value_or(""), amount_of(wish)) &&
                     recipient == parse_address(row->string_at("recipient").value_or(""));
  if (!is_it) return rejected(*row, told(*row, "transfer") + ", was sent before under this id, and is another one");
  return accepted(*row, told(*row, "transfer"));
}

// Only who is enrolled may list.
Result<Finding, Stop> look_enrolled(Exchange& exchange, const Wish& wish) {
  const auto rows = list_transfers(exchange);
  const Json account = wish.entry.body.string_at("account");
  if (rows) {
    return accepted(Json::object({{"account", account}, {"enrolled", true}, {"enrolled_at", nullptr}}),
                    "the account may list transfers");
  }
  const auto* failure = std::get_if<Failure>(&rows.error().why);
  if (failure != nullptr && failure->code == "TRANSFER_ACCOUNT_INELIGIBLE")
    return not_seen("the account is not enrolled");
  return unexpected(rows.error());
}

Result<Json, Stop> list_bridge(Exchange& exchange) {
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListBridgeWithdrawals>()));
  return std::move(reply.body);
}

Result<Json, Stop> before_bridge(Exchange& exchange, const Call&) {
  const auto rows = SVC_TRY(list_bridge(exchange));
  return ids_before(rows);
}

Result<Finding, Stop> look_bridged(Exchange& exchange, const Wish& wish) {
  const auto rows = SVC_TRY(list_bridge(exchange));
  const Json* row = new_row(rows, wish.entry.before, amount_of(wish));
  if (row == nullptr) return not_seen("no new bridge withdrawal of that amount");
  return accepted(*row, told(*row, "bridge withdrawal"));
}

constexpr std::array money_table{
    Proof{"submit_withdrawal", "a new withdrawal of that amount", look_withdrawn,
          before_list<api::ops::ListWithdrawals>},
    Proof{"submit_deposit", "a new deposit of that amount", look_deposited<deposit_kind>,
          before_list<api::ops::ListDeposits>},
    Proof{"deposit_collateral", "a new deposit of that amount", look_deposited<deposit_kind>,
          before_list<api::ops::ListDeposits>},
    Proof{"claim_faucet", "a new faucet entry", look_deposited<faucet_kind>, before_list<api::ops::ListDeposits>},
    Proof{"claim_credit", "a new faucet entry of that amount", look_deposited<faucet_kind>,
          before_list<api::ops::ListDeposits>},
    Proof{"submit_transfer", "transfers of the account, by id", look_transferred},
    Proof{"enroll_transfers", "whether the account may list transfers", look_enrolled},
    Proof{"create_bridge_withdrawal", "the same idempotency key again, then bridge withdrawals", look_bridged,
          before_bridge},
};

}  // namespace

std::span<const Proof> money_proofs() {
  return money_table;
}

}  // namespace svc::cli::outbox
