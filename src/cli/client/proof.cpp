#include "cli/client/proof.h"

#include <cstdlib>

#include "api/operation_table.h"
#include "api/values.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/enumerators.h"
#include "base/limits.h"
#include "cli/arguments/spelling.h"
#include "cli/client/account_lookup.h"
#include "cli/client/client_id.h"
#include "cli/store/write_log.h"
#include "cli/terminal/order_views.h"

namespace svc::cli::outbox {

const Json* find_row(const Json& rows, const std::function<bool(const Json&)>& matches) {
  return found_where(rows.items(), matches);
}

const Json* find_row(const Json& rows, std::string_view key, std::string_view text) {
  return find_row(rows, [&](const Json& row) { return row.string_at(key) == text; });
}

bool are_client_ids_sent(const Json& open, const Json& ended) {
  // Null is an order that has none: it was placed on a web page, or by another program.
  const auto has_id = [](const Json& row) { return row.find("client_id") != nullptr; };
  const bool anything = !open.items().empty() || !ended.items().empty();
  return !anything || find_row(open, has_id) != nullptr || find_row(ended, has_id) != nullptr;
}

namespace {

Finding accepted(Json record, std::string evidence) {
  return {.verdict = Verdict::accepted, .record = std::move(record), .evidence = std::move(evidence)};
}
Finding rejected(Json record, std::string evidence) {
  return {.verdict = Verdict::rejected, .record = std::move(record), .evidence = std::move(evidence)};
}
Finding not_seen(std::string evidence) {
  return {.verdict = Verdict::not_seen, .evidence = std::move(evidence)};
}
// A possible match, or a list that was not read completely.
Finding unclear(std::string evidence) {
  return {.verdict = Verdict::unknown, .evidence = std::move(evidence)};
}

// The text or digits of a member; empty if it is missing.
std::string member_text(const Json& row, std::string_view key) {
  return row.value_at(key).text();
}

// Whether a row's time says that it is from before that instant, or that it is not. A time that cannot be read says
// neither, nor does one in another unit, such as seconds or microseconds, which would be decades away. (D-1142)
bool is_before(std::optional<TimestampMs> time_ms, TimestampMs instant_ms) {
  return time_ms && *time_ms < instant_ms && *time_ms >= instant_ms - row_age_ms_max;
}
bool is_since(std::optional<TimestampMs> time_ms, TimestampMs instant_ms) {
  return time_ms && *time_ms >= instant_ms && *time_ms <= instant_ms + row_age_ms_max;
}

bool holds(const Json& list, std::string_view text) {
  return find_row(list, [&](const Json& one) { return one.text() == text; }) != nullptr;
}

// The rows of a list: a page as long as there are, if it has pages.
template <class Op>
Result<Json> newest(Connection& connection) {
  typename Op::Request request{};
  if constexpr (page_rows_max<typename Op::Request>() > 0) request.limit = page_rows_max<typename Op::Request>();
  return connection.read<Op>(request);
}

constexpr char id_member[] = "id", key_id_member[] = "key_id";

// The ids of the rows of a list.
template <class Op, const char* key = id_member>
Result<Json> before_list(Connection& connection) {
  const auto rows = SVC_TRY(newest<Op>(connection));
  Json ids = Json::array();
  for (const Json& row : rows.items()) ids.push(member_text(row, key));
  return Json::object({{"ids", std::move(ids)}});
}

// Deposits, withdrawals and transfers. Writes that carry an id of ours are found by it. The others are found as a new
// row of the same amount, for which the list is read before sending.

// The new rows that the write may have made, the last of the list first.
struct NewRows {
  std::vector<const Json*> rows{};
  std::size_t others = 0;  // writes that may have made one of them as well

