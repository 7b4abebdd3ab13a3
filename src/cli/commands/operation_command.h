// Commands that are one operation: what is typed goes into members of its request, what it answers is shown in columns.
//
//   CommandRow{"local fund", "ADDR AMOUNT", "Give an account play money",
//              operation<Fund>({.arguments = {positional<&Grant::account>("ADDR", "account"),
//                                             positional<&Grant::amount>("AMOUNT", "USDX", read_amount)},
//                               .columns = {column<&Granted::account>(), column<&Granted::balance>()}})}
//
// A member that does not exist, or is on no wire, does not compile. Help, manual, completion, schema and the table of
// outputs derive from the row; whether it is signed, repeated or written down from the operation.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/control.h"
#include "api/operation_list.h"
#include "api/record.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/read.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {

// What was typed as the text of the member, or exit 2 with what was expected. `name` is that of the argument.
using ReadArgument = Result<std::string, Failure> (*)(std::string_view name, const std::string& typed);

[[nodiscard]] Result<std::string, Failure> read_any(std::string_view name, const std::string& typed);
[[nodiscard]] Result<std::string, Failure> read_market(std::string_view name, const std::string& typed);
[[nodiscard]] Result<std::string, Failure> read_address(std::string_view name, const std::string& typed);
[[nodiscard]] Result<std::string, Failure> read_amount(std::string_view name, const std::string& typed);  // above zero
// The same, and ".5" is 0.5.
[[nodiscard]] Result<std::string, Failure> read_money(std::string_view name, const std::string& typed);

// One argument, and the member of the request it fills. A flag that is not given leaves the member as it is, or gives
// it `otherwise`.
struct Argument {
  enum class Kind : std::uint8_t {
    positional,
    maybe,  // a positional that may be left out
    text,
    decimal,
    integer,
    choice,   // of the names of the member's enumeration
    flag,     // true if it is given
    address,  // not of positionals
    account,  // not typed here: what the global flag --account says
    fixed,    // not typed at all: always `otherwise`
    refused,  // understood and refused, with `doc` as the reason
  };
  Kind kind = Kind::text;
  std::string_view names{};  // "--reason", or "MARKET"
  std::string_view value{};  // placeholder of a flag
  std::string_view doc{};
  ReadArgument read = read_any;
  std::string_view otherwise{};
  std::string_view twin{};     // of `maybe`: the flag that may be typed instead; one of both must
  std::string_view missing{};  // of a flag that must be given: what to say without it
  bool hides_global = false;   // a flag of the program has this name and means something else
  void* (*member)(void* request) = nullptr;
  const api::TypeInfo& (*type)() = nullptr;
};

// How a value of the type is typed as a flag, and read from what was typed.
template <class T>
inline constexpr Argument::Kind typed_as = api::WireEnum<T> ? Argument::Kind::choice : Argument::Kind::text;
template <class T>
inline constexpr Argument::Kind typed_as<std::optional<T>> = typed_as<T>;
template <>
inline constexpr Argument::Kind typed_as<bool> = Argument::Kind::flag;
template <>
inline constexpr Argument::Kind typed_as<std::int64_t> = Argument::Kind::integer;
template <>
inline constexpr Argument::Kind typed_as<Address> = Argument::Kind::address;
template <>
inline constexpr Argument::Kind typed_as<api::DecimalText> = Argument::Kind::decimal;
template <>
inline constexpr Argument::Kind typed_as<api::control::TypedDecimal> = Argument::Kind::decimal;

template <class T>
inline constexpr ReadArgument reader_of = read_any;
template <class T>
inline constexpr ReadArgument reader_of<std::optional<T>> = reader_of<T>;
template <>
inline constexpr ReadArgument reader_of<Address> = read_address;
template <>
inline constexpr ReadArgument reader_of<api::MarketId> = read_market;

