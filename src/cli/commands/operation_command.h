// Commands that are one operation: arguments fill members of its request, columns show members of its answer.
//
//   CommandRow{"local fund", "ADDR AMOUNT", "Give an account play money",
//              operation<Fund>({.arguments = {positional<&Grant::account>("ADDR", "account"),
//                                             positional<&Grant::amount>("AMOUNT", "USDX", read_amount)},
//                               .columns = columns<Granted>("account balance")})}
//
// A member that does not exist does not compile. Help, manual, completion, schema and the table of outputs derive from
// the row; the operation says whether the call is signed, may be repeated and is logged.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "api/contract/control.h"
#include "api/operation_list.h"
#include "api/record.h"
#include "cli/commands/listing.h"
#include "cli/commands/plain_write.h"
#include "cli/terminal/chart.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {

// What was typed as the text of the member, or exit 2 with what was expected. `name` is that of the argument.
using ReadArgument = Result<std::string> (*)(std::string_view name, const std::string& typed);

Result<std::string> read_any(std::string_view name, const std::string& typed);
Result<std::string> read_market(std::string_view name, const std::string& typed);
Result<std::string> read_address(std::string_view name, const std::string& typed);
Result<std::string> read_amount(std::string_view name, const std::string& typed);  // above zero

// An argument, and the member of the request that it fills; of a flag that only `then` reads there is none. A flag that
// is not given leaves the member as it is, or sets it to `otherwise`.
struct MemberArgument : Argument {
  enum class Kind : std::uint8_t {
    positional,
    text,  // as typed, or a positional that may be left out
    integer,
    flag,  // true if it is given
    address,
    account,  // not typed: the value of the global flag --account
    fixed,    // not typed: always `otherwise`; has the wire's name
  };
  constexpr MemberArgument(const Argument& row, Kind how = Kind::text, ReadArgument reader = read_any,
                           std::string_view without = {})
      : Argument(row), kind(how), read(reader), otherwise(without) {}

  Kind kind;
  ReadArgument read;
  std::string_view otherwise;
  std::string_view twin{};     // of a positional that may be left out: the flag to type instead; one is required
  std::string_view missing{};  // of a required flag: the message without it
  void* (*member)(void* request) = nullptr;
  const api::TypeInfo& (*type)() = nullptr;
};

// The arguments that were given, by their names.
using Given = std::map<std::string_view, std::string>;

// The name of a member on the wire.
template <class R, class M>
[[nodiscard]] consteval std::string_view wire_name(void* (*member)(void*), M R::*) {
  for (const api::FieldInfo& field : R::fields)
    if (field.member == member) return field.name;
  return {};
}
template <auto Member>
inline constexpr std::string_view wire_name_of = wire_name(&api::MemberAccess<Member>::get, Member);

// How a value of the type is typed as a flag, and read from what was typed.
struct HowTyped {
  MemberArgument::Kind kind = MemberArgument::Kind::text;
  ReadArgument read = read_any;
  std::span<const std::string_view> choices{};
  bool is_decimal = false;
};
using api::enum_names;
template <class T>
[[nodiscard]] consteval HowTyped how_typed() {
  using Kind = MemberArgument::Kind;
  if constexpr (api::WireEnum<T>) return {.choices = enum_names(T{}).texts};
  if constexpr (std::is_same_v<T, bool>) return {.kind = Kind::flag};
  if constexpr (std::is_same_v<T, std::int64_t>) return {.kind = Kind::integer};
  if constexpr (std::is_same_v<T, Address>) return {.kind = Kind::address, .read = read_address};
  if constexpr (std::is_same_v<T, api::MarketId>) return {.read = read_market};
  return {.is_decimal = std::is_same_v<T, api::DecimalText> || std::is_same_v<T, api::control::TypedDecimal>};
}
template <auto Member>
inline constexpr HowTyped member_typed_as =
    how_typed<typename decltype(std::optional(std::declval<typename api::MemberAccess<Member>::Type>()))::value_type>();

