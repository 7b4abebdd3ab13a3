#include "sim/control/timeline.h"

#include <algorithm>
#include <limits>
#include <set>

#include "api/operation_list.h"
#include "api/record.h"
#include "api/secret_names.h"
#include "base/decimal.h"
#include "base/shown_text.h"
#include "base/text.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {
namespace {

namespace control = api::control;
using api::control::TimelineKind;

constexpr std::string_view blanks = " \t\r\n";

void append_mask(std::string& out, std::size_t characters) {
  out.append("(masked, ").append(std::to_string(characters)).append(" characters)");
}

// Where the text of a JSON string ends that began before `from`: at its quote, or where the text was cut.
std::size_t end_of_string(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] != '"') from += text[from] == '\\' ? 2u : 1u;
  return std::min(from, text.size());
}

// The next member of these names with a text, from that place on: [begin, end) is the text between the quotes. Looks
// for the name itself, so that no stray quote before it can hide it.
struct MemberText {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::optional<MemberText> next_member(std::string_view text, std::size_t from,
                                      std::span<const std::string_view> names) {
  constexpr unsigned letters = 26;
  std::uint32_t first_letters = 0;  // of the names; most quotes stand before none of them
  for (const std::string_view name : names) first_letters |= 1u << (name.front() - 'a');
  for (auto quote = text.find('"', from); quote != std::string_view::npos; quote = text.find('"', quote + 1)) {
    const std::string_view rest = text.substr(quote + 1);
    if (rest.empty()) break;
    const auto letter = static_cast<unsigned>(lower_letter(rest.front()) - 'a');
    if (letter >= letters || (first_letters >> letter & 1u) == 0) continue;
    const auto name = std::ranges::find_if(names, [&](std::string_view each) {
      return rest.size() > each.size() && rest[each.size()] == '"' &&
             api::same_header_name(rest.substr(0, each.size()), each);
    });
    if (name == names.end()) continue;
    const auto colon = text.find_first_not_of(blanks, quote + 1 + name->size() + 1);
    if (colon == std::string_view::npos || text[colon] != ':') continue;
    const auto value = text.find_first_not_of(blanks, colon + 1);
    if (value != std::string_view::npos && text[value] == '"')
      return MemberText{value + 1, end_of_string(text, value + 1)};
  }
  return std::nullopt;
}

// The values of secret members as their length: {"token":"(masked, 48 characters)"}. The text need not be JSON, and may
// be cut anywhere.
void append_masked_members(std::string& out, std::string_view text) {
  std::size_t done = 0;
  while (const auto found = next_member(text, done, api::secret_members)) {
    out.append(text.substr(done, found->begin - done));
    append_mask(out, found->end - found->begin);
    done = found->end;
    // The closing quote belongs to the text that follows it.
    if (done < text.size()) out += text[done++];
  }
  out.append(text.substr(std::min(done, text.size())));
}

std::string_view member_text(std::string_view text, std::string_view name) {
  const auto found = next_member(text, 0, std::span(&name, 1));
  return found ? text.substr(found->begin, found->end - found->begin) : std::string_view();
}

// Twice as much as is shown tells whether the text is longer.
std::string_view beginning_of(std::string_view text) {
  return first_bytes(text, 2 * limits::timeline_text_bytes_max);
}

// One plain line: the bytes come from clients.
std::string line_of(std::string_view text) {
  const std::string_view first = beginning_of(text);
  std::string line = escaped(first, "\n\r\t", OddBytes::are_escaped);
  std::ranges::replace_if(line, is_blank, ' ');
  return shortened(std::move(line), limits::timeline_text_bytes_max);
}

// A request's body may be anything. One that names a secret in a form that is not known is not kept.
void append_masked_request(std::string& out, std::string_view whole) {
  const std::string_view first = first_bytes(whole, limits::timeline_body_bytes_max);
  const bool hides_names = first.find("\\u00") != std::string_view::npos;
  const std::size_t named = api::count_secret_words(first, api::words_of_members);
  if (named == 0 && !hides_names) {
    out.append(first);
    return;
  }
  std::size_t found = 0;
  for (auto member = next_member(first, 0, api::secret_members); member;
       member = next_member(first, std::min(member->end + 1, first.size()), api::secret_members))
    ++found;
  if (named > found || hides_names)
    append_mask(out, whole.size());
  else
    append_masked_members(out, first);
}

bool names_secret(const api::TypeInfo& type) {
  if (type.kind == api::Kind::secret || type.kind == api::Kind::json_object) return true;
  if (type.element != nullptr) return names_secret(type.element());
  return std::ranges::any_of(type.fields, [](const api::FieldInfo& field) {
    return api::is_secret_member(field.name) || names_secret(field.type());
  });
}

// Whether an answer, its body or a header field, may hold a secret and has to be searched. Nearly every write is an
// order, and its answer holds none. For an operation that is not listed this is true.
bool may_hold_secret(const api::Operation* operation, int status) {
  static const auto without_secrets = [] {
    std::set<const api::Operation*> found;
    for (const api::OperationEntry& entry : api::every_operation())
      if (!names_secret(entry.response())) found.insert(entry.operation);
    return found;
  }();
  return operation == nullptr || status != operation->success || !without_secrets.contains(operation);
}

// Whether a value holds a further parameter that names a secret, as "b;token=abc" does where ; separates, or an
// address.
bool holds_secret_parameter(std::string_view value) {
  const auto may_hold_one = [](std::string_view one) {
    return one.find('=') != std::string_view::npos || one.find('%') != std::string_view::npos;
  };
  if (!may_hold_one(value)) return false;
  const auto decoded = api::percent_decode(value, api::Plus::is_blank);
  const std::string_view text = decoded ? *decoded : value;
  // A text that is not decoded, or was encoded twice, may hold an '='.
  const bool has_value = !decoded || may_hold_one(text);
  return has_value && api::count_secret_words(text, api::words_of_members) > 0;
}

// A field may hold an address, as Referer does.
void append_masked_field(std::string& out, const api::Header& field) {
  const std::string_view value = field.value;
  const auto mark = value.find('?');
  if (api::is_secret_header(field.name) || api::has_form_of_secret(value) ||
      holds_secret_parameter(value.substr(0, mark)))
    append_mask(out, value.size());
  else if (mark != std::string_view::npos)
    out += mask_query(value);
  else
    out += value;
}

enum class Secrets : std::uint8_t { of_client, of_sandbox, none };

KeptExchange::Message message_of(const api::Headers& headers, std::string_view body, Secrets secrets) {
  const std::string_view first = first_bytes(body, limits::timeline_body_bytes_max);
  KeptExchange::Message kept;
  kept.cut_bytes = body.size() - first.size();
  std::size_t bytes = first.size();
  for (const api::Header& field : headers) bytes += field.name.size() + field.value.size() + 2;
  constexpr std::size_t mask_bytes = 32;  // a mask may be longer than what it hides
  kept.text.reserve(bytes + mask_bytes);
  for (const api::Header& field : headers) {
    kept.text.append(field.name).push_back('\0');
    if (secrets == Secrets::none)
      kept.text += field.value;
    else
      append_masked_field(kept.text, field);
    kept.text.push_back('\0');
  }
  kept.fields_end = kept.text.size();
  switch (secrets) {
    case Secrets::of_client: append_masked_request(kept.text, body); break;
    case Secrets::of_sandbox: append_masked_members(kept.text, first); break;
    case Secrets::none: kept.text += first; break;
  }
  return kept;
}

// The canonical text repeats the query.
std::string masked_expected(std::string_view text, const api::HttpRequest& received) {
  std::string kept(first_bytes(text, limits::timeline_expected_bytes_max));
  const std::string_view query = received.query();
  const auto at = query.empty() ? std::string::npos : kept.find(query);
  if (at == std::string::npos) return kept;
  const std::string target = mask_query(received.target);
  return kept.replace(at, query.size(), target.substr(target.find('?') + 1));
}

control::KeptMessage record_of(const KeptExchange::Message& kept) {
  control::KeptMessage record{.headers = {}, .body = kept.text.substr(kept.fields_end), .cut_bytes = kept.cut_bytes};
  std::string_view fields = std::string_view(kept.text).substr(0, kept.fields_end);
  while (!fields.empty()) {
    auto& field = record.headers.emplace_back();
    field.name = take_line(fields, '\0');
    field.value = take_line(fields, '\0');
  }
  return record;
}

std::string_view direction_of(engine::Side side) {
  return side == engine::Side::buy ? "long" : "short";
}

}  // namespace

