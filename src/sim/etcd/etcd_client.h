// etcd v3 over its JSON gateway, on kept connections to several members. Synchronous; one thread at a time.
//
// Promises
//   - a read goes on to the next member when one fails; a write does so only while no byte of it was sent, and is
//     never sent twice by this class
//   - numbers of 64 bits and bytes pass exactly: etcd writes the first as texts and the second as base64
//   - reads are linearizable: they show every write that was answered before they began
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_client.h"
#include "api/http/url.h"
#include "base/result.h"

namespace svc::limits {
inline constexpr std::size_t etcd_members_max = 9;                // named in one address
inline constexpr std::size_t etcd_name_chars_max = 64;            // of a state on an etcd
inline constexpr std::int64_t etcd_connect_ms = 1'000;            // to one member
inline constexpr std::int64_t etcd_answer_ms = 4'000;             // of one member; beyond an election of 2.5 s
inline constexpr std::int64_t etcd_lease_answer_ms = 1'500;       // the same for leases and looks: soon asks another
inline constexpr std::size_t etcd_answer_bytes_max = 256u << 20;  // of one page of values
}  // namespace svc::limits

namespace svc::sim {

// etcd://HOST:PORT,HOST:PORT/NAME: the members, and which of the states on them is meant.
struct EtcdAddress {
  std::vector<api::HostPort> members{};
  std::string name = "svc";

  bool operator==(const EtcdAddress&) const = default;
};
[[nodiscard]] bool is_etcd_address(std::string_view text);
// The error is one sentence.
[[nodiscard]] Result<EtcdAddress, std::string> parse_etcd_address(std::string_view text);
[[nodiscard]] std::string to_string(const EtcdAddress& address);

struct EtcdError {
  enum class Kind : std::uint8_t {
    not_sent,    // no member was reached: nothing happened
    unknown,     // the answer was lost: a write may have happened, and may happen yet
    no_quorum,   // too few members are up, or they are electing: likewise
    quota_full,  // etcd has as much as it may hold; the write that hit the quota has happened, later ones do not
                 // (D-853)
    refused,     // with etcd's reason: nothing happened
    compacted,   // the store forgot how it was at that revision: likewise
  };
  Kind kind = Kind::unknown;
  std::string reason{};

  // Whether a write certainly had no effect.
  [[nodiscard]] bool nothing_happened() const {
    return kind == Kind::not_sent || kind == Kind::refused || kind == Kind::compacted;
  }
  // What to tell of an etcd that answers and takes no writes; empty: it may take them.
  [[nodiscard]] std::string refusal() const {
    if (kind == Kind::quota_full) return "etcd's quota is full: give it a larger one, or make room on it";
    return kind == Kind::refused ? "etcd refuses writes (" + reason + ")" : "";
  }
};

struct EtcdKeyValue {
  std::string key{};
  std::string value{};
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::int64_t lease = 0;
};

struct EtcdCompare {
  enum class Kind : std::uint8_t { absent, present, created_at };
  std::string key{};
  Kind kind = Kind::present;
  std::int64_t create_revision = 0;  // of created_at
};
struct EtcdPut {
  std::string key{};
  std::string value{};
  std::int64_t lease = 0;  // 0: none
};
// One key, or all from it up to `end`.
struct EtcdRange {
  std::string key{};
  std::string end{};
};
// All puts and removals if every comparison holds, else nothing.
struct EtcdTransaction {
  std::vector<EtcdCompare> compares{};
  std::vector<EtcdPut> puts{};
  std::vector<EtcdRange> removals{};
};
struct EtcdCommit {
  bool succeeded = false;     // the comparisons held
  std::int64_t revision = 0;  // of the store after it
};
struct EtcdClaim {
  std::int64_t lease = 0;     // 0: another one has the key
  std::int64_t revision = 0;  // at which the key was made
  std::string holder{};       // the value of the other one; empty: it went just now
};
struct EtcdPage {
  std::vector<EtcdKeyValue> rows{};
  bool has_more = false;
  std::int64_t revision = 0;
};
struct EtcdStatus {
  std::int64_t bytes = 0;         // of the member's file
  std::int64_t bytes_in_use = 0;  // the rest of it is free for reuse
};

// The range of all keys that begin so.
[[nodiscard]] EtcdRange keys_below(std::string prefix);

// The way to one member: HTTP over TCP, or a double in tests.
using EtcdDial = std::function<std::unique_ptr<api::Transport>(const api::HostPort&)>;
[[nodiscard]] EtcdDial dial_by_http(std::int64_t answer_ms = limits::etcd_answer_ms);

class EtcdClient {
 public:
  EtcdClient(const std::vector<api::HostPort>& members, const EtcdDial& dial);

  [[nodiscard]] Result<EtcdCommit, EtcdError> commit(const EtcdTransaction& transaction);
  // In the order of keys, `rows_max` at most, as they were at a revision; 0: as they are.
  [[nodiscard]] Result<EtcdPage, EtcdError> read(const EtcdRange& range, std::size_t rows_max,
                                                 std::int64_t revision = 0);
  [[nodiscard]] Result<std::optional<EtcdKeyValue>, EtcdError> read_one(const std::string& key) {
    auto page = SVC_TRY(read({.key = key}, 1));
    if (page.rows.empty()) return std::optional<EtcdKeyValue>();
    return std::optional(std::move(page.rows.front()));
  }

  [[nodiscard]] Result<std::int64_t, EtcdError> grant_lease(std::int64_t seconds);
  // The seconds it has left from now on; 0: it is gone.
  [[nodiscard]] Result<std::int64_t, EtcdError> keep_lease(std::int64_t lease);
  [[nodiscard]] Result<void, EtcdError> revoke_lease(std::int64_t lease);
  // Makes a key that ends with a new lease, if there is none of that name.
  [[nodiscard]] Result<EtcdClaim, EtcdError> claim(const std::string& key, const std::string& value,
                                                   std::int64_t lease_s);

  // Forgets what was replaced or removed before that revision, and returns when its room is free.
  [[nodiscard]] Result<void, EtcdError> compact(std::int64_t revision);

  // Asks the member that leads from now on, if it is one of ours: the others pass writes on to it.
  void prefer_leader();

  // Of one member, by its number.
  [[nodiscard]] std::size_t members() const { return members_.size(); }
  [[nodiscard]] Result<EtcdStatus, EtcdError> status(std::size_t member);
  // Gives the free part of its file back to the disk; it answers nobody meanwhile.
  [[nodiscard]] Result<void, EtcdError> defragment(std::size_t member);
  // etcd refuses writes once its quota was full: it may take them again now.
  [[nodiscard]] Result<void, EtcdError> end_full();

 private:
  enum class Effect : std::uint8_t { reads, writes };
  [[nodiscard]] Result<nlohmann::json, EtcdError> call(std::string_view path, const std::string& body, Effect effect);
  [[nodiscard]] Result<nlohmann::json, EtcdError> call_member(std::size_t member, std::string_view path,
                                                              const std::string& body);

  const std::vector<api::HostPort> places_;
  std::vector<std::unique_ptr<api::Transport>> members_;  // at those places
  std::size_t current_ = 0;
};

}  // namespace svc::sim
