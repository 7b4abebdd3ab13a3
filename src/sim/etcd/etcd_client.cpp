#include "sim/etcd/etcd_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/text.h"

namespace svc::sim {

using nlohmann::json;

namespace {

constexpr std::string_view scheme = "etcd://";
constexpr std::uint16_t usual_port = 2379;
constexpr std::string_view status_path = "/v3/maintenance/status";

std::string base64_of(std::string_view bytes) {
  return '"' + to_base64(bytes) + '"';
}

std::string integer_text(std::int64_t number) {
  return '"' + std::to_string(number) + '"';
}

EtcdError unclear(std::string_view path) {
  return {.kind = EtcdError::Kind::unknown, .reason = "etcd: the answer to " + std::string(path) + " makes no sense"};
}

// Reads what etcd's JSON gateway writes, and remembers whether all of it made sense.
class EtcdFields {
 public:
  // A whole number of 64 bits, written as a text; 0 is left out.
  [[nodiscard]] std::int64_t integer(const json& object, std::string_view name) {
    const auto member = object.find(name);
    if (member == object.end()) return 0;
    if (member->is_number_integer()) return member->get<std::int64_t>();
    const auto* text = member->get_ptr<const std::string*>();
    const auto value = text == nullptr ? std::nullopt : parse_integer<std::int64_t>(*text);
    if (!value) is_valid_ = false;
    return value.value_or(0);
  }
  [[nodiscard]] std::string bytes(const json& object, std::string_view name) {
    const auto member = object.find(name);
    if (member == object.end()) return {};
    const auto* text = member->get_ptr<const std::string*>();
    auto value = text == nullptr ? std::nullopt : parse_base64(*text);
    if (!value) is_valid_ = false;
    return std::move(value).value_or(std::string());
  }
  [[nodiscard]] EtcdKeyValue row(const json& object) {
    if (!object.is_object()) return is_valid_ = false, EtcdKeyValue{};
    return {.key = bytes(object, "key"),
            .value = bytes(object, "value"),
            .create_revision = integer(object, "create_revision"),
            .mod_revision = integer(object, "mod_revision"),
            .lease = integer(object, "lease")};
  }
  // The value made of what was read.
  template <class T>
  [[nodiscard]] Result<T, EtcdError> checked(T value, std::string_view path) const {
    if (!is_valid_) return unexpected(unclear(path));
    return value;
  }

