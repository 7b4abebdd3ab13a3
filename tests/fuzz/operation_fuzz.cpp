// Every operation of the table: whatever its query, its path and its body are, a whole exchange answers with a success
// or an error that the API declares, and its books are sound.
//
// One program for all. Under the name operation_fuzz.NAME, a link to it, it calls one operation; under its own the
// first byte picks one. `operation_fuzz --list` prints the names, `--samples FOLDER` writes a request of each into
// FOLDER/NAME. The input is the path's parameter, a line feed, the query, a line feed, the body.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/operation_list.h"
#include "base/assert.h"
#include "contract/real_venue.h"
#include "contract/venue.h"
#include "fuzz/chosen_target.h"

namespace svc {
namespace {

constexpr int runs_per_venue = 2'000;  // what they leave behind would slow the next ones down

std::string chosen_operation;

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// Where a value stands in a target, so that it stays in its place.
std::string escaped(std::string_view text, std::string_view kept) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       kept.find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      out.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return out;
}

std::string target_of(const api::Operation& operation, std::string_view parameter, std::string_view query) {
  std::string target(operation.path);
  const auto brace = target.find('{');
  if (brace != std::string::npos)
    target.replace(brace, target.find('}') + 1 - brace, parameter.empty() ? "x" : escaped(parameter, "-._~"));
  if (!query.empty()) target += '?' + escaped(query, "-._~=&%+");
  return target;
}

// The parameter and the query of a sample, and its body.
std::string input_of(const api::Operation& operation, const api::HttpRequest& request) {
  std::string parameter;
  if (const auto brace = operation.path.find('{'); brace != std::string_view::npos)
    parameter = std::string(request.path().substr(brace, request.path().find('/', brace) - brace));
  return parameter + '\n' + std::string(request.query()) + '\n' + request.body;
}

void write_samples(const std::filesystem::path& folder) {
  contract::RealVenue venue;
  for (const api::OperationEntry& entry : contract::every_operation()) {
    if (entry.operation->group == "streams") continue;
    const auto place = folder / std::string(entry.operation->name);
    std::filesystem::create_directories(place);
    std::ofstream(place / "sample") << input_of(*entry.operation, venue.request_for(entry, false));
  }
}

void call(const api::Operation& operation, std::string_view input) {
  static std::unique_ptr<contract::RealVenue> venue;
  static int runs = 0;
  if (runs++ % runs_per_venue == 0) venue = std::make_unique<contract::RealVenue>();
  const std::string_view parameter = next_line(input);
  const std::string_view query = next_line(input);
  const auto response = venue->send(venue->signed_as_it_stands(
      operation,
      {.method = std::string(api::to_string(operation.method)),
       .target = target_of(operation, parameter, query),
       .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "fuzz-" + std::to_string(runs)}},
       .body = operation.reads_body() ? std::string(input) : std::string()}));
  SVC_ASSERT(response.status >= 200 && response.status < 600 && response.status != 500);
  if (!response.body.empty()) SVC_ASSERT(nlohmann::json::accept(response.body));
}

}  // namespace
}  // namespace svc

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 2 && std::string_view((*argv)[1]) == "--samples") {
    svc::write_samples((*argv)[2]);
    std::exit(0);
  }
  std::vector<std::string> names;
  for (const auto& entry : svc::contract::every_operation()) names.emplace_back(entry.operation->name);
  svc::chosen_operation = svc::chosen_target(*argc, *argv, names);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static const auto operations = svc::contract::every_operation();
  if (!svc::chosen_operation.empty()) {
    svc::call(*svc::api::find_operation(svc::chosen_operation)->operation, text);
  } else if (!text.empty()) {
    svc::call(*operations.at(data[0] % operations.size()).operation, text.substr(1));
  }
  return 0;
}