template <auto Member>
[[nodiscard]] constexpr Argument bound(Argument argument) {
  argument.member = &api::MemberAccess<Member>::get;
  argument.type = &api::type_of<typename api::MemberAccess<Member>::Type>;
  return argument;
}
template <auto Member>
[[nodiscard]] constexpr Argument positional(std::string_view name, std::string_view doc,
                                            ReadArgument read = reader_of<typename api::MemberAccess<Member>::Type>) {
  return bound<Member>({.kind = Argument::Kind::positional, .names = name, .doc = doc, .read = read});
}
template <auto Member>
[[nodiscard]] constexpr Argument maybe(std::string_view name, std::string_view doc) {
  Argument argument = positional<Member>(name, doc);
  argument.kind = Argument::Kind::maybe;
  return argument;
}
// A market as MARKET or --market.
template <auto Member>
[[nodiscard]] constexpr Argument market_or_flag() {
  Argument argument = maybe<Member>("MARKET", "market");
  argument.twin = "--market";
  return argument;
}
// Without a reader it is typed as its member's type says.
template <auto Member>
[[nodiscard]] constexpr Argument flag(std::string_view names, std::string_view value, std::string_view doc,
                                      ReadArgument read = nullptr, std::string_view otherwise = {}) {
  using Type = typename api::MemberAccess<Member>::Type;
  return bound<Member>({.kind = read != nullptr ? Argument::Kind::text : typed_as<Type>,
                        .names = names,
                        .value = value,
                        .doc = doc,
                        .read = read != nullptr ? read : reader_of<Type>,
                        .otherwise = otherwise});
}
template <auto Member>
[[nodiscard]] constexpr Argument fixed(std::string_view text) {
  return bound<Member>({.kind = Argument::Kind::fixed, .otherwise = text});
}
[[nodiscard]] constexpr Argument refused(std::string_view name, std::string_view why) {
  return {.kind = Argument::Kind::refused, .names = name, .doc = why};
}
[[nodiscard]] constexpr Argument no_field(std::string_view name) {
  return refused(name, "the service has no field for it");
}
[[nodiscard]] constexpr Argument demanded(Argument argument, std::string_view missing) {
  argument.missing = missing;
  return argument;
}
// Instead of a flag of the program that has its name and means something else.
[[nodiscard]] constexpr Argument hiding_global(Argument argument) {
  argument.hides_global = true;
  return argument;
}

// The name of a member on the wire.
template <class R, class M>
[[nodiscard]] consteval std::string_view wire_name(void* (*member)(void*), M R::*) {
  for (const api::FieldInfo& field : R::fields)
    if (field.member == member) return field.name;
  return {};
}
template <auto Member>
inline constexpr std::string_view wire_name_of = wire_name(&api::MemberAccess<Member>::get, Member);

// A column that shows a member; without a name under the wire's.
template <auto Member>
[[nodiscard]] consteval Column column(std::string_view name = wire_name_of<Member>,
                                      Column::Need need = Column::Need::always) {
  static_assert(!wire_name_of<Member>.empty(), "a member that is not on the wire");
  return {name, wire_name_of<Member>, nullptr, need};
}
// The same of one in Unix milliseconds, as RFC 3339.
template <auto Member>
[[nodiscard]] consteval Column time_column(std::string_view name, Column::Need need = Column::Need::always) {
  Column time = column<Member>(name, need);
  time.is_time = true;
  return time;
}
// One of a place in the record, or of a member that is added before it is shown.
[[nodiscard]] constexpr Column placed(std::string_view name, std::string_view path,
                                      Column::Need need = Column::Need::always) {
  return {name, path, nullptr, need};
}
[[nodiscard]] constexpr Column added(std::string_view name, Column::Need need = Column::Need::always) {
  return placed(name, name, need);
}
// One of what no single member says.
[[nodiscard]] constexpr Column computed(std::string_view name, std::string (*text)(const Json& row),
                                        Column::Need need = Column::Need::always) {
  return {name, {}, text, need};
}

[[nodiscard]] inline Result<Exchange, Stop> open_exchange(Context& context) {
  return SVC_TRY(Exchange::open(context));
}