 private:
  bool is_valid_ = true;
};

// The fields of a range, each with a comma behind it.
void add_range(std::string& body, const EtcdRange& range) {
  body += "\"key\":" + base64_of(range.key);
  if (!range.end.empty()) body += ",\"range_end\":" + base64_of(range.end);
}

// The error of an answer that is not 200, or of a message in a stream. By gRPC's codes, and by words where one code
// means several things. (D-853)
EtcdError error_of(const json& answer, std::string_view text) {
  enum Code : std::int64_t {
    invalid_argument = 3,
    not_found = 5,
    permission_denied = 7,
    exhausted = 8,
    failed_precondition = 9,
    out_of_range = 11,
    unavailable = 14,
    unauthenticated = 16,
  };
  EtcdError error{.kind = EtcdError::Kind::unknown, .reason = "etcd: " + std::string(text.substr(0, 200))};
  if (!answer.is_object()) return error;
  EtcdFields fields;
  std::int64_t code = fields.integer(answer, "code");
  if (code == 0) code = fields.integer(answer, "grpc_code");
  if (const auto message = answer.find("message"); message != answer.end() && message->is_string())
    error.reason = "etcd: " + message->get<std::string>();
  using Kind = EtcdError::Kind;
  switch (code) {
    case invalid_argument:
    case not_found:
    case permission_denied:
    case failed_precondition:
    case unauthenticated: error.kind = Kind::refused; break;
    case out_of_range:
      error.kind = error.reason.find("has been compacted") != std::string::npos ? Kind::compacted : Kind::refused;
      break;
    case exhausted:
      error.kind = error.reason.find("space exceeded") != std::string::npos ? Kind::quota_full : Kind::refused;
      break;
    case unavailable: error.kind = Kind::no_quorum; break;
    default: break;
  }
  return error;
}

}  // namespace

bool is_etcd_address(std::string_view text) {
  return text.starts_with(scheme);
}

Result<EtcdAddress, std::string> parse_etcd_address(std::string_view text) {
  SVC_ASSERT(is_etcd_address(text));
  EtcdAddress address;
  std::string_view members = text.substr(scheme.size());
  if (const std::size_t slash = members.find('/'); slash != std::string_view::npos) {
    address.name = members.substr(slash + 1);
    members = members.substr(0, slash);
    if (!is_plain_word(address.name, limits::etcd_name_chars_max))
      return unexpected("the name behind the members takes 1 to " + std::to_string(limits::etcd_name_chars_max) +
                        " letters, digits, '-' and '_'");
  }
  while (true) {
    const std::size_t comma = members.find(',');
    const std::string_view one = members.substr(0, comma);
    if (one.find('@') != std::string_view::npos)
      return unexpected("etcd is reached without a user and a password: HOST:PORT alone");
    auto member = api::parse_host_port(one, usual_port);
    if (!member) return unexpected("\"" + std::string(one) + "\" is no HOST:PORT: " + member.error());
    address.members.push_back(std::move(*member));
    if (comma == std::string_view::npos) break;
    members.remove_prefix(comma + 1);
  }
  if (address.members.size() > limits::etcd_members_max)
    return unexpected("at most " + std::to_string(limits::etcd_members_max) + " members are named");
  return address;
}

std::string to_string(const EtcdAddress& address) {
  const auto text_of = [](const api::HostPort& member) { return api::to_string(member); };
  return std::string(scheme) + svc::joined(address.members, text_of, ",") + '/' + address.name;
}

EtcdRange keys_below(std::string prefix) {
  SVC_ASSERT(!prefix.empty());
  EtcdRange range{.key = prefix, .end = std::move(prefix)};
  ++range.end.back();  // prefixes are plain text: the last byte is not 255
  return range;
}

EtcdDial dial_by_http(std::int64_t answer_ms) {
  return [answer_ms](const api::HostPort& member) -> std::unique_ptr<api::Transport> {
    return std::make_unique<api::HttpClient>(api::HttpClientOptions{
        .dial = {.origin = {.scheme = api::Scheme::http, .host = member.host, .port = member.port, .prefix = {}}},
        .connect_ms = limits::etcd_connect_ms,
        .answer_ms = answer_ms,
        .body_bytes_max = limits::etcd_answer_bytes_max});
  };
}

EtcdClient::EtcdClient(const std::vector<api::HostPort>& members, const EtcdDial& dial) : places_(members) {
  SVC_ASSERT(!members.empty());
  for (const api::HostPort& member : members) members_.push_back(dial(member));
}

Result<json, EtcdError> EtcdClient::call_member(std::size_t member, std::string_view path, const std::string& body) {
  const api::HttpRequest request{
      .method = "POST", .target = std::string(path), .headers = {{"Content-Type", "application/json"}}, .body = body};
  const auto answer = members_[member]->send(request);
  if (!answer) {
    const bool was_sent = answer.error().delivery != api::Delivery::not_sent;
    return unexpected(EtcdError{.kind = was_sent ? EtcdError::Kind::unknown : EtcdError::Kind::not_sent,
                                .reason = "etcd: " + answer.error().reason});
  }
  auto document = json::parse(answer->body, nullptr, false);
  if (answer->status != 200) return unexpected(error_of(document, answer->body));
  if (!document.is_object()) return unexpected(unclear(path));
  // Streams of the gateway answer in this frame; a stream of one message is an ordinary answer.
  if (const auto error = document.find("error"); error != document.end())
    return unexpected(error_of(*error, answer->body));
  if (const auto result = document.find("result"); result != document.end()) return json(std::move(*result));
  return document;
}

Result<json, EtcdError> EtcdClient::call(std::string_view path, const std::string& body, Effect effect) {
  std::optional<EtcdError> first;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    auto answer = call_member(current_, path, body);
    using enum EtcdError::Kind;
    if (answer) return answer;
    const EtcdError::Kind kind = answer.error().kind;
    if (kind == refused || kind == quota_full || kind == compacted) return answer;
    current_ = (current_ + 1) % members_.size();
    if (effect == Effect::writes && kind != not_sent) return answer;
    if (!first) first = std::move(answer).error();
  }
  return unexpected(std::move(*first));
}

