#include "vopr/ledger.h"

#include <algorithm>

#include "base/assert.h"
#include "base/decimal.h"

namespace svc::vopr {
namespace {

using cli::Json;
using Kind = Intent::Kind;

bool same_number(std::string_view a, std::string_view b) {
  const auto x = parse_decimal(a);
  const auto y = parse_decimal(b);
  return x && y && *x == *y;
}

std::string text_at(const Json& row, std::string_view key) {
  const Json* member = row.find(key);
  return member == nullptr ? std::string() : member->text();
}

// Two orders with one client id never have the same price. Self-trade prevention may have reduced the quantity.
bool has_terms(const Json& order, const Intent& intent) {
  std::string side = text_at(order, "side");
  if (side == "buy" || side == "sell") side.front() = static_cast<char>(side.front() - 'a' + 'A');  // as in history
  return text_at(order, "client_id") == intent.client_id && side == intent.side &&
         same_number(text_at(order, "price"), intent.price);
}

bool is_final(std::string_view verdict) {
  return verdict == "accepted" || verdict == "rejected" || verdict == "not_accepted";
}

}  // namespace

std::string Intent::name() const {
  switch (kind) {
    case Kind::order: return "order " + client_id + " (" + side + " " + quantity + " @ " + price + ")";
    case Kind::amend: return "amend of " + order_id + " (" + client_id + ") to " + price;
    case Kind::deposit: return "deposit of " + amount;
    case Kind::cancel: return "cancel of " + order_id + " (" + client_id + ")";
  }
  return {};
}

Intent& Ledger::add(Intent intent) {
  intents_.push_back(std::move(intent));
  return intents_.back();
}

std::size_t Ledger::orders_under(std::string_view client_id) const {
  return static_cast<std::size_t>(std::count_if(intents_.begin(), intents_.end(), [&](const Intent& intent) {
    return intent.kind == Intent::Kind::order && intent.client_id == client_id;
  }));
}

void Ledger::told(Intent& intent, bool is_accepted, const std::string& by) {
  (is_accepted ? intent.accepted_by : intent.not_accepted_by).push_back(by);
}

void Ledger::heard(std::size_t machine, std::string_view id, std::string_view verdict, const Json& record,
                   const std::string& by) {
  if (!is_final(verdict)) return;
  verdicts_.push_back(
      {.machine = machine, .id = std::string(id), .verdict = std::string(verdict), .record = record, .by = by});
}

// Two writes of a machine may have one client id, and the notice does not say which one it means.
void Ledger::heard_notice(std::size_t machine, std::string_view client_id, std::string_view verdict,
                          const std::string& by) {
  if (client_id.empty() || !is_final(verdict)) return;
  std::vector<Intent*> meant;
  for (Intent& intent : intents_)
    if (intent.machine == machine && intent.client_id == client_id && intent.kind == Kind::order)
      meant.push_back(&intent);
  if (meant.size() == 1) apply(*meant.front(), verdict, by);
}

void Ledger::still_open(std::size_t machine, std::string_view id) {
  open_.emplace(machine, id);
}

void Ledger::read_journal(std::size_t machine, const Json& rows) {
  for (const Json& row : rows.items()) {
    const Json* intent = row.find("intent");
    if (intent == nullptr) continue;
    Written written{.operation = std::string(intent->string_at("operation").value_or("")),
                    .target = std::string(intent->string_at("target").value_or("")),
                    .body = {},
                    .result = "unanswered"};
    if (const Json* body = intent->find("body")) written.body = *body;
    if (const auto outcome = row.string_at("outcome.outcome")) written.result = *outcome;
    if (const auto verdict = row.string_at("reconciled.verdict")) written.result = *verdict;
    journal_[{machine, text_at(row, "id")}] = std::move(written);
  }
}

bool Ledger::is_of(const Intent& intent, const Written& written, const Json& body) {
  const std::string path = written.target.substr(0, written.target.find('?'));
  const auto targets_order = [&] { return path.ends_with("/orders/" + intent.order_id); };
  switch (intent.kind) {
    case Kind::order:
      return (written.operation == "place_order" || written.operation == "place_orders") && has_terms(body, intent);
    case Kind::amend:
      return written.operation == "amend_order" && targets_order() && same_number(text_at(body, "price"), intent.price);
    case Kind::deposit:
      return written.operation == "submit_deposit" && same_number(text_at(body, "amount"), intent.amount);
    case Kind::cancel: return written.operation == "cancel_order" && targets_order();
  }
  return false;
}

void Ledger::apply(Intent& intent, std::string_view verdict, const std::string& by) {
  if (verdict == "accepted") told(intent, true, by);
  if (verdict == "not_accepted" || (verdict == "rejected" && intent.kind == Kind::order)) told(intent, false, by);
}

void Ledger::apply(const Verdict& verdict) {
  const auto written = journal_.find({verdict.machine, verdict.id});
  if (written == journal_.end()) {
    // A full disk refuses to sync a line, another run reads it, and a power cut takes it. Its write was never sent.
    if (verdict.verdict == "accepted")
      world_.complain(verdict.by + " called write " + verdict.id + " accepted, which is not in the journal");
    return;
  }
  const Json& body = written->second.body;
  const Json* list = body.find("orders");
  const std::vector<Json>& orders = list != nullptr ? list->items() : body.items();
  for (Intent& intent : intents_) {
    if (intent.machine != verdict.machine) continue;
    if (written->second.operation != "place_orders") {
      if (is_of(intent, written->second, body)) apply(intent, verdict.verdict, verdict.by);
      continue;
    }
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (!is_of(intent, written->second, orders[i])) continue;
      if (verdict.verdict == "not_accepted") apply(intent, verdict.verdict, verdict.by);
      if (verdict.verdict != "accepted" || i >= verdict.record.items().size()) continue;
      const auto outcome = verdict.record.items()[i].string_at("outcome");
      told(intent, outcome == "ok", verdict.by);
    }
  }
}

