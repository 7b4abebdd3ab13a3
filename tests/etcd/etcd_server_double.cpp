#include "etcd/etcd_server_double.h"

#include <nlohmann/json.hpp>

#include "base/encoding.h"

namespace svc::sim {

using nlohmann::json;

namespace {

std::string text(std::int64_t number) {
  return std::to_string(number);
}

std::string bytes(const json& object, const char* name) {
  return object.contains(name) ? *parse_base64(object[name].get<std::string>()) : std::string();
}

std::int64_t number(const json& object, const char* name) {
  return object.contains(name) ? std::stoll(object[name].get<std::string>()) : 0;
}

api::HttpResponse refused(int status, int code, const std::string& message) {
  return {
      .status = status, .headers = {}, .body = json{{"error", message}, {"message", message}, {"code", code}}.dump()};
}

api::HttpResponse refused_as_full() {
  return refused(429, 8, "etcdserver: mvcc: database space exceeded");
}

class Way final : public api::Transport {
 public:
  explicit Way(EtcdServerDouble& server) : server_(server) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    return server_.answer(request);
  }

 private:
  EtcdServerDouble& server_;
};

}  // namespace

EtcdDial EtcdServerDouble::dial() {
  return [this](const api::HostPort&) -> std::unique_ptr<api::Transport> { return std::make_unique<Way>(*this); };
}

void EtcdServerDouble::fail(std::string path_end, Fault fault, int count) {
  const std::lock_guard lock(mutex_);
  planned_.push_back({std::move(path_end), fault, count});
}

EtcdServerDouble::Fault EtcdServerDouble::fault_for(const std::string& path) {
  for (Planned& planned : planned_) {
    if (planned.count == 0 || !path.ends_with(planned.path_end)) continue;
    --planned.count;
    return planned.fault;
  }
  return Fault::none;
}

void EtcdServerDouble::heal() {
  const std::lock_guard lock(mutex_);
  planned_.clear();
}

void EtcdServerDouble::fill() {
  const std::lock_guard lock(mutex_);
  has_room_ = false;
}

void EtcdServerDouble::give_room() {
  const std::lock_guard lock(mutex_);
  has_room_ = true;
}

void EtcdServerDouble::deliver_late() {
  const std::lock_guard lock(mutex_);
  for (const api::HttpRequest& request : late_) (void)serve(request);
  late_.clear();
}

void EtcdServerDouble::end_lease_of(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const std::int64_t lease = rows_.at(key).lease;
  leases_.erase(lease);
  ++revision_;
  remove_rows([&](const EtcdKeyValue& row) { return row.lease == lease; });
}

void EtcdServerDouble::put(const std::string& key, const std::string& value) {
  const std::lock_guard lock(mutex_);
  ++revision_;
  put_row(key, value, 0);
}

void EtcdServerDouble::remove(const std::string& key) {
  const std::lock_guard lock(mutex_);
  ++revision_;
  remove_rows([&](const EtcdKeyValue& row) { return row.key == key; });
}

void EtcdServerDouble::put_row(const std::string& key, const std::string& value, std::int64_t lease) {
  EtcdKeyValue& row = rows_[key];
  if (row.create_revision == 0) row.create_revision = revision_;
  row.key = key;
  row.value = value;
  row.mod_revision = revision_;
  row.lease = lease;
  changes_.push_back({.revision = revision_, .key = key, .row = row});
}

template <class Condition>
void EtcdServerDouble::remove_rows(Condition condition) {
  std::erase_if(rows_, [&](const auto& row) {
    if (!condition(row.second)) return false;
    changes_.push_back({.revision = revision_, .key = row.first, .row = std::nullopt});
    return true;
  });
}

std::map<std::string, EtcdKeyValue> EtcdServerDouble::rows_at(std::int64_t revision) const {
  std::map<std::string, EtcdKeyValue> rows;
  for (const Change& change : changes_) {
    if (change.revision > revision) break;
    if (change.row)
      rows.insert_or_assign(change.key, *change.row);
    else
      rows.erase(change.key);
  }
  return rows;
}

std::map<std::string, EtcdKeyValue> EtcdServerDouble::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

std::vector<std::string> EtcdServerDouble::keys(const std::string& prefix) const {
  std::vector<std::string> keys;
  for (const auto& [key, row] : rows())
    if (key.starts_with(prefix)) keys.push_back(key);
  return keys;
}

int EtcdServerDouble::requests(const std::string& path_end) const {
  const std::lock_guard lock(mutex_);
  int sum = 0;
  for (const auto& [path, count] : requests_)
    if (path.ends_with(path_end)) sum += count;
  return sum;
}

std::int64_t EtcdServerDouble::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

std::int64_t EtcdServerDouble::compacted() const {
  const std::lock_guard lock(mutex_);
  return compacted_;
}

Result<api::HttpResponse, api::TransportError> EtcdServerDouble::answer(const api::HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto lost = [] {
    return unexpected(api::TransportError{.delivery = api::Delivery::unknown, .reason = "the answer was lost"});
  };
  const Fault fault = fault_for(request.target);
  if (fault == Fault::connection_refused)
    return unexpected(api::TransportError{.delivery = api::Delivery::not_sent, .reason = "connection refused"});
  ++requests_[request.target];
  switch (fault) {
    case Fault::none:
    case Fault::connection_refused: break;
    case Fault::lost_before: return lost();
    case Fault::lost_after: (void)serve(request); return lost();
    case Fault::late: late_.push_back(request); return lost();
    case Fault::no_quorum: return refused(503, 14, "etcdserver: request timed out");
    case Fault::filled: (void)serve(request); [[fallthrough]];
    case Fault::full: return refused_as_full();
    case Fault::slow_refusal: return refused(429, 8, "etcdserver: too many requests");
  }
  return serve(request);
}