std::string mask_query(std::string_view target) {
  const auto mark = target.find('?');
  std::string shown(target.substr(0, mark));
  if (mark == std::string_view::npos) return shown;
  std::string_view rest = target.substr(mark + 1);
  shown += '?';
  while (!rest.empty()) {
    const std::size_t left = rest.size();
    const std::string_view parameter = take_line(rest, '&');
    const auto equals = parameter.find('=');
    const std::string_view encoded = parameter.substr(0, equals);
    const auto name = api::percent_decode(encoded, api::Plus::is_blank);
    const bool names = api::count_secret_words(name ? *name : encoded, api::words_of_members) > 0;
    const std::string_view value = parameter.substr(std::min(parameter.size(), encoded.size() + 1));
    // A name that cannot be read may be that of a secret. With an encoded '=' the value is a part of the name.
    if (equals != std::string_view::npos && (!name || names || holds_secret_parameter(value)))
      append_mask(shown.append(encoded).append("="), parameter.size() - equals - 1);
    else if (names && !api::is_secret_member(encoded))
      append_mask(shown, parameter.size());
    else
      shown.append(parameter);
    if (parameter.size() < left) shown += '&';
  }
  return shown;
}

KeptExchange::KeptExchange(const api::Operation* operation, const api::HttpRequest& received,
                           const api::HttpResponse& given, std::string_view expected_text)
    : method(received.method),
      target(mask_query(received.target)),
      request(message_of(received.headers, received.body, Secrets::of_client)),
      expected(masked_expected(expected_text, received)),
      status(given.status),
      answer(message_of(given.headers, given.body,
                        may_hold_secret(operation, status) ? Secrets::of_sandbox : Secrets::none)) {}

