// One call of an operation, and its reply.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/http/http_message.h"
#include "api/message_codec.h"
#include "api/operation.h"
#include "api/record.h"
#include "base/secret.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// Whether a write makes the account safer. The way out is never blocked by a confirmation.
enum class Direction : std::uint8_t { risk, way_out };

enum class ActionChoice : std::uint8_t {
  when_unlocked,  // signed if the wallet's key is at hand, else left out with a notice
  demanded,       // signed, or the command fails
  omitted,
};

struct Call {
  const api::Operation* operation = nullptr;
  std::string path;                // placeholders filled in and encoded; "/orders/1234"
  std::string query;               // encoded, without '?'; empty if none
  std::string body{};              // JSON text, empty if none; set by carry()
  std::optional<Json> document{};  // the body, parsed; nullopt if it is no JSON

  std::uint64_t orders = 0;  // in a batch; they decide the weight
  Direction direction = Direction::risk;
  ActionChoice action = ActionChoice::when_unlocked;
  std::string typed{};                    // as outbox::Entry::typed
  std::vector<std::string> client_ids{};  // of the orders in it
  std::vector<std::string> look_up{};     // commands that tell what became of the write if its answer is lost
  std::optional<Secret> admin_secret{};
  std::optional<Address> account{};         // whose credential must send it, if that is known; exit 4 for another's
  api::Headers headers{};                   // further ones
  bool raw_path = false;                    // `path` is as the user typed it: `svc api`
  std::int64_t answer_ms_min = 0;           // the answer may take so long, unless --timeout was typed
  bool is_settled_later = false;            // if it is lost, or not found: Exchange::settle_later() looks, not call()
  bool is_sought_briefly = false;           // if its answer is lost: others wait for it
  bool allow_new_destination = false;       // of a payment: the destination may be missing from the address list
  const api::TypeInfo* response = nullptr;  // the record of the answer; null: the user reads whatever comes
  bool keeps_members = false;               // members that the record does not have stay; else they move to `extra`
  std::string* received = nullptr;          // gets the bytes of each success, also of one that is no answer

  void carry(std::string text);
  // Whether the owner's wallet signs it. `svc api` sends a request as it was typed, without such a signature.
  [[nodiscard]] bool is_of_owner() const { return operation->owner != nullptr && !raw_path; }
};

// Whether such a write leaves an order with the terms of its body.
[[nodiscard]] constexpr bool sets_orders(api::OrderWrite orders) {
  return orders == api::OrderWrite::places || orders == api::OrderWrite::amends;
}
// The items of a batch, or the one body.
[[nodiscard]] std::vector<Json> bodies_in(const Json& document);
// The client ids of the call, or those in a body that the user typed; none if an order of a batch has none.
[[nodiscard]] std::vector<std::string> client_ids_of(const Call& call);
// The service does nothing twice under one key.
[[nodiscard]] bool has_idempotency_key(const Call& call);

// A call from an encoded request.
[[nodiscard]] Call make_call(const api::Operation& operation, const api::TypeInfo& response, api::HttpRequest request);

template <class Op>
[[nodiscard]] Call call_of(const typename Op::Request& request = {}) {
  return make_call(Op::op, api::type_of<typename Op::Response>(), api::encode_request<Op>(request));
}

struct Reply {
  int status = 0;
  api::Headers headers;
  Json body;              // null if the answer had none
  std::string raw;        // the answer's bytes
  bool is_found = false;  // the answer was lost or refused; this is what a look-up found
};

// Paging through lists.

// The query with its cursor replaced or added.
[[nodiscard]] std::string query_at(std::string_view query, std::string_view cursor);

// The way through the pages of one list.
class PageWalk {
 public:
  // Of the page to read; nullopt: the first.
  [[nodiscard]] const std::optional<std::string>& cursor() const { return cursor_; }
  // Goes on to the page after this one; false: it was the last. It fails if the server leads nowhere: back to a page
  // that was read, or through empty pages only. (D-1046)
  [[nodiscard]] Result<bool> go_on(const Reply& page);

 private:
  std::optional<std::string> cursor_;
  std::set<std::size_t> seen_;  // hashes of all cursors: a server may send long ones
  int empty_pages_ = 0;         // in a row
};

// The largest page of an operation, from its request record.
template <class Request>
[[nodiscard]] constexpr std::uint32_t page_rows_max() {
  for (const api::FieldInfo& field : Request::fields) {
    if (field.name == "limit") return field.maximum;
  }
  return 0;
}

// Whether a success is an answer to the call. A 200 from a gateway in between is none: nothing may be concluded from
// it, neither what became of a write nor that there is nothing to list.

// False if the answer has another shape than the operation's, names nothing of the call, is about another market or
// about other orders or terms than the call's, or leaves some orders, or what became of them, out. A few missing
// members do not matter; in a read, the record knows most of the members that are there.
[[nodiscard]] bool answers(const Call& call, const Json& answer);

// Orders in requests, answers and lists: they spell words, sizes and numbers differently.

[[nodiscard]] bool same_number(std::string_view a, std::string_view b);  // 59000 and 59000.0
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);    // StopLimit and stop_limit
// The member with an order's size: open orders and answers call it quantity, the history calls it size.
[[nodiscard]] std::string_view size_key(const Json& order);
// False if a term that both have differs.
[[nodiscard]] bool has_asked_terms(const Json& order, const Json& asked);
[[nodiscard]] bool has_amended_terms(const Json& order, const Json& asked);

// What the last segment of a path names, unescaped: `svc api` sends PATH as it is typed.
[[nodiscard]] std::string last_segment(std::string_view path);

// Members of an answer that its record does not have: a newer server may send more than this program knows. They stay
// visible, apart from the documented ones.

// The document with the unknown members of each record moved into its member `extra`.
[[nodiscard]] Json with_extra(const Json& document, const api::TypeInfo& type);

}  // namespace svc::cli