Result<EtcdCommit, EtcdError> EtcdClient::commit(const EtcdTransaction& transaction) {
  constexpr std::string_view path = "/v3/kv/txn";
  std::string body = "{\"compare\":[";
  const auto separate = [&] {
    if (body.back() != '[') body += ',';
  };
  for (const EtcdCompare& compare : transaction.compares) {
    separate();
    body += "{\"key\":" + base64_of(compare.key);
    switch (compare.kind) {
      case EtcdCompare::Kind::absent: body += R"(,"target":"VERSION","result":"EQUAL","version":"0"})"; break;
      case EtcdCompare::Kind::present: body += R"(,"target":"VERSION","result":"GREATER","version":"0"})"; break;
      case EtcdCompare::Kind::created_at:
        body +=
            R"(,"target":"CREATE","result":"EQUAL","create_revision":)" + integer_text(compare.create_revision) + '}';
        break;
    }
  }
  body += "],\"success\":[";
  for (const EtcdPut& put : transaction.puts) {
    separate();
    body += "{\"request_put\":{\"key\":" + base64_of(put.key) + ",\"value\":" + base64_of(put.value);
    if (put.lease != 0) body += ",\"lease\":" + integer_text(put.lease);
    body += "}}";
  }
  for (const EtcdRange& removal : transaction.removals) {
    separate();
    body += "{\"request_delete_range\":{";
    add_range(body, removal);
    body += "}}";
  }
  body += "]}";
  const json answer = SVC_TRY(call(path, body, Effect::writes));
  const auto header = answer.find("header");
  const auto succeeded = answer.find("succeeded");
  if (header == answer.end() || (succeeded != answer.end() && !succeeded->is_boolean()))
    return unexpected(unclear(path));
  EtcdFields fields;
  const EtcdCommit commit{.succeeded = succeeded != answer.end() && succeeded->get<bool>(),
                          .revision = fields.integer(*header, "revision")};
  return fields.checked(commit, path);
}

Result<EtcdPage, EtcdError> EtcdClient::read(const EtcdRange& range, std::size_t rows_max, std::int64_t revision) {
  constexpr std::string_view path = "/v3/kv/range";
  std::string body = "{";
  add_range(body, range);
  body += ",\"limit\":" + integer_text(static_cast<std::int64_t>(rows_max));
  if (revision != 0) body += ",\"revision\":" + integer_text(revision);
  body += '}';
  const json answer = SVC_TRY(call(path, body, Effect::reads));
  EtcdFields fields;
  EtcdPage page;
  if (const auto rows = answer.find("kvs"); rows != answer.end()) {
    if (!rows->is_array()) return unexpected(unclear(path));
    for (const json& row : *rows) page.rows.push_back(fields.row(row));
  }
  if (const auto more = answer.find("more"); more != answer.end()) page.has_more = *more == true;
  const auto header = answer.find("header");
  if (header == answer.end()) return unexpected(unclear(path));
  page.revision = fields.integer(*header, "revision");
  return fields.checked(std::move(page), path);
}

Result<std::int64_t, EtcdError> EtcdClient::grant_lease(std::int64_t seconds) {
  constexpr std::string_view path = "/v3/lease/grant";
  const json answer = SVC_TRY(call(path, "{\"TTL\":" + integer_text(seconds) + '}', Effect::writes));
  EtcdFields fields;
  const std::int64_t lease = fields.integer(answer, "ID");
  if (lease == 0) return unexpected(unclear(path));
  return fields.checked(lease, path);
}