template <auto Member>
[[nodiscard]] constexpr MemberArgument bound(MemberArgument argument) {
  argument.member = &api::MemberAccess<Member>::get;
  argument.type = &api::type_of<typename api::MemberAccess<Member>::Type>;
  return argument;
}
template <auto Member>
[[nodiscard]] constexpr MemberArgument positional(std::string_view name, std::string_view doc,
                                                  ReadArgument read = member_typed_as<Member>.read) {
  return bound<Member>({{name, doc}, MemberArgument::Kind::positional, read});
}
template <auto Member>
[[nodiscard]] constexpr MemberArgument maybe(std::string_view name, std::string_view doc) {
  return bound<Member>({{name, doc}, MemberArgument::Kind::text, member_typed_as<Member>.read});
}
// A market as MARKET or --market.
template <auto Member>
[[nodiscard]] constexpr MemberArgument market_or_flag() {
  MemberArgument argument = maybe<Member>("MARKET", "market");
  argument.twin = "--market";
  return argument;
}
// Without a reader the type of the member decides how it is typed.
template <auto Member>
[[nodiscard]] constexpr MemberArgument flag(std::string_view names, std::string_view value, std::string_view doc,
                                            ReadArgument read = nullptr, std::string_view otherwise = {}) {
  const HowTyped how = read != nullptr ? HowTyped{.read = read} : member_typed_as<Member>;
  return bound<Member>(
      {{.names = names, .doc = doc, .value = value, .choices = how.choices, .is_decimal = how.is_decimal},
       how.kind,
       how.read,
       otherwise});
}
template <auto Member>
[[nodiscard]] constexpr MemberArgument fixed(std::string_view text) {
  return bound<Member>({{wire_name_of<Member>, {}}, MemberArgument::Kind::fixed, read_any, text});
}
template <auto Member>
[[nodiscard]] constexpr MemberArgument acting_account() {
  return bound<Member>({{}, MemberArgument::Kind::account});
}
// Flags that fill no member.
[[nodiscard]] constexpr MemberArgument own_flag(std::string_view name, std::string_view doc) {
  return {{name, doc}, MemberArgument::Kind::flag};
}
[[nodiscard]] constexpr MemberArgument own_text(std::string_view name, std::string_view value, std::string_view doc,
                                                std::span<const std::string_view> choices = {}) {
  return {{name, doc, value, choices}};
}
[[nodiscard]] constexpr MemberArgument demanded(MemberArgument argument, std::string_view missing) {
  argument.missing = missing;
  return argument;
}

// Columns as text, one word each; the compiler looks for their members in the record that a row shows:
//
//   size                     a member, under the wire's name
//   liq=liquidation_price    the same under another name; or a place in the record: free=summary.available_margin
//   time@timestamp           a member in Unix milliseconds, shown as RFC 3339
//   +age mark=+mark_price    a member that the command adds to its rows
//   side()                   what a function makes of the row
//
// A mark at the end says how much a column is needed: "!!" vital, "!" core, "~" if it fits, "?" if any row has it.
struct ColumnWord {
  enum class Of : std::uint8_t { record, command, function };
  Column column{};
  Of of = Of::record;
};

[[nodiscard]] constexpr ColumnWord column_word(std::string_view word) {
  using enum Column::Need;
  ColumnWord one;
  const char mark = word.back();
  if (mark == '!' || mark == '~' || mark == '?') {
    one.column.need = mark == '!' ? core : mark == '~' ? if_it_fits : if_any;
    word.remove_suffix(1);
  }
  if (word.ends_with('!')) {
    one.column.need = vital;
    word.remove_suffix(1);
  }
  const auto sign = std::min(word.find_first_of("=@"), word.size());
  one.column.is_time = word.substr(sign).starts_with('@');
  one.column.path = sign == word.size() ? word : word.substr(sign + 1);
  if (one.column.path.starts_with('+')) {
    one.of = ColumnWord::Of::command;
    one.column.path.remove_prefix(1);
  }
  one.column.name = sign == word.size() ? one.column.path : word.substr(0, sign);
  if (word.ends_with("()"))
    one = {{.name = word.substr(0, word.size() - 2), .need = one.column.need}, ColumnWord::Of::function};
  return one;
}

template <class Each>
constexpr void for_each_column_word(std::string_view text, const Each& each) {
  while (!text.empty()) each(column_word(take_line(text, ' ')));
}

template <class R>
struct ColumnText {
  std::string_view text;

  consteval ColumnText(const char* words) : text(words) {
    for_each_column_word(text, [](const ColumnWord& word) {
      const std::string_view path = word.column.path;
      const auto is_it = [&](const api::FieldInfo& field) { return field.name == path.substr(0, path.find('.')); };
      if (word.of == ColumnWord::Of::record && std::ranges::none_of(R::fields, is_it)) throw "no member of the record";
    });
  }
};

struct ComputedColumn {
  std::string_view name;
  std::string (*text)(const Json& row);
};

// Columns as the table of commands has them. They are made when a table is shown, not for all commands at each start.
struct ColumnTerms {
  std::string_view words{};
  std::vector<ComputedColumn> computed{};

  operator std::vector<Column>() const;
};

// Of rows that the command makes up.
struct NoRecord {
  static constexpr std::array<api::FieldInfo, 0> fields{};
};

template <class R = NoRecord>
[[nodiscard]] ColumnTerms columns(std::type_identity_t<ColumnText<R>> words,
                                  std::initializer_list<ComputedColumn> computed = {}) {
  return {words.text, computed};
}

// The columns of auto-deleveraging events, which two commands list.
[[nodiscard]] ColumnTerms adl_event_columns();

// --wait of a read: until its answer is as wanted.
struct WaitTerms {
  std::string_view doc;
  std::span<const std::string_view> states{};  // to choose from; none: --wait is a mere flag
  bool (*done)(const Json& answer, std::string_view state);
  bool (*goes_on)(const Failure& failure) = nullptr;  // it is not there yet
};

