// An account that uses all nodes: each request goes to the node that the caller names, over a kept connection.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_client.h"
#include "api/http/url.h"
#include "cluster/order_history.h"
#include "signing/hmac.h"
#include "signing/key.h"

namespace svc::cluster {

using Json = nlohmann::json;

// A clock that never goes back.
[[nodiscard]] Instant now();

// One connection to each node, for one thread.
class Lines {
 public:
  explicit Lines(const std::vector<api::Url>& nodes);

  [[nodiscard]] std::size_t count() const { return clients_.size(); }
  [[nodiscard]] Result<api::HttpResponse, api::TransportError> send(std::size_t node, const api::HttpRequest& request) {
    return clients_[node]->send(request);
  }

 private:
  std::vector<std::unique_ptr<api::HttpClient>> clients_;
};

struct Reply {
  int status = 0;  // 0: no answer
  api::Delivery delivery = api::Delivery::unknown;
  std::string text{};  // of the body, or why there is no answer
  api::Headers headers{};
  Span span{};

  [[nodiscard]] Json body() const { return Json::parse(text, nullptr, false); }
  // Nothing happened: it never left, or the node says so.
  [[nodiscard]] bool is_refused() const {
    return status == 503 || (status == 0 && delivery == api::Delivery::not_sent);
  }
};

// Any thread.
class Trader {
 public:
  // Signs in at the node and mints a key. The error is one line.
  [[nodiscard]] static Result<Trader, std::string> sign_in(Lines& lines, std::size_t node,
                                                           const signing::PrivateKey& wallet);

  [[nodiscard]] Reply ask(Lines& lines, std::size_t node, std::string_view method, const std::string& target,
                          const std::string& body = {}) const;
  // As a client that builds its own requests.
  [[nodiscard]] api::HttpRequest sign(std::string_view method, const std::string& target, std::string body) const;

  // All pages of a list, newest row first, until a row with that id; to the end if it is empty. The error is one line.
  [[nodiscard]] Result<std::vector<Json>, std::string> rows_until(Lines& lines, std::size_t node, std::string target,
                                                                  const std::string& id) const;
  // The fills after that one, oldest first; all, if it is empty. The error is one line.
  [[nodiscard]] Result<std::vector<Json>, std::string> fills_after(Lines& lines, std::size_t node,
                                                                   const std::string& id) const;

 private:
  Trader(std::string key_id, signing::HmacKey secret) : key_id_(std::move(key_id)), secret_(std::move(secret)) {}

  std::string key_id_;
  signing::HmacKey secret_;
};

// Without credentials; `bearer` may be empty.
[[nodiscard]] Reply ask_plainly(Lines& lines, std::size_t node, std::string_view method, const std::string& target,
                                const std::string& body, std::string_view bearer);

}  // namespace svc::cluster
