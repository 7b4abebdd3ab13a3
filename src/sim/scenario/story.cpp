#include "sim/scenario/story.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "sim/scenario/difference.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/session_text.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

template <class T>
std::vector<std::string> accounts_named(const T& step) {
  if constexpr (requires { step.to; }) return {step.account, step.to};
  if constexpr (requires { step.account; }) return {step.account};
  return {};
}

// quote / quantity in USDX per base unit: a decimal if that is exact to 1e-6, else the fraction. (D-181)
std::string unit_price(const MarketSpec& spec, Usdx quote, Lots lots) {
  // lots * lot_size = lots * coefficient / 10^scale
  i128 num = quote.value;
  for (int i = 0; i < spec.lot_size.scale; ++i) num *= 10;
  const i128 den = static_cast<i128>(lots.value) * spec.lot_size.coefficient;
  const Usdx rounded{narrow(div_round(num, den, Rounding::half_up))};
  constexpr i128 term_max = std::numeric_limits<std::int64_t>::max();
  const bool fits = num <= term_max && num >= -term_max && den <= term_max / usdx_one;
  if (num % den == 0 || !fits) return format_usdx(rounded);
  const Rational exact = reduced({narrow(num), narrow(den * usdx_one)});
  return format_scaled(exact.num, 0) + "/" + format_scaled(exact.den, 0);
}

json null_if_empty(std::string_view text) {
  return text.empty() ? json(nullptr) : json(text);
}

}  // namespace

Story::Story(const Scenario& scenario) : scenario_(scenario), engine_({.markets = scenario.markets}) {
  name_accounts(scenario);
  // A story tells the index, and the mark is the same. Injected marks would never go stale.
  for (const MarketSpec& market : scenario.markets) {
    engine_.apply({now_ms_, SetPriceMode{market_of(market.id), PriceMode::index_only}}, events_);
  }
}

// Ties are broken by address, and among the people of a story by name: addresses are handed out in name order.
void Story::name_accounts(const Scenario& scenario) {
  std::set<std::string> names;
  for (const Step& step : scenario.steps) {
    for (std::string& name : std::visit([](const auto& s) { return accounts_named(s); }, step))
      names.insert(std::move(name));
  }
  std::uint32_t rank = 0;
  for (const std::string& name : names) {
    Address address;
    ++rank;
    for (int byte = 0; byte < 4; ++byte) {
      address.bytes[static_cast<std::size_t>(19 - byte)] = static_cast<std::uint8_t>(rank >> (8 * byte));
    }
    addresses_[name] = address;
    names_[address] = name;
  }
}

MarketIndex Story::market_of(const std::string& id) const {
  const auto market = engine_.find_market(id);
  if (!market) throw FieldError{place_of(step_, scenario_.lines) + ": no market " + id};
  return *market;
}

// What a client may get wrong is the engine's to refuse.
MarketIndex Story::market_or_unknown(const std::string& id) const {
  constexpr MarketIndex unknown{UINT16_MAX};
  return engine_.find_market(id).value_or(unknown);
}

void Story::tell() {
  for (const Step& step : scenario_.steps) {
    ++step_;
    std::visit([this](const auto& s) { tell(s); }, step);
    for (const std::string& violation : engine_.violations()) {
      violations_.push_back("invariant (" + place_of(step_, scenario_.lines) + "): " + violation);
    }
  }
}

const Outcome& Story::apply(const decltype(Command::body)& body) {
  events_.clear();
  const Outcome& outcome = engine_.apply({now_ms_, body}, events_);
  for (const Event& event : events_.events()) note(event);
  if (!outcome.ok()) rejects_.push_back({{"step", step_}, {"error", to_string(outcome.reject)}});
  return outcome;
}

void Story::tell(const DepositStep& step) {
  apply(Deposit{address_of(step.account), step.amount});
}
void Story::tell(const WithdrawStep& step) {
  apply(Withdraw{address_of(step.account), step.amount});
}
void Story::tell(const FundInsuranceStep& step) {
  apply(FundInsurance{step.amount});
}

void Story::tell(const TransferStep& step) {
  apply(Transfer{address_of(step.account), address_of(step.to), step.amount});
}

void Story::tell(const SetMarksStep& step) {
  OracleTick tick;
  for (const auto& [id, price] : step.marks) {
    const MarketIndex market = market_of(id);
    tick.prices.push_back({market, nearest_tick(spec(market), price), std::nullopt});
  }
  apply(tick);
}

