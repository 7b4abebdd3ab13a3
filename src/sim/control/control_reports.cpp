// Reports: the sandbox, its requests, their coverage, its invariants.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "api/openapi.h"
#include "base/limits.h"
#include "base/text.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace {

// Resident memory of this process; 0 if unknown.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  if (!(file >> pages >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

Answer<control::GetStatus> show_status(const ControlledVenue& venue) {
  const ReadyReport report = venue.report();
  control::Status status{.name = report.name,
                         .url = report.url,
                         .ws = report.ws,
                         .control = report.control,
                         .pid = report.pid,
                         .network = report.network,
                         .deployment = report.deployment,
                         .domain_name = report.domain_name,
                         .seed = report.seed,
                         .uptime_ms = venue.machine.now_ms() - venue.started_ms,
                         .accounts = report.accounts,
                         .rss_bytes = resident_bytes(),
                         .strict_query = venue.strict_query};
  venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const auto is_quoted = [&](engine::Side side) { return !engine.book(engine::MarketIndex{0}, side, 1).empty(); };
    status.flow.has_quotes = engine.market_count() > 0 && is_quoted(engine::Side::buy) && is_quoted(engine::Side::sell);
    status.clock = clock_of(venue, clock_now(venue, now_ms));
    status.sequence = engine.sequence().value;
    status.commits = venue.sequencer.commits();
    status.state_hash = "0x" + hex_of(engine.state_hash());
  });
  if (std::string problem = venue.network.log_problem(); !problem.empty()) status.log_problem = std::move(problem);
  status.cluster = venue.cluster();
  status.requests = venue.requests.last();
  const FlowReport flow = venue.flow.report(venue.clock.now_ms());
  status.flow.bots = flow.bots;
  if (!flow.drill.empty()) status.flow.drill = flow.drill;
  status.flow.bot_accounts = flow.cast.size();
  return status;
}

Answer<control::ListRequests> list_requests(const ControlledVenue& venue, const control::RequestsWanted& wanted) {
  const auto entries = venue.requests.since(wanted.after.value_or(0));
  const std::size_t count = std::min<std::size_t>(wanted.limit.value_or(limits::request_log_max), entries.size());
  // Whoever goes on after a number misses nothing in between.
  const auto shown = wanted.after ? std::span(entries).first(count) : std::span(entries).last(count);
  return control::Requests{.requests = {shown.begin(), shown.end()}};
}

Answer<control::ListMarks> list_marks(const ControlledVenue& venue, const control::MarketRef& wanted) {
  const auto market = SVC_TRY(market_named(venue.markets, wanted.market_id));
  const engine::MarketSpec& spec = venue.markets.spec(market);
  control::Marks list;
  for (const MarkTrail::Row& row : venue.marks.rows(market))
    list.marks.push_back(
        {.at_ms = row.at_ms, .mark = price_text(spec, row.mark), .index = price_text(spec, row.index)});
  return list;
}

Answer<control::ListTimeline> list_timeline(const ControlledVenue& venue, const control::TimelineWanted& wanted) {
  const auto filter = Timeline::filter_of(wanted);
  if (!filter) return refused(ErrorCode::invalid_parameter, "status is a number such as 409, or a class such as 4xx");
  return venue.timeline.page(*filter, wanted.after, wanted.before,
                             wanted.limit.value_or(limits::timeline_page_default));
}

Answer<control::GetTimelineEntry> show_entry(const ControlledVenue& venue, const control::TimelineRef& ref) {
  auto detail = venue.timeline.find(ref.number);
  if (!detail) return not_found("the timeline has no entry " + std::to_string(ref.number) + " (any more)");
  return std::move(*detail);
}

control::CoverageReport coverage_of(const std::vector<RouteCoverage>& routes) {
  control::CoverageReport report;
  std::set<ErrorCode> codes_met;
  for (const RouteCoverage& route : routes) {
    const api::Operation& operation = *route.operation;
    control::RouteMet row{.operation = std::string(operation.name),
                          .method = operation.method,
                          .path = std::string(route.twin ? api::twin_prefix : "").append(operation.path),
                          .twin = route.twin,
                          .success = operation.success,
                          .requests = route.requests,
                          .met = route.succeeded()};
    for (const auto& [status, count] : route.statuses) row.statuses[std::to_string(status)] = count;
    for (const auto& [code, count] : route.codes) {
      row.codes_met.emplace_back(api::spelling(code));
      codes_met.insert(code);
    }
    for (const api::OperationError& error : api::declared_errors(*api::find_operation(operation.name))) {
      ++report.of.errors;
      if (route.codes.contains(error.code))
        ++report.met.errors;
      else
        row.codes_missing.emplace_back(api::spelling(error.code));
    }
    ++report.of.operations;
    ++report.of.successes;
    report.met.operations += route.requests != 0;
    report.met.successes += route.succeeded();
    report.operations.push_back(std::move(row));
  }
  for (const api::ErrorInfo& info : api::error_catalog()) {
    if (info.is_of_frames) continue;
    ++report.of.codes;
    if (codes_met.contains(info.code))
      ++report.met.codes;
    else
      report.codes_never_met.emplace_back(info.spelling);
  }
  return report;
}

Answer<control::GetCoverage> show_coverage(const ControlledVenue& venue, const control::CoverageSince& since) {
  if (!since.from) return coverage_of(venue.coverage.routes());
  const auto routes = venue.coverage.routes_since(*since.from);
  if (!routes) return not_found("no coverage tag " + *since.from);
  return coverage_of(*routes);
}

Answer<control::TagCoverage> tag_coverage(const ControlledVenue& venue, const control::CoverageTag& tag) {
  if (tag.tag.empty() || tag.tag.size() > coverage_tag_chars_max)
    return bad_body("tag is a name of at most " + std::to_string(coverage_tag_chars_max) + " bytes");
  if (!venue.coverage.set_tag(tag.tag))
    return not_possible("at most " + std::to_string(coverage_tags_max) + " tags at a time");
  return tag;
}

Answer<control::GetInvariants> check_invariants(const ControlledVenue& venue) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    control::Invariants found{.sequence = engine.sequence().value, .violations = engine.violations()};
    const auto unseen = venue.views.read([&](const VenueView& view) { return disagreements(engine, view, now_ms); });
    found.violations.insert(found.violations.end(), unseen.begin(), unseen.end());
    return found;
  });
}

}  // namespace

void bind_control_reports(ControlHandlers& handlers) {
  handlers.bind_all(show_status, list_requests, list_marks, list_timeline, show_entry, show_coverage, tag_coverage,
                    check_invariants);
  handlers.bind<control::DescribeControl>(
      [](const ControlledVenue&) { return control::AnyDocument{api::JsonObjectText(api::control_document())}; });
}

}  // namespace svc::sim
