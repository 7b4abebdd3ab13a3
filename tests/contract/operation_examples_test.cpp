// The examples of the served description: each is sent to a whole sandbox, which answers as the description says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "api/http/http_message.h"
#include "api/message_codec.h"
#include "contract/real_venue.h"
#include "contract/venue.h"
#include "files.h"
#include "surroundings.h"

namespace svc::contract {
namespace SVC_FILE {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t rows_shown_max = 2;

// A list of records shows its first rows; a row that is itself a list stays whole.
Ordered shortened(Ordered value) {
  if (value.is_array() && !value.empty() && value.front().is_structured() && value.size() > rows_shown_max)
    value.erase(value.begin() + rows_shown_max, value.end());
  if (value.is_structured())
    for (Ordered& member : value) member = shortened(std::move(member));
  return value;
}

std::string headers_of(const api::OperationEntry& entry, const api::HttpRequest& request) {
  std::string text;
  for (const api::FieldInfo& field : entry.request().fields) {
    const auto value = field.in == api::In::header ? request.headers.find(field.name) : std::nullopt;
    if (value) text = std::string(field.name) + ": " + std::string(*value);
  }
  return text;
}

// The value of every field that does not travel in the body, by its name and place.
std::map<std::string, std::string> parameters_of(const api::OperationEntry& entry, const api::HttpRequest& request) {
  std::map<std::string, std::string> parameters;
  const std::string_view pattern = entry.operation->path;
  for (const api::FieldInfo& field : entry.request().fields) {
    const std::string name = std::string(field.name);
    if (field.in == api::In::path) {
      const auto rest = request.path().substr(pattern.find('{' + name + '}'));
      parameters["path " + name] = rest.substr(0, rest.find('/'));
    }
    if (const auto found = api::find_parameter(request.query(), name); found && field.in == api::In::query)
      parameters["query " + name] = *api::percent_decode(*found, api::Plus::is_blank);
    if (const auto found = request.headers.find(name); found && field.in == api::In::header)
      parameters["header " + name] = std::string(*found);
  }
  return parameters;
}

const Ordered& resolved(const Ordered& document, const Ordered& value) {
  if (!value.contains("$ref")) return value;
  return document.at(Ordered::json_pointer(value["$ref"].get<std::string>().substr(1)));
}

std::map<std::string, std::string> shown_parameters(const Ordered& document, const Ordered& operation) {
  std::map<std::string, std::string> shown;
  for (const Ordered& reference : operation["parameters"]) {
    const Ordered& parameter = resolved(document, reference);
    if (!parameter.contains("example") || reference.contains("$ref")) continue;  // the API version is in every call
    const Ordered& example = parameter["example"];
    shown[parameter["in"].get<std::string>() + ' ' + parameter["name"].get<std::string>()] =
        example.is_string() ? example.get<std::string>() : example.dump();
  }
  return shown;
}

std::string lower(std::string_view method) {
  std::string text(method);
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

TEST(OperationExamples, OfEveryOperationAreSentAndAnsweredAsDescribed) {
  RealVenue venue;
  const Ordered document = Ordered::parse(
      venue.send({.method = "GET", .target = "/openapi.json", .headers = {}, .body = {}}).body, nullptr, false);
  std::string recorded = "R\"example(";
  for (const api::OperationEntry& entry : every_operation()) {
    const api::Operation& operation = *entry.operation;
    SCOPED_TRACE(operation.name);
    api::HttpRequest request = venue.request_for(entry, false);
    const bool leaves_http = operation.success == 101;
    std::string answer;
    if (leaves_http) {
      EXPECT_TRUE(venue.opens_stream(request));
    } else {
      const api::HttpResponse response = venue.send(request);
      ASSERT_EQ(response.status, operation.success) << response.body;
      answer = shortened(Ordered::parse(response.body)).dump();
    }
    const std::string body = request.body.empty() ? "" : Ordered::parse(request.body).dump();
    recorded += std::string(operation.name) + ' ' + request.target + '\n';
    for (const std::string& part : {headers_of(entry, request), body, answer})
      if (!part.empty()) recorded += part + '\n';

    const Ordered& described = document["paths"][std::string(operation.path)][lower(request.method)];
    EXPECT_EQ(shown_parameters(document, described), parameters_of(entry, request));
    if (api::has_request_body(operation, entry.request())) {
      const Ordered& media = resolved(document, described["requestBody"])["content"]["application/json"];
      EXPECT_EQ(media.value("example", Ordered()), Ordered::parse(body.empty() ? "null" : body));
    }
    if (leaves_http) continue;
    const Ordered& success = resolved(document, described["responses"][std::to_string(operation.success)]);
    const Ordered& media = success["content"]["application/json"];
    EXPECT_TRUE(media.contains("example"));
    EXPECT_EQ(media.value("example", Ordered()), Ordered::parse(answer));
  }
  recorded += ")example\"\n";
  test::expect_generated("src/api/operation_examples.inc", recorded);  // the next build shows a new one
}

}  // namespace SVC_FILE
}  // namespace svc::contract
