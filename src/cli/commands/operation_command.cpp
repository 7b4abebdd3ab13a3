#include "cli/commands/operation_command.h"

#include <unistd.h>

#include "api/codec.h"
#include "api/contract/markets.h"
#include "api/message_codec.h"
#include "base/address.h"
#include "cli/commands/pages.h"
#include "cli/terminal/terminal_screen.h"

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

PlainWrite::Signed signed_how(const api::Operation& operation) {
  if (operation.action != nullptr) return PlainWrite::Signed::beside;
  const bool by_owner =
      operation.auth.has(api::Auth::owner_signature) || operation.auth.has(api::Auth::wallet_signature);
  return by_owner ? PlainWrite::Signed::in_body : PlainWrite::Signed::not_at_all;
}

ChartFrame frame_of(Context& context) {
  constexpr int columns_default = 80, columns_max = 240;
  const int columns = context.environment().out_is_terminal ? static_cast<int>(columns_of_terminal(STDOUT_FILENO)) : 0;
  return {.columns = columns > 0 ? std::min(columns, columns_max) : columns_default, .glyphs = glyphs_here(context)};
}

std::string spark_text(const std::string& title, const std::vector<Decimal>& values, const ChartFrame& frame) {
  if (values.empty()) return title + "  nothing to draw\n";
  const std::string ends = format_decimal(values.front()) + " to " + format_decimal(values.back());
  const int room = frame.columns - static_cast<int>(title.size() + ends.size()) - 4;
  return title + "  " + spark_line(values, room, frame.glyphs) + "  " + ends + "\n";
}

// A series as a picture and in one line, by the last value of each of its parts.
template <class Part>
void draw_series(const ChartFlags& flags, Context& context, Answer& answer, const std::string& title,
                 const std::vector<Part>& series, Decimal Part::*value,
                 Canvas (*picture)(const std::string&, const std::vector<Part>&, const ChartFrame&)) {
  if (!flags.chart && !flags.spark) return;
  const ChartFrame frame = frame_of(context);
  if (flags.chart) {
    const Canvas drawn = picture(title, series, frame);
    answer.text = context.presentation().color ? drawn.colored_text() : drawn.text();
  }
  if (!flags.spark) return;
  std::vector<Decimal> values;
  for (const Part& part : series) values.push_back(part.*value);
  answer.text = answer.text.value_or("") + spark_text(title, values, frame);
}

}  // namespace

ColumnTerms::operator std::vector<Column>() const {
  std::vector<Column> made;
  for_each_column_word(words, [&](const ColumnWord& word) {
    Column& column = made.emplace_back(word.column);
    if (word.of != ColumnWord::Of::function) return;
    const auto found = std::ranges::find(computed, column.name, &ComputedColumn::name);
    SVC_ASSERT(found != computed.end());
    column.text = found->text;
  });
  return made;
}

ColumnTerms adl_event_columns() {
  return columns<api::AdlEventRecord>(
      "time@timestamp market=market_id target=target_account price=bankruptcy_price absorbed=bad_debt_absorbed_by_fund "
      "accounts()",
      {{"accounts", [](const Json& row) {
          const Json* closures = row.find("counterparty_closures");
          return closures == nullptr ? std::string() : std::to_string(closures->items().size());
        }}});
}

Result<std::string> read_any(std::string_view, const std::string& typed) {
  return typed;
}

Result<std::string> read_market(std::string_view, const std::string& typed) {
  return SVC_TRY(market_id(typed)).text;
}

Result<std::string> read_address(std::string_view, const std::string& typed) {
  if (!parse_address(typed)) return usage_error("\"", typed, "\" is not an address: 0x and 40 hex digits");
  if (const auto problem = checksum_problem(typed); !problem.empty()) return usage_error(problem);
  return typed;
}

Result<std::string> read_amount(std::string_view name, const std::string& typed) {
  const std::string text = completed_decimal(typed);
  if (const auto amount = parse_decimal(text); amount && amount->coefficient > 0) return text;
  return usage_error(name, " must be a positive decimal such as 25.5, not \"", typed, "\"");
}