// --chart and --spark: pictures in place of rows; JSON and raw output stay as they are.
struct ChartFlags {
  bool chart = false;
  bool spark = false;

  void declare(Arguments& arguments);
  void draw(Context& context, Answer& answer, const std::string& title, const std::vector<ChartPoint>& points) const;
  void draw(Context& context, Answer& answer, const std::string& title, const std::vector<ChartCandle>& candles) const;
};

// The series of an answer that --chart and --spark draw.
struct ChartTerms {
  std::string_view title{};
  std::vector<ChartPoint> (*points)(const Json& data) = nullptr;
};

class OperationCommand;

// What a row says beside its operation.
struct OperationTerms {
  std::vector<MemberArgument> arguments{};
  ColumnTerms columns{};  // none: the members of the record
  Layout layout = Layout::rows;
  std::string_view shape{};  // of data that is not the answer as it stands; see output_shape.h
  std::string_view rows{};   // the member whose records are shown, of an answer that is no list; "*": all members
  std::optional<RowKeys> list{};
  std::vector<MemberArgument> more{};  // flags that stand behind those of a list
  std::string_view look_up{};  // of a write: what shows whether it arrived; names of arguments stand for their values
  Result<Exchange> (*open)(Context& context) = Exchange::open;  // others ask first whether it may be sent
  // Of a command that is more than the one call: what it does instead.
  Result<Answer> (*run)(Context& context, const OperationCommand& command) = nullptr;
  void (*finish)(Context& context, Answer& answer) = nullptr;  // adds what the record does not say by itself
  std::optional<WaitTerms> wait{};
  std::optional<ChartTerms> chart{};
  Result<void> (*then)(Context& context, Answer& answer,
                       const Given& given) = nullptr;  // once rows are sorted
};

struct OperationRow {
  api::OperationEntry entry;
  std::shared_ptr<void> (*fresh_request)() = nullptr;
  PageSource (*pages)(const void* request) = nullptr;
  OperationTerms terms;
};

class OperationCommand final : public Command {
 public:
  explicit OperationCommand(const OperationRow& row);
  void declare(Arguments& arguments) override;
  Result<Answer> run(Context& context) override;

  // What was typed, as a request and as a call.
  template <class Request>
  Result<Request> asked(const Context& context) const {
    return *static_cast<const Request*>(SVC_TRY(request(context)).get());
  }
  Result<Call> call(Context& context) const;
  Result<PageSource> pages(const Context& context) const { return row_.pages(SVC_TRY(request(context)).get()); }
  Result<Given> given(const Context& context) const;
  // Sends the call, waits if that was asked for, and shows the answer.
  Result<Answer> sent(Context& context, Exchange& exchange, const Call& call) const;
  // The rows of a list: those to show, or all steps of reading its pages.
  Result<OpenList> open_list(Context& context) const { return cli::open_list(context, flags_, *terms_.list); }
  Result<Answer> read(Context& context, const PageSource& pages, const AddRows& add_rows) const {
    return read_pages(context, flags_, *terms_.list, pages, view(), add_rows);
  }
  [[nodiscard]] View view() const { return {terms_.columns, terms_.layout}; }
  [[nodiscard]] const ListFlags& list_flags() const { return flags_; }

 private:
  Result<std::shared_ptr<void>> request(const Context& context) const;
  Result<Answer> ask(Context& context);
  // Asks once a second until the answer is as wanted. Exit 17 with the last answer once the time is over, 130 if
  // interrupted.
  Result<Reply> poll(Context& context, Exchange& exchange, const Call& call) const;
  [[nodiscard]] Answer shown(Context& context, Reply reply) const;
  [[nodiscard]] bool waits() const { return waits_ || wanted_state_; }
  struct Typed {
    const MemberArgument& argument;
    std::optional<std::string> text{}, twin{};
    std::optional<std::uint64_t> number{};
    std::optional<Address> address{};
    bool given = false;

    // As typed, else the default.
    [[nodiscard]] std::optional<std::string> value(const Context& context) const;
    Result<void> check() const;
  };

  const OperationRow& row_;
  const OperationTerms& terms_;
  ListFlags flags_{};
  ChartFlags charts_;
  PlainWrite write_;
  std::deque<Typed> typed_;  // never moved: the arguments are parsed into them
  std::optional<std::string> wanted_state_;
  bool waits_ = false;
  WaitLimit wait_limit_;
};

template <class Op>
[[nodiscard]] std::shared_ptr<const OperationRow> operation(OperationTerms terms = {}) {
  using Request = typename Op::Request;
  return std::make_shared<OperationRow>(
      OperationRow{.entry = {&Op::op, &api::type_of<Request>, &api::type_of<typename Op::Response>},
                   .fresh_request = [] { return std::static_pointer_cast<void>(std::make_shared<Request>()); },
                   .pages = [](const void* request) { return pages_of<Op>(*static_cast<const Request*>(request)); },
                   .terms = std::move(terms)});
}

}  // namespace svc::cli
