// What happened in an exchange, in one numbered order: requests with their answers, fills, liquidations, funding,
// deleveragings, faults that were hit, snapshots, and what was done through the control surface. (/_svc/timeline)
//
// Told always: writes, refusals, and everything that is no request. Successful reads are told only while somebody
// watches; otherwise a read costs one load here. Fills and funding of bots are left out. (D-830) Reads are kept apart,
// so that they never push out anything else. (D-835)
//
// Invariants
//   (T1) numbers count from 1 without gaps, and never start again while the process runs
//   (T2) at most limits::timeline_entries_max entries and limits::timeline_reads_max reads are kept; the oldest of the
//        same kind are dropped
//   (T3) kept requests and answers take at most limits::timeline_bytes_max, those of reads timeline_read_bytes_max; the
//        oldest are dropped, their entries stay
//   (T4) no credential and no secret is kept (D-831)
//
// Thread-safe: one lock, held for adding one entry or collecting one page. Memory is taken as entries come.
#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <deque>

#include "api/contract/control.h"
#include "sim/gateway/request_context.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/views.h"

namespace svc::limits {
inline constexpr std::size_t timeline_entries_max = 5'000;
inline constexpr std::size_t timeline_reads_max = 1'000;               // successful reads
inline constexpr std::size_t timeline_bytes_max = 4u << 20;            // of kept requests and answers, all together
inline constexpr std::size_t timeline_read_bytes_max = 1u << 20;       // of those of successful reads
inline constexpr std::size_t timeline_body_bytes_max = 16 * 1024;      // longer bodies are cut
inline constexpr std::size_t timeline_text_bytes_max = 300;            // longer lines are cut
inline constexpr std::size_t timeline_expected_bytes_max = 16 * 1024;  // longer texts are cut
inline constexpr std::size_t timeline_page_default = 200;
inline constexpr std::size_t timeline_page_max = 1'000;
}  // namespace svc::limits

namespace svc::sim {

// Sandboxes show what they were sent, but nothing that would let a reader act for somebody.

// The target with the values of secret parameters replaced by their length: "/ws?token=(masked, 48 characters)".
[[nodiscard]] std::string mask_query(std::string_view target);

// A request and its answer as they are kept: masked and cut. Each in one piece of memory, because every write makes
// one. Of a request, a body that names a secret in a form that is not known is masked whole.
struct KeptExchange {
  struct Message {
    std::string text;            // header fields (name, zero byte, value, zero byte), then the body
    std::size_t fields_end = 0;  // where the body begins
    std::size_t cut_bytes = 0;   // of the body
  };

  // `operation`: of the API; nullptr: another one, or none.
  KeptExchange(const api::Operation* operation, const api::HttpRequest& received, const api::HttpResponse& given,
               std::string_view expected_text);
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(KeptExchange) + method.capacity() + target.capacity() + expected.capacity() +
           request.text.capacity() + answer.text.capacity();
  }

  std::string method;
  std::string target;
  Message request;
  std::string expected;  // empty: none
  int status = 0;
  Message answer;
};

class Timeline final : public Follower, public RequestWitness {
 public:
  // The markets must outlive this.
  explicit Timeline(const MarketTable& markets) : markets_(markets) {}

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override;
  void request_ended(const RequestContext& context) override;
  void stream_fault(const FaultSubject& subject, StreamFault fault, TimestampMs now_ms) override;
  // A control operation that changed something.
  void control_used(const api::Operation& operation, const api::HttpRequest& request,
                    const api::PathParameters& parameters, const api::HttpResponse& response, TimestampMs now_ms);

  // What a reader asks for, checked.
  struct Filter {
    std::optional<api::control::TimelineKind> kind{};
    std::optional<Address> account{};
    std::string operation{};       // empty: any
    std::optional<int> status{};   // exactly this
    std::optional<int> hundred{};  // or of this class: 4 of "4xx"
  };
  // nullopt: the status is neither a number nor a class.
  [[nodiscard]] static std::optional<Filter> filter_of(const api::control::TimelineWanted& wanted);

