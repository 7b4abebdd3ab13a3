// Commands that are one operation: what is typed goes into members of its request, what it answers is shown in columns.
//
//   constexpr Argument grant_arguments[] = {positional<&Grant::account>("ADDR", "account", read_address),
//                                           positional<&Grant::amount>("AMOUNT", "USDX", read_amount)};
//
//   CommandRow{"local fund", "ADDR AMOUNT", "Give an account play money",
//              make_operation<Fund, grant_arguments, columns<&Granted::account, &Granted::balance>>}
//
// A member that does not exist, or is of another record, does not compile.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/contract/control.h"
#include "api/operation.h"
#include "api/record.h"
#include "cli/terminal/answer.h"
#include "cli/arguments/arguments.h"
#include "cli/commands/command_table.h"
#include "cli/terminal/order_views.h"
#include "cli/client/context.h"

namespace svc::cli {

// What was typed as the text of the member, or exit 2 with what was expected. `name` is that of the argument.
using ReadArgument = Result<std::string, Failure> (*)(std::string_view name, const std::string& typed);

[[nodiscard]] Result<std::string, Failure> read_any(std::string_view name, const std::string& typed);
[[nodiscard]] Result<std::string, Failure> read_market(std::string_view name, const std::string& typed);
[[nodiscard]] Result<std::string, Failure> read_address(std::string_view name, const std::string& typed);
[[nodiscard]] Result<std::string, Failure> read_amount(std::string_view name, const std::string& typed);  // above zero

// One argument, and the member of the request it fills. A positional must be given; a flag that is not given leaves the
// member as it is, or gives it `otherwise`.
struct Argument {
  enum class Kind : std::uint8_t {
    positional,
    text,
    decimal,
    integer,
    choice,   // of the names of the member's enumeration
    flag,     // true if it is given
    account,  // not typed here: what the global flag --account says
  };
  Kind kind = Kind::text;
  std::string_view names{};  // "--reason", or "MARKET"
  std::string_view value{};  // placeholder of a flag
  std::string_view doc{};
  ReadArgument read = read_any;
  std::string_view otherwise{};
  bool hides_global = false;  // a flag of the program has this name and means something else
  void* (*member)(void* request) = nullptr;
  const api::TypeInfo& (*type)() = nullptr;
};

// How a value of the type is typed as a flag.
template <class T>
inline constexpr Argument::Kind kind_of = api::WireEnum<T> ? Argument::Kind::choice : Argument::Kind::text;
template <class T>
inline constexpr Argument::Kind kind_of<std::optional<T>> = kind_of<T>;
template <>
inline constexpr Argument::Kind kind_of<bool> = Argument::Kind::flag;
template <>
inline constexpr Argument::Kind kind_of<std::int64_t> = Argument::Kind::integer;
template <>
inline constexpr Argument::Kind kind_of<api::control::TypedDecimal> = Argument::Kind::decimal;

template <auto Member>
[[nodiscard]] constexpr Argument bound(Argument argument) {
  argument.member = &api::MemberAccess<Member>::get;
  argument.type = &api::type_of<typename api::MemberAccess<Member>::Type>;
  return argument;
}
template <auto Member>
[[nodiscard]] constexpr Argument positional(std::string_view name, std::string_view doc, ReadArgument read = read_any) {
  return bound<Member>({.kind = Argument::Kind::positional, .names = name, .doc = doc, .read = read});
}
// Without a reader it is typed as its member's type says.
template <auto Member>
[[nodiscard]] constexpr Argument flag(std::string_view names, std::string_view value, std::string_view doc,
                                      ReadArgument read = nullptr, std::string_view otherwise = {}) {
  const auto kind = read != nullptr ? Argument::Kind::text : kind_of<typename api::MemberAccess<Member>::Type>;
  return bound<Member>({.kind = kind,
                        .names = names,
                        .value = value,
                        .doc = doc,
                        .read = read != nullptr ? read : read_any,
                        .otherwise = otherwise});
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
[[nodiscard]] consteval Column column(std::string_view name = wire_name_of<Member>) {
  static_assert(!wire_name_of<Member>.empty(), "a member that is not on the wire");
  return {name, wire_name_of<Member>};
}
// The same of one in Unix milliseconds, as RFC 3339.
template <auto Member>
[[nodiscard]] consteval Column time_column(std::string_view name) {
  static_assert(!wire_name_of<Member>.empty(), "a member that is not on the wire");
  return {name, {}, [](const Json& row) { return time_at(row, wire_name_of<Member>); }};
}

// Of members that are shown under the wire's names.
template <auto... Members>
inline constexpr std::array<Column, sizeof...(Members)> columns{column<Members>()...};

struct OperationRow {
  const api::Operation* operation = nullptr;
  const api::TypeInfo& (*request)() = nullptr;
  const api::TypeInfo& (*response)() = nullptr;
  std::shared_ptr<void> (*fresh_request)() = nullptr;
  std::span<const Argument> arguments{};
  std::span<const Column> columns{};
  void (*finish)(Context& context, Answer& answer) = nullptr;  // adds what the record does not say by itself
};

class OperationCommand final : public Command {
 public:
  explicit OperationCommand(const OperationRow& row) : row_(row) {}
  void declare(Arguments& arguments) override;
  [[nodiscard]] Result<Answer, Stop> run(Context& context) override;

 private:
  struct Typed {
    const Argument& argument;
    std::string word{};  // of a positional
    std::optional<std::string> text{};
    std::optional<std::uint64_t> number{};
    bool given = false;

    // As it was typed, or is meant otherwise.
    [[nodiscard]] std::optional<std::string> value(const Context& context) const;
  };

  const OperationRow& row_;
  std::deque<Typed> typed_;  // never moved: the arguments are parsed into them
};

inline constexpr std::array<Argument, 0> no_arguments{};

template <class Op, const auto& arguments, const auto& columns, void (*finish)(Context&, Answer&) = nullptr>
[[nodiscard]] std::unique_ptr<Command> make_operation() {
  using Request = typename Op::Request;
  static constexpr OperationRow row{
      .operation = &Op::op,
      .request = &api::type_of<Request>,
      .response = &api::type_of<typename Op::Response>,
      .fresh_request = [] { return std::static_pointer_cast<void>(std::make_shared<Request>()); },
      .arguments = arguments,
      .columns = columns,
      .finish = finish};
  return std::make_unique<OperationCommand>(row);
}

// For answers of which one list is shown: it takes the place of the record.
template <auto Member>
void show_list(Context&, Answer& answer) {
  const Json* list = answer.data.find(wire_name_of<Member>);
  Json rows = list == nullptr ? Json::array() : *list;
  answer.data = std::move(rows);
  answer.raw.reset();
}

[[nodiscard]] View view_of(std::span<const Column> columns, Layout layout = Layout::rows);

}  // namespace svc::cli
