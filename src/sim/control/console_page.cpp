#include "sim/control/console_page.h"

#include "api/operation.h"
#include "api/router.h"
#include "base/encoding.h"
#include "base/find.h"
#include "signing/hash.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace {

constexpr std::string_view page_name = "index.html";

const ConsoleFile* file_named(std::string_view name) {
  const auto files = console_files();
  return found_in(files, name, &ConsoleFile::name);
}

// The style that stands in the page, and nothing else that does, as a source of the content security policy.
std::string style_in_page() {
  const std::string_view page = file_named(page_name)->content;
  constexpr std::string_view opens = "<style>";
  const auto begin = page.find(opens) + opens.size();
  const auto hash = signing::sha256(page.substr(begin, page.find("</style>") - begin));
  return "'sha256-" + to_base64({reinterpret_cast<const char*>(hash.data()), hash.size()}) + '\'';
}

// 'self' does not cover WebSockets in every browser, so the own host is named as well.
std::string content_policy(const api::Headers& headers) {
  static const std::string style = style_in_page();
  const std::string authority = request_authority(headers);
  return "default-src 'none'; script-src 'self'; style-src 'self' " + style +
         "; img-src 'self' data:; connect-src 'self' ws://" + authority + " wss://" + authority +
         "; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
}

bool is_read(const api::HttpRequest& request) {
  return request.is("GET") || request.is("HEAD");
}

bool takes_gzip(const api::HttpRequest& request) {
  const auto accepted = request.headers.find("Accept-Encoding");
  return accepted && accepted->find("gzip") != std::string_view::npos &&
         accepted->find("gzip;q=0") == std::string_view::npos;
}

}  // namespace

bool is_console(std::string_view path) {
  return path == console_path || api::lies_under(path, console_path);
}

Result<api::HttpResponse, api::ApiError> console_response(const api::HttpRequest& request) {
  if (!is_read(request))
    return api::refused(api::ErrorCode::method_not_allowed, "this path takes " + std::string(console_methods));
  std::string_view name = request.path().substr(console_path.size());
  if (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty()) name = page_name;
  const ConsoleFile* file = file_named(name);
  if (file == nullptr)
    return api::refused(api::ErrorCode::not_found, "the console has no " + std::string(request.path()));
  api::HttpResponse response{
      .status = 200,
      .headers = {{"ETag", "W/" + std::string(file->etag)},  // of the content, however it is packed
                  {"Vary", "Accept-Encoding"},
                  {"Cache-Control", "no-cache"},
                  {"Content-Security-Policy", content_policy(request.headers)},
                  {"X-Content-Type-Options", "nosniff"},
                  {"Referrer-Policy", "no-referrer"},
                  {"Cross-Origin-Resource-Policy", "same-origin"}},
      .body = {}};
  if (api::has_tagged(request.headers, file->etag)) {
    response.status = 304;
    return response;
  }
  response.headers.add("Content-Type", file->content_type);
  const bool packed = takes_gzip(request);
  if (packed) response.headers.add("Content-Encoding", "gzip");
  response.body = packed ? file->packed : file->content;
  return response;
}

bool is_looking_around(const api::HttpRequest& request) {
  if (request.path() != "/" || !is_read(request)) return false;
  const auto accepts = request.headers.find("Accept");
  return accepts && accepts->find("text/html") != std::string_view::npos;
}

api::HttpResponse redirect_to_console() {
  return {
      .status = 307, .headers = {{"Location", std::string(console_path)}, {"Cache-Control", "no-store"}}, .body = {}};
}

}  // namespace svc::sim