void Timeline::Shelf::put(Row row, Dropped& dropped) {
  bytes += row.exchange ? row.exchange->bytes() : 0;
  rows.push_back(std::move(row));
  ++with_exchange;
  const auto forget_oldest_exchange = [&] {
    Row& oldest = rows[rows.size() - with_exchange--];
    if (oldest.exchange == nullptr) return;
    bytes -= oldest.exchange->bytes();
    dropped.push_back({0, nullptr, std::move(oldest.exchange)});
  };
  while (bytes > bytes_max && with_exchange > 1) forget_oldest_exchange();
  if (rows.size() <= rows_max) return;
  if (with_exchange == rows.size()) forget_oldest_exchange();
  dropped.push_back(std::move(rows.front()));
  rows.pop_front();
}

void Timeline::add(Entry entry, std::shared_ptr<const KeptExchange> exchange) {
  auto kept = std::make_shared<const Entry>(std::move(entry));
  Shelf& shelf = kept->read ? reads_ : others_;
  // What is dropped is freed after the lock.
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = last_.load(std::memory_order_relaxed) + 1;
  shelf.put({number, std::move(kept), std::move(exchange)}, dropped);
  last_.store(number, std::memory_order_release);
}

void Timeline::request_ended(const RequestContext& context) {
  constexpr int first_refusal = 400;
  const RequestNote& log = context.log;
  const bool writes = context.operation != nullptr && context.operation->is_write();
  const bool refused = log.status >= first_refusal || !log.rule.empty();
  if (!writes && !refused && context.faults_met.empty() && watches_.load(std::memory_order_relaxed) == 0) return;

  const auto& caller = context.authentication.caller;
  const auto account = caller ? std::optional(caller->account) : std::nullopt;
  const std::string_view operation = context.operation != nullptr ? context.operation->name : std::string_view();
  const bool has_unread_body = context.operation != nullptr && !context.operation->reads_body();
  const auto market = market_in(context.path_parameters, context.request.query(),
                                has_unread_body ? std::string_view() : context.request.body);
  std::string text = std::string(log.method).append(" ").append(log.path);
  for (const std::string& fault : context.faults_met)
    add({.at_ms = context.now_ms,
         .kind = Kind::fault,
         .account = account,
         .operation = operation,
         .status = context.response.status,
         .market = market,
         .what = line_of(fault + " (" + text + ")")});
  if (!log.rule.empty()) text.append(": ").append(log.code).append(log.code.empty() ? "" : ", ").append(log.rule);
  if (!log.note.empty()) text.append(" (").append(log.note).append(")");
  text.resize(beginning_of(text).size());
  add({.at_ms = context.now_ms,
       .kind = Kind::request,
       .account = account,
       .operation = operation,
       .status = context.response.status,
       .code = log.code,
       .rule = log.rule,
       .market = market,
       .what = RequestLine(std::move(text)),
       .read = !writes && !refused && context.faults_met.empty()},
      std::make_shared<const KeptExchange>(context.operation, context.request, context.response,
                                           context.authentication.expected));
}