void Story::tell(const PlaceStep& step) {
  OrderParams params;
  params.market = market_or_unknown(step.market);
  params.side = step.side;
  params.type = step.type;
  params.time_in_force = step.time_in_force;
  params.stp = step.stp;
  params.reduce_only = step.reduce_only;
  if (engine_.find_market(step.market)) {
    const MarketSpec& market = spec(params.market);
    params.quantity = measure_lots(market, step.quantity);
    if (step.price) params.price = measure_price(market, *step.price);
    if (step.trigger) params.trigger = measure_price(market, *step.trigger);
  }
  params.trailing_offset_bps = step.trailing_offset_bps;
  params.limit_offset_bps = step.limit_offset_bps;
  params.max_slippage_bps = step.max_slippage_bps;
  const auto client_id = ClientId::from(step.client_id);
  if (!client_id) throw FieldError{place_of(step_, scenario_.lines) + ": client_id is too long"};
  params.client_id = *client_id;
  const OrderOutcome& item = apply(PlaceOrder{address_of(step.account), params}).orders.front();
  if (item.reject == Reject::none) {
    label(step.label, item.order);
  } else if (!step.label.empty() && !labelled_.contains(step.label)) {
    refused_[step.label] = {{"step", step_},
                            {"status", to_string(OrderStatus::rejected)},
                            {"filled", "0"},
                            {"quantity", format_decimal(step.quantity)},
                            {"reason", to_string(item.reject)},
                            {"price", step.price ? json(format_decimal(*step.price)) : json(nullptr)}};
  }
}

void Story::tell(const AmendStep& step) {
  AmendOrder command;
  if (const auto known = labelled_.find(step.order); known != labelled_.end()) {
    const MarketSpec& market = spec(known->second.market);
    command.order = known->second.id;
    command.account = known->second.account;
    if (step.price) command.price = measure_price(market, *step.price);
    if (step.size) command.size = measure_lots(market, *step.size);
  }
  const OrderOutcome& item = apply(command).orders.front();
  if (item.reject == Reject::none) label(step.label, item.order);
}

void Story::tell(const CancelStep& step) {
  const auto known = labelled_.find(step.order);
  apply(known == labelled_.end() ? CancelOrder{} : CancelOrder{known->second.account, known->second.id});
}

void Story::tell(const CancelAllStep& step) {
  CancelAll command{.account = address_of(step.account)};
  if (step.market) command.market = market_or_unknown(*step.market);
  apply(command);
}
void Story::tell(const DisconnectStep& step) {
  apply(CancelAll{.account = address_of(step.account),
                  .market = std::nullopt,
                  .scope = CancelScope::resting_orders,
                  .reason = CancelReason::cancel_on_disconnect});
}

void Story::tell(const SetLeverageStep& step) {
  apply(SetLeverage{address_of(step.account), market_or_unknown(step.market), step.leverage});
}

void Story::tell(const SetMarginModeStep& step) {
  apply(SetMarginMode{address_of(step.account), market_or_unknown(step.market), step.mode});
}

void Story::tell(const MarginStep& step) {
  apply(AdjustMargin{address_of(step.account), market_or_unknown(step.market), step.amount, step.direction});
}

void Story::tell(const FundingStep& step) {
  const MarketIndex market = market_of(step.market);
  apply(InjectFunding{market, step.rate, nearest_tick(spec(market), step.index)});
}

void Story::tell(const AdvanceStep& step) {
  now_ms_ += step.ms;
  apply(PassTime{});
}

void Story::tell(const HaltStep& step) {
  apply(HaltMarket{market_of(step.market), "told"});
}
void Story::tell(const SettleStep& step) {
  const MarketIndex market = market_of(step.market);
  apply(SettleMarket{market, nearest_tick(spec(market), step.price)});
}
void Story::tell(const ResumeStep& step) {
  apply(ResumeMarket{market_of(step.market), step.inject});
}
void Story::tell(const SnapshotStep& step) {
  snapshots_[step.name] = ledger();
  snapshots_[step.name]["books"] = books();
}

void Story::label(const std::string& name, const OrderRecord& order) {
  if (!name.empty()) labelled_[name] = order;
}

void Story::note(const Event& event) {
  std::visit([this](const auto& e) { note(e); }, event);
}

void Story::note(const OrderChanged& changed) {
  orders_[changed.order.id] = {changed.order, step_};
}
void Story::note(const PositionChanged& changed) {
  positions_[{changed.account, changed.market}] = changed;
}

void Story::note(const Trade& trade) {
  const MarketSpec& market = spec(trade.market);
  trades_.push_back({{"step", step_},
                     {"market", market.id},
                     {"price", format_price(market, trade.price)},
                     {"quantity", format_lots(market, trade.quantity)},
                     {"taker_side", trade.taker_side == Side::buy ? "buy" : "sell"},
                     {"taker", name_of(trade.taker)},
                     {"maker", name_of(trade.maker)},
                     {"is_liquidation", trade.is_liquidation}});
}

