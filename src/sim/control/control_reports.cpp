#include "sim/control/control_reports.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "api/http_message.h"
#include "api/operation_list.h"
#include "api/operation_table.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "sim/control/control_body.h"
#include "sim/views/disagreements.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

std::string hash_text(std::uint64_t hash) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(hash >> (56 - 8 * i));
  return to_hex_0x(bytes);
}

// Of this process, as the system counts it; 0 where it does not tell.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  if (!(file >> pages >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// A counter in the query; the default if it is absent.
Result<std::uint64_t, ApiError> counter(std::string_view query, std::string_view name, std::uint64_t otherwise) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    const std::string_view digits = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
      return unexpected(ApiError(ErrorCode::invalid_parameter, std::string(name) + " must be a whole number"));
    return value;
  }
  return otherwise;
}

}  // namespace

ControlAnswer ControlReports::status(const api::HttpRequest&) const {
  const ReadyReport report = venue_.report();
  const ClockPace pace = venue_.clock.pace();
  Json document{{"name", report.name},
                {"url", report.url()},
                {"ws", report.ws()},
                {"control", report.control()},
                {"pid", report.pid},
                {"network", report.network},
                {"deployment", report.deployment},
                {"domain_name", report.domain_name},
                {"seed", report.seed}};
  bool has_quotes = false;
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const auto is_quoted = [&](engine::Side side) { return !engine.book(engine::MarketIndex{0}, side, 1).empty(); };
    has_quotes = engine.market_count() > 0 && is_quoted(engine::Side::buy) && is_quoted(engine::Side::sell);
    document["clock"] = {{"mode", to_string(pace.mode)},
                         {"rate", Json::parse(format_scaled(pace.mode == ClockMode::manual ? 0 : pace.rate.value, 6))},
                         {"now_ms", now_ms}};
    document["uptime_ms"] = venue_.machine.now_ms() - started_ms_;
    document["sequence"] = engine.sequence().value;
    document["state_hash"] = hash_text(engine.state_hash());
  });
  document["accounts"] = Json::parse(to_json(report.accounts));
  const auto requests = venue_.requests.since();
  document["requests"] = requests.empty() ? 0 : requests.back().number;
  document["rss_bytes"] = resident_bytes();
  document["strict_query"] = venue_.strict_query;
  const FlowReport flow = venue_.flow.report(venue_.clock.now_ms());
  document["flow"] = {{"bots", flow.bots},
                      {"drill", flow.drill.empty() ? Json() : Json(flow.drill)},
                      {"bot_accounts", flow.cast.size()},
                      {"has_quotes", has_quotes}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ControlAnswer ControlReports::time(const api::HttpRequest&) const {
  const ClockPace pace = venue_.clock.pace();
  Json document;
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    document = {{"now_ms", now_ms}, {"sequence", engine.sequence().value}};
    document["next_funding_ms"] = now_ms - now_ms % hour_ms + hour_ms;  // at the full hours of UTC
    auto expiry = venue_.next_end_ms(now_ms);
    if (const auto timer = engine.next_timer_ms(); timer && (!expiry || *timer < *expiry)) expiry = timer;
    document["next_expiry_ms"] = expiry ? Json(*expiry) : Json();
  });
  document["mode"] = to_string(pace.mode);
  document["rate"] = Json::parse(format_scaled(pace.mode == ClockMode::manual ? 0 : pace.rate.value, 6));
  return document.dump();
}

ControlAnswer ControlReports::requests(const api::HttpRequest& request) const {
  const auto after = SVC_TRY(counter(request.query(), "after", 0));
  const auto limit = SVC_TRY(counter(request.query(), "limit", limits::request_log_max));
  const auto entries = venue_.requests.since(after);
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(limit, entries.size()));
  std::string document = "{\"requests\":[";
  for (std::size_t i = entries.size() - count; i < entries.size(); ++i) {
    if (document.back() == '}') document += ',';
    document += json_line(entries[i]);
  }
  return document + "]}";
}