void Timeline::stream_fault(const FaultSubject& subject, StreamFault fault, TimestampMs now_ms) {
  add({.at_ms = now_ms,
       .kind = Kind::fault,
       .account = subject.account,
       .operation = subject.operation.name,
       .what = "fault: an event of " + std::string(subject.path) + " met " +
               std::string(control::stream_fault_texts[static_cast<std::size_t>(fault)])});
}

void Timeline::control_used(const api::Operation& operation, const api::HttpRequest& request,
                            const api::PathParameters& parameters, const api::HttpResponse& response,
                            TimestampMs now_ms) {
  const std::string_view body =
      operation.secret_body ? std::string_view() : first_bytes(request.body, limits::timeline_body_bytes_max);
  std::string text(operation.summary);
  for (const auto& [name, value] : parameters) text += " " + value;
  if (body.find_first_not_of(blanks) != std::string_view::npos && body != "{}")
    append_masked_request(text += ": ", body);
  std::string_view account = member_text(body, "account");
  for (const auto& [name, value] : parameters)
    if (name == "address") account = value;
  // What is answered alone keeps or replaces the whole state.
  add({.at_ms = now_ms,
       .kind = operation.answered_by == api::AnsweredBy::writer_alone ? Kind::snapshot : Kind::lever,
       .account = parse_address_lenient(account),
       .operation = operation.name,
       .status = response.status,
       .market = market_in(parameters, request.query(), body),
       .what = line_of(text)},
      operation.secret_body ? nullptr : std::make_shared<const KeptExchange>(nullptr, request, response, ""));
}

std::optional<engine::MarketIndex> Timeline::market_in(const api::PathParameters& parameters, std::string_view query,
                                                       std::string_view body) const {
  constexpr std::string_view member = "market_id";
  for (const auto& [name, value] : parameters)
    if (name == member) return markets_.find(value);
  if (const auto value = api::find_parameter(query, member))
    return markets_.find(api::percent_decode(*value, api::Plus::is_blank).value_or(""));
  return markets_.find(member_text(first_bytes(body, limits::timeline_body_bytes_max), member));
}