void Story::note(const InsuranceChanged& changed) {
  if (changed.cause != FundCause::shortfall) return;
  risk_events_.push_back({{"step", step_},
                          {"kind", "insurance_draw"},
                          {"account", name_of(changed.account)},
                          {"market", spec(changed.market).id},
                          {"amount", format_usdx(-changed.delta)}});
}

void Story::note(const Deleveraged& event) {
  // A story tells of a resume what it closed.
  if (event.by_resume && event.closures.empty()) return;
  const MarketSpec& market = spec(event.market);
  json closures = json::array();
  for (const AdlClosure& closure : event.closures) {
    closures.push_back({{"account", name_of(closure.account)},
                        {"position_closed", format_lots(market, closure.quantity)},
                        {"settlement_amount", format_usdx(closure.settlement_amount)}});
  }
  const std::string price = unit_price(market, event.bankruptcy_quote, event.bankruptcy_lots);
  risk_events_.push_back({{"step", step_},
                          {"kind", event.by_resume ? "adl_resume" : "adl"},
                          {"market", market.id},
                          {"target", name_of(event.target)},
                          {event.by_resume ? "price" : "bankruptcy_price", price},
                          {"bad_debt_absorbed_by_fund", format_usdx(event.absorbed_by_fund)},
                          {"closures", closures}});
}

void Story::note(const MarketStatusChanged& changed) {
  if (changed.reason != HaltReason::adl_exhausted) return;
  const MarketSpec& market = spec(changed.market);
  risk_events_.push_back(
      {{"step", step_}, {"kind", "halt"}, {"market", market.id}, {"residual", format_lots(market, changed.residual)}});
}

json Story::outcome() const {
  json orders = refused_;
  for (const auto& [name, record] : labelled_) orders[name] = order(name);
  return {{"trades", trades_},           {"rejects", rejects_}, {"orders", orders},       {"books", books()},
          {"risk_events", risk_events_}, {"final", ledger()},   {"snapshots", snapshots_}};
}

json Story::books() const {
  json books = json::object();
  for (const MarketSpec& market : scenario_.markets) {
    const MarketIndex index = market_of(market.id);
    books[market.id] = {{"bids", book(index, Side::buy)}, {"asks", book(index, Side::sell)}};
  }
  return books;
}

json Story::order(const std::string& name) const {
  const auto& [record, step] = orders_.at(labelled_.at(name).id);
  const MarketSpec& market = spec(record.market);
  const json price = record.price == Ticks{} ? json(nullptr) : json(format_price(market, record.price));
  return {{"step", step},
          {"status", to_string(record.status)},
          {"filled", format_lots(market, record.filled)},
          {"quantity", format_lots(market, record.quantity)},
          {"reason", null_if_empty(spell_reason(record))},
          {"price", price}};
}

json Story::book(MarketIndex market, Side side) const {
  json rows = json::array();
  for (const OrderRecord& record : engine_.resting_orders(market, side)) {
    rows.push_back({{"price", format_price(spec(market), record.price)},
                    {"remaining", format_lots(spec(market), record.remaining())},
                    {"account", name_of(record.account)}});
  }
  return rows;
}

json Story::account(const Address& address) const {
  const AccountFigures figures = engine_.account(address);
  json positions = json::object();
  for (const MarketSpec& market : scenario_.markets) {
    const MarketIndex index = market_of(market.id);
    PositionChanged totals;
    if (const auto told = positions_.find({address, index}); told != positions_.end()) totals = told->second;
    Usdx unrealized{};
    for (const PositionRow& row : engine_.positions(address)) {
      if (row.market == index) unrealized = row.unrealized_pnl;
    }
    positions[market.id] = {
        {"size", format_lots(market, totals.size)},           {"open_notional", format_usdx(totals.cost)},
        {"realized_pnl", format_usdx(totals.realized_total)}, {"fees", format_usdx(totals.fees_total)},
        {"funding", format_usdx(totals.funding_total)},       {"unrealized_pnl", format_usdx(unrealized)},
        {"isolated_margin", format_usdx(totals.isolated)}};
  }
  return {{"balance", format_usdx(figures.balance)},
          {"equity", format_usdx(figures.equity)},
          {"available_margin", format_usdx(figures.available)},
          {"positions", positions}};
}

