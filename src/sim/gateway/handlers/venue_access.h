// The handlers' access to the exchange, and what handlers of several areas share.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/contract/orders.h"
#include "api/contract/venue.h"
#include "api/error_catalog.h"
#include "api/http/http_message.h"
#include "api/values.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/request_context.h"
#include "sim/gateway/version_gate.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/views.h"

namespace svc::limits {
inline constexpr std::size_t encoded_reads_max = 8;  // per operation
inline constexpr std::size_t encoded_read_bytes_max = 128 * 1024;
}  // namespace svc::limits

namespace svc::sim {

// Refused with UnknownMarket.
[[nodiscard]] Result<engine::MarketIndex, api::ApiError> market_named(const MarketTable& markets,
                                                                      const std::string& id);

// All of it outlives the handlers.
struct VenueAccess {
  Sequencer& sequencer;
  const Views& views;
  const MarketTable& markets;
  TimestampMs started_ms = 0;  // when this process began to serve, by the sandbox's clock

  // f(MarketIndex, const MarketSpec&) for each listed market: all but the delisted ones. (D-719)
  template <class F>
  void each_listed(const VenueView& view, F&& f) const {
    markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
      if (view.market(index).status() != engine::MarketStatus::delisted) f(index, spec);
    });
  }

  [[nodiscard]] Result<engine::MarketIndex, api::ApiError> market(const api::MarketId& id) const {
    return market_named(markets, id.text);
  }
  // The market that a query names; none if it names none. Refused likewise.
  [[nodiscard]] Result<std::optional<engine::MarketIndex>, api::ApiError> market_if_named(
      const std::optional<api::MarketId>& id) const;
};

// Applies a command for the request, whose answer waits for the journal; the request's nonces are spent with it.
// Refusals of orders are in their outcomes; any other refusal is an error here.
[[nodiscard]] Result<Applied, api::ApiError> submit(RequestContext& context, UnitBody command);

// Likewise a command to the services.
template <class Command>
struct Served {
  Applied applied;
  ValueOf<Command> value;
};
template <class Command>
[[nodiscard]] Served<Command> served(Applied applied) {
  auto value = std::get<ValueOf<Command>>(std::move(*applied.value));
  return {.applied = std::move(applied), .value = std::move(value)};
}
template <class Command>
[[nodiscard]] Result<Served<Command>, api::ApiError> serve(RequestContext& context, Command command) {
  return served<Command>(SVC_TRY(submit(context, ServiceCommand(std::move(command)))));
}

// A list of API records: record(row) for each row of a range, or of a log's page.
template <class Rows, class F>
[[nodiscard]] auto list_of(const Rows& rows, F record) {
  const auto record_of = [&](const auto& row) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>)
      return record(*row);
    else
      return record(row);
  };
  api::WrittenList<decltype(record_of(*std::begin(rows)))> list;
  if constexpr (requires { rows.size(); }) list.rows.expect(rows.size());
  for (const auto& row : rows) list.rows.add(record_of(row));
  return list;
}

// Pages continue before a row's number. An invalid cursor reads as none: the first page.
[[nodiscard]] std::string cursor_text(std::uint64_t before);
[[nodiscard]] std::optional<std::uint64_t> parse_cursor(const std::optional<std::string>& text);

// As list_of, with the cursor of the next page, if there is one.
template <class Rows, class F>
[[nodiscard]] auto page_of(const Rows& rows, std::optional<std::uint64_t> next, F record) {
  auto list = list_of(rows, record);
  if (next) list.next_cursor = cursor_text(*next);
  return list;
}

// The page of a log that a request asks for, of the rows that are wanted.
template <class Row, class Request, class F, class Wanted = bool (*)(const Row&)>
[[nodiscard]] auto page_of(
    const BoundedLog<Row>& log, const Request& request, F record, Wanted wanted = [](const Row&) { return true; }) {
  const auto page = log.page(parse_cursor(request.cursor), request.limit, wanted);
  return page_of(page.rows, page.next, record);
}