// On the writer's thread: only what is told is copied.
void Timeline::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  const auto tell = [&](Kind kind, const auto& what) {
    add({.at_ms = stamp.at_ms, .kind = kind, .account = what.account, .market = what.market, .what = what});
  };
  for (const engine::Event& event : events) {
    if (const auto* fill = std::get_if<engine::Fill>(&event)) {
      if (!is_house_account(fill->account)) tell(Kind::fill, *fill);
    } else if (const auto* paid = std::get_if<engine::FundingPaid>(&event)) {
      if (!is_house_account(paid->account)) tell(Kind::funding, *paid);
    } else if (const auto* settled = std::get_if<engine::FundingSettled>(&event)) {
      add({.at_ms = stamp.at_ms, .kind = Kind::funding, .market = settled->market, .what = *settled});
    } else if (const auto* started = std::get_if<engine::LiquidationStarted>(&event)) {
      tell(Kind::liquidation, *started);
    } else if (const auto* adl = std::get_if<engine::Deleveraged>(&event)) {
      deleveraged(stamp, *adl);
    } else if (const auto* status = std::get_if<engine::MarketStatusChanged>(&event)) {
      // An operator's halt is a lever.
      if (status->reason == engine::HaltReason::adl_exhausted)
        add({.at_ms = stamp.at_ms,
             .kind = Kind::deleveraging,
             .market = status->market,
             .what = markets_.spec(status->market).id + " halted: nobody was left to deleverage against"});
    }
  }
}

void Timeline::deleveraged(const Stamp& stamp, const engine::Deleveraged& event) {
  const engine::MarketSpec& spec = markets_.spec(event.market);
  const std::string offered = "deleveraging " + std::to_string(event.number) + ": ";
  Lots taken{};
  for (const engine::AdlClosure& closure : event.closures) taken = taken + closure.quantity;
  add({.at_ms = stamp.at_ms,
       .kind = Kind::deleveraging,
       .account = event.target,
       .market = event.market,
       .what = offered + format_lots(spec, taken) + " of " + format_lots(spec, event.bankruptcy_lots) + " " +
               std::string(direction_of(event.target_side)) + " " + spec.id + " went to " +
               std::to_string(event.closures.size()) + " accounts"});
  for (const engine::AdlClosure& closure : event.closures) {
    if (is_house_account(closure.account)) continue;
    add({.at_ms = stamp.at_ms,
         .kind = Kind::deleveraging,
         .account = closure.account,
         .market = event.market,
         .what = offered + format_lots(spec, closure.quantity) + " " +
                 std::string(direction_of(engine::opposite(event.target_side))) + " " + spec.id +
                 " was closed, realizing " + format_usdx(closure.realized) + " USDX"});
  }
}

std::string Timeline::text_of(const Happening& what) const {
  if (const auto* text = std::get_if<std::string>(&what)) return *text;
  if (const auto* request = std::get_if<RequestLine>(&what)) return line_of(request->text);
  if (const auto* fill = std::get_if<engine::Fill>(&what)) {
    const engine::MarketSpec& spec = markets_.spec(fill->market);
    // The maker of a liquidation trade is one as ever.
    const char* role = fill->is_maker ? "maker" : fill->is_liquidation ? "liquidation" : "taker";
    return std::string(fill->side == engine::Side::buy ? "bought " : "sold ") + format_lots(spec, fill->quantity) +
           " " + spec.id + " at " + format_price(spec, fill->price) + " as " + role + ", fee " +
           format_usdx(fill->is_liquidation && !fill->is_maker ? fill->liquidation_fee : fill->fee) + " USDX, order " +
           std::to_string(fill->order.value);
  }
  if (const auto* started = std::get_if<engine::LiquidationStarted>(&what)) {
    const bool isolated = started->mode == engine::MarginMode::isolated;
    return std::string(isolated ? "liquidation of the isolated position in " : "liquidation, largest position in ") +
           markets_.spec(started->market).id + ": equity " + format_usdx(started->equity) +
           " USDX, maintenance margin " + format_usdx(started->maintenance) + " USDX";
  }
  constexpr int ppb_decimals = 9;
  if (const auto* settled = std::get_if<engine::FundingSettled>(&what)) {
    const engine::MarketSpec& spec = markets_.spec(settled->market);
    return "funding of " + spec.id + " at rate " + format_scaled(settled->rate.value, ppb_decimals) + ", mark " +
           format_price(spec, settled->mark);
  }
  const auto& paid = std::get<engine::FundingPaid>(what);
  const engine::MarketSpec& spec = markets_.spec(paid.market);
  const bool received = paid.amount >= Usdx{};
  return std::string(received ? "received " : "paid ") + format_usdx(received ? paid.amount : -paid.amount) +
         " USDX of funding for " + format_lots(spec, paid.position) + " " + spec.id + " at rate " +
         format_scaled(paid.rate.value, ppb_decimals);
}