Ledger::Truth Ledger::read(Server& server, const Seat& seat) {
  Truth truth;
  const auto pages = [&](const std::string& path, std::vector<Json>& into) {
    std::string cursor;
    do {
      const auto answer =
          server.ask(&seat, "GET", path + (cursor.empty() ? "" : std::string("&cursor=").append(cursor)));
      const auto rows = cli::parse_json(answer.body);
      SVC_ASSERT(answer.status == 200 && rows.has_value());
      const Json* inner = rows->find("deposits");
      for (const Json& row : (inner != nullptr ? *inner : *rows).items()) into.push_back(row);
      cursor = std::string(answer.headers.find("X-Next-Cursor").value_or(""));
    } while (!cursor.empty());
  };
  pages("/orders", truth.orders);
  pages("/orders/history?limit=500", truth.orders);
  for (const Json& row : truth.orders) truth_ += row.dump() + "\n";
  pages("/deposits?limit=100", truth.deposits);
  // The exchange may have forgotten the outcome of old orders.
  auto& known = known_orders_[seat.account];
  for (const Json& row : truth.orders) known[text_at(row, "id")] = row;
  truth.orders.clear();
  for (const auto& [id, row] : known) truth.orders.push_back(row);
  std::vector<Json> fills;
  pages("/fills?limit=1000", fills);
  for (auto fill = fills.rbegin(); fill != fills.rend(); ++fill) truth.fills.push_back(text_at(*fill, "id"));
  for (const Json& row : truth.deposits) truth_ += row.dump() + "\n";
  for (const std::string& fill : truth.fills) truth_ += fill + "\n";
  return truth;
}

std::size_t Ledger::count(const Intent& intent, const Truth& truth) const {
  const auto count_orders = [&](const auto& matches) {
    return static_cast<std::size_t>(std::count_if(truth.orders.begin(), truth.orders.end(), [&](const Json& order) {
      return text_at(order, "status") != "Rejected" && matches(order);
    }));
  };
  switch (intent.kind) {
    case Kind::order: return count_orders([&](const Json& order) { return has_terms(order, intent); });
    case Kind::amend:
      return count_orders([&](const Json& order) {
        return text_at(order, "client_id") == intent.client_id && same_number(text_at(order, "price"), intent.price);
      });
    case Kind::deposit:
      return static_cast<std::size_t>(std::count_if(truth.deposits.begin(), truth.deposits.end(), [&](const Json& row) {
        return same_number(text_at(row, "amount"), intent.amount);
      }));
    // Whether the order has ended; somebody else may have ended it as well.
    case Kind::cancel:
      return count_orders([&](const Json& order) {
               const std::string status = text_at(order, "status");
               return text_at(order, "id") == intent.order_id && status != "Open" && status != "PartiallyFilled";
             }) > 0
                 ? 1
                 : 0;
  }
  return 0;
}

