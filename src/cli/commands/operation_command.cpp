#include "cli/commands/operation_command.h"

#include "api/codec.h"
#include "api/message_codec.h"
#include "base/address.h"
#include "base/decimal.h"
#include "cli/commands/read.h"
#include "cli/client/exchange.h"

namespace svc::cli {
namespace {

const api::TypeInfo& inner(const api::TypeInfo& type) {
  return type.kind == api::Kind::optional ? type.element() : type;
}

bool is_bare_json(const api::TypeInfo& type) {
  const api::Kind kind = inner(type).kind;
  return kind == api::Kind::boolean || kind == api::Kind::int64 || kind == api::Kind::uint64 ||
         kind == api::Kind::uint32;
}

}  // namespace

Result<std::string, Failure> read_any(std::string_view, const std::string& typed) {
  return typed;
}

Result<std::string, Failure> read_market(std::string_view, const std::string& typed) {
  const auto market = SVC_TRY(market_id(typed));
  return market.text;
}

Result<std::string, Failure> read_address(std::string_view, const std::string& typed) {
  if (parse_address(typed)) return typed;
  return unexpected(usage_error("\"" + typed + "\" is not an address: 0x and 40 hex digits"));
}

Result<std::string, Failure> read_amount(std::string_view name, const std::string& typed) {
  const auto amount = parse_decimal(typed);
  if (amount && amount->coefficient > 0) return typed;
  return unexpected(usage_error(std::string(name) + " must be a positive decimal, not \"" + typed + "\""));
}

View view_of(std::span<const Column> columns, Layout layout) {
  return {.columns = {columns.begin(), columns.end()}, .layout = layout};
}

void OperationCommand::declare(Arguments& arguments) {
  for (const Argument& argument : row_.arguments) {
    Typed& typed = typed_.emplace_back(Typed{.argument = argument});
    if (argument.hides_global) arguments.give_way(argument.names);
    switch (argument.kind) {
      case Argument::Kind::positional: arguments.positional(argument.names, typed.word, argument.doc); break;
      case Argument::Kind::text: arguments.text(argument.names, typed.text, argument.value, argument.doc); break;
      case Argument::Kind::decimal: arguments.decimal(argument.names, typed.text, argument.value, argument.doc); break;
      case Argument::Kind::integer:
        arguments.integer(argument.names, typed.number, argument.value, argument.doc);
        break;
      case Argument::Kind::choice:
        arguments.choice(argument.names, typed.text, inner(argument.type()).names->texts, argument.doc);
        break;
      case Argument::Kind::flag: arguments.flag(argument.names, typed.given, argument.doc); break;
      case Argument::Kind::account: break;
    }
  }
}

std::optional<std::string> OperationCommand::Typed::value(const Context& context) const {
  switch (argument.kind) {
    case Argument::Kind::integer: return number ? std::optional(std::to_string(*number)) : std::nullopt;
    case Argument::Kind::flag: return given ? std::optional<std::string>("true") : std::nullopt;
    case Argument::Kind::account: {
      const auto& account = context.globals().account;
      return account ? std::optional(to_string(*account)) : std::nullopt;
    }
    case Argument::Kind::positional: return word;
    default: break;
  }
  if (text || argument.otherwise.empty()) return text;
  return std::string(argument.otherwise);
}

Result<Answer, Stop> OperationCommand::run(Context& context) {
  const std::shared_ptr<void> request = row_.fresh_request();
  for (const Typed& typed : typed_) {
    const auto value = typed.value(context);
    if (!value) continue;
    const Argument& argument = typed.argument;
    const auto text = SVC_TRY(argument.read(argument.names, *value));
    const auto put = api::decode_json(argument.type(), argument.member(request.get()),
                                      is_bare_json(argument.type()) ? text : quoted_json(text), api::strict, nullptr);
    if (!put)
      return unexpected(Stop(
          usage_error(std::string(argument.names) + " must be " + put.error().expected + ", not \"" + *value + "\"")));
  }
  if (row_.operation->base == api::PathBase::control) context.prefer_network("local");
  auto exchange = SVC_TRY(Exchange::open(context));
  auto reply = SVC_TRY(exchange.call(make_call(*row_.operation, row_.response(),
                                               api::encode_request(*row_.operation, row_.request(), request.get()))));
  Answer answer = answer_of(std::move(reply), view_of(row_.columns));
  if (row_.finish != nullptr) row_.finish(context, answer);
  return answer;
}

}  // namespace svc::cli