json Story::ledger() const {
  json accounts = json::object();
  for (const auto& [name, address] : addresses_) accounts[name] = account(address);
  json markets = json::object();
  for (const MarketSpec& market : scenario_.markets) {
    const MarketFigures figures = engine_.market(market_of(market.id), now_ms_);
    markets[market.id] = {{"status", to_string(figures.status)},
                          {"halt_reason", null_if_empty(to_string(figures.halt_reason))}};
  }
  const VenueFigures venue = engine_.venue();
  return {{"step", step_},
          {"accounts", accounts},
          {"insurance_fund", format_usdx(venue.insurance_fund)},
          {"fee_treasury", format_usdx(venue.fee_treasury)},
          {"markets", markets}};
}

namespace {

using nlohmann::json;

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// ID NAME VALUE ...; tiers as "0:0.1:0.05,20000:0.2:0.1".
json market_of(Words words) {
  json market = {{"id", words.next("the market")}};
  while (!words.done()) {
    const std::string name = words.next("a field");
    if (name == "tiers") {
      for (const std::string& tier : split(words.next("tiers"), ',')) market[name].push_back(split(tier, ':'));
    } else if (name == "max_leverage" || name.ends_with("_ppm") || name.ends_with("_ms")) {
      market[name] = read_integer(words, name.c_str());
    } else {
      market[name] = words.next("its value");
    }
  }
  return market;
}

// Rows of a picture or a table: the lines that are indented more than the one that begins it.
std::span<const TextLine> rows_below(std::span<const TextLine> lines) {
  std::size_t count = 1;
  while (count < lines.size() && lines[count].indent > lines.front().indent) ++count;
  return lines.subspan(1, count - 1);
}

// "12 | 3 bob, 4 carol": orders of one price, the one that fills first on the left.
json level_of(const TextLine& line) {
  Words words(line);
  const std::string price = words.next("a price");
  if (!words.skip("|")) fail(line, "expected | after the price");
  json rows = json::array();
  while (!words.done()) {
    const std::string remaining = words.next("a quantity");
    std::string account = words.next("an account");
    if (account.back() == ',') account.pop_back();
    rows.push_back({{"price", price}, {"remaining", remaining}, {"account", account}});
  }
  return rows;
}

// Asks above the line of dashes, best at the bottom; bids below it, best on top.
json picture_of(std::span<const TextLine> rows, const TextLine& head) {
  json bids = json::array();
  std::vector<json> asks;
  bool below = false;
  for (const TextLine& row : rows) {
    const bool dashes = row.words.size() == 1 && row.words[0].find_first_not_of('-') == std::string::npos;
    if (dashes) {
      below = true;
    } else if (below) {
      for (json& order : level_of(row)) bids.push_back(std::move(order));
    } else {
      asks.push_back(level_of(row));
    }
  }
  if (!below) fail(head, "a book needs a line of dashes between asks and bids");
  json best_first = json::array();
  for (auto level = asks.rbegin(); level != asks.rend(); ++level) {
    for (json& order : *level) best_first.push_back(std::move(order));
  }
  return {{"bids", std::move(bids)}, {"asks", std::move(best_first)}};
}

// A row of names, then rows of values: "-" is null, "." is not looked at.
std::vector<json> table_of(std::span<const TextLine> rows, const TextLine& head) {
  if (rows.empty()) fail(head, "expected a table below");
  std::vector<json> records;
  for (const TextLine& row : rows.subspan(1)) {
    if (row.words.size() != rows[0].words.size()) {
      fail(row, "expected " + std::to_string(rows[0].words.size()) + " columns, as in line " +
                    std::to_string(rows[0].number));
    }
    json record = json::object();
    for (std::size_t i = 0; i < row.words.size(); ++i) {
      if (row.words[i] != ".") record[rows[0].words[i]] = row.words[i] == "-" ? json(nullptr) : json(row.words[i]);
    }
    records.push_back(std::move(record));
  }
  return records;
}

// The record's name, which is its first column.
std::string take_key(json& record, const char* column, const TextLine& head) {
  if (!record.contains(column) || !record[column].is_string())
    fail(head, std::string("the table needs a column ") + column);
  std::string key = record[column];
  record.erase(column);
  return key;
}

// One scenario being read.
class StoryText {
 public:
  StoryText(const TextLine& head, const json& markets) : markets_(markets) {
    if (head.words.size() < 2) fail(head, "expected = ID TITLE");
    vector_ = {{"id", head.words[1]}, {"title", head.joined(2)}};
  }

  // Reads a step or an expectation; returns how many lines it took.
  std::size_t read(std::span<const TextLine> lines) {
    const TextLine& line = lines.front();
    if (const auto found = expectations().find(line.words[0]); found != expectations().end()) {
      const auto rows = rows_below(lines);
      (this->*found->second)(Words(line), rows);
      return 1 + rows.size();
    }
    read_line(line);
    return 1;
  }