  // With `after` the next entries above it, otherwise the latest; in any case the newest last.
  [[nodiscard]] api::control::Timeline page(const Filter& filter, std::optional<std::uint64_t> after,
                                            std::optional<std::uint64_t> before, std::size_t limit) const;
  // nullopt: there is no such entry, or it was dropped.
  [[nodiscard]] std::optional<api::control::TimelineDetail> find(std::uint64_t number) const;
  // The number of the newest entry; 0: none yet. One load.
  [[nodiscard]] std::uint64_t last() const { return last_.load(std::memory_order_acquire); }

  // While one exists, successful reads are told as well.
  class Watch {
   public:
    explicit Watch(Timeline& timeline) : timeline_(timeline) { ++timeline_.watches_; }
    ~Watch() { --timeline_.watches_; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Timeline& timeline_;
  };

 private:
  using Kind = api::control::TimelineKind;
  // A request in a line, with bytes of clients: what may be shown of it is found when somebody reads it.
  struct RequestLine {
    std::string text;
  };
  // Events are kept as they came; their lines are written when somebody reads them.
  using Happening = std::variant<std::string, RequestLine, engine::Fill, engine::LiquidationStarted,
                                 engine::FundingSettled, engine::FundingPaid>;
  struct Entry {
    TimestampMs at_ms = 0;
    Kind kind = Kind::request;
    std::optional<Address> account{};
    std::string_view operation{};  // of the tables, which outlive this
    std::optional<int> status{};
    std::string_view code{};  // likewise; empty: none
    std::string_view rule{};
    std::optional<engine::MarketIndex> market{};
    Happening what{};
    bool read = false;  // a successful one
  };
  struct Row {
    std::uint64_t number = 0;
    std::shared_ptr<const Entry> entry;
    std::shared_ptr<const KeptExchange> exchange;  // nullptr: none, or dropped
  };
  using Dropped = boost::container::small_vector<Row, 4>;
  // The newest rows of a kind, by number.
  struct Shelf {
    std::size_t rows_max;
    std::size_t bytes_max;
    std::deque<Row> rows{};
    std::size_t with_exchange = 0;  // rows from the last one on whose exchange was not dropped for its size
    std::size_t bytes = 0;          // of these exchanges

    // Adds what has to go to `dropped`.
    void put(Row row, Dropped& dropped);
    // Of the first row not below.
    [[nodiscard]] std::size_t place_from(std::uint64_t number) const {
      return static_cast<std::size_t>(std::ranges::lower_bound(rows, number, {}, &Row::number) - rows.begin());
    }
  };

  void add(Entry entry, std::shared_ptr<const KeptExchange> exchange = nullptr);
  void deleveraged(const Stamp& stamp, const engine::Deleveraged& event);
  [[nodiscard]] std::optional<engine::MarketIndex> market_in(const api::PathParameters& parameters,
                                                             std::string_view query, std::string_view body) const;
  [[nodiscard]] static bool fits(const Filter& filter, const Entry& entry) {
    if (filter.kind && *filter.kind != entry.kind) return false;
    if (filter.account && filter.account != entry.account) return false;
    if (!filter.operation.empty() && filter.operation != entry.operation) return false;
    if (filter.status && filter.status != entry.status) return false;
    return !filter.hundred || (entry.status && *entry.status / 100 == *filter.hundred);
  }
  [[nodiscard]] std::string text_of(const Happening& what) const;
  void fill_in(api::control::TimelineEntry& record, std::uint64_t number, const Entry& entry) const;

  const MarketTable& markets_;
  std::atomic<int> watches_{0};
  std::atomic<std::uint64_t> last_{0};
  mutable Ranked<LockRank::counter> mutex_;  // guards what follows
  Shelf reads_{.rows_max = limits::timeline_reads_max, .bytes_max = limits::timeline_read_bytes_max};
  Shelf others_{.rows_max = limits::timeline_entries_max, .bytes_max = limits::timeline_bytes_max};
};

}  // namespace svc::sim