void Ledger::check(const Intent& intent, std::size_t there) {
  const auto said = [](const std::vector<std::string>& by) { return " (" + by.front() + ")"; };
  if (there > 1) world_.complain(intent.name() + " is there " + std::to_string(there) + " times");
  if (!intent.accepted_by.empty() && there == 0)
    world_.complain(intent.name() + " was called accepted" + said(intent.accepted_by) + " and is not there");
  if (intent.kind == Kind::cancel) return;
  if (!intent.not_accepted_by.empty() && there > 0)
    world_.complain(intent.name() + " was called not accepted" + said(intent.not_accepted_by) + " and is there");
  if (there == 0 || !intent.accepted_by.empty()) return;
  for (const auto& [key, written] : journal_) {
    if (key.first != intent.machine || (written.result != "accepted" && !open_.contains(key))) continue;
    const Json* list = written.body.find("orders");
    const std::vector<Json>& orders = list != nullptr ? list->items() : written.body.items();
    if (is_of(intent, written, written.body)) return;
    if (std::any_of(orders.begin(), orders.end(), [&](const Json& one) { return is_of(intent, written, one); })) return;
  }
  world_.complain(intent.name() + " is there, and nobody was told");
}

void Ledger::watched(std::size_t seat, const std::string& lines, const std::string& by) {
  watched_.push_back({.seat = seat, .lines = lines, .by = by});
}

void Ledger::check(const Watched& watched, const std::vector<std::string>& fills) {
  std::optional<std::size_t> last;
  bool may_miss = true;  // events before the subscription
  std::string_view rest = watched.lines;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const auto line = cli::parse_json(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (!line) continue;
    const auto type = line->string_at("type");
    if (type == "gap") may_miss = true;
    const Json* complete = line->find("complete");
    if (type == "resync" && complete != nullptr) may_miss = !complete->truth();
    if (type != "event") continue;
    const std::string id = text_at(*line->find("payload"), "id");
    const auto found = std::find(fills.begin(), fills.end(), id);
    if (found == fills.end()) {
      world_.complain(watched.by + " told of fill " + id + ", which is not there");
      continue;
    }
    const auto place = static_cast<std::size_t>(found - fills.begin());
    if (last && place <= *last) world_.complain(watched.by + " told of fill " + id + " twice or out of order");
    if (!may_miss && last && place != *last + 1)
      world_.complain(watched.by + " told of fill " + id + " and of none before it, without a word");
    may_miss = false;
    last = place;
  }
}

// The outcome may stay unknown for other kinds of writes, for orders that exist, and for reused client ids: the
// program says so, and nothing is lost.
void Ledger::check_outboxes() const {
  for (const auto& key : open_) {
    const auto written = journal_.find(key);
    if (written == journal_.end()) {
      world_.complain("an outbox holds write " + key.second + ", which is not in the journal");
      continue;
    }
    const std::string& operation = written->second.operation;
    if (operation != "place_order" && operation != "place_orders") continue;
    const Json& body = written->second.body;
    bool may_stay = false;
    for (const Intent& intent : intents_) {
      const bool is_this = is_of(intent, written->second, body) ||
                           std::any_of(body.items().begin(), body.items().end(),
                                       [&](const Json& one) { return is_of(intent, written->second, one); });
      if (intent.kind != Kind::order || intent.machine != key.first || !is_this) continue;
      may_stay = may_stay || there_now_.contains(&intent) || orders_under(intent.client_id) > 1;
    }
    if (!may_stay) world_.complain("an outbox still holds write " + key.second + ", of which nothing is there");
  }
}

void Ledger::look(Server& server, const std::vector<Seat>& seats) {
  for (const Seat& seat : seats) (void)read(server, seat);
}

void Ledger::check(Server& server, const std::vector<Seat>& seats) {
  for (const Verdict& verdict : verdicts_) apply(verdict);
  verdicts_.clear();
  truth_.clear();
  there_ = 0;
  for (std::size_t seat = 0; seat < seats.size(); ++seat) {
    const Truth truth = read(server, seats[seat]);
    for (const Intent& intent : intents_) {
      if (intent.seat != seat) continue;
      const std::size_t there = count(intent, truth);
      there_ += there;
      if (there > 0) there_now_.insert(&intent);
      check(intent, there);
    }
    for (const Watched& watched : watched_)
      if (watched.seat == seat) check(watched, truth.fills);
  }
}

}  // namespace svc::vopr