CommandRow::CommandRow(std::string_view name, std::string_view words, std::string_view line, std::string_view shown,
                       std::shared_ptr<const OperationRow> one, Made made)
    : path(name),
      usage(words),
      summary(line),
      examples(shown),
      output{.shape = one->terms.shape.empty() ? one->entry.operation->name : one->terms.shape,
             .as = one->terms.rows.empty() ? As::document : As::list},
      repeats(one->entry.operation->is_write() ? Repeats::no : Repeats::yes),
      operation(std::move(one)),
      made_(std::make_shared<const Made>(std::move(made))) {}

std::unique_ptr<Command> CommandRow::make() const {
  if (*made_) return (*made_)();
  return std::make_unique<OperationCommand>(*operation);
}

OperationCommand::OperationCommand(const OperationRow& row)
    : row_(row), terms_(row.terms), write_(signed_how(*row.entry.operation)) {}

void OperationCommand::declare(Arguments& arguments) {
  using Kind = MemberArgument::Kind;
  const auto add = [&](const MemberArgument& argument) {
    if (argument.is_refused) return arguments.refused(argument.names, argument.doc);
    Typed& typed = typed_.emplace_back(Typed{.argument = argument});
    switch (argument.kind) {
      case Kind::positional: arguments.add(typed.text.emplace(), argument); break;
      case Kind::text: arguments.add(typed.text, argument); break;
      case Kind::integer: arguments.add(typed.number, argument); break;
      case Kind::flag: arguments.add(typed.given, argument); break;
      case Kind::address: arguments.add(typed.address, argument); break;
      case Kind::account:
      case Kind::fixed: break;
    }
    if (!argument.twin.empty())
      arguments.add(typed.twin, {argument.twin, "same as " + std::string(argument.names), argument.names});
  };
  std::ranges::for_each(terms_.arguments, add);
  if (terms_.list) flags_.declare(arguments, *terms_.list);
  std::ranges::for_each(terms_.more, add);
  if (terms_.chart) charts_.declare(arguments);
  if (terms_.wait && terms_.wait->states.empty()) arguments.add(waits_, {"--wait", terms_.wait->doc});
  if (terms_.wait && !terms_.wait->states.empty())
    arguments.add(wanted_state_, {"--wait", terms_.wait->doc, {}, terms_.wait->states});
  if (terms_.wait) wait_limit_.declare(arguments);
  const api::Operation& operation = *row_.entry.operation;
  if (operation.is_write() && operation.base != api::PathBase::control) write_.declare(arguments);
}

std::optional<std::string> OperationCommand::Typed::value(const Context& context) const {
  const bool is_acting = argument.kind == MemberArgument::Kind::account;
  if (const auto& whose = is_acting ? context.globals().account : address) return to_string(*whose);
  if (number) return std::to_string(*number);
  if (given) return "true";
  if (text || twin || argument.otherwise.empty()) return text ? text : twin;
  return std::string(argument.otherwise);
}

Result<void> OperationCommand::Typed::check() const {
  if (!argument.missing.empty() && !text) return usage_error(argument.missing);
  if (argument.twin.empty() || text.has_value() != twin.has_value()) return {};
  if (text) return usage_error(argument.names, " and ", argument.twin, " exclude each other");
  return usage_error("missing ", argument.names);
}

Result<std::shared_ptr<void>> OperationCommand::request(const Context& context) const {
  std::shared_ptr<void> request = row_.fresh_request();
  for (const Typed& typed : typed_) {
    SVC_TRY(typed.check());
    const MemberArgument& argument = typed.argument;
    const auto value = typed.value(context);
    if (!value || argument.member == nullptr) continue;
    const auto text = SVC_TRY(argument.read(argument.names, *value));
    const auto put = api::decode_json(argument.type(), argument.member(request.get()),
                                      is_bare_json(argument.type()) ? text : quoted_json(text), api::strict, nullptr);
    if (!put) return usage_error(argument.names, " must be ", put.error().expected, ", not \"", *value, "\"");
  }
  return request;
}

Result<Call> OperationCommand::call(Context& context) const {
  const auto& [operation, request_type, response_type] = row_.entry;
  const auto typed_request = SVC_TRY(request(context));
  Call call =
      make_call(*operation, response_type(), api::encode_request(*operation, request_type(), typed_request.get()));
  if (terms_.look_up.empty()) return call;
  // Word by word: a name of an argument may be a part of what another one says.
  std::vector<std::string> look_up;
  for (const std::string_view word : pieces_of(terms_.look_up, " ")) {
    const auto is_for = [&](const Typed& one) {
      return one.argument.kind == MemberArgument::Kind::positional && one.argument.names == word;
    };
    const Typed* typed = found_where(typed_, is_for);
    look_up.push_back(typed == nullptr ? std::string(word) : *typed->text);
  }
  call.look_up = {command_line(context, joined(look_up, {}, " "))};
  return call;
}

