#include "cluster/drill.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "base/decimal.h"
#include "base/random.h"
#include "cluster/fill_reader.h"
#include "cluster/order_history.h"
#include "cluster/trader.h"
#include "sim/sandbox_options.h"

namespace svc::cluster {
namespace {

constexpr auto patience = std::chrono::minutes(3);  // until something that must happen counts as not happening
constexpr auto look = std::chrono::milliseconds(20);
constexpr auto read_rest = std::chrono::milliseconds(50);
constexpr std::size_t writers_per_account = 4;
constexpr std::size_t resting_max = 30;  // of a writer
constexpr int lot_decimals = 8;
constexpr std::string_view market = "BTC-USDX-PERP";
constexpr std::array<std::string_view, 6> fault_names{"kill -9 of the leader",     "kill -9 of a follower",
                                                      "kill -9 of an etcd member", "pause of the leader past its lease",
                                                      "cut between two nodes",     "cut between the leader and etcd"};

std::string text_of(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t lots(const Json& record, const char* name) {
  const auto value = parse_scaled(text_of(record, name), lot_decimals);
  return value ? *value : 0;
}

// Orders that rest far from the market, and those that trade. The name says which.
bool is_resting(std::string_view client_id) {
  return client_id.starts_with("r");
}

std::string seconds_text(Instant nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%lld s", static_cast<long long>(nanoseconds / 1'000'000'000),
                static_cast<long long>(nanoseconds / 100'000'000 % 10));
  return text;
}

// What happened in a round, told by all threads.
class Tally {
 public:
  void acknowledged(Instant at) {
    const std::lock_guard lock(mutex_);
    longest_ = std::max(longest_, at - last_);
    last_ = std::max(last_, at);
    ++acknowledged_;
  }
  void refused() { ++refused_; }
  void unknown() { ++unknown_; }
  void violation(std::string what) {
    const std::lock_guard lock(mutex_);
    violations_.push_back(std::move(what));
  }
  void begin(Instant at) {
    const std::lock_guard lock(mutex_);
    last_ = at;
  }

  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  [[nodiscard]] std::size_t refusals() const { return refused_; }
  [[nodiscard]] std::size_t unknowns() const { return unknown_; }
  // Without an acknowledged write.
  [[nodiscard]] Instant longest() const {
    const std::lock_guard lock(mutex_);
    return longest_;
  }
  [[nodiscard]] std::vector<std::string> violations() const {
    const std::lock_guard lock(mutex_);
    return violations_;
  }

 private:
  mutable std::mutex mutex_;
  Instant last_ = 0;
  Instant longest_ = 0;
  std::size_t acknowledged_ = 0;
  std::atomic<std::size_t> refused_{0};
  std::atomic<std::size_t> unknown_{0};
  std::vector<std::string> violations_;
};

// An account, and what its clients saw.
struct Book {
  Book(Trader who, std::vector<api::Url> nodes, std::uint64_t seed)
      : trader(std::move(who)), reader(trader, std::move(nodes), seed) {}

  const Trader trader;
  FillReader reader;
  std::mutex mutex;  // guards what follows
  OrderHistory history;
  std::map<std::string, Answer> trades;  // orders that may trade, of this round; by client id

