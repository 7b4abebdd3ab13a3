#include <algorithm>
#include <functional>

#include "api/codec.h"
#include "api/operation_list.h"
#include "api/router.h"
#include "api/values.h"
#include "base/address.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/text.h"
#include "sim/control/control_handlers.h"

namespace svc::sim {
namespace {

using Read = Result<void, std::string>;
using Relation = TextCondition::Relation;

constexpr int rate_decimals = 6;

std::string in_quotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

// A rule that never hits is a mistake, and the test that relies on it would pass unnoticed. So a condition is refused
// if no request that the rest of the rule matches can meet it. (D-685)

// The values that a member of a request can have.
struct Values {
  std::string form{};                              // "is true or false"; empty: any text is one
  std::function<bool(const std::string&)> fits{};  // whether a text has that form; empty: none has
  std::vector<std::string> all{};                  // if there are few
};

Values values_of(const api::TypeInfo& type, const api::EnumNames* spelling) {
  switch (type.kind) {
    case api::Kind::int64:
    case api::Kind::uint64:
    case api::Kind::uint32:
    case api::Kind::decimal:
    case api::Kind::number:
      return {"is a decimal in plain digits", [](const auto& text) { return !!parse_decimal(text); }};
    case api::Kind::boolean:
      return {
          "is true or false", [](const auto& text) { return text == "true" || text == "false"; }, {"true", "false"}};
    case api::Kind::enumeration: {
      const api::EnumNames& names = spelling != nullptr ? *spelling : *type.names;
      Values values{"is one of " + svc::joined(names.texts), [&names](const auto& text) { return !!names.find(text); }};
      if (!names.any_case) values.all.assign(names.texts.begin(), names.texts.end());
      return values;
    }
    case api::Kind::market_id: return {"is a market such as BTC-USDX-PERP", api::is_market_id};
    case api::Kind::address:
      return {"is an address: 0x and 40 hex digits", [](const auto& text) { return !!parse_address(text); }};
    case api::Kind::record:
    case api::Kind::list: return {"has members, and is no value"};
    default: return {};
  }
}

// Follows names into a type; nullopt if there is no such member.
std::optional<Values> find_member(const api::TypeInfo& type, std::string_view path, api::In where,
                                  const api::EnumNames* spelling = nullptr) {
  if (type.kind == api::Kind::optional) return find_member(type.element(), path, where, spelling);
  if (path.empty()) return values_of(type, spelling);
  const std::string_view name = path.substr(0, path.find('.'));
  const std::string_view rest = path.substr(std::min(path.size(), name.size() + 1));
  switch (type.kind) {
    case api::Kind::record: {
      if (where == api::In::body)
        if (const api::FieldInfo* whole = api::whole_body_of(type)) return find_member(whole->type(), path, where);
      const auto field = std::ranges::find_if(
          type.fields, [&](const api::FieldInfo& one) { return one.name == name && one.in == where; });
      if (field == type.fields.end()) return std::nullopt;
      // Everything inside a member is in the body.
      return find_member(field->type(), rest, api::In::body, field->spelling);
    }
    case api::Kind::list:
      if (name.empty() || !std::ranges::all_of(name, is_digit)) return std::nullopt;
      return find_member(type.element(), rest, where);
    case api::Kind::map:
    case api::Kind::json_object:
    case api::Kind::custom: return Values{};
    default: return std::nullopt;
  }
}

// Of a member of query or body: one for each operation that the rule can mean and that has it.
std::vector<Values> values_in_requests(const FaultRule& rule, const RequestMember& member) {
  std::vector<Values> found;
  for (const api::OperationEntry& entry : api::every_operation()) {
    if (!rule.operation.empty() && rule.operation != entry.operation->name) continue;
    if (rule.method && *rule.method != entry.operation->method) continue;
    if (auto values = find_member(entry.request(), member.path, member.where)) found.push_back(std::move(*values));
  }
  return found;
}

std::vector<Values> values_of(const FaultRule& rule, const std::string& path) {
  if (const auto member = request_member(path)) return values_in_requests(rule, *member);
  if (path == "method")
    return {{"is GET, POST, PUT, PATCH or DELETE", [](const auto& text) { return !!api::parse<api::Method>(text); }}};
  if (path == "path") return {{"begins with a slash", [](const auto& text) { return text.starts_with('/'); }}};
  if (path == "account")
    return {{"is 0x and 40 hex digits in lower case", [](const auto& text) {
               const auto account = parse_address(text);
               return account && to_string(*account) == text;
             }}};
  return {{}};
}

// Why the condition holds for no value; nullopt if it holds for some.
std::optional<std::string> why_not(const FaultRule& rule, const TextCondition& condition,
                                   std::span<const Values> possible) {
  const std::string& path = condition.path;
  const auto member = request_member(path);
  if (possible.empty())
    return (rule.operation.empty() ? "no operation takes " : rule.operation + " does not take ") +
           in_quotes(member->path) + (member->where == api::In::query ? " in the query" : " in the body");
  if (condition.relation == Relation::there) return std::nullopt;
  if (!member && condition.relation != Relation::equal && condition.relation != Relation::unequal)
    return path + " is no number";
  const std::string& value = condition.value;
  if (path == "operation" && api::find_operation(value) == nullptr)
    return "no operation " + in_quotes(value) + "; names are as in GET /_svc/coverage";
  const auto can_be = [&](const Values& one) { return one.fits ? one.fits(value) : one.form.empty(); };
  if (std::ranges::any_of(possible, can_be)) return std::nullopt;
  return path + " " + possible.back().form + (possible.back().fits ? ", not " + in_quotes(value) : "");
}

// Texts that distinguish any two sets of conditions on one member: all its values, if they are known; otherwise those
// of the conditions, the neighbours of these, and something else.
std::vector<std::string> candidates(std::span<const TextCondition> conditions, std::string_view path,
                                    std::span<const Values> possible) {
  std::vector<std::string> texts;
  for (const Values& values : possible) texts.insert(texts.end(), values.all.begin(), values.all.end());
  if (std::ranges::none_of(possible, &std::vector<std::string>::empty, &Values::all)) return texts;
  texts = {"something else"};
  for (const TextCondition& one : conditions) {
    if (one.path != path || one.relation == Relation::there) continue;
    texts.push_back(one.value);
    const auto decimal = parse_decimal(one.value);
    constexpr int scale_max = 16;
    if (!decimal || decimal->scale > scale_max) continue;
    for (const int step : {-1, 1})
      texts.push_back(format_decimal({.coefficient = decimal->coefficient * 10 + step, .scale = decimal->scale + 1}));
  }
  return texts;
}

// The grammar of conditions, in one sentence for error messages.
constexpr const char* fault_condition_grammar =
    "when is MEMBER, or MEMBER with =, !=, <, <=, > or >= and a VALUE without quotes (a plain decimal after the last "
    "four); && joins several; MEMBER is method, path, operation, account, query.NAME or body.NAME";

std::optional<std::string> why_never(const FaultRule& rule) {
  const std::vector<TextCondition>& all = rule.when->all;
  for (const TextCondition& one : all) {
    if (!is_request_member(one.path)) return "no member " + in_quotes(one.path) + " of a request";
    const std::vector<Values> possible = values_of(rule, one.path);
    if (auto why = why_not(rule, one, possible)) return why;
    const auto meets_all = [&](const std::string& text) {
      return std::ranges::all_of(
          all, [&](const TextCondition& other) { return other.path != one.path || other.holds(text); });
    };
    if (std::ranges::none_of(candidates(all, one.path, possible), meets_all))
      return "nothing meets all conditions on " + one.path;
  }
  return std::nullopt;
}

// True if some text matches both globs: '*' stands for any text in each.
bool can_meet(std::string_view a, std::string_view b) {
  // meet[i][j]: the first i letters of a and the first j of b can meet.
  std::vector<std::vector<bool>> meet(a.size() + 1, std::vector<bool>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      const bool is_star = (i > 0 && a[i - 1] == '*') || (j > 0 && b[j - 1] == '*');
      meet[i][j] = (i == 0 && j == 0) || (is_star && i > 0 && meet[i - 1][j]) || (is_star && j > 0 && meet[i][j - 1]) ||
                   (i > 0 && j > 0 && a[i - 1] == b[j - 1] && meet[i - 1][j - 1]);
    }
  return meet[a.size()][b.size()];
}

// What can be asked for: an operation, at its path or its twin's, or a document.
struct Target {
  const api::OperationEntry* entry;  // nullptr: a document
  std::string glob;                  // the path, with a star for each parameter
};

std::vector<Target> all_targets() {
  std::vector<Target> targets;
  for (const api::OperationEntry& entry : api::every_operation()) {
    std::string glob(entry.operation->path);
    for (auto open = glob.find('{'); open != glob.npos; open = glob.find('{'))
      glob.replace(open, glob.find('}') + 1 - open, "*");
    targets.push_back({&entry, glob});
    if (entry.operation->twin) targets.push_back({&entry, std::string(api::twin_prefix) + glob});
  }
  for (const std::string_view document : api::discovery_documents) targets.push_back({nullptr, std::string(document)});
  targets.push_back({nullptr, std::string(api::well_known) + "/*"});
  return targets;
}

bool names_account(const FaultRule& rule) {
  if (rule.account || !rule.when) return rule.account.has_value();
  return std::ranges::any_of(rule.when->all, [](const TextCondition& one) {
    return one.path == "account" && (one.relation == Relation::equal || one.relation == Relation::there);
  });
}

bool can_hit(const FaultRule& rule, const Target& target) {
  const api::Operation* operation = target.entry != nullptr ? target.entry->operation : nullptr;
  const std::string name(operation != nullptr ? operation->name : "");
  const api::Method method = operation != nullptr ? operation->method : api::Method::get;
  if (!rule.operation.empty() && rule.operation != name) return false;
  if (!rule.route.empty() && !can_meet(rule.route, target.glob)) return false;
  if (rule.method && *rule.method != method) return false;
  // Nobody is known in a public request, nor is its time looked at.
  const bool needs_credential =
      rule.effect != FaultEffect::stream && (names_account(rule) || rule.effect == FaultEffect::skew);
  if (needs_credential && (operation == nullptr || operation->auth.is_public())) return false;
  return !rule.when || std::ranges::all_of(rule.when->all, [&](const TextCondition& one) {
    const std::string& path = one.path;
    if (const auto member = request_member(path))
      return target.entry != nullptr && find_member(target.entry->request(), member->path, member->where).has_value();
    if (one.relation == Relation::there) return true;
    if (path == "method") return one.holds(std::string(api::to_string(method)));
    if (path == "operation") return one.holds(name);
    return path != "path" || one.relation != Relation::equal || can_meet(one.value, target.glob);
  });
}

Read read_when(const control::FaultTerms& terms, FaultRule& rule) {
  if (!terms.when) return {};
  if (terms.when->size() > fault_when_chars_max)
    return unexpected("when is at most " + std::to_string(fault_when_chars_max) + " bytes");
  auto conditions = TextConditions::parse(*terms.when);
  if (!conditions) return unexpected("when " + conditions.error() + "; " + fault_condition_grammar);
  if (conditions->all.size() > fault_when_conditions_max)
    return unexpected("when has at most " + std::to_string(fault_when_conditions_max) + " conditions");
  rule.when = std::move(*conditions);
  if (const auto why = why_never(rule))
    return unexpected("when can never hold: " + *why + "; " + fault_condition_grammar);
  return {};
}

Read read_subject(const control::FaultTerms& terms, FaultRule& rule) {
  rule.route = terms.route.value_or("");
  const bool is_path = !terms.route || rule.route.starts_with('/') || rule.route.starts_with('*');
  if (!is_path || rule.route.size() > limits::fault_glob_chars_max)
    return unexpected("route is a path such as /orders/*, at most " + std::to_string(limits::fault_glob_chars_max) +
                      " bytes");
  rule.operation = terms.operation.value_or("");
  if (terms.operation && api::find_operation(rule.operation) == nullptr)
    return unexpected("no operation \"" + rule.operation + "\"; names are as in GET /_svc/coverage");
  rule.method = terms.method;
  rule.account = terms.account;
  return read_when(terms, rule);
}

Read read_frequency(const control::FaultTerms& terms, FaultRule& rule) {
  if (terms.rate) {
    const auto ppm = parse_scaled(terms.rate->text, rate_decimals);
    if (!ppm || *ppm <= 0 || *ppm > fault_always_ppm)
      return unexpected("rate is a number above 0 and at most 1, with up to 6 decimals");
    rule.rate_ppm = static_cast<std::uint32_t>(*ppm);
  }
  if (terms.count) {
    if (*terms.count < 1 || *terms.count > limits::fault_count_max)
      return unexpected("count is a whole number from 1 to " + std::to_string(limits::fault_count_max));
    rule.count = static_cast<std::uint32_t>(*terms.count);
  }
  return {};
}

Read read_error(const control::FaultTerms& terms, FaultRule& rule) {
  rule.effect = FaultEffect::error;
  if (terms.status && (*terms.status < 400 || *terms.status > 599))
    return unexpected("status is a whole number from 400 to 599");
  rule.status = static_cast<std::uint16_t>(terms.status.value_or(0));
  if (!terms.code) {
    const int status = rule.status;
    const auto code = usual_code(status);
    if (!code) return unexpected("status " + std::to_string(status) + " does not say which error: name its code");
    rule.code = *code;
    return {};
  }
  const auto code = api::find_error(*terms.code);
  if (!code) return unexpected("no error code \"" + *terms.code + "\"; docs/errors.md lists them");
  if (api::info(*code).is_of_frames)
    return unexpected("code " + *terms.code + " is sent as a frame of a stream, never as an answer");
  rule.code = *code;
  return {};
}

Read read_effect(const control::FaultTerms& terms, FaultRule& rule) {
  const bool lost = terms.drop_before.value_or(false);
  const bool unanswered = terms.drop_after_send.value_or(false);
  const bool errs = terms.status || terms.code;
  const int effects = errs + lost + unanswered + terms.skew_ms.has_value() + terms.ws.has_value();
  if (effects > 1) return unexpected("a rule does one thing: an error, a drop, a skew or a stream fault");
  if (effects == 0 && !terms.latency_ms)
    return unexpected("one of status, code, latency_ms, drop_before, drop_after_send, skew_ms and ws is needed");
  rule.latency_ms = terms.latency_ms.value_or(0);
  if (terms.latency_ms && (rule.latency_ms < 1 || rule.latency_ms > limits::fault_latency_ms_max))
    return unexpected("latency_ms is a whole number from 1 to " + std::to_string(limits::fault_latency_ms_max));
  if (errs) return read_error(terms, rule);
  if (lost) rule.effect = FaultEffect::lost;
  if (unanswered) rule.effect = FaultEffect::unanswered;
  if (terms.skew_ms) {
    rule.effect = FaultEffect::skew;
    rule.skew_ms = *terms.skew_ms;
    if (rule.skew_ms < -limits::fault_skew_ms_max || rule.skew_ms > limits::fault_skew_ms_max || rule.skew_ms == 0)
      return unexpected("skew_ms is a whole number other than 0, at most " + std::to_string(limits::fault_skew_ms_max) +
                        " either way");
  }
  if (terms.ws) {
    rule.effect = FaultEffect::stream;
    rule.stream = *terms.ws;
  }
  return {};
}

control::Fault fault_record(const SetFault& fault) {
  const FaultRule& rule = fault.rule;
  control::Fault record;
  record.id = fault.id;
  if (!rule.route.empty()) record.route = rule.route;
  if (!rule.operation.empty()) record.operation = rule.operation;
  record.method = rule.method;
  record.account = rule.account;
  if (rule.when) record.when = rule.when->text;
  switch (rule.effect) {
    case FaultEffect::latency: break;
    case FaultEffect::error: {
      record.code = api::spelling(rule.code);
      const api::OperationEntry* named = api::find_operation(rule.operation);
      api::ApiError error(rule.code);
      error.status = rule.status;
      record.status = named != nullptr ? status_of(error, *named->operation) : status_of(error);
      break;
    }
    case FaultEffect::lost: record.drop_before = true; break;
    case FaultEffect::unanswered: record.drop_after_send = true; break;
    case FaultEffect::skew: record.skew_ms = rule.skew_ms; break;
    case FaultEffect::stream: record.ws = rule.stream; break;
  }
  if (rule.latency_ms != 0) record.latency_ms = rule.latency_ms;
  if (rule.rate_ppm != fault_always_ppm) record.rate = api::NumberText(format_scaled(rule.rate_ppm, rate_decimals));
  record.count = rule.count;
  record.hits = fault.hits;
  return record;
}

Result<FaultRule, std::string> fault_rule(const control::FaultTerms& terms) {
  FaultRule rule;
  for (const auto read : {read_subject, read_frequency, read_effect}) SVC_TRY(read(terms, rule));
  const bool is_before_authentication = rule.effect == FaultEffect::lost || rule.effect == FaultEffect::skew;
  if (names_account(rule) && is_before_authentication)
    return unexpected("drop_before and skew_ms act before anybody is known: leave out account");
  if (rule.when && rule.effect == FaultEffect::stream)
    return unexpected("when looks at requests, and ws is about events: leave out one of them");
  const bool is_route_of_stream =
      rule.route.empty() || glob_fits(rule.route, "/ws") || glob_fits(rule.route, "/stream");
  if (rule.effect == FaultEffect::stream && (!rule.operation.empty() || rule.method || !is_route_of_stream))
    return unexpected("ws is about the events of streams: leave out operation and method; route may be /ws or /stream");
  if (rule.effect == FaultEffect::stream && rule.account && !rule.route.empty() && !glob_fits(rule.route, "/ws"))
    return unexpected("/stream is public: leave out account, or name the route /ws");
  if (rule.latency_ms != 0 && (rule.effect == FaultEffect::skew || rule.effect == FaultEffect::stream))
    return unexpected("latency_ms goes alone, or with an error or a drop");
  if (std::ranges::none_of(all_targets(), [&](const Target& target) { return can_hit(rule, target); }))
    return unexpected("no request has this route, method and conditions together; GET /_svc/coverage lists the routes");
  return rule;
}

Answer<control::AddFault> add_fault(const ControlledVenue& venue, const control::FaultTerms& terms) {
  const auto rule = fault_rule(terms);
  if (!rule) return bad_body(rule.error());
  const auto fault = venue.faults.add(*rule);
  if (!fault) return not_possible("at most " + std::to_string(limits::fault_rules_max) + " rules at a time");
  return fault_record(*fault);
}

Answer<control::RemoveFault> remove_fault(const ControlledVenue& venue, const control::FaultRef& ref) {
  if (!venue.faults.remove(ref.id)) return not_found("no fault " + std::to_string(ref.id));
  return control::Removed{.removed = 1};
}

}  // namespace

Result<FaultRule, std::string> parse_fault(std::string_view json) {
  const auto terms = api::decode_json<control::FaultTerms>(json, control_bodies);
  if (!terms) return unexpected(to_string(terms.error()));
  return fault_rule(*terms);
}

Result<std::vector<FaultRule>, std::string> parse_fault_lines(std::string_view text) {
  std::vector<FaultRule> rules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (is_blank_text(line)) continue;
    auto rule = parse_fault(line);
    if (!rule) return unexpected("line " + std::to_string(number) + ": " + rule.error());
    if (rules.size() == limits::fault_rules_max)
      return unexpected("at most " + std::to_string(limits::fault_rules_max) + " rules");
    rules.push_back(std::move(*rule));
  }
  return rules;
}

control::Faults faults_of(const ControlledVenue& venue) {
  control::Faults list;
  for (const SetFault& fault : venue.faults.list()) list.faults.push_back(fault_record(fault));
  return list;
}

void bind_control_faults(ControlHandlers& handlers) {
  handlers.bind_all(add_fault, remove_fault);
  handlers.bind<control::ListFaults>(faults_of);
  handlers.bind<control::ClearFaults>(
      [](const ControlledVenue& venue) { return control::Removed{.removed = venue.faults.clear()}; });
}

}  // namespace svc::sim