// Keeping a lease twice is keeping it.
Result<std::int64_t, EtcdError> EtcdClient::keep_lease(std::int64_t lease) {
  constexpr std::string_view path = "/v3/lease/keepalive";
  const json answer = SVC_TRY(call(path, "{\"ID\":" + integer_text(lease) + '}', Effect::reads));
  EtcdFields fields;
  return fields.checked(fields.integer(answer, "TTL"), path);
}

Result<void, EtcdError> EtcdClient::revoke_lease(std::int64_t lease) {
  SVC_TRY(call("/v3/lease/revoke", "{\"ID\":" + integer_text(lease) + '}', Effect::writes));
  return {};
}

Result<EtcdClaim, EtcdError> EtcdClient::claim(const std::string& key, const std::string& value, std::int64_t lease_s) {
  const auto lease = SVC_TRY(grant_lease(lease_s));
  const auto made = commit({.compares = {{.key = key, .kind = EtcdCompare::Kind::absent}},
                            .puts = {{.key = key, .value = value, .lease = lease}}});
  if (made && made->succeeded) return EtcdClaim{.lease = lease, .revision = made->revision};
  // A key with our lease is ours: the answer that said so was lost.
  const auto found = read_one(key);
  if (found && *found && (*found)->lease == lease)
    return EtcdClaim{.lease = lease, .revision = (*found)->create_revision};
  // With its lease revoked, a put that is still on its way is refused.
  (void)revoke_lease(lease);
  SVC_TRY(made);
  SVC_TRY(found);
  return EtcdClaim{.holder = *found ? (*found)->value : std::string()};
}

Result<void, EtcdError> EtcdClient::compact(std::int64_t revision) {
  SVC_TRY(call("/v3/kv/compaction", "{\"revision\":" + integer_text(revision) + ",\"physical\":true}", Effect::writes));
  return {};
}

// The other members are not asked: one that hangs would hold up whoever writes.
void EtcdClient::prefer_leader() {
  const auto status = call_member(current_, status_path, "{}");
  if (!status || !status->contains("leader")) return;
  const auto list = call_member(current_, "/v3/cluster/member/list", "{}");
  if (!list || !list->contains("members")) return;
  for (const json& member : list->at("members")) {
    if (!member.is_object() || !member.contains("ID") || member.at("ID") != status->at("leader")) continue;
    for (const json& url : member.contains("clientURLs") ? member.at("clientURLs") : json::array()) {
      const auto parsed = api::parse_url(url.is_string() ? url.get<std::string>() : std::string());
      if (!parsed) continue;
      const auto found = std::ranges::find(places_, api::HostPort{.host = parsed->host, .port = parsed->port});
      if (found != places_.end()) current_ = static_cast<std::size_t>(found - places_.begin());
    }
  }
}

Result<EtcdStatus, EtcdError> EtcdClient::status(std::size_t member) {
  const json answer = SVC_TRY(call_member(member, status_path, "{}"));
  EtcdFields fields;
  const EtcdStatus status{.bytes = fields.integer(answer, "dbSize"),
                          .bytes_in_use = fields.integer(answer, "dbSizeInUse")};
  return fields.checked(status, status_path);
}

Result<void, EtcdError> EtcdClient::defragment(std::size_t member) {
  SVC_TRY(call_member(member, "/v3/maintenance/defragment", "{}"));
  return {};
}

Result<void, EtcdError> EtcdClient::end_full() {
  constexpr std::string_view path = "/v3/maintenance/alarm";
  const json answer = SVC_TRY(call(path, R"({"action":"GET","alarm":"NOSPACE"})", Effect::reads));
  const auto alarms = answer.find("alarms");
  if (alarms == answer.end()) return {};
  for (const json& alarm : *alarms) {
    const auto member = alarm.find("memberID");
    if (member == alarm.end()) return unexpected(unclear(path));
    SVC_TRY(
        call(path, R"({"action":"DEACTIVATE","alarm":"NOSPACE","memberID":)" + member->dump() + '}', Effect::writes));
  }
  return {};
}

}  // namespace svc::sim