// Refusals of the engine and of the sequencer as errors of the API.

[[nodiscard]] api::ErrorCode error_code_of(engine::Reject reject);
// With the catalogue's text.
[[nodiscard]] api::ApiError refusal_of(engine::Reject reject);
[[nodiscard]] api::ApiError refusal_of(WriteRefusal refusal);

// The time range of a list.

struct TimeRange {
  TimestampMs from_ms = std::numeric_limits<TimestampMs>::min();
  TimestampMs until_ms = std::numeric_limits<TimestampMs>::max();

  // Both ends are included.
  [[nodiscard]] bool contains(TimestampMs at_ms) const { return from_ms <= at_ms && at_ms <= until_ms; }
};

// startTime and endTime of a query; refused with invalid_window if the first is after the second. (D-283)
[[nodiscard]] Result<TimeRange, api::ApiError> time_range(std::optional<TimestampMs> start,
                                                          std::optional<TimestampMs> end);

// What a read operation gets: the views, all as of one instant, and the request.
template <class Request>
struct ViewRead {
  const VenueView& view;
  const RequestContext& context;
  const Request& request;
  const VenueAccess& venue = context.venue();

  [[nodiscard]] const AccountView& own() const { return view.account(context.account()); }
};

// answer(context, request) or answer(ViewRead) -> record or error.
template <class Op, class F>
void HandlerTable::bind(F answer) {
  using Request = typename Op::Request;
  add(Op::op, [answer = std::move(answer)](RequestContext& context) -> Result<void, api::ApiError> {
    const auto request = SVC_TRY(api::decode_request<Op>(context.parts(), context.decode_options, &context.decoded));
    auto response = SVC_TRY([&]() -> Answer<Op> {
      if constexpr (std::is_invocable_v<F, RequestContext&, const Request&>)
        return answer(context, request);
      else
        return context.venue().views.read([&](const VenueView& view) -> Answer<Op> {
          return answer(ViewRead<Request>{view, context, request});
        });
    }());
    api::encode_response(context.response, std::move(response));
    return {};
  });
}

// The replies of one public read as last encoded: what many ask for is encoded once per change of what it shows.
//
// A reply counts only for exactly the origin it was made from, so nothing is served across a change. Only short replies
// to the latest few targets are kept.
//
// Thread-safe: one lock, held for a look-up.
class EncodedReads {
 public:
  // What a reply was made from.
  struct Origin {
    std::uint64_t views = 0;  // their version
    TimestampMs at_ms = 0;    // 0: whenever it is asked for

    bool operator==(const Origin&) const = default;
  };
  using Reply = std::shared_ptr<const api::HttpResponse>;

  // nullptr: none for this target from this origin.
  [[nodiscard]] Reply find(std::string_view target, const Origin& origin) const {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.origin == origin && entry.target == target) return entry.reply;
    return nullptr;
  }

  // Replaces the reply to that target, or the one that was kept first.
  void keep(std::string_view target, const Origin& origin, const Reply& reply) {
    if (reply->body.size() > limits::encoded_read_bytes_max) return;
    Reply former;  // freed after the lock
    const std::lock_guard lock(mutex_);
    Entry* place = nullptr;
    for (Entry& entry : entries_)
      if (entry.target == target) place = &entry;
    if (place == nullptr) place = &entries_[next_++ % entries_.size()];
    former = std::exchange(place->reply, reply);
    place->target = target;
    place->origin = origin;
  }

 private:
  struct Entry {
    std::string target{};
    Origin origin{};
    Reply reply{};
  };

  mutable Ranked<LockRank::counter> mutex_;
  std::array<Entry, limits::encoded_reads_max> entries_{};
  std::size_t next_ = 0;
};

