#include "sim/control/fault_body.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/operation_table.h"
#include "base/decimal.h"
#include "base/limits.h"

namespace svc::sim {
namespace {

using api::ErrorCode;
using Json = nlohmann::ordered_json;
using Read = Result<void, std::string>;

constexpr api::Method methods[] = {api::Method::get, api::Method::post, api::Method::put, api::Method::patch,
                                   api::Method::del};
constexpr int rate_decimals = 6;
constexpr int status_min = 400;
constexpr int status_max = 599;

Read read_when(const ControlBody& body, FaultRule& rule) {
  if (!body.has("when")) return {};
  const auto text = body.text("when");
  if (!text) return unexpected(text.error());
  if (text->size() > fault_when_chars_max)
    return unexpected("when is at most " + std::to_string(fault_when_chars_max) + " bytes");
  auto conditions = TextConditions::parse(*text);
  if (!conditions) return unexpected("when " + conditions.error());
  if (conditions->all().size() > fault_when_conditions_max)
    return unexpected("when has at most " + std::to_string(fault_when_conditions_max) + " conditions");
  for (const TextCondition& one : conditions->all())
    if (!is_request_member(one.path()))
      return unexpected("when: no member \"" + one.path() +
                        "\" of a request; there are method, path, operation, account, query.NAME and body.NAME");
  rule.when = std::move(*conditions);
  return {};
}

Read read_subject(const ControlBody& body, FaultRule& rule) {
  if (body.has("route")) {
    const auto route = body.text("route");
    if (!route) return unexpected(route.error());
    const bool is_path = route->starts_with('/') || route->starts_with('*');
    if (!is_path || route->size() > limits::fault_glob_chars_max)
      return unexpected("route is a path such as /orders/*, at most " + std::to_string(limits::fault_glob_chars_max) +
                        " bytes");
    rule.route = *route;
  }
  if (body.has("operation")) {
    const auto name = body.text("operation");
    if (!name) return unexpected(name.error());
    if (api::find_operation(*name) == nullptr)
      return unexpected("no operation \"" + *name + "\"; names are as in GET /_svc/coverage");
    rule.operation = *name;
  }
  if (body.has("method")) {
    const auto text = body.text("method");
    if (!text) return unexpected(text.error());
    const auto method = std::ranges::find(methods, *text, [](api::Method one) { return api::to_string(one); });
    if (method == std::end(methods)) return unexpected(std::string("method is GET, POST, PUT, PATCH or DELETE"));
    rule.method = *method;
  }
  if (body.has("account")) {
    const auto text = body.text("account");
    if (!text) return unexpected(text.error());
    rule.account = parse_address(*text);
    if (!rule.account) return unexpected(std::string("account must be 0x and 40 hex digits"));
  }
  return read_when(body, rule);
}

Read read_frequency(const ControlBody& body, FaultRule& rule) {
  if (body.has("rate")) {
    const auto text = body.decimal("rate");
    const auto ppm = text ? parse_scaled(*text, rate_decimals) : parse_scaled("", rate_decimals);
    if (!ppm || *ppm <= 0 || *ppm > fault_always_ppm)
      return unexpected(std::string("rate is a number above 0 and at most 1, with up to 6 decimals"));
    rule.rate_ppm = static_cast<std::uint32_t>(*ppm);
  }
  if (body.has("count")) {
    const auto count = body.integer("count");
    if (!count || *count < 1 || *count > limits::fault_count_max)
      return unexpected("count is a whole number from 1 to " + std::to_string(limits::fault_count_max));
    rule.count = static_cast<std::uint32_t>(*count);
  }
  return {};
}

Read read_error(const ControlBody& body, FaultRule& rule) {
  rule.effect = FaultEffect::error;
  int status = 0;
  if (body.has("status")) {
    const auto number = body.integer("status");
    if (!number || *number < status_min || *number > status_max)
      return unexpected(std::string("status is a whole number from 400 to 599"));
    status = static_cast<int>(*number);
  }
  if (!body.has("code")) {
    const auto code = usual_code(status);
    if (!code) return unexpected("status " + std::to_string(status) + " does not say which error: name its code");
    rule.code = *code;
    return {};
  }
  const auto text = body.text("code");
  if (!text) return unexpected(text.error());
  const auto code = api::find_error(*text);
  if (!code) return unexpected("no error code \"" + *text + "\"; docs/errors.md lists them");
  if (*code == ErrorCode::subscription_limit_exceeded || *code == ErrorCode::frame_rate_exceeded)
    return unexpected("code " + *text + " is sent as a frame of a stream, never as an answer");
  rule.code = *code;
  if (status != api::info(*code).status) rule.status = static_cast<std::uint16_t>(status);
  return {};
}

Result<bool, std::string> set(const ControlBody& body, std::string_view name) {
  if (!body.has(name)) return false;
  return body.flag(name);
}

Read read_effect(const ControlBody& body, FaultRule& rule) {
  const auto lost = set(body, "drop_before");
  if (!lost) return unexpected(lost.error());
  const auto unanswered = set(body, "drop_after_send");
  if (!unanswered) return unexpected(unanswered.error());
  const bool errs = body.has("status") || body.has("code");
  const int effects = errs + *lost + *unanswered + body.has("skew_ms") + body.has("ws");
  if (effects > 1) return unexpected(std::string("a rule does one thing: an error, a drop, a skew or a stream fault"));

  if (body.has("latency_ms")) {
    const auto latency = body.integer("latency_ms");
    if (!latency || *latency < 1 || *latency > limits::fault_latency_ms_max)
      return unexpected("latency_ms is a whole number from 1 to " + std::to_string(limits::fault_latency_ms_max));
    rule.latency_ms = *latency;
  } else if (effects == 0) {
    return unexpected(
        std::string("one of status, code, latency_ms, drop_before, drop_after_send, skew_ms and ws is needed"));
  }
  if (errs) return read_error(body, rule);
  if (*lost) rule.effect = FaultEffect::lost;
  if (*unanswered) rule.effect = FaultEffect::unanswered;
  if (body.has("skew_ms")) {
    const auto skew = body.integer("skew_ms");
    if (!skew || *skew < -limits::fault_skew_ms_max || *skew > limits::fault_skew_ms_max || *skew == 0)
      return unexpected("skew_ms is a whole number other than 0, at most " + std::to_string(limits::fault_skew_ms_max) +
                        " either way");
    rule.effect = FaultEffect::skew;
    rule.skew_ms = *skew;
  }
  if (body.has("ws")) {
    const auto text = body.text("ws");
    const auto fault = text ? parse_stream_fault(*text) : std::nullopt;
    if (!fault) return unexpected(std::string("ws is gap, drop, dup or reorder"));
    rule.effect = FaultEffect::stream;
    rule.stream = *fault;
  }
  return {};
}

}  // namespace

Result<FaultRule, std::string> parse_fault(const ControlBody& body) {
  const auto known = body.only({"route", "operation", "method", "account", "rate", "count", "status", "code",
                                "latency_ms", "drop_before", "drop_after_send", "skew_ms", "ws", "when"});
  if (!known) return unexpected(known.error());
  FaultRule rule;
  for (const auto read : {read_subject, read_frequency, read_effect})
    if (const auto done = read(body, rule); !done) return unexpected(done.error());
  const bool before_anybody_is_known = rule.effect == FaultEffect::lost || rule.effect == FaultEffect::skew;
  if (rule.account && before_anybody_is_known)
    return unexpected(std::string("drop_before and skew_ms act before anybody is known: leave out account"));
  if (rule.when && rule.effect == FaultEffect::stream)
    return unexpected(std::string("when looks at requests, and ws is about events: leave out one of them"));
  if (rule.latency_ms != 0 && (rule.effect == FaultEffect::skew || rule.effect == FaultEffect::stream))
    return unexpected(std::string("latency_ms goes alone, or with an error or a drop"));
  return rule;
}

Result<std::vector<FaultRule>, std::string> parse_fault_lines(std::string_view text) {
  std::vector<FaultRule> rules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto body = ControlBody::parse(line);
    auto rule = body ? parse_fault(*body) : Result<FaultRule, std::string>(unexpected(body.error()));
    if (!rule) return unexpected("line " + std::to_string(number) + ": " + rule.error());
    if (rules.size() == limits::fault_rules_max)
      return unexpected("at most " + std::to_string(limits::fault_rules_max) + " rules");
    rules.push_back(std::move(*rule));
  }
  return rules;
}