  // Of the main thread, from the rounds before.
  std::string last_fill;
  std::size_t fills = 0;
  std::int64_t position = 0;
};

class Writer {
 public:
  Writer(Book& book, Tally& tally, const std::vector<api::Url>& nodes, std::int64_t rest_ms, std::string name,
         std::uint64_t seed)
      : book_(book), tally_(tally), lines_(nodes), rest_ms_(rest_ms), name_(std::move(name)), chance_(seed) {}

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::uint64_t dice = chance_.below(10);
      if (dice < 3)
        trade();
      else if (mine_.empty() || (dice < 6 && mine_.size() < resting_max))
        rest();
      else if (dice < 8)
        amend();
      else
        cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(rest_ms_));
    }
  }

 private:
  struct Mine {
    std::string client_id;
    std::string id;
  };

  [[nodiscard]] std::size_t any_node() { return chance_.below(lines_.count()); }
  [[nodiscard]] std::string next_name(char kind) { return kind + name_ + '-' + std::to_string(++orders_); }
  // Of resting orders, each another one, so that a read tells which write it found.
  [[nodiscard]] std::string next_price() { return std::to_string(20'000 + ++prices_ % 20'000); }

  // What became of it, by its status of success.
  Answer told(const Reply& reply, int success, std::string_view what) {
    if (reply.status == success) {
      tally_.acknowledged(reply.span.answered);
      return Answer::acknowledged;
    }
    if (reply.is_refused()) {
      tally_.refused();
      return Answer::refused;
    }
    if (reply.status != 0)
      tally_.violation(std::string(what) + " is answered with " + std::to_string(reply.status) + ": " + reply.text);
    tally_.unknown();
    return Answer::unknown;
  }

  static std::string order(const std::string& client_id, std::string_view side, const std::string& quantity,
                           const std::string& price) {
    return Json{{"market_id", market},  {"side", side},   {"order_type", "Limit"}, {"time_in_force", "GTC"},
                {"quantity", quantity}, {"price", price}, {"client_id", client_id}}
        .dump();
  }

  // Sent again elsewhere if there was no answer: the client id makes that safe. `known` if it is there already.
  Reply place(const std::string& body) {
    Reply first = book_.trader.ask(lines_, any_node(), "POST", "/orders", body);
    if (first.status != 0 || first.is_refused()) return first;
    tally_.unknown();
    Reply second = book_.trader.ask(lines_, any_node(), "POST", "/orders", body);
    second.span.sent = first.span.sent;
    // That the second did not happen says nothing of the first.
    if (second.is_refused()) second = {.delivery = api::Delivery::unknown, .text = second.text, .span = second.span};
    return second;
  }

  void trade() {
    const std::string client_id = next_name('x');
    const Reply reply = place(order(client_id, chance_.below(2) == 0 ? "Buy" : "Sell",
                                    "0.00" + std::to_string(1 + chance_.below(3)), "60000"));
    // The first one happened and has ended.
    const bool has_ended = reply.status == 409;
    const Answer answer = has_ended ? Answer::acknowledged : told(reply, 201, "an order");
    const std::lock_guard lock(book_.mutex);
    book_.trades[client_id] = answer;
  }

  void rest() {
    const std::string client_id = next_name('r');
    const std::string price = next_price();
    const Reply reply = place(order(client_id, "Buy", "0.001", price));
    const Answer answer = told(reply, 201, "an order");
    if (answer == Answer::acknowledged) mine_.push_back({client_id, text_of(reply.body()["order"], "id")});
    const std::lock_guard lock(book_.mutex);
    book_.history.write(client_id, price, reply.span, answer);
  }

  void amend() {
    const std::size_t which = chance_.below(mine_.size());
    Mine& mine = mine_[which];
    const std::string price = next_price();
    const Reply reply =
        book_.trader.ask(lines_, any_node(), "PATCH", "/orders/" + mine.id, Json{{"price", price}}.dump());
    const Answer answer = told(reply, 200, "an amend");
    write(mine, price, reply.span, answer);
    if (answer == Answer::acknowledged) mine.id = text_of(reply.body(), "id");
    if (answer == Answer::unknown) forget(which);
  }

  void cancel() {
    const std::size_t which = chance_.below(mine_.size());
    const Reply reply = book_.trader.ask(lines_, any_node(), "DELETE", "/orders/" + mine_[which].id);
    const Answer answer = told(reply, 200, "a cancel");
    write(mine_[which], "", reply.span, answer);
    if (answer != Answer::refused) forget(which);
  }

  void write(const Mine& mine, const std::string& value, Span span, Answer answer) {
    const std::lock_guard lock(book_.mutex);
    book_.history.write(mine.client_id, value, span, answer);
  }
  void forget(std::size_t which) { mine_.erase(mine_.begin() + static_cast<std::ptrdiff_t>(which)); }

  Book& book_;
  Tally& tally_;
  Lines lines_;
  const std::int64_t rest_ms_;
  const std::string name_;
  Prng chance_;
  std::vector<Mine> mine_;
  std::uint64_t orders_ = 0;
  std::uint64_t prices_ = chance_.below(20'000);
};