Result<Given> OperationCommand::given(const Context& context) const {
  Given given;
  for (const Typed& typed : typed_) {
    const MemberArgument& argument = typed.argument;
    if (const auto value = typed.value(context))
      given.emplace(argument.names, SVC_TRY(argument.read(argument.names, *value)));
  }
  return given;
}

Answer OperationCommand::shown(Context& context, Reply reply) const {
  Answer answer = answer_of(std::move(reply), view());
  if (terms_.rows == "*") answer.rows = Json::array(answer.data.items());
  // The record is a whole; its rows are what a table can show.
  else if (const Json* rows = terms_.rows.empty() ? nullptr : answer.data.find(terms_.rows))
    answer.rows = *rows;
  if (terms_.finish != nullptr) terms_.finish(context, answer);
  return answer;
}

Result<Answer> OperationCommand::sent(Context& context, Exchange& exchange, const Call& call) const {
  return shown(context, SVC_TRY(waits() ? poll(context, exchange, call) : write_.send(context, exchange, call)));
}

Result<Reply> OperationCommand::poll(Context& context, Exchange& exchange, const Call& call) const {
  constexpr std::int64_t interval_ms = 1'000;
  const auto timeout_ms = SVC_TRY(wait_limit_.timeout_ms(true));
  const std::int64_t until_ms = context.uptime_ms() + timeout_ms;
  const WaitTerms& wait = *terms_.wait;
  Json last;
  for (;;) {
    auto reply = exchange.call(call);
    if (reply) {
      if (wait.done(reply->body, wanted_state_.value_or(""))) return reply;
      last = std::move(reply->body);
    } else if (reply.error().is_plan() || wait.goes_on == nullptr || !wait.goes_on(reply.error())) {
      return reply;
    }
    const std::int64_t left_ms = until_ms - context.uptime_ms();
    if (left_ms <= 0)
      return failed("wait_ended", "it did not come about within ", format_scaled(timeout_ms, 3), " s")
          .as_retryable()
          .with_details(Json::object({{"last", std::move(last)}}));
    if (!context.environment().pause(std::min(left_ms, interval_ms))) return failed("interrupted", "interrupted");
  }
}

Result<Answer> OperationCommand::ask(Context& context) {
  SVC_TRY(wait_limit_.timeout_ms(waits()));
  if (terms_.run != nullptr) return terms_.run(context, *this);
  const AddRows add_rows = [&](Answer& answer) {
    if (terms_.finish != nullptr) terms_.finish(context, answer);
  };
  if (terms_.list && terms_.list->comes == Comes::whole)
    return read_whole(context, flags_, *terms_.list, SVC_TRY(call(context)), view(), add_rows);
  if (terms_.list) return read(context, SVC_TRY(pages(context)), add_rows);
  const auto wanted = SVC_TRY(call(context));
  auto exchange = SVC_TRY(terms_.open(context));
  return sent(context, exchange, wanted);
}

Result<Answer> OperationCommand::run(Context& context) {
  Answer answer = SVC_TRY(ask(context));
  if (terms_.chart)
    charts_.draw(context, answer, std::string(terms_.chart->title), terms_.chart->points(answer.shown()));
  if (terms_.then != nullptr) SVC_TRY(terms_.then(context, answer, SVC_TRY(given(context))));
  return answer;
}

void ChartFlags::declare(Arguments& arguments) {
  arguments.add(chart, {"--chart", "draw it"});
  arguments.add(spark, {"--spark", "draw it in one line"});
}

void ChartFlags::draw(Context& context, Answer& answer, const std::string& title,
                      const std::vector<ChartPoint>& points) const {
  draw_series(*this, context, answer, title, points, &ChartPoint::value, area_chart);
}

void ChartFlags::draw(Context& context, Answer& answer, const std::string& title,
                      const std::vector<ChartCandle>& candles) const {
  draw_series(*this, context, answer, title, candles, &ChartCandle::close, candle_chart);
}

}  // namespace svc::cli
