// local fault add, list, clear
#include <algorithm>
#include <array>

#include "base/decimal.h"
#include "base/limits.h"
#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array method_words{"GET"sv, "POST"sv, "PUT"sv, "PATCH"sv, "DELETE"sv};
constexpr std::array stream_words{"gap"sv, "drop"sv, "dup"sv, "reorder"sv};

// What a rule does, in one word or two.
std::string effect_of(const Json& fault) {
  const auto word = [&](std::string_view name) { return fault.find(name) != nullptr; };
  std::string effect;
  if (const auto code = fault.string_at("code"))
    effect = std::to_string(fault.integer_at("status").value_or(0)).append(" ").append(*code);
  if (word("drop_before")) effect = "drop before";
  if (word("drop_after_send")) effect = "drop after send";
  if (const auto skew = fault.integer_at("skew_ms")) effect = "skew " + std::to_string(*skew) + " ms";
  if (const auto stream = fault.string_at("ws")) effect = std::string("ws ").append(*stream);
  if (const auto latency = fault.integer_at("latency_ms"))
    effect += (effect.empty() ? "" : ", ") + ("latency " + std::to_string(*latency) + " ms");
  return effect;
}

// Which requests it is for.
std::string rule_of(const Json& fault) {
  std::string rule;
  for (const std::string_view name : {"method", "route", "operation", "account"}) {
    const auto text = fault.string_at(name);
    if (text) rule.append(rule.empty() ? "" : " ").append(*text);
  }
  if (const auto when = fault.string_at("when")) rule.append(rule.empty() ? "when " : " when ").append(*when);
  return rule.empty() ? "every request" : rule;
}

View fault_view() {
  return {{{"id", "id"},
           {"rule", "", rule_of},
           {"effect", "", effect_of},
           {"rate", "rate"},
           {"count", "count"},
           {"hits", "hits"}}};
}

class AddFault final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--route", route_, "GLOB", "paths it is for, such as '/orders*' (default: all)");
    arguments.text("--operation", operation_, "NAME", "operation it is for, such as place_order");
    arguments.choice("--method", method_, method_words, "method it is for");
    arguments.integer("--status", status_, "N", "answer with this status");
    arguments.text("--code", code_, "CODE", "answer with this error; docs/errors.md lists them");
    arguments.text("--latency", latency_, "MS", "hold the answer back so long (real time)");
    arguments.flag("--drop-before", drop_before_, "lose the request before it is handled");
    arguments.flag("--drop-after-send", drop_after_send_, "handle it and lose the answer");
    arguments.choice("--ws", ws_, stream_words, "what happens to events of a stream");
    arguments.text("--skew", skew_, "MS", "how far the server's clock is ahead when it judges credentials");
    arguments.give_way("--rate");
    arguments.decimal("--rate", rate_, "FRACTION", "share of the requests that it hits, such as 0.1");
    arguments.integer("--count", count_, "N", "hit so many times, then rest");
    arguments.text("--when", when_, "EXPR",
                   "only requests such as 'body.side=Buy && body.price>=60000'; of method, path, operation, account, "
                   "query.NAME and body.NAME");
  }

  Result<Answer, Stop> run(Context& context) override {
    auto body = Json::object({});
    for (const auto& [name, value] : {std::pair{"route"sv, &route_},
                                      {"operation"sv, &operation_},
                                      {"method"sv, &method_},
                                      {"code"sv, &code_},
                                      {"ws"sv, &ws_},
                                      {"when"sv, &when_},
                                      {"rate"sv, &rate_}})
      if (*value) body.set(name, **value);
    if (const auto& account = context.globals().account) body.set("account", to_string(*account));
    if (drop_before_) body.set("drop_before", true);
    if (drop_after_send_) body.set("drop_after_send", true);
    for (const auto& [name, value] : {std::pair{"status"sv, &status_}, {"count"sv, &count_}})
      if (*value)
        body.set(name, static_cast<std::int64_t>(std::min<std::uint64_t>(**value, limits::fault_count_max + 1ULL)));
    for (const auto& [name, flag, value] :
         {std::tuple{"latency_ms"sv, "--latency"sv, &latency_}, {"skew_ms"sv, "--skew"sv, &skew_}}) {
      if (!*value) continue;
      const auto ms = SVC_TRY(milliseconds(flag, **value));
      body.set(name, ms);
    }
    auto reply = SVC_TRY(ask_sandbox(context, control_post("/faults", body)));
    return answer_of(std::move(reply), fault_view());
  }

 private:
  // "250", "250ms" or "-2s".
  static Result<std::int64_t, Failure> milliseconds(std::string_view flag, const std::string& text) {
    std::string_view digits = text;
    std::int64_t unit_ms = 1;
    if (digits.ends_with("ms")) {
      digits.remove_suffix(2);
    } else if (digits.ends_with('s')) {
      digits.remove_suffix(1);
      unit_ms = second_ms;
    }
    const auto number = parse_scaled(digits, 0);
    constexpr std::int64_t number_max = 1'000'000'000'000;
    if (!number || *number > number_max || *number < -number_max)
      return unexpected(usage_error(std::string(flag) + " must be such as 250, 250ms or 2s, not \"" + text + "\""));
    return *number * unit_ms;
  }

  std::optional<std::string> route_, operation_, method_, code_, ws_, when_, rate_, latency_, skew_;
  std::optional<std::uint64_t> status_, count_;
  bool drop_before_ = false, drop_after_send_ = false;
};

class ListFaults final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    auto reply = SVC_TRY(ask_sandbox(context, control_get("/faults")));
    const Json* faults = reply.body.find("faults");
    return Answer{.data = faults == nullptr ? Json::array() : *faults, .view = fault_view()};
  }
};

class ClearFaults final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("ID", id_, "rule to lift (default: all)"); }
  Result<Answer, Stop> run(Context& context) override {
    const bool is_number = !id_ || (!id_->empty() && id_->find_first_not_of("0123456789") == std::string::npos);
    if (!is_number) return unexpected(Stop(usage_error("ID is the number of a rule, not \"" + *id_ + "\"")));
    auto reply = SVC_TRY(ask_sandbox(context, control_delete(id_ ? "/faults/" + *id_ : "/faults")));
    return answer_of(std::move(reply), {{{"removed", "removed"}}});
  }

 private:
  std::optional<std::string> id_;
};

constexpr std::array local_fault_rows{
    CommandRow{"local fault add", "", "Make requests fail, wait or get lost", make<AddFault>},
    CommandRow{"local fault list", "", "List the faults that are set, with their hits", make<ListFaults>, 1,
               Repeats::yes},
    CommandRow{"local fault clear", "[ID]", "Lift one fault, or all", make<ClearFaults>},
};

}  // namespace

std::span<const CommandRow> local_fault_commands() {
  return local_fault_rows;
}

}  // namespace svc::cli