// Notes a reply to GET /orders.
void note_read(Book& book, const Reply& reply, const std::string& where) {
  std::multimap<std::string, std::string> found;
  for (const Json& order : reply.body())
    if (const std::string id = text_of(order, "client_id"); is_resting(id)) found.emplace(id, text_of(order, "price"));
  const std::lock_guard lock(book.mutex);
  book.history.read(reply.span, std::move(found), where);
}

struct Row {
  std::size_t rounds = 0, acknowledged = 0, refused = 0, unknown = 0, reads = 0, violations = 0;
  Instant longest = 0;
};

class Drill {
 public:
  Drill(Machines& machines, const DrillTerms& terms, std::ostream& out)
      : machines_(machines), terms_(terms), out_(out) {
    for (std::size_t i = 0; i < machines.node_count(); ++i) nodes_.push_back(machines.url(i));
    lines_ = std::make_unique<Lines>(nodes_);
  }

  Result<std::size_t, std::string> run() {
    SVC_TRY(open_books());
    for (std::size_t round = 1; round <= terms_.rounds; ++round)
      for (const Fault fault : terms_.faults) SVC_TRY(this->round(fault, round));
    end_streams();
    print_table();
    return violations_;
  }

 private:
  using Done = Result<void, std::string>;

  Done open_books() {
    const std::size_t count = (terms_.writers + writers_per_account - 1) / writers_per_account;
    for (const sim::DevAccount& account : sim::dev_accounts(count, Usdx{})) {
      auto trader =
          Trader::sign_in(*lines_, books_.size() % nodes_.size(), *signing::PrivateKey::from_hex(account.private_key));
      if (!trader) return unexpected(trader.error());
      books_.push_back(std::make_unique<Book>(std::move(*trader), nodes_, terms_.seed + books_.size()));
    }
    return {};
  }