std::string to_json(const SetFault& fault) {
  const FaultRule& rule = fault.rule;
  Json document{{"id", fault.id}};
  if (!rule.route.empty()) document["route"] = rule.route;
  if (!rule.operation.empty()) document["operation"] = rule.operation;
  if (rule.method) document["method"] = api::to_string(*rule.method);
  if (rule.account) document["account"] = to_string(*rule.account);
  if (rule.when) document["when"] = rule.when->text();
  switch (rule.effect) {
    case FaultEffect::latency: break;
    case FaultEffect::error:
      document["code"] = api::spelling(rule.code);
      document["status"] = rule.status != 0 ? rule.status : api::info(rule.code).status;
      break;
    case FaultEffect::lost: document["drop_before"] = true; break;
    case FaultEffect::unanswered: document["drop_after_send"] = true; break;
    case FaultEffect::skew: document["skew_ms"] = rule.skew_ms; break;
    case FaultEffect::stream: document["ws"] = to_string(rule.stream); break;
  }
  if (rule.latency_ms != 0) document["latency_ms"] = rule.latency_ms;
  if (rule.rate_ppm != fault_always_ppm) document["rate"] = Json::parse(format_scaled(rule.rate_ppm, rate_decimals));
  if (rule.count) document["count"] = *rule.count;
  document["hits"] = fault.hits;
  return document.dump();
}

}  // namespace svc::sim