// The time of what public reads show: now, or that of the last entry which a node that is cut off has.
[[nodiscard]] inline TimestampMs shown_ms(const RequestContext& context) {
  return context.network->is_cut_off() ? context.venue().sequencer.last_ms() : context.now_ms;
}

// Binds a read that everybody may make: answer(venue, request) -> record or error, from the views alone, or
// answer(venue, request, now), which depends on the time as well. Encoded once per change.
template <class Op, class F>
void bind_public(HandlerTable& handlers, F answer) {
  using Request = typename Op::Request;
  static_assert(Op::op.auth.is_public() && !Op::op.is_write());
  constexpr bool by_time = std::is_invocable_v<F, const VenueAccess&, const Request&, TimestampMs>;
  handlers.add(
      Op::op,
      [answer, encoded = std::make_shared<EncodedReads>()](RequestContext& context) -> Result<void, api::ApiError> {
        // The version is read before the views, so that a reply is never older than its origin.
        const EncodedReads::Origin origin{context.venue().views.version(), by_time ? shown_ms(context) : 0};
        EncodedReads::Reply reply = encoded->find(context.request.target, origin);
        if (!reply) {
          const auto request =
              SVC_TRY(api::decode_request<Op>(context.parts(), context.decode_options, &context.decoded));
          const auto record_of = [&]() -> Answer<Op> {
            if constexpr (by_time)
              return answer(context.venue(), request, origin.at_ms);
            else
              return answer(context.venue(), request);
          };
          auto record = SVC_TRY(record_of());
          api::HttpResponse fresh;
          api::encode_response(fresh, std::move(record));
          reply = std::make_shared<const api::HttpResponse>(std::move(fresh));
          encoded->keep(context.request.target, origin, reply);
        }
        for (const api::Header& field : reply->headers) context.response.headers.add(field.name, field.value);
        context.response.body = reply->body;
        return {};
      });
}

// Likewise from the views at one instant: answer(view, venue, request), or answer(view, venue, request, now).
template <class Op, class F>
void bind_public_view(HandlerTable& handlers, F answer) {
  using Request = typename Op::Request;
  bind_public<Op>(
      handlers,
      [answer]<class... Now>(const VenueAccess& venue, const Request& request, Now... now)
          -> Answer<Op> requires std::is_invocable_v<F, const VenueView&, const VenueAccess&, const Request&, Now...> {
        return venue.views.read(
            [&](const VenueView& view) -> Answer<Op> { return answer(view, venue, request, now...); });
      });
}

// The operations of this venue: one function per area, named like the areas of api/contract, binds its handlers. An
// operation that no area binds answers 501.

void bind_operations(NetworkInstance& network, const VenueAccess& venue);  // all but discovery and streams

void bind_account(HandlerTable& handlers);  // tiers as well
void bind_auth(HandlerTable& handlers);     // agents and stream tokens as well
void bind_bridge(HandlerTable& handlers);
void bind_funds(HandlerTable& handlers);  // withdrawals as well
void bind_markets(HandlerTable& handlers);
void bind_orders(HandlerTable& handlers);
void bind_positions(HandlerTable& handlers);  // margin as well
void bind_transfers(HandlerTable& handlers);
void bind_venue(HandlerTable& handlers);

// The network map that a server publishes: in GET /metadata and as `x-svc-networks` of the interface description.
// (API: What the service does, rules 2 and 7) `serving` is listed under the host by which the request reached it, the
// others under their own host names and the same port. Local is always in the map: where it is not served, at its
// default address and with an unknown chain id, so that nobody signs for it by this map. (D-145)
[[nodiscard]] api::NetworkMap published_networks(const NetworkSettings& serving,
                                                 const std::vector<const NetworkSettings*>& served,
                                                 const api::Headers& headers);

// Metadata and the documents. `served` are all networks of this server, this one included; they outlive it.
void bind_discovery(NetworkInstance& network, const VersionTerms& versions,
                    const std::vector<const NetworkSettings*>& served);

}  // namespace svc::sim