  // More rows than other writes: one of them is ours.
  [[nodiscard]] bool has_own() const { return rows.size() > others; }
};

using Matches = std::function<bool(const Json&)>;

NewRows new_rows(const Json& rows, const SentWrite& sent, std::string_view key, const Matches& row_matches,
                 const Matches& body_matches) {
  const Json* ids = sent.entry.before.find("ids");
  NewRows found;
  if (ids == nullptr) return found;
  std::string own = sent.row;
  for (const Rival& rival : sent.rivals)
    if (own.empty() && rival.is_repeat) own = rival.row;
  for (const Json& row : rows.items()) {
    const std::string id = member_text(row, key);
    const bool is_taken = std::ranges::any_of(sent.rivals, [&](const Rival& rival) { return rival.row == id; });
    const bool may_be_own = own.empty() ? !holds(*ids, id) && !is_taken : id == own;
    if (may_be_own && row_matches(row)) found.rows.insert(found.rows.begin(), &row);
  }
  for (const Rival& rival : sent.rivals)
    if (own.empty() && !rival.is_repeat && rival.row.empty() && body_matches(rival.entry.body)) ++found.others;
  return found;
}

Finding may_be_of_another(std::string_view noun) {
  return unclear("a new " + std::string(noun) + " may be that of another command");
}

// There is no such row. That proves something only if the list reaches back to rows from before the write, or shows
// all: it has no bound (`page_rows` is 0), or fewer rows than that.
Finding absent(const Json& rows, std::size_t page_rows, const Matches& is_of_before, std::string evidence) {
  const bool is_whole = page_rows == 0 || rows.items().size() < page_rows || find_row(rows, is_of_before) != nullptr;
  return is_whole ? not_seen(std::move(evidence)) : unclear(evidence + " on a page that does not go back to the write");
}

std::string_view amount_of(const SentWrite& sent) {
  return sent.entry.body.string_at("amount").value_or("");
}

// The members of the write's answer, as the record has them. Those that it lacks are null.
Json as_answer_of(const SentWrite& sent, const Json& record) {
  Json answer = Json::object();
  for (const api::FieldInfo& field : api::find_operation(sent.entry.operation)->response().fields)
    answer.set(field.name, record.value_at(field.name));
  return answer;
}

// New rows with the amount of the write, or with any if it names none; of that kind, unless it is empty.
NewRows new_of_amount(const Json& rows, const SentWrite& sent, std::string_view kind) {
  const auto has_amount = [amount = amount_of(sent)](const Json& record) {
    const std::string_view its = record.string_at("amount").value_or("");
    return amount.empty() || its.empty() || same_number(its, amount);
  };
  const auto fits = [&](const Json& row) { return has_amount(row) && (kind.empty() || row.string_at("kind") == kind); };
  return new_rows(rows, sent, id_member, fits, has_amount);
}

std::string told(const Json& row, std::string_view noun = "order") {
  const std::string id = member_text(row, "id");
  return concat(noun, " ", id.empty() ? "?" : id, " is ", row.string_at("status").value_or("there"));
}

// If several rows may be its own, any of them.
Finding accepted_row(const SentWrite& sent, const NewRows& found, std::string_view noun) {
  const Json& row = *found.rows.front();
  Finding finding = accepted(as_answer_of(sent, row), told(row, noun));
  if (found.others == 0) finding.row = member_text(row, id_member);
  return finding;
}

constexpr char withdrawal_noun[] = "withdrawal", deposit_noun[] = "deposit", faucet_noun[] = "faucet",
               bridge_noun[] = "bridge withdrawal";

// A deposit's row says of which kind it is, by the noun. `page_rows`: the most rows that the list shows at once.
template <class Op, const char* noun, std::size_t page_rows = page_rows_max<typename Op::Request>()>
Result<Finding> look_moved(Connection& connection, const SentWrite& sent) {
  constexpr bool has_kind = std::same_as<Op, api::ops::ListDeposits>;
  const auto rows = SVC_TRY(newest<Op>(connection));
  const NewRows found = new_of_amount(rows, sent, has_kind ? noun : "");
  if (found.has_own()) return accepted_row(sent, found, noun);
  if (!found.rows.empty()) return may_be_of_another(noun);
  const auto was_there = [ids = sent.entry.before.value_at("ids")](const Json& row) {
    const std::string id = member_text(row, "id");
    return !id.empty() && holds(ids, id);
  };
  return absent(rows, page_rows, was_there, "no new " + std::string(noun) + " of that amount");
}

// This read is signed by the account's owner too.
Result<Json> list_transfers(Connection& connection) {
  const auto owner = SVC_TRY(connection.owner());
  auto reply = SVC_TRY(connection.read(transfers_call(owner, page_rows_max<api::TransfersRequest>(), std::nullopt)));
  return std::move(reply.body);
}

Result<Finding> look_transferred(Connection& connection, const SentWrite& sent) {
  const auto rows = SVC_TRY(list_transfers(connection));
  const std::string_view id = sent.entry.body.string_at("client_transfer_id").value_or("");
  // The list has what came in as well, and an id is the payer's own.
  const auto payer = sent.entry.body.address_at("account");
  const Json* row = find_row(rows, [&](const Json& one) {
    const auto sender = one.string_at("sender");
    return one.string_at("client_transfer_id") == id && (!sender || parse_address(*sender) == payer);
  });
  if (row == nullptr) {
    const auto is_older = [&](const Json& one) {
      return is_before(one.integer_at("committed_at"), sent.entry.at_ms - clock_slack_ms);
    };
    return absent(rows, page_rows_max<api::TransfersRequest>(), is_older, "no transfer with id " + std::string(id));
  }
  const Json& asked = sent.entry.body;
  const auto recipient = asked.address_at("recipient");
  const bool is_it =
      same_number(row->string_at("amount").value_or(""), amount_of(sent)) && recipient == row->address_at("recipient");
  if (!is_it) return rejected(*row, told(*row, "transfer") + ", was sent before under this id, and is another one");
  return accepted(*row, told(*row, "transfer"));
}

// Only enrolled accounts may list transfers.
Result<Finding> look_enrolled(Connection& connection, const SentWrite& sent) {
  const auto rows = list_transfers(connection);
  const Json account = sent.entry.body.string_at("account");
  if (rows) {
    return accepted(as_answer_of(sent, Json::object({{"account", account}, {"enrolled", true}})),
                    "the account may list transfers");
  }
  if (rows.error().code == api::spelling(api::ErrorCode::transfer_account_ineligible))
    return not_seen("the account is not enrolled");
  return unexpected(rows.error());
}

// Settings and credentials: the account's present state shows whether the change took effect.

// The account's total isolated margin in 1e-6 USDX: moving margin changes nothing else.
Result<std::int64_t> isolated_total(Connection& connection, Json* account) {
  auto shown = SVC_TRY(connection.read<api::ops::GetAccount>());
  const auto collateral = parse_scaled(shown.string_at("collateral").value_or(""), usdx_decimals);
  const auto balance = parse_scaled(shown.string_at("balance").value_or(""), usdx_decimals);
  if (!collateral || !balance) return internal_error("the account's balance cannot be read");
  if (account != nullptr) *account = std::move(shown);
  return *collateral - *balance;
}

// The id of the account's newest fill, or nothing if it has none. A fill moves isolated margin as well.
Result<std::string> newest_fill(Connection& connection) {
  const auto fills = SVC_TRY(connection.read<api::ops::ListFills>({.limit = 1}));
  return fills.items().empty() ? std::string() : member_text(fills.items().front(), "id");
}

// The fill is read first, so that a fill between the two reads is noticed.
Result<Json> before_margin(Connection& connection) {
  const auto fill = SVC_TRY(newest_fill(connection));
  const auto total = SVC_TRY(isolated_total(connection, nullptr));
  return Json::object({{"isolated_micro_usdx", total}, {"newest_fill", fill}});
}

// By how much a write changes the account's isolated margin.
std::optional<std::int64_t> margin_change(const Entry& entry) {
  const auto amount = parse_scaled(entry.body.string_at("amount").value_or(""), usdx_decimals);
  if (!amount) return std::nullopt;
  return entry.body.string_at("direction") == "add" ? *amount : -*amount;
}

Result<Finding> look_margin(Connection& connection, const SentWrite& sent) {
  Json account;
  const auto now = SVC_TRY(isolated_total(connection, &account));
  if (SVC_TRY(newest_fill(connection)) != sent.entry.before.string_at("newest_fill"))
    return unclear("a fill may have moved margin at the same time");
  auto before = sent.entry.before.integer_at("isolated_micro_usdx");
  const auto change = margin_change(sent.entry);
  if (!before || !change) return not_seen("what was there before is not known");
  for (const Rival& rival : sent.rivals) {
    const auto moved = margin_change(rival.entry);
    if (!rival.is_sure() || !moved) return unclear("another command moved margin at the same time");
    *before += *moved;
  }
  const std::string shown = "isolated margin is " + format_scaled(now, usdx_decimals) + " USDX";
  if (now == *before + *change) {
    return accepted(as_answer_of(sent, Json::object({{"market_id", sent.entry.body.string_at("market_id")},
                                                     {"collateral", account.string_at("collateral")}})),
                    shown);
  }
  if (now == *before) return not_seen(shown + ", as without it");
  return failed("margin_moved_otherwise", shown, ": something else moved as well, so this proves nothing");
}

std::optional<api::MarketId> market_in(const SentWrite& sent) {
  const auto market = sent.entry.body.string_at("market_id");
  if (!market || !api::is_market_id(*market)) return std::nullopt;
  return api::MarketId{std::string(*market)};
}

Result<Finding> look_mode(Connection& connection, const SentWrite& sent) {
  auto shown = SVC_TRY(connection.read<api::ops::GetMarginMode>({.market_id = market_in(sent)}));
  const std::string mode(shown.string_at("margin_mode").value_or("?"));
  if (mode == sent.entry.body.string_at("margin_mode")) return accepted(shown, "the mode is " + mode);
  return not_seen("the mode is " + mode);
}

Result<Finding> look_leverage(Connection& connection, const SentWrite& sent) {
  const auto market = market_in(sent);
  if (!market) return unclear("the write names no market");
  const auto set = SVC_TRY(MarketSettings(connection).of(*market));
  if (!set.leverage) return unclear("the service does not tell the leverage of " + market->text);
  const std::string told = "the leverage is " + *set.leverage;
  if (*set.leverage != member_text(sent.entry.body, "leverage")) return not_seen(told);
  return accepted(Json::object({{"market_id", market->text}, {"leverage", Json::number(*set.leverage)}}), told);
}

Result<Finding> look_disconnect(Connection& connection, const SentWrite& sent) {
  auto shown = SVC_TRY(connection.read<api::ops::GetCancelOnDisconnect>());
  const Json* wanted = sent.entry.body.find("enabled");
  const Json* enabled = shown.find("enabled");
  const bool agrees = wanted != nullptr && enabled != nullptr && wanted->truth() == enabled->truth();
  const std::string told = enabled != nullptr && enabled->truth() ? "it is on" : "it is off";
  return agrees ? accepted(shown, told) : not_seen(told);
}

// The key may exist, but its secret was only in the answer.
Result<Finding> look_key_made(Connection& connection, const SentWrite& sent) {
  const auto rows = SVC_TRY(connection.read<api::ops::ListKeys>());
  const auto is_named_so = [label = sent.entry.body.string_at("label")](const Json& record) {
    const auto its = record.string_at("label");
    return !label || !its || its == label;
  };
  const NewRows found = new_rows(rows, sent, key_id_member, is_named_so, is_named_so);
  if (found.rows.empty()) return not_seen("no new key");
  // Whoever is told to delete it must know which one it is.
  if (found.others > 0 || found.rows.size() > 1) return may_be_of_another("key");
  const Json& row = *found.rows.front();
  const std::string id(row.string_at("key_id").value_or("?"));
  Finding finding = accepted(row, "key " + id + " was made");
  finding.row = id;
  const std::string svc = "svc -n " + connection.network().name +
                          (sent.entry.wallet.empty() ? " " : " --signer " + sent.entry.wallet + " ");
  finding.unusable = failed("key_secret_lost", "key ", id, " was made, but its secret was in the answer that was lost")
                         .to_try({svc + "keys delete " + id, svc + "keys create"});
  return finding;
}

constexpr char address_member[] = "address", deleted_member[] = "deleted", revoked_member[] = "revoked";

const Json* row_of_address(const Json& rows, std::string_view address, std::string_view key = address_member) {
  const auto wanted = parse_address(address);
  return find_row(rows, [&](const Json& row) { return wanted && row.address_at(key) == wanted; });
}

// Looks up something that should be gone from a list.
template <class Op, const char* key, const char* gone>
Result<Finding> look_gone(Connection& connection, const SentWrite& sent) {
  const auto rows = SVC_TRY(connection.read<Op>());
  const std::string id = last_segment(sent.entry.path);
  if (find_row(rows, key, id) != nullptr || row_of_address(rows, id, key)) return not_seen(id + " is still there");
  if (find_row(rows, [](const Json& row) { return row.text_at(key).empty(); }))
    return unclear(concat("a row of the list shows no ", key));
  return accepted(Json::object({{key, id}, {gone, true}}), id + " is gone");
}

Result<Finding> look_agent_registered(Connection& connection, const SentWrite& sent) {
  const auto rows = SVC_TRY(connection.read<api::ops::ListAgents>());
  const Json* row = row_of_address(rows, sent.entry.body.string_at("agent").value_or(""));
  if (row == nullptr) return not_seen("the agent is not registered");
  const auto asked_ms = sent.entry.body.integer_at("expires_at");
  const auto registered_ms = row->integer_at("registeredAt");
  const TimestampMs begin_ms = sent.entry.at_ms - limits::auth_window_ms;
  if (is_before(registered_ms, begin_ms)) return rejected(*row, "the agent was registered before");
  if (!is_since(registered_ms, begin_ms)) return unclear("when the agent was registered cannot be read");
  if (asked_ms && asked_ms != row->integer_at("expiresAt"))
    return unclear("the agent is registered with another end; that may be another command's");
  return accepted(
      Json::object({{"agent_address", row->string_at("address")}, {"expires_at", row->integer_at("expiresAt")}}),
      "the agent is registered");
}

Result<Json> list_tiers(Connection& connection, const SentWrite& sent) {
  if (!sent.admin_secret) {
    return failed("admin_secret_needed", "only the operator can look this up: outbox resolve --admin-secret-file FILE");
  }
  Call call = call_of<api::ops::ListTiers>();
  call.admin_secret = sent.admin_secret;
  auto reply = SVC_TRY(connection.read(call));
  return std::move(reply.body);
}

// The list has the accounts that are not of the usual tier.
Result<Finding> look_tier_set(Connection& connection, const SentWrite& sent) {
  const auto rows = SVC_TRY(list_tiers(connection, sent));
  const std::string address = sent.entry.body.text_at("address");
  const std::string tier = sent.entry.body.text_at("tier");
  const Json* row = row_of_address(rows, address);
  const Json usual = Json::object({{"address", address}, {"tier", api::to_string(api::Tier::pro)}});
  const Json& set = row == nullptr ? usual : *row;
  return set.text_at("tier") == tier ? accepted(set, "the tier is in force") : not_seen("the tier is another one");
}

Result<Finding> look_tier_reset(Connection& connection, const SentWrite& sent) {
  const auto rows = SVC_TRY(list_tiers(connection, sent));
  const std::string address = last_segment(sent.entry.path);
  if (row_of_address(rows, address) != nullptr) return not_seen("the account still has a tier of its own");
  return accepted(Json::object({{"address", address}, {"tier", nullptr}}), "the account has no tier of its own");
}

// Orders: found by client id if placed, by order id if changed.

// `cut`: the list was not read to its end, nor to where its rows are old enough; a missing row proves nothing then.
enum class Reach : std::uint8_t { whole, cut };

// The account's orders and fills since shortly before the write.
struct Shown {
  Json open = Json::array();
  Json ended = Json::array();
  Json fills = Json::array();
  bool client_ids_sent = true;
  Reach reach = Reach::whole;  // of the ended orders
};

struct Listed {
  Json rows = Json::array();
  Reach reach = Reach::whole;
};

template <class Op>
Call page_of(std::optional<TimestampMs> since_ms, std::optional<TimestampMs> until_ms, std::uint32_t limit,
             const std::optional<std::string>& cursor = {}) {
  typename Op::Request request;
  request.limit = limit;
  request.cursor = cursor;
  request.start_time = since_ms;
  request.end_time = until_ms;
  return call_of<Op>(request);
}

std::optional<TimestampMs> time_of(const Json& row) {
  const auto ended_ms = row.integer_at("completed_at_ms");
  return ended_ms ? ended_ms : row.integer_at("timestamp");
}

// Pages, newest first, until one has a row from before, or history_pages_max were read.
template <class Op>
Result<Listed> read_between(Connection& connection, TimestampMs since_ms, std::optional<TimestampMs> until_ms) {
  Listed listed{.reach = Reach::cut};
  PageWalk walk;
  for (int pages = 0; pages < history_pages_max && listed.reach == Reach::cut; ++pages) {
    const auto reply =
        SVC_TRY(connection.read(page_of<Op>(since_ms, until_ms, page_rows_max<typename Op::Request>(), walk.cursor())));
    bool recent = true;
    for (const Json& row : reply.body.items()) {
      recent = recent && !is_before(time_of(row), since_ms);
      listed.rows.push(row);
    }
    const auto more = walk.go_on(reply);
    if (!recent || (more && !*more)) listed.reach = Reach::whole;
    if (!more) break;  // the pages lead nowhere, so the list was not read to its end
  }
  // A service may silently drop the oldest rows of a long list: it is complete only if there is a row from before.
  if (listed.reach == Reach::whole && listed.rows.items().size() >= whole_list_rows_max) {
    const auto before = SVC_TRY(connection.read(page_of<Op>(std::nullopt, since_ms - 1, 1)));
    // A service that knows no filter by time shows the newest row.
    const auto& rows = before.body.items();
    if (rows.empty() || !is_before(time_of(rows.front()), since_ms)) listed.reach = Reach::cut;
  }
  return listed;
}

// If the list is too long, the part near the time of the write is read too: most of the sent orders ended then.
template <class Op>
Result<Listed> read_listed(Connection& connection, const Period& period) {
  auto listed = read_between<Op>(connection, period.since_ms, std::nullopt);
  if (!listed || listed->reach == Reach::whole) return listed;
  const auto near = SVC_TRY(read_between<Op>(connection, period.since_ms, period.near_ms));
  for (const Json& row : near.rows.items()) listed->rows.push(row);
  return listed;
}

// Reads everything else after the open orders, so that an order that ends meanwhile is in the history.
Result<Shown> read_with(Connection& connection, const Period& period, Json open) {
  auto ended = SVC_TRY(read_listed<api::ops::ListOrderHistory>(connection, period));
  auto fills = SVC_TRY(read_listed<api::ops::ListFills>(connection, period));
  Shown shown{
      .open = std::move(open), .ended = std::move(ended.rows), .fills = std::move(fills.rows), .reach = ended.reach};
  shown.client_ids_sent = are_client_ids_sent(shown.open, shown.ended);
  return shown;
}

Period period_of(const Entry& entry) {
  return {.since_ms = entry.at_ms - clock_slack_ms,
          .near_ms = entry.valid_until_ms.value_or(entry.at_ms + limits::auth_window_ms) + clock_slack_ms};
}

constexpr char not_read_whole[] = "the list of ended orders is too long to be read to its end";

// A word of the order history, spelled as in answers.
Json respelled(const Json& word, std::span<const std::string_view> history, std::span<const std::string_view> answers) {
  const auto found = std::ranges::find(history, std::string_view(word.text()));
  return found == history.end() ? word : Json(answers[static_cast<std::size_t>(found - history.begin())]);
}

Json reason_of_answers(const Json& reason) {
  constexpr std::string_view begin = "Stp(";
  const std::string_view text = reason.text();
  if (!text.starts_with(begin) || !text.ends_with(')')) return reason;
  return Json::object({{"Stp", text.substr(begin.size(), text.size() - begin.size() - 1)}});
}

// An order as answers have it. Rows of the history and fills are spelled differently and lack terms: those are as they
// were sent, and null if that is not known.
Json as_answered(const Json& row, const Json& sent, const std::string& account) {
  if (row.find("quantity") != nullptr) return row;
  struct OtherName {
    std::string_view of_answer, of_row;
  };
  constexpr OtherName other_names[] = {{"quantity", "size"},
                                       {"created_at", "created_at_ms"},
                                       {"updated_at", "completed_at_ms"},
                                       {"triggered_at", "triggered_at_ms"}};
  Json order = Json::object();
  for (const api::FieldInfo& field : api::Order::fields) {
    const auto other = std::ranges::find(other_names, field.name, &OtherName::of_answer);
    const Json value = row.value_at(other == std::end(other_names) ? field.name : other->of_row);
    order.set(field.name, value.is(Json::Kind::null) ? sent.value_at(field.name) : value);
  }
  if (order.find_value("price") == nullptr) order.set("price", "0");
  if (order.find_value("trigger_price") == nullptr) order.set("trigger_price", sent.value_at("stop_price"));
  order.set("account_id", account.empty() ? Json() : Json(account));
  order.set("side", respelled(order.value_at("side"), trade::side_lower_texts, trade::side_texts));
  order.set("order_type",
            respelled(order.value_at("order_type"), trade::order_type_snake_texts, trade::order_type_texts));
  return order.set("cancellation_reason", reason_of_answers(order.value_at("cancellation_reason")));
}

// The answer that POST /orders would have given: the order and its fills.
Json placed(const Json& order, const Shown& shown, const SoughtOrder& sought) {
  Json fills = Json::array();
  for (const Json& fill : shown.fills.items())
    if (fill.string_at("order_id") == order.string_at("id")) fills.push(fill);
  return Json::object({{"order", as_answered(order, sought.asked, sought.account)}, {"fills", std::move(fills)}});
}

std::vector<const Json*> orders_with(const Shown& shown, std::string_view key, std::string_view text) {
  std::vector<const Json*> orders;
  for (const Json* rows : {&shown.open, &shown.ended}) {
    for (const Json& row : rows->items())
      if (row.string_at(key) == text) orders.push_back(&row);
  }
  return orders;
}

std::optional<TimestampMs> created_ms(const Json& order) {
  const auto open = order.integer_at("created_at");
  return open ? open : order.integer_at("created_at_ms");
}

// True if another order may have the client id: it was chosen by the user, or derived from the terms.
bool may_be_shared(const SoughtOrder& sought) {
  const auto made_ms = client_id_made_ms(sought.client_id);
  return !made_ms || !sought.signed_at_ms || std::abs(*made_ms - *sought.signed_at_ms) > fresh_id_ms;
}

// Only a fill shows the order, without its terms: that is enough if no other order has the id.
Finding judge_fill(const Shown& shown, const SoughtOrder& sought) {
  const Json* fill = find_row(
      shown.fills, [&](const Json& row) { return row.string_at("client_id") == std::string_view(sought.client_id); });
  if (fill == nullptr && shown.reach == Reach::cut) return unclear(not_read_whole);
  if (fill == nullptr) return not_seen("no order and no fill with client id " + sought.client_id);
  const Json order = Json::object({{"id", fill->string_at("order_id")},
                                   {"market_id", fill->string_at("market_id")},
                                   {"side", fill->string_at("side")},
                                   {"client_id", fill->string_at("client_id")},
                                   {"status", "Filled"}});
  if (may_be_shared(sought) || sought.is_taken || !has_asked_terms(order, sought.asked)) {
    return unclear("a fill with client id " + sought.client_id + " may be of another order");
  }
  return accepted(placed(order, shown, sought), told(order));
}

// An order that may be the write's, if the service shows no client id of it.
const Json* find_nameless(const Shown& shown, const SoughtOrder& sought) {
  if (sought.asked.is(Json::Kind::null) && !sought.signed_at_ms) return nullptr;  // any row would do
  const auto may_be_it = [&](const Json& order) {
    const bool is_older = sought.signed_at_ms && is_before(created_ms(order), *sought.signed_at_ms - created_slack_ms);
    return order.find_value("client_id") == nullptr && !is_older && has_asked_terms(order, sought.asked);
  };
  const Json* open = find_row(shown.open, may_be_it);
  return open != nullptr ? open : find_row(shown.ended, may_be_it);
}

bool is_open(const Json& order) {
  const auto status = order.string_at("status");
  return status == "Open" || status == "PartiallyFilled" || status == "Untriggered";
}

constexpr char status_unread[] = "the status of the order cannot be read";

// A client id belongs to one order forever, and to the orders that amendments make of it. So an older order with the id
// proves that the write placed nothing; a newer one with the same terms is the order. Of an id that only this write can
// have, no order is older.
Finding judge(const Shown& shown, const SoughtOrder& sought) {
  const std::vector<const Json*> orders = orders_with(shown, "client_id", sought.client_id);
  if (orders.empty()) {
    Finding finding = judge_fill(shown, sought);
    const Json* nameless = finding.verdict == Verdict::not_seen ? find_nameless(shown, sought) : nullptr;
    return nameless == nullptr ? finding : unclear(told(*nameless) + ", has these terms, and shows no client id");
  }
  const bool ages = may_be_shared(sought) && sought.signed_at_ms;
  const auto older = std::ranges::find_if(orders, [&](const Json* order) {
    return ages && is_before(created_ms(*order), *sought.signed_at_ms - limits::auth_window_ms);
  });
  if (sought.is_taken || older != orders.end()) {
    const Json& first = older == orders.end() ? *orders.front() : **older;
    return rejected(as_answered(first, {}, sought.account),
                    "client id " + sought.client_id + " was an earlier order's: " + told(first));
  }
  const auto own =
      std::ranges::find_if(orders, [&](const Json* order) { return has_asked_terms(*order, sought.asked); });
  const bool may_be_older = ages && !std::ranges::all_of(orders, [&](const Json* order) {
                              return is_since(created_ms(*order), *sought.signed_at_ms - created_slack_ms);
                            });
  if (may_be_older || own == orders.end()) {
    return unclear("order " + std::string(orders.front()->string_at("id").value_or("?")) + " with client id " +
                   sought.client_id +
                   " may be another one: " + (own == orders.end() ? "its terms differ" : "it may be older"));
  }
  if ((*own)->string_at("status") == "Rejected")
    return rejected(as_answered(**own, sought.asked, sought.account), told(**own));
  if (!is_open(**own) && !trade::has_ended((*own)->text_at("status"))) return unclear(status_unread);
  return accepted(placed(**own, shown, sought), told(**own));
}

// What the open orders prove on their own: every sought order is open, has not traded, and has an id that no other
// order can have. This avoids reading a long history, for which a look-up may lack the time.
std::optional<std::vector<Finding>> judge_open(const Json& open, const std::vector<SoughtOrder>& sought) {
  const Shown shown{.open = open, .ended = Json::array(), .fills = Json::array()};
  std::vector<Finding> findings;
  for (const SoughtOrder& one : sought) {
    if (may_be_shared(one)) return std::nullopt;
    const Json* order = find_row(open, [&](const Json& row) {
      return row.string_at("client_id") == std::string_view(one.client_id) && row.string_at("status") == "Open";
    });
    if (order == nullptr) return std::nullopt;
    findings.push_back(judge(shown, one));
    if (findings.back().verdict != Verdict::accepted) return std::nullopt;
  }
  return findings;
}

// The write's order of that client id, with its terms as sent.
SoughtOrder sought_in(const SentWrite& sent, const std::string& id, const Json& asked) {
  return {.client_id = id,
          .asked = asked,
          .signed_at_ms = sent.entry.at_ms,
          .is_taken = sent.taken.contains(id),
          .account = sent.entry.account};
}

Result<Finding> look_placed(Connection& connection, const SentWrite& sent) {
  const Entry& entry = sent.entry;
  const SoughtOrder sought = sought_in(sent, entry.client_ids.front(), entry.body);
  auto findings = SVC_TRY(find_orders(connection, period_of(entry), {sought}));
  return std::move(findings.front());
}

// The orders of one request are placed in sequence: if one exists, the missing ones were refused.
Result<Finding> look_batch(Connection& connection, const SentWrite& sent) {
  const Entry& entry = sent.entry;
  std::vector<SoughtOrder> sought;
  const auto& bodies = entry.body.items();
  for (std::size_t i = 0; i < entry.client_ids.size(); ++i)
    sought.push_back(sought_in(sent, entry.client_ids[i], i < bodies.size() ? bodies[i] : Json()));
  auto findings = find_orders(connection, period_of(entry), sought);
  const auto is_seen = [](const Finding& finding) { return finding.verdict != Verdict::not_seen; };
  // The lists are read one after the other: of a batch that arrived in between, the fills may be seen before the
  // resting orders.
  if (findings && std::ranges::any_of(*findings, is_seen) && !std::ranges::all_of(*findings, is_seen))
    findings = find_orders(connection, period_of(entry), sought);
  Json results = Json::array();
  std::size_t there = 0;
  for (const Finding& finding : SVC_TRY(std::move(findings))) {
    if (finding.verdict == Verdict::unknown) return unclear(finding.evidence);
    Json result = finding.verdict == Verdict::not_seen ? Json::object() : finding.record;
    if (finding.verdict == Verdict::accepted) {
      ++there;
      result.set("outcome", "ok");
    } else {
      const bool refused = finding.verdict == Verdict::rejected;
      result = Json::object(
          {{"outcome", "err"},
           {"error", refused ? "rejected" : "not_there"},
           {"message", refused ? finding.evidence : "not among open orders, history and fills: the venue refused it"}});
    }
    results.push(std::move(result));
  }
  const std::string count =
      std::to_string(there) + " of " + std::to_string(entry.client_ids.size()) + " orders are there";
  return there == 0 ? not_seen(count) : accepted(std::move(results), count);
}

bool was_amended(const Json& order) {
  return was_cancelled_for(trade::CancelReason::amend_replace, order);
}

// What became of the order that the write names, if it is there.
template <Finding (*judge_order)(const Shown&, const Json& order, const Entry&)>
Result<Finding> look_changed(Connection& connection, const SentWrite& sent) {
  auto open = SVC_TRY(connection.read<api::ops::ListOrders>());
  const auto shown = SVC_TRY(read_with(connection, period_of(sent.entry), std::move(open)));
  const std::string id = last_segment(sent.entry.path);
  const auto orders = orders_with(shown, "id", lower_case(id));  // the service takes it in any case
  if (!orders.empty()) return judge_order(shown, *orders.front(), sent.entry);
  if (shown.reach == Reach::cut) return unclear(not_read_whole);
  return not_seen("order " + id + " is not among open orders and history");
}

// Whether it ended before the write, and not just before: the clocks may differ.
bool has_ended_before(const Json& order, const Entry& entry) {
  return is_before(time_of(order), entry.at_ms - limits::auth_window_ms);
}

// Whether the order is larger than this size.
bool is_larger(const Json& order, const std::optional<Decimal>& size) {
  const auto its = order.decimal_at(size_key(order));
  return its && size && compared(*its, *size).value_or(0) > 0;
}

// An amendment leaves alone what it does not name: the price is the old one, and the size has not grown. It may have
// shrunk by what was filled.
bool keeps_the_rest(const Json& made, const Json& amended, const Json& asked) {
  const auto had = amended.string_at("price"), has = made.string_at("price");
  const bool is_price_kept = asked.string_at("price") || !had || !has || same_number(*had, *has);
  return is_price_kept && (asked.string_at("size") || !is_larger(made, amended.decimal_at(size_key(amended))));
}

// True if no amendment to these terms can have made the order: its price differs or its size is larger.
bool has_foreign_terms(const Json& order, const Json& asked) {
  const auto price = asked.string_at("price"), has = order.string_at("price");
  return (price && has && !same_number(*price, *has)) || is_larger(order, asked.decimal_at("size"));
}

// An amendment ends the order and creates another one in its place at the same moment.
Finding judge_replacement(const Shown& shown, const Json& order, const Json& asked, const std::string& account) {
  const Json* foreign = nullptr;
  bool all_are_foreign = true;
  for (const Json* rows : {&shown.open, &shown.ended}) {
    for (const Json& row : rows->items()) {
      const bool in_its_place = row.string_at("market_id") == order.string_at("market_id") && created_ms(row) &&
                                created_ms(row) == time_of(order) && row.string_at("id") != order.string_at("id") &&
                                row.string_at("client_id") == order.string_at("client_id") &&
                                same_word(row.string_at("side").value_or(""), order.string_at("side").value_or(""));
      if (!in_its_place) continue;
      if (has_amended_terms(row, asked) && keeps_the_rest(row, order, asked))
        return accepted(as_answered(row, {}, account), told(row) + " in its place, with the terms asked for");
      foreign = &row;
      all_are_foreign = all_are_foreign && has_foreign_terms(row, asked);
    }
  }
  if (foreign != nullptr && all_are_foreign && shown.reach != Reach::cut)
    return rejected(*foreign, told(*foreign) + " in its place, put there by another amendment");
  return unclear(told(order) + ", amended, and an order in its place with these terms is not to be seen");
}

Finding judge_amended(const Shown& shown, const Json& order, const Entry& entry) {
  if (is_open(order)) {
    return has_amended_terms(order, entry.body) ? accepted(order, told(order) + " with the terms asked for")
                                                : not_seen(told(order) + " with other terms");
  }
  if (!trade::has_ended(order.text_at("status"))) return unclear(status_unread);
  if (was_amended(order) && !has_ended_before(order, entry))
    return judge_replacement(shown, order, entry.body, entry.account);
  return rejected(order, told(order));
}

Finding judge_cancelled(const Shown&, const Json& order, const Entry& entry) {
  if (was_amended(order)) return rejected(order, told(order) + ", for an amendment put another one in its place");
  if (is_open(order)) return not_seen(told(order));
  if (!trade::has_ended(order.text_at("status"))) return unclear(status_unread);
  // A service may give no reason.
  const bool may_be_by_user =
      order.find_value("cancellation_reason") == nullptr || was_cancelled_for(trade::CancelReason::user, order);
  const bool is_it = order.string_at("status") == "Cancelled" && may_be_by_user;
  if (is_it && !has_ended_before(order, entry)) return accepted(as_answered(order, {}, entry.account), told(order));
  return rejected(order, told(order));
}

Result<Finding> look_cancelled_all(Connection& connection, const SentWrite& sent) {
  const auto open = SVC_TRY(connection.read<api::ops::ListOrders>());
  const std::string market(find_parameter(sent.entry.query, "market_id").value_or(""));
  const auto find_left = [&](const auto& by_age) {
    return find_row(open, [&](const Json& order) {
      return by_age(order.integer_at("created_at")) && (market.empty() || order.string_at("market_id") == market);
    });
  };
  const TimestampMs after_ms = sent.entry.at_ms + 1;
  if (const Json* left = find_left([&](auto created_ms) { return is_before(created_ms, after_ms); }))
    return not_seen(told(*left));
  // The clocks may differ. If an order seems newer than the answer, its time is of another clock or in another unit,
  // and it may be older.
  const auto answered_ms = connection.server_date_ms();
  const auto may_be_older = [&](auto created_ms) {
    return !is_since(created_ms, after_ms + limits::auth_window_ms) ||
           (answered_ms && is_since(created_ms, *answered_ms + second_ms + created_slack_ms));
  };
  if (const Json* left = find_left(may_be_older)) return unclear(told(*left) + " and may be from before");
  // Only the lost answer could tell the cancelled orders from the filled ones.
  return accepted(Json::array(), "no order of before is open; those that it cancelled are not listed");
}

constexpr std::string_view order_lost[] = {"account_id", "filled_qty", "time_in_force", "created_at", "updated_at"};
constexpr std::string_view deposit_lost[] = {"balance"};
constexpr std::string_view claim_lost[] = {"available_at_ms"};
constexpr std::string_view credit_lost[] = {"credited_today", "daily_limit"};
constexpr std::string_view enrolment_lost[] = {"enrolled_at"};
constexpr std::string_view margin_lost[] = {"allocated_margin"};

// A write that makes a row in a list, which is read before it is sent. `row_key`: the member of its answer that has the
// row's id; empty: none.
template <class Write, class List, const char* noun, std::size_t page_rows = page_rows_max<typename List::Request>()>
constexpr Proof moves(std::string_view how, std::string_view row_key, std::span<const std::string_view> lost = {}) {
  return {&Write::op, how, look_moved<List, noun, page_rows>, lost, before_list<List>, row_key};
}

constexpr std::string_view by_client_id = "open orders, order history and fills, by client id";

// A row for each write: none is assumed. (D-1141)
constexpr std::array proofs{
    Proof{&api::ops::PlaceOrder::op, by_client_id, look_placed, order_lost},
    Proof{&api::ops::PlaceOrders::op, by_client_id, look_batch, order_lost},
    Proof{&api::ops::AmendOrder::op, "the order's price and size", look_changed<judge_amended>, order_lost},
    Proof{&api::ops::CancelOrder::op, "the order's status", look_changed<judge_cancelled>, order_lost},
    Proof{&api::ops::CancelAllOrders::op, "open orders", look_cancelled_all},
    moves<api::ops::SubmitWithdrawal, api::ops::ListWithdrawals, withdrawal_noun>("a new withdrawal of that amount",
                                                                                  id_member),
    moves<api::ops::SubmitDeposit, api::ops::ListDeposits, deposit_noun>("a new deposit of that amount", id_member,
                                                                         deposit_lost),
    moves<api::ops::DepositCollateral, api::ops::ListDeposits, deposit_noun>("a new deposit of that amount", {},
                                                                             deposit_lost),
    moves<api::ops::ClaimFaucet, api::ops::ListDeposits, faucet_noun>("a new faucet entry", {}, claim_lost),
    moves<api::ops::ClaimCredit, api::ops::ListDeposits, faucet_noun>("a new faucet entry of that amount", {},
                                                                      credit_lost),
    Proof{&api::ops::SubmitTransfer::op, "transfers of the account, by id", look_transferred},
    Proof{&api::ops::EnrollTransfers::op, "whether the account may list transfers", look_enrolled, enrolment_lost},
    moves<api::ops::CreateBridgeWithdrawal, api::ops::ListBridgeWithdrawals, bridge_noun,
          api::bridge_withdrawals_listed_max>("the same idempotency key again, then bridge withdrawals", id_member),
    Proof{&api::ops::AdjustMargin::op, "the sum of isolated margins, against what it was", look_margin, margin_lost,
          before_margin},
    Proof{&api::ops::SetMarginMode::op, "the market's margin mode", look_mode},
    Proof{&api::ops::SetLeverage::op, "the market's leverage", look_leverage},
    Proof{&api::ops::SetCancelOnDisconnect::op, "the setting", look_disconnect},
    Proof{&api::ops::CreateKey::op,
          "a new key of the account",
          look_key_made,
          {},
          before_list<api::ops::ListKeys, key_id_member>,
          key_id_member},
    Proof{&api::ops::DeleteKey::op, "the account's keys", look_gone<api::ops::ListKeys, key_id_member, deleted_member>},
    Proof{&api::ops::RegisterAgent::op, "the account's agents", look_agent_registered},
    Proof{&api::ops::RevokeAgent::op, "the account's agents",
          look_gone<api::ops::ListAgents, address_member, revoked_member>},
    Proof{&api::ops::SetTier::op, "tier overrides", look_tier_set},
    Proof{&api::ops::ResetTier::op, "tier overrides", look_tier_reset},
};
static_assert(std::ranges::all_of(api::AllOps::operations,
                                  [](const api::Operation* one) {
                                    return !one->changes_something() || is_among(one, proofs, &Proof::operation);
                                  }),
              "a write has a row above");

}  // namespace

Result<std::vector<Finding>> find_orders(Connection& connection, const Period& period,
                                         const std::vector<SoughtOrder>& sought) {
  auto open = SVC_TRY(connection.read<api::ops::ListOrders>());
  if (auto proved = judge_open(open, sought)) return std::move(*proved);
  const auto shown = SVC_TRY(read_with(connection, period, std::move(open)));
  std::vector<Finding> findings;
  for (const SoughtOrder& one : sought) findings.push_back(judge(shown, one));
  const bool none = std::ranges::all_of(
      findings, [](Verdict one) { return one == Verdict::not_seen; }, &Finding::verdict);
  if (none && !shown.client_ids_sent) {
    return failed("client_ids_not_sent", "this server sends no client ids, so its lists prove nothing");
  }
  return findings;
}

std::string_view to_string(Verdict verdict) {
  return enumerator_names<Verdict, Verdict::unknown>[static_cast<std::size_t>(verdict)];
}

std::string row_of(const Proof* proof, const Json& answer) {
  return proof == nullptr || proof->row_key.empty() ? "" : member_text(answer, proof->row_key);
}

const Proof* find_proof(std::string_view operation) {
  return found_in(proofs, operation, [](const Proof& proof) { return proof.operation->name; });
}

}  // namespace svc::cli::outbox