std::optional<Timeline::Filter> Timeline::filter_of(const control::TimelineWanted& wanted) {
  Filter filter{.kind = wanted.kind, .account = wanted.account, .operation = wanted.operation.value_or("")};
  if (!wanted.status) return filter;
  const std::string& text = *wanted.status;
  const bool is_class = text.size() == 3 && text.ends_with("xx");
  const auto number = parse_integer<std::uint16_t>(is_class ? text.substr(0, 1) : text);
  if (!number || *number < (is_class ? 1 : 0) || *number > (is_class ? 5 : 599)) return std::nullopt;
  (is_class ? filter.hundred : filter.status) = *number;
  return filter;
}

void Timeline::fill_in(control::TimelineEntry& record, std::uint64_t number, const Entry& entry) const {
  record.number = number;
  record.at_ms = entry.at_ms;
  record.kind = entry.kind;
  record.account = entry.account;
  if (!entry.operation.empty()) record.operation = std::string(entry.operation);
  if (entry.status) record.status = *entry.status;
  record.code = if_any(std::string(entry.code));
  record.rule = if_any(std::string(entry.rule));
  if (entry.market) record.market_id = markets_.spec(*entry.market).id;
  record.text = text_of(entry.what);
}

control::Timeline Timeline::page(const Filter& filter, std::optional<std::uint64_t> after,
                                 std::optional<std::uint64_t> before, std::size_t limit) const {
  const std::size_t count_max = std::min(limit, limits::timeline_page_max);
  constexpr std::uint64_t beyond = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t first = after && *after != beyond ? *after + 1 : beyond;
  const std::uint64_t end = before.value_or(beyond);
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const Entry>>> found;
  control::Timeline page;
  {
    const std::lock_guard lock(mutex_);
    page.last = last_.load(std::memory_order_relaxed);
    // At most count_max rows of each shelf: upwards from `after`, or downwards from `before`.
    for (const Shelf* shelf : {&reads_, &others_}) {
      const std::size_t full = found.size() + count_max;
      const auto take = [&](const Row& row) {
        if (fits(filter, *row.entry)) found.emplace_back(row.number, row.entry);
      };
      const auto& rows = shelf->rows;
      if (after)
        for (auto i = shelf->place_from(first); found.size() < full && i < rows.size() && rows[i].number < end; ++i)
          take(rows[i]);
      else
        for (auto i = shelf->place_from(end); found.size() < full && i > 0; --i) take(rows[i - 1]);
    }
  }
  std::ranges::sort(found, {}, [](const auto& one) { return one.first; });
  const auto surplus = static_cast<std::ptrdiff_t>(found.size() - std::min(found.size(), count_max));
  const auto begin = after ? found.end() - surplus : found.begin();
  found.erase(begin, begin + surplus);
  for (const auto& [number, entry] : found) fill_in(page.entries.emplace_back(), number, *entry);
  return page;
}

std::optional<control::TimelineDetail> Timeline::find(std::uint64_t number) const {
  Row row;
  {
    const std::lock_guard lock(mutex_);
    for (const Shelf* shelf : {&reads_, &others_}) {
      const std::size_t place = shelf->place_from(number);
      if (place < shelf->rows.size() && shelf->rows[place].number == number) row = shelf->rows[place];
    }
    if (row.entry == nullptr) return std::nullopt;
  }
  control::TimelineDetail detail;
  fill_in(detail, number, *row.entry);
  if (row.exchange == nullptr) return detail;
  const KeptExchange& kept = *row.exchange;
  detail.request = control::SentRequest{record_of(kept.request), kept.method, kept.target};
  detail.expected = if_any(kept.expected);
  detail.answer = control::GivenAnswer{record_of(kept.answer), kept.status};
  return detail;
}

}  // namespace svc::sim
