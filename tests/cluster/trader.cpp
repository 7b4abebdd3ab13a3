#include "cluster/trader.h"

#include <algorithm>
#include <chrono>

#include "api/header_names.h"
#include "base/clock.h"
#include "contract/signing_client.h"

namespace svc::cluster {
namespace {

constexpr std::int64_t connect_ms = 1'000;
constexpr std::int64_t answer_ms = 4'000;  // longer than a node waits for another one; a paused node costs that much
constexpr int page_rows = 1'000;

Reply reply_of(Lines& lines, std::size_t node, const api::HttpRequest& request) {
  Reply reply{.span = {.sent = now()}};
  auto answer = lines.send(node, request);
  reply.span.answered = now();
  if (answer) {
    reply.status = answer->status;
    reply.text = std::move(answer->body);
    reply.headers = std::move(answer->headers);
  } else {
    reply.delivery = answer.error().delivery;
    reply.text = answer.error().reason;
  }
  return reply;
}

}  // namespace

Instant now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

Lines::Lines(const std::vector<api::Url>& nodes) {
  for (const api::Url& node : nodes)
    clients_.push_back(std::make_unique<api::HttpClient>(
        api::HttpClientOptions{.dial = {.origin = node}, .connect_ms = connect_ms, .answer_ms = answer_ms}));
}

Reply ask_plainly(Lines& lines, std::size_t node, std::string_view method, const std::string& target,
                  const std::string& body, std::string_view bearer) {
  api::HttpRequest request{.method = std::string(method), .target = target, .headers = {}, .body = body};
  if (!bearer.empty()) request.headers.set(api::header::authorization, "Bearer " + std::string(bearer));
  return reply_of(lines, node, request);
}

Result<Trader, std::string> Trader::sign_in(Lines& lines, std::size_t node, const signing::PrivateKey& wallet) {
  const Reply login = ask_plainly(lines, node, "POST", "/auth/login", contract::login_body(wallet), {});
  if (login.status != 200) return unexpected("the login is answered with " + login.text);
  const std::string session = login.body()["token"].get<std::string>();
  const Reply minted = ask_plainly(lines, node, "POST", "/keys", {}, session);
  const Json key = minted.body();
  if (!key.is_object() || !key.contains("secret")) return unexpected("no key is minted: " + minted.text);
  auto secret = signing::HmacKey::from_hex(key["secret"].get<std::string>());
  if (!secret) return unexpected(std::string("the secret of the key is not hex"));
  return Trader(key["key_id"].get<std::string>(), std::move(*secret));
}

api::HttpRequest Trader::sign(std::string_view method, const std::string& target, std::string body) const {
  api::HttpRequest request{.method = std::string(method), .target = target, .headers = {}, .body = std::move(body)};
  const TimestampMs at_ms = SystemClock().now_ms();
  const signing::RequestParts parts{
      .method = request.method, .path = request.path(), .query = request.query(), .body = request.body};
  request.headers = {{std::string(api::header::api_key), key_id_},
                     {std::string(api::header::timestamp), std::to_string(at_ms)},
                     {std::string(api::header::signature), secret_.sign_hex(signing::hmac_canonical(parts, at_ms))}};
  if (!request.body.empty()) request.headers.add("Content-Type", "application/json");
  return request;
}

Reply Trader::ask(Lines& lines, std::size_t node, std::string_view method, const std::string& target,
                  const std::string& body) const {
  return reply_of(lines, node, sign(method, target, body));
}

Result<std::vector<Json>, std::string> Trader::rows_until(Lines& lines, std::size_t node, std::string target,
                                                          const std::string& id) const {
  target += (target.find('?') == std::string::npos ? "?limit=" : "&limit=") + std::to_string(page_rows);
  std::vector<Json> found;
  std::string cursor;
  while (true) {
    const Reply page = ask(lines, node, "GET", target + cursor);
    if (page.status != 200) return unexpected("GET " + target + " is answered with " + page.text);
    for (Json& row : page.body()) {
      if (row["id"] == id) return found;
      found.push_back(std::move(row));
    }
    const auto next = page.headers.find(api::header::next_cursor);
    if (!next) break;
    cursor = "&cursor=" + api::percent_encode(*next, api::Plus::is_itself);
  }
  if (!id.empty()) return unexpected(target + " does not have " + id + " any more");
  return found;
}

Result<std::vector<Json>, std::string> Trader::fills_after(Lines& lines, std::size_t node,
                                                           const std::string& id) const {
  auto found = SVC_TRY(rows_until(lines, node, "/fills", id));
  std::ranges::reverse(found);
  return found;
}

}  // namespace svc::cluster