// What a row says beside its operation.
struct OperationTerms {
  std::vector<Argument> arguments{};
  std::vector<Column> columns{};  // none: the members of the record
  Layout layout = Layout::rows;
  std::string_view rows{};  // the member whose records are shown, of an answer that is no list; "*": all members
  std::optional<RowKeys> list{};
  std::string_view look_up{};  // of a write: what shows whether it arrived; names of arguments stand for their values
  Result<Exchange, Stop> (*open)(Context& context) = open_exchange;  // others ask first whether it may be sent
  void (*finish)(Context& context, Answer& answer) = nullptr;        // adds what the record does not say by itself
};

struct OperationRow {
  api::OperationEntry entry;
  std::shared_ptr<void> (*fresh_request)() = nullptr;
  PageSource (*pages)(const void* request) = nullptr;
  std::unique_ptr<Command> (*make)(const OperationRow& row) = nullptr;
  OperationTerms terms;
};

// Classes that add flags, or more than one call, override `declare` and `run`.
class OperationCommand : public Command {
 public:
  explicit OperationCommand(const OperationRow& row);
  void declare(Arguments& arguments) override;
  [[nodiscard]] Result<Answer, Stop> run(Context& context) override;

 protected:
  // What was typed, as a request and as a call.
  [[nodiscard]] Result<std::shared_ptr<void>, Failure> request(const Context& context) const;
  template <class Request>
  [[nodiscard]] Result<Request, Failure> asked(const Context& context) const {
    return *static_cast<const Request*>(SVC_TRY(request(context)).get());
  }
  [[nodiscard]] Result<Call, Failure> call(Context& context) const;
  [[nodiscard]] Result<PageSource, Failure> pages(const Context& context) const {
    return row_.pages(SVC_TRY(request(context)).get());
  }
  [[nodiscard]] Answer shown(Context& context, Reply reply) const;
  // Asks again until `done`, as poll() does.
  [[nodiscard]] Result<Answer, Stop> run_until(Context& context, const WaitLimit& limit,
                                               const std::function<bool(const Json&)>& done,
                                               const std::function<bool(const Failure&)>& goes_on = {}) const;
  [[nodiscard]] View view() const { return {terms_.columns, terms_.layout}; }

  const OperationTerms& terms_;
  ListFlags flags_{};
  PlainWrite write_;

 private:
  void finish(Context& context, Answer& answer) const;
  struct Typed {
    const Argument& argument;
    std::string word{};  // of a positional
    std::optional<std::string> text{}, twin{};
    std::optional<std::uint64_t> number{};
    std::optional<Address> address{};
    bool given = false;

    // As it was typed, or is meant otherwise.
    [[nodiscard]] std::optional<std::string> value(const Context& context) const;
    [[nodiscard]] Result<void, Failure> check() const;
  };

  const OperationRow& row_;
  std::deque<Typed> typed_;  // never moved: the arguments are parsed into them
};

template <class Op, class C = OperationCommand>
[[nodiscard]] std::shared_ptr<const OperationRow> operation(OperationTerms terms = {}) {
  using Request = typename Op::Request;
  return std::make_shared<OperationRow>(
      OperationRow{.entry = {&Op::op, &api::type_of<Request>, &api::type_of<typename Op::Response>},
                   .fresh_request = [] { return std::static_pointer_cast<void>(std::make_shared<Request>()); },
                   .pages = [](const void* request) { return pages_of<Op>(*static_cast<const Request*>(request)); },
                   .make = [](const OperationRow& row) -> std::unique_ptr<Command> { return std::make_unique<C>(row); },
                   .terms = std::move(terms)});
}

// For answers of which one list is shown: it takes the place of the record.
template <auto Member>
void show_list(Context&, Answer& answer) {
  const Json* list = answer.data.find(wire_name_of<Member>);
  Json rows = list == nullptr ? Json::array() : *list;
  answer.data = std::move(rows);
  answer.raw.reset();
}

}  // namespace svc::cli
