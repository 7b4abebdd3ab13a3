#include "sim/control/coverage_report.h"

#include <nlohmann/json.hpp>
#include <set>

#include "api/declared_errors.h"
#include "api/operation_table.h"

namespace svc::sim {
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