  // False: it did not happen.
  [[nodiscard]] bool wait_until(const std::function<bool()>& happened) const {
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
      if (happened()) return true;
      std::this_thread::sleep_for(look);
    }
    return false;
  }
  [[nodiscard]] Done writes_go_on(const Tally& tally, const char* when) const {
    const std::size_t wanted = tally.count() + terms_.steady;
    if (wait_until([&] { return tally.count() >= wanted; })) return {};
    return unexpected(std::string("writes are not accepted ") + when);
  }

  Done round(Fault fault, std::size_t number) {
    ++round_;
    began_ms_ = SystemClock().now_ms();
    Tally tally;
    std::optional<std::string> stuck;
    tally.begin(now());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < terms_.writers; ++i)
        threads.emplace_back([&, i](const std::stop_token& stop) {
          Writer(*books_[i / writers_per_account], tally, nodes_, terms_.rest_ms,
                 std::to_string(round_) + '-' + std::to_string(i), terms_.seed + round_ * 1'000 + i)
              .run(stop);
        });
      for (std::size_t i = 0; i < books_.size(); ++i)
        threads.emplace_back([&, i](const std::stop_token& stop) {
          read(*books_[i], tally, stop, terms_.seed + round_ * 1'000 + 500 + i);
        });
      if (auto done = break_and_mend(fault, number, tally); !done) stuck = done.error();
    }
    tally.acknowledged(now());  // ends the longest time without one
    const std::size_t reads = check(tally);
    print(fault, number, tally, reads);
    if (stuck) return unexpected(std::string(to_string(fault)) + ": " + *stuck);
    return {};
  }

  void read(Book& book, Tally& tally, const std::stop_token& stop, std::uint64_t seed) const {
    Lines lines(nodes_);
    Prng chance(seed);
    while (!stop.stop_requested()) {
      const std::size_t node = chance.below(nodes_.size());
      const Reply reply = book.trader.ask(lines, node, "GET", "/orders");
      if (reply.status == 200)
        note_read(book, reply, "at " + machines_.name_of(node));
      else if (reply.status != 0 && reply.status != 503)
        tally.violation("a read is answered with " + std::to_string(reply.status) + ": " + reply.text);
      std::this_thread::sleep_for(read_rest);
    }
  }

  Done break_and_mend(Fault fault, std::size_t number, Tally& tally) {
    SVC_TRY(writes_go_on(tally, "before the fault"));
    auto leader = machines_.leader();
    if (!wait_until([&] { return leader || (leader = machines_.leader()); })) return unexpected(leader.error());
    const std::size_t follower = (*leader + 1 + number % (nodes_.size() - 1)) % nodes_.size();
    const std::size_t member = number % Machines::member_count;
    const bool deposes = fault == Fault::kill_leader || fault == Fault::pause_leader || fault == Fault::cut_from_etcd;
    const Instant began = now();
    switch (fault) {
      case Fault::kill_leader: machines_.kill_node(*leader); break;
      case Fault::kill_follower: machines_.kill_node(follower); break;
      case Fault::kill_member: machines_.kill_member(member); break;
      case Fault::pause_leader: machines_.pause_node(*leader); break;
      case Fault::cut_nodes:  // the leader and a follower, and two followers, in turns
        SVC_TRY(machines_.cut_nodes(number % 2 == 1 ? *leader : (*leader + 1) % nodes_.size(),
                                    number % 2 == 1 ? follower : (*leader + 2) % nodes_.size()));
        break;
      case Fault::cut_from_etcd: SVC_TRY(machines_.cut_from_members(*leader)); break;
    }
    auto done = during(deposes, *leader, began, tally);
    switch (fault) {
      case Fault::kill_leader: SVC_TRY(machines_.start_node(*leader)); break;
      case Fault::kill_follower: SVC_TRY(machines_.start_node(follower)); break;
      case Fault::kill_member: SVC_TRY(machines_.start_member(member)); break;
      case Fault::pause_leader: machines_.go_on(*leader); break;
      case Fault::cut_nodes:
      case Fault::cut_from_etcd: SVC_TRY(machines_.heal()); break;
    }
    SVC_TRY(std::move(done));
    for (const auto& book : books_) book->reader.go_elsewhere();
    SVC_TRY(writes_go_on(tally, "after the fault"));
    // Every node takes writes again.
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (!wait_until([&] { return place_and_cancel(node, tally); }))
        return unexpected("node " + machines_.name_of(node) + " takes no writes after the fault");
    return {};
  }

  Done during(bool deposes, std::size_t leader, Instant began, Tally& tally) {
    Result<std::size_t, std::string> other = leader;
    if (deposes && !wait_until([&] { return (other = machines_.leader()) && *other != leader; }))
      return unexpected("no other node leads" + (other ? "" : ": " + other.error()));
    SVC_TRY(writes_go_on(tally, "during the fault"));
    if (!wait_until([&] { return now() - began >= terms_.hold_ms * 1'000'000; }))
      return unexpected(std::string("time stands"));
    return {};
  }

  // An order that nobody else needs, at that node.
  bool place_and_cancel(std::size_t node, Tally& tally) {
    const Trader& trader = books_.front()->trader;
    const Reply placed = trader.ask(*lines_, node, "POST", "/orders",
                                    Json{{"market_id", market},
                                         {"side", "Buy"},
                                         {"order_type", "Limit"},
                                         {"time_in_force", "GTC"},
                                         {"quantity", "0.001"},
                                         {"price", "15000"}}
                                        .dump());
    if (placed.status != 201) return false;
    tally.acknowledged(placed.span.answered);
    return trader.ask(*lines_, node, "DELETE", "/orders/" + text_of(placed.body()["order"], "id")).status == 200;
  }

  // Returns how many reads were checked.
  std::size_t check(Tally& tally) {
    std::size_t reads = 0;
    check_hashes(tally);
    for (const auto& book : books_) {
      check_lists(*book, tally);
      for (std::string& violation : book->history.violations()) tally.violation(std::move(violation));
      reads += book->history.reads();
      check_streams(*book, tally);
      clear(*book, tally);
    }
    return reads;
  }

  [[nodiscard]] Json status_of(std::size_t node) const {
    const Reply reply = ask_plainly(*lines_, node, "GET", "/_svc/status", {}, machines_.control_token().reveal());
    return reply.status == 200 ? reply.body() : Json();
  }

  // Whatever position two nodes are seen at, the hash is the same; and in the end all are seen at one.
  void check_hashes(Tally& tally) {
    std::map<std::uint64_t, std::string> hashes;
    std::string seen;
    const bool met = wait_until([&] {
      std::set<std::uint64_t> positions;
      seen.clear();
      for (std::size_t node = 0; node < nodes_.size(); ++node) {
        const Json status = status_of(node);
        if (!status.is_object()) {
          seen += machines_.name_of(node) + " does not say; ";
          positions.insert(node);
          continue;
        }
        const auto position = status["sequence"].get<std::uint64_t>();
        const std::string hash = text_of(status, "state_hash");
        seen += machines_.name_of(node) + ' ' + std::to_string(position) + ' ' + hash + "; ";
        positions.insert(position);
        if (const auto [known, is_new] = hashes.emplace(position, hash); !is_new && known->second != hash) {
          tally.violation("state hashes differ: " + seen);
          return true;
        }
      }
      return positions.size() == 1;
    });
    if (!met) tally.violation("the nodes do not meet at one position: " + seen);
  }

  // A list, equal at all nodes.
  Json list(Book& book, const std::string& target, Tally& tally) {
    Json first;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      Json rows = Json::array();
      const bool is_read = wait_until([&] {
        if (target.starts_with("/orders/history")) {
          auto pages = book.trader.rows_until(*lines_, node, target, "");
          if (pages) rows = std::move(*pages);
          return pages.has_value();
        }
        const Reply reply = book.trader.ask(*lines_, node, "GET", target);
        if (reply.status != 200) return false;
        if (target == "/orders") note_read(book, reply, "at " + machines_.name_of(node) + " after the round");
        rows = reply.body();
        return true;
      });
      if (!is_read) tally.violation("GET " + target + " is not answered at " + machines_.name_of(node));
      if (node == 0)
        first = std::move(rows);
      else if (rows != first)
        tally.violation("GET " + target + " differs between " + machines_.name_of(0) + " and " +
                        machines_.name_of(node));
    }
    return first;
  }

  void check_lists(Book& book, Tally& tally) {
    const Json open = list(book, "/orders", tally);
    const Json ended = list(book, "/orders/history?startTime=" + std::to_string(began_ms_), tally);
    const Json positions = list(book, "/positions", tally);
    std::map<std::string, std::vector<const Json*>> by_client_id;
    std::map<std::string, std::int64_t> filled;
    for (const Json* rows : {&open, &ended})
      for (const Json& row : *rows) {
        const std::string id = text_of(row, "client_id");
        by_client_id[id].push_back(&row);
        filled[text_of(row, "id")] = lots(row, "filled_qty");
      }
    for (const auto& [id, answer] : book.trades) {
      const std::size_t count = by_client_id.contains(id) ? by_client_id[id].size() : 0;
      if (count > 1) tally.violation(id + " is there " + std::to_string(count) + " times");
      if (count == 0 && answer == Answer::acknowledged) tally.violation(id + " was acknowledged and is lost");
      if (count > 0 && answer == Answer::refused) tally.violation(id + " was refused and is there");
    }
    const auto fills = book.trader.fills_after(*lines_, round_ % nodes_.size(), book.last_fill);
    if (!fills) return tally.violation(fills.error());
    std::map<std::string, std::int64_t> traded;
    std::set<std::string> ids;
    for (const Json& fill : *fills) {
      const std::int64_t size = lots(fill, "size");
      traded[text_of(fill, "order_id")] += size;
      book.position += text_of(fill, "side") == "buy" ? size : -size;
      if (!ids.insert(text_of(fill, "id")).second) tally.violation("fill " + text_of(fill, "id") + " is there twice");
    }
    for (const auto& [id, size] : traded)
      if (const auto order = filled.find(id); order != filled.end() && order->second != size)
        tally.violation("the fills of order " + id + " do not add up to what it says is filled");
    std::int64_t position = 0;
    for (const Json& row : positions)
      if (row["market_id"] == market)
        position = text_of(row, "side") == "Long" ? lots(row, "size") : -lots(row, "size");
    if (position != book.position) tally.violation("the fills of an account do not add up to its position");
    fills_of_round_ = {};
    for (const Json& fill : *fills) fills_of_round_.push_back(text_of(fill, "id"));
  }

  void check_streams(Book& book, Tally& tally) {
    const std::size_t wanted = book.fills + fills_of_round_.size();
    (void)wait_until([&] { return book.reader.seen().size() >= wanted; });
    const auto seen = book.reader.seen();
    const std::vector<std::string> told(seen.begin() + static_cast<std::ptrdiff_t>(std::min(book.fills, seen.size())),
                                        seen.end());
    if (told != fills_of_round_)
      tally.violation("a stream told " + std::to_string(told.size()) + " fills of " +
                      std::to_string(fills_of_round_.size()) + ", or in another order");
    book.fills = seen.size();
    if (!fills_of_round_.empty()) book.last_fill = fills_of_round_.back();
  }

  // The next round begins without orders. Requests whose outcome is unknown may still have one in it.
  void clear(Book& book, Tally& tally) {
    book.history = book.history.open_ends();
    book.trades.clear();
    if (!wait_until([&] { return book.trader.ask(*lines_, 0, "DELETE", "/orders").status == 200; }))
      tally.violation("the orders of an account cannot be cancelled");
  }

  void end_streams() {
    std::uint64_t connections = 0, repairs = 0;
    for (const auto& book : books_) {
      for (const std::string& violation : book->reader.violations()) {
        out_ << "  " << violation << '\n';
        ++violations_;
      }
      connections += book->reader.connections();
      repairs += book->reader.repairs();
    }
    out_ << "streams: " << books_.size() << " readers, " << connections << " connections, " << repairs
         << " times what was missed was read by REST\n";
  }

  void print(Fault fault, std::size_t number, const Tally& tally, std::size_t reads) {
    const auto violations = tally.violations();
    out_ << to_string(fault) << ", round " << number << ": " << tally.count() << " writes, " << tally.refusals()
         << " refused, " << tally.unknowns() << " without an answer, " << reads
         << " reads, longest time without a write " << seconds_text(tally.longest())
         << (violations.empty() ? "" : ", VIOLATIONS: ")
         << (violations.empty() ? "" : std::to_string(violations.size())) << std::endl;
    constexpr std::size_t shown_max = 20;
    for (std::size_t i = 0; i < std::min(violations.size(), shown_max); ++i) out_ << "  " << violations[i] << std::endl;
    violations_ += violations.size();
    Row& row = table_[fault];
    ++row.rounds;
    row.acknowledged += tally.count();
    row.refused += tally.refusals();
    row.unknown += tally.unknowns();
    row.reads += reads;
    row.violations += violations.size();
    row.longest = std::max(row.longest, tally.longest());
  }

  void print_table() {
    out_ << "\n| fault | rounds | writes | refused | without an answer | reads | violations | longest time without a "
            "write |\n"
            "|---|---|---|---|---|---|---|---|\n";
    for (const auto& [fault, row] : table_)
      out_ << "| " << to_string(fault) << " | " << row.rounds << " | " << row.acknowledged << " | " << row.refused
           << " | " << row.unknown << " | " << row.reads << " | " << row.violations << " | "
           << seconds_text(row.longest) << " |\n";
  }

  Machines& machines_;
  const DrillTerms terms_;
  std::ostream& out_;
  std::vector<api::Url> nodes_;
  std::unique_ptr<Lines> lines_;
  std::vector<std::unique_ptr<Book>> books_;
  std::size_t round_ = 0;
  TimestampMs began_ms_ = 0;                 // of the round
  std::vector<std::string> fills_of_round_;  // of the account that is being checked
  std::map<Fault, Row> table_;
  std::size_t violations_ = 0;
};

}  // namespace

std::string_view to_string(Fault fault) {
  return fault_names[static_cast<std::size_t>(fault)];
}

Result<std::size_t, std::string> run_drill(Machines& machines, const DrillTerms& terms, std::ostream& out) {
  return Drill(machines, terms, out).run();
}

}  // namespace svc::cluster