  json finish() {
    vector_["given"] = {{"markets", markets_}, {"steps", std::move(steps_)}, {"lines", std::move(lines_)}};
    expect_["rejects"] = std::move(rejects_);
    vector_["expect"] = std::move(expect_);
    return std::move(vector_);
  }

  // What precedes the first scenario precedes each.
  StoryText& begin_with(const std::vector<TextLine>& lines) {
    for (const TextLine& line : lines) read_line(line);
    return *this;
  }

 private:
  using Expectation = void (StoryText::*)(Words, std::span<const TextLine>);

  static const std::map<std::string, Expectation>& expectations() {
    static const std::map<std::string, Expectation> table = {
        {"book", &StoryText::expect_book},           {"accounts", &StoryText::expect_accounts},
        {"positions", &StoryText::expect_positions}, {"venue", &StoryText::expect_venue},
        {"markets", &StoryText::expect_markets},     {"orders", &StoryText::expect_orders},
        {"trades", &StoryText::expect_trades},       {"events", &StoryText::expect_events},
    };
    return table;
  }

  // "... -> Refusal" at the end of a step.
  void read_line(TextLine line) {
    std::string refusal;
    if (line.words.size() > 2 && line.words[line.words.size() - 2] == "->") {
      refusal = line.words.back();
      line.words.resize(line.words.size() - 2);
    }
    add_step(read_step(line, markets_.at(0).at("id")), line);
    if (!refusal.empty()) rejects_.push_back({{"step", steps_.size()}, {"error", refusal}});
    looked_at_.clear();
  }

  void add_step(json step, const TextLine& line) {
    steps_.push_back(std::move(step));
    lines_.push_back(line.number);
  }

  std::string market_named(Words& words) const {
    const std::string id = words.done() ? markets_.at(0).at("id").get<std::string>() : words.next("a market");
    words.finish();
    return id;
  }

  // What the state is here: a snapshot that the next step ends.
  json& here(const TextLine& line) {
    if (looked_at_.empty()) {
      looked_at_ = "line " + std::to_string(line.number);
      add_step({{"op", "snapshot"}, {"name", looked_at_}}, line);
    }
    return expect_["snapshots"][looked_at_];
  }

  void expect_book(Words words, std::span<const TextLine> rows) {
    const TextLine& head = words.line();
    words.next("book");
    const std::string market = market_named(words);
    here(head)["books"][market] = picture_of(rows, head);
  }
  void expect_accounts(Words words, std::span<const TextLine> rows) {
    for (json& record : table_of(rows, words.line())) {
      const std::string name = take_key(record, "name", words.line());
      here(words.line())["accounts"][name].update(record);
    }
  }
  void expect_positions(Words words, std::span<const TextLine> rows) {
    const TextLine& head = words.line();
    words.next("positions");
    const std::string market = market_named(words);
    for (json& record : table_of(rows, head)) {
      const std::string name = take_key(record, "name", head);
      here(head)["accounts"][name]["positions"][market] = record;
    }
  }
  void expect_venue(Words words, std::span<const TextLine> rows) {
    for (const json& record : table_of(rows, words.line())) here(words.line()).update(record);
  }
  void expect_markets(Words words, std::span<const TextLine> rows) {
    for (json& record : table_of(rows, words.line())) {
      const std::string id = take_key(record, "id", words.line());
      here(words.line())["markets"][id] = record;
    }
  }

  // Of the whole story.
  void expect_orders(Words words, std::span<const TextLine> rows) {
    for (json& record : table_of(rows, words.line())) {
      const std::string label = take_key(record, "label", words.line());
      expect_["orders"][label] = record;
    }
  }
  void expect_trades(Words words, std::span<const TextLine> rows) {
    expect_["trades"] = json::array();
    if (rows.empty()) return;
    for (json& record : table_of(rows, words.line())) {
      if (record.contains("is_liquidation")) record["is_liquidation"] = record["is_liquidation"] == "yes";
      expect_["trades"].push_back(std::move(record));
    }
  }
  // KIND NAME VALUE ... ; closures as account:quantity:amount,...
  void expect_events(Words, std::span<const TextLine> rows) {
    expect_["risk_events"] = json::array();
    for (const TextLine& row : rows) {
      Words words(row);
      json event = {{"kind", words.next("a kind")}};
      while (!words.done()) {
        const std::string name = words.next("a field");
        const std::string& value = words.next("its value");
        if (name == "closures") {
          event[name] = closures_of(value, row);
        } else {
          event[name] = value;
        }
      }
      expect_["risk_events"].push_back(std::move(event));
    }
  }

