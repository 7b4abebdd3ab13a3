// What the control surface reads and changes.
#pragma once

#include <filesystem>
#include <functional>

#include "api/contract/control.h"
#include "base/containers.h"
#include "base/fibers.h"
#include "base/text.h"
#include "sim/actors/flow.h"
#include "sim/control/mark_trail.h"
#include "sim/control/timeline.h"
#include "sim/gateway/coverage.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/request_context.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/sequencer.h"
#include "sim/sequencer/state_folder.h"
#include "sim/views/views.h"

namespace svc::sim {

// A development account. Its key is public knowledge (the mnemonic is in every tutorial), so it is plain text; it
// holds play money, on local only.
using DevAccount = api::control::DevAccount;
using ReadyReport = api::control::ReadyReport;

// Writes a temporary file beside the target, then renames it: a reader sees the whole text or no file. Creates
// missing folders (mode 0700); the file has mode 0600. Links stay, and lead to the new file; a device or a pipe is
// written to. The error is one line for the user.
[[nodiscard]] Result<void, std::string> write_whole_file(const std::filesystem::path& path, std::string_view text);
// Whether write_whole_file() could begin now, with the same error. Creates missing folders and no file.
[[nodiscard]] Result<void, std::string> check_whole_file(const std::filesystem::path& path);

// A whole venue at one instant: the content of snapshots and of state documents.

struct VenueImage {
  TimestampMs at_ms = 0;  // the sandbox's clock
  engine::Sequence sequence{};
  std::map<std::string, std::string> networks{};  // by network name: the image of its exchange

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& [network, image] : networks) sum += image.size();
    return sum;
  }
};

// `state` is base64.
[[nodiscard]] api::control::StateDocument state_document(const VenueImage& image);
// One line of JSON.
[[nodiscard]] std::string to_document(const VenueImage& image);
// The error is one sentence: not such a document, another version, or damaged.
[[nodiscard]] Result<VenueImage, std::string> parse_document(std::string_view document);

// Named snapshots of a venue. With a folder each is also stored there as NAME.json and found after a restart; a
// damaged file is listed as such. (D-023)
//
// Thread-safe: one lock, held while a file is written.
class SnapshotShelf {
 public:
  // An empty path: in memory only.
  explicit SnapshotShelf(std::filesystem::path folder = {});
  // From now on no file changes while the path of the folder around it leads elsewhere. It outlives this.
  void stay_in(const StateFolder& around) { around_ = &around; }
  // That files in that folder may be changed.
  [[nodiscard]] Result<void, api::ApiError> check_place() const;

  // 1 to limits::snapshot_name_chars_max letters, digits, dots, dashes and underscores, not starting with a dot.
  [[nodiscard]] static bool is_name(std::string_view text) {
    return is_plain_word(text, limits::snapshot_name_chars_max, ".") && text.front() != '.';
  }

  struct Row {
    std::string name;
    std::shared_ptr<const VenueImage> image;  // nullptr: damaged
    std::string problem;                      // why
  };
  // Replaces an existing snapshot of that name. At most limits::snapshots_max, and limits::snapshots_bytes_max of all
  // together.
  [[nodiscard]] Result<void, api::ApiError> put(const std::string& name, std::shared_ptr<const VenueImage> image);
  [[nodiscard]] std::vector<Row> rows() const {
    const std::lock_guard lock(mutex_);
    std::vector<Row> rows;
    for (const auto& [name, row] : rows_) rows.push_back(row);
    return rows;
  }
  [[nodiscard]] std::optional<Row> find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    return value_in(rows_, name);
  }
  // False if there was none.
  [[nodiscard]] Result<bool, api::ApiError> remove(std::string_view name);

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view name) const;

  const std::filesystem::path folder_;
  const StateFolder* around_ = nullptr;  // nullptr: not checked
  mutable Ranked<LockRank::shelf> mutex_;
  std::map<std::string, Row, std::less<>> rows_;
};

class SessionRecorder;

enum class ResetScope : std::uint8_t { all, all_but_prices };

// Of the requests that the sandbox signs for its development accounts.
struct ConsoleSigning {
  Gate gate;  // held while credentials are made, and from drawing a nonce until the request with it was handled
  std::map<Address, Secret> sessions;  // under the gate
};

// All of it outlives the surface.
struct ControlledVenue {
  const Clock& machine;  // uptime is real time, whatever the sandbox's clock does
  TimestampMs started_ms;
  SandboxClock& clock;
  Sequencer& sequencer;
  Flow& flow;
  const TapeRecorder* recorder;  // nullptr: nothing is recorded
  SessionRecorder& sessions;
  bool operator_exits;  // halted markets may be resumed or settled
  bool strict_query;    // unknown query parameters are refused
  const Views& views;
  const MarketTable& markets;
  const RequestLog& requests;
  Timeline& timeline;
  const MarkTrail& marks;
  Coverage& coverage;
  FaultBook& faults;
  NetworkInstance& network;
  SnapshotShelf& snapshots;
  Turnstile& turnstile;  // held shared while the venue is used
  ConsoleSigning& signing;
  // Under the shared turnstile: a request from this machine to this network, through all stages of the gateway.
  std::function<void(api::HttpRequest&&, const SendReply&)> send;
  // Under the shared turnstile. Then does what is due.
  std::function<Result<void, api::ApiError>(const ClockChange&)> move_clock;
  // Without the turnstile: these take it exclusively.
  std::function<VenueImage()> image;
  std::function<Result<void, api::ApiError>(const VenueImage&)> become;
  std::function<Result<void, api::ApiError>(ResetScope)> reset;
  std::function<ReadyReport()> report;
  std::function<std::optional<api::control::Cluster>()> cluster;  // nullopt: this is the only node
  // Without the turnstile: has the node that writes answer, and waits until its answer counts here. nullopt: this one
  // writes.
  std::function<std::optional<api::HttpResponse>(const api::HttpRequest&)> pass_on;
  // Calls `then(true)` once every stream has sent everything up to now, or `then(false)` after a timeout.
  std::function<void(std::function<void(bool delivered)> then)> after_streams;
};

}  // namespace svc::sim