api::HttpResponse EtcdServerDouble::serve(const api::HttpRequest& request) {
  const json body = json::parse(request.body);
  const auto header = [this] { return json{{"revision", text(revision_)}, {"raft_term", "2"}}; };
  const auto answer = [](const json& document) {
    return api::HttpResponse{.status = 200, .headers = {}, .body = document.dump()};
  };
  const std::string& path = request.target;
  if (path == "/v3/kv/range") {
    const std::string first = bytes(body, "key");
    const std::string end = bytes(body, "range_end");
    const std::int64_t revision = number(body, "revision");
    if (revision != 0 && revision < compacted_)
      return refused(400, 11, "etcdserver: mvcc: required revision has been compacted");
    const auto& rows = revision == 0 || revision == revision_ ? rows_ : rows_at(revision);
    json found = json::array();
    bool has_more = false;
    for (auto row = rows.lower_bound(first); row != rows.end(); ++row) {
      if (end.empty() ? row->first != first : row->first >= end) break;
      if (found.size() == static_cast<std::size_t>(number(body, "limit"))) {
        has_more = true;
        break;
      }
      const EtcdKeyValue& one = row->second;
      json kv{{"key", to_base64(one.key)},
              {"value", to_base64(one.value)},
              {"create_revision", text(one.create_revision)},
              {"mod_revision", text(one.mod_revision)}};
      if (one.lease != 0) kv["lease"] = text(one.lease);
      found.push_back(std::move(kv));
    }
    json document{{"header", header()}};
    if (!found.empty()) document["kvs"] = found;
    if (has_more) document["more"] = true;
    return answer(document);
  }
  if (path == "/v3/kv/txn") {
    bool holds = true;
    for (const json& compare : body["compare"]) {
      const auto row = rows_.find(bytes(compare, "key"));
      const std::int64_t created = row == rows_.end() ? 0 : row->second.create_revision;
      if (compare["target"] == "CREATE")
        holds = holds && created == number(compare, "create_revision");
      else
        holds = holds && (compare["result"] == "GREATER" ? created > 0 : created == 0);
    }
    has_alarm_ = has_alarm_ || !has_room_;
    if (has_alarm_) return refused_as_full();
    if (!holds) return answer({{"header", header()}});
    for (const json& operation : body["success"])
      if (operation.contains("request_put") && number(operation["request_put"], "lease") != 0 &&
          !leases_.contains(number(operation["request_put"], "lease")))
        return refused(404, 5, "etcdserver: requested lease not found");
    ++revision_;
    for (const json& operation : body["success"]) {
      if (operation.contains("request_put")) {
        const json& put = operation["request_put"];
        put_row(bytes(put, "key"), bytes(put, "value"), number(put, "lease"));
      } else {
        const json& removal = operation["request_delete_range"];
        const std::string from = bytes(removal, "key");
        const std::string end = bytes(removal, "range_end");
        remove_rows([&](const EtcdKeyValue& row) { return from <= row.key && row.key < end; });
      }
    }
    return answer({{"header", header()}, {"succeeded", true}});
  }
  if (path == "/v3/lease/grant") {
    leases_.emplace(++last_lease_, number(body, "TTL"));
    return answer({{"header", header()}, {"ID", text(last_lease_)}, {"TTL", body["TTL"]}});
  }
  if (path == "/v3/lease/keepalive") {
    const auto lease = leases_.find(number(body, "ID"));
    json result{{"header", header()}, {"ID", body["ID"]}};
    if (lease != leases_.end()) result["TTL"] = text(lease->second);
    return answer({{"result", result}});
  }
  if (path == "/v3/lease/revoke") {
    const std::int64_t lease = number(body, "ID");
    if (leases_.erase(lease) == 0) return refused(404, 5, "etcdserver: requested lease not found");
    ++revision_;
    remove_rows([&](const EtcdKeyValue& row) { return row.lease == lease; });
    return answer({{"header", header()}});
  }
  if (path == "/v3/kv/compaction") {
    if (number(body, "revision") <= compacted_)
      return refused(400, 11, "etcdserver: mvcc: required revision has been compacted");
    compacted_ = number(body, "revision");
    return answer({{"header", header()}});
  }
  if (path == "/v3/maintenance/alarm") {
    if (body["action"] == "DEACTIVATE" && body["memberID"] == "7") has_alarm_ = false;
    json alarms = json::array();
    if (has_alarm_) alarms.push_back({{"memberID", "7"}, {"alarm", "NOSPACE"}});
    return answer({{"header", header()}, {"alarms", alarms}});
  }
  if (path == "/v3/maintenance/status")
    return answer({{"dbSize", "20480"}, {"dbSizeInUse", "16384"}, {"leader", "16464770283903160227"}});
  if (path == "/v3/cluster/member/list") {
    const auto member = [](const char* id, const char* url) {
      return json{{"ID", id}, {"clientURLs", {"http://elsewhere:1", url}}};
    };
    return answer({{"members", {member("7", "http://one:1"), member("16464770283903160227", "http://two:2")}}});
  }
  return answer(json::object());
}

}  // namespace svc::sim