  static json closures_of(const std::string& text, const TextLine& line) {
    json closures = json::array();
    if (text == "none") return closures;
    for (const std::string& one : split(text, ',')) {
      const auto parts = split(one, ':');
      if (parts.size() != 3) fail(line, "a closure is account:quantity:amount");
      closures.push_back({{"account", parts[0]}, {"position_closed", parts[1]}, {"settlement_amount", parts[2]}});
    }
    return closures;
  }

  json markets_;
  json vector_;
  json steps_ = json::array();
  json lines_ = json::array();
  json rejects_ = json::array();
  json expect_ = json::object();
  std::string looked_at_;  // the snapshot that the lines after the last step belong to
};

json read_document(std::string_view text) {
  const std::vector<TextLine> lines = lines_of(text);
  json vectors = json::array();
  json markets = json::array();
  std::vector<TextLine> beginning;
  std::optional<StoryText> story;
  const auto end_story = [&] {
    if (story) vectors.push_back(story->finish());
    story.reset();
  };
  std::string topic;
  json own_markets = json::array();
  for (std::size_t at = 0; at < lines.size();) {
    const TextLine& line = lines[at];
    if (line.words[0] == "=") {
      end_story();
      ++at;
      // Markets right below the title replace those of the file.
      own_markets = json::array();
      while (at < lines.size() && lines[at].words[0] == "market") {
        Words words(lines[at++]);
        words.next("market");
        own_markets.push_back(market_of(words));
      }
      const json& used = own_markets.empty() ? markets : own_markets;
      if (used.empty()) fail(line, "no market is described");
      story.emplace(line, used);
      story->begin_with(beginning);
    } else if (story) {
      at += story->read(std::span(lines).subspan(at));
    } else if (line.words[0] == "topic") {
      topic = line.joined(1);
      ++at;
    } else if (line.words[0] == "market") {
      Words words(line);
      words.next("market");
      markets.push_back(market_of(words));
      ++at;
    } else {
      beginning.push_back(line);
      ++at;
    }
  }
  end_story();
  if (vectors.empty()) throw LineError{"no scenario: expected a line \"= ID TITLE\""};
  return {{"topic", topic}, {"vectors", std::move(vectors)}};
}

}  // namespace

bool is_story_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] != '{' && text[first] != '[';
}

Result<json, std::string> read_story_text(std::string_view text) {
  try {
    return read_document(text);
  } catch (const LineError& error) {
    return unexpected(error.text);
  }
}