ControlAnswer ControlReports::coverage(const api::HttpRequest& request) const {
  const auto from = api::find_parameter(request.query(), "from");
  if (!from) return coverage_json(venue_.coverage.routes());
  const std::string tag = api::percent_decode(*from, api::Plus::is_blank).value_or("");
  const auto routes = venue_.coverage.routes_since(tag);
  if (!routes) return unexpected(api::ApiError(api::ErrorCode::not_found, "no coverage tag " + tag));
  return coverage_json(*routes);
}

ControlAnswer ControlReports::tag_coverage(const api::HttpRequest& request) const {
  const auto refused = [](const std::string& why) {
    return unexpected(api::ApiError(api::ErrorCode::invalid_json, why));
  };
  const auto body = ControlBody::parse(request.body);
  if (!body) return refused(body.error());
  if (const auto known = body->only({"tag"}); !known) return refused(known.error());
  const auto tag = body->text("tag");
  if (!tag) return refused(tag.error());
  if (tag->empty() || tag->size() > coverage_tag_chars_max)
    return refused("tag is a name of at most " + std::to_string(coverage_tag_chars_max) + " bytes");
  if (!venue_.coverage.set_tag(*tag)) {
    return unexpected(api::ApiError(api::ErrorCode::unprocessable,
                                    "at most " + std::to_string(coverage_tags_max) + " tags at a time"));
  }
  return Json{{"tag", *tag}}.dump();
}

ControlAnswer ControlReports::invariants(const api::HttpRequest&) const {
  return venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    auto violations = engine.violations();
    const auto unseen = venue_.views.read([&](const VenueView& view) { return disagreements(engine, view, now_ms); });
    violations.insert(violations.end(), unseen.begin(), unseen.end());
    return Json{{"sequence", engine.sequence().value}, {"violations", violations}}.dump();
  });
}

namespace {

using Json = nlohmann::ordered_json;

struct Count {
  std::size_t routes = 0;
  std::size_t successes = 0;
  std::size_t errors = 0;
  std::size_t codes = 0;
};

Json to_json(const Count& count) {
  return {
      {"operations", count.routes}, {"successes", count.successes}, {"errors", count.errors}, {"codes", count.codes}};
}

}  // namespace

std::string coverage_json(const std::vector<RouteCoverage>& routes) {
  Count met;
  Count all;
  std::set<api::ErrorCode> codes_met;
  Json rows = Json::array();
  for (const RouteCoverage& route : routes) {
    const api::Operation& operation = *route.operation;
    Json statuses = Json::object();
    for (const auto& [status, count] : route.statuses) statuses[std::to_string(status)] = count;
    Json seen = Json::array();
    for (const auto& [code, count] : route.codes) {
      seen.push_back(api::spelling(code));
      codes_met.insert(code);
    }
    Json missing = Json::array();
    for (const api::DeclaredError& error : api::declared_errors(*api::find_operation(operation.name))) {
      ++all.errors;
      if (route.codes.contains(error.code))
        ++met.errors;
      else
        missing.push_back(api::spelling(error.code));
    }
    ++all.routes;
    ++all.successes;
    met.routes += route.requests != 0;
    met.successes += route.succeeded();
    rows.push_back({{"operation", operation.name},
                    {"method", api::to_string(operation.method)},
                    {"path", (route.twin ? std::string(api::twin_prefix) : "") + std::string(operation.path)},
                    {"twin", route.twin},
                    {"success", operation.success},
                    {"requests", route.requests},
                    {"met", route.succeeded()},
                    {"statuses", std::move(statuses)},
                    {"codes_met", std::move(seen)},
                    {"codes_missing", std::move(missing)}});
  }
  Json never = Json::array();
  for (const api::ErrorInfo& info : api::error_catalog()) {
    ++all.codes;
    if (codes_met.contains(info.code))
      ++met.codes;
    else
      never.push_back(info.spelling);
  }
  return Json{{"operations", std::move(rows)},
              {"codes_never_met", std::move(never)},
              {"met", to_json(met)},
              {"of", to_json(all)}}
      .dump();
}

}  // namespace svc::sim