namespace {

using nlohmann::json;

std::string cell_of(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

// True if the cell says what the value is; numbers compare as numbers.
bool says(const std::string& cell, const json& value) {
  if (cell == ".") return true;
  if (cell == cell_of(value)) return true;
  if (cell == "0" && value.is_null()) return false;
  return differences({{"cell", cell}}, {{"cell", value}}).empty();
}

using Cells = std::vector<std::string>;

std::vector<std::string> aligned(const std::vector<Cells>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const Cells& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// Orders of one price on one line, the one that fills first on the left.
std::vector<std::string> levels(const json& side) {
  std::vector<std::string> lines;
  std::string price;
  for (const json& order : side) {
    const std::string text = cell_of(order["remaining"]) + " " + cell_of(order["account"]);
    const std::string at = order["price"];
    if (!lines.empty() && price == at) {
      lines.back() += ", " + text;
    } else {
      price = at;
      lines.push_back(price + " | " + text);
    }
  }
  return lines;
}

std::vector<std::string> picture(const json& book, std::size_t indent) {
  std::vector<std::string> lines = levels(book["asks"]);
  std::reverse(lines.begin(), lines.end());
  lines.emplace_back("--------");
  for (std::string& line : levels(book["bids"])) lines.push_back(std::move(line));
  for (std::string& line : lines) line.insert(0, indent, ' ');
  return lines;
}

std::string event_line(const json& event) {
  std::string line = cell_of(event["kind"]);
  for (const auto& [name, value] : event.items()) {
    if (name == "kind" || name == "step") continue;
    line += " " + name + " ";
    if (name != "closures") {
      line += cell_of(value);
      continue;
    }
    std::string closures;
    for (const json& one : value) {
      closures += (closures.empty() ? "" : ",") + cell_of(one["account"]) + ":" + cell_of(one["position_closed"]) +
                  ":" + cell_of(one["settlement_amount"]);
    }
    line += closures.empty() ? "none" : closures;
  }
  return line;
}

// What a block of lines becomes, if it differs.
struct Replacement {
  std::size_t first = 0;  // line numbers, from 1
  std::size_t count = 0;
  std::vector<std::string> lines;
};

// One scenario of the text beside what came of it.
class StoryUpdate {
 public:
  StoryUpdate(const json& outcome, std::string market, std::size_t steps_before, std::vector<Replacement>& into)
      : outcome_(outcome), market_(std::move(market)), step_(steps_before), into_(into) {}

  // Reads a step or an expectation; returns how many lines it took.
  std::size_t read(std::span<const TextLine> lines, const std::vector<std::string>& raw) {
    const TextLine& head = lines.front();
    std::size_t count = 1;
    while (count < lines.size() && lines[count].indent > head.indent) ++count;
    const auto rows = lines.subspan(1, count - 1);
    const std::string& kind = head.words[0];
    if (kind == "orders") {
      table(head, rows, "label", [&](const std::string& key) { return at(outcome_["orders"], key); });
    } else if (kind == "trades") {
      trades(head, rows);
    } else if (kind == "events") {
      events(head, rows);
    } else if (kind == "book" || kind == "accounts" || kind == "positions" || kind == "venue" || kind == "markets") {
      state(kind, head, rows);
    } else {
      refusal(head, raw[head.number - 1]);
      ++step_;
      looked_at_.clear();
      return 1;
    }
    return count;
  }

 private:
  static const json* at(const json& object, const std::string& key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  void state(const std::string& kind, const TextLine& head, std::span<const TextLine> rows) {
    if (looked_at_.empty()) {
      looked_at_ = "line " + std::to_string(head.number);
      ++step_;  // a snapshot is a step of its own
    }
    const json& here = outcome_["snapshots"][looked_at_];
    const std::string market = head.words.size() > 1 ? head.words[1] : market_;
    if (kind == "book") return book(head, rows, here["books"][market]);
    if (kind == "venue") return table(head, rows, "", [&](const std::string&) { return &here; });
    if (kind == "markets")
      return table(head, rows, "id", [&](const std::string& key) { return at(here["markets"], key); });
    table(head, rows, "name", [&](const std::string& key) -> const json* {
      const json* account = at(here["accounts"], key);
      return account == nullptr || kind == "accounts" ? account : at((*account)["positions"], market);
    });
  }

  void refusal(const TextLine& line, const std::string& raw) {
    std::string expected;
    if (line.words.size() > 2 && line.words[line.words.size() - 2] == "->") expected = line.words.back();
    std::string actual;
    for (const json& row : outcome_["rejects"])
      if (row["step"] == step_ + 1) actual = cell_of(row["error"]);
    if (expected == actual) return;
    const auto comment = raw.find(" #");
    std::string step = raw.substr(0, comment);
    const std::string rest = comment == std::string::npos ? "" : raw.substr(comment);
    if (!expected.empty()) step.resize(step.rfind("->"));
    while (step.ends_with(' ')) step.pop_back();
    if (!actual.empty()) step += " -> " + actual;
    into_.push_back({line.number, 1, {step + rest}});
  }

  void book(const TextLine& head, std::span<const TextLine> rows, const json& actual) {
    const std::vector<std::string> lines = picture(actual, rows.empty() ? head.indent + 4 : rows.front().indent);
    // Compared as words, so that a picture that is only drawn otherwise stays.
    std::vector<TextLine> drawn;
    for (const std::string& line : lines)
      for (TextLine& one : lines_of(line)) drawn.push_back(std::move(one));
    const auto same = [](const TextLine& a, const TextLine& b) {
      const bool dashes = a.words.size() == 1 && b.words.size() == 1;
      return dashes || a.words == b.words;
    };
    if (std::equal(rows.begin(), rows.end(), drawn.begin(), drawn.end(), same)) return;
    replace(head, rows, lines);
  }

  template <class Find>
  void table(const TextLine& head, std::span<const TextLine> rows, const std::string& key, Find find) {
    if (rows.empty()) return;
    const Cells& names = rows.front().words;
    const auto key_place = std::find(names.begin(), names.end(), key);
    std::vector<Cells> cells{names};
    bool changed = false;
    for (const TextLine& row : rows.subspan(1)) {
      Cells now = row.words;
      const std::string name = key.empty() ? "" : now[static_cast<std::size_t>(key_place - names.begin())];
      const json* actual = find(name);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == key && !key.empty()) continue;
        const json* value = actual == nullptr ? nullptr : at(*actual, names[i]);
        const json told = value == nullptr ? json() : *value;
        if (says(now[i], told)) continue;
        now[i] = cell_of(told);
        changed = true;
      }
      cells.push_back(std::move(now));
    }
    if (changed) replace(head, rows, aligned(cells, rows.front().indent));
  }

  void trades(const TextLine& head, std::span<const TextLine> rows) {
    const json& actual = outcome_["trades"];
    const Cells names = rows.empty() ? Cells{"taker_side", "quantity", "price", "taker", "maker"} : rows.front().words;
    std::vector<Cells> cells{names};
    bool same = actual.size() == (rows.empty() ? 0 : rows.size() - 1);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      Cells row;
      for (std::size_t k = 0; k < names.size(); ++k) {
        const json* value = at(actual[i], names[k]);
        const json told = value == nullptr ? json() : *value;
        const bool there = i + 1 < rows.size();
        const bool right = there && says(rows[i + 1].words[k], told);
        same = same && right;
        row.push_back(right ? rows[i + 1].words[k] : cell_of(told));
      }
      cells.push_back(std::move(row));
    }
    if (same) return;
    if (actual.empty()) cells.clear();
    replace(head, rows, aligned(cells, rows.empty() ? head.indent + 2 : rows.front().indent));
  }

  void events(const TextLine& head, std::span<const TextLine> rows) {
    std::vector<std::string> lines;
    for (const json& event : outcome_["risk_events"])
      lines.push_back(std::string(rows.empty() ? head.indent + 2 : rows.front().indent, ' ') + event_line(event));
    bool same = lines.size() == rows.size();
    for (std::size_t i = 0; same && i < rows.size(); ++i) same = tells(rows[i], outcome_["risk_events"][i]);
    if (!same) replace(head, rows, lines);
  }

  // Each field that the line names is as it came; closures as a whole.
  static bool tells(const TextLine& row, const json& event) {
    if (row.words[0] != cell_of(event["kind"])) return false;
    for (std::size_t i = 1; i + 1 < row.words.size(); i += 2) {
      const json* value = at(event, row.words[i]);
      if (value == nullptr) return false;
      if (row.words[i] != "closures" && !says(row.words[i + 1], *value)) return false;
      if (row.words[i] == "closures" &&
          event_line({{"kind", "x"}, {"closures", *value}}) != "x closures " + row.words[i + 1])
        return false;
    }
    return true;
  }

  void replace(const TextLine& head, std::span<const TextLine> rows, std::vector<std::string> lines) {
    const std::size_t last = rows.empty() ? head.number : rows.back().number;
    into_.push_back({head.number + 1, last - head.number, std::move(lines)});
  }

  const json& outcome_;
  std::string market_;
  std::size_t step_;
  std::string looked_at_;
  std::vector<Replacement>& into_;
};

std::string with(std::vector<std::string> raw, std::vector<Replacement> replacements, bool ends_with_feed) {
  std::sort(replacements.begin(), replacements.end(),
            [](const Replacement& a, const Replacement& b) { return a.first > b.first; });
  for (Replacement& one : replacements) {
    const auto at = raw.begin() + static_cast<std::ptrdiff_t>(one.first - 1);
    const auto next = raw.erase(at, at + static_cast<std::ptrdiff_t>(one.count));
    raw.insert(next, std::make_move_iterator(one.lines.begin()), std::make_move_iterator(one.lines.end()));
  }
  std::string text;
  for (const std::string& line : raw) text += line + "\n";
  if (!ends_with_feed && !text.empty()) text.pop_back();
  return text;
}

Result<std::string, std::string> update(std::string_view text) {
  const auto file = SVC_TRY(parse_scenario_file(text));
  std::vector<std::string> raw;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    raw.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const std::vector<TextLine> lines = lines_of(text);
  std::vector<Replacement> replacements;
  std::size_t beginning = 0;  // steps that precede each story
  std::size_t vector = 0;
  for (std::size_t line = 0; line < lines.size();) {
    if (lines[line].words[0] != "=") {
      if (lines[line].words[0] != "topic" && lines[line].words[0] != "market") ++beginning;
      ++line;
      continue;
    }
    const Vector& told = file.vectors.at(vector++);
    if (!told.scenario) return unexpected(told.error.empty() ? told.id + " has no steps" : told.error);
    Story story(*told.scenario);
    story.tell();
    const json outcome = story.outcome();
    StoryUpdate one(outcome, told.scenario->markets.front().id, beginning, replacements);
    ++line;
    while (line < lines.size() && lines[line].words[0] == "market") ++line;
    while (line < lines.size() && lines[line].words[0] != "=") line += one.read(std::span(lines).subspan(line), raw);
  }
  return with(std::move(raw), std::move(replacements), text.ends_with('\n'));
}

}  // namespace

Result<std::string, std::string> update_story_text(std::string_view text) {
  if (!is_story_text(text)) return unexpected(std::string("only the text form is rewritten, not JSON"));
  try {
    return update(text);
  } catch (const FieldError& error) {
    return unexpected(error.text);
  }
}

}  // namespace svc::sim::scenario
